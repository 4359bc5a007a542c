"""The products of all pairs of rows by single precision, in plain NumPy."""

import numpy as np

from fenchel.typing import FloatArray

__all__ = ["row_products"]

_BLOCK = 512


def row_products(A: FloatArray, lengths: FloatArray) -> FloatArray:
    r"""``A A'`` from rows over their lengths in float32, summed in it over 512 columns.

    .. math:: K_{ij} = |a_i| |a_j| \sum_{\text{blocks}} \sum_k \frac{a_{ik}}{|a_i|} \frac{a_{jk}}{|a_j|}
    """
    scaled = np.divide(A, lengths[:, None], out=np.zeros(A.shape), where=lengths[:, None] > 0)
    rounded = scaled.astype(np.float32)
    product = np.zeros((len(A), len(A)))
    for first in range(0, A.shape[1], _BLOCK):
        block = rounded[:, first : first + _BLOCK]
        product += np.array([[float(np.sum(a * b)) for b in block] for a in block])
    return product * np.outer(lengths, lengths)
