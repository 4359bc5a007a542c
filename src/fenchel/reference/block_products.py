"""Products with several vectors in plain NumPy, on a dense matrix."""

import numpy as np

from fenchel.typing import FloatArray

__all__ = ["products_across", "products_along"]


def products_along(A: FloatArray, vectors: FloatArray) -> FloatArray:
    """``A w`` for every row w of ``vectors``: (n, d) and (k, d) to (k, n)."""
    return np.array([[float(np.sum(a * w)) for a in A] for w in vectors])


def products_across(A: FloatArray, vectors: FloatArray) -> tuple[FloatArray, list[int]]:
    """``A' u`` for every row u of ``vectors``, and the rows of A where some u is not zero."""
    used = [i for i in range(len(A)) if np.any(vectors[:, i] != 0.0)]
    products = np.zeros((len(vectors), A.shape[1]))
    for product, u in zip(products, vectors, strict=True):
        for i in used:
            product += u[i] * A[i]
    return products, used
