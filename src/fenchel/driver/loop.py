"""The one iteration loop: epochs of some runs in lockstep, certificates of all of them, stopping rules."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from fenchel.driver.run import Point, Run
from fenchel.driver.stopping import Status
from fenchel.problem.bounds import admissible
from fenchel.problem.certificate import Certificate
from fenchel.problem.problem import Problem

__all__ = ["Ending", "certify_each", "certify_together", "iterate"]

Certifier = Callable[[Sequence[tuple[Problem, Point]]], list[Certificate]]


@dataclass
class Ending:
    """What has ended all runs at once: Ctrl-C or a callback. Loops on several threads share one."""

    status: Status | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def because(self, status: Status) -> None:
        """End all; the first reason stays."""
        with self._lock:
            self.status = self.status or status


def iterate(runs: Iterable[Run], width: int, certify: Certifier, ending: Ending) -> Iterator[Run]:
    """Drive the runs, at most ``width`` at a time, and yield each as soon as it has a result.

    A run that has ended makes room for the next. When a callback or Ctrl-C ends one, all end: those that
    have not begun with their starting points.
    """
    waiting, block = iter(runs), list[Run]()
    while True:
        try:
            block += islice(waiting, width - len(block))
            if not block:
                return
            _round(block, certify, ending)
        except KeyboardInterrupt:
            if ending.status is Status.INTERRUPTED:
                raise
            ending.because(Status.INTERRUPTED)
        yield from (run for run in block if run.result is not None)
        block = [run for run in block if run.result is None]


def _round(block: list[Run], certify: Certifier, ending: Ending) -> None:
    """Judge every run, move those that go on by an epoch, and certify what came out of all."""
    for run in block:
        run.judge(ending.status)
        if run.status in (Status.CALLBACK, Status.INTERRUPTED):
            ending.because(run.status)
    for group in _by_solver(run for run in block if run.moving):
        group[0].solver.run_epochs([run.problem for run in group], [run.state for run in group])
    for run in block:
        run.begin()
    asked = [run.points() for run in block]
    pairs = [(run.problem, point) for run, points in zip(block, asked, strict=True) for point in points]
    certificates = iter(certify(pairs))
    for run, points in zip(block, asked, strict=True):
        run.take(points, list(islice(certificates, len(points))))


def _by_solver(runs: Iterable[Run]) -> list[list[Run]]:
    """Group the runs of equal solvers. A solver of the user's own need not be hashable."""
    groups: list[list[Run]] = []
    for run in runs:
        for group in groups:
            if group[0].solver is run.solver or group[0].solver == run.solver:
                group.append(run)
                break
        else:
            groups.append([run])
    return groups


def certify_each(pairs: Sequence[tuple[Problem, Point]]) -> list[Certificate]:
    """Certify one point after the other."""
    return [_certified(problem, point) for problem, point in pairs]


def _certified(problem: Problem, point: Point) -> Certificate:
    """Certify a point, with its products where they are at hand."""
    if point.products is None or point.u is None:
        return problem.certify(point.w, point.u)
    return problem.certify_at(point.w, point.products.z, point.u, point.products.v)


def certify_together(pairs: Sequence[tuple[Problem, Point]]) -> list[Certificate]:
    """Certify points of problems with one design: the products that are not at hand are one each way."""
    joint = iter(_by_joint_products([pair for pair in pairs if pair[1].products is None]))
    return [next(joint) if point.products is None else _certified(problem, point) for problem, point in pairs]


def _by_joint_products(pairs: Sequence[tuple[Problem, Point]]) -> list[Certificate]:
    """Certify points of problems with one design: all scores, and all correlations, in one product each."""
    if not pairs:
        return []
    design, n_samples = pairs[0][0].design, pairs[0][0].n_samples
    scores = design.matvecs(np.stack([point.w for _, point in pairs]))
    admitted = [
        admissible(problem, problem.loss.gradient(z, problem.b) if point.u is None else point.u)
        for (problem, point), z in zip(pairs, scores, strict=True)
    ]
    weighted = [problem.sample_weight * u for (problem, _), u in zip(pairs, admitted, strict=True)]
    correlations = design.rmatvecs(np.stack(weighted)) / n_samples
    return [
        problem.certify_at(point.w, z, u, v)
        for (problem, point), z, u, v in zip(pairs, scores, admitted, correlations, strict=True)
    ]
