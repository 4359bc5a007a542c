"""The plots hold the numbers of what they draw."""

import numpy as np
import pytest

from cases_solvers import draw
from fenchel import ElasticNetCV, InvalidInputError, LassoCV, path
from fenchel.losses import Logistic, MultiSquared, Squared
from fenchel.regularizers import L1, ElasticNet

figures = pytest.importorskip("matplotlib.figure")
plotting = pytest.importorskip("fenchel.plotting")


def axes():
    return figures.Figure().add_subplot()


def test_a_path_has_one_line_a_coefficient_that_moves(rng):
    result = path(draw(rng, Logistic(), L1(1.0), n=40, d=15, intercept=True), 10, 0.2)
    ax = plotting.plot_path(result, axes(), labels=[f"f{j}" for j in range(15)])
    moving = np.flatnonzero(result.coefficients.any(axis=0))
    assert 0 < len(moving) < 15
    assert len(ax.lines) == len(moving)
    for line, j in zip(ax.lines, moving, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), result.strengths)
        np.testing.assert_array_equal(line.get_ydata(), result.coefficients[:, j])
    largest = np.abs(result.coefficients[-1]).argmax()
    assert ax.get_legend().get_texts()[0].get_text() == f"f{largest}"
    assert ax.xaxis_inverted()


def test_a_path_of_several_outputs(rng):
    result = path(draw(rng, MultiSquared(), ElasticNet(0.5, 0.5), n=20, d=4), 3, 0.2)
    ax = plotting.plot_path(result, axes(), labels=["a", "b", "c", "d"])
    assert len(ax.lines) == result.coefficients[-1].astype(bool).sum()


def test_a_path_without_points_is_refused(rng):
    result = path(draw(rng, Squared(), L1(1.0)), time_limit=0.0)
    with pytest.raises(InvalidInputError, match="no points"):
        plotting.plot_path(result, axes())


@pytest.mark.parametrize("scoring", [None, "r2"])
def test_cross_validation_has_one_curve_a_share(rng, scoring):
    X, y = rng.normal(size=(40, 5)), rng.normal(size=40)
    one = LassoCV(n_strengths=4, scoring=scoring).fit(X, y)
    ax = plotting.plot_cv(one, axes())
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), one.scores_.mean(axis=1))
    assert ax.get_ylabel() == ("r2" if scoring else "minus the mean squared error on the test rows")
    several = ElasticNetCV(n_strengths=4, l1_ratio=[0.5, 1.0], scoring=scoring).fit(X, y)
    assert len(plotting.plot_cv(several, axes()).containers) == 2
