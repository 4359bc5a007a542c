"""The observed entries of a matrix, as a design."""

import numpy as np
import pytest

from fenchel import Problem
from fenchel.design import CompletionDesign
from fenchel.errors import InvalidInputError, UnsupportedProblemError
from fenchel.losses import Softmax
from fenchel.numerics.low_rank import LowRank
from fenchel.regularizers import NuclearBall


@pytest.mark.parametrize("order", ["sorted", "random", "repeated"])
def test_products_are_adjoint_and_those_of_the_dense_matrix(rng, order):
    m, p, n = 7, 5, 20
    places = rng.integers(m * p, size=n) if order == "repeated" else rng.permutation(m * p)[:n]
    places = np.sort(places) if order == "sorted" else places
    design = CompletionDesign(places // p, places % p, (m, p))
    W, u, s = rng.normal(size=(m, p)), rng.normal(size=n), rng.exponential(size=n)
    np.testing.assert_array_equal(design.matvec(W), W.ravel()[places])
    np.testing.assert_allclose(design.matvec(LowRank.of(W)), W.ravel()[places], atol=1e-13)
    dense = np.zeros(m * p)
    np.add.at(dense, places, u)
    np.testing.assert_allclose(design.rmatvec(u).toarray().ravel(), dense, atol=1e-15)
    sums = np.zeros(m * p)
    np.add.at(sums, places, s)
    assert design.largest_weight(s) == pytest.approx(sums.max(), rel=1e-14)
    assert (design.shape, design.matrix_shape, design.n_entries) == ((n, m), (m, p), n)
    assert design.zeros().shape == (m, p)


@pytest.mark.parametrize(
    ("rows", "columns", "shape", "message"),
    [
        ([0, 2], [0, 0], (2, 2), "row_index has values from 0 to 2, where 0 to 1 are possible"),
        ([0], [-1], (2, 2), "column_index has values from -1 to -1"),
        ([0, 1], [0], (2, 2), "row_index has 2 entries and column_index 1"),
        ([], [], (2, 2), "at least one observation"),
        ([0.5], [0], (2, 2), "row_index has dtype float64"),
        ([[0]], [0], (2, 2), "2 dimensions"),
        ([0], [0], (0, 2), "needs two sizes from 1"),
    ],
)
def test_positions_that_cannot_be_are_refused(rows, columns, shape, message):
    with pytest.raises(InvalidInputError, match=message):
        CompletionDesign(rows, columns, shape)


def test_a_loss_with_several_outputs_is_refused_when_the_problem_is_stated():
    design = CompletionDesign([0, 1], [1, 0], (2, 2))
    with pytest.raises(UnsupportedProblemError, match=r"but Softmax has several. Use a scalar loss."):
        Problem(design, np.eye(2), Softmax(), NuclearBall(1.0))
