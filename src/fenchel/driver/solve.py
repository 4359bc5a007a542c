"""The one iteration loop: epoch, certificate, best points, stopping rule."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fenchel.driver.checkpoint import Checkpoint
from fenchel.driver.result import Result
from fenchel.driver.stopping import MaxPasses, Progress, RelativeGap, Status, StoppingRule
from fenchel.errors import InvalidInputError
from fenchel.numerics.threads import single_blas_thread
from fenchel.problem.certificate import Certificate
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Solver, Start
from fenchel.solvers.registry import get_solver
from fenchel.typing import FloatArray

__all__ = ["Callback", "solve"]

Callback = Callable[[Progress], bool | None]
"""Called after every certificate; a true answer ends the run."""

_DEFAULT_RULE = RelativeGap(1e-6) | MaxPasses(10_000)


def solve(
    problem: Problem,
    solver: str | Solver[Any] = "auto",
    *,
    stopping: StoppingRule = _DEFAULT_RULE,
    callback: Callback | None = None,
    start: Start | Result | None = None,
    rng: np.random.Generator | int | None = 0,
    checkpoint: Path | str | None = None,
    checkpoint_seconds: float = 60.0,
    resume: Path | str | None = None,
) -> Result:
    r"""Minimise ``P`` and prove how far the result is from the optimum.

    Parameters
    ----------
    problem : Problem
    solver : str or Solver, default "auto"
        A name in ``fenchel.solvers.registry.SOLVERS``, an instance with its own hyper-parameters, or "auto":
        the result says what was chosen and why.
    stopping : StoppingRule, default ``RelativeGap(1e-6) | MaxPasses(10_000)``
    callback : callable, optional
        ``callback(progress)`` after every certificate; a true answer ends the run.
    start : Start or Result, optional
        Warm start.
    rng : Generator or int, default 0
        The only source of randomness: the same seed gives the same result.
    checkpoint : path, optional
        Save the whole state there every ``checkpoint_seconds``, and at the end.
    resume : path, optional
        Go on from a checkpoint of the same problem and solver, bit for bit.

    Returns
    -------
    Result
        The best primal point and the best dual point that were seen, whatever ended the run: a
        stopping rule, the callback, or Ctrl-C. More passes never give a larger gap.

    Raises
    ------
    UnsupportedProblemError
        Before any work, when the solver cannot serve the problem, with the reason and a way out.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import L1
    >>> result = solve(Problem(np.eye(2), [3.0, 1.0], Squared(), L1(0.75)))
    >>> result.w
    array([1.5, 0. ])
    >>> result.status.solved
    True
    """
    chosen, reason = get_solver(solver, problem)
    run = _Run(problem, chosen, reason, stopping, callback)
    with single_blas_thread():
        if resume is not None:
            run.restore(Checkpoint.load(resume))
        else:
            generator = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
            run.begin(_as_start(start, problem), generator)
        saver = None if checkpoint is None else _Saver(Path(checkpoint), checkpoint_seconds, run.snapshot())
        return run.loop(saver)


def _as_start(start: Start | Result | None, problem: Problem) -> Start:
    if start is None:
        return Start()
    return Start(
        _checked(start.w, "start.w", problem.primal_shape), _checked(start.u, "start.u", problem.b.shape)
    )


def _checked(point: FloatArray | None, name: str, shape: tuple[int, ...]) -> FloatArray | None:
    """Refuse what would broadcast in silence, or spoil every iterate."""
    if point is None:
        return None
    point = np.asarray(point, dtype=np.float64)
    if point.shape != shape:
        raise InvalidInputError(f"{name} has shape {point.shape}, but this problem needs {shape}.")
    if not np.all(np.isfinite(point)):
        raise InvalidInputError(
            f"{name} has a value that is not finite. Start from another point, or from none."
        )
    return point


@dataclass
class _Saver:
    """Hold a copy of the run after its last whole epoch, and write it when enough time has passed.

    A copy, because Ctrl-C may fall in the middle of an epoch. Written at once as well, so that a path
    that cannot be written fails before the work.
    """

    path: Path
    interval: float
    latest: Checkpoint
    last: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        self.write()

    def keep(self, snapshot: Checkpoint) -> None:
        self.latest = snapshot
        if time.perf_counter() - self.last >= self.interval:
            self.write()

    def write(self) -> None:
        self.latest.save(self.path)
        self.last = time.perf_counter()


@dataclass
class _Run:
    """The best points so far, the trace, and the solver's state."""

    problem: Problem
    solver: Solver[Any]
    reason: str
    stopping: StoppingRule
    callback: Callback | None
    best: Certificate | None = None
    w: FloatArray = field(default_factory=lambda: np.empty(0))
    trace: list[Progress] = field(default_factory=list)
    state: Any = None
    clock: float = field(default_factory=time.perf_counter)

    def begin(self, start: Start, rng: np.random.Generator) -> None:
        self.state = self.solver.init(self.problem, start, rng)
        # The solver may answer with a worse point at first; nothing that is known must be lost.
        if start.w is not None:
            self.w, self.best = start.w.copy(), self.problem.certify(start.w, start.u)
        else:
            zero, z = np.zeros(self.problem.primal_shape), np.zeros_like(self.problem.b)
            self.w, self.best = zero, Certificate(self.problem.primal_at_scores(zero, z), -np.inf, 0.0, z)
        self.record()

    def loop(self, saver: _Saver | None) -> Result:
        """Run epochs until a rule, the callback or the user ends it."""
        try:
            while (status := self.verdict()) is None:
                self.solver.run_epoch(self.problem, self.state)
                self.record()
                if saver is not None:
                    saver.keep(self.snapshot())
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        if saver is not None:
            saver.write()
        return self.result(status)

    def record(self) -> None:
        """Certify the current points, keep what is better, and add to the trace."""
        w, u = self.solver.extract(self.problem, self.state)
        new = self.problem.certify(w, u)
        if self.best is None:
            self.best, self.w = new, w
        else:
            primal, self.w = min((self.best.primal, self.w), (new.primal, w), key=lambda pair: pair[0])
            dual = max(self.best, new, key=lambda certificate: certificate.dual)
            self.best = Certificate(primal, dual.dual, dual.radius, dual.dual_point)
        self.trace.append(
            Progress(
                passes=self.passes(),
                entries_read=self.state.entries_read,
                seconds=time.perf_counter() - self.clock,
                certificate=_without_point(self.best),
                nonzeros=int(np.count_nonzero(self.w[: self.problem.n_features])),
                rounding=self.problem.rounding,
            )
        )

    def passes(self) -> float:
        """Passes so far; an epoch that finds nothing to read counts as one, so that a limit ends it."""
        n_entries, entries = max(self.problem.design.n_entries, 1), int(self.state.entries_read)
        if not self.trace:
            return entries / n_entries
        last = self.trace[-1]
        idle = last.passes - last.entries_read / n_entries
        return entries / n_entries + idle + float(entries == last.entries_read)

    def verdict(self) -> Status | None:
        progress = self.trace[-1]
        asked = self.callback is not None and bool(self.callback(progress))
        return self.stopping(progress) or (Status.CALLBACK if asked else None)

    def result(self, status: Status) -> Result:
        assert self.best is not None
        certificate = self.problem.certify(self.w, self.best.dual_point)
        return Result(
            w=self.w,
            u=certificate.dual_point,
            certificate=certificate,
            status=status,
            solver=self.solver.name,
            reason=self.reason,
            trace=self.trace,
            state=self.state,
        )

    def snapshot(self) -> Checkpoint:
        assert self.best is not None
        return Checkpoint.take(self.solver, self.state, self.w, self.best, self.trace)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Take everything from a checkpoint; the clock goes on from its last record."""
        blank = self.solver.init(self.problem, Start(), np.random.default_rng(0))
        self.state = checkpoint.state_like(self.solver, blank)
        self.w, self.best, self.trace = checkpoint.w, checkpoint.best, checkpoint.trace
        stored, found = self.best.primal, self.problem.primal_value(self.w)
        if not math.isclose(stored, found, rel_tol=1e-9):
            raise InvalidInputError(
                f"The checkpoint's model has the value {stored:.9g}, but on this problem it is {found:.9g}. "
                "Resume with the data and the options that the checkpoint was made with."
            )
        self.clock = time.perf_counter() - self.trace[-1].seconds


def _without_point(certificate: Certificate) -> Certificate:
    """Keep the numbers of a certificate: a trace must not hold a dual point a record."""
    return Certificate(certificate.primal, certificate.dual, certificate.radius)
