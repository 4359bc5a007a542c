"""Paths of 100 strengths against those of the peers: CPU seconds until every point has the certified gap."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from benchmarks.datasets.stored import data_folder
from benchmarks.instance import FloatArray, Instance
from benchmarks.limited import describe, quiet, run_limited
from benchmarks.measure import Row, Timing, timed
from benchmarks.path_peers import PATH_PEERS, PathPeer
from benchmarks.problems import matching
from benchmarks.report import print_rows
from fenchel import MaxPasses, PathResult, Problem, RelativeGap, path
from fenchel.regularizers import L1

__all__ = ["Comparison", "path_command"]

_PROBLEMS = ("wide-lasso", "text-lasso", "wide-l1-logistic", "text-l1-logistic")
_TOLERANCES = tuple(float(10.0 ** (-k / 2)) for k in range(4, 21))
"""From 1e-2 to 1e-10 by half decades."""
_REFINED = 10.0**0.25
"""A tolerance that meets the target is tried this much looser: half of the last half decade."""


def path_command(
    problem: Annotated[list[str] | None, typer.Option(help="Name or pattern; else text and wide.")] = None,
    target: Annotated[list[float] | None, typer.Option(help="Relative gap; else 1e-3 and 1e-6.")] = None,
    strengths: Annotated[int, typer.Option(min=2, help="Strengths of a path.")] = 100,
    ratio: Annotated[float, typer.Option(help="Smallest strength over the largest.")] = 0.01,
    repeats: Annotated[int, typer.Option(min=1, help="Timed paths of each library.")] = 3,
    peer_limit: Annotated[float, typer.Option(help="Seconds after which a path of a peer is ended.")] = 90.0,
    solver: Annotated[str, typer.Option(help="Fenchel's solver.")] = "auto",
    data: Annotated[Path | None, typer.Option(help="Folder of the data; else FENCHEL_DATA.")] = None,
) -> None:
    """Time paths to the same gap at every point, each peer at its loosest tolerance that meets it."""
    console, targets = Console(width=160), sorted(target or (1e-3, 1e-6), reverse=True)
    rows: list[Row] = []
    for chosen in matching(problem or list(_PROBLEMS)):
        instance = chosen.load(data_folder(data))
        with quiet():
            comparison = Comparison(instance, strengths, ratio, peer_limit, solver)
            rows += [comparison.row(chosen.name, goal, repeats) for goal in targets]
    print_rows(rows, console)


class Comparison:
    """One problem: the grid, the judge, and the peers that have been warmed up."""

    def __init__(self, instance: Instance, count: int, ratio: float, limit: float, solver: str) -> None:
        self.instance, self.limit, self.solver = instance, limit, solver
        self.problem = self._problem()
        self.grid: FloatArray = self.problem.zero_solution_strength() * np.geomspace(1.0, ratio, count)
        self.first_calls: dict[str, float] = {}
        self.failures = {peer.name: peer.refusal(instance) for peer in PATH_PEERS}
        sample = instance.sample()
        for peer in PATH_PEERS:
            if self.failures[peer.name] is None:
                try:
                    peer.fit(sample, 0.1 * self.grid[:2], 1e-6)
                except Exception as error:
                    self.failures[peer.name] = describe(error)
        self.found: dict[tuple[str, float], float] = {}

    def _problem(self) -> Problem:
        plain = self.instance.fenchel_problem()
        return plain.with_regularizer(L1(1.0))

    def row(self, name: str, goal: float, repeats: int) -> Row:
        """Time all in turn."""
        timings = [self._timing(peer, goal) for peer in PATH_PEERS]
        row = Row(name, goal, Timing("fenchel", goal), timings, self.first_calls, 0.0)

        def ours() -> None:
            timed(row.fenchel, partial(self._ours, goal), self._proven)

        def theirs(peer: PathPeer, timing: Timing) -> None:
            timed(timing, lambda: peer.fit(self.instance, self.grid, timing.tolerance or 0.0), self._worst)

        contenders = [ours]
        for peer, timing in zip(PATH_PEERS, timings, strict=True):
            if timing.tolerance is not None:
                contenders.append(partial(theirs, peer, timing))
        for turn in range(repeats):
            shift = turn % len(contenders)
            for contender in contenders[shift:] + contenders[:shift]:
                contender()
        for timing in (row.fenchel, *timings):
            if timing.seconds and timing.relative_gap > goal * (1 + 1e-6):
                timing.failure, timing.seconds = f"gap {timing.relative_gap:.1e}", []
        return row

    def _ours(self, goal: float) -> PathResult:
        """A new problem each time: nothing that was computed before is used again."""
        stopping = RelativeGap(goal) | MaxPasses(10_000)
        return path(self._problem(), strengths=self.grid, stopping=stopping, solver=self.solver)

    def _proven(self, result: PathResult) -> float:
        """The worst gap that the points of ours prove, recomputed on the whole problem."""
        return max(
            self._at(point.strength).certify(point.w, point.certificate.dual_point).relative_gap
            for point in result.points
        )

    def _worst(self, coefficients: FloatArray) -> float:
        """The worst gap of a peer's points, with the gradient as the dual point."""
        if not np.all(np.isfinite(coefficients)):
            return float("inf")
        return max(
            self._at(strength).certify(w).relative_gap
            for strength, w in zip(self.grid, coefficients, strict=True)
        )

    def _at(self, strength: float) -> Problem:
        return self.problem.with_regularizer(L1(float(strength)))

    def _timing(self, peer: PathPeer, goal: float) -> Timing:
        """Find the loosest tolerance at which the worst point meets the goal."""
        failure = self.failures[peer.name]
        if failure is not None:
            return Timing(peer.name, failure=failure)
        smallest = float("inf")
        for tolerance in (t for t in _TOLERANCES if t <= goal):
            gap = self._limited(peer, tolerance)
            if isinstance(gap, str):
                failure = f"best gap {smallest:.1e}, then {gap}" if smallest < np.inf else f"no fit, {gap}"
                return Timing(peer.name, failure=failure)
            smallest = min(smallest, gap)
            if gap <= goal:
                looser = tolerance * _REFINED
                again = self._limited(peer, looser)
                met = not isinstance(again, str) and again <= goal
                return Timing(peer.name, looser if met else tolerance)
        return Timing(peer.name, failure=f"best gap {smallest:.1e}")

    def _limited(self, peer: PathPeer, tolerance: float) -> float | str:
        """The worst gap of a peer's path, or why there is none."""
        return run_limited(lambda: self._worst(peer.fit(self.instance, self.grid, tolerance)), self.limit)
