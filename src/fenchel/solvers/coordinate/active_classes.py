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
    k = z.shape[1]
    # Places in the matrices read as one line.
    own = np.arange(len(z)) * k + label
    slack = z.copy()
    slack.reshape(-1)[own] -= 1.0
    active = (u > 0.0) | (slack >= slack.max(axis=1, keepdims=True) - margin)
    active.reshape(-1)[own] = False
    others = np.flatnonzero(active) % k
    counts = 1 + np.count_nonzero(active, axis=1)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    classes = np.empty(indptr[-1], dtype=np.int32)
    first = np.zeros(classes.size, dtype=np.bool_)
    first[indptr[:-1]] = True
    classes[first], classes[~first] = label, others
    return ClassLists(indptr, classes)
