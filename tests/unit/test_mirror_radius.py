"""The radius of entropic steps, and exact zeros after them."""

import numpy as np
import pytest

from cases_solvers import draw
from fenchel import Problem
from fenchel.losses import MulticlassHinge, Softmax
from fenchel.regularizers import L1, GroupL2Ball, L1Ball, L2Ball, SolidSimplex
from fenchel.solvers.mirror.radius import (
    BALL_GEOMETRY,
    L1_GEOMETRY,
    first_radius,
    grown_radius,
    l1_strength,
)
from fenchel.solvers.mirror.threshold import sparsified, thresholded

each_loss = pytest.mark.parametrize("loss", [MulticlassHinge(), Softmax()], ids=lambda loss: loss.name)


def problem_of(g, loss=None) -> Problem:
    return Problem(np.eye(3), np.eye(3), loss or Softmax(), g)


def test_the_first_radius():
    """A tenth of P(0) / strength, with P(0) = log k for softmax and 1 for the hinge."""
    assert first_radius(problem_of(L1(0.5))) == pytest.approx(np.log(3) / 5)
    assert first_radius(problem_of(L1(0.5), MulticlassHinge())) == pytest.approx(0.2)
    assert first_radius(problem_of(L1(0.5)), wanted=1.0) == 1.0
    assert first_radius(problem_of(L1(0.5)), wanted=100.0) == pytest.approx(2 * np.log(3))
    for g in (L1Ball(3.0), SolidSimplex(3.0), GroupL2Ball(3.0)):
        assert first_radius(problem_of(g), wanted=1.0) == 3.0


def test_the_radius_grows_at_the_boundary_alone():
    problem, w = problem_of(L1(0.5)), np.zeros((3, 3))
    assert grown_radius(problem, 1.0, w, 1.0) == 1.0
    w[0] = [0.3, -0.3, 0.3]
    assert grown_radius(problem, 1.0, w, 1.0) == 1.0
    w[0] = [0.31, -0.3, 0.3]
    assert grown_radius(problem, 1.0, w, 1.0) == 2.0
    assert grown_radius(problem, 1.0, w, 0.6) == pytest.approx(1.2)  # P / strength
    assert grown_radius(problem, 1.0, w, 0.1) == 1.0
    assert grown_radius(problem_of(L1Ball(1.0)), 1.0, w, 9.0) == 1.0


def test_strengths_and_requirements():
    assert l1_strength(problem_of(L1(0.5))) == 0.5
    assert l1_strength(problem_of(GroupL2Ball(1.0, l1=0.25))) == 0.25
    assert l1_strength(problem_of(L1Ball(1.0))) == 0.0
    for g, entries, balls in ((L1(0.5), True, True), (L1Ball(1.0), True, True), (L1(0.0), False, False),
                              (SolidSimplex(1.0), False, True), (L2Ball(1.0), False, False)):  # fmt: skip
        assert L1_GEOMETRY.holds(problem_of(g)) is entries
        assert BALL_GEOMETRY.holds(problem_of(g)) is balls


@each_loss
@pytest.mark.parametrize("slack", [0.0, 1e-3, 0.1, 10.0])
@pytest.mark.parametrize("weight", ["none", "positive", "zeros"])
def test_zeros_cost_no_more_than_they_may(rng, loss, slack, weight):
    problem = draw(rng, loss, L1Ball(100.0, l1=0.01), n=20, d=6, weight=weight)
    w = rng.normal(size=(6, 3)) * 10.0 ** rng.uniform(-6, 0, size=(6, 3))
    before, copy = problem.primal_value(w), w.copy()
    new = thresholded(problem, w, slack)
    bold, entries = sparsified(problem, w, before, slack)
    np.testing.assert_array_equal(w, copy)
    for point in (new, bold):
        assert problem.primal_value(point) <= before + slack + 1e-14
        assert np.all((point == w) | (point == 0.0))
    assert np.count_nonzero(bold) <= np.count_nonzero(new)
    assert entries % problem.design.n_entries == 0
    if slack == 0.0:
        np.testing.assert_array_equal(bold, w)
    if slack == 10.0:
        assert not new.any()
