"""The set of CUR decompositions: its support function by a linear program, and its oracle."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.optimize import linprog

from cases_regularizers import inner
from fenchel.numerics.row_column import row_column_support
from fenchel.regularizers import RowColumnBall

shapes = st.tuples(st.integers(1, 5), st.integers(1, 5))
matrices = shapes.flatmap(
    lambda shape: arrays.arrays(np.float64, shape, elements=st.floats(-5, 5).map(lambda x: round(x, 2)))
)


def by_linear_program(C: np.ndarray) -> float:
    """``max <C, Y>`` over ``Y_ij <= r_i``, ``Y_ij <= t_j`` and r, t in simplices."""
    m, n = C.shape
    eye = sp.identity(m * n)
    by_row = sp.kron(sp.identity(m), np.ones((n, 1)))
    by_column = sp.kron(np.ones((m, 1)), sp.identity(n))
    program = linprog(
        np.concatenate([-C.ravel(), np.zeros(m + n)]),
        A_ub=sp.bmat([[eye, -by_row, None], [eye, None, -by_column]]),
        b_ub=np.zeros(2 * m * n),
        A_eq=sp.hstack([sp.csr_matrix((2, m * n)), sp.block_diag([np.ones((1, m)), np.ones((1, n))])]),
        b_eq=np.ones(2),
    )
    assert program.status == 0
    return -program.fun


@settings(max_examples=40, deadline=None)
@given(v=matrices)
def test_support_is_that_of_the_linear_program(v):
    C = np.abs(v)
    support = row_column_support(C)
    value = by_linear_program(C)
    assert support.lower <= support.upper * (1 + 1e-12)
    assert support.lower <= value + 1e-8
    assert support.upper >= value - 1e-8
    assert support.upper - support.lower <= 2e-10 * support.upper
    for point in (support.rows, support.columns):
        assert point.min() >= 0.0
        assert point.sum() == pytest.approx(1.0, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(v=matrices, seed=st.integers(0, 99))
def test_oracle_attains_the_conjugate_and_no_point_beats_it(v, seed):
    ball = RowColumnBall(1.5)
    w = ball.lmo(v)
    assert ball.value(w) == 0.0
    best = -ball.conjugate(-v)
    assert inner(v, w) == pytest.approx(best, abs=1e-8)
    other = np.random.default_rng(seed).normal(size=v.shape)
    row_sum, column_sum = np.abs(other).max(axis=1).sum(), np.abs(other).max(axis=0).sum()
    other *= 1.5 / max(row_sum, column_sum)
    assert inner(v, other) >= best - 1e-12


@pytest.mark.parametrize("accuracy", [0.1, 1e-3])
def test_a_loose_oracle_gives_bounds_of_its_accuracy(rng, accuracy):
    v = rng.normal(size=(90, 60))
    loose, exact = RowColumnBall(1.5, accuracy), RowColumnBall(1.5)
    least, value = -inner(v, loose.lmo(v)), exact.conjugate(v)
    assert loose.value(loose.lmo(v)) == 0.0
    assert least <= value * (1.0 + 1e-9)
    assert value <= loose.conjugate(v) * (1.0 + 1e-9)
    assert loose.conjugate(v) - least <= accuracy * loose.conjugate(v) * (1.0 + 1e-9)


def test_one_row_budget_alone_is_larger():
    # With the columns unconstrained the support would be the largest row sum.
    C = np.ones((3, 4))
    assert row_column_support(C).upper == pytest.approx(3.0)
    assert C.sum(axis=1).max() == 4.0


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_extreme_scales(scale):
    v = scale * np.array([[1.0, -1.0], [0.5, 0.0]])
    ball = RowColumnBall(1e-3)
    assert ball.conjugate(v) == pytest.approx(1e-3 * scale * by_linear_program(np.abs(v / scale)))
    assert ball.value(v) == (0.0 if scale < 1 else np.inf)
    assert RowColumnBall(1.0).conjugate(np.zeros((2, 2))) == 0.0
