"""The dense twin of stochastic mirror descent: its estimates by enumeration, its step, the stored traces."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from fenchel.reference import stochastic_mirror as twin
from stored import stored

each_scheme = pytest.mark.parametrize("static", [False, True], ids=["optimal", "static"])
each_sampling = pytest.mark.parametrize("full", [False, True], ids=["partial", "full"])


def small_game(rng, n=5, d=3, k=4, **options) -> tuple[twin.LiftedGame, np.ndarray, np.ndarray]:
    """A game with a column and a row of zeros, unequal weights, and a point of it."""
    A = rng.normal(size=(n, d))
    A[1], A[:, 1] = 0.0, 0.0
    weight = rng.exponential(size=n)
    weight[2] = 0.0
    defaults = {"hinge": True, "l1": 0.05, "radius": 2.0}
    game = twin.LiftedGame(
        A, np.eye(k)[rng.integers(k, size=n)], weight / weight.mean(), **defaults | options
    )
    U = rng.exponential(size=(2 * d, k))
    V = rng.exponential(size=(n, k))
    return game, 1.7 * U / U.sum(), V / V.sum(axis=1, keepdims=True)


def enumerate_draws(game, U, V, full: bool, static: bool):
    """Every draw with its probability."""
    p = twin.column_probabilities(game, U, full)
    q = twin.row_probabilities(game, V, full, static)
    rows, columns = np.flatnonzero(q), np.flatnonzero(p)
    if not full:
        for j, i in itertools.product(rows, columns):
            yield (j, i), q[j] * p[i]
        return
    k = V.shape[1]
    distance = np.abs(V - game.b)
    for j, i in itertools.product(rows, columns):
        for label, m in itertools.product(range(k), range(k)):
            classes = distance[j, label] / distance[j].sum() * U[i, m] / U[i].sum()
            yield (j, label, i, m), q[j] * p[i] * classes


def moments(game, U, V, full: bool, static: bool):
    """The means of both estimates, and their second moments in the norms of the theorem."""
    estimates = twin.full_estimates if full else twin.partial_estimates
    scores, gradient, second = np.zeros_like(V), np.zeros_like(U), np.zeros(2)
    for draw, chance in enumerate_draws(game, U, V, full, static):
        xi, eta = estimates(game, U, V, draw, static)
        scores += chance * xi
        gradient += chance * eta
        sizes = np.sqrt(game.sample_weight @ np.abs(xi).max(axis=1) ** 2), len(V) * np.abs(eta).max()
        second += chance * np.square(sizes)
    return scores, gradient, second


@each_sampling
@each_scheme
def test_estimates_are_unbiased(rng, full, static):
    game, U, V = small_game(rng)
    scores, gradient, _ = moments(game, U, V, full, static)
    np.testing.assert_allclose(scores, game.lifted @ U, atol=1e-14)
    expected = game.lifted.T @ (game.sample_weight[:, None] * (V - game.b)) / len(V)
    np.testing.assert_allclose(gradient, expected, atol=1e-14)


@each_scheme
def test_second_moments_of_full_sampling(rng, static):
    game, U, V = small_game(rng)
    second = moments(game, U, V, True, static)[2]
    tau, rho = game.row_size, np.abs(V - game.b).sum(axis=1)
    ZU, ZV = game.column_size @ U.sum(axis=1), tau @ rho
    assert second[0] == pytest.approx(ZU**2, rel=1e-13)
    assert second[1] == pytest.approx(tau.sum() * (tau @ rho**2) if static else ZV**2, rel=1e-13)
    assert ZV**2 <= second[1] * (1 + 1e-13) <= 4 * tau.sum() ** 2 * (1 + 1e-12)


@each_sampling
def test_optimal_probabilities_minimise_the_second_moments(rng, full):
    """The moment is sum_i c_i^2 / p_i: a numerical minimum over the simplex agrees with the closed form."""
    game, U, V = small_game(rng)
    distance = np.abs(V - game.b)
    within = distance.sum(axis=1) if full else distance.max(axis=1)
    sizes = (game.column_size * (U.sum(axis=1) if full else U.max(axis=1)), game.row_size * within)
    stated = twin.column_probabilities(game, U, full), twin.row_probabilities(game, V, full, False)
    second = moments(game, U, V, full, False)[2]
    for size, p, moment in zip(sizes, stated, second, strict=True):
        size, p = size[size > 0], p[size > 0]

        def of(logits, size=size):
            x = np.exp(logits - logits.max())
            return float((size**2 / x).sum() * x.sum())

        found = minimize(of, np.zeros(len(size)), method="BFGS", options={"gtol": 1e-10})
        best = np.exp(found.x) / np.exp(found.x).sum()
        assert moment == pytest.approx(found.fun, rel=1e-8)
        np.testing.assert_allclose(p, best, atol=1e-4)


@pytest.mark.parametrize("hinge", [True, False], ids=["hinge", "softmax"])
@pytest.mark.parametrize("l1", [0.0, 3.0])
def test_a_step_minimises_its_model(rng, hinge, l1):
    r"""No feasible point nearby is better in the linear terms plus the two divergences over gamma."""
    game, U, V = small_game(rng, hinge=hinge, l1=l1)
    S, M, gamma = rng.normal(size=U.shape), rng.normal(size=V.shape), 0.07
    n = len(V)

    def model(P, Q):
        primal = np.sum(P * np.log(P / U) - P + U) / (2 * game.radius * game.primal_log)
        dual = np.sum(Q * np.log(Q / V)) / (2 * n * game.dual_log)
        own = np.sum(Q * game.b) if hinge else np.sum(Q * np.log(Q))
        return gamma * (np.sum(S * P) + l1 * P.sum() - (np.sum((Q - game.b) * M) - own) / n) + primal + dual

    stepped = twin.mirror_step(game, np.log(U), np.log(V), S, M, gamma)
    P, Q = (np.exp(x) for x in stepped)
    assert P.sum() <= game.radius * (1 + 1e-12)
    np.testing.assert_allclose(Q.sum(axis=1), 1.0, rtol=1e-13)
    best = model(P, Q)
    for _ in range(300):
        other_P = P * np.exp(1e-3 * rng.normal(size=P.shape))
        other_P *= min(1.0, game.radius / other_P.sum())
        other_Q = Q * np.exp(1e-3 * rng.normal(size=Q.shape))
        assert model(other_P, other_Q / other_Q.sum(axis=1, keepdims=True)) > best


def test_the_stored_traces():
    data = stored("mirror_descent.json")
    traces = [trace for trace in data["traces"] if trace["method"].startswith("smd")]
    assert {(t["loss"], t["method"][-8:]) for t in traces} == {
        (loss, rows) for loss in ("hinge", "softmax") for rows in ("static_q", "ptimal_q")
    }
    for trace in traces:
        game = twin.LiftedGame(
            np.array(data["X"]), np.eye(3)[data["y"]], np.ones(8), trace["loss"] == "hinge", trace["lam"],
            trace["R"],
        )  # fmt: skip
        steps = np.full(trace["steps"], trace["gamma"])
        run = twin.smd(game, np.array(trace["draws"]), steps, static="static" in trace["method"])
        np.testing.assert_allclose(run.U, trace["U_last_2dk"], atol=2e-13)
        np.testing.assert_allclose(run.V, trace["V_last"], atol=2e-13)
        np.testing.assert_allclose(run.w_mean, trace["U_avg_dk"], atol=2e-13)
        np.testing.assert_allclose(run.V_mean, trace["V_avg"], atol=2e-13)
