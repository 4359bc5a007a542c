"""The CUR decomposition and the oracle of its set by other solvers, stored beside the repository."""

import numpy as np
import pytest

from fenchel import MaxPasses, Problem, RelativeGap, solve
from fenchel.design import BilinearDesign
from fenchel.losses import Squared
from fenchel.regularizers import RowColumnBall
from stored import stored


def test_optimum_is_met():
    record = stored("fw-oracle.json")["cur"]
    M = np.array(record["M"])
    problem = Problem(BilinearDesign(M), M.ravel(), Squared(), RowColumnBall(record["delta"]))
    result = solve(problem, stopping=RelativeGap(1e-7) | MaxPasses(2000))
    assert result.status.solved, result.message
    assert result.certificate.primal == pytest.approx(record["P_star"], abs=3e-10)
    assert result.certificate.dual <= record["P_star"] + 1e-10
    assert problem.primal_value(0.999999 * np.array(record["B"])) == pytest.approx(record["P_star"], rel=1e-4)


def test_oracle_of_the_set():
    record = stored("fw-oracle.json")["cur"]["lmo"]
    C, ball = np.array(record["C"]), RowColumnBall(record["delta"])
    assert ball.conjugate(C) == pytest.approx(record["value_max_inner_product"], abs=1e-8)
    assert ball.conjugate(C) == pytest.approx(record["value_dual_split"], abs=1e-8)
    assert -float(np.sum(C * ball.lmo(C))) == pytest.approx(record["value_max_inner_product"], abs=1e-8)
