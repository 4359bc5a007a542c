"""Minimum-norm interpolation: the stored optima of an independent solver are certified, value and pair."""

import numpy as np
import pytest

from cases_interpolation import interpolation_problem
from stored import stored

# The stored digits of a and theta.
DIGITS = 1e-11


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
