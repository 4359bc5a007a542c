"""Rounds by the matrix of the rows, and their twin, do the same; and what passes over the rows do."""

import numpy as np
import pytest

import cases
from cases_kernels import BAD_VECTORS, Case, N, copies, make_case
from fenchel._kernels import coordinate as passes
from fenchel._kernels import gram_sdca as kernels
from fenchel.errors import InvalidInputError
from fenchel.losses import Hinge, Logistic
from fenchel.reference import gram_sdca as twins

COMPILED = [case.loss for case in cases.LOSSES if case.loss.compiled]
L2 = 0.1


def start(case: Case, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The matrix, the steps, and a dual point with the scores of its best response."""
    matrix = case.A @ case.A.T
    curvature = case.sample_weight * np.diag(matrix)
    step = np.divide(N * L2, curvature, out=np.zeros(N), where=curvature > 0)
    u = case.loss.dual_domain(case.b).project(0.1 * rng.normal(size=N))
    return {"matrix": matrix, "step": step, "u": u, "z": -matrix @ (case.sample_weight * u) / (N * L2)}


def arguments(case: Case, begun: dict[str, np.ndarray], **limits: object) -> dict[str, object]:
    return {"b": case.b, "sample_weight": case.sample_weight, "l2": L2, **begun, **limits}


@pytest.mark.parametrize("loss", COMPILED, ids=repr)
@pytest.mark.parametrize(
    ("rounds", "limits"),
    [
        (4, (0, 10**9, 0.0, 1.0)),
        (1, (1, 10**9, 0.0, 1.0)),  # In later passes rounding tells whether a row moves.
        (1, (1, 10 * N, 0.0, 1.0)),
        (4, (0, 10**9, 1e-2, 1.0)),
        (4, (0, 10**9, 1.0, 0.3)),
    ],
)
def test_rounds_are_their_twin(rng, loss, rounds, limits):
    case, names = make_case(rng, loss), ("repeats", "most", "precision", "share")
    chosen = dict(zip(names, limits, strict=True))
    chosen["draws"] = rng.integers(2**32, size=rounds * N, dtype=np.uint32)
    begun = start(case, rng)
    compiled, twin = copies(begun), copies(begun)
    report = kernels.gram_sdca(loss=case.kernel_loss, **arguments(case, compiled, **chosen))
    matrix = twin.pop("matrix")
    expected = twins.gram_sdca(matrix, loss=case.loss, **arguments(case, twin, **chosen))
    assert report == expected
    for name in ("u", "z"):
        np.testing.assert_allclose(compiled[name], twin[name], rtol=1e-10, atol=1e-10, err_msg=name)
    scores = -begun["matrix"] @ (case.sample_weight * compiled["u"]) / (N * L2)
    np.testing.assert_allclose(compiled["z"], scores, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("loss", [Hinge(), Logistic()], ids=repr)
def test_a_round_is_that_of_the_rows(rng, loss):
    case, draws = make_case(rng, loss), rng.integers(2**32, size=N, dtype=np.uint32)
    begun = start(case, rng)
    w, u = -case.A.T @ (case.sample_weight * begun["u"]) / (N * L2), begun["u"].copy()
    limits = {"repeats": 1, "most": 10**9, "draws": draws}
    kernels.gram_sdca(loss=case.kernel_loss, **arguments(case, begun, precision=0.0, share=1.0, **limits))
    order = np.arange(N)
    for t, draw in enumerate(draws):
        k = int(draw) * (t + 1) >> 32
        order[t], order[k] = order[k], t
    passes.ridge_sdca_round(
        case.rows, order, case.kernel_loss, b=case.b, sample_weight=case.sample_weight, step=begun["step"],
        l2=L2, w=w, u=u, total=np.zeros_like(w), **limits,
    )  # fmt: skip
    np.testing.assert_allclose(begun["u"], u, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(begun["z"], case.A @ w, rtol=1e-10, atol=1e-10)


def test_the_gap_is_that_of_the_certificate(rng):
    case = make_case(rng, Logistic(), weights=True)
    begun = start(case, rng)
    s, u, z = case.sample_weight, begun["u"], begun["z"]
    w = -case.A.T @ (s * u) / (N * L2)
    primal = np.mean(s * case.loss.value(z, case.b)) + 0.5 * L2 * w @ w
    dual = -np.mean(s * case.loss.conjugate(u, case.b)) - 0.5 * L2 * w @ w
    gap = twins.gram_gap(case.loss, case.b, s, u, z)
    assert gap == pytest.approx((primal - dual) / max(abs(primal), abs(dual)), rel=1e-12)


def refused(case: Case, rng: np.random.Generator, name: str, bad: object) -> None:
    limits = {"repeats": 0, "most": 1, "precision": 0.0, "share": 1.0, "draws": np.zeros(N, dtype=np.uint32)}
    given = arguments(case, start(case, rng), **limits) | {name: bad}
    with pytest.raises(InvalidInputError, match=name):
        kernels.gram_sdca(loss=case.kernel_loss, **given)


@pytest.mark.parametrize("name", ["sample_weight", "step", "z", "u"])
@pytest.mark.parametrize("spoil", BAD_VECTORS.values(), ids=BAD_VECTORS)
def test_bad_vectors_are_refused(rng, name, spoil):
    case = make_case(rng, Hinge())
    refused(case, rng, name, spoil(arguments(case, start(case, rng))[name]))


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("matrix", np.ones((N, N - 1))),
        ("matrix", np.ones((N, N), dtype=np.float32)),
        ("l2", 0.0),
        ("draws", np.ones(N)),
    ],
)
def test_what_else_is_refused(rng, name, bad):
    refused(make_case(rng, Hinge()), rng, name, bad)
