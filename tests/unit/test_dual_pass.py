"""The order of a dual pass, and when the kernel of a ridge serves it."""

import numpy as np
import pytest

from fenchel import Problem
from fenchel.losses import Hinge
from fenchel.regularizers import Box, ElasticNet, Ridge
from fenchel.solvers.coordinate.dual_pass import shuffled


@pytest.mark.parametrize("size", [0, 1, 64, 4096, 4097, 10_000])
def test_every_row_comes_once(size):
    rows = 3 * np.arange(size)
    order = shuffled(rows, np.random.default_rng(0))
    np.testing.assert_array_equal(np.sort(order), rows)
    assert size < 2 or not np.array_equal(order, rows)


def test_many_rows_come_in_blocks_of_neighbours():
    order = shuffled(np.arange(64 * 100), np.random.default_rng(0)).reshape(-1, 64)
    assert np.all(order // 64 == order[:, :1] // 64)


@pytest.mark.parametrize(
    ("regularizer", "intercept", "expected"),
    [
        (Ridge(0.5), False, 0.5),
        (Ridge(0.5), True, 0.0),
        (ElasticNet(0.1, 0.5), False, 0.0),
        (Box(-1.0, 1.0, l2=0.5), False, 0.0),
    ],
)
def test_a_ridge_is_a_squared_norm_and_nothing_else(regularizer, intercept, expected):
    problem = Problem(np.eye(3), [1.0, -1.0, 1.0], Hinge(), regularizer, fit_intercept=intercept)
    assert problem.coordinate_form.ridge == expected
