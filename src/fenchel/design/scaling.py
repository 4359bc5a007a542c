"""The scale of every column, for penalties that do not depend on the units of the features."""

import numpy as np

from fenchel.design.base import Design
from fenchel.design.blocks import BLOCK_ENTRIES
from fenchel.typing import FloatArray

__all__ = ["column_scales"]

_CANCELLATION = 1e-4
"""Below this share of the mean square, a difference of sums has lost four digits: sum again, shifted."""


def column_scales(design: Design, sample_weight: FloatArray, *, centred: bool = True) -> FloatArray:
    r"""Return the weighted standard deviation of every column, without centring the matrix.

    .. math:: \sigma_j^2 = \frac{\sum_i s_i (a_{ij} - m_j)^2}{\sum_i s_i},
        \qquad m_j = \frac{\sum_i s_i a_{ij}}{\sum_i s_i}

    Parameters
    ----------
    design : Design, shape (n, d)
    sample_weight : ndarray of float64, shape (n,)
        At least zero, not all zero; any scale.
    centred : bool, default=True
        Whether to measure about the mean, as a model with an intercept needs. Otherwise about zero
        (the root mean square).

    Returns
    -------
    ndarray of float64, shape (d,)
        Exactly zero for a column that is constant on the samples of positive weight.

    Notes
    -----
    Two passes over the stored entries. Columns whose mean is at least 100 times their deviation are
    read again, a few at a time as dense columns (4 MB), and summed about one of their own values; a
    sparse matrix has few of them, since such a column is almost full.

    A penalty :math:`\lambda_j = \lambda \sigma_j` on the raw column equals the penalty
    :math:`\lambda` on the standardised one, so no scaled copy of the data is needed [1]_.

    References
    ----------
    .. [1] T. Hastie, R. Tibshirani, M. Wainwright, "Statistical Learning with Sparsity", CRC Press,
       2015, section 2.2.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.design import as_design, column_scales
    >>> column_scales(as_design([[1.0, 7.0], [3.0, 7.0]]), np.ones(2))
    array([1., 0.])
    """
    total = float(sample_weight.sum())
    mean_squares = design.column_square_sums(sample_weight) / total
    if not centred:
        root: FloatArray = np.sqrt(mean_squares)
        return root
    means = design.column_sums(sample_weight) / total
    variances = mean_squares - means**2
    doubtful = np.flatnonzero(variances <= _CANCELLATION * mean_squares)
    doubtful = doubtful[mean_squares[doubtful] > 0]
    at_a_time = max(1, BLOCK_ENTRIES // design.shape[0])
    for start in range(0, len(doubtful), at_a_time):
        chosen = doubtful[start : start + at_a_time]
        variances[chosen] = _shifted_variances(design.select_columns(chosen), sample_weight)
    scales: FloatArray = np.sqrt(np.maximum(variances, 0.0))
    return scales


def _shifted_variances(columns: FloatArray, sample_weight: FloatArray) -> FloatArray:
    """Measure about a value of the column itself: a constant column gives exactly zero."""
    origin = columns[int(np.argmax(sample_weight > 0))]
    deviations = columns - origin
    total = float(sample_weight.sum())
    shift = sample_weight @ deviations / total
    variances: FloatArray = sample_weight @ (deviations - shift) ** 2 / total
    return variances
