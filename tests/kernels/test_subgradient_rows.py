"""Composite stochastic subgradient steps: the lazy compiled ones are those of the twins."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel._kernels.subgradient_rows import (
    SubgradientRows,
    entropic_subgradient_steps,
    euclidean_subgradient_steps,
)
from fenchel.design import as_design
from fenchel.errors import InvalidInputError
from fenchel.losses import MulticlassHinge, Softmax
from fenchel.reference.stochastic_subgradient import entropic_subgradient, euclidean_subgradient
from fenchel.solvers.mirror.entropic_rows import EntropicRows
from fenchel.solvers.mirror.euclidean_rows import EuclideanRows

N, D, K = 9, 7, 4
each_loss = pytest.mark.parametrize("loss", [MulticlassHinge(), Softmax()], ids=lambda loss: loss.name)
each_storage = pytest.mark.parametrize("storage", ["dense", "sparse"])
each_type = pytest.mark.parametrize("dtype", [np.float64, np.float32])


def game_of(rng, loss, storage, dtype=np.float64):
    A = (rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.5)).astype(dtype)
    A[2] = 0.0
    label = rng.integers(K, size=N)
    rows = as_design(A if storage == "dense" else sp.csr_array(A)).rows
    game = SubgradientRows(rows, not loss.smooth, label, np.zeros((N, K)), np.zeros(N))
    return A.astype(np.float64), np.eye(K)[label], game


def mean_subgradients(A, order, loss, b, gamma, points) -> np.ndarray:
    """The sums that the kernels keep of every row's subgradients, from the points of the twin."""
    total = np.zeros((N, K))
    for i, w in zip(order, points, strict=True):
        total[i] += gamma * loss.gradient((A[i] @ w)[None], b[i : i + 1])[0]
    return total


@each_loss
@each_storage
@each_type
@pytest.mark.parametrize("radius", [0.8, 100.0], ids=["bound", "free"])
@pytest.mark.parametrize("l1", [0.0, 0.05])
def test_euclidean_steps_are_those_of_the_twin(rng, loss, storage, dtype, radius, l1):
    A, b, game = game_of(rng, loss, storage, dtype)
    order, gamma = rng.integers(N, size=300), 0.05
    w = np.zeros((D, K))
    run = EuclideanRows(w, np.zeros((D, K)), gamma, gamma * l1, radius, np.zeros(D, dtype=np.int64), 0.0)
    run.take(game, order)
    run.finish()
    steps, points = np.full(300, gamma), [np.zeros((D, K))]
    for i in order:
        points.append(euclidean_subgradient(A, [i], loss, b, [gamma], l1, radius, points[-1])[0])
    last, total = euclidean_subgradient(A, order, loss, b, steps, l1, radius, np.zeros((D, K)))
    np.testing.assert_allclose(w, last, atol=1e-12)
    np.testing.assert_allclose(run.w_total, total, atol=1e-12)
    np.testing.assert_allclose(
        game.u_total, mean_subgradients(A, order, loss, b, gamma, points[:-1]), atol=1e-12
    )
    np.testing.assert_allclose(game.u_weight, gamma * np.bincount(order, minlength=N), atol=1e-13)
    assert np.abs(last).sum() <= radius * (1 + 1e-12)
    assert np.abs(last).max() > 0.01


@each_loss
@each_storage
@each_type
@pytest.mark.parametrize("gamma", [0.05, 2.0], ids=["short", "long"])
def test_entropic_steps_are_those_of_the_twin(rng, loss, storage, dtype, gamma):
    """Long steps move the scale by more than its band, and call for new limits."""
    A, b, game = game_of(rng, loss, storage, dtype)
    order, radius, l1, limits = rng.integers(N, size=300), 2.0, 0.03, []
    H, seen = np.zeros((D, K)), np.zeros(D)
    run = EntropicRows(H, np.zeros((D, K)), gamma, radius, float(np.exp(-gamma * l1 / radius)), seen)
    run.rebase(float(np.log(radius / (2 * D * K))))
    limits.append(run.offset)
    run.take(game, order)
    limits.append(run.offset)
    scale = np.exp(run.finish())
    start = np.full((2, D, K), np.log(radius / (2 * D * K)))
    last, total = entropic_subgradient(A, order, loss, b, np.full(300, gamma), l1, radius, start)
    np.testing.assert_allclose(2 * scale * np.sinh(H), np.exp(last[0]) - np.exp(last[1]), atol=1e-12)
    np.testing.assert_allclose(run.w_total, total, atol=1e-12 * max(1.0, np.abs(total).max()))
    assert (limits[0] < limits[1]) == (gamma == 2.0)


def test_what_does_not_fit_is_refused(rng):
    _, _, game = game_of(rng, Softmax(), "dense")
    w, order = np.zeros((D, K)), np.zeros(2, dtype=np.int64)
    seen, scalars = np.zeros(D, dtype=np.int64), np.ones(4)
    limits = (0.0, 1.0, 1024.0, 300.0)
    for call, message in (
        (
            lambda: euclidean_subgradient_steps(game, order + N, 0.1, 0.0, 1.0, 0, w, w, seen, 0.0),
            "^order spans",
        ),
        (lambda: euclidean_subgradient_steps(game, order, 0.1, 0.0, 1.0, 0, w.T, w, seen, 0.0), "^w is"),
        (
            lambda: euclidean_subgradient_steps(game, order, 0.1, 0.0, 1.0, 0, w, w[1:], seen, 0.0),
            "^w_total has",
        ),
        (lambda: euclidean_subgradient_steps(game, order, 0.1, 0.0, 1.0, 0, w, w, seen[1:], 0.0), "^seen is"),
        (
            lambda: entropic_subgradient_steps(
                game, order, 0.1, 1.0, 1.0, limits, w, w, np.zeros(D), scalars[1:]
            ),
            "^scalars is",
        ),
        (
            lambda: SubgradientRows(game.rows, False, game.label[1:], game.u_total, game.u_weight),
            "^label has 8 values",
        ),
        (
            lambda: SubgradientRows(game.rows, False, game.label + K, game.u_total, game.u_weight),
            "^label spans",
        ),
        (lambda: SubgradientRows(game.rows, False, game.label, game.u_total.T, game.u_weight), "^u_total is"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            call()
