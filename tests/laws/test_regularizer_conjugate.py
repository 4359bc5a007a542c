"""Laws that tie a regularizer to its conjugate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from cases_regularizers import (
    N_FEATURES,
    REGULARIZERS,
    each_regularizer,
    each_set,
    inner,
    into_domain,
    into_set,
    law,
    numbers,
    points,
)
from fenchel.regularizers import (
    L1,
    Box,
    ElasticNet,
    L1Ball,
    L2Ball,
    NonNegative,
    NoPenalty,
    SeparableRegularizer,
)

TOLERANCE = 1e-10


@each_regularizer
@law
@given(p=points)
def test_fenchel_young_inequality(g, p):
    assert g.value(p.a) + g.conjugate(p.b) >= inner(p.a, p.b) - TOLERANCE
    feasible, dual = into_set(g, p.a), into_domain(g, p.b)
    assert g.value(feasible) + g.conjugate(dual) >= inner(feasible, dual) - TOLERANCE


@each_regularizer
@law
@given(p=points)
def test_fenchel_young_equality_at_the_lmo(g, p):
    v = into_domain(g, p.a)
    w = g.lmo(-v)
    assert np.isfinite(w).all()
    accuracy = max(2e-11, getattr(g, "accuracy", 0.0))
    assert g.value(w) + g.conjugate(v) == pytest.approx(inner(v, w), rel=accuracy, abs=TOLERANCE)


@each_regularizer
@law
@given(p=points)
def test_conjugate_domain_agrees_with_finiteness(g, p):
    inside = g.conjugate_scale(p.a) == 1.0
    assert bool(np.array_equal(into_domain(g, p.a), p.a)) == inside
    assert np.isfinite(g.conjugate(p.a)) == inside
    assert np.isfinite(g.lmo(-p.a)).all() == inside


@each_regularizer
def test_conjugate_domain_is_closed(g):
    for side, outward in zip(g.conjugate_domain(N_FEATURES), (-np.inf, np.inf), strict=True):
        ends = np.where(np.isfinite(side), side, 0.0)
        if isinstance(g, SeparableRegularizer):
            assert np.isfinite(g.conjugate(ends))
        for j in np.flatnonzero(np.isfinite(side)):
            axis = np.eye(N_FEATURES)[j]
            assert np.isfinite(g.conjugate(ends[j] * axis))
            assert g.conjugate(np.nextafter(ends[j], outward) * axis) == np.inf


@pytest.mark.parametrize(
    "g",
    [g for key, g in REGULARIZERS.items() if not key.startswith(("simplex", "relative_entropy"))],
    ids=repr,
)
@law
@given(x=numbers.map(lambda x: round(x, 3)), j=st.integers(0, N_FEATURES - 1))
def test_biconjugate_along_a_coordinate(g, x, j):
    # sup_v v x - g*(v e_j) is the least g over the points with w_j = x, and the other coordinates of
    # that minimiser do not depend on x.
    w = g.lmo(np.zeros(N_FEATURES))
    w[j] = x
    lower, upper = (np.clip(end[j], -200.0, 200.0) for end in g.conjugate_domain(N_FEATURES))

    def negative(v):
        return g.conjugate(v * np.eye(N_FEATURES)[j]) - v * x

    best = -min(negative(v) for v in (lower, upper, 0.0))
    if lower < upper:
        search = minimize_scalar(negative, bounds=(lower, upper), method="bounded", options={"xatol": 1e-9})
        best = max(best, -search.fun)
    if np.isfinite(g.value(w)):
        assert best == pytest.approx(g.value(w), abs=1e-6)
    else:
        # Outside the set the supremum is infinite: it still grows far out.
        far = max(-negative(v) for v in (1e8, -1e8))
        assert far > max(best, 0.0)


@each_set
@law
@given(p=points)
def test_conjugate_of_a_set_is_its_support_function(g, p):
    v = into_domain(g, p.a)
    assert g.conjugate(v) == pytest.approx(-inner(-v, g.lmo(-v)), abs=TOLERANCE)
    assert g.conjugate(v) >= inner(v, into_set(g, p.b)) - TOLERANCE
    assert g.conjugate(2.0 * v) == pytest.approx(2.0 * g.conjugate(v), abs=TOLERANCE)


@each_regularizer
@law
@given(p=points, factor=st.floats(1.0, 3.0))
def test_conjugate_on_level_is_an_upper_bound(g, p, factor):
    w = into_set(g, p.a)
    level = factor * g.value(w)
    bound = g.conjugate_on_level(p.b, level)
    assert not np.isnan(bound)
    assert bound >= inner(p.b, w) - g.value(w) - TOLERANCE
    assert bound <= g.conjugate(p.b) + TOLERANCE or not np.isfinite(g.conjugate(p.b))


@law
@given(p=points, level=st.floats(0.0, 10.0))
def test_conjugate_on_level_is_tight_for_l1(p, level):
    g = L1(0.5, weights=[0.5, 1.0, 2.0, 3.0])
    l1 = 0.5 * np.array([0.5, 1.0, 2.0, 3.0]).reshape((-1,) + (1,) * (p.a.ndim - 1))
    j = np.unravel_index(np.argmax(np.abs(p.a) / l1), p.a.shape)
    w = np.zeros_like(p.a)
    w[j] = np.sign(p.a[j]) * level / np.broadcast_to(l1, w.shape)[j]
    attained = max(0.0, inner(p.a, w) - g.value(w))
    assert g.conjugate_on_level(p.a, level) == pytest.approx(attained, abs=TOLERANCE)


def test_conjugate_on_level_does_not_hold_a_direction_without_penalty():
    v = np.array([1.0, 0.0])
    assert NoPenalty().conjugate_on_level(v, 0.0) == np.inf
    assert NonNegative().conjugate_on_level(v, 0.0) == np.inf
    assert NonNegative().conjugate_on_level(-v, 0.0) == 0.0
    assert L1(0.5).conjugate_on_level(v, 0.0) == 0.0


def test_conjugate_on_level_takes_the_smaller_of_radius_and_level_for_the_l1_ball():
    v = np.array([-3.0, 1.0])
    assert L1Ball(2.0).conjugate_on_level(v, -1e-17) == 6.0
    assert L1Ball(2.0, l1=1.0).conjugate_on_level(v, 8.0) == 4.0
    assert L1Ball(2.0, l1=1.0).conjugate_on_level(v, 0.5) == 1.0


def test_conjugate_keeps_its_accuracy_next_to_the_threshold():
    # v - l1 = 2**-50 exactly: the conjugate is 2**-100 / (2 l2).
    v = np.array([1.0 + 2.0**-50])
    assert ElasticNet(1.0, 0.5).conjugate(v) == 2.0**-100
    assert NonNegative(1.0, 0.5).conjugate(v) == 2.0**-100


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_extreme_scales_stay_finite(scale):
    w = np.array([scale, -scale])
    assert L1(0.5).value(w) == pytest.approx(scale)
    assert L2Ball(2.0).conjugate(w) == pytest.approx(2.0 * np.sqrt(2.0) * scale)
    np.testing.assert_allclose(L2Ball(2.0).lmo(w), [-np.sqrt(2.0), np.sqrt(2.0)])
    assert L1Ball(0.5).conjugate(w) == pytest.approx(0.5 * scale)
    np.testing.assert_array_equal(L1Ball(2.0).lmo(w), [-2.0, 0.0])
    assert Box(-1.0, 1.0, l2=1e-300).conjugate(w) == pytest.approx(2.0 * scale)
