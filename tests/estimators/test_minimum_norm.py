"""MinimumNormRegressor: the pseudo-inverse, linear programs, stored optima, and data without an exact fit."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

from fenchel import ConvergenceWarning, MinimumNormRegressor, Problem, Regressor, Status, solve
from fenchel.errors import InvalidInputError
from fenchel.estimators.conversion import from_estimator
from fenchel.losses import EqualityConstraint, SquaredDistance
from fenchel.numerics.power import lp_norm
from fenchel.regularizers import SquaredLp
from stored import stored

TIGHT = {"tol": 1e-12, "random_state": 0}


def l1_optimum(X: np.ndarray, y: np.ndarray, epsilon: float = 0.0) -> float:
    """The least l1 norm, by HiGHS: w is the difference of two vectors that are not negative."""
    rows, d = np.hstack([X, -X]), X.shape[1]
    ends = np.concatenate([y + epsilon, epsilon - y])
    found = linprog(np.ones(2 * d), A_ub=np.vstack([rows, -rows]), b_ub=ends, method="highs")
    assert found.status == 0
    return float(found.fun)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csc_array])
@pytest.mark.parametrize("shape", [(8, 30), (20, 60)])
def test_the_least_l2_norm_is_that_of_the_pseudo_inverse(form, shape, rng):
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    model = MinimumNormRegressor(**TIGHT).fit(form(X), y)
    expected = np.linalg.pinv(X) @ y
    assert model.status_ is Status.SOLVED
    assert np.linalg.norm(model.coef_ - expected) <= 1e-8 * np.linalg.norm(expected)
    assert model.certificate_.dual <= 0.5 * expected @ expected * (1 + 1e-12)
    assert model.violation_ <= 1e-10


def test_several_outputs_are_the_pseudo_inverse_too(rng):
    X, Y = rng.normal(size=(10, 40)), rng.normal(size=(10, 3))
    model = MinimumNormRegressor(**TIGHT).fit(X, Y)
    expected = (np.linalg.pinv(X) @ Y).T
    assert model.coef_.shape == expected.shape
    assert np.linalg.norm(model.coef_ - expected) <= 1e-8 * np.linalg.norm(expected)
    column = MinimumNormRegressor(**TIGHT).fit(X, Y[:, :1])
    assert column.coef_.shape == (1, 40)
    np.testing.assert_allclose(column.coef_[0], expected[0], atol=1e-9)


def test_the_intercept_is_the_coefficient_of_a_column_of_ones(rng):
    X, y = rng.normal(size=(8, 20)), rng.normal(size=8) + 3.0
    model = MinimumNormRegressor(fit_intercept=True, **TIGHT).fit(X, y)
    expected = np.linalg.pinv(np.column_stack([X, np.ones(8)])) @ y
    np.testing.assert_allclose([*model.coef_, model.intercept_], expected, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-9)
    assert model.certify(X, y).relative_gap <= 1e-9
    centred = MinimumNormRegressor(**TIGHT).fit(X - X.mean(axis=0), y - y.mean())
    free = np.linalg.pinv(X - X.mean(axis=0)) @ (y - y.mean())
    np.testing.assert_allclose(centred.coef_, free, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_near_one_the_norm_is_within_the_known_factor_of_the_linear_program(epsilon, rng):
    r"""For any w: ``|w|_p <= |w|_1 <= d^(1 - 1/p) |w|_p``, so the l1 optimum lies between these values."""
    n, d = 12, 40
    X, y = rng.normal(size=(n, d)), rng.normal(size=n)
    p = 1.0 + 1.0 / np.log(d)
    model = MinimumNormRegressor(p, epsilon=epsilon, **(TIGHT | {"tol": 1e-8})).fit(X, y)
    assert model.status_ is Status.SOLVED
    least, factor = l1_optimum(X, y, epsilon), d ** (1.0 - 1.0 / p)
    assert factor <= np.e
    lower = np.sqrt(2.0 * model.certificate_.dual)
    assert lower <= least * (1 + 1e-7)
    assert least <= np.abs(model.coef_).sum() * (1 + 1e-6)
    assert np.abs(model.coef_).sum() <= factor * lp_norm(model.coef_, p) * (1 + 1e-12)
    assert lp_norm(model.coef_, p) <= lower * (1 + 1e-7)
    assert np.abs(X @ model.coef_ - y).max() <= epsilon + 1e-6


def test_the_stored_optima_of_exact_and_near_fits():
    oracle = stored("interpolation.json")
    X, seen = np.array(oracle["X"]), 0
    for record in oracle["problems"]:
        if not record["p"] or "c" in record or "y" in record or record.get("k") == 3:
            continue
        if "lo" in record:
            lower, upper = np.array(record["lo"]), np.array(record["hi"])
            epsilon, y = 0.5 * (upper - lower)[0], 0.5 * (lower + upper)
        elif "centres" in record:
            epsilon, y = record["r"], np.array(record["centres"])
        else:
            epsilon, y = 0.0, np.array(record["b"])
        rows = np.array(record.get("X", X))
        model = MinimumNormRegressor(record["p"], epsilon=epsilon, **TIGHT).fit(rows, y)
        assert model.certificate_.primal == pytest.approx(record["value"], rel=1e-9)
        np.testing.assert_allclose(model.coef_, np.array(record["theta"]).T, atol=2e-6)
        seen += 1
    assert seen >= 4


def test_targets_that_contradict_each_other_are_named(rng):
    X = rng.normal(size=(5, 8))
    X, y = np.vstack([X, X[:1]]), rng.normal(size=6)
    with pytest.warns(ConvergenceWarning, match="constraints are broken by .*more passes will not help"):
        model = MinimumNormRegressor(max_passes=200, random_state=0).fit(X, y)
    # The equal rows get one fitted value: half their difference is the least violation.
    assert model.violation_ >= 0.5 * abs(y[0] - y[5]) * (1 - 1e-9)
    assert model.violation_ == pytest.approx(np.abs(X @ model.coef_ - y).max())


def test_a_limit_on_the_norm_ends_the_fit_with_a_proof(rng):
    X = rng.normal(size=(5, 8))
    X, y = np.vstack([X, X[:1]]), rng.normal(size=6)
    with pytest.warns(ConvergenceWarning, match="infeasible: .*no solution has a value below"):
        model = MinimumNormRegressor(1.5, max_norm=50.0, random_state=0).fit(X, y)
    assert model.status_ is Status.INFEASIBLE
    problem = Problem(X, y, EqualityConstraint(), SquaredLp(1.5))
    assert problem.dual_value(model.dual_coef_) > 0.5 * 50.0**2


def test_rows_of_weight_zero_do_not_count_and_other_weights_change_nothing(rng):
    X, y = rng.normal(size=(9, 20)), rng.normal(size=9)
    weight = np.array([0.0, 1.0, 3.0, 0.5, 2.0, 1.0, 0.0, 7.0, 1.0])
    weighted = MinimumNormRegressor(**TIGHT).fit(X, y, sample_weight=weight)
    plain = MinimumNormRegressor(**TIGHT).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_allclose(weighted.coef_, plain.coef_, atol=1e-9)


def test_a_warm_start_goes_on_from_the_dual_point(rng):
    X, y = rng.normal(size=(10, 30)), rng.normal(size=10)
    model = MinimumNormRegressor(1.5, warm_start=True, random_state=0, tol=1e-10).fit(X, y)
    before = model.n_iter_
    assert model.fit(X, y).n_iter_ < before


def test_with_slack_it_is_the_regressor_of_the_squared_distance(rng):
    X, y = rng.normal(size=(15, 6)), rng.normal(size=15)
    loss = SquaredDistance(EqualityConstraint(), 4.0)
    model = Regressor(loss, penalty=SquaredLp(1.5), fit_intercept=False, tol=1e-10).fit(X, y)
    assert model.certificate_.primal == pytest.approx(
        solve(Problem(X, y, loss, SquaredLp(1.5))).certificate.primal, rel=1e-5
    )


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"p": 1.0}, "above 1 and at most 2"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"max_norm": 0.0}, "max_norm=0.0 is not a positive number"),
    ],
)
def test_refusals(parameters, text):
    with pytest.raises(InvalidInputError, match=text):
        MinimumNormRegressor(**parameters).fit(np.eye(2), [1.0, 2.0])


def test_model_files_do_not_hold_it():
    model = MinimumNormRegressor().fit(np.eye(2), [1.0, 2.0])
    with pytest.raises(InvalidInputError, match="A model file cannot hold MinimumNormRegressor"):
        from_estimator(model, np.eye(2), np.array([1.0, 2.0]))
