"""The search for the product of the step sizes, on gaps made up for it."""

from math import inf

import numpy as np
import pytest

from fenchel.solvers.stochastic.step_search import SearchState


def fresh(rho: float = 1 / 256) -> SearchState:
    state = SearchState(
        rng=np.random.default_rng(0), entries_read=0, rho=rho, limit=1.0, largest=0.125, gap=inf,
        last_gap=inf, since=0, window=0, fall=0.0, last_rate=-inf,
    )  # fmt: skip
    state.restart(1.0)
    return state


def falling(state: SearchState, rate: float, snapshots: int) -> list[float]:
    """Judge gaps that fall at this rate; return the products after each."""
    products = []
    for _ in range(snapshots):
        verdict = state.judge(state.last_gap * np.exp(-rate), 0.5, 0.0)
        assert verdict.better
        assert not verdict.diverged
        products.append(state.rho)
    return products


def test_longer_steps_are_kept_while_the_gap_falls_faster():
    state = fresh()
    assert falling(state, 0.1, 10) == [1 / 256] * 9 + [1 / 128]
    assert falling(state, 0.2, 10)[-1] == 1 / 64


def test_longer_steps_that_do_not_help_are_taken_back_and_wait():
    state = fresh()
    falling(state, 0.1, 10)
    assert falling(state, 0.05, 10)[-1] == 1 / 256
    assert falling(state, 0.1, 20)[-1] == 1 / 256
    assert max(falling(state, 0.1, 30)) == 1 / 128


def test_fast_games_keep_their_steps():
    state = fresh()
    for _ in range(50):
        state.judge(0.1 * state.last_gap, 2.0, 0.0)
    assert state.rho == 1 / 256


@pytest.mark.parametrize("gap", [5.1, inf, np.nan])
def test_a_gap_far_above_the_best_gives_the_points_up(gap):
    state = fresh()
    assert state.judge(gap, 0.5, 0.0).diverged
    assert state.rho == 1 / 1024
    assert state.gap == state.last_gap == 1.0


def test_a_gap_that_turns_for_long_shortens_the_steps_and_keeps_the_points():
    state = fresh()
    verdicts = [state.judge(2.0, 0.5, 0.0) for _ in range(12)]
    assert not any(verdict.diverged or verdict.better for verdict in verdicts)
    assert state.rho == 1 / 1024


def test_rounding_is_no_reason_to_shorten_the_steps():
    state = fresh()
    state.restart(1e-18)
    for _ in range(100):
        assert not state.judge(1e-16, 0.5, 1e-15).diverged
    assert state.rho >= 1 / 256
