"""What a pass costs for each stored entry, beside what the machine needs to read and to gather the data."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.compiled import library, pointer
from benchmarks.datasets import generated, stored
from fenchel import SDCA, PrimalCD, Problem, Start, as_design
from fenchel.losses import Hinge, Logistic
from fenchel.regularizers import L1, Ridge

__all__ = ["bounds"]

DATA: dict[str, Callable[[Path], stored.Data]] = {
    "text20k": lambda folder: generated.text(20_000, 47_000, classification=True),
    "rcv1": stored.rcv1_binary,
    "news20": stored.news20,
}
TURNS = 7


class Machine(NamedTuple):
    """The two loops of ``bounds.c``."""

    stream: Callable[..., float]
    gather: Callable[..., float]

    @classmethod
    def compiled(cls) -> Machine:
        """Both, as they give their results."""
        loaded = library(Path(__file__).with_suffix(".c"))
        for function in (loaded.stream, loaded.gather):
            function.restype = ctypes.c_double
        return cls(loaded.stream, loaded.gather)


class Line(NamedTuple):
    """One operation and what it is measured against: the gathers by rows, or by columns."""

    name: str
    order: str
    work: Callable[[], float]
    """Does it once; returns how many stored entries were read."""


def bounds(
    matrix: Annotated[list[str] | None, typer.Option(help=f"Of {', '.join(DATA)}; else all.")] = None,
    data: Annotated[Path | None, typer.Option(help="Folder of the data; else FENCHEL_DATA.")] = None,
) -> None:
    """Print nanoseconds for each stored entry: products, passes of coordinate methods, and the bounds."""
    console, machine = Console(width=160), Machine.compiled()
    for name in matrix or list(DATA):
        given, b = DATA[name](stored.data_folder(data))
        A, b = sp.csr_array(given), np.where(b > np.median(b), 1.0, -1.0)
        table = Table(title=f"{name}: {A.shape[0]} x {A.shape[1]}, {A.nnz} entries")
        for heading in ("operation", "ns per entry", "times the gather bound", "times the stream bound"):
            table.add_column(heading, justify="left" if heading == "operation" else "right")
        lines = [*_bounds(machine, A), *_products(A), *_passes(A, b)]
        taken = _nanoseconds(lines)
        stream = taken[0]
        gathers = {line.order: ns for line, ns in zip(lines[1:3], taken[1:3], strict=True)}
        for line, ns in zip(lines, taken, strict=True):
            table.add_row(line.name, f"{ns:.2f}", f"{ns / gathers[line.order]:.2f}", f"{ns / stream:.2f}")
        console.print(table)


def _nanoseconds(lines: list[Line]) -> list[float]:
    """CPU nanoseconds for each entry, the medians of turns in which all are measured one after the other."""
    taken: list[list[float]] = [[] for _ in lines]
    for turn in range(1 + TURNS):
        for line, times in zip(lines, taken, strict=True):
            began = time.process_time()
            entries = line.work()
            if turn:
                times.append(1e9 * (time.process_time() - began) / entries)
    return [float(np.median(times)) for times in taken]


def _bounds(machine: Machine, A: Any) -> list[Line]:
    """Read as many bytes as values and indices have; gather with the indices of the rows and the columns."""
    rng, columns = np.random.default_rng(0), A.tocsc()
    arrays = rng.standard_normal(A.nnz * 12 // 8)

    def read() -> float:
        machine.stream(pointer(arrays), ctypes.c_int64(arrays.size))
        return float(A.nnz)

    def fetch(vector: np.ndarray, indices: np.ndarray) -> float:
        machine.gather(pointer(vector), pointer(indices), ctypes.c_int64(indices.size))
        return float(A.nnz)

    by_rows = partial(fetch, rng.standard_normal(A.shape[1]), A.indices.astype(np.int32))
    by_columns = partial(fetch, rng.standard_normal(A.shape[0]), columns.indices.astype(np.int32))
    return [
        Line("stream bound (12 bytes an entry)", "rows", read),
        Line("gather bound, rows", "rows", by_rows),
        Line("gather bound, columns", "columns", by_columns),
    ]


def _products(A: Any) -> list[Line]:
    """A w and A'u by rows and by columns, in both precisions."""
    rng = np.random.default_rng(1)
    w, u = rng.standard_normal(A.shape[1]), rng.standard_normal(A.shape[0])

    def product(multiply: Callable[[Any], Any], x: Any) -> float:
        multiply(x)
        return float(A.nnz)

    lines = []
    for kind in (np.float64, np.float32):
        rows, columns = as_design(A.astype(kind)), as_design(A.tocsc().astype(kind))
        for name, order, multiply, x in (
            ("A w, CSR", "rows", rows.matvec, w),
            ("A'u, CSR", "rows", rows.rmatvec, u),
            ("A w, CSC", "columns", columns.matvec, w),
            ("A'u, CSC", "columns", columns.rmatvec, u),
        ):
            lines.append(Line(f"{name}, {np.dtype(kind)}", order, partial(product, multiply, x)))
    return lines


def _passes(A: Any, b: Any) -> list[Line]:
    """A cyclic pass over the columns and a random pass over the rows, from the third epoch on."""
    cases = (
        ("pass of PrimalCD, logistic", "columns", PrimalCD(newton_passes=0.0), Logistic(), L1(1e-4)),
        ("pass of SDCA, hinge", "rows", SDCA(newton_passes=0.0, moving_passes=0), Hinge(), Ridge(1 / len(b))),
    )
    lines = []
    for name, order, solver, loss, regularizer in cases:
        problem = Problem(A, b, loss, regularizer)
        state = solver.init(problem, Start(), np.random.default_rng(0))
        lines.append(Line(name, order, partial(_epoch, solver, problem, state)))
    return lines


def _epoch(solver: Any, problem: Problem, state: Any) -> float:
    before = state.entries_read
    solver.run_epoch(problem, state)
    return float(state.entries_read - before)
