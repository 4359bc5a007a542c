"""Groups of features: their Euclidean norms, and the scaling of each as a whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel.typing import FloatArray, IndexArray

__all__ = ["Groups"]


@dataclass(frozen=True, eq=False)
class Groups:
    """A partition of the rows of ``w``; a group holds all outputs of its features.

    Attributes
    ----------
    codes : ndarray of shape (d,)
        The number of the group of each feature, from 0.
    count : int
        How many groups there are.
    """

    codes: IndexArray
    count: int

    def norms(self, w: FloatArray) -> FloatArray:
        """The Euclidean norm of every group, shape (count,); neither overflows nor underflows."""
        size = np.abs(w) if w.ndim == 1 else np.abs(w).max(axis=1, initial=0.0)
        largest = np.zeros(self.count)
        np.maximum.at(largest, self.codes, size)
        unit = np.where(largest > 0, largest, 1.0)
        scaled = w / self.spread(unit, w)
        squares = scaled**2 if w.ndim == 1 else np.einsum("jk,jk->j", scaled, scaled)
        result: FloatArray = largest * np.sqrt(np.bincount(self.codes, squares, minlength=self.count))
        return result

    def spread(self, values: FloatArray, w: FloatArray) -> FloatArray:
        """One value a group, laid out over the rows of ``w``."""
        rows = values[self.codes]
        return rows if w.ndim == 1 else rows[:, None]

    def resized(self, w: FloatArray, norms: FloatArray, wanted: FloatArray) -> FloatArray:
        """``w`` with the norm of each group changed from ``norms`` to ``wanted``; groups of zeros stay."""
        unit = np.where(norms > 0, norms, 1.0)
        # Divided first: the quotient of two tiny norms can overflow.
        return w / self.spread(unit, w) * self.spread(wanted, w)

    def only(self, first: int, w: FloatArray) -> FloatArray:
        """``w`` on one group, zero elsewhere."""
        chosen = self.codes == first
        return np.where(chosen if w.ndim == 1 else chosen[:, None], w, 0.0)
