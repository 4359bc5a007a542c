"""Minimum-norm interpolation: the stored optima of an independent solver are certified, value and pair."""

import numpy as np
import pytest

from fenchel import Problem
from fenchel.losses import (
    BallConstraint,
    EqualityConstraint,
    IntervalConstraint,
    MarginConstraint,
    SimplexConstraint,
    SquaredDistance,
)
from fenchel.regularizers import RelativeEntropy, SquaredLp
from stored import stored

# The stored digits of a and theta.
DIGITS = 1e-11


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


@pytest.mark.parametrize("number", range(12))
def test_the_stored_pair_is_certified(number):
    oracle = stored("interpolation.json")
    record = oracle["problems"][number]
    problem, u = interpolation_problem(oracle, record)
    certificate = problem.certify(np.array(record["theta"]), u)
    assert certificate.primal == pytest.approx(record["value"], abs=DIGITS)
    assert certificate.dual == pytest.approx(record["value"], abs=DIGITS)
    assert certificate.violation <= DIGITS
    assert certificate.gap <= DIGITS
    assert problem.dual_value(u) == pytest.approx(record["value"], abs=DIGITS)


def test_every_record_is_certified():
    assert len(stored("interpolation.json")["problems"]) == 12
