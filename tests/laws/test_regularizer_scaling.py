"""Laws of scaling a point into the domain of a conjugate."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from cases_regularizers import each_regularizer, law, points
from fenchel.numerics.coordinate import scale_into

wide = st.floats(allow_nan=False, allow_infinity=False)


@law
@given(
    v=arrays.arrays(np.float64, 6, elements=wide),
    ends=arrays.arrays(np.float64, 6, elements=st.floats(0.0, allow_nan=False)),
)
def test_scaled_point_is_inside_in_floating_point(v, ends):
    scale = scale_into(v, -ends, ends)
    assert 0.0 <= scale <= 1.0
    assert (np.abs(scale * v) <= ends).all()
    assert scale == 1.0 or (np.abs(v) > ends).any()


def test_scaled_point_is_inside_for_many_quotients():
    # About one quotient in eight rounds up so far that its product with v passes the end.
    values = np.random.default_rng(0).uniform(0.0, 10.0, size=(5000, 2))
    passed = 0
    for end, size in np.sort(values, axis=1):
        scale = scale_into(np.array([size]), np.array([-end]), np.array([end]))
        assert scale * size <= end
        assert scale * size >= end * (1 - 1e-15)
        passed += bool((end / size) * size > end)
    assert passed > 0


@each_regularizer
@law
@given(p=points)
def test_scale_into_the_conjugate_domain_is_the_largest_that_fits(g, p):
    scale = g.conjugate_scale(p.a)
    assert np.isfinite(g.conjugate(scale * p.a))
    if scale < 1.0:
        assert g.conjugate((scale * (1 + 1e-9) + 1e-9) * p.a) == np.inf


def test_scale_of_special_points():
    ones, zeros = np.ones(2), np.zeros(2)
    assert scale_into(zeros, -ones, ones) == 1.0
    assert scale_into(zeros, zeros, zeros) == 1.0
    assert scale_into(np.array([-4.0, 2.0]), -ones, ones) == 0.25
    assert scale_into(np.array([[0.0, -4.0], [2.0, 1.0]]), -ones, ones) == 0.25
    assert scale_into(ones, -ones, zeros) == 0.0
    assert scale_into(zeros[:0], zeros[:0], zeros[:0]) == 1.0
