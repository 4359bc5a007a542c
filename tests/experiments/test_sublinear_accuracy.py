"""The replay in long double takes the steps that the naive twin takes."""

import shutil

import numpy as np
import pytest

from benchmarks.sublinear_accuracy import Case, Replay, play
from fenchel.reference.stochastic_mirror import LiftedGame, smd

pytestmark = pytest.mark.skipif(
    shutil.which("cc") is None or np.finfo(np.longdouble).eps >= np.finfo(np.float64).eps,
    reason="no C compiler or no long double here",
)


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("hinge", [True, False], ids=["hinge", "softmax"])
def test_kernel_replay_and_naive_twin_agree(form, hinge):
    case = Case(7, 5, 4, 3.0, 300, hinge)
    A, label = case.data()
    averages, drawn = play(case, form)
    game = LiftedGame(A, np.eye(4)[label], np.ones(7), hinge, 0.0, 3.0)
    gamma = case.game(form)[1].dual / (2.0 * game.dual_log)
    naive = smd(game, drawn, np.full(300, gamma), static=True)
    exact = Replay().averages(case, A.astype(np.longdouble), drawn)
    np.testing.assert_allclose(exact.w.astype(float), naive.w_mean, atol=1e-12)
    if hinge:
        V = np.where(np.eye(4)[label] > 0, 0.0, naive.V_mean)
        np.testing.assert_allclose(exact.V.astype(float), V, atol=1e-12)
    assert averages.distance(exact) < 1e-12
