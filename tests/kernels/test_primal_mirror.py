"""The compiled passes of the primal methods for interpolation against their twins."""

import numpy as np
import pytest

from cases_kernels import BAD_VECTORS, TOLERANCE, D, N, both_lines, copies, entries_of
from fenchel._kernels.dual_ascent import ConstraintArrays, MapArrays
from fenchel._kernels.primal_mirror import perceptron_pass, primal_mirror_pass
from fenchel.errors import InvalidInputError
from fenchel.reference import primal_mirror as twins
from fenchel.reference.dual_ascent import row_norms
from fenchel.regularizers import RelativeEntropy, SquaredLp

NONE = np.empty(0)
MIRRORS = {
    "p=2": (SquaredLp(2.0, strength=0.5), MapArrays("euclidean", 0.5, 2.0, NONE)),
    "p=1.5": (SquaredLp(1.5, strength=2.0), MapArrays("power", 2.0, 3.0, NONE)),
    "p=1.13": (SquaredLp(1.13), MapArrays("power", 1.0, 1.13 / 0.13, NONE)),
    "entropy": (RelativeEntropy(strength=0.5), MapArrays("entropy", 0.5, 1.0, np.full(D, -np.log(D)))),
}
SETS = ("point", "half-line", "interval", "ball", "simplex")

every_mirror = pytest.mark.parametrize("mirror", MIRRORS)
every_storage = pytest.mark.parametrize("storage", ["dense", "sparse"])


def matrix(rng: np.random.Generator, storage: str) -> np.ndarray:
    A = rng.normal(size=(N, D))
    if storage == "sparse":
        A *= rng.random((N, D)) < 0.5
    A[:, 3] = 0.0  # an empty column
    A[5] = 0.0  # an empty row
    return A


def sets_of(rng: np.random.Generator, A: np.ndarray, kind: str) -> ConstraintArrays:
    hard = np.zeros(N)
    if kind == "simplex":
        return ConstraintArrays("simplex", NONE, NONE, hard)
    if kind == "ball":
        return ConstraintArrays("ball", rng.normal(size=(N, 3)), rng.random(N) * (np.arange(N) % 3), hard)
    b = 0.3 * rng.normal(size=N)
    upper = {"point": b, "half-line": np.full(N, np.inf), "interval": b + 0.2}[kind]
    return ConstraintArrays("interval", b, upper, hard)


def start(
    rng: np.random.Generator, A: np.ndarray, g: SquaredLp | RelativeEntropy, kind: str
) -> dict[str, np.ndarray]:
    """Steps up to 1 / L_i, that of the row of zeros 0; any variables, and their image."""
    entropy = isinstance(g, RelativeEntropy)
    curvature = row_norms(A, np.inf if entropy else g.q) ** 2 / g.strong_convexity(D)
    step = np.divide(rng.random(N) + 0.1, curvature, out=np.zeros(N), where=curvature > 0)
    a = 0.3 * rng.normal(size=(N, 3) if kind in ("ball", "simplex") else N)
    return {"step": step, "a": a, "t": A.T @ a}


def log_prior(g: SquaredLp | RelativeEntropy, mirror: MapArrays, k: int) -> MapArrays:
    """The same map for k outputs, among which a prior is divided."""
    return (
        MapArrays(mirror.kind, mirror.strength, mirror.q, mirror.log_prior - np.log(k)) if k > 1 else mirror
    )


@pytest.mark.parametrize("kind", SETS)
@every_mirror
@every_storage
def test_primal_mirror_pass_is_its_twin(rng, kind, mirror, storage):
    A = matrix(rng, storage)
    g, arrays = MIRRORS[mirror]
    sets, begin, order = sets_of(rng, A, kind), start(rng, A, g, kind), rng.integers(N, size=3 * N)
    rows, compiled, twin = both_lines(A, storage, rng)[0], copies(begin), copies(begin)
    arrays = log_prior(g, arrays, 3 if begin["a"].ndim == 2 else 1)
    entries = primal_mirror_pass(rows, order, sets, mirror=arrays, **compiled)
    twins.primal_mirror_pass(A, order, sets, g=g, **twin)
    for name in ("a", "t"):
        np.testing.assert_allclose(compiled[name], twin[name], rtol=1e-11, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(compiled["t"], A.T @ compiled["a"], rtol=1e-11, atol=1e-12)
    assert entries == sum(entries_of(rows, i) for i in order if begin["step"][i] > 0)


@pytest.mark.parametrize("margin", [0.0, 1.0])
@every_mirror
@every_storage
def test_perceptron_pass_is_its_twin(rng, margin, mirror, storage):
    A = matrix(rng, storage)
    g, arrays = MIRRORS[mirror]
    labels, begin = rng.choice([-1.0, 1.0], size=N), start(rng, A, g, "half-line")
    begin["a"] *= labels * np.sign(begin["a"])
    begin["t"] = A.T @ begin["a"]
    rows, order = both_lines(A, storage, rng)[0], rng.integers(N, size=3 * N)
    compiled, twin = copies(begin), copies(begin)
    entries = perceptron_pass(rows, order, labels, margin=margin, mirror=arrays, **compiled)
    twins.perceptron_pass(A, order, labels, margin=margin, g=g, **twin)
    for name in ("a", "t"):
        np.testing.assert_allclose(compiled[name], twin[name], rtol=1e-11, atol=1e-12, err_msg=name)
    assert np.all(labels * compiled["a"] >= 0.0)
    assert np.any(compiled["a"] != begin["a"])
    assert entries == sum(entries_of(rows, i) for i in order if begin["step"][i] > 0)


def test_single_precision(rng):
    A = matrix(rng, "dense").astype(np.float32)
    g, arrays = MIRRORS["p=1.5"]
    A64 = A.astype(np.float64)
    begin, sets, order = start(rng, A64, g, "point"), sets_of(rng, A64, "point"), rng.integers(N, size=3 * N)
    compiled, twin = copies(begin), copies(begin)
    primal_mirror_pass(both_lines(A, "dense", rng)[0], order, sets, mirror=arrays, **compiled)
    twins.primal_mirror_pass(A64, order, sets, g=g, **twin)
    np.testing.assert_allclose(compiled["a"], twin["a"], rtol=TOLERANCE[np.float32], atol=1e-6)


def arguments(rng: np.random.Generator, kind: str = "half-line") -> dict[str, object]:
    A = matrix(rng, "dense")
    g, arrays = MIRRORS["p=1.5"]
    lines = {"rows": both_lines(A, "dense", rng)[0], "order": np.arange(N), "mirror": arrays}
    return lines | {"sets": sets_of(rng, A, kind)} | start(rng, A, g, kind)


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize("name", ["step", "a", "t"])
def test_bad_vectors_are_refused(rng, name, bad):
    given = arguments(rng)
    labelled = {key: given[key] for key in ("rows", "order", "mirror", "step", "a", "t")}
    labelled |= {"labels": np.ones(N), "margin": 0.0}
    for kernel, valid in ((primal_mirror_pass, given), (perceptron_pass, labelled)):
        if bad == "a matrix" and kernel is primal_mirror_pass and name == "a":
            continue  # that is several outputs
        with pytest.raises((InvalidInputError, AttributeError)):
            kernel(**valid | {name: BAD_VECTORS[bad](valid[name])})


def test_what_else_is_refused(rng):
    valid = arguments(rng)
    sets = valid["sets"]
    slack = ConstraintArrays(sets.kind, sets.first, sets.second, np.ones(N))
    for changes, reason in (
        ({"sets": slack}, r"^The sets have slack"),
        ({"order": np.array([-1])}, r"^order spans"),
        ({"mirror": MapArrays("cubic", 1.0, 3.0, NONE)}, r"^No kernel knows the map 'cubic'"),
    ):
        with pytest.raises(InvalidInputError, match=reason):
            primal_mirror_pass(**valid | changes)
