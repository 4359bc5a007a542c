"""SDCA where some coordinate has no curvature of its own: the proximal point method must arrive."""

import numpy as np
import pytest

from cases_solvers import draw
from fenchel import MaxPasses, Problem, RelativeGap, solve
from fenchel.losses import Absolute, Hinge, Logistic, Squared
from fenchel.regularizers import L1, Box, NonNegative

RULE = RelativeGap(1e-8) | MaxPasses(5_000)


@pytest.mark.parametrize("loss", [Squared(), Logistic(), Absolute(), Hinge()], ids=repr)
@pytest.mark.parametrize("g", [L1(0.02), NonNegative(l1=0.01)], ids=repr)
def test_one_row(loss, g):
    result = solve(Problem([[1.0, 2.0, -1.0, 0.5]], [1.0], loss, g), "sdca", stopping=RULE)
    assert result.status.solved, result.message


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(
    ("loss", "g", "n", "d"),
    [
        (Hinge(), L1(0.05), 14, 4),
        (Hinge(), L1(0.02), 4, 40),
        (Hinge(), Box(-0.5, 0.5), 16, 5),
        (Absolute(), L1(0.02), 12, 4),
        (Absolute(), NonNegative(l1=0.01), 4, 40),
    ],
    ids=str,
)
def test_small_problems(seed, intercept, loss, g, n, d):
    problem = draw(np.random.default_rng(seed), loss, g, n=n, d=d, intercept=intercept)
    result = solve(problem, "sdca", stopping=RULE)
    assert result.status.solved, result.message


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_of_the_targets(scale):
    problem = draw(np.random.default_rng(0), Absolute(), L1(0.02), n=12, kind="correlated", intercept=True)
    A = problem.design.select_columns(np.arange(4))
    other = Problem(A, scale * problem.b, Absolute(), L1(0.02), fit_intercept=True)
    result = solve(other, "sdca", stopping=RULE)
    assert result.status.solved, result.message
