"""What solvers hold beside the data: never both formats unless they read by rows and by columns."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel import MaxPasses, Problem, solve
from fenchel.design import as_design
from fenchel.losses import Hinge, Logistic, SquaredHinge
from fenchel.regularizers import L1, ElasticNet, Ridge

N, D, PER_ROW = 6_000, 3_000, 100

ONE_FORMAT = [
    ("csr", "sdca", Hinge(), Ridge(1e-3)),
    ("csr", "svrg", Logistic(), Ridge(1e-3)),
    ("csr", "saga", Logistic(), Ridge(1e-3)),
    ("csr", "proximal_gradient", Logistic(), L1(1e-3)),
    ("csc", "proximal_gradient", Logistic(), L1(1e-3)),
    ("csc", "primal_cd", Logistic(), L1(1e-3)),
    ("csc", "prox_newton", Logistic(), L1(1e-3)),
]
BOTH_FORMATS = [
    ("csc", "sdca", Hinge(), Ridge(1e-3)),
    ("csr", "primal_cd", Logistic(), L1(1e-3)),
    ("csr", "prox_newton", Logistic(), L1(1e-3)),
    ("csr", "dgpd_plus", SquaredHinge(), ElasticNet(1e-4, 1e-3)),
]


def bytes_of(matrix) -> int:
    return matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes


@pytest.fixture(params=[np.float64, np.float32], ids=["float64", "float32"])
def data(request, rng):
    matrix = sp.random_array((N, D), density=PER_ROW / D, rng=rng, format="csr", dtype=request.param)
    return matrix, np.where(rng.random(N) < 0.5, 1.0, -1.0)


def extra_bytes(matrix, b, solver, loss, regularizer):
    """The most bytes that were allocated from the data to the result, and the result."""
    tracemalloc.start()
    try:
        result = solve(Problem(matrix, b, loss, regularizer), solver, stopping=MaxPasses(3))
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("storage", "solver", "loss", "regularizer"), ONE_FORMAT)
def test_one_format_is_enough(data, storage, solver, loss, regularizer):
    matrix, b = data[0].asformat(storage), data[1]
    peak, result = extra_bytes(matrix, b, solver, loss, regularizer)
    assert peak < 1.2 * bytes_of(matrix)
    assert result.memory < bytes_of(matrix) / 2


@pytest.mark.parametrize(("storage", "solver", "loss", "regularizer"), BOTH_FORMATS)
def test_the_other_format_is_one_copy_that_is_reported(data, storage, solver, loss, regularizer):
    matrix, b = data[0].asformat(storage), data[1]
    peak, result = extra_bytes(matrix, b, solver, loss, regularizer)
    assert peak < 2.2 * bytes_of(matrix)
    # The copy's line starts have eight bytes each.
    assert matrix.data.nbytes + matrix.indices.nbytes <= result.memory <= peak


def test_copies_of_dense_data_are_counted(rng):
    design = as_design(rng.normal(size=(8, 3)))
    assert design.rows.data.nbytes > 0
    assert design.copied_bytes == 0
    assert design.columns.data.nbytes == design.copied_bytes == 8 * 8 * 3


def test_rows_of_single_precision_stay_so(data):
    matrix, _ = data
    part = as_design(matrix).submatrix(np.arange(0, N, 2), np.arange(D))
    assert part.rows.data.dtype == matrix.dtype
    np.testing.assert_array_equal(part.matvec(np.ones(D)), as_design(matrix[::2]).matvec(np.ones(D)))
