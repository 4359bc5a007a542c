"""The compiled passes of dual ascent and their twins, given the same order, do the same."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from cases_kernels import BAD_VECTORS, TOLERANCE, D, N, both_lines, copies, entries_of
from fenchel._kernels import dual_ascent as kernels
from fenchel._kernels.dual_ascent import ConstraintArrays, MapArrays
from fenchel._kernels.views import Lines
from fenchel.errors import InvalidInputError
from fenchel.reference import dual_ascent as twins
from fenchel.regularizers import RelativeEntropy, SquaredLp

MIRRORS = {
    "p=2": SquaredLp(2.0, strength=0.5),
    "p=1.5": SquaredLp(1.5, strength=2.0),
    "p=1.13": SquaredLp(1.13),
    "entropy": RelativeEntropy(strength=0.5),
    "entropy-prior": RelativeEntropy(np.arange(1.0, D + 1.0)),
}
STEEP = SquaredLp(1.001)
"""With q = 1001 a power makes a thousand units in the last place of one, and each step makes more of them."""
SETS = ("point", "half-line", "interval", "ball", "simplex")


@dataclass(frozen=True)
class Case:
    """Rows, sets, a map in both forms, and the curvature of every row."""

    A: np.ndarray
    rows: Lines
    sets: ConstraintArrays
    g: SquaredLp | RelativeEntropy
    curvature: np.ndarray
    k: int

    @property
    def mirror(self) -> MapArrays:
        none = np.empty(0)
        if isinstance(self.g, SquaredLp):
            return MapArrays("euclidean" if self.g.p == 2.0 else "power", self.g.strength, self.g.q, none)
        prior = np.ones(D) if self.g.prior is None else np.asarray(self.g.prior)
        return MapArrays("entropy", self.g.strength, 1.0, np.log(prior / prior.sum()) - np.log(self.k))

    def point(self, rng: np.random.Generator, scale: float = 0.3) -> dict[str, np.ndarray]:
        """Variables that satisfy their sign, and their image."""
        a = scale * rng.normal(size=N if self.sets.kind == "interval" else (N, self.k))
        if self.sets.kind == "interval":
            a = np.where(np.isinf(self.sets.second), np.abs(a), a)
        return {"a": a, "t": self.A.T @ a}


def sets_of(rng: np.random.Generator, A: np.ndarray, kind: str, slack: str, k: int) -> ConstraintArrays:
    """Sets that some probabilities meet, so that no dual variable grows without end."""
    inverse = {"hard": np.zeros(N), "slack": rng.random(N) + 0.1}[slack]
    if kind == "simplex":
        return ConstraintArrays("simplex", np.empty(0), np.empty(0), inverse)
    w = rng.dirichlet(np.ones(D * k)).reshape(D, k)
    z = A @ w
    if kind == "ball":
        radius = rng.random(N) * (np.arange(N) % 3)  # a third of them points
        return ConstraintArrays("ball", z, radius, inverse)
    b = z[:, 0] - (0.0 if kind == "point" else 0.1)
    upper = {"point": b, "half-line": np.full(N, np.inf), "interval": b + 0.2}[kind]
    return ConstraintArrays("interval", b, upper, inverse)


def make_case(
    rng, kind="half-line", mirror: object = "p=1.5", storage="dense", slack="hard", dtype=np.float64
) -> Case:
    A = rng.normal(size=(N, D)) + 0.5
    if storage == "sparse":
        A *= rng.random((N, D)) < 0.5
    A[:, 3] = 0.0  # an empty column
    A[5] = 0.0  # an empty row
    A = A.astype(dtype)
    g = MIRRORS[mirror] if isinstance(mirror, str) else mirror
    k = 1 if kind in ("point", "half-line", "interval") else 3
    rows = both_lines(A, storage, rng)[0]
    A = A.astype(np.float64)
    q = g.q if isinstance(g, SquaredLp) else np.inf
    curvature = twins.row_norms(A, q) ** 2 / g.strong_convexity(D)
    return Case(A, rows, sets_of(rng, A, kind, slack, k), g, curvature, k)


def compare(case: Case, rng, newton: int, tolerance: float, scale: float = 0.3) -> None:
    order = rng.integers(N, size=2 * N)
    start = case.point(rng, scale)
    compiled, twin = copies(start), copies(start)
    entries = kernels.dual_ascent_pass(
        case.rows, order, case.sets, case.curvature, case.mirror, newton, tilt=np.zeros(2), **compiled
    )
    twins.dual_ascent_pass(case.A, order, case.sets, case.curvature, case.g, newton, **twin)
    assert not np.array_equal(compiled["a"], start["a"])
    for name in ("a", "t"):
        size = 1.0 + float(np.abs(twin[name]).max())
        np.testing.assert_allclose(
            compiled[name], twin[name], rtol=tolerance, atol=tolerance * size, err_msg=name
        )
    np.testing.assert_allclose(compiled["t"], case.A.T @ compiled["a"], rtol=1e-9, atol=1e-9)
    visited = order[case.curvature[order] + case.sets.inverse_slack[order] > 0]
    assert entries == sum(entries_of(case.rows, i) for i in visited)


def momentum_of(share: np.ndarray) -> np.ndarray:
    return np.array([share.min(), 0.0])


def compare_accelerated(case: Case, rng, share: np.ndarray, tolerance: float) -> None:
    order = rng.choice(N, size=4 * N, p=share)
    start = case.point(rng)
    first = {
        "momentum": momentum_of(share),
        "lag": np.zeros_like(start["a"]),
        "lead": start["a"],
        "lag_image": np.zeros_like(start["t"]),
        "lead_image": start["t"],
    }
    compiled, twin = copies(first), copies(first)
    entries = kernels.accelerated_dual_ascent_pass(
        case.rows, order, case.sets, case.curvature, share, case.mirror, **compiled
    )
    twins.accelerated_dual_ascent_pass(case.A, order, case.sets, case.curvature, share, case.g, **twin)
    for name in first:
        size = 1.0 + float(np.abs(twin[name]).max())
        np.testing.assert_allclose(
            compiled[name], twin[name], rtol=tolerance, atol=tolerance * size, err_msg=name
        )
    visited = order[case.curvature[order] + case.sets.inverse_slack[order] > 0]
    assert entries == sum(entries_of(case.rows, i) for i in visited)


every_set = pytest.mark.parametrize("kind", SETS)
every_mirror = pytest.mark.parametrize("mirror", MIRRORS)
every_storage = pytest.mark.parametrize("storage", ["dense", "sparse"])
every_slack = pytest.mark.parametrize("slack", ["hard", "slack"])
every_dtype = pytest.mark.parametrize("dtype", [np.float64, np.float32])


@every_set
@every_mirror
@every_storage
@every_slack
@pytest.mark.parametrize("newton", [0, 1, 3, 20])
def test_dual_ascent_pass_is_its_twin(rng, kind, mirror, storage, slack, newton):
    compare(make_case(rng, kind, mirror, storage, slack), rng, newton, 1e-12)


@every_set
@every_mirror
@every_storage
@every_slack
@pytest.mark.parametrize("power", [0.0, 0.5])
def test_accelerated_dual_ascent_pass_is_its_twin(rng, kind, mirror, storage, slack, power):
    case = make_case(rng, kind, mirror, storage, slack)
    weight = (case.curvature + 1e-2) ** power
    compare_accelerated(case, rng, weight / weight.sum(), 1e-12)


@every_dtype
@every_storage
@every_mirror
def test_passes_in_both_precisions(rng, dtype, storage, mirror):
    for kind in ("half-line", "ball"):
        case = make_case(rng, kind, mirror, storage, "slack", dtype)
        compare(case, rng, 3, TOLERANCE[dtype])
        compare_accelerated(case, rng, np.full(N, 1 / N), TOLERANCE[dtype])


@every_set
@every_storage
@every_slack
@pytest.mark.parametrize("newton", [0, 1])
def test_single_steps_near_the_l1_norm_are_those_of_the_twin(rng, kind, storage, slack, newton):
    case = make_case(rng, kind, STEEP, storage, slack)
    start = case.point(rng)
    for i in range(N):
        compiled, twin = copies(start), copies(start)
        order = np.array([i])
        kernels.dual_ascent_pass(
            case.rows, order, case.sets, case.curvature, case.mirror, newton, tilt=np.zeros(2), **compiled
        )
        twins.dual_ascent_pass(case.A, order, case.sets, case.curvature, case.g, newton, **twin)
        for name in ("a", "t"):
            np.testing.assert_allclose(compiled[name], twin[name], rtol=1e-10, atol=1e-10, err_msg=name)


@every_set
@every_mirror
@every_storage
def test_the_sum_is_carried_from_pass_to_pass(rng, kind, mirror, storage):
    """Two passes with one tilt are one pass; what it holds is the sum, so that g*(t) can be read from it."""
    case = make_case(rng, kind, mirror, storage)
    order, whole = rng.integers(N, size=2 * N), case.point(rng)
    parts, tilt = copies(whole), np.zeros(2)
    kernels.dual_ascent_pass(
        case.rows, order, case.sets, case.curvature, case.mirror, 3, tilt=np.zeros(2), **whole
    )
    for part in (order[:N], order[N:]):
        kernels.dual_ascent_pass(
            case.rows, part, case.sets, case.curvature, case.mirror, 3, tilt=tilt, **parts
        )
    for name in ("a", "t"):
        np.testing.assert_allclose(parts[name], whole[name], rtol=1e-12, atol=1e-12)
    base, total = tilt
    if case.mirror.kind == "power":
        value = 0.5 / case.g.strength * (base * total ** (1 / case.g.q)) ** 2
        assert value == pytest.approx(case.g.conjugate(whole["t"]), rel=1e-11)
    if case.mirror.kind == "entropy":
        assert case.g.strength * (base + np.log(total)) == pytest.approx(
            case.g.conjugate(whole["t"]), rel=1e-11
        )


@every_mirror
@every_storage
def test_the_sum_survives_when_a_row_takes_away_nearly_all_of_it(rng, mirror, storage):
    """A row far from its point carries the whole of t, and its step removes that: little is left."""
    case = make_case(rng, "point", mirror, storage, "slack")
    start = case.point(rng, 1e-3)
    start["a"][0] = 1e3
    start["t"] = case.A.T @ start["a"]
    case = replace(case, sets=replace(case.sets, inverse_slack=np.full(N, 1e3)))
    compiled, twin = copies(start), copies(start)
    order = np.array([0, 1, 0, 2, 3, 0])
    kernels.dual_ascent_pass(
        case.rows, order, case.sets, case.curvature, case.mirror, 3, tilt=np.zeros(2), **compiled
    )
    twins.dual_ascent_pass(case.A, order, case.sets, case.curvature, case.g, 3, **twin)
    assert np.abs(compiled["t"]).max() < 0.01 * np.abs(start["t"]).max()
    for name in ("a", "t"):
        np.testing.assert_allclose(compiled[name], twin[name], rtol=1e-10, atol=1e-12, err_msg=name)


def dual_value(case: Case, a: np.ndarray) -> float:
    """G(a), from the sets and the regularizer alone."""
    t, slack = case.A.T @ a, case.sets.inverse_slack
    if case.sets.kind == "interval":
        ends = np.where(a > 0, case.sets.first, np.where(a < 0, case.sets.second, 0.0))
        support, squares = -ends * a, a**2
    elif case.sets.kind == "ball":
        support = -np.sum(case.sets.first * a, axis=1) + case.sets.second * np.linalg.norm(a, axis=1)
        squares = np.sum(a**2, axis=1)
    else:
        support, squares = np.max(-a, axis=1), np.sum(a**2, axis=1)
    return -float(np.sum(support + 0.5 * slack * squares)) - case.g.conjugate(t)


@every_set
@every_slack
@pytest.mark.parametrize("mirror", [*MIRRORS, "p=1.001"])
@pytest.mark.parametrize("newton", [0, 1, 3, 20])
def test_no_step_lowers_the_dual_value(rng, kind, slack, mirror, newton):
    """Nor gains less than a step with L_i is sure to: half of L_i + 1/c_i times its square."""
    case = make_case(rng, kind, MIRRORS.get(mirror, STEEP), slack=slack)
    at = case.point(rng)
    value = dual_value(case, at["a"])
    for i in rng.integers(N, size=3 * N):
        plain = copies(at)
        order = np.array([i])
        twins.dual_ascent_pass(case.A, order, case.sets, case.curvature, case.g, 0, **plain)
        sure = 0.5 * (case.curvature[i] + case.sets.inverse_slack[i]) * np.sum((plain["a"] - at["a"]) ** 2)
        kernels.dual_ascent_pass(
            case.rows, order, case.sets, case.curvature, case.mirror, newton, tilt=np.zeros(2), **at
        )
        after = dual_value(case, at["a"])
        assert after >= value + sure - 1e-12 * (1.0 + abs(value))
        value = after


@pytest.mark.parametrize("kind", ["point", "half-line", "interval"])
@pytest.mark.parametrize("mirror", [*MIRRORS, "p=1.001"])
@every_slack
def test_a_row_that_is_visited_again_and_again_comes_to_rest(rng, kind, mirror, slack):
    """Where its step is rounding, and Newton's may point the other way."""
    case = make_case(rng, kind, MIRRORS.get(mirror, STEEP), slack=slack)
    at = case.point(rng)
    for i in (0, 1, 2):
        order = np.full(500, i)
        kernels.dual_ascent_pass(
            case.rows, order, case.sets, case.curvature, case.mirror, 3, tilt=np.zeros(2), **at
        )
        assert np.isfinite(at["a"]).all()
        before = at["a"][i]
        kernels.dual_ascent_pass(
            case.rows, order[:3], case.sets, case.curvature, case.mirror, 3, tilt=np.zeros(2), **at
        )
        assert at["a"][i] == pytest.approx(before, rel=1e-9)


@pytest.mark.parametrize("mirror", ["p=2", "p=1.5", "p=1.13", "entropy"])
@every_storage
def test_on_points_dual_ascent_is_stochastic_mirror_descent(rng, mirror, storage):
    """Lemma 2: t <- t + x_i (b_i - <x_i, w>) / L_i, without dual variables."""
    case = make_case(rng, "point", mirror, storage)
    order = rng.permutation(N)
    at = {"a": np.zeros(N), "t": np.zeros(D)}
    t = np.zeros(D)
    for i in order:
        kernels.dual_ascent_pass(
            case.rows, np.array([i]), case.sets, case.curvature, case.mirror, 0, tilt=np.zeros(2), **at
        )
        if case.curvature[i] > 0:
            t += case.A[i] * (case.sets.first[i] - case.A[i] @ case.g.lmo(-t)) / case.curvature[i]
        np.testing.assert_allclose(at["t"], t, rtol=1e-14, atol=1e-14)


@every_set
@every_mirror
@every_slack
@pytest.mark.parametrize("power", [0.0, 0.5])
def test_the_form_without_moves_of_all_rows_is_the_dense_one(rng, kind, mirror, slack, power):
    case = make_case(rng, kind, mirror, "sparse", slack)
    rows = np.flatnonzero(case.curvature + case.sets.inverse_slack > 0)
    weight = np.zeros(N)
    weight[rows] = (case.curvature[rows] + 1e-2) ** power
    share = weight / weight.sum()
    order = np.append(rng.choice(N, size=5 * N, p=share), np.argmin(np.where(share > 0, share, 1.0)))
    a = case.point(rng)["a"]
    momentum = np.array([share[rows].min(), 0.0])
    lag, lead = np.zeros_like(a), a.copy()
    images = np.zeros_like(case.A.T @ a), case.A.T @ a
    kernels.accelerated_dual_ascent_pass(
        case.rows, order, case.sets, case.curvature, share, case.mirror, momentum, lag, lead, *images
    )
    x, z = twins.dense_accelerated_dual_ascent(case.A, order, case.sets, case.curvature, share, case.g, a)
    np.testing.assert_allclose(momentum[1] ** 2 * lag + lead, x, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(lead, z, rtol=1e-12, atol=1e-12)


@every_storage
@every_dtype
@pytest.mark.parametrize("q", [1.0, 2.0, 3.0, 8.6, 1001.0, np.inf])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_row_norms_are_their_twin(rng, storage, dtype, q, scale):
    A = (scale * make_case(rng, storage=storage).A).astype(dtype)
    found = kernels.row_norms(both_lines(A, storage, rng)[0], q)
    np.testing.assert_allclose(found, twins.row_norms(A.astype(np.float64), q), rtol=1e-12)


@pytest.fixture
def arguments(rng):
    case = make_case(rng)
    shared = {"rows": case.rows, "order": np.arange(N), "sets": case.sets, "curvature": case.curvature}
    return shared | {"mirror": case.mirror, "tilt": np.zeros(2)} | case.point(rng)


def accelerated(arguments: dict) -> dict:
    rest = {name: arguments[name] for name in ("rows", "order", "sets", "curvature", "mirror")}
    sequences = {"lag": np.zeros(N), "lead": arguments["a"]}
    images = {"lag_image": np.zeros(D), "lead_image": arguments["t"]}
    return rest | {"share": np.full(N, 1 / N), "momentum": np.array([1 / N, 0.0])} | sequences | images


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize("name", ["curvature", "a", "t", "tilt"])
def test_passes_refuse_bad_vectors(arguments, name, bad):
    with pytest.raises(InvalidInputError, match=r"the kernels need "):
        kernels.dual_ascent_pass(newton=3, **arguments | {name: BAD_VECTORS[bad](arguments[name])})


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize("name", ["curvature", "share", "momentum", "lag", "lag_image", "lead_image"])
def test_accelerated_pass_refuses_bad_vectors(arguments, name, bad):
    good = accelerated(arguments)
    with pytest.raises(InvalidInputError, match=rf"^{name} .*the kernels need "):
        kernels.accelerated_dual_ascent_pass(**good | {name: BAD_VECTORS[bad](good[name])})


@pytest.mark.parametrize("name", ["a", "t"])
def test_passes_refuse_read_only_results(arguments, name):
    arguments[name].flags.writeable = False
    with pytest.raises(InvalidInputError, match=f"^{name} is read-only"):
        kernels.dual_ascent_pass(newton=3, **arguments)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sets": {"kind": "cone"}}, r"sets of the kind 'cone'"),
        ({"sets": {"first": np.zeros(N - 1)}}, r"^first is float64 of shape"),
        ({"sets": {"inverse_slack": np.zeros(N + 1)}}, r"^inverse_slack is float64 of shape"),
        ({"mirror": {"kind": "cubic"}}, r"the map 'cubic'"),
        ({"mirror": {"kind": "entropy"}}, r"^log_prior is float64 of shape \(0,\)"),
    ],
)
def test_passes_refuse_unknown_kinds_and_sizes(arguments, changes, message):
    for name, fields in changes.items():
        arguments[name] = replace(arguments[name], **fields)
    with pytest.raises(InvalidInputError, match=message):
        kernels.dual_ascent_pass(newton=3, **arguments)
    with pytest.raises(InvalidInputError, match=message):
        kernels.accelerated_dual_ascent_pass(**accelerated(arguments))


def test_passes_refuse_orders_out_of_range_shares_of_zero_and_intervals_of_vectors(arguments):
    good = accelerated(arguments)
    with pytest.raises(InvalidInputError, match=r"^order spans"):
        kernels.dual_ascent_pass(newton=3, **arguments | {"order": np.array([N])})
    with pytest.raises(InvalidInputError, match=r"^share is 0.0"):
        kernels.accelerated_dual_ascent_pass(**good | {"share": np.zeros(N)})
    blocks = {"a": np.zeros((N, 2)), "t": np.zeros((D, 2))}
    with pytest.raises(InvalidInputError, match=r"^An interval holds one score"):
        kernels.dual_ascent_pass(newton=3, **arguments | blocks)
    ball = ConstraintArrays("ball", np.zeros((N, 2)), np.zeros(N), np.zeros(N))
    uneven = {"sets": ball, "a": blocks["a"], "t": np.zeros((6, 3))}
    with pytest.raises(InvalidInputError, match=r"^t has 3 outputs"):
        kernels.dual_ascent_pass(newton=3, **arguments | uneven)
