"""Steps under the entropy and the other distances of the mirror methods: each is the minimiser it claims."""

import mpmath
import numpy as np
import pytest

from cases import MULTICLASS_LOSSES
from cases_regularizers import REGULARIZERS, inner
from fenchel.numerics.entropy import (
    affine_simplex_step,
    entropic_simplex_step,
    kullback_leibler,
    log_normalised,
    solid_simplex_step,
)
from fenchel.regularizers import BregmanProximable, GroupL2Ball, L1Ball, SolidSimplex
from fenchel.solvers.mirror.dual_geometry import EntropyDual, EuclideanDual
from fenchel.solvers.mirror.geometry_choice import primal_geometry
from fenchel.solvers.mirror.primal_geometry import Ball

SHAPE = (4, 3)
BALLS = [cls(r, l1=l1) for cls in (L1Ball, SolidSimplex, GroupL2Ball) for r, l1 in ((1.5, 0.0), (0.4, 0.3))]
each_ball = pytest.mark.parametrize("g", BALLS, ids=repr)
each_dual = pytest.mark.parametrize("dual", [EntropyDual(), EuclideanDual()], ids=lambda dual: dual.norm)
each_step = pytest.mark.parametrize("step", [1e-3, 0.5, 3.0, 100.0])
each_loss = pytest.mark.parametrize("case", MULTICLASS_LOSSES, ids=str)


def inside(rng, shape=SHAPE, radius=1.5) -> np.ndarray:
    """A point of the solid simplex, now and then on its face."""
    w = rng.exponential(size=shape)
    return w * radius / w.sum() * rng.choice([1.0, rng.random()])


def rows(rng, n=5, k=3) -> np.ndarray:
    p = rng.exponential(size=(n, k)) ** rng.choice([1.0, 4.0])
    return p / p.sum(axis=1, keepdims=True)


def norm_of(g, w) -> float:
    return float(np.linalg.norm(w, axis=1).sum() if isinstance(g, GroupL2Ball) else np.abs(w).sum())


def point_of(rng, g) -> np.ndarray:
    w = inside(rng, radius=g.radius)
    w = w if isinstance(g, SolidSimplex) else w * rng.choice([-1.0, 1.0], size=SHAPE)
    return w / max(1.0, norm_of(g, w) / g.radius)


@pytest.mark.parametrize("ratio", [0.0, 1e-12, 1e-5, 9e-5, 1.1e-4, 0.3, -0.3, 20.0, -20.0])
@pytest.mark.parametrize("log_x", [0.0, -1.0, -700.0])
def test_the_divergence_has_its_digits(ratio, log_x):
    log_y = log_x - ratio
    with mpmath.workdps(60):
        x, y = mpmath.exp(mpmath.mpf(log_x)), mpmath.exp(mpmath.mpf(log_y))
        exact = float(x * mpmath.log(x / y) - x + y)
    found = kullback_leibler(np.array([log_x]), np.array([log_y]))
    assert found == pytest.approx(exact, rel=1e-7, abs=1e-290)


def test_the_divergence_at_zeros(rng):
    y = inside(rng)
    with np.errstate(divide="ignore"):
        found = kullback_leibler(np.log(np.where(y > y.mean(), y, 0.0)), np.log(y)).sum()
    assert found == pytest.approx(y[y <= y.mean()].sum())
    assert np.all(kullback_leibler(np.log(y), np.log(inside(rng))) >= 0.0)


@each_step
@pytest.mark.parametrize("shrinkage", [0.0, 0.2, 5.0])
def test_the_step_on_the_solid_simplex_is_the_minimiser(rng, step, shrinkage):
    w, slope, radius = inside(rng), step * rng.normal(size=SHAPE), 1.5

    def value(log_x):
        x = np.exp(log_x)
        return inner(slope, x) + shrinkage * x.sum() + kullback_leibler(log_x, np.log(w)).sum()

    best = solid_simplex_step(np.log(w), slope, shrinkage, radius)
    assert np.exp(best).sum() <= radius * (1 + 1e-14)
    for _ in range(50):
        other = np.exp(best) * (1 - 1e-3) + 1e-3 * inside(rng, radius=radius)
        assert value(best) <= value(np.log(other)) + 1e-12 * (1 + abs(value(best)))


def test_the_step_stays_inside_whatever_the_size_of_the_slope(rng):
    for size in (1e2, 1e5, 1e8):
        best = solid_simplex_step(np.log(inside(rng)), size * rng.normal(size=SHAPE), 0.0, 1.5)
        assert np.exp(best).sum() == pytest.approx(1.5, rel=1e-14)
        assert np.isfinite(best).all()


@each_step
def test_steps_on_the_simplex_are_minimisers(rng, step):
    p, slope = rows(rng), rng.normal(size=(5, 3))
    for name, found in (
        ("affine", affine_simplex_step(np.log(p), step * slope)),
        ("entropic", entropic_simplex_step(np.log(p), slope, step)),
    ):
        q = np.exp(found)
        np.testing.assert_allclose(q.sum(axis=1), 1.0, rtol=1e-14)

        def value(q, curved=name == "entropic"):
            entropy = np.sum(q * np.log(q)) if curved else 0.0
            return step * (inner(slope, q) + entropy) + np.sum(q * np.log(q / p))

        for _ in range(20):
            other = (1 - 1e-3) * q + 1e-3 * rows(rng)
            assert value(q) <= value(other) + 1e-12 * (1 + abs(value(q)))


def test_normalising_loses_no_entry():
    a = np.array([[1e4, 0.0, -1e4]])
    np.testing.assert_allclose(log_normalised(a), [[0.0, -1e4, -2e4]])


@each_loss
@each_step
@each_dual
def test_the_dual_step_of_a_loss_is_the_minimiser(rng, case, step, dual):
    b, z = np.eye(3)[rng.integers(3, size=5)], rng.normal(size=(5, 3))
    at = dual.position(rows(rng))
    new = dual.step(case.loss, at, z, b, step)

    def value(x):
        u = dual.point(x, b)
        return step * (case.loss.conjugate(u, b) - np.sum((u + b) * z, axis=1)) + dual.divergence(x, at)

    for _ in range(20):
        p = (1 - 1e-3) * (dual.point(new, b) + b) + 1e-3 * rows(rng)
        assert np.all(value(new) <= value(dual.position(p)) + 1e-11 * (1 + np.abs(value(new))))


@each_ball
@each_step
def test_the_primal_step_of_a_geometry_is_the_minimiser(rng, g, step):
    geometry, v = primal_geometry(g), rng.normal(size=SHAPE)
    near = geometry.start(SHAPE, g.radius, point_of(rng, g))
    new = geometry.step(near, v, step, Ball(g.radius, g.l1))
    w = geometry.point(new)
    assert np.isfinite(g.value(w))

    def value(x):
        # The lifted norm: two parts of one entry count both.
        size = np.exp(x).sum() if x.ndim == 3 else norm_of(g, geometry.point(x))
        linear = inner(v, geometry.point(x)) + g.l1 * size
        return step * linear + geometry.divergence(x, near, g.radius)

    for _ in range(20):
        other = geometry.start(SHAPE, g.radius, point_of(rng, g))
        mixed = _between(new, other, isinstance(g, GroupL2Ball))
        assert value(new) <= value(mixed) + 1e-10 * (1 + abs(value(new)))


def _between(x, y, plain):
    if plain:
        return (1 - 1e-3) * x + 1e-3 * y
    return np.log((1 - 1e-3) * np.exp(x) + 1e-3 * np.exp(y))


@each_ball
def test_primal_distances_are_strongly_convex_and_bounded(rng, g):
    """``D(x, y) >= |x - y|^2 / 2`` in the norm of the set, and ``D(x, centre) <= R^2 size``."""
    geometry = primal_geometry(g)
    centre = geometry.start(SHAPE, g.radius, None)
    for _ in range(100):
        x, y = (geometry.start(SHAPE, g.radius, point_of(rng, g)) for _ in range(2))
        distance = norm_of(g, geometry.point(x) - geometry.point(y))
        assert geometry.divergence(x, y, g.radius) >= 0.5 * distance**2 * (1 - 1e-9) - 1e-12
        assert geometry.divergence(x, centre, g.radius) <= g.radius**2 * geometry.size(*SHAPE) * (1 + 1e-9)
    vertex = np.zeros(SHAPE)
    vertex[1, 2] = g.radius * (1 - 1e-12)
    if isinstance(g, GroupL2Ball):
        assert geometry.divergence(vertex, centre, g.radius) <= g.radius**2 * geometry.size(*SHAPE)


@pytest.mark.parametrize("n_features", [1, 2, 3, 50])
def test_the_group_distance_for_any_number_of_features(rng, n_features):
    g = GroupL2Ball(2.0, l1=0.1)
    geometry, shape = primal_geometry(g), (n_features, 3)
    for _ in range(50):
        x, y = (g.prox(3 * rng.normal(size=shape), 0.0) for _ in range(2))
        assert geometry.divergence(x, y, 2.0) >= 0.5 * norm_of(g, x - y) ** 2 * (1 - 1e-9)
        new = geometry.step(x, rng.normal(size=shape), 50.0, Ball(2.0, 0.1))
        assert norm_of(g, new) <= 2.0 * (1 + 1e-13)


@each_dual
@pytest.mark.parametrize("k", [2, 3, 30])
def test_dual_distances_are_strongly_convex_and_bounded(rng, dual, k):
    centre = dual.start((5, k), None)
    for _ in range(50):
        p, q = rows(rng, 5, k), rows(rng, 5, k)
        distance = np.linalg.norm(p - q, ord=1 if dual.norm == "2x1" else 2, axis=1)
        divergence = dual.divergence(dual.position(p), dual.position(q))
        assert np.all(divergence >= 0.5 * distance**2 * (1 - 1e-9) - 1e-12)
        assert np.all(dual.divergence(dual.position(p), centre) <= dual.size(k))
    assert dual.size(k) >= 1.0


@pytest.mark.parametrize(
    "g", [g for g in REGULARIZERS.values() if isinstance(g, BregmanProximable)], ids=repr
)
@each_step
def test_the_entropic_prox_of_a_regularizer_is_the_minimiser(rng, g, step):
    w, v = inside(rng, radius=g.radius), rng.normal(size=SHAPE)
    x = g.prox_bregman(w, v, step)

    def value(x):
        return step * (inner(v, x) + g.value(x)) + kullback_leibler(np.log(x), np.log(w)).sum()

    for _ in range(30):
        other = (1 - 1e-3) * x + 1e-3 * inside(rng, radius=g.radius)
        assert value(x) <= value(other) + 1e-11 * (1 + abs(value(x)))
    zeros = np.where(w > w.mean(), w, 0.0)
    np.testing.assert_array_equal(g.prox_bregman(zeros, v, step) > 0, zeros > 0)
    np.testing.assert_array_equal(g.prox_bregman(0 * w, v, step), 0 * w)
