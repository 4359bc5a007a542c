"""Minimise a model: passes of coordinate descent, and Newton steps on the support in between."""

from __future__ import annotations

import numpy as np

from fenchel.solvers.prox_newton.direct import follow_face
from fenchel.solvers.prox_newton.face import move_on_face
from fenchel.solvers.prox_newton.model import Model

__all__ = ["minimise"]

_BLOCK = 3
"""Passes between two steps on the face."""
_SLOW = 0.5
"""After this share of the passes a small face is followed by factorisations."""


def minimise(model: Model, tolerance: float, passes: int) -> None:
    """Move ``model.x`` until no coordinate violates its optimality by more than ``tolerance``.

    At most about ``passes`` passes over the places that stay in play. The list of places shrinks from pass
    to pass; when those left are done, all are looked at once more.
    """
    m = model.x.size
    places, left, before = np.arange(m, dtype=np.int64), m, np.inf
    spent, last_look = 0, False
    while spent < passes:
        block = model.columns.descend(
            places,
            left,
            model.c,
            model.curvature,
            model.form,
            model.intercept,
            1 if last_look else _BLOCK,
            tolerance,
            before,
            model.moment,
            model.x,
            model.v,
        )
        model.entries_read += block.entries_read
        model.moment, left, before = block.moment, block.left, block.violation
        spent += 1 if last_look else _BLOCK
        done = before <= tolerance
        if done and last_look:
            return
        if done:
            places, left, before = np.arange(m, dtype=np.int64), m, np.inf
        elif spent < _SLOW * passes or not follow_face(model, tolerance):
            move_on_face(model, tolerance)
        last_look = done
