"""What rounding does to the averages of SublinearMulticlass, against a long double replay of the same draws.

The draws of a run in double precision depend on its rounding; so they are recorded, and steps in long double
take them. The steps themselves amplify what changes a point, exponentially at long steps: the
replay is made again with entries of A that are half a unit in the last place off, and no method that holds
its point in double precision can be expected to stay closer than that.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from rich.console import Console
from rich.table import Table

from benchmarks.compiled import library, pointer
from benchmarks.instance import FloatArray
from fenchel import Problem
from fenchel._kernels.entropic import EntropicStep, SampledGame
from fenchel._kernels.mirror_dense import DENSE_UNIFORMS, DenseTables, mirror_dense_steps
from fenchel._kernels.mirror_sparse import (
    SPARSE_UNIFORMS,
    SparseTables,
    mirror_sparse_flush,
    mirror_sparse_steps,
)
from fenchel.losses import MulticlassHinge, Softmax
from fenchel.regularizers import L1Ball
from fenchel.solvers.mirror.entropic_sampling import (
    draw_rows,
    entropic_step,
    row_choice,
    row_maxima,
    sampled_game,
    unit_step,
)
from fenchel.typing import IndexArray

__all__ = ["Averages", "Case", "Replay", "accuracy_table", "play"]

LongArray = npt.NDArray[np.longdouble]
MULTIPLE = 16.0
"""Steps of the theory."""
CALL = 1 << 15
FORMS = ("dense", "sparse")


@dataclass(frozen=True)
class Case:
    """A Gaussian problem of n rows, d features and k classes in a ball, and a number of steps."""

    n: int
    d: int
    k: int
    radius: float
    steps: int
    hinge: bool

    def data(self) -> tuple[FloatArray, IndexArray]:
        rng = np.random.default_rng(0)
        return rng.standard_normal((self.n, self.d)), rng.integers(self.k, size=self.n)

    def game(self, form: str) -> tuple[SampledGame, EntropicStep]:
        """The game on dense or sparse data, and a step of this size."""
        A, label = self.data()
        loss = MulticlassHinge() if self.hinge else Softmax()
        problem = Problem(
            A if form == "dense" else sp.csr_array(A), np.eye(self.k)[label], loss, L1Ball(self.radius)
        )
        size = np.sqrt(problem.design.column_square_sums(problem.sample_weight))
        game = sampled_game(problem, row_maxima(problem.design.rows), size)
        unit = unit_step(self.n, self.d, self.k, self.radius, size, game.row_weight)
        return game, entropic_step(game, MULTIPLE * unit / np.sqrt(self.steps), self.radius, 0.0, 1)


@dataclass(frozen=True)
class Averages:
    """The averages of w (d, k) and of V (n, k), whose own classes stand at 0; V is 0 under softmax."""

    w: npt.NDArray[np.floating]
    V: npt.NDArray[np.floating]

    def distance(self, other: Averages) -> float:
        return float(max(np.abs(self.w - other.w).max(), np.abs(self.V - other.V).max()))


def play(case: Case, form: str, window: float = 1024.0) -> tuple[Averages, IndexArray]:
    """The averages by the kernels, and the draws; without a window sums are never flushed."""
    game, step = case.game(form)
    step, rng, choice = replace(step, window=window), np.random.default_rng(1), row_choice(game.row_weight)
    dense, drawn = form == "dense", []
    # Every call of the dense kernel ends with a flush.
    per_call = CALL if np.isfinite(window) else case.steps
    tables = (
        DenseTables.initial(game, case.radius) if dense else SparseTables.initial(game, case.radius, False)
    )
    for first in range(0, case.steps, per_call):
        count = min(per_call, case.steps - first)
        order = draw_rows(choice, rng.random(count))
        if isinstance(tables, DenseTables):
            uniforms = rng.random((count, DENSE_UNIFORMS))
            drawn.append(mirror_dense_steps(game, step, tables, order, uniforms))
        else:
            uniforms = rng.random((count, SPARSE_UNIFORMS))
            drawn.append(mirror_sparse_steps(game, step, tables, order, uniforms))
    return _averages(case, game, step, tables), np.concatenate(drawn)


def _averages(
    case: Case, game: SampledGame, step: EntropicStep, tables: DenseTables | SparseTables
) -> Averages:
    V = np.zeros((case.n, case.k))
    if isinstance(tables, DenseTables):
        w, V = tables.primal[1].T / case.steps, tables.dual[1] / case.steps if case.hinge else V
    else:
        mirror_sparse_flush(game, step, tables)
        w = tables.primal.dense(case.d, 2) / case.steps
        V = tables.dual.dense(case.n, 2, tables.dual_rows[:, 5]) / case.steps if case.hinge else V
    V[np.arange(case.n), game.label] = 0.0
    return Averages(w, V)


class Replay:
    """The steps of ``sublinear_replay.c``."""

    def __init__(self) -> None:
        """Compile them."""
        self.steps = library(Path(__file__).with_name("sublinear_replay.c")).replay
        self.steps.restype = None

    def averages(self, case: Case, A: LongArray, drawn: IndexArray) -> Averages:
        """The averages that these draws lead to from the uniform point."""
        n, d, k = case.n, case.d, case.k
        game, step = case.game("dense")
        numbers = np.array([step.primal, step.radius, step.dual])
        U = np.full((2, k, d), np.longdouble(case.radius) / (2 * d * k))
        V = np.full((n, k), np.longdouble(1) / k if case.hinge else np.longdouble(0))
        w_total, V_total = np.zeros((k, d), dtype=np.longdouble), np.zeros_like(V)
        sizes = (ctypes.c_int64(size) for size in (n, d, k))
        arrays = (pointer(array) for array in (U, V, w_total, V_total))
        inputs = (pointer(array) for array in (A, game.label, game.row_size, game.column_size))
        self.steps(
            *inputs,
            *sizes,
            int(case.hinge),
            pointer(numbers),
            pointer(drawn),
            ctypes.c_int64(len(drawn)),
            *arrays,
        )
        V_total[np.arange(n), game.label] = 0
        return Averages(w_total.T / len(drawn), V_total / len(drawn))


CASES = (
    Case(60, 30, 5, 30.0, 1_000_000, hinge=True),
    Case(60, 30, 5, 30.0, 1_000_000, hinge=False),
    Case(200, 100, 10, 30.0, 1_000_000, hinge=True),
    Case(200, 100, 10, 30.0, 1_000_000, hinge=False),
    Case(400, 200, 20, 30.0, 1_000_000, hinge=True),
    Case(400, 200, 20, 30.0, 1_000_000, hinge=False),
    Case(20, 20, 20, 10.0, 100_000, hinge=True),
    Case(20, 20, 20, 10.0, 1_000_000, hinge=True),
    Case(20, 20, 20, 10.0, 1_000_000, hinge=False),
    Case(10, 10, 10, 10.0, 1_000_000, hinge=True),
)


def accuracy_table(console: Console) -> None:
    """Print how far averages are from those of long double, and how far rounded data take the latter."""
    table = Table(title=f"Largest error of averages, steps of {MULTIPLE:.0f} times the theory")
    headings = (
        "n, d, k, R",
        "loss",
        "steps",
        "form",
        "kernel",
        "half a unit in A",
        "never flushed",
        "max |w|",
    )
    for heading in headings:
        table.add_column(heading)
    replay = Replay()
    for case in CASES:
        A = case.data()[0].astype(np.longdouble)
        sign = np.random.default_rng(2).choice(np.array([-1, 1]), size=A.shape)
        rounded = A * (1 + sign * np.longdouble(2.0**-53))
        for form in FORMS:
            (ours, drawn), (printed, drawn_by_printed) = play(case, form), play(case, form, np.inf)
            exact, moved = (replay.averages(case, matrix, drawn) for matrix in (A, rounded))
            of_printed = replay.averages(case, A, drawn_by_printed)
            errors = ours.distance(exact), moved.distance(exact), printed.distance(of_printed)
            table.add_row(
                f"{case.n}, {case.d}, {case.k}, {case.radius:g}",
                "hinge" if case.hinge else "softmax",
                f"{case.steps:,}",
                form,
                *(f"{error:.1e}" for error in errors),
                f"{np.abs(exact.w).max():.2f}",
            )
    console.print(table)
