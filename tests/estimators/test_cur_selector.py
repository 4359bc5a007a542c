"""The estimator of CUR decompositions."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from fenchel import ConvergenceWarning, CURSelector, InvalidInputError


@pytest.mark.filterwarnings("ignore::fenchel.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([CURSelector(0.5, tol=0.1, max_passes=30)])
def test_check_of_scikit_learn(estimator, check):
    check(estimator)


def spanned(rng):
    """A matrix of rank 2, whose columns 1 and 4 and rows 0 and 6 are much the largest."""
    left, right = 0.1 * rng.normal(size=(8, 2)), 0.1 * rng.normal(size=(2, 6))
    left[[0, 6]], right[:, [1, 4]] = np.eye(2), np.eye(2)
    return left @ right


def test_the_large_columns_and_rows_are_chosen(rng):
    M = spanned(rng)
    model = CURSelector(2.0, n_columns=2, n_rows=2).fit(M)
    assert sorted(model.column_indices_) == [1, 4]
    assert sorted(model.row_indices_) == [0, 6]
    assert model.relative_error_ <= 1e-10
    assert model.status_.solved
    np.testing.assert_array_equal(model.transform(M), M[:, [1, 4]])
    np.testing.assert_array_equal(np.flatnonzero(model.get_support()), [1, 4])
    assert list(model.get_feature_names_out()) == ["x1", "x4"]
    assert np.all(np.diff(model.column_scores_[model.column_indices_]) <= 0)


def test_the_certificate_is_that_of_the_formula(rng):
    M = rng.normal(size=(6, 5))
    model = CURSelector(0.5, tol=1e-4).fit(M)
    W, scaled = model.coef_, M / np.linalg.norm(M, 2)
    assert max(np.abs(W).max(axis=k).sum() for k in (0, 1)) <= 0.5 * (1 + 1e-12)
    value = 0.5 * np.mean((scaled - scaled @ W @ scaled) ** 2)
    assert model.certificate_.primal == pytest.approx(value, rel=1e-12)
    assert model.certificate_.relative_gap <= 1e-4
    other = CURSelector(0.5, tol=1e-4).fit(1000.0 * M)
    np.testing.assert_allclose(other.coef_, W, atol=1e-8)


def test_a_larger_radius_fits_better(rng):
    M = rng.normal(size=(6, 5))
    values = [CURSelector(radius, tol=1e-2).fit(M).certificate_.primal for radius in (0.1, 0.5, 2.0)]
    assert values[0] > values[1] > values[2]


def test_zero_has_nothing_to_choose():
    model = CURSelector().fit(np.zeros((3, 2)))
    assert model.column_indices_.size == 0
    assert model.relative_error_ == 0.0


def test_errors_and_limits(rng):
    M = rng.normal(size=(6, 5))
    with pytest.raises(InvalidInputError, match="n_columns=0 is not a positive integer"):
        CURSelector(n_columns=0).fit(M)
    with pytest.raises(InvalidInputError, match="RowColumnBall cannot use radius=-1"):
        CURSelector(radius=-1.0).fit(M)
    with pytest.warns(ConvergenceWarning, match="CURSelector stopped early"):
        CURSelector(2.0, tol=1e-9, max_passes=10).fit(M)
