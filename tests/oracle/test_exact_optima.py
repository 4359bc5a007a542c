"""Every solver on the problems with known optima that the tests carry."""

import numpy as np
import pytest

from cases_solvers import EXACT, PRECISE, exact
from fenchel import MaxPasses, RelativeGap, solve
from fenchel.solvers.registry import SOLVERS


@pytest.mark.parametrize("solver", [*PRECISE, "auto"])
@pytest.mark.parametrize("index", range(len(EXACT)))
def test_solvers_reach_the_optimum(index, solver):
    problem, value, w = exact(index)
    if solver != "auto" and SOLVERS[solver].unmet(problem) is not None:
        return
    result = solve(problem, solver, stopping=RelativeGap(1e-11) | MaxPasses(20_000))
    assert result.status.solved, result.message
    assert result.certificate.primal == pytest.approx(value, abs=1e-10)
    assert result.certificate.dual <= value + 1e-11
    np.testing.assert_allclose(result.w, w, atol=3e-5)


@pytest.mark.parametrize("index", range(len(EXACT)))
def test_the_stored_point_has_the_stored_value(index):
    problem, value, w = exact(index)
    assert problem.primal_value(w) == pytest.approx(value, abs=1e-10)
    assert problem.certify(w).dual <= value + 1e-12
