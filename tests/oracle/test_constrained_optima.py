"""The constrained optima of an interior-point solver, stored beside the repository."""

import numpy as np
import pytest

from cases_constrained import DIGITS, constrained
from fenchel import MaxPasses, RelativeGap, solve


@pytest.mark.parametrize("index", range(16))
def test_stored_solution_is_certified(index):
    problem, record = constrained(index)
    certificate = problem.certify(problem.prox(np.array(record["beta"]), 0.0))
    assert certificate.primal == pytest.approx(record["P_star"], abs=1e-7)
    assert certificate.dual == pytest.approx(record["D_at_grad"], abs=1e-6)
    assert certificate.dual <= record["P_star"] + DIGITS


@pytest.mark.parametrize("solver", ["auto", "proximal_gradient"])
@pytest.mark.parametrize("index", range(16))
def test_optimum_is_met(index, solver):
    problem, record = constrained(index)
    result = solve(problem, solver, stopping=RelativeGap(1e-10) | MaxPasses(20_000))
    assert result.status.solved, result.message
    assert result.certificate.primal == pytest.approx(record["P_star"], abs=2 * DIGITS)
    assert result.certificate.dual <= record["P_star"] + DIGITS
    assert problem.regularizer.value(result.w) < np.inf
