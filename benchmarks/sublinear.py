"""What a step of SublinearMulticlass costs as the data grow, its rounding, and a fit of 1,000 classes."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.sublinear_accuracy import accuracy_table
from benchmarks.sublinear_numpy import NumpySteps
from fenchel import Problem, RelativeGap, Start, SublinearMulticlass, TimeLimit, solve
from fenchel.losses import Loss, MulticlassHinge, Softmax
from fenchel.regularizers import L1Ball
from fenchel.solvers.mirror.sublinear_state import SublinearState

__all__ = ["SublinearTables", "sublinear"]

SIDES = (400, 800, 1600)
SPARSE_SIDES = (20_000, 63_000, 200_000)
PER_ROW, CLASSES = 10, 20
RADIUS = 10.0
REPEATS = 5
ROUNDS = 9
DENSE_STEPS = 1 << 15
"""A whole call of the kernel, as in a long run: at its end every row is brought up to date."""
NUMPY, NUMPY_STEPS = "NumPy", 400
STEPS = 20_000
LOSSES: tuple[Loss, ...] = (MulticlassHinge(), Softmax())


def dense_data(side: int) -> tuple[np.ndarray, np.ndarray]:
    """A square Gaussian matrix, and labels of as many classes."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((side, side)), rng.integers(side, size=side)


def sparse_data(n: int, d: int, per_row: int, k: int) -> tuple[Any, np.ndarray]:
    """Rows with entries at random places whose classes follow a sparse linear model."""
    rng = np.random.default_rng(0)
    places = np.sort(rng.integers(d - per_row, size=(n, per_row)), axis=1) + np.arange(per_row)
    starts = np.arange(0, n * per_row + 1, per_row)
    values = rng.standard_normal(n * per_row) / np.sqrt(per_row)
    A = sp.csr_array((values, places.ravel().astype(np.int32), starts), shape=(n, d))
    return A, (places[:, 0] * k // d).astype(np.int64)


def epoch_time(problem: Problem, solver: SublinearMulticlass, state: SublinearState, steps: int) -> float:
    """CPU microseconds of a step in an epoch of about that many."""
    state.time = before = steps
    began = time.process_time()
    solver.run_epoch(problem, state)
    return (time.process_time() - began) / (state.time - before) * 1e6


def step_time(problem: Problem, solver: SublinearMulticlass, steps: int) -> tuple[float, SublinearState]:
    """The least time of a step in some epochs, and the state after them."""
    state = solver.init(problem, Start(), np.random.default_rng(0))
    return min(epoch_time(problem, solver, state, steps) for _ in range(REPEATS)), state


def numpy_time(other: NumpySteps, steps: int) -> float:
    """CPU microseconds of a step of the NumPy implementation."""
    began = time.process_time()
    other.take(steps)
    return (time.process_time() - began) / steps * 1e6


def _titled(title: str, *headings: str) -> Table:
    table = Table(title=title)
    for heading in headings:
        table.add_column(heading)
    return table


def dense_runs() -> dict[tuple[int, str], Callable[[], float]]:
    """The time of a step for every n = d = k, by both losses and by NumPy."""
    runs: dict[tuple[int, str], Callable[[], float]] = {}
    for side in SIDES:
        A, label = dense_data(side)
        runs[side, NUMPY] = partial(numpy_time, NumpySteps(A, label, side, RADIUS, 0.0, 1e-5), NUMPY_STEPS)
        for loss in LOSSES:
            problem, solver = Problem(A, np.eye(side)[label], loss, L1Ball(RADIUS)), SublinearMulticlass()
            state = solver.init(problem, Start(), np.random.default_rng(0))
            runs[side, loss.name] = partial(epoch_time, problem, solver, state, DENSE_STEPS)
    return runs


def dense_table(console: Console) -> None:
    """Print the time of a step for n = d = k.

    Every size in turn, some times over, and the medians: what else the machine does falls on all sizes alike.
    """
    table = _titled(
        "Dense: CPU microseconds a step", "n = d = k", "loss", "kernel", "against half", "NumPy", "ratio"
    )
    runs = dense_runs()
    rounds = [{key: run() for key, run in runs.items()} for _ in range(ROUNDS)]
    taken = {key: float(np.median([each[key] for each in rounds])) for key in runs}
    for side in SIDES:
        for loss in LOSSES:
            fast, half, slow = taken[side, loss.name], taken.get((side // 2, loss.name)), taken[side, NUMPY]
            growth = f"x {fast / half:.2f}" if half else ""
            beside = (f"{slow:.1f}", f"x {slow / fast:.1f}") if loss.sparse_dual else ("", "")
            table.add_row(str(side), loss.name, f"{fast:.1f}", growth, *beside)
    console.print(table)


def sparse_table(console: Console) -> None:
    """Print the time of a step and the memory for n = d, 10 entries a row."""
    table = _titled(
        f"Sparse: {PER_ROW} entries a row, {CLASSES} classes; CPU microseconds a step",
        *("n = d", "loss", "tables", "a step", "against the first", "MB"),
    )
    first: dict[tuple[str, str], float] = {}
    for side in SPARSE_SIDES:
        A, label = sparse_data(side, side, PER_ROW, CLASSES)
        for loss in LOSSES:
            problem = Problem(A, np.eye(CLASSES)[label], loss, L1Ball(RADIUS))
            for storage in ("full", "hashed"):
                taken, state = step_time(problem, SublinearMulticlass(storage=storage), 100_000)
                growth = taken / first.setdefault((loss.name, storage), taken)
                numbers = (f"{taken:.2f}", f"x {growth:.2f}", f"{state.nbytes / 1e6:.0f}")
                table.add_row(str(side), loss.name, storage, *numbers)
    console.print(table)


def memory_table(console: Console) -> None:
    """Print the memory of hash tables after the same number of steps, for growing n k and d k."""
    table = _titled(
        f"Memory after {STEPS:,} steps, {PER_ROW} entries a row",
        "n = d",
        "k",
        "(n + d) k",
        "touched",
        "hashed MB",
        "full MB",
    )
    for side, k in ((10_000, 100), (10_000, 1_000), (10_000, 10_000), (40_000, 1_000)):
        A, label = sparse_data(side, side, PER_ROW, k)
        # The classes of the rows are enough for the solver's tables; the problem holds (n, k) targets.
        targets = np.eye(k)[label]
        problem = Problem(A, targets, MulticlassHinge(), L1Ball(RADIUS))
        # With a number of steps no epoch goes beyond it.
        solver = SublinearMulticlass(storage="hashed", steps=STEPS)
        state = solver.init(problem, Start(), np.random.default_rng(0))
        while state.time < STEPS:
            solver.run_epoch(problem, state)
        touched = int(state.primal_size[0] + state.dual_size[0])
        full, numbers = 48 * side * k / 1e6, (f"{touched:,}", f"{state.nbytes / 1e6:.1f}")
        table.add_row(str(side), str(k), f"{2 * side * k:.0e}", *numbers, f"{full:.0f}")
        del problem, targets
    console.print(table)


def classes_table(console: Console) -> None:
    """Fit 1,000 classes on 50,000 features for some ten seconds, within 2 GB."""
    n, d, k = 4_000, 50_000, 1_000
    A, label = sparse_data(n, d, 40, k)
    table = _titled(
        f"{k} classes, n = {n}, d = {d}, 40 entries a row, multiclass hinge with an l1 penalty",
        *("penalty", "P", "D", "gap", "steps", "touched", "seconds", "CPU", "tables MB", "peak MB"),
    )
    problem = Problem(A, np.eye(k)[label], MulticlassHinge(), L1Ball(500.0, l1=2e-4))
    began, worked = time.perf_counter(), time.process_time()
    rule = RelativeGap(1e-3) | TimeLimit(10.0)
    result = solve(problem, SublinearMulticlass(), stopping=rule, rng=0)
    seconds, cpu = time.perf_counter() - began, time.process_time() - worked
    proof, state = result.certificate, result.state
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    values = (f"{value:.4f}" for value in (proof.primal, proof.dual, proof.gap))
    touched = int(state.primal_size.sum() + state.dual_size.sum())
    numbers = (f"{state.nbytes / 1e6:.0f}", f"{peak:.0f}")
    steps = (f"{state.time:,}", f"{touched:,}", f"{seconds:.0f}", f"{cpu:.0f}")
    table.add_row("L1Ball(500, 2e-4)", *values, *steps, *numbers)
    console.print(table)


TABLES: dict[str, Callable[[Console], None]] = {
    "dense": dense_table,
    "sparse": sparse_table,
    "memory": memory_table,
    "classes": classes_table,
    "accuracy": accuracy_table,
}

SublinearTables = Enum("SublinearTables", {name: name for name in TABLES}, type=str)  # type: ignore[misc]


def sublinear(
    table: Annotated[list[SublinearTables] | None, typer.Option(help="Which tables; all by default.")] = None,
) -> None:
    """Time the steps of SublinearMulticlass as the data grow, fit 1,000 classes, and measure rounding."""
    console = Console(width=None if Console().is_terminal else 200)
    for name in [chosen.value for chosen in table or SublinearTables]:
        TABLES[name](console)
