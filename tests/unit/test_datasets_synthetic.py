"""Random problems: shapes, the laws that they promise, and the same draws from the same seed."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel.datasets import correlated_regression, sparse_logistic, synthetic, text_like
from fenchel.errors import InvalidInputError

DRAWS = {
    "sparse_logistic": lambda rng, **options: sparse_logistic(300, 200, 0.1, rng, **options),
    "correlated_regression": lambda rng, **options: correlated_regression(300, 200, 0.6, rng, **options),
    "text_like": lambda rng, **options: text_like(300, 200, 20, rng, **options),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_shapes_and_types(draw):
    X, y, w_true = draw(np.random.default_rng(0), n_informative=7)
    assert X.shape == (300, 200)
    assert y.shape == (300,)
    assert w_true.shape == (200,)
    assert X.dtype == y.dtype == w_true.dtype == np.float64
    assert np.count_nonzero(w_true) == 7


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_the_generator_decides_everything(draw):
    first, again, other = (draw(np.random.default_rng(seed)) for seed in (1, 1, 2))
    for one, two, three in zip(first, again, other, strict=True):
        dense = [part.toarray() if sp.issparse(part) else part for part in (one, two, three)]
        np.testing.assert_array_equal(dense[0], dense[1])
        assert not np.array_equal(dense[0], dense[2])


@pytest.mark.parametrize("draw", [DRAWS["sparse_logistic"], DRAWS["text_like"]])
def test_labels_follow_the_logistic_model(draw):
    X, y, w_true = draw(np.random.default_rng(3), signal=2.0)
    scores = X @ w_true
    assert set(np.unique(y)) == {-1.0, 1.0}
    assert np.std(scores) == pytest.approx(2.0)
    expected = np.tanh(scores / 2)
    noise = np.sqrt(np.mean(1 - expected**2) / len(y))
    assert abs(np.mean(y - expected)) < 4 * noise
    assert abs(np.mean((y - expected) * expected)) < 4 * noise


@pytest.mark.parametrize("density", [0.001, 0.2, 1.0])
def test_entries_are_independent(density):
    X, _, _ = sparse_logistic(500, 400, density, np.random.default_rng(4))
    cells = X.shape[0] * X.shape[1]
    assert abs(X.nnz - cells * density) <= 5 * np.sqrt(cells * density * (1 - density))
    assert X.has_canonical_format
    # The counts of the rows are binomial.
    counts = np.diff(X.indptr)
    assert np.var(counts) == pytest.approx(400 * density * (1 - density), rel=0.35)


def test_more_gaps_are_drawn_when_the_first_fall_short(monkeypatch):
    monkeypatch.setattr(synthetic.np, "sqrt", lambda value: -np.float64(value) / 8)
    cells = synthetic._bernoulli_cells(10_000, 0.1, np.random.default_rng(5))
    assert 800 < len(cells) < 1200
    assert np.all(np.diff(cells) > 0)
    assert cells[-1] < 10_000


def test_huge_sparse_shapes_cost_only_their_entries():
    X, _, _ = sparse_logistic(200_000, 200_000, 1e-7, np.random.default_rng(6))
    assert 3_000 < X.nnz < 5_000


@pytest.mark.parametrize("rho", [-0.5, 0.0, 0.9])
def test_columns_are_correlated_as_promised(rho):
    X, _, _ = correlated_regression(20_000, 4, rho, np.random.default_rng(7), n_informative=2)
    expected = rho ** np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    np.testing.assert_allclose(np.cov(X.T), expected, atol=0.05)


def test_noise_has_the_ratio_asked_for():
    X, y, w_true = correlated_regression(100, 20, 0.5, np.random.default_rng(8), signal_to_noise=4.0)
    clean = X @ w_true
    assert np.linalg.norm(clean) / np.linalg.norm(y - clean) == pytest.approx(4.0)
    X, y, w_true = correlated_regression(100, 20, 0.5, np.random.default_rng(8), signal_to_noise=np.inf)
    np.testing.assert_array_equal(y, X @ w_true)


def test_documents_have_unit_length_and_zipf_terms():
    X, _, _ = text_like(2000, 5000, 60, np.random.default_rng(9))
    np.testing.assert_allclose(np.sqrt((X**2).sum(axis=1)), 1.0, rtol=1e-12)
    assert X.nnz / 2000 == pytest.approx(60, rel=0.03)
    assert X.data.min() > 0
    frequency = np.bincount(X.indices, minlength=5000)
    assert frequency[0] > 0.99 * 2000
    assert frequency[:50].sum() > 10 * frequency[2500:2550].sum()


def test_shortest_documents():
    X, _, _ = text_like(50, 2, 1, np.random.default_rng(10))
    np.testing.assert_array_equal(np.diff(X.indptr), np.ones(50))


@pytest.mark.parametrize(
    ("draw", "word"),
    [
        (lambda rng: sparse_logistic(0, 5, 0.1, rng), "at least 1"),
        (lambda rng: sparse_logistic(5, 5, 0.0, rng), "density"),
        (lambda rng: sparse_logistic(5, 5, 1.5, rng), "density"),
        (lambda rng: sparse_logistic(5, 5, 0.5, rng, n_informative=6), "n_informative"),
        (lambda rng: correlated_regression(5, 5, 1.0, rng), "rho"),
        (lambda rng: correlated_regression(5, 5, 0.5, rng, signal_to_noise=0), "signal_to_noise"),
        (lambda rng: text_like(5, 10, 6, rng), "nnz_per_row"),
        (lambda rng: text_like(5, 10, 0, rng), "nnz_per_row"),
    ],
)
def test_impossible_requests(draw, word):
    with pytest.raises(InvalidInputError, match=word):
        draw(np.random.default_rng(0))
