"""The runs of all problems of one fit: blocks, threads, a shared time limit, the callback and Ctrl-C."""

from __future__ import annotations

import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from numbers import Integral
from typing import Generic, TypeVar

import numpy as np

from fenchel.driver.loop import Ending
from fenchel.driver.result import Result
from fenchel.driver.run import Callback
from fenchel.driver.solve import solve
from fenchel.driver.solve_many import Task, block_width, solve_many
from fenchel.driver.stopping import (
    Infeasible,
    MaxPasses,
    Progress,
    RelativeGap,
    Status,
    StoppingRule,
    TimeLimit,
)
from fenchel.errors import InvalidInputError
from fenchel.estimators.fitting import FitOptions
from fenchel.estimators.progress import ProgressBar
from fenchel.numerics.threads import single_blas_thread
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Start

__all__ = ["Runs", "n_threads", "run"]

Kept = TypeVar("Kept")

_LOOK_SECONDS = 0.1


def run(
    problems: list[Problem], starts: list[Start], options: FitOptions, rng: np.random.Generator
) -> list[Result]:
    """Solve problems that share one design, or a single problem.

    The time limit is for all of them. After Ctrl-C, or when the callback ended a run, the remaining ones
    return their starting points. A checkpoint holds the run of a single problem.
    """
    if len(problems) > 1 and (options.checkpoint is not None or options.resume is not None):
        raise InvalidInputError(
            f"A checkpoint serves one problem, but there are {len(problems)}, one a class or an output. Fit "
            "all classes in one problem (multi_class='native'), or leave the checkpoint out."
        )
    return Runs(
        problem=problems.__getitem__,
        start=lambda number, problem: starts[number],
        keep=lambda problem, result: result,
        options=options,
        rngs=[rng] if len(problems) == 1 else rng.spawn(len(problems)),
        # A bar shows one run.
        width=1 if options.verbose else block_width(problems[0].design),
    ).all()


@dataclass
class Runs(Generic[Kept]):
    """The runs of many problems on one design.

    Attributes
    ----------
    problem : callable
        The problem of a number; called when its run begins.
    start : callable
        Where the run of a number and its problem starts.
    keep : callable
        What to keep of a problem and its result; called when the run has ended.
    options : FitOptions
    rngs : list of Generator
        One a problem, so that no run depends on those beside it.
    width : int
        The problems in a block.
    n_jobs : int, default 1
        Threads, each with blocks of its own.
    """

    problem: Callable[[int], Problem]
    start: Callable[[int, Problem], Start]
    keep: Callable[[Problem, Result], Kept]
    options: FitOptions
    rngs: list[np.random.Generator]
    width: int
    n_jobs: int = 1
    _waiting: deque[int] = field(default_factory=deque, init=False)
    _kept: dict[int, Kept] = field(default_factory=dict, init=False)
    _passed: bool = field(default=False, init=False)
    _ending: Ending = field(default_factory=Ending, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _begun: float = field(default_factory=time.perf_counter, init=False)

    def all(self) -> list[Kept]:
        """Solve every problem, and return what is kept in their order."""
        count = len(self.rngs)
        self._waiting.extend(range(count))
        if self.n_jobs > 1:
            # Every thread should come twice to the queue, so that none has all the long runs.
            self.width = max(1, min(self.width, math.ceil(count / (2 * self.n_jobs))))
        # Set around all runs: threads that each set and restore the number would leave a wrong one.
        with single_blas_thread():
            if self.n_jobs > 1:
                # The first run that does a pass builds the views of the design: once, not once a thread.
                while self._waiting and not self._passed:
                    self._work(islice(self._tasks(), 1))
                self._on_threads()
            else:
                self._work(self._tasks())
            # Where Ctrl-C fell while a problem was set up, this ended the tasks.
            self._waiting = deque(number for number in range(count) if number not in self._kept)
            self._work(self._tasks())
        return [self._kept[number] for number in range(count)]

    def _work(self, tasks: Iterable[Task]) -> None:
        """Solve the tasks; several threads may do so at a time."""
        if len(self.rngs) == 1:
            found = self._alone(tasks)
        else:
            found = solve_many(tasks, self.options.solver, width=self.width, ending=self._ending)
        for task, result in found:
            self._passed |= result.passes > 0
            self._kept[task.number] = self.keep(task.problem, result)

    def _alone(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Result]]:
        """Solve a single problem: nothing is shared."""
        for task in tasks:
            yield (
                task,
                solve(
                    task.problem,
                    self.options.solver,
                    stopping=task.stopping,
                    callback=task.callback,
                    start=task.start,
                    rng=task.rng,
                    checkpoint=self.options.checkpoint,
                    resume=self.options.resume,
                ),
            )

    def _tasks(self) -> Iterator[Task]:
        while self._waiting:
            try:
                number = self._waiting.popleft()
            except IndexError:  # Another thread was faster.
                return
            problem = self.problem(number)
            with ExitStack() as stack:
                yield Task(
                    number,
                    problem,
                    self.start(number, problem),
                    self._stopping(),
                    self._watcher(number, stack),
                    self.rngs[number],
                )

    def _stopping(self) -> StoppingRule:
        """The rules of a run that begins now: an equal share of the time left, for each that is to come."""
        rule: StoppingRule = RelativeGap(self.options.tol) | MaxPasses(self.options.max_passes)
        if self.options.limit < math.inf:
            rule = rule | Infeasible(self.options.limit)
        if self.options.time_limit is None:
            return rule
        left = self.options.time_limit - (time.perf_counter() - self._begun)
        turns = math.ceil((1 + len(self._waiting)) / (self.n_jobs * self.width))
        return rule | TimeLimit(max(left, 0.0) / turns)

    def _watcher(self, number: int, stack: ExitStack) -> Callback | None:
        """What is called after every certificate: the user's callback, one at a time, and a progress bar."""
        asked = self.options.callback
        if not self.options.verbose:
            return None if asked is None else self._locked
        title = f"{number + 1} of {len(self.rngs)}" if len(self.rngs) > 1 else "fit"
        bar = stack.enter_context(ProgressBar(self.options.tol, title))

        def call(progress: Progress) -> bool:
            bar.callback(progress)
            return asked is not None and self._locked(progress)

        return call

    def _locked(self, progress: Progress) -> bool:
        assert self.options.callback is not None
        with self._lock:
            # Once it has ended the fit it is not asked again.
            return self._ending.status is None and bool(self.options.callback(progress))

    def _on_threads(self) -> None:
        with ThreadPoolExecutor(self.n_jobs) as executor:
            try:
                futures = [executor.submit(self._work, self._tasks()) for _ in range(self.n_jobs)]
            except BaseException:  # Ctrl-C before there is anything to wait for
                self._ending.because(Status.INTERRUPTED)
                raise
            if not self._wait(set(futures)):
                self._ending.because(Status.INTERRUPTED)
            for future in futures:
                future.result()

    def _wait(self, running: set[Future[None]]) -> bool:
        """Wait for the threads, and say whether all went well.

        Only the main thread sees Ctrl-C, and tells the others. It looks up now and then, because a wait
        without a limit is not woken by a signal on every system.
        """
        while running:
            try:
                done, running = wait(running, timeout=_LOOK_SECONDS, return_when=FIRST_EXCEPTION)
                if any(future.exception() is not None for future in done):
                    return False
            except KeyboardInterrupt:
                self._ending.because(Status.INTERRUPTED)
        return True


def n_threads(n_jobs: object, n_labels: int) -> int:
    """Return the threads that ``n_jobs`` asks for, as joblib counts them: -1 is one for each core."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or int(n_jobs) == 0:
        raise InvalidInputError(
            f"n_jobs={n_jobs!r} is not a number of threads. Pass 1 or more, or -1 for all."
        )
    cores = os.cpu_count() or 1
    wanted = int(n_jobs) if int(n_jobs) > 0 else cores + 1 + int(n_jobs)
    return min(max(wanted, 1), n_labels)
