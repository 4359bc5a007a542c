"""Solve many problems that share one design."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from fenchel.design.base import Design
from fenchel.driver.loop import Ending, certify_each, certify_together, iterate
from fenchel.driver.result import Result
from fenchel.driver.run import Callback, Run, as_start
from fenchel.driver.stopping import MaxPasses, RelativeGap, StoppingRule
from fenchel.errors import InvalidInputError
from fenchel.numerics.threads import single_blas_thread
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Solver, Start
from fenchel.solvers.registry import get_solver

__all__ = ["Task", "block_width", "solve_many"]

_MOST = 16
"""Problems in a block: beyond that a product gains little by one more vector."""
_ENTRIES = 1 << 19
"""The points of a block fill at most 4 MB, or are those of one problem."""


@dataclass(frozen=True, eq=False)
class Task:
    """One of many problems: where its run starts, what ends it, and its own randomness.

    Attributes
    ----------
    number : int
        What the caller calls it by.
    problem : Problem
    start : Start, default neither point
    stopping : StoppingRule, default ``RelativeGap(1e-6) | MaxPasses(10_000)``
    callback : callable, optional
        As in :func:`fenchel.solve`; a true answer ends the runs of all tasks.
    rng : Generator, default one with the seed 0
    """

    number: int
    problem: Problem
    start: Start = field(default_factory=Start)
    stopping: StoppingRule = field(default_factory=lambda: RelativeGap(1e-6) | MaxPasses(10_000))
    callback: Callback | None = None
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))


def block_width(design: Design) -> int:
    """The problems that are solved at a time: as many as keep the points of a block small, 16 at most."""
    return max(1, min(_MOST, _ENTRIES // sum(design.shape)))


def solve_many(
    tasks: Iterable[Task],
    solver: str | Solver[Any] = "auto",
    *,
    width: int | None = None,
    ending: Ending | None = None,
) -> Iterator[tuple[Task, Result]]:
    r"""Minimise ``P`` for problems with one design, a block of them in lockstep.

    .. math:: \min_{w_k} P_k(w_k), \qquad Z = A W, \qquad V = A'(S \circ U) / n

    After every epoch of a block the scores Z of all its points, and the correlations V of their dual points,
    come from one product each. Every problem has its own solver state, and stops on its own certificate;
    the next task then takes its place.

    Parameters
    ----------
    tasks : iterable of Task
        Taken one by one, as places become free. All problems have the same ``design`` object.
    solver : str or Solver, default "auto"
        As in :func:`fenchel.solve`.
    width : int, optional
        The problems in a block; by default :func:`block_width`.
    ending : Ending, optional
        Shared with the blocks on other threads, so that what ends one ends all.

    Yields
    ------
    task, result
        In the order in which they end.

    Raises
    ------
    InvalidInputError
        If a problem has another design than the first one.

    Notes
    -----
    A result does not depend on the problems beside it, to the last bit, as long as none is ended by a time
    limit, a callback or Ctrl-C. The seconds of a run count from when it entered the block, the work
    for the others included. Memory: the states of a block, and some arrays of the size of its points.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import Problem, as_design
    >>> from fenchel.driver.solve_many import Task, solve_many
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import L1
    >>> A = as_design(np.eye(2))
    >>> problems = [Problem(A, b, Squared(), L1(0.75)) for b in ([3.0, 1.0], [0.0, 4.0])]
    >>> found = solve_many(Task(number, problem) for number, problem in enumerate(problems))
    >>> {task.number: result.w.round(6).tolist() for task, result in found}
    {0: [1.5, 0.0], 1: [0.0, 2.5]}
    """
    waiting = iter(tasks)
    first = next(waiting, None)
    if first is None:
        return
    design, most = first.problem.design, block_width(first.problem.design)
    shared = most > 1 and not first.problem.loss.vector_output
    by_run: dict[int, Task] = {}

    def runs() -> Iterator[Run]:
        for task in chain([first], waiting):
            run = _run(task, design, solver)
            by_run[id(run)] = task
            yield run

    with single_blas_thread():
        certify = certify_together if shared else certify_each
        for run in iterate(runs(), most if width is None else width, certify, ending or Ending()):
            assert run.result is not None
            yield by_run.pop(id(run)), run.result


def _run(task: Task, design: Design, solver: str | Solver[Any]) -> Run:
    problem = task.problem
    if problem.design is not design:
        raise InvalidInputError(
            "The problems have several designs. Make the design once, with as_design, and give it to all."
        )
    chosen, reason = get_solver(solver, problem)
    start = as_start(task.start, problem)
    return Run(problem, chosen, reason, task.stopping, task.callback, start, task.rng)
