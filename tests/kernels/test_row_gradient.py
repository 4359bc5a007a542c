"""The compiled passes of SVRG and SAGA against their twins."""

from dataclasses import replace

import numpy as np
import pytest

import cases
from cases_kernels import BAD_VECTORS, FORMS, TOLERANCE, Case, D, N, entries_of, make_case
from fenchel._kernels import row_gradient as kernels
from fenchel.errors import InvalidInputError
from fenchel.losses.registry import LOSSES
from fenchel.reference import row_gradient as twins

SMOOTH = [case.loss for case in cases.LOSSES if case.loss.compiled and case.loss.smooth]

every_loss = pytest.mark.parametrize("loss", SMOOTH, ids=repr)
every_form = pytest.mark.parametrize("form", FORMS)
every_storage = pytest.mark.parametrize("storage", ["dense", "sparse"])
every_dtype = pytest.mark.parametrize("dtype", [np.float64, np.float32])
WEIGHT = {"svrg_pass": "factor", "saga_pass": "sample_weight"}
every_kernel = pytest.mark.parametrize("name", WEIGHT)


def start(name: str, case: Case, rng: np.random.Generator) -> dict[str, object]:
    """Any point in the bounds, any derivatives with their correlation, and steps of their own."""
    d = case.A.shape[1]
    u = np.array(case.loss.dual_domain(case.b).project(rng.normal(size=N)))
    return {
        "b": case.b,
        WEIGHT[name]: case.sample_weight,
        "form": case.form,
        "step": 0.02 + 0.1 * rng.random(d),
        "u": u,
        "v": case.A.T @ (case.sample_weight * u) / N,
        "w": np.clip(rng.normal(size=d), case.form.lower, case.form.upper),
    }


def duplicate(begin: dict[str, object]) -> dict[str, object]:
    return {key: value.copy() if isinstance(value, np.ndarray) else value for key, value in begin.items()}


def assert_twin(name: str, case: Case, rng, tolerance: float, steps: int = 3 * N) -> None:
    order = rng.integers(N, size=steps)
    begin = start(name, case, rng)
    compiled, twin = duplicate(begin), duplicate(begin)
    entries = getattr(kernels, name)(case.rows, order, case.kernel_loss, **compiled)
    getattr(twins, name)(case.A, order, case.loss, **twin)
    for key in ("u", "v", "w"):
        np.testing.assert_allclose(compiled[key], twin[key], rtol=tolerance, atol=tolerance, err_msg=key)
    visited = order[case.sample_weight[order] > 0]
    assert entries == sum(entries_of(case.rows, i) for i in visited)


@every_kernel
@every_loss
@every_form
@every_storage
def test_a_pass_is_its_twin(rng, name, loss, form, storage):
    assert_twin(name, make_case(rng, loss, form, storage), rng, 1e-12)


@every_kernel
@every_storage
@every_dtype
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_both_precisions_with_and_without_weights(rng, name, storage, dtype, weights, intercept):
    case = make_case(rng, LOSSES["logistic"](), "elastic_net", storage, dtype, intercept, weights)
    assert_twin(name, case, rng, TOLERANCE[dtype])


@every_kernel
@pytest.mark.parametrize("l1", [0.0, 0.03, 0.5])
@pytest.mark.parametrize("l2", [0.0, 1e-8, 0.01, 2.0])
@pytest.mark.parametrize("bounded", [False, True])
def test_many_steps_at_once_are_the_steps_one_by_one(rng, name, l1, l2, bounded):
    """Columns that no visited row touches run alone for a whole pass, through zero and into bounds."""
    case = make_case(rng, LOSSES["squared"](), "ridge", "sparse")
    lower, upper = (np.full(D, end) for end in ((-0.4, 0.7) if bounded else (-np.inf, np.inf)))
    form = replace(case.form, l1=np.full(D, l1), l2=np.full(D, l2), lower=lower, upper=upper)
    case = replace(case, form=form)
    for _ in range(20):
        begin = start(name, case, rng) | {"v": 0.2 * rng.normal(size=D)}
        order = np.full(int(rng.integers(1, 200)), 5)  # the row of zeros
        compiled, twin = duplicate(begin), duplicate(begin)
        getattr(kernels, name)(case.rows, order, case.kernel_loss, **compiled)
        getattr(twins, name)(case.A, order, case.loss, **twin)
        np.testing.assert_allclose(compiled["w"], twin["w"], rtol=1e-11, atol=1e-12)


@every_kernel
@every_storage
def test_the_gradient_has_no_bias(rng, name, storage):
    """Over all rows, with their probabilities, the steps without regularizer average to the gradient's."""
    case = make_case(rng, LOSSES["logistic"](), "none", storage)
    begin = start(name, case, rng)
    probability = case.sample_weight + 0.3 if name == "svrg_pass" else np.ones(N)
    probability /= probability.sum()
    weight = case.sample_weight / (N * probability)
    moves = np.zeros((N, D))
    for i in range(N):
        after = duplicate(begin) | {WEIGHT[name]: weight}
        getattr(kernels, name)(case.rows, np.array([i]), case.kernel_loss, **after)
        moves[i] = after["w"] - begin["w"]
    z = case.A @ begin["w"]
    gradient = case.A.T @ (case.sample_weight * case.loss.gradient(z, case.b)) / N
    np.testing.assert_allclose(probability @ moves, -begin["step"] * gradient, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize("vector", ["b", "weight", "step", "u", "v", "w"])
@every_kernel
def test_bad_vectors_are_refused(rng, name, vector, bad):
    case = make_case(rng, LOSSES["logistic"]())
    arguments = start(name, case, rng)
    key = WEIGHT[name] if vector == "weight" else vector
    arguments[key] = BAD_VECTORS[bad](arguments[key])
    with pytest.raises(InvalidInputError, match=rf"^{key} is .*C-contiguous float64 vector"):
        getattr(kernels, name)(case.rows, np.arange(N), case.kernel_loss, **arguments)


@every_kernel
def test_an_order_out_of_range_is_refused(rng, name):
    case = make_case(rng, LOSSES["logistic"]())
    with pytest.raises(InvalidInputError, match=r"^order spans"):
        getattr(kernels, name)(case.rows, np.array([N]), case.kernel_loss, **start(name, case, rng))


@every_kernel
def test_a_read_only_point_is_refused(rng, name):
    case = make_case(rng, LOSSES["logistic"]())
    arguments = start(name, case, rng)
    arguments["w"].flags.writeable = False
    with pytest.raises(InvalidInputError, match=r"^w is read-only"):
        getattr(kernels, name)(case.rows, np.arange(N), case.kernel_loss, **arguments)
