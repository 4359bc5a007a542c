"""Laws of the linear minimisation oracle."""

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import linprog

from cases_regularizers import (
    N_FEATURES,
    REGULARIZERS,
    SEPARABLE,
    each_regularizer,
    inner,
    into_domain,
    into_set,
    law,
    points,
    vectors,
)
from fenchel.regularizers import LinearlyMinimizable, Proximable

LINEAR = {key: g for key, g in SEPARABLE.items() if not g.coordinate_form(N_FEATURES).l2.any()}


@each_regularizer
@law
@given(p=points)
def test_lmo_is_no_worse_than_other_points(g, p):
    assert isinstance(g, LinearlyMinimizable)
    v = into_domain(g, p.a)
    w = g.lmo(-v)
    best = inner(-v, w) + g.value(w)
    assert np.isfinite(best)
    near = g.prox(w + 1e-3 * p.b, 1e-3) if isinstance(g, Proximable) else w
    for other in (into_set(g, p.b), into_set(g, p.c), near):
        assert best <= inner(-v, other) + g.value(other) + 1e-9


@pytest.mark.parametrize("g", LINEAR.values(), ids=LINEAR)
@law
@given(v=vectors().map(lambda v: np.round(v, 3)))  # the program's solver has a tolerance of 1e-7
def test_lmo_agrees_with_linear_programming(g, v):
    # minimise v'x + l1't over -t <= x <= t and the box.
    form = g.coordinate_form(N_FEATURES)
    eye = np.eye(N_FEATURES)
    bounds = [*zip(form.lower, form.upper, strict=True), *[(0.0, None)] * N_FEATURES]
    program = linprog(
        np.concatenate([v, form.l1]),
        A_ub=np.block([[eye, -eye], [-eye, -eye]]),
        b_ub=np.zeros(2 * N_FEATURES),
        bounds=bounds,
    )
    w = g.lmo(v)
    if np.isfinite(w).all():
        assert program.status == 0
        assert inner(v, w) + g.value(w) == pytest.approx(program.fun, abs=1e-7)
    else:
        assert program.status in (2, 3, 4)  # HiGHS may stop before it tells unbounded from infeasible
        assert g.conjugate(-v) == np.inf


def test_lmo_prefers_the_point_nearest_zero_on_a_tie():
    for key in ("l1", "non_negative-l1", "box-around"):
        g = REGULARIZERS[key]
        np.testing.assert_array_equal(g.lmo(np.zeros(N_FEATURES)), np.zeros(N_FEATURES))
    box = REGULARIZERS["box-without-zero-linear"]
    np.testing.assert_array_equal(box.lmo(np.zeros(N_FEATURES)), [-1.0, 1.0, -2.0, 2.0])
    np.testing.assert_array_equal(REGULARIZERS["l2_ball"].lmo(np.zeros((2, 2))), np.zeros((2, 2)))
