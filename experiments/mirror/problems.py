"""The data of the paper's section 5, with the setting that its authors' scripts have.

X is standard normal, with n = d = k, and a label is the argmax of ``U0' x`` plus noise of variance 1/k. The
text of the paper has U0 = I and R = d; the stored runs of its authors have U0 = I / 2 and R = d / 2.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from fenchel import Problem
from fenchel.losses import MulticlassHinge
from fenchel.regularizers import L1Ball

__all__ = ["STRENGTH", "one_hot", "planted", "sparse_rows"]

STRENGTH = 1e-3


def one_hot(labels: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the targets of the losses of several classes."""
    b = np.zeros((len(labels), n_classes))
    b[np.arange(len(labels)), labels] = 1.0
    return b


def planted(size: int, scale: float, rng: np.random.Generator) -> Problem:
    """Return the l1 hinge in the ball of the norm of ``U0 = scale I``; the matrix in single precision."""
    A = rng.standard_normal((size, size), dtype=np.float32)
    noise = rng.standard_normal((size, size), dtype=np.float32) / np.float32(np.sqrt(size))
    labels = (np.float32(scale) * A + noise).argmax(axis=1)
    return _hinge(A, labels, size, scale * size)


def sparse_rows(size: int, per_row: int, rng: np.random.Generator) -> Problem:
    """Return the same with ``per_row`` normal entries a row at random places; the label is the largest."""
    columns = np.sort(np.stack([rng.choice(size, per_row, replace=False) for _ in range(size)]), axis=1)
    values = rng.standard_normal((size, per_row))
    labels = np.take_along_axis(columns, values.argmax(axis=1)[:, None], axis=1)[:, 0]
    bounds = per_row * np.arange(size + 1)
    A = sp.csr_array((values.ravel(), columns.ravel(), bounds), shape=(size, size))
    return _hinge(A, labels, size, 0.5 * size)


def _hinge(A: np.ndarray | sp.csr_array, labels: np.ndarray, size: int, radius: float) -> Problem:
    return Problem(A, one_hot(labels, size), MulticlassHinge(), L1Ball(radius, l1=STRENGTH))
