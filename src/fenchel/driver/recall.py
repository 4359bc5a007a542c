"""Certificates that are not computed twice."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fenchel.driver.run import Point
from fenchel.problem.bounds import admissible
from fenchel.problem.certificate import Certificate
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Products, Start
from fenchel.typing import FloatArray

__all__ = ["Recall"]

_KEPT = 4


class _Known(NamedTuple):
    point: Point
    certificate: Certificate


class Recall:
    """Certify the points of one run, and remember the last few.

    A short run asks again: its start is what the solver begins with, and the best two points that it ends
    with often belong to one certificate.
    """

    def __init__(self) -> None:
        self._known: deque[_Known] = deque(maxlen=_KEPT)

    def __call__(self, pairs: Sequence[tuple[Problem, Point]]) -> list[Certificate]:
        return [self._certificate(problem, point) for problem, point in pairs]

    def start(self, problem: Problem, w: FloatArray) -> Start:
        """A start at ``w`` and the gradient of the loss there, with the products of its certificate.

        Without them where some coordinate is free: its best value moves the gradient.
        """
        if problem.unpenalised.any():
            return Start(w)
        z = problem.scores(w)
        u = admissible(problem, problem.loss.gradient(z, problem.b))
        v = problem.correlation(u)
        self._known.append(_Known(Point(w, u), problem.certify_at(w, z, u, v)))
        return Start(w, u, Products(z, v))

    def _certificate(self, problem: Problem, point: Point) -> Certificate:
        for known in self._known:
            if _same(point.u, known) and np.array_equal(point.w, known.point.w):
                return known.certificate
        certificate = problem.certify(point.w, point.u)
        self._known.append(_Known(Point(point.w.copy(), point.u), certificate))
        return certificate


def _same(u: FloatArray | None, known: _Known) -> bool:
    """Whether ``u`` is the known point's: the same array, the one that certifies it, or an equal one."""
    if u is known.point.u or u is known.certificate.dual_point:
        return True
    return u is not None and known.point.u is not None and np.array_equal(u, known.point.u)
