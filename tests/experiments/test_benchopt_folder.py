"""The benchmark for benchopt: its value and gap, written in NumPy alone, are those of our certificate."""

import numpy as np
import pytest

from benchmarks.benchopt.benchmark_utils.duality import relative_gap
from benchmarks.benchopt.benchmark_utils.losses import LOSSES
from fenchel import Problem, RelativeGap, solve
from fenchel.losses import Logistic, Squared
from fenchel.regularizers import L1, ElasticNet

OURS = {"logistic": Logistic(), "squared": Squared()}


@pytest.fixture(params=[(loss, l2) for loss in OURS for l2 in (0.0, 0.02)], ids=str)
def stated(request, rng):
    """The arguments of the NumPy functions, and our problem."""
    loss, l2 = request.param
    A = rng.normal(size=(40, 15))
    b = A @ rng.normal(size=15) if loss == "squared" else np.sign(rng.normal(size=40))
    penalty = L1(0.05) if l2 == 0 else ElasticNet(0.05, l2)
    return (A, b, LOSSES[loss], 0.05, l2), Problem(A, b, OURS[loss], penalty)


def test_the_value_is_ours_and_the_gap_no_smaller(stated, rng):
    arguments, problem = stated
    for w in (np.zeros(15), rng.normal(size=15), np.where(rng.random(15) < 0.3, 0.1, 0.0)):
        value, gap = relative_gap(*arguments, w)
        certificate = problem.certify(w)
        assert value == pytest.approx(certificate.primal, rel=1e-12)
        assert gap >= certificate.relative_gap * (1 - 1e-9)


def test_the_gap_bounds_the_distance_to_the_optimum(stated):
    arguments, problem = stated
    optimum = solve(problem, stopping=RelativeGap(1e-10))
    value, gap = relative_gap(*arguments, optimum.w)
    assert -1e-12 <= gap <= 1e-4
    far, bound = relative_gap(*arguments, 0.9 * optimum.w)
    assert far - value <= bound * abs(far) * (1 + 1e-9)


@pytest.mark.parametrize("loss", OURS)
def test_gradients_and_conjugates_are_those_of_the_losses(loss, rng):
    theirs, ours = LOSSES[loss], OURS[loss]
    z, b = rng.normal(size=50), np.sign(rng.normal(size=50))
    u = theirs.gradient(z, b)
    np.testing.assert_allclose(u, ours.gradient(z, b), rtol=1e-12)
    np.testing.assert_allclose(theirs.conjugate(u, b), ours.conjugate(u, b), rtol=1e-9, atol=1e-12)
