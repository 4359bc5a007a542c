"""What a path returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fenchel.driver.stopping import Status
from fenchel.problem.certificate import Certificate
from fenchel.solvers.base import Start
from fenchel.typing import FloatArray, IndexArray

__all__ = ["PathPoint", "PathResult"]


@dataclass(frozen=True, eq=False)
class PathPoint:
    """The solution at one strength.

    Attributes
    ----------
    strength : float
    w : ndarray of shape (n_coordinates,) or (n_coordinates, n_outputs)
    certificate : Certificate
        Of the whole problem at this strength; with its dual point.
    status : Status
    nonzeros : int
        Non-zero coefficients, the intercept not counted.
    explained : float
        The explained deviance: 1 minus the mean loss over that of the best intercept alone.
    passes : float
        Passes over the data that the solver made for this strength.
    certifying_passes : float
        Passes over the data that looked for violated constraints; less than 1 where what was known of
        earlier points settled most columns.
    seconds : float
    """

    strength: float
    w: FloatArray
    certificate: Certificate
    status: Status
    nonzeros: int
    explained: float
    passes: float
    certifying_passes: float
    seconds: float


@dataclass(frozen=True, eq=False)
class PathResult:
    """Solutions along a path of strengths, each with its certificate.

    Attributes
    ----------
    points : tuple of PathPoint
        In the order in which they were computed, the largest strength first.
    message : str
        Why the path ended.
    interrupted : bool
        Whether Ctrl-C ended it: then the strengths done before are here.
    fit_intercept : bool
    strengths : ndarray of shape (n_points,)
    coefficients : ndarray of shape (n_points, n_features) or (n_points, n_features, n_outputs)
    intercepts : ndarray of shape (n_points,) or (n_points, n_outputs)
        Zeros without an intercept.
    certificates : list of Certificate
    statuses : list of Status
    explained, passes, seconds, nonzeros, relative_gaps : ndarray of shape (n_points,)
    """

    points: tuple[PathPoint, ...] = field(repr=False)
    message: str
    interrupted: bool
    fit_intercept: bool

    def __len__(self) -> int:
        return len(self.points)

    def _array(self, name: str) -> Any:
        return np.array([getattr(point, name) for point in self.points])

    @cached_property
    def strengths(self) -> FloatArray:
        """The strengths, the largest first."""
        values: FloatArray = self._array("strength")
        return values

    @cached_property
    def coefficients(self) -> FloatArray:
        """The coefficients, one point a row; made on first use."""
        return np.stack([point.w[: len(point.w) - self.fit_intercept] for point in self.points])

    @cached_property
    def intercepts(self) -> FloatArray:
        """The intercepts, one point a row."""
        if not self.fit_intercept:
            return np.zeros((len(self), *self.points[0].w.shape[1:]))
        return np.stack([point.w[-1] for point in self.points])

    @property
    def certificates(self) -> list[Certificate]:
        """The certificate of every point; ``problem.certify(w, certificate.dual_point)`` recomputes it."""
        return [point.certificate for point in self.points]

    @property
    def statuses(self) -> list[Status]:
        """Why the run at every strength ended."""
        return [point.status for point in self.points]

    @property
    def solved(self) -> bool:
        """Whether every point has the gap that was asked for."""
        return all(point.status.solved for point in self.points)

    @property
    def explained(self) -> FloatArray:
        """The explained deviances."""
        values: FloatArray = self._array("explained")
        return values

    @property
    def passes(self) -> FloatArray:
        """The passes of the solver at every strength."""
        values: FloatArray = self._array("passes")
        return values

    @property
    def certifying_passes(self) -> FloatArray:
        """The passes of the proofs at every strength; see :class:`PathPoint`."""
        values: FloatArray = self._array("certifying_passes")
        return values

    @property
    def seconds(self) -> FloatArray:
        """The wall time of every strength."""
        values: FloatArray = self._array("seconds")
        return values

    @property
    def nonzeros(self) -> IndexArray:
        """The non-zero coefficients at every strength."""
        values: IndexArray = self._array("nonzeros")
        return values

    @property
    def relative_gaps(self) -> FloatArray:
        """The relative gap of every certificate."""
        return np.array([point.certificate.relative_gap for point in self.points])

    def start(self, index: int) -> Start:
        """The primal and the dual point at a strength, to start :func:`fenchel.solve` from."""
        point = self.points[index]
        return Start(point.w, point.certificate.dual_point)

    @classmethod
    def of(
        cls, points: Sequence[PathPoint], message: str, fit_intercept: bool, interrupted: bool = False
    ) -> PathResult:
        """Make a result of the points that were computed."""
        return cls(tuple(points), message, interrupted, fit_intercept)
