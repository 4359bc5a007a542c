"""Solve a problem along a path of strengths."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from fenchel.driver.path_grid import strengths_of
from fenchel.driver.path_limits import PathLimits
from fenchel.driver.path_result import PathPoint, PathResult
from fenchel.driver.path_solver import PathSolver
from fenchel.driver.screened import Screen
from fenchel.driver.stopping import MaxPasses, RelativeGap, Status, StoppingRule, TimeLimit
from fenchel.numerics.generators import generator_of
from fenchel.numerics.threads import single_blas_thread
from fenchel.problem.bounds import admissible
from fenchel.problem.certificate import Certificate
from fenchel.problem.free import minimise_free
from fenchel.problem.problem import Problem
from fenchel.regularizers.base import Separable
from fenchel.regularizers.scaled import scaled
from fenchel.solvers.base import Solver, Start
from fenchel.solvers.registry import get_solver
from fenchel.typing import FloatArray

__all__ = ["PathCallback", "path"]

PathCallback = Callable[[PathPoint], bool | None]
"""Called after every strength; a true answer ends the path."""

_DEFAULT_RULE = RelativeGap(1e-6) | MaxPasses(10_000)


def path(
    problem: Problem,
    n_strengths: int = 100,
    ratio: float = 1e-2,
    *,
    strengths: npt.ArrayLike | None = None,
    solver: str | Solver[Any] = "auto",
    stopping: StoppingRule = _DEFAULT_RULE,
    limits: PathLimits | None = None,
    time_limit: float | None = None,
    callback: PathCallback | None = None,
    rng: np.random.Generator | int | None = 0,
) -> PathResult:
    r"""Minimise ``P`` for many strengths of its penalty, each from the solution of the one before.

    .. math:: \min_w \; \frac1n \sum_i s_i \phi_i(z_i) + t \, g(w), \qquad t_1 > t_2 > \dots

    The strength t multiplies the whole regularizer of the problem. With ``L1(1.0)`` it is the l1 strength;
    with ``ElasticNet(r, 1 - r)`` it is the ``alpha`` of scikit-learn and the lambda of glmnet, and r their
    share of the l1 part. Bounds and radii stay as they are.

    Parameters
    ----------
    problem : Problem
        Its regularizer has an l1 part, an l2 part or a group norm.
    n_strengths : int, default 100
    ratio : float, default 1e-2
        The smallest strength over the largest. The largest is ``problem.zero_solution_strength()``; for an l2
        part alone it is a thousand times what that would be for an l1 penalty of the same size, as in glmnet.
    strengths : array-like, optional
        The strengths, in place of these two; they are sorted, the largest first.
    solver : str or Solver, default "auto"
        As in :func:`fenchel.solve`; "auto" chooses once, for the smallest strength.
    stopping : StoppingRule, default ``RelativeGap(1e-6) | MaxPasses(10_000)``
        What ends the run at each strength. Passes are over the columns that are solved on.
    limits : PathLimits, optional
        Rules that end the path before the last strength, such as those of glmnet: ``PathLimits()``.
    time_limit : float, optional
        The most seconds in all; the strengths done until then are returned.
    callback : callable, optional
        ``callback(point)`` after every strength; a true answer ends the path.
    rng : Generator or int, default 0

    Returns
    -------
    PathResult
        With the certificate and the dual point of every strength. Ctrl-C ends the path, and gives the
        strengths that were done.

    Raises
    ------
    UnsupportedProblemError
        When the regularizer has no strength (a set alone), or no solver serves the problem.
    InvalidInputError
        When a strength, ``n_strengths`` or ``ratio`` is out of range.

    Notes
    -----
    With an l1 part, a scalar loss and a separable regularizer, each strength is solved on the features that
    the sequential strong rule leaves, and on those that turn out to be missing. Every point is certified on
    all features: the dual points that were looked at in full bound most correlations at the new one, and the
    columns of the other features are read. Small parts are solved by Newton steps on orthants where
    ``solver`` is "auto". Other problems are solved whole, from the last solution.

    References
    ----------
    R. Tibshirani et al., Strong rules for discarding predictors in lasso-type problems, Journal of the Royal
    Statistical Society B 74(2), 2012. E. Ndiaye, O. Fercoq, A. Gramfort, J. Salmon, Gap Safe screening rules
    for sparsity enforcing penalties, Journal of Machine Learning Research 18, 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import Problem, path
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import L1
    >>> problem = Problem(np.eye(2), [3.0, 1.0], Squared(), L1(1.0))
    >>> result = path(problem, strengths=[1.0, 0.25])
    >>> result.coefficients
    array([[1. , 0. ],
           [2.5, 0.5]])
    >>> bool(result.relative_gaps.max() <= 1e-6)
    True
    """
    values = strengths_of(problem, n_strengths, ratio, strengths)
    smallest = problem.with_regularizer(scaled(problem.regularizer, float(values[-1])))
    chosen, reason = get_solver(solver, smallest)
    generator = generator_of(rng)
    clock = _Clock(stopping, time_limit)
    run = _Path(problem, clock, PathSolver(chosen, reason, solver == "auto", clock.rule, generator))
    with single_blas_thread():
        return run.along(values, limits, callback)


@dataclass
class _Clock:
    """The time that is left, and the stopping rule that a run has within it."""

    stopping: StoppingRule
    time_limit: float | None
    begun: float = field(default_factory=time.perf_counter)

    @property
    def left(self) -> float:
        if self.time_limit is None:
            return np.inf
        return self.time_limit - (time.perf_counter() - self.begun)

    def rule(self) -> StoppingRule:
        return self.stopping if self.time_limit is None else self.stopping | TimeLimit(max(self.left, 0.0))


@dataclass
class _Path:
    """The path as it stands: what is the same for all strengths, and the points so far."""

    problem: Problem
    clock: _Clock
    solver: PathSolver
    points: list[PathPoint] = field(default_factory=list)

    def along(
        self, strengths: FloatArray, limits: PathLimits | None, callback: PathCallback | None
    ) -> PathResult:
        """Solve at every strength, until something ends the path."""
        intercept = self.problem.fit_intercept
        try:
            for point in self._points(strengths):
                self.points.append(point)
                if callback is not None and callback(point):
                    return PathResult.of(self.points, "the callback asked to stop", intercept)
                reached = None if limits is None else limits.reached(self.points)
                if reached is not None:
                    return PathResult.of(self.points, f"stopped early: {reached}", intercept)
        except KeyboardInterrupt:
            return PathResult.of(self.points, "interrupted by the user", intercept, interrupted=True)
        if len(self.points) < len(strengths):
            return PathResult.of(self.points, "stopped early: the time limit was reached", intercept)
        return PathResult.of(self.points, "all strengths are done", intercept)

    def _points(self, strengths: FloatArray) -> Iterator[PathPoint]:
        w = minimise_free(self.problem, self.problem.zeros())
        z = self.problem.scores(w)
        null = self.problem.mean_loss(z)
        u = admissible(self.problem, self.problem.loss.gradient(z, self.problem.b))
        step = self._screened(w, u) if _can_screen(self.problem) else self._whole(w, u)
        for strength in strengths.tolist():
            if self.clock.left <= 0.0:
                return
            begun = time.perf_counter()
            found = step(strength)
            if found.status is Status.INTERRUPTED:
                raise KeyboardInterrupt
            if self.clock.left <= 0.0 and not found.status.solved:
                return
            yield PathPoint(
                strength,
                found.w,
                found.certificate,
                found.status,
                self.problem.count_nonzeros(found.w),
                1.0 - found.fit / null if 0 < null < np.inf else 0.0,
                found.entries / max(self.problem.design.n_entries, 1),
                found.certifying_passes,
                time.perf_counter() - begun,
            )

    def _whole(self, w: FloatArray, u: FloatArray) -> Callable[[float], _Found]:
        """Solve the problem as it is, from the last points."""
        last = Start(w, u)

        def step(strength: float) -> _Found:
            nonlocal last
            problem = self.problem.with_regularizer(scaled(self.problem.regularizer, strength))
            result = self.solver.whole(problem, last)
            last = Start(result.w, result.u)
            fit = result.certificate.primal - problem.regularizer.value(problem.features(result.w))
            return _Found(result.w, result.certificate, result.status, fit, result.entries_read, 0.0)

        return step

    def _screened(self, w: FloatArray, u: FloatArray) -> Callable[[float], _Found]:
        """Solve on candidates, and prove the point on all features."""
        problem = self.problem
        screen = Screen.of(problem, problem.zero_solution_strength(), u)

        def step(strength: float) -> _Found:
            nonlocal w, u
            part, entries, before = screen.candidates(strength, w), 0, screen.passes
            while True:
                small = part.at(strength)
                result = self.solver.on_part(part, small, Start(w[part.inside], u))
                entries += result.entries_read
                w, u = part.widened(result.w, problem.n_coordinates), result.u
                certificate, status = result.certificate, result.status
                if status is Status.INTERRUPTED:
                    break
                missing = screen.missing(part, strength, u)
                if missing.size == 0:
                    break
                if not status.solved:
                    certificate = screen.whole(strength).certify(w, u)
                    break
                part = screen.widened(part, missing)
            fit = certificate.primal - small.scanned_form.value(small.features(result.w))
            return _Found(w, certificate, status, fit, entries, screen.passes - before)

        return step


@dataclass(frozen=True, eq=False)
class _Found:
    """The end of the run at one strength."""

    w: FloatArray
    certificate: Certificate
    status: Status
    fit: float
    entries: int
    certifying_passes: float


def _can_screen(problem: Problem) -> bool:
    """Whether candidates are few: an l1 part on coordinates of a scalar problem."""
    return (
        problem.b.ndim == 1
        and problem.design.visits_coordinates
        and isinstance(problem.regularizer, Separable)
        and bool(problem.coordinate_form.l1.any())
    )
