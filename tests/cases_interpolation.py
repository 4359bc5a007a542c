"""The interpolation problems whose optima a conic solver and 30-digit Newton steps found, and bare runs."""

import numpy as np

from fenchel import Problem, Start
from fenchel.losses import (
    BallConstraint,
    EqualityConstraint,
    IntervalConstraint,
    MarginConstraint,
    SimplexConstraint,
    SquaredDistance,
)
from fenchel.regularizers import RelativeEntropy, SquaredLp


def interpolation_problem(oracle: dict, record: dict) -> tuple[Problem, np.ndarray]:
    """The problem of a record, and its dual point u = -n a (times the label where a is folded)."""
    A = np.array(record.get("X", oracle["X"]))
    a, n = np.array(record["a"]), len(A)
    if "y" in record:
        loss, b, u = MarginConstraint(), np.array(record["y"]), -n * a * np.array(record["y"])
    elif "lo" in record:
        lower, upper = np.array(record["lo"]), np.array(record["hi"])
        loss, b, u = IntervalConstraint(0.5 * (upper - lower)[0]), 0.5 * (lower + upper), -n * a
    elif "centres" in record:
        loss, b, u = BallConstraint(record["r"]), np.array(record["centres"]), -n * a
    elif record.get("k") == 3:
        loss, b, u = SimplexConstraint(), np.zeros((n, 3)), -n * a
    else:
        loss, b, u = EqualityConstraint(), np.array(record["b"]), -n * a
    if "c" in record:
        loss = SquaredDistance(loss, strength=record["c"] * n)
    g = SquaredLp(record["p"]) if record["p"] else RelativeEntropy()
    return Problem(A, b, loss, g), u


def run(problem: Problem, solver, passes: int) -> tuple[np.ndarray, np.ndarray]:
    """The last points of a run without certificates."""
    state = solver.init(problem, Start(), np.random.default_rng(0))
    while state.entries_read < passes * problem.design.n_entries:
        solver.run_epoch(problem, state)
    return solver.extract(problem, state)
