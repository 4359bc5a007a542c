"""The estimator of matrix completion."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from fenchel import ConvergenceWarning, InvalidInputError, MatrixCompletion, UnsupportedProblemError
from fenchel.losses import Huber


def observed(rng, n=250, shape=(25, 18), noise=0.1):
    """Pairs and values of a matrix of rank 2 with effects of its rows and columns."""
    m, p = shape
    places = rng.permutation(m * p)[:n]
    truth = (
        rng.normal(size=(m, 2)) @ rng.normal(size=(2, p)) + 3.0 + rng.normal(size=(m, 1)) + rng.normal(size=p)
    )
    return np.column_stack([places // p, places % p]), truth.ravel()[places] + noise * rng.normal(size=n)


@pytest.mark.parametrize("center", ["mean", "effects", None])
def test_the_fit_is_the_matrix_that_its_certificate_says(rng, center):
    pairs, y = observed(rng)
    model = MatrixCompletion(20.0, center=center, tol=1e-6).fit(pairs, y)
    W, (left, right) = model.matrix_.toarray(), model.factors_
    np.testing.assert_allclose(left @ right.T, W, atol=1e-12)
    assert model.rank_ == left.shape[1] == np.linalg.matrix_rank(W)
    assert np.linalg.norm(W, "nuc") <= 20.0 * (1 + 1e-12)
    np.testing.assert_allclose(
        model.singular_values_, np.linalg.svd(W, compute_uv=False)[: model.rank_], rtol=1e-9
    )
    whole = W + model.offset_ + model.row_effects_[:, None] + model.column_effects_
    np.testing.assert_allclose(model.predict(pairs), whole[tuple(pairs.T)], atol=1e-12)
    assert model.certificate_.primal == pytest.approx(
        0.5 * np.mean((model.predict(pairs) - y) ** 2), rel=1e-10
    )
    assert model.status_.solved
    assert model.certificate_.relative_gap <= 1e-6
    again = model.certify(pairs, y)
    assert again.primal == pytest.approx(model.certificate_.primal, rel=1e-12)
    assert again.dual == pytest.approx(model.certificate_.dual, rel=1e-12)


def test_effects_are_those_of_least_squares(rng):
    pairs, y = observed(rng, n=400)
    weight = rng.exponential(size=len(y))
    model = MatrixCompletion(1e-6, center="effects").fit(pairs, y, weight)
    A = np.zeros((len(y), 1 + 25 + 18))
    A[:, 0] = A[np.arange(len(y)), 1 + pairs[:, 0]] = A[np.arange(len(y)), 26 + pairs[:, 1]] = 1.0
    root = np.sqrt(weight)
    best = A @ np.linalg.lstsq(A * root[:, None], y * root, rcond=None)[0]
    effects = model.offset_ + model.row_effects_[pairs[:, 0]] + model.column_effects_[pairs[:, 1]]
    np.testing.assert_allclose(effects, best, atol=1e-5)


def test_a_sparse_matrix_is_its_stored_entries_zeros_too(rng):
    pairs, y = observed(rng)
    y[:5] = 0.0
    order = np.lexsort(pairs.T[::-1])
    pairs, y = pairs[order], y[order]
    dense = MatrixCompletion(10.0, random_state=0).fit(pairs, y)
    for form in (sp.coo_array, sp.csr_matrix, sp.csc_array):
        X = form(sp.coo_array((y, tuple(pairs.T)), shape=(25, 18)))
        before = X.copy()
        model = MatrixCompletion(10.0, random_state=0).fit(X)
        np.testing.assert_allclose(model.matrix_.toarray(), dense.matrix_.toarray(), atol=1e-12)
        assert len(model.dual_coef_) == len(y)
        np.testing.assert_array_equal(X.data, before.data)


def test_a_weight_of_two_is_an_observation_that_stands_twice(rng):
    pairs, y = observed(rng, n=100)
    weight = rng.integers(0, 3, size=100)
    repeated = np.repeat(np.arange(100), weight)
    one = MatrixCompletion(10.0, tol=1e-9, shape=(25, 18)).fit(pairs, y, weight)
    two = MatrixCompletion(10.0, tol=1e-9, shape=(25, 18)).fit(pairs[repeated], y[repeated])
    assert one.certificate_.primal == pytest.approx(two.certificate_.primal, rel=1e-8)


def test_a_path_starts_each_fit_from_the_one_before(rng):
    pairs, y = observed(rng, n=300)
    train, test = (pairs[:240], y[:240]), (pairs[240:], y[240:])
    radii = [2.0, 10.0, 40.0]
    points = MatrixCompletion(center="effects", shape=(25, 18), tol=1e-5).path(radii, *train, held_out=test)
    assert [point.model.radius for point in points] == radii
    assert points[0].observed > points[1].observed > points[2].observed
    for radius, point in zip(radii, points, strict=True):
        alone = MatrixCompletion(radius, center="effects", shape=(25, 18), tol=1e-5).fit(*train)
        assert point.model.certificate_.relative_gap <= 1e-5
        assert point.model.certificate_.primal == pytest.approx(alone.certificate_.primal, rel=2e-5)
        assert point.held_out == pytest.approx(
            np.sqrt(np.mean((point.model.predict(test[0]) - test[1]) ** 2))
        )
    assert np.isnan(MatrixCompletion().path([1.0], *train)[0].held_out)


def test_a_warm_start_has_nothing_left_to_do(rng):
    pairs, y = observed(rng)
    model = MatrixCompletion(10.0, warm_start=True).fit(pairs, y)
    first = model.n_iter_
    assert model.fit(pairs, y).n_iter_ < first
    assert model.certificate_.relative_gap <= 1e-3


def test_conventions_of_scikit_learn(rng):
    pairs, y = observed(rng)
    model = MatrixCompletion(5.0, loss=Huber(2.0), shape=(25, 18))
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        model.predict(pairs)
    assert model.fit(pairs, y) is model
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(pairs), model.predict(pairs))
    search = GridSearchCV(MatrixCompletion(center="effects", shape=(25, 18)), {"radius": [1.0, 20.0]}, cv=3)
    assert search.fit(pairs, y).best_params_ == {"radius": 20.0}
    assert search.score(pairs, y) > 0.5


def test_a_limit_is_told(rng):
    pairs, y = observed(rng)
    with pytest.warns(ConvergenceWarning, match="MatrixCompletion stopped early"):
        model = MatrixCompletion(20.0, tol=1e-12, max_passes=50).fit(pairs, y)
    assert not model.status_.solved
    assert model.certificate_.gap > 0


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        ([[0, 0]], None, {}, "y is None, but X is not a sparse matrix"),
        (sp.csr_array([[1.0]]), [1.0], {}, "y is not None, but X is a sparse matrix"),
        ([[0, 0, 1]], [1.0], {}, r"X has shape \(1, 3\)"),
        ([[0, -1]], [1.0], {}, "no positions"),
        ([[0, 0.5]], [1.0], {}, "no positions"),
        ([["a", "b"]], [1.0], {}, "no positions"),
        ([[0, 5]], [1.0], {"shape": (2, 3)}, "the column 5, but the matrix has 3"),
        ([[0, 0]], [np.nan], {}, "NaN"),
        ([[0, 0]], [1.0, 2.0], {}, "y has"),
        (sp.csr_array((3, 3)), None, {}, "no observation"),
        ([[0, 0]], [1.0], {"center": "median"}, "center='median' is unknown"),
        ([[0, 0]], [1.0], {"radius": -1.0}, "NuclearBall cannot use radius=-1.0"),
        ([[0, 0]], [1.0], {"loss": "logistic"}, "it is for classification"),
    ],
)
def test_what_no_fit_can_use_is_refused(X, y, options, message):
    with pytest.raises(InvalidInputError, match=message):
        MatrixCompletion(**options).fit(X, y)


def test_a_loss_with_kinks_is_refused():
    with pytest.raises(
        UnsupportedProblemError, match=r"soft_impute.*: it needs a loss with a Lipschitz gradient"
    ):
        MatrixCompletion(loss="absolute").fit([[0, 0]], [1.0])


def test_a_position_outside_of_the_matrix_has_no_prediction(rng):
    model = MatrixCompletion(5.0).fit(*observed(rng))
    with pytest.raises(InvalidInputError, match="the row 25, but the matrix has 25"):
        model.predict([[25, 0]])
