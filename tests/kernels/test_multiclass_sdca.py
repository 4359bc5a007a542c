"""The compiled pass of prox-SDCA for several classes and its twin, given the same order, do the same."""

from dataclasses import replace

import numpy as np
import pytest

from cases import MULTICLASS_LOSSES
from cases_kernels import FORMS, TOLERANCE, Case, D, N, copies, entries_of, make_case
from fenchel._kernels import multiclass_sdca as kernels
from fenchel._kernels.views import DenseLines
from fenchel.errors import InvalidInputError
from fenchel.losses import MulticlassHinge, Squared
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.reference import multiclass_sdca as twins

LOSSES = [case.loss for case in MULTICLASS_LOSSES]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
every_form = pytest.mark.parametrize("form", FORMS)
every_storage = pytest.mark.parametrize("storage", ["dense", "sparse"])


def start_of(case: Case, rng: np.random.Generator, k: int, proximal: bool) -> dict[str, np.ndarray]:
    """Labels, constants, and a start with ``v`` and ``w`` that belong to ``u``."""
    size = case.A.shape[1]
    alpha = np.where(case.form.l2 > 0, 0.1 if proximal else 0.0, 0.3) * (rng.random(size) + 0.5)
    anchor = rng.normal(size=(size, k))
    scale = case.sample_weight * (case.A**2 / (case.form.l2 + alpha)).sum(axis=1)
    step = np.divide(N, scale, out=np.zeros(N), where=scale > 0)
    label = rng.integers(k, size=N)
    b = np.eye(k)[label]
    u = 0.5 * MulticlassHinge().dual_domain(b).project(rng.normal(size=(N, k)))
    v = case.A.T @ (case.sample_weight[:, None] * u) / N
    shifted = CoordinateForm(case.form.l1, case.form.l2 + alpha, case.form.lower, case.form.upper)
    w = np.ascontiguousarray(shifted.lmo(v - alpha[:, None] * anchor))
    return {"label": label, "step": step, "alpha": alpha, "anchor": anchor, "v": v, "w": w, "u": u}


def arguments_of(case: Case, loss, start: dict) -> dict:
    shared = {"sample_weight": case.sample_weight, "form": case.form}
    return {"rows": case.rows, "order": np.arange(N), "loss": loss.name} | shared | start


def assert_pass_is_twin(case: Case, rng, loss, k: int, tolerance: float, proximal: bool = True) -> None:
    order = rng.integers(N, size=4 * N)
    start = start_of(case, rng, k, proximal)
    compiled, twin = copies(start), copies(start)
    entries = kernels.multiclass_sdca_pass(**arguments_of(case, loss, compiled) | {"order": order})
    b = np.eye(k)[twin.pop("label")]
    twins.multiclass_sdca_pass(case.A, order, loss, b, case.sample_weight, form=case.form, **twin)
    for name in ("v", "w", "u"):
        np.testing.assert_allclose(compiled[name], twin[name], rtol=tolerance, atol=tolerance, err_msg=name)
    assert not np.array_equal(compiled["u"], start["u"]) or k == 1
    v = case.A.T @ (case.sample_weight[:, None] * compiled["u"]) / N
    np.testing.assert_allclose(compiled["v"], v, rtol=tolerance, atol=tolerance)
    assert loss.dual_domain(b).contains(compiled["u"]).all()
    visited = order[(case.sample_weight[order] > 0) & (start["step"][order] > 0)]
    assert entries == sum(entries_of(case.rows, i) for i in visited)


@every_loss
@every_form
@every_storage
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("proximal", [False, True])
def test_pass_is_its_twin(rng, loss, form, storage, intercept, proximal):
    case = make_case(rng, Squared(), form, storage, intercept=intercept)
    assert_pass_is_twin(case, rng, loss, 4, 1e-12, proximal)


@every_loss
@every_storage
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("k", [1, 2, 3, 10, 37])
def test_pass_in_both_precisions_for_few_and_many_classes(rng, loss, storage, dtype, k):
    case = make_case(rng, Squared(), "elastic_net", storage, dtype, weights=k != 3)
    assert_pass_is_twin(case, rng, loss, k, TOLERANCE[dtype])


@every_loss
@pytest.mark.parametrize("scale", [1e-7, 1e-4, 1e4, 1e7])
def test_short_and_long_rows_have_huge_and_tiny_steps(rng, loss, scale):
    """The step is n / |a|^2: the root of the entropic map is found over the range of it."""
    case = make_case(rng, Squared(), "ridge")
    scaled = replace(case, A=scale * case.A, rows=replace(case.rows, data=scale * case.rows.data))
    assert_pass_is_twin(scaled, rng, loss, 5, 1e-12 * max(1.0, scale**2), proximal=False)


@every_loss
def test_classes_that_stand_on_the_threshold_end_the_projection(rng, loss):
    """Scores and dual values on a grid of thirds and tenths: ties that rounding breaks either way."""
    n, k = 3000, 4
    form, grid = CoordinateForm.broadcast(1, l2=1.0), np.array([0.0, 0.1, 0.2, 0.3, 1 / 3, 0.6, 2 / 3, 1.0])
    label = rng.integers(k, size=n)
    b = np.eye(k)[label]
    u = MulticlassHinge().dual_domain(b).project(rng.choice(grid, size=(n, k)) - b)
    for scale in (1 / 3, 1.0, 3.0):
        w, step = scale * rng.choice(grid, size=(1, k)), np.ones(n)
        shared = {"sample_weight": np.ones(n), "step": step, "form": form, "alpha": np.zeros(1)}
        one = {"anchor": np.zeros((1, k)), "v": -w, "w": w.copy(), "u": u.copy()}
        rows = DenseLines(np.ones((n, 1)), n, 1)
        order = np.arange(n)
        kernels.multiclass_sdca_pass(rows, order, loss.name, label, **shared, **one)
        assert loss.dual_domain(b).contains(one["u"]).all()
        expected = loss.prox_conjugate(u[:1] + w, b[:1], 1.0)
        np.testing.assert_allclose(one["u"][:1], expected, atol=1e-14)


@every_loss
@every_form
def test_the_dual_value_never_falls(rng, loss, form):
    case = make_case(rng, Squared(), form)
    start = start_of(case, rng, 5, True)
    curved = CoordinateForm(case.form.l1, case.form.l2 + start["alpha"], case.form.lower, case.form.upper)
    pull = start["alpha"][:, None] * start["anchor"]
    b = np.eye(5)[start["label"]]

    def value() -> float:
        conjugate = curved.conjugate(pull - start["v"])
        return -float(np.mean(case.sample_weight * loss.conjugate(start["u"], b))) - conjugate

    last = value()
    for i in np.tile(rng.permutation(N), 3):
        kernels.multiclass_sdca_pass(**arguments_of(case, loss, start) | {"order": np.array([i])})
        assert value() >= last - 1e-13 * (1 + abs(last))
        last = value()


@every_loss
def test_an_empty_order_changes_nothing(rng, loss):
    case = make_case(rng, Squared())
    start = start_of(case, rng, 3, True)
    before = copies(start)
    empty = {"order": np.empty(0, dtype=np.int64)}
    assert kernels.multiclass_sdca_pass(**arguments_of(case, loss, start) | empty) == 0
    for name, array in before.items():
        np.testing.assert_array_equal(start[name], array)


@pytest.fixture
def arguments(rng):
    case = make_case(rng, Squared())
    return arguments_of(case, MulticlassHinge(), start_of(case, rng, 3, True))


@pytest.mark.parametrize("name", ["anchor", "v", "w", "u"])
def test_bad_matrices_are_refused(arguments, name):
    for bad in (
        arguments[name].astype(np.float32),
        np.asfortranarray(arguments[name]),
        arguments[name][:-1].copy(),
        arguments[name].ravel(),
    ):
        with pytest.raises(InvalidInputError, match=rf"^{name} "):
            kernels.multiclass_sdca_pass(**arguments | {name: bad})


@pytest.mark.parametrize("name", ["v", "w", "u"])
def test_read_only_results_are_refused(arguments, name):
    arguments[name].flags.writeable = False
    with pytest.raises(InvalidInputError, match=f"^{name} is read-only"):
        kernels.multiclass_sdca_pass(**arguments)


@pytest.mark.parametrize("name", ["sample_weight", "step", "alpha"])
def test_bad_vectors_are_refused(arguments, name):
    with pytest.raises(InvalidInputError, match=rf"^{name} is .* need a C-contiguous float64 vector"):
        kernels.multiclass_sdca_pass(**arguments | {name: arguments[name][:-1]})


def test_what_is_out_of_range_or_unknown_is_refused(arguments):
    for changed, message in (
        ({"order": np.array([N])}, "^order spans"),
        ({"label": np.full(N, 3)}, "^label spans"),
        ({"label": np.zeros(N - 1, dtype=np.int64)}, f"^label has {N - 1} values for {N} rows"),
        ({"loss": "logistic"}, "^No kernel knows the loss 'logistic'"),
        ({"form": replace(arguments["form"], l1=np.zeros(D + 1))}, "^l1 is float64 of shape"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            kernels.multiclass_sdca_pass(**arguments | changed)
    arguments["form"].l2[4] = arguments["alpha"][4] = 0.0
    with pytest.raises(InvalidInputError, match=r"l2 \+ alpha is 0.0 at coordinate 4"):
        kernels.multiclass_sdca_pass(**arguments)


def test_the_kernel_knows_the_losses_of_several_classes():
    assert set(kernels.MULTICLASS_NAMES) == {loss.name for loss in LOSSES}
