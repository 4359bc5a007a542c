"""The compiled passes of generalised stochastic Frank-Wolfe against their twin, and its dual form."""

import numpy as np
import pytest

import cases
from cases_kernels import BAD_VECTORS, TOLERANCE, Case, N, copies, entries_of, make_case
from fenchel._kernels.gsfw import SubstituteArrays, gsfw_ray_pass, gsfw_vertex_pass
from fenchel.errors import InvalidInputError
from fenchel.losses import Logistic
from fenchel.losses.registry import LOSSES
from fenchel.reference import gsfw as twins
from fenchel.regularizers import L1Ball
from fenchel.solvers.stochastic.averages import lazy_average

SMOOTH = [case.loss for case in cases.LOSSES if case.loss.compiled and case.loss.smooth]
SETS = {
    "l1_ball": (gsfw_vertex_pass, twins.gsfw_vertex_pass, {"radius": 2.0, "penalty": 0.0, "signed": True}),
    "l1 penalty": (gsfw_vertex_pass, twins.gsfw_vertex_pass, {"radius": 5.0, "penalty": 0.1, "signed": True}),
    "idle": (gsfw_vertex_pass, twins.gsfw_vertex_pass, {"radius": 5.0, "penalty": 1e3, "signed": True}),
    "simplex": (gsfw_vertex_pass, twins.gsfw_vertex_pass, {"radius": 1.5, "penalty": 0.0, "signed": False}),
    "l2_ball": (gsfw_ray_pass, twins.gsfw_ray_pass, {"radius": 2.0, "l2": 0.0}),
    "ridge": (gsfw_ray_pass, twins.gsfw_ray_pass, {"radius": np.inf, "l2": 0.3}),
    "ridge in a ball": (gsfw_ray_pass, twins.gsfw_ray_pass, {"radius": 0.4, "l2": 0.3}),
}
CLOCK = 17.0

every_set = pytest.mark.parametrize("name", SETS)
every_storage = pytest.mark.parametrize("storage", ["dense", "sparse"])


def drawn(rng: np.random.Generator, size: int, count: int) -> np.ndarray:
    return np.stack([rng.permutation(N)[:size] for _ in range(count)])


def start(case: Case, rng: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    """Any predictions with what follows from them, empty sums, and as many steps as asked for."""
    prediction = rng.normal(size=N)
    u = case.loss.gradient(prediction, case.b)
    return {
        "step": 0.05 + 0.9 * rng.random(count),
        "weight": 0.5 + rng.random(count),
        "prediction": prediction,
        "u": u,
        "v": case.A.T @ (case.sample_weight * u) / N,
        "numerator": np.zeros(case.A.shape[1]),
        "u_total": np.zeros(N),
    }


def mean_conjugate(case: Case, u: np.ndarray) -> float:
    return float(np.mean(case.sample_weight * case.loss.conjugate(u, case.b)))


def compiled_arrays(case: Case, batches: np.ndarray, begin: dict) -> SubstituteArrays:
    return SubstituteArrays(
        batches=batches,
        b=case.b,
        sample_weight=case.sample_weight,
        clock=CLOCK,
        mean_conjugate=mean_conjugate(case, begin["u"]),
        u_since=np.full(N, CLOCK),
        dual=np.empty(len(batches)),
        **begin,
    )


def assert_twin(case: Case, name: str, rng: np.random.Generator, size: int, tolerance: float) -> None:
    compiled, twin, parameters = SETS[name]
    batches, begin = drawn(rng, size, 40), start(case, rng, 40)
    arrays, other = compiled_arrays(case, batches, copies(begin)), copies(begin)
    entries = compiled(case.rows, case.kernel_loss, arrays, **parameters)
    dual = twin(case.A, batches, case.loss, b=case.b, sample_weight=case.sample_weight, **parameters, **other)
    assert entries == sum(entries_of(case.rows, i) for i in batches.ravel())
    np.testing.assert_allclose(arrays.dual, dual, rtol=tolerance, atol=tolerance)
    for key in ("prediction", "u", "v", "numerator"):
        np.testing.assert_allclose(
            getattr(arrays, key), other[key], rtol=tolerance, atol=tolerance, err_msg=key
        )
    # The lazy sums are those of every iteration.
    total = CLOCK + float(begin["weight"].sum())
    lazy = lazy_average(arrays.u, arrays.u_total, arrays.u_since, total) * total
    np.testing.assert_allclose(lazy, other["u_total"], rtol=tolerance, atol=10 * tolerance)


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@every_set
@every_storage
def test_a_lazy_pass_is_its_dense_twin(rng, loss, name, storage):
    assert_twin(make_case(rng, loss, "none", storage), name, rng, 3, 1e-12)


@every_storage
@every_set
@pytest.mark.parametrize("size", [1, N])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weights", [False, True])
def test_all_batches_and_both_precisions(rng, storage, name, size, dtype, weights):
    case = make_case(rng, LOSSES["logistic"](), "none", storage, dtype, weights=weights)
    assert_twin(case, name, rng, size, TOLERANCE[dtype])


@every_set
def test_invariants(rng, name):
    """v = A'(s u)/n, u = phi'(prediction), and the dual values are D."""
    case = make_case(rng, LOSSES["smoothed_hinge"](), "none", "sparse")
    begin = start(case, rng, 30)
    arrays = compiled_arrays(case, drawn(rng, 2, 30), begin)
    compiled, _, parameters = SETS[name]
    compiled(case.rows, case.kernel_loss, arrays, **parameters)
    np.testing.assert_allclose(arrays.v, case.A.T @ (case.sample_weight * arrays.u) / N, atol=1e-14)
    np.testing.assert_array_equal(arrays.u, case.loss.gradient(arrays.prediction, case.b))


def test_it_is_mirror_descent_on_the_dual(rng):
    """500 steps: the mirror step, found by bisection from u alone, gives the same u."""
    A, b = rng.normal(size=(20, 6)), rng.choice([-1.0, 1.0], size=20)
    weight = rng.random(20) + 0.1
    weight /= weight.mean()
    loss, g, batches = Logistic(), L1Ball(2.0), rng.integers(20, size=(500, 1))
    step = 40.0 / (41.0 + np.arange(500))
    one = loss.gradient(np.zeros(20), b)
    other = one.copy()
    twins.mirror_descent_pass(A, batches, loss, b, weight, g, step, other)
    twins.gsfw_pass(
        A, batches, loss, b, weight, g, step, np.ones(500), np.zeros(20), one, A.T @ (weight * one) / 20,
        np.zeros(6), np.zeros(20),
    )  # fmt: skip
    assert np.abs(one - loss.gradient(np.zeros(20), b)).max() > 0.1
    assert np.abs(one - other).max() <= 1e-14


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize("name", ["step", "weight", "prediction", "u", "v", "numerator", "u_total"])
def test_bad_vectors_are_refused(rng, name, bad):
    case = make_case(rng, LOSSES["logistic"]())
    begin = start(case, rng, 5)
    begin[name] = BAD_VECTORS[bad](begin[name])
    begin["u"] = np.asarray(begin["u"], dtype=float) if name != "u" else begin["u"]
    arrays = SubstituteArrays(
        batches=drawn(rng, 2, 5), b=case.b, sample_weight=case.sample_weight, clock=0.0, mean_conjugate=0.0,
        u_since=np.zeros(N), dual=np.empty(5), **begin,
    )  # fmt: skip
    with pytest.raises(InvalidInputError, match=rf"^{name} is .*C-contiguous float64 vector"):
        gsfw_vertex_pass(case.rows, case.kernel_loss, arrays, 1.0, 0.0, signed=True)


def test_batches_out_of_range_or_shape_are_refused(rng):
    case = make_case(rng, LOSSES["logistic"]())
    outside = compiled_arrays(case, np.array([[0, N]]), start(case, rng, 1))
    flat = compiled_arrays(case, np.array([0]), start(case, rng, 1))
    with pytest.raises(InvalidInputError, match=r"^batches spans"):
        gsfw_ray_pass(case.rows, case.kernel_loss, outside, 1.0, 0.0)
    with pytest.raises(InvalidInputError, match=r"^batches has 1 dimensions"):
        gsfw_ray_pass(case.rows, case.kernel_loss, flat, 1.0, 0.0)
