"""The matrix completion of an interior-point solver, stored beside the repository."""

import numpy as np
import pytest

from fenchel import MaxPasses, Problem, RelativeGap, solve
from fenchel.design import CompletionDesign
from fenchel.losses import Squared
from fenchel.numerics.low_rank import LowRank
from fenchel.regularizers import NuclearBall
from stored import stored


def completion() -> tuple[Problem, dict]:
    record = stored("fw-oracle.json")["matrix_completion"]
    M, (rows, columns) = np.array(record["M"]), np.array(record["Omega"]).T
    design = CompletionDesign(rows, columns, M.shape)
    return Problem(design, M[rows, columns], Squared(), NuclearBall(record["delta"])), record


def test_optimum_is_met():
    problem, record = completion()
    result = solve(problem, stopping=RelativeGap(1e-11) | MaxPasses(5000))
    assert result.status.solved, result.message
    assert result.certificate.primal == pytest.approx(record["P_star"], abs=1e-10)
    assert result.certificate.dual <= record["P_star"] + 1e-10
    assert result.certificate.failure == 0.0
    np.testing.assert_allclose(result.w.toarray(), record["B"], atol=1e-5)


def test_stored_solution_is_certified():
    problem, record = completion()
    point = problem.prox(LowRank.of(np.array(record["B"])), 0.0)
    certificate = problem.certify(point)
    assert certificate.primal == pytest.approx(record["P_star"], abs=1e-8)
    assert certificate.dual == pytest.approx(record["P_star"], abs=1e-7)
    gradient = problem.correlation(problem.dual_point(point))
    norm = problem.regularizer.conjugate(gradient) / record["delta"]
    assert norm == pytest.approx(record["sigma1_grad"], abs=1e-8)
