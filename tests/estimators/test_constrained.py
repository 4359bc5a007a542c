"""The stored constrained problems through the estimators, and the models that a set makes in one line."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

import cases_estimators as data
from cases_constrained import DIGITS, constrained
from cases_estimators import assert_rule_g, objective
from fenchel import Classifier, LogisticRegression, Regressor
from fenchel.regularizers import (
    L1,
    Box,
    GroupL2,
    GroupL2Ball,
    L1Ball,
    L1InfBall,
    L2Ball,
    NonNegative,
    NuclearBall,
    Regularizer,
    RelativeEntropy,
    Ridge,
    RowColumnBall,
    Simplex,
    SolidSimplex,
    SquaredLp,
)


def spellings(g: Regularizer) -> list[dict[str, Any]]:
    """The ways to ask an estimator for g."""
    if isinstance(g, L1):
        return [{"penalty": g}, {"l1": g.strength}]
    if isinstance(g, Ridge):
        return [{"penalty": g}, {"l2": g.strength}]
    if isinstance(g, Box):
        return [{"constraint": g}, {"lower": g.lower, "upper": g.upper, "l2": 0.0}]
    if isinstance(g, L2Ball) and g.l2 > 0:
        ball = L2Ball(g.radius)
        return [
            {"constraint": g},
            {"constraint": ball, "l2": g.l2},
            {"constraint": ball, "penalty": Ridge(g.l2)},
        ]
    return [{"constraint": g}]


@pytest.mark.parametrize("index", range(16))
def test_stored_optimum_through_the_estimator(index: int) -> None:
    problem, record = constrained(index)
    estimator = Classifier if record["loss"] == "logistic" else Regressor
    X = problem.design.select_columns(np.arange(problem.n_features))
    for parameters in spellings(problem.regularizer):
        model = estimator(record["loss"], **parameters, fit_intercept=False, tol=1e-10).fit(X, problem.b)
        assert model.status_.solved, model.message_
        assert model.regularizer_ == problem.regularizer
        assert model.certificate_.primal == pytest.approx(record["P_star"], abs=2 * DIGITS)
        assert model.certificate_.dual <= record["P_star"] + DIGITS
        assert np.isfinite(problem.regularizer.value(np.ravel(model.coef_)))


GROUPS = [0, 0, 1, 1, 2, 2]
SETS = {
    "box": Box(-0.5, 0.5),
    "non_negative": NonNegative(),
    "l1_ball": L1Ball(1.0),
    "solid_simplex": SolidSimplex(1.0),
    "l2_ball": L2Ball(1.0),
    "simplex": Simplex(),
    "group_l2_ball": GroupL2Ball(1.0, GROUPS),
    "l1_inf_ball": L1InfBall(1.0),
    "nuclear_ball": NuclearBall(1.0),
    "row_column_ball": RowColumnBall(1.0),
}
CONE = {
    "box": (lambda w: [*(0.5 - w), *(0.5 + w)]),
    "non_negative": lambda w: w,
    "solid_simplex": lambda w: [*w, 1.0 - w.sum()],
    "simplex": lambda w: [*w, 1.0 - w.sum(), w.sum() - 1.0],
    "l2_ball": lambda w: [1.0 - w @ w],
    "nuclear_ball": lambda w: [1.0 - w @ w],
    "group_l2_ball": lambda w: [1.0 - np.sqrt((w.reshape(3, 2) ** 2).sum(axis=1) + 1e-14).sum()],
}
"""The sets as inequalities, for a solver that is not ours. On a vector the other balls are the l1 ball."""


def slsqp(X: Any, y: Any, name: str) -> float:
    """The optimum of logistic regression with an intercept, to seven digits or so."""
    parts = np.vstack([np.hstack([np.eye(6), -np.eye(6)])]) if name not in CONE else np.eye(6)
    inside = CONE.get(name, lambda v: [*v, 1.0 - v.sum()])

    def value(point: Any) -> float:
        return float(np.logaddexp(0.0, -y * (X @ parts @ point[:-1] + point[-1])).mean())

    start = np.append(np.full(parts.shape[1], 1.0 / parts.shape[1]), 0.0)
    constraint = {"type": "ineq", "fun": lambda point: np.asarray(inside(point[:-1]))}
    found = scipy.optimize.minimize(
        value, start, method="SLSQP", constraints=[constraint], options={"ftol": 1e-12, "maxiter": 1000}
    )
    return float(found.fun)


@pytest.mark.parametrize("name", SETS)
def test_logistic_regression_in_every_set(name: str) -> None:
    X, y = data.constrained_data()
    tol = 1e-6 if name != "row_column_ball" else 1e-3
    model = LogisticRegression(constraint=SETS[name], tol=tol).fit(X, y)
    assert model.status_.solved, (model.message_, model.solver_)
    assert SETS[name].value(model.coef_[0]) == 0.0
    value = objective(model, X, y, loss="logistic")
    assert_rule_g(model, value, slsqp(X, y, name), accuracy=3e-7, requested=tol)
    assert model.certify(X, y).relative_gap <= 2 * tol


def test_weights_that_sum_to_one() -> None:
    X, y = data.factors_data()
    model = Regressor(constraint=Simplex(), fit_intercept=False).fit(X, y)
    assert model.coef_.sum() == pytest.approx(1.0, abs=1e-12)
    assert (model.coef_ >= 0).all()
    # Nonnegative least squares with a heavy row for the sum.
    rows, target = np.vstack([X, 1e4 * np.ones(8)]), np.append(y, 1e4)
    np.testing.assert_allclose(model.coef_, scipy.optimize.nnls(rows, target)[0], atol=2e-3)


def test_a_budget_is_a_penalty() -> None:
    """The lasso of a strength is the least-squares fit in the l1 ball of its norm."""
    X, y = data.factors_data()
    lasso = Regressor(l1=0.2, tol=1e-12).fit(X, y)
    radius = float(np.abs(lasso.coef_).sum())
    model = Regressor(constraint=L1Ball(radius), tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.coef_, lasso.coef_, atol=1e-5)
    assert np.array_equal(model.coef_ != 0, lasso.coef_ != 0)


def test_group_lasso() -> None:
    X, y = data.factors_data()
    groups = [0, 0, 1, 1, 2, 2, 3, 3]
    model = Regressor(penalty=GroupL2(0.5, groups), tol=1e-10).fit(X, y)
    norms = np.linalg.norm(model.coef_.reshape(4, 2), axis=1)
    assert (norms == 0).sum() == 2
    residual = X @ model.coef_ + model.intercept_ - y
    slopes = (X.T @ residual / 40).reshape(4, 2)
    assert residual.mean() == pytest.approx(0.0, abs=1e-6)
    for pair, norm, slope in zip(model.coef_.reshape(4, 2), norms, slopes, strict=True):
        if norm > 0:
            np.testing.assert_allclose(slope, -0.5 * pair / norm, atol=1e-4)
        else:
            assert np.linalg.norm(slope) <= 0.5


@pytest.mark.parametrize("penalty", [SquaredLp(1.2, 0.1), RelativeEntropy(strength=0.1)], ids=repr)
def test_penalties_without_a_prox(penalty: Regularizer) -> None:
    X, y = data.factors_data()
    model = Regressor(penalty=penalty).fit(X, y)
    assert (model.solver_, model.regularizer_) == ("frank_wolfe", penalty)
    assert model.certify(X, y).relative_gap <= 2e-6


def test_several_classes_in_one_set_and_in_one_each() -> None:
    X, y = data.three_classes_data()
    native = Classifier(constraint=L1Ball(2.0)).fit(X, y)
    assert np.abs(native.coef_).sum() == pytest.approx(2.0)
    single = Classifier(constraint=L1Ball(2.0), multi_class="one_vs_rest").fit(X, y)
    np.testing.assert_allclose(np.abs(single.coef_).sum(axis=1), 2.0)


def test_outputs_share_a_set_or_have_one_each() -> None:
    X, y = data.factors_data()
    Y = np.column_stack([y, -2 * y])
    shared = Regressor(constraint=NuclearBall(1.0)).fit(X, Y)
    assert len(shared.certificates_) == 1
    assert np.linalg.matrix_rank(shared.coef_, tol=1e-6) == 1
    assert len(Regressor(constraint=NonNegative()).fit(X, Y).certificates_) == 2
    assert len(Regressor(penalty=GroupL2(0.1)).fit(X, Y).certificates_) == 1
