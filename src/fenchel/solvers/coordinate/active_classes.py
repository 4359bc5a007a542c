"""Which classes of which rows a step can still move."""

from __future__ import annotations

import numpy as np

from fenchel._kernels.multiclass_sdca import ClassLists
from fenchel.typing import FloatArray, IndexArray

__all__ = ["active_classes"]


def active_classes(z: FloatArray, u: FloatArray, label: IndexArray, margin: float) -> ClassLists:
    r"""List for every row its own class and those that carry weight or come near its worst one.

    With :math:`m_l = z_l - [l = y]`, class l is listed if :math:`(u + b)_l > 0` or :math:`m_l \ge \max m -
    \text{margin}`. A class that is left out has weight zero already, so that steps on the listed ones stay
    in the dual domain, and a later pass over all classes takes up what was missed.

    Parameters
    ----------
    z, u : (n, k) scores and dual point of a loss whose dual is a simplex.
    label : (n,) the classes.
    margin : float

    Returns
    -------
    ClassLists
        A row that lists its own class alone has nothing to move. Cost O(n k).
    """
    every = np.arange(len(z))
    slack = z.copy()
    slack[every, label] -= 1.0
    active = (u > 0.0) | (slack >= slack.max(axis=1, keepdims=True) - margin)
    active[every, label] = False
    row, others = np.nonzero(active)
    counts = 1 + np.bincount(row, minlength=len(z))
    indptr = np.concatenate([[0], np.cumsum(counts)])
    classes = np.empty(indptr[-1], dtype=np.int32)
    own = np.zeros(classes.size, dtype=np.bool_)
    own[indptr[:-1]] = True
    classes[own], classes[~own] = label, others
    return ClassLists(indptr, classes)
