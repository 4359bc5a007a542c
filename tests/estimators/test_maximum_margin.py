"""MaximumMarginClassifier: margins of other solvers, refusals with proofs, and slack when asked for."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

from fenchel import (
    ConvergenceWarning,
    MaximumMarginClassifier,
    Problem,
    RelativeGap,
    Status,
    Verdict,
    as_design,
    separability,
    solve,
)
from fenchel.errors import InvalidInputError
from fenchel.losses import MarginConstraint, SquaredDistance
from fenchel.numerics.power import lp_norm
from fenchel.regularizers import SquaredLp
from stored import stored

TIGHT = {"tol": 1e-10, "random_state": 0}


def separable(rng: np.random.Generator, n: int = 25, d: int = 8) -> tuple[np.ndarray, np.ndarray]:
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    return X + 0.3 * np.sign(X @ w)[:, None] * w, np.sign(X @ w)


def conic_margin(X: np.ndarray, y: np.ndarray, p: float) -> float:
    """The largest margin, by the conic solver Clarabel."""
    cp = pytest.importorskip("cvxpy")
    w = cp.Variable(X.shape[1])
    problem = cp.Problem(cp.Minimize(cp.pnorm(w, p)), [cp.multiply(y, X @ w) >= 1])
    return 1.0 / float(problem.solve(solver=cp.CLARABEL))


def l1_margin(X: np.ndarray, y: np.ndarray) -> float:
    """The largest margin in the l1 norm, by HiGHS."""
    rows, d = y[:, None] * np.hstack([X, -X]), X.shape[1]
    found = linprog(np.ones(2 * d), A_ub=-rows, b_ub=-np.ones(len(y)), method="highs")
    assert found.status == 0
    return 1.0 / float(found.fun)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("p", [2.0, 1.5])
def test_the_margin_is_that_of_a_conic_solver(p, form, rng):
    X, y = separable(rng)
    model = MaximumMarginClassifier(p, **TIGHT).fit(form(X), y)
    assert model.status_ is Status.SOLVED
    expected = conic_margin(X, y, p)
    low, high = model.margin_bounds_
    assert low <= expected * (1 + 1e-6)
    assert high >= expected * (1 - 1e-6)
    assert low <= high <= low * (1 + 1e-9)
    norm = lp_norm(model.coef_, p)
    assert model.margin_ == pytest.approx((y * model.decision_function(X)).min() / norm, rel=1e-12)
    assert low == pytest.approx(1.0 / np.sqrt(2.0 * model.certificate_.primal), rel=1e-9)
    assert high == pytest.approx(1.0 / np.sqrt(2.0 * model.certificate_.dual), rel=1e-9)
    np.testing.assert_array_equal(model.predict(X), y)


def test_near_one_the_margin_is_within_the_known_factor_of_the_linear_program(rng):
    r"""As ``|w|_p <= |w|_1 <= d^(1 - 1/p) |w|_p``, margins differ by no more than that factor."""
    X, y = separable(rng, d=30)
    p = 1.0 + 1.0 / np.log(30)
    low, high = MaximumMarginClassifier(p, tol=1e-8, random_state=0).fit(X, y).margin_bounds_
    expected = l1_margin(X, y)
    assert expected <= high * (1 + 1e-7)
    assert low <= expected * 30 ** (1.0 - 1.0 / p) * (1 + 1e-7)


def test_the_stored_optima_of_half_lines():
    oracle, seen = stored("interpolation.json"), 0
    for record in oracle["problems"]:
        if "y" not in record or not record["p"] or "c" in record:
            continue
        X = np.array(record.get("X", oracle["X"]))
        model = MaximumMarginClassifier(record["p"], tol=1e-12, random_state=0).fit(X, record["y"])
        assert model.certificate_.primal == pytest.approx(record["value"], rel=1e-10)
        np.testing.assert_allclose(model.coef_[0], record["theta"], atol=2e-6)
        assert model.margin_ == pytest.approx((2.0 * record["value"]) ** -0.5, rel=1e-9)
        seen += 1
    assert seen == 3


def test_the_stored_optimum_with_slack_once_the_classes_overlap(rng):
    X, y = rng.normal(size=(40, 3)), np.sign(rng.normal(size=40))
    weight = rng.uniform(0.5, 2.0, size=40)
    model = MaximumMarginClassifier(1.5, slack=3.0, fit_intercept=True, **TIGHT).fit(X, y, weight)
    loss = SquaredDistance(MarginConstraint(), 3.0)
    columns = np.column_stack([X, np.ones(40)])
    problem = Problem(columns, y, loss, SquaredLp(1.5), sample_weight=weight)
    result = solve(problem, stopping=RelativeGap(1e-10))
    assert model.loss_ == loss
    assert model.certificate_.primal == pytest.approx(result.certificate.primal, rel=1e-9)
    np.testing.assert_allclose([*model.coef_[0], *model.intercept_], result.w, atol=1e-4)
    assert model.margin_bounds_.tolist() == [0.0, 0.0]
    assert model.margin_ < 0.0
    assert model.certify(X, y, weight).relative_gap <= 1e-9


def test_slack_is_not_used_where_the_classes_are_separable(rng):
    X, y = separable(rng)
    hard = MaximumMarginClassifier(**TIGHT).fit(X, y)
    asked = MaximumMarginClassifier(slack=1.0, **TIGHT).fit(X, y)
    assert asked.loss_ == MarginConstraint()
    np.testing.assert_array_equal(asked.coef_, hard.coef_)


def test_classes_that_overlap_are_refused_with_the_proof(rng):
    X, y = rng.normal(size=(60, 3)), np.where(rng.normal(size=60) > 0, "b", "a")
    model = MaximumMarginClassifier(fit_intercept=True)
    text = r"found no margin: the classes 'a' and 'b' are not separable. The proof is in separability_\[0\]"
    with pytest.raises(InvalidInputError, match=text):
        model.fit(X, y)
    (found,) = model.separability_
    assert found.verdict is Verdict.NOT_SEPARABLE
    signed = np.where(y == "b", 1.0, -1.0) * found.weights
    np.testing.assert_allclose([*(X.T @ signed), signed.sum()], 0.0, atol=1e-12)
    assert found.weights.min() >= 0.0
    assert found.weights.sum() == pytest.approx(1.0)


def test_without_an_intercept_the_refusal_says_so():
    X = np.array([[1.0], [2.0]])
    with pytest.raises(InvalidInputError, match=r"by a hyperplane through the origin.*fit_intercept=True"):
        MaximumMarginClassifier().fit(X, [0, 1])
    model = MaximumMarginClassifier(fit_intercept=True, **TIGHT).fit(X, [0, 1])
    assert model.margin_ == pytest.approx(
        conic_margin(np.array([[1.0, 1.0], [2.0, 1.0]]), [-1, 1], 2.0), 1e-6
    )


def test_rows_of_weight_zero_do_not_count(rng):
    X, y = separable(rng)
    bad, labels = np.vstack([X, X[:2]]), np.concatenate([y, -y[:2]])
    weight = np.concatenate([rng.uniform(0.5, 2.0, len(y)), [0.0, 0.0]])
    model = MaximumMarginClassifier(**TIGHT).fit(bad, labels, weight)
    plain = MaximumMarginClassifier(**TIGHT).fit(X, y)
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-4)
    assert model.margin_ == pytest.approx(plain.margin_, rel=1e-9)


def test_several_classes_are_told_from_the_rest(rng):
    centres = 4.0 * np.eye(3)
    y = np.repeat(["x", "y", "z"], 10)
    X = centres[np.repeat(np.arange(3), 10)] + 0.3 * rng.normal(size=(30, 3))
    model = MaximumMarginClassifier(fit_intercept=True, **TIGHT).fit(X, y)
    assert model.coef_.shape == (3, 3)
    assert model.margin_.shape == (3,)
    assert model.margin_bounds_.shape == (3, 2)
    for k, label in enumerate(model.classes_):
        sign = np.where(y == label, 1.0, -1.0)
        expected = conic_margin(np.column_stack([X, np.ones(30)]), sign, 2.0)
        assert model.margin_[k] == pytest.approx(expected, rel=1e-6)
    np.testing.assert_array_equal(model.predict(X), y)


def test_the_middle_one_of_three_classes_on_a_line_needs_slack_for_all():
    X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 2]
    with pytest.raises(InvalidInputError, match="the class 1 and the rest are not separable"):
        MaximumMarginClassifier(fit_intercept=True).fit(X, y)
    model = MaximumMarginClassifier(fit_intercept=True, slack=100.0, **TIGHT).fit(X, y)
    assert isinstance(model.loss_, SquaredDistance)
    assert model.margin_bounds_[1].tolist() == [0.0, 0.0]
    assert np.all(model.margin_bounds_[[0, 2], 1] > 0.0)
    assert np.all(model.margin_bounds_[:, 0] <= model.margin_bounds_[:, 1])


def test_a_fit_that_ends_early_has_bounds_that_hold(rng):
    X, y = separable(rng)
    with pytest.warns(ConvergenceWarning, match="limit on passes"):
        model = MaximumMarginClassifier(tol=1e-14, max_passes=2, random_state=0).fit(X, y)
    low, high = model.margin_bounds_
    assert low <= conic_margin(X, y, 2.0) * (1 + 1e-6) <= high * (1 + 2e-6)


def test_where_the_verdict_is_open_the_hard_margin_is_tried_unless_slack_was_asked_for(rng, monkeypatch):
    def undecided(*args, **options):
        return replace(separability(*args, **options), verdict=Verdict.UNDECIDED, proof="")

    monkeypatch.setattr("fenchel.estimators.maximum_margin_classifier.separability", undecided)
    X, y = rng.normal(size=(40, 2)), np.sign(rng.normal(size=40))
    with pytest.warns(ConvergenceWarning, match="constraints are broken by .*more passes will not help"):
        hard = MaximumMarginClassifier(max_passes=100, random_state=0).fit(X, y)
    assert hard.margin_ < 0.0
    assert hard.margin_bounds_[0] == 0.0
    assert 0.0 < hard.margin_bounds_[1] < np.inf
    soft = MaximumMarginClassifier(slack=1.0, **TIGHT).fit(X, y)
    assert soft.status_ is Status.SOLVED
    assert isinstance(soft.loss_, SquaredDistance)
    assert soft.margin_bounds_[1] > 0.0


@pytest.mark.parametrize(
    ("parameters", "text"),
    [({"p": 3.0}, "above 1"), ({"p": "a"}, "above 1"), ({"slack": 0.0}, "strength=0.0")],
)
def test_refusals(parameters, text, rng):
    X, y = separable(rng)
    with pytest.raises(InvalidInputError, match=text):
        MaximumMarginClassifier(**parameters).fit(X, y)


def test_separability_takes_a_design(rng):
    X, y = separable(rng)
    for matrix in (X, sp.csr_matrix(X), sp.csc_matrix(X)):
        plain, found = separability(matrix, y), separability(as_design(matrix), y)
        assert found.separable
        assert found.margin_lower == plain.margin_lower
