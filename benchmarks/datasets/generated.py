"""Generated data of every shape; seeds fixed."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from benchmarks.instance import FloatArray, Matrix

__all__ = ["gaussian", "text"]

Data = tuple[Matrix, FloatArray]


def _targets(scores: FloatArray, classification: bool, rng: np.random.Generator) -> FloatArray:
    """Return noisy scores, a tenth of their spread, or their signs with 5% flipped."""
    spread = float(scores.std())
    if not classification:
        noisy: FloatArray = scores + 0.1 * spread * rng.standard_normal(len(scores))
        return noisy
    flips = rng.random(len(scores)) < 0.05
    signs: FloatArray = np.where((scores > np.median(scores)) ^ flips, 1.0, -1.0)
    return signs


def text(n_samples: int, n_features: int, classification: bool, tokens: int = 120) -> Data:
    """Documents with words drawn from Zipf's law, log tf-idf, unit rows; columns in random order."""
    rng = np.random.default_rng(1)
    frequency = 1.0 / (np.arange(n_features) + 2.7) ** 1.05
    cumulative = np.cumsum(frequency[rng.permutation(n_features)])
    words = np.searchsorted(cumulative / cumulative[-1], rng.random(n_samples * tokens))
    documents = np.repeat(np.arange(n_samples), tokens)
    counts = sp.csr_matrix((np.ones(len(words)), (documents, words)), (n_samples, n_features))
    in_documents = np.bincount(counts.indices, minlength=n_features)
    weights = np.log1p(counts.data) * np.log(n_samples / in_documents[counts.indices])
    A = normalize(sp.csr_matrix((weights, counts.indices, counts.indptr), counts.shape))
    common = np.argsort(-in_documents)[: n_features // 20]
    planted = np.zeros(n_features)
    chosen = rng.choice(common, size=min(300, len(common)), replace=False)
    planted[chosen] = rng.standard_normal(len(chosen))
    return A, _targets(A @ planted, classification, rng)


def gaussian(n_samples: int, n_features: int, classification: bool, correlation: float = 0.5) -> Data:
    """Dense rows whose neighbouring features correlate (an AR(1) sequence); 5% planted coefficients."""
    rng = np.random.default_rng(2)
    A = rng.standard_normal((n_samples, n_features))
    for j in range(1, n_features):
        A[:, j] = correlation * A[:, j - 1] + np.sqrt(1 - correlation**2) * A[:, j]
    planted = np.where(rng.random(n_features) < 0.05, rng.standard_normal(n_features), 0.0)
    return A, _targets(A @ planted, classification, rng)
