"""Frank-Wolfe and its kin on the constrained optima and the traces that stand beside the repository."""

import numpy as np
import pytest

from cases_constrained import DIGITS, constrained
from fenchel import (
    GSFW,
    SCGM,
    SCGS,
    SFW,
    SVRF,
    AdaptiveGSFW,
    AwayFrankWolfe,
    FrankWolfe,
    MaxPasses,
    PairwiseFrankWolfe,
    Problem,
    RelativeGap,
    Start,
    solve,
)
from fenchel.losses import Logistic, Squared
from fenchel.reference.gsfw import gsfw_pass
from fenchel.regularizers import L1Ball, Ridge
from fenchel.solvers.frank_wolfe.step_rule import GeometricRule, HarmonicRule, batch_sigma
from fenchel.solvers.frank_wolfe.substitute import iterate
from stored import stored

# The gap that each reaches within its passes: linear rates, then 1/t, then slower.
REACHED = (
    (PairwiseFrankWolfe(), 1e-11, 2000),
    (PairwiseFrankWolfe(largest_model=0), 1e-9, 2000),
    (AwayFrankWolfe(), 1e-9, 2000),
    (AdaptiveGSFW(batch=0.5), 1e-8, 2000),
    (FrankWolfe(), 1e-3, 2000),
    (FrankWolfe(step="open_loop"), 5e-2, 2000),
    (GSFW(batch=0.1), 2e-1, 1000),
    (GSFW(batch=1.0), 1e-1, 1000),
    (SFW(), np.inf, 300),
    (SVRF(), np.inf, 300),
    (SCGM(batch=0.2), np.inf, 300),
    (SCGS(), np.inf, 20),
)


@pytest.mark.parametrize(("solver", "gap", "passes"), REACHED, ids=str)
@pytest.mark.parametrize("index", range(16))
def test_optima(index, solver, gap, passes):
    """Every bound on the way is true, every point is in the set, and the gap is reached."""
    problem, record = constrained(index)
    if solver.unmet(problem) is not None:
        return
    result = solve(problem, solver, stopping=RelativeGap(1e-12) | MaxPasses(passes))
    for row in result.trace:
        assert row.certificate.dual <= record["P_star"] + DIGITS
        assert row.certificate.primal >= record["P_star"] - DIGITS
    assert problem.regularizer.value(result.w) < np.inf
    # The redundant radius of a penalty is many times the norm of the solution.
    assert result.certificate.gap <= (10.0 * gap if record["R"] == "l1_penalty" and gap > 1e-6 else gap)
    assert result.certificate.primal < result.trace[0].certificate.primal or result.certificate.gap < 1e-9
    assert result.state.gradient_calls > 0
    assert result.state.lmo_calls > 0


def traced(index: int):
    data = stored("fw-oracle.json")
    trace = data["traces"][index]
    logistic = trace["loss"] == "logistic"
    b = np.array(data["y_class" if logistic else "y_reg"], dtype=float)
    g = L1Ball(trace["params"]["delta"]) if trace["R"] == "l1_ball" else Ridge(trace["params"]["mu"])
    problem = Problem(np.array(data["X"]), b, Logistic() if logistic else Squared(), g)
    rule = HarmonicRule(10.0) if trace["regime"] == "sub" else GeometricRule(10.0, trace["sigma"])
    return problem, trace, np.array(trace["j"])[:, None], rule.next(0, len(trace["j"]))


@pytest.mark.parametrize("index", range(4))
def test_trace_of_the_twin(index):
    problem, trace, batches, (step, weight) = traced(index)
    A = problem.design.select_columns(np.arange(6))
    prediction, u = np.zeros(10), problem.loss.gradient(np.zeros(10), problem.b)
    v, numerator, u_total = problem.correlation(u), np.zeros(6), np.zeros(10)
    dual = gsfw_pass(
        A, batches, problem.loss, problem.b, problem.sample_weight, problem.regularizer, step, weight,
        prediction, u, v, numerator, u_total,
    )  # fmt: skip
    beta, average = numerator / weight.sum(), u_total / weight.sum()
    for found, name in ((beta, "beta_bar"), (u, "w"), (average, "w_bar"), (prediction, "s"), (v, "d")):
        np.testing.assert_allclose(found, trace[name], rtol=1e-9, atol=1e-9, err_msg=name)
    assert dual.max() == pytest.approx(trace["best_D_wi"], rel=1e-12)
    assert problem.primal_value(beta) == pytest.approx(trace["P"], rel=1e-12)
    assert problem.dual_value(average) == pytest.approx(trace["D_wbar"], rel=1e-12)
    assert problem.dual_value(u) == pytest.approx(trace["D_w_last"], rel=1e-12)


@pytest.mark.parametrize("index", range(4))
def test_trace_of_the_solver(rng, index):
    """The same through the solver's state and the kernel."""
    problem, trace, batches, (step, weight) = traced(index)
    state = GSFW(batch=0.1).init(problem, Start(), rng)
    iterate(problem, problem.regularizer, state, batches, step, weight)
    np.testing.assert_allclose(state.numerator / state.total, trace["beta_bar"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(state.u, trace["w"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(state.prediction, trace["s"], rtol=1e-9, atol=1e-9)
    assert state.best_dual == pytest.approx(trace["best_D_wi"], rel=1e-12)
    assert (state.lmo_calls, state.gradient_calls) == (20, 30)
    if trace["sigma"] is not None:
        assert batch_sigma(problem, trace["params"]["mu"], 1) == pytest.approx(trace["sigma"], rel=1e-12)


@pytest.mark.parametrize("solver", ["pairwise_frank_wolfe", "proximal_gradient", "auto"])
def test_an_l1_norm_of_one_with_a_free_intercept(solver):
    """Case O15 (c): an optimum of other solvers, to which the norm holds exactly."""
    draw = np.random.RandomState(8)  # the data of the case
    X, truth = draw.randn(80, 6), np.array([1.0, -1.0, 0.5, 0.0, 2.0, -2.0])
    b = np.where(draw.rand(80) < 1.0 / (1.0 + np.exp(-X @ truth)), 1.0, -1.0)
    problem = Problem(X, b, Logistic(), L1Ball(1.0), fit_intercept=True)
    result = solve(problem, solver, stopping=RelativeGap(1e-11) | MaxPasses(20_000))
    assert result.certificate.primal == pytest.approx(0.522561075786, abs=1e-11)
    expected = [0.0, -0.2736829, 0.0, 0.0, 0.4822829, -0.2440342]
    np.testing.assert_allclose(result.w[:6], expected, atol=1e-5)
    assert np.abs(result.w[:6]).sum() <= 1.0 + 1e-15
    assert np.count_nonzero(result.w[:6]) == 3
