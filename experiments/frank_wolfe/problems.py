"""Logistic loss on the l1 ball of radius 5, no intercept: four sets like the paper's, and a small one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from benchmarks.datasets.stored import a9a, data_folder, gisette_like, mushrooms, w8a
from fenchel import Problem
from fenchel.losses import Logistic
from fenchel.regularizers import L1Ball

__all__ = ["RADIUS", "problems"]

RADIUS = 5.0


def problems(full: bool) -> Iterator[tuple[str, Problem]]:
    """The sets of the paper; 20 factors of 5 levels each, coded one by one, unless ``full``.

    Gisette is replaced by a set built from Mnist in the same spirit.
    """
    if not full:
        rng = np.random.default_rng(0)
        levels = rng.integers(5, size=(400, 20)) + 5 * np.arange(20)
        A = sp.csr_array((np.ones(8000), levels.ravel(), np.arange(0, 8001, 20)), shape=(400, 100))
        b = np.where(A @ rng.normal(size=100) + rng.normal(size=400) > 0.0, 1.0, -1.0)
        yield "one-hot", Problem(A, b, Logistic(), L1Ball(RADIUS))
        return
    folder = data_folder()
    for name, load in (("a9a", a9a), ("w8a", w8a), ("mushrooms", mushrooms), ("gisette-like", gisette_like)):
        A, b = load(folder)
        yield name, Problem(A, b, Logistic(), L1Ball(RADIUS))
