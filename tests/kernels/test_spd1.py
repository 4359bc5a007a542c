"""The compiled steps of SPD1 against their twin."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

import cases
from cases_kernels import BAD_VECTORS, FORMS, TOLERANCE, Case, D, N, copies, make_case
from fenchel._kernels.spd1 import spd1_steps
from fenchel._kernels.views import DenseLines, Lines, SparseLines
from fenchel.errors import InvalidInputError
from fenchel.losses.registry import LOSSES
from fenchel.reference.spd1 import spd1_steps as twin_steps
from fenchel.solvers.stochastic.averages import lazy_average

COMPILED = [case.loss for case in cases.LOSSES if case.loss.compiled]
FIRST = 5

every_loss = pytest.mark.parametrize("loss", COMPILED, ids=repr)
every_form = pytest.mark.parametrize("form", FORMS)
every_storage = pytest.mark.parametrize("storage", ["dense", "sparse"])


def positions(rows: Lines) -> tuple[np.ndarray, np.ndarray]:
    """The row and the column of every entry, in the order of the kernel's numbers."""
    if isinstance(rows, DenseLines):
        return np.divmod(np.arange(rows.n_lines * rows.length), rows.length)
    lengths = [stop - begin for begin, stop in pairwise(rows.indptr)]
    i, j = np.repeat(np.arange(rows.n_lines), lengths), rows.indices.astype(np.int64)
    if rows.ones:
        i = np.append(i, np.arange(rows.n_lines))
        j = np.append(j, np.full(rows.n_lines, rows.length - 1))
    return i, j


def start(case: Case, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Any point, empty sums, shares by the stored entries, and steps of every kind."""
    d = case.A.shape[1]
    i, j = positions(case.rows)
    return {
        "column_share": N / np.maximum(np.bincount(j, minlength=d), 1),
        "row_share": 1.0 / np.maximum(np.bincount(i, minlength=N), 1),
        "primal": 1.0 + rng.random((d, 3)) * [5.0, 0.1, 1.0],
        "dual": 1.0 + rng.random((N, 3)) * [5.0, 0.1, 1.0],
        "w": np.clip(rng.normal(size=d), case.form.lower, case.form.upper),
        "u": np.array(case.loss.dual_domain(case.b).project(rng.normal(size=N))),
        "w_total": np.zeros(d),
        "w_since": np.full(d, float(FIRST)),
        "u_total": np.zeros(N),
        "u_since": np.full(N, float(FIRST)),
    }


def shared(case: Case) -> dict[str, object]:
    return {"b": case.b, "sample_weight": case.sample_weight, "form": case.form, "first": FIRST}


def assert_twin(case: Case, rng, tolerance: float, steps: int = 400) -> None:
    i, j = positions(case.rows)
    order = rng.integers(i.size, size=steps)
    begin = start(case, rng)
    compiled, twin = copies(begin), copies(begin)
    spd1_steps(case.rows, order, case.kernel_loss, **shared(case), **compiled)
    del twin["w_since"], twin["u_since"]
    twin_steps(case.A, i[order], j[order], case.loss, **shared(case), **twin)
    for name in ("w", "u"):
        np.testing.assert_allclose(compiled[name], twin[name], rtol=tolerance, atol=tolerance, err_msg=name)
        # The lazy average is the average of all points.
        last = FIRST + steps
        lazy = lazy_average(compiled[name], compiled[f"{name}_total"], compiled[f"{name}_since"], last)
        np.testing.assert_allclose(lazy, twin[f"{name}_total"] / last, rtol=tolerance, atol=tolerance)


@every_loss
@every_form
@every_storage
def test_the_steps_are_their_twin(rng, loss, form, storage):
    assert_twin(make_case(rng, loss, form, storage), rng, 1e-12)


@every_storage
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_both_precisions_with_and_without_weights(rng, storage, dtype, weights, intercept):
    case = make_case(rng, LOSSES["smoothed_hinge"](), "elastic_net", storage, dtype, intercept, weights)
    assert_twin(case, rng, TOLERANCE[dtype])


@every_loss
@pytest.mark.parametrize("intercept", [False, True])
def test_stored_entries_of_a_full_matrix_are_the_dense_algorithm(rng, loss, intercept):
    """Sparse storage of a matrix without zeros, the same entries: the same points."""
    dense = make_case(rng, loss, intercept=intercept)
    A = dense.rows.data
    A[A == 0] = 0.3
    full = sp.csr_array(A)
    sparse = SparseLines(
        full.data, full.indices.astype(np.int32), full.indptr.astype(np.int64), N, D + intercept, intercept
    )
    begin = start(dense, rng)
    one, two = copies(begin), copies(begin)
    i, j = np.divmod(np.arange(N * (D + intercept)), D + intercept)
    number = np.where(j < D, i * D + j, N * D + i)
    order = rng.integers(i.size, size=300)
    spd1_steps(dense.rows, order, dense.kernel_loss, **shared(dense), **one)
    spd1_steps(sparse, number[order], dense.kernel_loss, **shared(dense), **two)
    for name in one:
        np.testing.assert_allclose(one[name], two[name], rtol=1e-13, atol=1e-13, err_msg=name)


@every_storage
def test_the_steps_have_no_bias(rng, storage):
    """Over all entries the moves average to the partial derivatives of the game, times step over N."""
    case = make_case(rng, LOSSES["squared"](), "ridge", storage, intercept=True)
    begin = start(case, rng)
    tiny = 1e-7
    begin |= {name: np.tile([1.0 / tiny, 0.0, 0.0], (begin[name].shape[0], 1)) for name in ("primal", "dual")}
    i, j = positions(case.rows)
    moves = {"w": np.zeros(D + 1), "u": np.zeros(N)}
    for e in range(i.size):
        after = copies(begin)
        spd1_steps(case.rows, np.array([e]), case.kernel_loss, **shared(case), **after)
        for name, total in moves.items():
            total += (after[name] - begin[name]) / tiny
    w, u, s = begin["w"], begin["u"], case.sample_weight
    touched = np.isin(np.arange(D + 1), j)
    by_w = case.A.T @ (s * u) + N * case.form.l2 * w * touched
    by_u = np.where(np.isin(np.arange(N), i), case.A @ w - (case.b + u), 0.0)  # phi*' = b + u
    np.testing.assert_allclose(moves["w"], -by_w, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(moves["u"], by_u, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize("name", ["b", "sample_weight", "column_share", "row_share", "w", "u", "w_total"])
def test_bad_vectors_are_refused(rng, name, bad):
    case = make_case(rng, LOSSES["logistic"]())
    arguments = shared(case) | start(case, rng)
    arguments[name] = BAD_VECTORS[bad](arguments[name])
    with pytest.raises(InvalidInputError, match=rf"^{name} is .*C-contiguous float64 vector"):
        spd1_steps(case.rows, np.arange(N), case.kernel_loss, **arguments)


@pytest.mark.parametrize("name", ["primal", "dual"])
def test_rules_of_another_shape_are_refused(rng, name):
    case = make_case(rng, LOSSES["logistic"]())
    begin = start(case, rng)
    for bad in (begin[name][:-1], begin[name].ravel(), begin[name].astype(np.float32)):
        with pytest.raises(InvalidInputError, match=rf"^{name} is .*C-contiguous float64 matrix"):
            spd1_steps(case.rows, np.arange(N), case.kernel_loss, **shared(case), **begin | {name: bad})
    transposed = np.asfortranarray(begin[name])
    with pytest.raises(InvalidInputError, match=r"not C-contiguous"):
        spd1_steps(case.rows, np.arange(N), case.kernel_loss, **shared(case), **begin | {name: transposed})


@every_storage
@pytest.mark.parametrize("intercept", [False, True])
def test_an_order_out_of_range_is_refused(rng, storage, intercept):
    case = make_case(rng, LOSSES["logistic"](), storage=storage, intercept=intercept)
    size = positions(case.rows)[0].size
    spd1_steps(case.rows, np.array([size - 1]), case.kernel_loss, **shared(case), **start(case, rng))
    with pytest.raises(InvalidInputError, match=r"^order spans"):
        spd1_steps(case.rows, np.array([size]), case.kernel_loss, **shared(case), **start(case, rng))
