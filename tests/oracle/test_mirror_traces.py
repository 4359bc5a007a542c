"""Mirror descent and mirror prox against stored runs in 40-digit arithmetic, and optima with a radius."""

import numpy as np
import pytest

from cases_solvers import MIRROR
from fenchel import MaxPasses, MirrorProx, Problem, RelativeGap, solve
from fenchel.losses import MulticlassHinge, Softmax
from fenchel.reference.mirror import LiftedGame, mirror_descent, mirror_prox
from fenchel.regularizers import L1, L1Ball
from fenchel.solvers.mirror.dual_geometry import EntropyDual
from fenchel.solvers.mirror.state import game_of
from stored import stored

LOSSES = {"hinge": MulticlassHinge(), "softmax": Softmax()}
DIGITS = 1e-12


def oracle() -> dict:
    return stored("mirror_descent.json")


def problem_of(record: dict) -> Problem:
    data = oracle()
    b = np.eye(data["k"])[data["y"]]
    g = L1(record["lam"]) if record["R"] is None else L1Ball(record["R"], l1=record["lam"])
    return Problem(np.array(data["X"]), b, LOSSES[record["loss"]], g)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("method", ["md", "mp"])
def test_traces(loss, method):
    """Both the twin and the game of the solvers, at the stored step."""
    record = next(t for t in oracle()["traces"] if t["loss"] == loss and t["method"] == method)
    problem, steps = problem_of(record), record["steps"]
    twin = LiftedGame(
        np.array(oracle()["X"]), problem.b, problem.sample_weight, loss, record["R"], record["lam"]
    )
    run = mirror_descent if method == "md" else mirror_prox
    last, average = run(twin, record["gamma"], steps)[:2]
    np.testing.assert_allclose(last.primal, record["U_last_2dk"], atol=DIGITS)
    np.testing.assert_allclose(last.dual, record["V_last"], atol=DIGITS)
    np.testing.assert_allclose(average.primal[:3] - average.primal[3:], record["U_avg_dk"], atol=DIGITS)
    np.testing.assert_allclose(average.dual, record["V_avg"], atol=DIGITS)
    game = game_of(problem, EntropyDual(), record["R"])
    at, w, u = game.start(None, None), np.zeros((3, 3)), np.zeros((8, 3))
    for _ in range(steps):
        play = game.play(at)
        if method == "mp":
            play = game.play(game.prox(at, play, record["gamma"], game.scales))
        w, u = w + play.w / steps, u + play.u / steps
        at = game.prox(at, play, record["gamma"], game.scales)
    np.testing.assert_allclose(np.exp(at.x).reshape(6, 3), record["U_last_2dk"], atol=DIGITS)
    np.testing.assert_allclose(np.exp(at.y), record["V_last"], atol=DIGITS)
    np.testing.assert_allclose(w, record["U_avg_dk"], atol=DIGITS)
    np.testing.assert_allclose(u + problem.b, record["V_avg"], atol=DIGITS)


@pytest.mark.parametrize("index", range(10))
@pytest.mark.parametrize("solver", MIRROR)
def test_optima(index, solver):
    """Every bound on the way holds, and mirror prox comes within 1e-4 of the optimum (softmax: 1e-8)."""
    record = oracle()["problems"][index]
    problem, value = problem_of(record), record["p_star"]
    accuracy = 1e-8 if problem.loss.smooth else 1e-4
    rule = RelativeGap(accuracy) | MaxPasses(40_000 if solver == "mirror_prox" else 4_000)
    result = solve(problem, solver, stopping=rule)
    assert result.status.solved or solver == "mirror_descent", result.message
    for row in result.trace:
        assert row.certificate.dual <= value + 1e-11
        assert row.certificate.primal - value <= row.certificate.gap + 1e-11
        assert row.certificate.primal >= value - 1e-11
    if record["U_unique"] and problem.loss.smooth and solver == "mirror_prox":
        np.testing.assert_allclose(result.w, record["U"], atol=1e-3)


@pytest.mark.parametrize("index", range(10))
def test_the_automatic_choice_reaches_the_optimum(index):
    record = oracle()["problems"][index]
    problem = problem_of(record)
    result = solve(problem, stopping=RelativeGap(1e-4) | MaxPasses(40_000))
    assert result.status.solved, result.message
    assert result.certificate.primal == pytest.approx(record["p_star"], rel=1.01e-4)


@pytest.mark.parametrize("index", range(4))
def test_the_certificate_of_a_fixed_pair(index):
    """The constrained dual value as stored; the penalised bound at least that of shrinking alone."""
    data = oracle()["evaluation"]
    case, w = data["cases"][index], np.array(data["U"])
    problem = problem_of(case)
    u = np.array(data["V"]) - problem.b
    assert -problem.mean_conjugate(u) == pytest.approx(case["neg_F"], rel=1e-12)
    assert np.abs(problem.correlation(u)).max() == pytest.approx(case["G"], rel=1e-12)
    assert problem.dual_value(u) == pytest.approx(case["dual_constrained"], rel=1e-12)
    # The stored point lies outside the ball.
    penalised = Problem(problem.design, problem.b, problem.loss, L1(case["lam"]))
    assert penalised.primal_value(w) == pytest.approx(case["primal"], rel=1e-12)
    assert penalised.certify(w, u).dual >= case["dual_penalised_by_shrinking"] - 1e-12


def test_the_radius_is_found_from_far_below():
    record = oracle()["problems"][0]
    problem = problem_of(record)
    result = solve(problem, MirrorProx(radius=1e-3), stopping=RelativeGap(1e-3) | MaxPasses(20_000))
    assert result.status.solved
    assert result.state.radius >= record["norm1"]
