"""The benchmark of paths states the peers' problem as ours, and judges all by the worst point."""

import numpy as np
import pytest

from benchmarks.path import Comparison
from benchmarks.path_peers import PATH_PEERS
from benchmarks.problems import matching
from fenchel import solve
from fenchel.regularizers import L1


@pytest.fixture(params=["tiny-lasso", "tiny-l1-logistic"])
def comparison(request, tmp_path) -> Comparison:
    (problem,) = matching([request.param])
    return Comparison(problem.load(tmp_path), 6, 0.05, 30.0, "auto")


@pytest.mark.parametrize("peer", PATH_PEERS, ids=lambda peer: peer.name)
def test_the_peers_solve_our_problem(comparison, peer):
    refusal = peer.refusal(comparison.instance)
    if refusal is not None:
        pytest.skip(refusal)
    found = peer.fit(comparison.instance, comparison.grid, 1e-10)
    for strength, w in zip(comparison.grid, found, strict=True):
        at = comparison.problem.with_regularizer(L1(float(strength)))
        assert at.primal_value(w) == pytest.approx(solve(at).certificate.primal, rel=1e-5)


def test_a_row_meets_its_target(comparison):
    row = comparison.row("tiny", 1e-3, 1)
    assert row.fenchel.failure is None
    assert 0.0 < row.fenchel.relative_gap <= 1e-3 * (1 + 1e-6)
    for timing in row.peers:
        assert timing.failure is not None or timing.relative_gap <= 1e-3 * (1 + 1e-6)


def test_the_grid_falls_from_the_zero_solution(comparison):
    assert comparison.grid[0] == comparison.problem.zero_solution_strength()
    np.testing.assert_allclose(comparison.grid[-1] / comparison.grid[0], 0.05)
