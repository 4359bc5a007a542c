"""Verdicts on separability: right on known sets, confirmed by a linear program, with proofs that hold."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

from cases_separability import Classes, inseparable_sets, separable_sets
from fenchel import InvalidInputError, Separability, Verdict, separability
from fenchel.datasets import load_data
from fenchel.numerics.gordan import (
    balanced_weights,
    is_balanced,
    leaves_no_direction,
    rational_weights,
)
from fenchel.numerics.power import lp_norm

SEPARABLE, INSEPARABLE = list(separable_sets()), list(inseparable_sets())
each_separable = pytest.mark.parametrize(
    "classes", [item for _, item in SEPARABLE], ids=[name for name, _ in SEPARABLE]
)
each_inseparable = pytest.mark.parametrize(
    "classes", [item for _, item in INSEPARABLE], ids=[name for name, _ in INSEPARABLE]
)


def signed(classes: Classes) -> np.ndarray:
    """The dense rows times their signs, with the column of the intercept."""
    X = classes.X.toarray() if sp.issparse(classes.X) else classes.X
    X = np.column_stack([X, np.ones(len(X))]) if classes.fit_intercept else X
    return classes.y[:, None] * X


def a_linear_program_separates(rows: np.ndarray) -> bool:
    """Whether ``rows @ theta >= 1`` has a solution, by HiGHS, on columns and rows of alike sizes."""
    rows = rows / np.maximum(np.abs(rows).max(axis=0), 1e-300)
    rows = rows / np.abs(rows).max(axis=1, keepdims=True)
    found = linprog(np.zeros(rows.shape[1]), A_ub=-rows, b_ub=-np.ones(len(rows)), bounds=(None, None))
    assert found.status in (0, 2), found.message
    return found.status == 0


def separates_exactly(classes: Classes, found: Separability) -> bool:
    """Every row on its side, in fractions."""
    theta = [*found.direction, found.intercept] if classes.fit_intercept else found.direction
    exact = [Fraction(float(value)) for value in theta]
    return all(
        sum(Fraction(float(x)) * t for x, t in zip(row, exact, strict=True) if x) > 0
        for row in signed(classes)
    )


def test_there_are_sixty_sets_of_each_kind():
    assert len(SEPARABLE) == len(INSEPARABLE) == 60


@each_separable
def test_separable_sets(classes):
    found = separability(classes.X, classes.y, fit_intercept=classes.fit_intercept)
    assert found.verdict is Verdict.SEPARABLE
    assert (found.separable, found.proof, found.exact_weights) == (True, "direction", None)
    assert 0.0 < found.margin_lower <= found.margin_upper < np.inf
    assert np.linalg.norm(found.direction) == pytest.approx(1.0, rel=1e-12)
    assert separates_exactly(classes, found)
    assert a_linear_program_separates(signed(classes))
    # The bounds are what they are said to be.
    margins = classes.y * (classes.X @ found.direction + found.intercept)
    rounding = 1e-12 * np.abs(signed(classes)).max()
    assert found.margin_lower <= np.min(margins) <= found.margin_lower * (1.0 + 1e-9) + rounding
    assert found.weights.min() >= 0.0
    half = np.linalg.norm(classes.X.T @ (found.weights * classes.y))
    assert half == pytest.approx(found.margin_upper, rel=1e-6)
    if classes.fit_intercept:
        assert found.weights @ classes.y == pytest.approx(0.0, abs=1e-12)


@each_inseparable
def test_inseparable_sets(classes):
    found = separability(classes.X, classes.y, fit_intercept=classes.fit_intercept)
    assert not a_linear_program_separates(signed(classes))
    assert found.verdict is Verdict.NOT_SEPARABLE
    assert (found.margin_lower, found.margin_upper) == (0.0, 0.0)
    rows = signed(classes)
    assert found.weights.min() >= 0.0
    assert found.weights.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(rows.T @ found.weights, 0.0, atol=1e-12 * np.abs(rows).max())
    if found.exact_weights is not None:
        assert is_balanced(rows, found.exact_weights)
        np.testing.assert_allclose([float(weight) for weight in found.exact_weights], found.weights)
    elif found.proof == "cancellation":
        first, second = np.flatnonzero(found.weights)
        np.testing.assert_array_equal(rows[first], -rows[second])
    else:
        assert found.proof == "interior"
        used = np.flatnonzero(found.weights)
        assert leaves_no_direction(rows[used], found.weights[used])


# The proofs


def test_weights_near_to_cancelling_prove_nothing_by_themselves(rng):
    """A margin of 1e-9 leaves weights whose sum is as small; no proof must take them."""
    X = np.array([[1.0, 1e-9], [-1.0, 1e-9], [0.5, 1e-9]])
    weights = np.array([0.5, 0.5, 1e-3])
    balanced = balanced_weights(X, weights)
    assert not leaves_no_direction(X, weights)
    assert not leaves_no_direction(X, balanced)
    assert rational_weights(X, weights) is None
    assert separability(np.vstack([X, -X]), [1, 1, 1, 0, 0, 0]).separable
    # Nor does a bound on the rank that rounding makes.
    repeated = rng.normal(size=(20, 2)) @ np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 4.0]])
    assert not leaves_no_direction(repeated, np.ones(20))


@pytest.mark.parametrize("offset", [1e-4, 1e-8, 1e-12])
def test_margins_of_every_size_get_no_wrong_verdict(offset, rng):
    X = rng.normal(size=(40, 3))
    y = rng.choice([-1.0, 1.0], size=40)
    X = np.column_stack([X, offset * y])
    found = separability(X, y)
    assert found.separable is not False
    assert found.margin_upper >= offset * (1.0 - 1e-9)


def test_rational_weights_need_no_full_rank():
    rows = np.array([[1.0, 2.0, 3.0, 0.0], [2.0, 4.0, 6.0, 0.0], [-3.0, -6.0, -9.0, 0.0]])
    exact = rational_weights(rows, np.array([0.3, 0.3, 0.3]))
    assert exact is not None
    assert is_balanced(rows, exact)
    assert not is_balanced(rows, [Fraction(1), Fraction(1), Fraction(2)])
    assert not is_balanced(rows, [Fraction(1), Fraction(-2), Fraction(-1)])
    assert not is_balanced(rows, [Fraction(0)] * 3)
    assert rational_weights(rows[:2], np.array([0.5, 0.5])) is None


def test_classes_that_touch_are_not_separable_strictly():
    """(0, 0) is in the hull of the other class: a plane has all rows on its side or on itself."""
    X = [[0.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    found = separability(X, [1, 0, 0, 0])
    assert found.verdict is Verdict.NOT_SEPARABLE
    assert found.proof == "cancellation"
    assert separability(X, [1, 0, 1, 1]).separable


@pytest.mark.parametrize("p", [1.1, 1.5, 2.0])
def test_no_direction_has_a_larger_margin(p, rng):
    X, w = rng.normal(size=(30, 6)), rng.normal(size=6)
    y = np.where(X @ w + 0.3 > 0.0, "yes", "no")
    found = separability(X, y, p=p, tol=0.01)
    assert lp_norm(found.direction, p) == pytest.approx(1.0)
    assert found.margin_lower <= found.margin_upper
    sign = np.where(y == "yes", 1.0, -1.0)
    directions = found.direction + 0.1 * rng.normal(size=(2000, 6)) * rng.random((2000, 1))
    for direction in directions:
        scores = X @ direction
        middle = 0.5 * (scores[sign > 0].min() + scores[sign < 0].max())
        assert np.min(sign * (scores - middle)) / lp_norm(direction, p) <= found.margin_upper
    if p == 2.0:
        assert found.margin_upper <= 1.01 * found.margin_lower


def test_the_message_has_the_bounds():
    found = separability([[0.0], [1.0]], ["a", "b"])
    assert found.message.startswith(
        "separable: the direction has every row on its side (largest margin in [0.5, 0.5], p = 2;"
    )
    np.testing.assert_array_equal(found.direction, [1.0])
    assert found.intercept == pytest.approx(-0.5)


def test_labels_and_arguments_are_checked():
    X = np.eye(3)
    with pytest.raises(InvalidInputError, match="y has 3 classes, but separability is a question about two"):
        separability(X, [0, 1, 2])
    with pytest.raises(InvalidInputError, match="y has 1 classes"):
        separability(X, [1, 1, 1])
    with pytest.raises(InvalidInputError, match=r"y has shape \(2,\), but X has 3 rows"):
        separability(X, [0, 1])
    with pytest.raises(InvalidInputError, match=r"separability cannot use p=1"):
        separability(X, [0, 1, 1], p=1)
    with pytest.raises(InvalidInputError, match=r"tol=-1 is not a number"):
        separability(X, [0, 1, 1], tol=-1)
    with pytest.raises(InvalidInputError):
        separability([[np.nan], [1.0]], [0, 1])


# Real sets


REAL = Path(__file__).parents[2] / ".." / "shared" / "data"


@pytest.mark.parametrize(
    ("name", "expected", "proof"),
    [
        ("leukemia.npz", True, "direction"),
        ("colon.npz", True, "direction"),
        ("madelon.npz", False, "interior"),
        ("mushrooms.svm.bz2", True, "direction"),
        ("phishing.svm.bz2", False, "cancellation"),
    ],
)
def test_real_sets(name, expected, proof):
    path = REAL / name
    if not path.exists():
        pytest.skip(f"{name} is not in ../shared/data")
    data = load_data(path)
    found = separability(data.X, data.y)
    assert (found.separable, found.proof) == (expected, proof)
    if expected:
        sign = np.where(data.y == np.max(data.y), 1.0, -1.0)
        margins = sign * (data.X @ found.direction + found.intercept)
        assert 0.0 < found.margin_lower <= np.min(margins) * (1.0 + 1e-12)
        assert found.margin_lower <= found.margin_upper <= 1.1 * found.margin_lower
