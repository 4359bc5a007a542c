r"""Continuation: a sequence of larger l1 parts, when the one asked for is far below its maximum.

At level :math:`\kappa \ge 1` the l1 strengths are :math:`\kappa\, l_{1j}`. The first level is a fifth of the
one with the zero solution, and each next one a fifth of the largest :math:`|v_j| / l_{1j}`: few columns are
in play at a time, and the models stay good. Once a level is solved roughly the next begins; the last is 1.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fenchel.numerics.coordinate import CoordinateForm
from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["ROUGHLY", "at_level", "first_level", "next_level"]

_FAR, _FAR_WHERE_ROWS_SATURATE = 200.0, 2000.0
"""The l1 part is weak when it is this many times below the one with the zero solution; the second one for a
loss like the logistic one, whose rows lose their curvature little by little."""
_SHARE = 0.2
ROUGHLY = 0.3
"""A level is solved when no violation is above this share of the l1 strength."""


def at_level(form: CoordinateForm, level: float) -> CoordinateForm:
    """The form whose l1 strengths are ``level`` times larger."""
    return form if level == 1.0 else replace(form, l1=level * form.l1)


def _largest_ratio(form: CoordinateForm, v: FloatArray) -> float:
    return float(np.max(np.abs(v) / np.where(form.l1 > 0, form.l1, np.inf), initial=0.0))


def first_level(problem: Problem, v: FloatArray) -> float:
    """1, unless the l1 part is weak next to the correlations ``v`` at the start, and the columns are many.

    With more rows than columns the models are good from the start, and levels only cost epochs.
    """
    if problem.n_features <= problem.n_samples:
        return 1.0
    ratio = _largest_ratio(problem.coordinate_form, v)
    far = _FAR_WHERE_ROWS_SATURATE if problem.loss.open_dual else _FAR
    return _SHARE * ratio if far < ratio < np.inf else 1.0


def next_level(form: CoordinateForm, v: FloatArray, level: float) -> float:
    """The level after one that is solved roughly, where the correlations are ``v``."""
    return max(1.0, _SHARE * min(level, _largest_ratio(form, v)))
