"""CPU seconds to a relative gap on one-vs-rest problems: active sets, the switch, their baselines, peers.

Part (a) has the problem of the doubly greedy paper, a smoothed hinge with an elastic net of strengths 0.1
and 0.01 of the sum of the losses, on random bins and on text. No peer serves that loss. Part (b) has the
squared hinge with an l1 part, where LIBLINEAR and Cyanure solve the same problem, and the l1 logistic loss,
where skglm, celer and Snap ML do too; active sets need an l2 part, so that under l1 alone the switch and
"auto" work on the primal.

Part (c) sets active sets against coordinate descent on two-class problems, for the rule of "auto".

All classes share one matrix, whose two views are made before any clock starts, as the peers' layouts are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.datasets import stored
from benchmarks.datasets.classes import load
from benchmarks.instance import LOSSES, FloatArray, Instance, LossName, Matrix
from benchmarks.judge import Judge
from benchmarks.limited import cpu_limit, quiet
from benchmarks.measure import Settings, Timing, timed
from benchmarks.peers import PEERS
from benchmarks.sweep import sweep, warm_up
from fenchel import SDCA, DGPDPlus, PrimalCD, Problem, RelativeGap, Result, as_design, solve
from fenchel.design import Design
from fenchel.solvers.registry import choose_solver
from fenchel.solvers.selection import choose_side

__all__ = ["compare_times", "tiny"]

LAMBDA, MU = 0.1, 0.01
LIMIT = 10.0
"""CPU seconds of a fit of ours, wall seconds of one of a peer."""
log = Console(stderr=True)

OURS: dict[str, Callable[[Problem], object]] = {
    "AS+": lambda problem: DGPDPlus(),
    "switch": lambda problem: choose_side(problem).solver,
    "auto": lambda problem: choose_solver(problem)[0],
    "SDCA": lambda problem: SDCA(newton_passes=0.0, moving_passes=0),
    "PrimalRCD": lambda problem: PrimalCD(order="random", support_passes=0, newton_passes=0.0),
    "PrimalCD": lambda problem: PrimalCD(),
}
"""SDCA and PrimalRCD are the baselines of the paper, without our Newton steps."""
SHOWN = {
    "a": ("AS+", "switch", "auto", "SDCA", "PrimalRCD"),
    "b": ("AS+", "switch", "auto"),
    "c": ("AS+", "PrimalCD", "auto"),
}
"""The solvers of each part."""
SHARED: tuple[tuple[LossName, float, float], ...] = (
    ("squared_hinge", 0.1, 1.0),
    ("squared_hinge", 0.01, 1.0),
    ("squared_hinge", 0.01, 0.9),
    ("logistic", 0.1, 1.0),
    ("logistic", 0.01, 1.0),
)
"""Loss, share of the largest l1, and share of the l1 part of the problems of part (b)."""


@dataclass(frozen=True, eq=False)
class Classes:
    """A matrix, the labels, which of the classes (largest first) to fit, and for which parts."""

    name: str
    A: Matrix
    labels: FloatArray
    ranks: tuple[int, ...]
    parts: str = "ab"

    def targets(self) -> Iterator[tuple[str, FloatArray]]:
        values, counts = np.unique(self.labels, return_counts=True)
        largest_first = values[np.argsort(-counts, kind="stable")]
        for rank in self.ranks:
            yield f"{self.name} {rank}", np.where(self.labels == largest_first[rank], 1.0, -1.0)


@dataclass(frozen=True, eq=False)
class Case:
    """One problem of the tables, and the part that it belongs to."""

    name: str
    instance: Instance
    design: Design
    part: str

    def problem(self) -> Problem:
        return self.instance.fenchel_problem(design=self.design)


def _stored() -> dict[str, Callable[[], Classes]]:
    """Return the data sets; each loader raises FileNotFoundError when its file is absent."""

    def paper(name: str, short: str, ranks: tuple[int, ...]) -> Classes:
        loaded = load(name, full=True, rng=np.random.default_rng(0))
        return Classes(short, loaded.A, loaded.labels.astype(np.float64), ranks)

    def text(name: str, source: Callable[..., stored.Data], ranks: tuple[int, ...]) -> Classes:
        return Classes(name, *source(stored.data_folder()), ranks)

    return {
        "Mnist-RB": partial(paper, "Mnist-RB", "Mnist-RB", (0, 5)),
        "RCV1 topic sets": partial(paper, "RCV1 topic sets", "rcv1", (0, 5, 50)),
        "news20": partial(text, "news20", stored.news20, (0, 10)),
        "clinc150": partial(text, "clinc150", stored.clinc150, (0, 75)),
    }


def _two_classes() -> dict[str, Callable[[], Classes]]:
    """Return the data sets of part (c); those of leukemia are centred, and their signs are taken."""

    def binary(name: str, source: Callable[..., stored.Data]) -> Classes:
        A, b = source(stored.data_folder())
        return Classes(name, A, np.sign(b), (0,), "c")

    sources = (stored.colon, stored.leukemia, stored.rcv1_binary, stored.a9a, stored.w8a)
    return {source.__name__: partial(binary, source.__name__, source) for source in sources}


def tiny() -> Classes:
    """Return generated classes, to try the tables on."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((60, 12))
    return Classes("tiny", A, np.argmax(A[:, :3], axis=1).astype(np.float64), (0,), "abc")


def _cases(classes: Classes, parts: str) -> Iterator[Case]:
    n = len(classes.labels)
    design = as_design(Instance(classes.A, classes.labels, "squared", 0.0, 1.0).columns)
    design.build_views()
    for name, b in classes.targets():
        if "a" in parts:
            instance = Instance(classes.A, b, "smoothed_hinge", LAMBDA / n, MU / n)
            yield Case(name, instance, design, "a")
        if "b" in parts:
            for loss, fraction, ratio in SHARED:
                l1 = fraction * _largest_strength(loss, classes.A, b)
                kind = f"l1, max/{1 / fraction:g}" if ratio == 1.0 else f"l1 + l2, max/{1 / fraction:g}"
                instance = Instance(classes.A, b, loss, l1, l1 * (1.0 / ratio - 1.0))
                yield Case(f"{name} {loss} {kind}", instance, design, "b")
        if "c" in parts:
            losses: tuple[LossName, ...] = ("smoothed_hinge", "squared_hinge")
            for loss, fraction in product(losses, (0.1, 0.01, 0.001)):
                strength = fraction * _largest_strength(loss, classes.A, b)
                instance = Instance(classes.A, b, loss, strength, strength)
                yield Case(f"{name} {loss} max/{1 / fraction:g}", instance, design, "c")


def _largest_strength(loss: LossName, A: Matrix, b: FloatArray) -> float:
    return float(np.abs(A.T @ LOSSES[loss].gradient(np.zeros(len(b)), b)).max()) / len(b)


def _measure(case: Case, settings: Settings) -> dict[float, dict[str, Timing]]:
    """Time every solver that serves the problem, in turn; one that misses a target is timed once."""
    judge = Judge(case.problem())
    names = SHOWN[case.part]
    served = [peer for peer in PEERS if case.part == "b" and peer.refusal(case.instance) is None]
    warm_up(case.instance, served)
    swept = {peer.name: sweep(peer, case.instance, judge, settings) for peer in served}
    table: dict[float, dict[str, Timing]] = {}
    for k, target in enumerate(settings.targets):
        row = {name: Timing(name) for name in names} | {name: found[k] for name, found in swept.items()}
        if DGPDPlus.unmet(judge.problem) is not None:
            row["AS+"].failure = "needs an l2 part"
        fits = {name: partial(_ours, row[name], case, judge, target, settings) for name in names}
        fits |= {peer.name: partial(_theirs, row[peer.name], peer, case, judge) for peer in served}
        for turn in range(settings.repeats):
            shift = turn % len(fits)
            for name in [*fits][shift:] + [*fits][:shift]:
                if row[name].failure is None:
                    fits[name]()
                    if row[name].relative_gap > target:
                        gap, seconds = row[name].relative_gap, row[name].seconds.pop()
                        row[name].failure = f"gap {gap:.0e} after {seconds:.3g}"
        table[target] = row
    return table


def _ours(timing: Timing, case: Case, judge: Judge, target: float, settings: Settings) -> None:
    def fit() -> Result:
        problem = case.problem()
        return solve(
            problem,
            OURS[timing.name](problem),  # type: ignore[arg-type]
            stopping=RelativeGap(target),
            callback=cpu_limit(settings.peer_limit),
        )

    timed(timing, fit, judge.proven_gap)


def _theirs(timing: Timing, peer: object, case: Case, judge: Judge) -> None:
    timed(timing, lambda: peer.fit(case.instance, timing.tolerance), judge.relative_gap)  # type: ignore[attr-defined]


def compare_times(console: Console, repeats: int, parts: str, sources: list[Classes] | None = None) -> None:
    """Print the CPU seconds of every solver on every class, and the ratios; absent data are named."""
    settings = Settings(repeats=repeats, peer_limit=LIMIT)
    tables = {part: _table(part) for part in parts}
    for classes in sources if sources is not None else _loaded(console, parts):
        for case in _cases(classes, "".join(part for part in parts if part in classes.parts)):
            log.print(f"{case.name} ...")
            with quiet():
                measured = _measure(case, settings)
            for target, row in measured.items():
                tables[case.part].add_row(case.name, f"{target:.0e}", *_cells(case.part, row))
    for table in tables.values():
        console.print(table)
    if "b" in parts:
        console.print("skglm, celer and Snap ML have no squared hinge.")


def _loaded(console: Console, parts: str) -> Iterator[Classes]:
    loaders = (_stored() if set(parts) & set("ab") else {}) | (_two_classes() if "c" in parts else {})
    for name, loader in loaders.items():
        try:
            yield loader()
        except FileNotFoundError as error:
            console.print(f"{name} is skipped: {error}. Set FENCHEL_DATA.")


def _table(part: str) -> Table:
    title = {
        "a": f"(a) Smoothed hinge, l1 = {LAMBDA:g}/n, l2 = {MU:g}/n: CPU seconds, medians",
        "b": "(b) Losses of the peers, fractions of the largest l1: CPU seconds, medians",
        "c": "(c) Elastic net, l1 = l2, fractions of the largest l1: CPU seconds, medians",
    }[part]
    more = {"a": ("best baseline / better of AS+, switch",), "c": ("PrimalCD / AS+", "better / auto")}
    peers = ("best peer", "all peers", "best peer / auto")
    table = Table(title=title)
    for heading in ("problem", "gap", *SHOWN[part], *more.get(part, peers)):
        table.add_column(heading, no_wrap=heading != "all peers")
    return table


def _cells(part: str, row: dict[str, Timing]) -> list[str]:
    def cell(name: str) -> str:
        timing = row[name]
        return f"{timing.median:.3g}" if timing.seconds else (timing.failure or "")

    ours, seconds = [cell(name) for name in SHOWN[part]], {name: row[name].median for name in row}
    if part == "a":
        better = min(seconds["AS+"], seconds["switch"])
        return [*ours, _ratio(min(seconds["SDCA"], seconds["PrimalRCD"]), better)]
    if part == "c":
        better = min(seconds["AS+"], seconds["PrimalCD"])
        return [*ours, _ratio(seconds["PrimalCD"], seconds["AS+"]), _ratio(better, seconds["auto"])]
    peers = {name: seconds[name] for name in row if name not in OURS}
    best = min(peers.values(), default=np.inf)
    first = next((name for name, value in peers.items() if value == best < np.inf), "none")
    listed = ", ".join(f"{name} {cell(name)}" for name in peers)
    return [*ours, first, listed, _ratio(best, seconds["auto"])]


def _ratio(theirs: float, ours: float) -> str:
    return f"{theirs / ours:.2f}" if np.isfinite(theirs) and np.isfinite(ours) else ""
