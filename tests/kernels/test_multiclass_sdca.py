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
    """Labels, constants, and a start with a ``t`` that belongs to ``u``."""
    size = case.A.shape[1]
    alpha = np.where(case.form.l2 > 0, 0.1 if proximal else 0.0, 0.3) * (rng.random(size) + 0.5)
    anchor = rng.normal(size=(size, k))
    scale = case.sample_weight * (case.A**2 / (case.form.l2 + alpha)).sum(axis=1)
    step = np.divide(N, scale, out=np.zeros(N), where=scale > 0)
    label = rng.integers(k, size=N)
    b = np.eye(k)[label]
    u = 0.5 * MulticlassHinge().dual_domain(b).project(rng.normal(size=(N, k)))
    v = case.A.T @ (case.sample_weight[:, None] * u) / N
    t = alpha[:, None] * anchor - v
    return {
        "label": label,
        "step": step,
        "alpha": alpha,
        "t": t,
        "u": u,
        "q": np.zeros((N, k)),
        "gap": np.zeros(N),
    }


def twin_pass(A, order, loss, b, sample_weight, form, start, listed=None) -> None:
    renamed = {("scores" if name == "q" else name): array for name, array in start.items() if name != "label"}
    twins.multiclass_sdca_pass(A, order, loss, b, sample_weight, form=form, listed=listed, **renamed)


def arguments_of(case: Case, loss, start: dict) -> dict:
    shared = {"sample_weight": case.sample_weight, "form": case.form}
    return {"rows": case.rows, "order": np.arange(N), "loss": loss.name} | shared | start


def assert_pass_is_twin(
    case: Case, rng, loss, k: int, tolerance: float, proximal: bool = True, listed: bool = False
) -> None:
    order = rng.integers(N, size=4 * N)
    start = start_of(case, rng, k, proximal)
    b = np.eye(k)[start["label"]]
    lists = random_lists(rng, start, b) if listed else kernels.EVERY_CLASS
    named = np.split(lists.classes, lists.indptr[1:-1]) if listed else None
    before, compiled, twin = start["t"] + 0, copies(start), copies(start)
    # Off the lists every weight must be zero before the pass.
    entries = kernels.multiclass_sdca_pass(
        **arguments_of(case, loss, compiled) | {"order": order, "lists": lists}
    )
    twin_pass(case.A, order, loss, b, case.sample_weight, case.form, twin, named)
    for name in ("t", "u", "q", "gap"):
        np.testing.assert_allclose(compiled[name], twin[name], rtol=tolerance, atol=tolerance, err_msg=name)
    assert not np.array_equal(compiled["u"], start["u"]) or k == 1
    moved = case.A.T @ (case.sample_weight[:, None] * (start["u"] - compiled["u"])) / N
    np.testing.assert_allclose(compiled["t"] - before, moved, rtol=tolerance, atol=tolerance)
    assert loss.dual_domain(b).contains(compiled["u"]).all()
    if not listed:
        visited = order[(case.sample_weight[order] > 0) & (start["step"][order] > 0)]
        assert entries == (sum(entries_of(case.rows, i) for i in visited) if k > 1 else 0)


def random_lists(rng: np.random.Generator, start: dict, b: np.ndarray) -> kernels.ClassLists:
    """Every class that has weight, and some others; the own class first, the others in any order."""
    lists = []
    for i, y in enumerate(start["label"]):
        kept = np.flatnonzero(((start["u"] + b)[i] > 0) | (rng.random(b.shape[1]) < 0.3))
        lists.append(np.concatenate([[y], rng.permutation(kept[kept != y])]))
    indptr = np.concatenate([[0], np.cumsum([len(part) for part in lists])]).astype(np.int64)
    return kernels.ClassLists(indptr, np.concatenate(lists).astype(np.int32))


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


@every_form
@every_storage
@pytest.mark.parametrize("proximal", [False, True])
def test_a_pass_over_listed_classes_is_its_twin(rng, form, storage, proximal):
    case = make_case(rng, Squared(), form, storage)
    assert_pass_is_twin(case, rng, MulticlassHinge(), 7, 1e-12, proximal, listed=True)


@every_loss
def test_lists_of_all_classes_change_nothing(rng, loss):
    """In any order; the steps are those of the pass without lists."""
    case, k = make_case(rng, Squared()), 5
    start = start_of(case, rng, k, True)
    every = np.concatenate([[y, *rng.permutation(np.delete(np.arange(k), y))] for y in start["label"]])
    lists = kernels.ClassLists(k * np.arange(N + 1), every.astype(np.int32))
    whole, listed = copies(start), copies(start)
    kernels.multiclass_sdca_pass(**arguments_of(case, loss, whole))
    kernels.multiclass_sdca_pass(**arguments_of(case, loss, listed) | {"lists": lists})
    for name in ("t", "u", "q", "gap"):
        np.testing.assert_allclose(listed[name], whole[name], rtol=1e-12, atol=1e-13, err_msg=name)


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
        one = {"t": w.copy(), "u": u.copy(), "q": np.zeros((n, k)), "gap": np.zeros(n)}
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
    b = np.eye(5)[start["label"]]

    def value() -> float:
        conjugate = curved.conjugate(start["t"])
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


@pytest.mark.parametrize("name", ["t", "u", "q"])
def test_bad_matrices_are_refused(arguments, name):
    for bad in (
        arguments[name].astype(np.float32),
        np.asfortranarray(arguments[name]),
        arguments[name][:-1].copy(),
        arguments[name].ravel(),
    ):
        with pytest.raises(InvalidInputError, match=rf"^{name} "):
            kernels.multiclass_sdca_pass(**arguments | {name: bad})


@pytest.mark.parametrize("name", ["t", "u", "q", "gap"])
def test_read_only_results_are_refused(arguments, name):
    arguments[name].flags.writeable = False
    with pytest.raises(InvalidInputError, match=f"^{name} is read-only"):
        kernels.multiclass_sdca_pass(**arguments)


@pytest.mark.parametrize("name", ["sample_weight", "step", "alpha", "gap"])
def test_bad_vectors_are_refused(arguments, name):
    with pytest.raises(InvalidInputError, match=rf"^{name} is .* need a C-contiguous float64 vector"):
        kernels.multiclass_sdca_pass(**arguments | {name: arguments[name][:-1]})


def test_what_is_out_of_range_or_unknown_is_refused(arguments):
    for changed, message in (
        ({"order": np.array([N])}, "^order spans"),
        ({"label": np.full(N, 3)}, "^label spans"),
        ({"label": np.zeros(N - 1, dtype=np.int64)}, f"^label has {N - 1} values for {N} rows"),
        ({"loss": "logistic"}, "^No kernel knows the loss 'logistic'"),
        (
            {"lists": kernels.ClassLists(np.zeros(3, dtype=np.int64), np.empty(0, np.int32))},
            "^indptr does not ascend",
        ),
        (
            {"lists": kernels.ClassLists(np.arange(N + 1), np.zeros(1, np.int32))},
            "^indptr does not divide 1 ",
        ),
        ({"lists": kernels.ClassLists(np.arange(N + 1), np.full(N, 3, np.int32))}, "^classes span"),
        ({"form": replace(arguments["form"], l1=np.zeros(D + 1))}, "^l1 is float64 of shape"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            kernels.multiclass_sdca_pass(**arguments | changed)
    arguments["form"].l2[4] = arguments["alpha"][4] = 0.0
    with pytest.raises(InvalidInputError, match=r"l2 \+ alpha is 0.0 at coordinate 4"):
        kernels.multiclass_sdca_pass(**arguments)


def test_the_kernel_knows_the_losses_of_several_classes():
    assert set(kernels.MULTICLASS_NAMES) == {loss.name for loss in LOSSES}
