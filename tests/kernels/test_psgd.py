"""The compiled pass of proximal stochastic gradient descent against its twin."""

import numpy as np
import pytest

import cases
from cases_kernels import BAD_VECTORS, FORMS, TOLERANCE, Case, N, copies, entries_of, make_case
from fenchel._kernels.psgd import psgd_pass
from fenchel.errors import InvalidInputError
from fenchel.losses.registry import LOSSES
from fenchel.reference.psgd import psgd_pass as twin_pass
from fenchel.solvers.stochastic.averages import lazy_average

COMPILED = [case.loss for case in cases.LOSSES if case.loss.compiled]
FIRST = 17

every_loss = pytest.mark.parametrize("loss", COMPILED, ids=repr)
every_form = pytest.mark.parametrize("form", FORMS)
every_storage = pytest.mark.parametrize("storage", ["dense", "sparse"])


def pattern(case: Case, storage: str) -> np.ndarray:
    """The stored entries: all of them, or the non-zeros and the ones of an intercept."""
    return np.ones(case.A.shape, dtype=bool) if storage == "dense" else case.A != 0


def start(case: Case, storage: str, rng: np.random.Generator, steps: int) -> dict[str, np.ndarray]:
    """Any point in the bounds, empty sums, and as many steps as asked for."""
    d, clock = case.A.shape[1], FIRST * (FIRST + 1) / 2
    return {
        "metric": 0.5 + rng.random(d),
        "share": N / np.maximum(pattern(case, storage).sum(axis=0), 1),
        "step": 0.01 + 0.1 * rng.random(steps),
        "w": np.clip(rng.normal(size=d), case.form.lower, case.form.upper),
        "w_total": np.zeros(d),
        "w_since": np.full(d, clock),
        "u_total": np.zeros(N),
        "u_weight": np.zeros(N),
    }


def shared(case: Case) -> dict[str, object]:
    return {"b": case.b, "sample_weight": case.sample_weight, "form": case.form, "first": FIRST}


def assert_twin(case: Case, storage: str, rng, tolerance: float, steps: int = 3 * N) -> None:
    order = rng.integers(N, size=steps)
    begin = start(case, storage, rng, steps)
    compiled, twin = copies(begin), copies(begin)
    entries = psgd_pass(case.rows, order, case.kernel_loss, **shared(case), **compiled)
    del twin["w_since"]
    twin_pass(case.A, pattern(case, storage), order, case.loss, **shared(case), **twin)
    assert entries == sum(entries_of(case.rows, i) for i in order)
    for name in ("w", "u_total", "u_weight"):
        np.testing.assert_allclose(compiled[name], twin[name], rtol=tolerance, atol=tolerance, err_msg=name)
    # The lazy sums are those of every point, less the weight before the first.
    clock, last = FIRST * (FIRST + 1) / 2, FIRST + steps
    weight = last * (last + 1) / 2
    average = lazy_average(compiled["w"], compiled["w_total"], compiled["w_since"], weight)
    stored = twin["w_total"] / weight
    np.testing.assert_allclose(average, stored, rtol=tolerance, atol=tolerance)
    assert weight - clock == pytest.approx(compiled["u_weight"].sum())


@every_loss
@every_form
@every_storage
def test_a_pass_is_its_twin(rng, loss, form, storage):
    assert_twin(make_case(rng, loss, form, storage), storage, rng, 1e-12)


@every_storage
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_both_precisions_with_and_without_weights(rng, storage, dtype, weights, intercept):
    case = make_case(rng, LOSSES["logistic"](), "elastic_net", storage, dtype, intercept, weights)
    assert_twin(case, storage, rng, TOLERANCE[dtype])


@every_storage
@pytest.mark.parametrize("form", ["none", "ridge"])
def test_the_step_has_no_bias(rng, storage, form):
    """Over all rows the moves average to the step times minus the gradient of P, to first order."""
    case = make_case(rng, LOSSES["logistic"](), form, storage)
    tiny = 1e-7
    begin = start(case, storage, rng, 1) | {"step": np.array([tiny]), "metric": np.ones(case.A.shape[1])}
    moves = []
    for i in range(N):
        after = copies(begin)
        psgd_pass(case.rows, np.array([i]), case.kernel_loss, **shared(case), **after)
        moves.append((after["w"] - begin["w"]) / tiny)
    u = case.loss.gradient(case.A @ begin["w"], case.b)
    touched = pattern(case, storage).any(axis=0)
    gradient = case.A.T @ (case.sample_weight * u) / N + case.form.l2 * begin["w"] * touched
    np.testing.assert_allclose(np.mean(moves, axis=0), -gradient, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize(
    "name", ["b", "sample_weight", "metric", "share", "step", "w", "w_total", "u_weight"]
)
def test_bad_vectors_are_refused(rng, name, bad):
    case = make_case(rng, LOSSES["logistic"]())
    arguments = shared(case) | start(case, "dense", rng, N)
    arguments[name] = BAD_VECTORS[bad](arguments[name])
    with pytest.raises(InvalidInputError, match=rf"^{name} is .*C-contiguous float64 vector"):
        psgd_pass(case.rows, np.arange(N), case.kernel_loss, **arguments)


def test_an_order_out_of_range_is_refused(rng):
    case = make_case(rng, LOSSES["logistic"]())
    with pytest.raises(InvalidInputError, match=r"^order spans"):
        psgd_pass(case.rows, np.array([-1]), case.kernel_loss, **shared(case), **start(case, "dense", rng, 1))
