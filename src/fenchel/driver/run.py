"""One run: the solver's state, the best points so far, and the trace."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fenchel.driver.checkpoint import Checkpoint
from fenchel.driver.result import Result
from fenchel.driver.stopping import Progress, Status, StoppingRule
from fenchel.errors import InvalidInputError
from fenchel.numerics.low_rank import LowRank
from fenchel.problem.certificate import Certificate
from fenchel.problem.multiples import feasible_multiple
from fenchel.problem.problem import Problem
from fenchel.problem.relaxed import paired, unproven
from fenchel.solvers.base import Products, Solver, Start
from fenchel.typing import FloatArray

__all__ = ["Callback", "Point", "Run", "Saver", "as_start"]

_UNCERTIFIED = 7
"""So many epochs in a row may go without a certificate that could not end the run."""
_BELOW_MET = 5.0
"""A certificate's gap may be so many times smaller than the one that the solver's steps met."""

Callback = Callable[[Progress], bool | None]
"""Called after every certificate; a true answer ends the run."""


class Point(NamedTuple):
    """What a certificate is asked for: a primal point, and a dual one or the gradient of the loss.

    ``products`` are those of the two, where they are at hand.
    """

    w: FloatArray
    u: FloatArray | None
    products: Products | None = None


@dataclass
class Saver:
    """Hold a copy of the run after its last whole epoch, and write it when enough time has passed.

    A copy, because Ctrl-C may fall in the middle of an epoch. The first is written at once, so that a
    path that cannot be written fails before the work.
    """

    path: Path
    interval: float
    latest: Checkpoint | None = None
    last: float = -math.inf

    def keep(self, snapshot: Checkpoint) -> None:
        self.latest = snapshot
        if time.perf_counter() - self.last >= self.interval:
            self.write()

    def write(self) -> None:
        if self.latest is not None:
            self.latest.save(self.path)
            self.last = time.perf_counter()


@dataclass
class Run:
    """A run as the loop drives it: ``judge``, ``step``, ``points`` and ``take``, in turn.

    Beginning a run and every epoch give points to certify, unless a certificate could not end the run;
    ``take`` records their certificates. Once ``status`` says why the run ends, its best points are certified
    together, which makes the result; ``joint`` is that certificate where they came together, and need no
    other. ``uncertified`` epochs lie between the last certificate and now.
    """

    problem: Problem
    solver: Solver[Any]
    reason: str
    stopping: StoppingRule
    callback: Callback | None
    start: Start
    rng: np.random.Generator
    saver: Saver | None = None
    best: Certificate | None = None
    joint: Certificate | None = None
    w: FloatArray = field(default_factory=lambda: np.empty(0))
    trace: list[Progress] = field(default_factory=list)
    state: Any = None
    memory: int = 0
    uncertified: int = 0
    status: Status | None = None
    result: Result | None = None
    clock: float = field(default_factory=time.perf_counter)

    def judge(self, ended: Status | None) -> None:
        """Set ``status`` when the run is over; ``ended`` is what has ended the runs beside it."""
        if self.status is not None or not self.trace:
            return
        progress = self.trace[-1]
        if ended is not None:
            self.status = Status.SOLVED if self.stopping(progress) is Status.SOLVED else ended
            return
        if self.uncertified:
            return
        asked = self.callback is not None and bool(self.callback(progress))
        if 0.0 < progress.certificate.primal < self.problem.unattained_below:
            self.status = Status.NO_MINIMISER
            return
        self.status = self.stopping(progress) or (Status.CALLBACK if asked else None)

    @property
    def moving(self) -> bool:
        """Whether an epoch is next."""
        return self.status is None and bool(self.trace)

    @property
    def _over(self) -> bool:
        """Whether the result is next; what an ended run has come to uncertified is certified first."""
        return self.status is not None and bool(self.trace) and not self.uncertified

    def begin(self) -> None:
        """Set up the solver, unless the run has begun."""
        if not self.trace:
            self.state = self.solver.init(self.problem, self.start, self.rng)

    def points(self) -> list[Point]:
        """What to certify: at first the start too, at last the best points together, if they never were."""
        if self._over:
            assert self.best is not None
            return [] if self.joint is not None else [Point(self.w, self.best.dual_point)]
        if self.moving and self._hopeless():
            self.uncertified += 1
            return []
        w, u = self.solver.extract(self.problem, self.state)
        now = Point(feasible_multiple(self.problem, w), u, self.solver.products(self.problem, self.state))
        if self.trace or self.start.w is None:
            return [now]
        return [Point(self.start.w, self.start.u, self.start.products), now]

    def take(self, points: list[Point], certificates: list[Certificate]) -> None:
        """Take the certificates of what :meth:`points` gave."""
        if self._over:
            self._finish(self.joint or certificates[0])
            return
        if not points:
            return
        if not self.trace:
            self._first(points[0], certificates[0])
        self._record(points[-1], certificates[-1])
        self.uncertified = 0
        if self.saver is not None:
            self.saver.keep(self.snapshot())

    def _hopeless(self) -> bool:
        """Whether the gap that the solver has met says that a certificate would not end the run.

        The rule is asked what it would say of a gap several times smaller. A certificate costs as much as
        some passes, and the gap met costs nothing; where it errs, the next epochs are certified.
        """
        met = self.solver.gap_met(self.problem, self.state)
        if met is None or self.uncertified == _UNCERTIFIED:
            return False
        primal = self.trace[-1].certificate.primal
        hoped = replace(self.trace[-1].certificate, dual=primal - met / _BELOW_MET)
        return self.stopping(self._progress(hoped)) is None

    def _first(self, point: Point, certificate: Certificate) -> None:
        """The solver may answer with a worse point at first; nothing that is known must be lost."""
        if self.start.w is not None:
            self.w, self.best = point.w.copy(), certificate
        elif not _moved(point.w):
            self.w, self.best = point.w, certificate
        else:
            zero, z = self.problem.zeros(), np.zeros(self.problem.b.shape)
            self.w, self.best = zero, unproven(self.problem, zero, z)

    def _record(self, point: Point, new: Certificate) -> None:
        """Keep what is better, and add to the trace."""
        assert self.best is not None
        dual = max(self.best, new, key=lambda certificate: certificate.dual)
        old, fresh = paired(self.problem, self.best, dual), paired(self.problem, new, dual)
        better = fresh.rank < old.rank, dual is new
        if any(better):
            self.joint = new if all(better) and _stands(point, new) else None
        self.best, self.w = (fresh, point.w) if better[0] else (old, self.w)
        self.memory = max(self.memory, self._held())
        self.trace.append(self._progress(self.best.numbers))

    def _progress(self, certificate: Certificate) -> Progress:
        return Progress(
            passes=self._passes(),
            entries_read=self.state.entries_read,
            seconds=time.perf_counter() - self.clock,
            certificate=certificate,
            nonzeros=self.problem.count_nonzeros(self.w),
            rounding=self.problem.rounding,
        )

    def _held(self) -> int:
        """Bytes of the state's arrays and of the design's copies of the data."""
        held = self.problem.design.copied_bytes
        for value in vars(self.state).values():
            if isinstance(value, np.ndarray):
                held += value.nbytes
        return held

    def _passes(self) -> float:
        """Passes so far; an epoch that finds nothing to read counts as one, so that a limit ends it."""
        n_entries, entries = max(self.problem.design.n_entries, 1), int(self.state.entries_read)
        if not self.trace:
            return entries / n_entries
        last = self.trace[-1]
        idle = last.passes - last.entries_read / n_entries
        return entries / n_entries + idle + float(entries == last.entries_read)

    def _finish(self, certificate: Certificate) -> None:
        assert self.status is not None
        if self.saver is not None:
            self.saver.write()
        self.result = Result(
            w=self.w,
            u=certificate.dual_point,
            certificate=certificate,
            status=self.status,
            solver=self.solver.name,
            reason=self.reason,
            memory=self.memory,
            trace=self.trace,
            state=self.state,
        )

    def snapshot(self) -> Checkpoint:
        """Copy the run as it stands."""
        assert self.best is not None
        return Checkpoint.take(self.solver, self.state, self.w, self.best, self.trace)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Take everything from a checkpoint; the clock goes on from its last record."""
        blank = self.solver.init(self.problem, Start(), np.random.default_rng(0))
        self.state = checkpoint.state_like(self.solver, blank)
        self.w, self.best, self.trace = checkpoint.w, checkpoint.best, checkpoint.trace
        stored = self.best.primal
        found = self.problem.certified_value(self.w, self.problem.scores(self.w))
        if not math.isclose(stored, found, rel_tol=1e-9):
            raise InvalidInputError(
                f"The checkpoint's model has the value {stored:.9g}, but on this problem it is {found:.9g}. "
                "Resume with the data and the options that the checkpoint was made with."
            )
        self.clock = time.perf_counter() - self.trace[-1].seconds
        if self.saver is not None:
            self.saver.keep(self.snapshot())


def _stands(point: Point, certificate: Certificate) -> bool:
    """Whether the certificate is that of its own points, computed from them alone.

    The numbers of a scaled or repaired dual point are not quite those of its own certificate.
    """
    return point.products is None and point.u is not None and np.array_equal(point.u, certificate.dual_point)


def _moved(w: Any) -> bool:
    """Whether a primal point is not zero."""
    return bool(w.rank if isinstance(w, LowRank) else np.count_nonzero(w))


def as_start(start: Start | Result | None, problem: Problem) -> Start:
    """Check a starting point against the problem."""
    if start is None:
        return Start()
    w = _checked(start.w, "start.w", problem.primal_shape)
    u = _checked(start.u, "start.u", problem.b.shape)
    products = start.products if isinstance(start, Start) else None
    if products is None:
        return Start(w, u)
    if w is None or u is None:
        raise InvalidInputError("start.products belong to start.w and start.u. Give both of them.")
    z = _checked(products.z, "start.products.z", problem.b.shape)
    return Start(w, u, Products(z, _checked(products.v, "start.products.v", problem.primal_shape)))


def _checked(point: Any, name: str, shape: tuple[int, ...]) -> Any:
    """Refuse what would broadcast in silence, or spoil every iterate."""
    if point is None:
        return None
    if isinstance(point, LowRank):
        for factor, side in zip((point.left, point.right), shape, strict=True):
            _checked(factor, name, (side, point.rank))
        return point
    point = np.asarray(point, dtype=np.float64)
    if point.shape != shape:
        raise InvalidInputError(f"{name} has shape {point.shape}, but this problem needs {shape}.")
    if not np.all(np.isfinite(point)):
        raise InvalidInputError(
            f"{name} has a value that is not finite. Start from another point, or from none."
        )
    return point
