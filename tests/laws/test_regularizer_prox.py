"""Laws of the proximal operator."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from cases_regularizers import (
    N_FEATURES,
    each_proximable,
    each_separable,
    each_set,
    inner,
    into_domain,
    law,
    points,
    steps,
    vectors,
)
from fenchel.numerics.projections import l1_norm, l2_norm, project_l1_ball, project_l2_ball
from fenchel.regularizers import L1Ball, L2Ball, Proximable

TOLERANCE = 1e-9


@each_proximable
@law
@given(p=points, step=steps)
def test_prox_satisfies_the_subgradient_inequality(g, p, step):
    assert isinstance(g, Proximable)
    x, other = g.prox(p.a, step), g.prox(p.b, 1.0)
    assert np.isfinite(g.value(x))
    # (w - x) / step is a subgradient of g at x.
    assert step * (g.value(other) - g.value(x)) >= inner(p.a - x, other - x) - TOLERANCE


@each_separable
@law
@given(w=vectors(), step=steps, j=st.integers(0, N_FEATURES - 1))
def test_prox_agrees_with_scalar_minimisation(g, w, step, j):
    form = g.coordinate_form(N_FEATURES)
    lower, upper = max(form.lower[j], -20.0), min(form.upper[j], 20.0)

    def objective(x):
        return step * (form.l1[j] * abs(x) + 0.5 * form.l2[j] * x**2) + 0.5 * (x - w[j]) ** 2

    x = g.prox(w, step)[j]
    assert form.lower[j] <= x <= form.upper[j]
    candidates = [objective(lower), objective(upper)]
    if lower < upper:
        candidates.append(minimize_scalar(objective, bounds=(lower, upper), method="bounded").fun)
    assert objective(x) <= min(candidates) + TOLERANCE


@each_proximable
@law
@given(p=points, step=steps)
def test_moreau_decomposition(g, p, step):
    # w = prox_{step g}(w) + step q with q = prox_{g* / step}(w / step), which minimises this objective:
    def objective(v):
        return g.conjugate(v) / step + 0.5 * l2_norm(v - p.a / step) ** 2

    x = g.prox(p.a, step)
    remainder = (p.a - x) / step
    q = into_domain(g, remainder)
    np.testing.assert_allclose(q, remainder, atol=1e-12)
    assert g.value(x) + g.conjugate(q) == pytest.approx(inner(x, q), abs=TOLERANCE)
    other = into_domain(g, p.b)
    for t in (1e-3, 0.1, 1.0):
        assert objective(q) <= objective(q + t * (other - q)) * (
            1 + TOLERANCE
        ) + TOLERANCE or not np.isfinite(g.conjugate(q + t * (other - q)))


@each_proximable
@law
@given(p=points, step=steps)
def test_prox_is_firmly_nonexpansive(g, p, step):
    x, y = g.prox(p.a, step), g.prox(p.b, step)
    modulus = step * g.strong_convexity(N_FEATURES)
    assert (1.0 + modulus) * inner(x - y, x - y) <= inner(x - y, p.a - p.b) + TOLERANCE


@each_set
@law
@given(p=points, step=steps)
def test_prox_of_a_set_is_an_idempotent_projection(g, p, step):
    x = g.prox(p.a, step)
    assert g.value(x) == 0.0
    np.testing.assert_array_equal(x, g.prox(p.a, 1.0))
    np.testing.assert_allclose(g.prox(x, step), x, rtol=1e-14, atol=1e-14)  # the rounding of the radius
    assert l2_norm(p.a - x) <= l2_norm(p.a - g.prox(p.b, 1.0)) + TOLERANCE


@law
@given(p=points, radius=st.floats(1e-3, 100.0))
def test_projection_onto_the_ball_keeps_the_direction(p, radius):
    x = project_l2_ball(p.a, radius)
    assert l2_norm(x) == pytest.approx(min(l2_norm(p.a), radius))
    np.testing.assert_allclose(x * l2_norm(p.a), p.a * l2_norm(x), atol=1e-9)
    assert L2Ball(radius).value(x) == 0.0


@law
@given(p=points, radius=st.floats(1e-3, 100.0))
def test_projection_onto_the_l1_ball_is_soft_thresholding(p, radius):
    x = project_l1_ball(p.a, radius)
    assert l1_norm(x) == pytest.approx(min(l1_norm(p.a), radius))
    threshold = np.abs(p.a - x).max(initial=0.0)
    np.testing.assert_allclose(x, np.sign(p.a) * np.maximum(np.abs(p.a) - threshold, 0.0), atol=1e-12)


def test_projection_onto_the_l1_ball_keeps_zeros_where_the_norm_exceeds_by_rounding(rng):
    beyond = 0
    for _ in range(300):
        w = np.concatenate([rng.normal(size=7), np.zeros(30)])
        w *= 5.0 * (1.0 + 3e-16) / l1_norm(w)
        beyond += l1_norm(w) > 5.0
        assert not project_l1_ball(w, 5.0)[7:].any()
    assert beyond > 10


@pytest.mark.parametrize("scale", [1e-310, 1e16, 1e300])
def test_projection_onto_the_l1_ball_at_extreme_scales(scale):
    w = scale * np.array([1.0, -1.0, 0.5])
    np.testing.assert_allclose(project_l1_ball(w, 1.0), w if scale < 1 else [0.5, -0.5, 0.0])
    np.testing.assert_allclose(project_l1_ball(np.array([scale, 0.0]), 1e-320), [1e-320, 0.0], atol=0)
    assert L1Ball(1.0).value(1e300 * np.ones(2)) == np.inf


@pytest.mark.parametrize("project", [project_l1_ball, project_l2_ball])
def test_projection_leaves_its_argument_alone(project):
    w = np.array([0.5, 0.0])
    x = project(w, 1.0)
    assert not np.shares_memory(x, w)


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e300])
def test_unit_vector_at_extreme_scales(scale):
    assert L2Ball(1.0).value(L2Ball(1.0).lmo(np.array([scale, scale]))) == 0.0
    assert l2_norm(np.zeros(0)) == 0.0
