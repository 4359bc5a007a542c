"""The certificate is a proof: whatever the two points are, its bound lies below every primal value."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cases
from cases_regularizers import N_FEATURES, PROXIMABLE, REGULARIZERS, into_set
from cases_solvers import ROUNDING, draw, primal_dual, size
from fenchel import Problem
from fenchel.losses import MultiSquared, Squared
from fenchel.problem.free import minimise_free
from fenchel.regularizers import Proximable
from fenchel.typing import FloatArray

each_loss = pytest.mark.parametrize(
    "loss", [case.loss for case in (*cases.LOSSES, *cases.MULTICLASS_LOSSES)], ids=repr
)
few = settings(max_examples=3)
each_regularizer = pytest.mark.parametrize("g", PROXIMABLE.values(), ids=PROXIMABLE)
WITHOUT_PROX = {key: g for key, g in REGULARIZERS.items() if key not in PROXIMABLE}

# n, kind of matrix, sample weights, intercept, scale of the data, scale of the points.
draws = st.builds(
    dict,
    seed=st.integers(0, 10**9),
    n=st.integers(1, 8),
    kind=st.sampled_from(["gaussian", "correlated", "degenerate", "sparse"]),
    weight=st.sampled_from(["none", "positive", "zeros"]),
    intercept=st.booleans(),
    scale=st.sampled_from([1e-3, 1.0, 1e3]),
)
reaches = st.sampled_from([0.0, 0.1, 1.0, 100.0])


def problem_of(values: dict, loss, g) -> tuple[np.random.Generator, Problem]:
    values = dict(values)
    rng = np.random.default_rng(values.pop("seed"))
    if values["n"] == 1 and values["weight"] == "zeros":
        values["weight"] = "none"
    return rng, draw(rng, loss, g, **values)


def dual_points(
    rng: np.random.Generator, problem: Problem, w: FloatArray, reach: float
) -> list[FloatArray | None]:
    """The gradient, a wild point, one inside the domain of the loss, one near the gradient, and zero."""
    wild = reach * rng.normal(size=problem.b.shape)
    inside = problem.loss.dual_domain(problem.b).project(0.3 * rng.normal(size=problem.b.shape))
    return [None, wild, inside, problem.dual_point(w) + 1e-3 * wild, np.zeros_like(problem.b)]


def feasible(problem: Problem, w: FloatArray) -> FloatArray:
    """The projection onto the set, or where there is none a multiple of ``w`` in it."""
    if isinstance(problem.regularizer, Proximable):
        return problem.prox(w, 0.0)
    while not np.isfinite(problem.regularizer.value(problem.features(w))):
        w = 0.5 * w
    return w


def primal_points(
    rng: np.random.Generator, problem: Problem, w: FloatArray, reach: float
) -> list[FloatArray]:
    """``w``, feasible points of several sizes, and the same with their best free coordinates."""
    factors = (0.0, 1e-3, 0.1, 1.0, 10.0)
    points = [factor * (1.0 + reach) * rng.normal(size=problem.primal_shape) for factor in factors]
    points = [feasible(problem, point) for point in (w, *points)]
    return points + [minimise_free(problem, point) for point in points]


@each_loss
@few
@given(values=draws, reach=reaches)
def test_bound_is_below_every_primal_value(loss, values, reach):
    for g in PROXIMABLE.values():
        rng, problem = problem_of(values, loss, g)
        w = reach * rng.normal(size=problem.primal_shape)
        near, u_near = primal_dual(problem)
        others = [*primal_points(rng, problem, w, reach), near, minimise_free(problem, near)]
        least = min(problem.primal_value(other) for other in others)
        for start in (w, near):
            for u in (*dual_points(rng, problem, start, reach), u_near):
                certificate = problem.certify(start, u)
                slack = ROUNDING * size(problem, least, certificate.dual)
                assert np.isfinite(certificate.dual)
                assert certificate.dual <= least + slack
                assert certificate.primal == problem.primal_value(start)
                assert certificate.gap == max(certificate.primal - certificate.dual, 0.0)


@each_loss
@pytest.mark.parametrize("g", WITHOUT_PROX.values(), ids=WITHOUT_PROX)
@few
@given(values=draws, reach=st.sampled_from([0.1, 1.0]))
def test_bound_is_below_the_primal_values_of_a_set_without_a_prox(loss, g, values, reach):
    rng, problem = problem_of(values, loss, g)
    points = reach * rng.normal(size=(4, *problem.primal_shape))
    for point in points:
        point[:N_FEATURES] = into_set(g, point[:N_FEATURES])
    least = min(problem.primal_value(minimise_free(problem, point)) for point in points)
    for u in dual_points(rng, problem, points[0], reach):
        certificate = problem.certify(points[0], u)
        assert np.isfinite(certificate.dual)
        assert certificate.dual <= least + ROUNDING * size(problem, least, certificate.dual)
        assert certificate.primal == problem.primal_value(points[0])


@each_loss
@settings(max_examples=2)
@given(values=draws, reach=reaches)
def test_certifying_with_its_own_dual_point_loses_nothing(loss, values, reach):
    for g in PROXIMABLE.values():
        rng, problem = problem_of(values, loss, g)
        w = reach * rng.normal(size=problem.primal_shape)
        for u in dual_points(rng, problem, w, reach):
            first = problem.certify(w, u)
            again = problem.certify(w, first.dual_point)
            # The charge for the residual of a repair is of the order of the rounding of the scores.
            scores = float(np.abs(problem.scores(w)).max())
            assert again.dual >= first.dual - ROUNDING * size(problem, first.dual, scores)
            assert again.primal == first.primal


@each_loss
@settings(max_examples=2)
@given(values=draws, reach=reaches)
def test_gap_is_the_sum_of_its_shares(loss, values, reach):
    """``P(w) - D(u) = (1/n) sum s_i (phi + phi* - z u)_i + g(w) + g*(-v) + <v, w>``, all terms >= 0."""
    for g in PROXIMABLE.values():
        rng, problem = problem_of(values, loss, g)
        w = feasible(problem, reach * rng.normal(size=problem.primal_shape))
        for u in dual_points(rng, problem, w, reach)[1:]:
            u = problem.loss.dual_domain(problem.b).project(u)
            dual = problem.dual_value(u)
            if np.isfinite(dual):
                assert_shares(problem, w, u, dual)


def assert_shares(problem: Problem, w: FloatArray, u: FloatArray, dual: float) -> None:
    g, z, v = problem.regularizer, problem.scores(w), problem.correlation(u)
    product = z * u if z.ndim == 1 else (z * u).sum(axis=1)
    rows = problem.loss.value(z, problem.b) + problem.loss.conjugate(u, problem.b) - product
    features = g.value(w[:N_FEATURES]) + g.conjugate(-v[:N_FEATURES]) + float(np.sum(v * w))
    primal = problem.primal_value(w)
    scale = size(problem, primal, dual, float(np.sum(np.abs(v * w))), float(np.abs(product).max()))
    # A feasible point is not made worse.
    assert problem.certify(w, u).dual >= dual - ROUNDING * scale
    if np.isfinite(features):
        assert np.all(rows >= -ROUNDING * scale)
        assert features >= -ROUNDING * scale
        shares = float(np.mean(problem.sample_weight * rows)) + features
        assert shares == pytest.approx(primal - dual, abs=ROUNDING * scale)


@each_loss
@few
@given(values=draws)
def test_weight_is_repetition(loss, values):
    for g in PROXIMABLE.values():
        assert_weight_is_repetition(loss, g, values)


def assert_weight_is_repetition(loss, g, values):
    rng, problem = problem_of(values | {"weight": "none"}, loss, g)
    counts = rng.integers(0, 4, size=problem.n_samples)
    counts[0] = 2
    weighted = Problem(
        problem.design.base if problem.fit_intercept else problem.design,
        problem.b,
        loss,
        g,
        sample_weight=counts,
        fit_intercept=problem.fit_intercept,
    )
    A = problem.design.select_columns(np.arange(N_FEATURES))
    repeated = Problem(
        np.repeat(A, counts, axis=0), np.repeat(problem.b, counts, axis=0), loss, g,
        fit_intercept=problem.fit_intercept,
    )  # fmt: skip
    w = rng.normal(size=problem.primal_shape)
    u = 0.5 * rng.normal(size=problem.b.shape)
    for dual in (None, u):
        one = weighted.certify(w, dual)
        two = repeated.certify(w, None if dual is None else np.repeat(dual, counts, axis=0))
        tolerance = 1e-9 * size(repeated, two.primal, two.dual, values["scale"])
        assert one.primal == pytest.approx(two.primal, rel=1e-12)
        assert one.dual == pytest.approx(two.dual, abs=tolerance)


@each_regularizer
@few
@given(values=draws)
def test_one_output_is_the_squared_loss(g, values):
    rng, scalar = problem_of(values, Squared(), g)
    vector = replace_b(scalar, MultiSquared(), scalar.b[:, None])
    w, u = rng.normal(size=scalar.primal_shape), rng.normal(size=scalar.b.shape)
    for dual in (None, u):
        one = scalar.certify(w, dual)
        two = vector.certify(w[:, None], None if dual is None else dual[:, None])
        assert two.primal == pytest.approx(one.primal, rel=1e-12)
        assert two.dual == pytest.approx(one.dual, abs=1e-10 * size(scalar, one.primal, one.dual))
        assert two.dual_point.shape == (scalar.n_samples, 1)


@few
@given(values=draws, factor=st.sampled_from([1e-6, 0.5, 3.0, 1e6]))
@pytest.mark.parametrize("key", ["none", "l1", "ridge", "non_negative"])
def test_squared_loss_scales(key, values, factor):
    """P for targets c b at c w is c^2 P, when the l1 part grows with c."""
    g = REGULARIZERS[key]
    scaled = replace(g, strength=factor * g.strength) if key == "l1" else g
    rng, problem = problem_of(values, Squared(), g)
    other = Problem(
        problem.design.base if problem.fit_intercept else problem.design,
        factor * problem.b,
        Squared(),
        scaled,
        sample_weight=problem.sample_weight,
        fit_intercept=problem.fit_intercept,
    )
    w, u = rng.normal(size=problem.primal_shape), rng.normal(size=problem.b.shape)
    for dual in (None, u):
        one = problem.certify(w, dual)
        two = other.certify(factor * w, None if dual is None else factor * dual)
        tolerance = 1e-9 * size(problem, one.primal, one.dual)
        assert two.primal / factor**2 == pytest.approx(one.primal, rel=1e-9)
        assert two.dual / factor**2 == pytest.approx(one.dual, abs=tolerance)


@each_loss
@pytest.mark.parametrize("key", ["l1", "elastic_net", "box", "l2_ball", "none"])
@few
@given(values=draws)
def test_order_of_rows_and_columns_does_not_matter(loss, key, values):
    rng, problem = problem_of(values, loss, REGULARIZERS[key])
    rows, columns = rng.permutation(problem.n_samples), rng.permutation(N_FEATURES)
    A = problem.design.select_columns(np.arange(N_FEATURES))
    permuted = Problem(
        A[rows][:, columns], problem.b[rows], loss, problem.regularizer,
        sample_weight=problem.sample_weight[rows], fit_intercept=problem.fit_intercept,
    )  # fmt: skip
    w = rng.normal(size=problem.primal_shape)
    other = w.copy()
    other[:N_FEATURES] = w[:N_FEATURES][columns]
    one, two = problem.certify(w), permuted.certify(other)
    assert two.primal == pytest.approx(one.primal, rel=1e-10)
    assert two.dual == pytest.approx(one.dual, abs=1e-9 * size(problem, one.primal, one.dual))


def replace_b(problem: Problem, loss, b: FloatArray) -> Problem:
    """The same data with other targets and another loss."""
    return Problem(
        problem.design.base if problem.fit_intercept else problem.design,
        b,
        loss,
        problem.regularizer,
        sample_weight=problem.sample_weight,
        fit_intercept=problem.fit_intercept,
    )
