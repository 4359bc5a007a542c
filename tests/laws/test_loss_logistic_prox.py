"""The one prox without a closed form, against 50-digit solutions."""

import mpmath
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fenchel.losses import Logistic
from fenchel.numerics.special import logistic_root, sigmoid
from fenchel.typing import FloatArray
from stored import stored

# v, step, b, the prox t, and z with t = -b sigmoid(z) and step z + sigmoid(z) = -b v.
REFERENCE = (
    (-30.0, 0.001, -1.0, 0.0, -30000.0),
    (-30.0, 0.1, -1.0, 5.1482002224121e-131, -300.0),
    (-30.0, 1.0, 1.0, -0.9999999999997456, 29.000000000000256),
    (-3.0, 0.1, -1.0, 9.357622968830558e-14, -30.000000000000934),
    (-1.0, 1e-08, 1.0, -0.9999998433100343, 15.668996568161068),
    (-0.5, 1.0, 1.0, -0.5, 0.0),
    (-0.75, 0.1, 1.0, -0.6763123830898465, 0.7368761691015351),
    (0.0, 1e-08, -1.0, 1.5668996568161068e-07, -15.668996568161068),
    (0.3, 7.0, -1.0, 0.4931038705209088, -0.027586267217272687),
    (1000.0, 1e-08, -1.0, 1.0, 99900000000.0),
    (1000.0, 10000.0, 1.0, -0.475008966949594, -0.10004750089669497),
)


def check(rows: FloatArray) -> None:
    """Compare with the rows up to the conditioning of the problem, ``1 + |z|``."""
    v, step, b, t, z = rows.T
    relative = 1e-14 * (1.0 + np.abs(z))
    computed = logistic_root(-b * v, step)
    assert np.all(np.abs(computed - z) <= relative)
    assert np.all(np.abs(Logistic().prox_conjugate(v, b, step) - t) <= relative * np.abs(t))
    # 1 - s is sigmoid(-z); the prox itself rounds it away.
    assert np.all(np.abs(sigmoid(-computed) - sigmoid(-z)) <= relative * sigmoid(-z))


def test_reference_rows() -> None:
    check(np.array(REFERENCE))


def test_reference_file() -> None:
    check(np.array(stored("spd-prox-logistic.json")["rows"]))


def exact_root(p: float, c: float) -> mpmath.mpf:
    """The root by bisection, in the working precision of mpmath."""
    right, slope = mpmath.mpf(p), mpmath.mpf(c)
    lower, upper = (right - 1) / slope, right / slope
    for _ in range(240):
        middle = (lower + upper) / 2
        below = slope * middle + 1 / (1 + mpmath.exp(-middle)) < right
        lower, upper = (middle, upper) if below else (lower, middle)
    return (lower + upper) / 2


@given(
    p=st.one_of(st.floats(-5.0, 5.0), st.floats(-12.0, 0.0).map(lambda x: 10.0**x)),
    c=st.floats(-9.0, 6.0).map(lambda x: 10.0**x),
)
def test_both_shares_are_accurate_relative_to_themselves(p: float, c: float) -> None:
    z = float(logistic_root(p, c))
    with mpmath.workdps(50):
        exact = exact_root(p, c)
        if abs(exact) > 700:
            return
        tolerance = 1e-14 * (1 + abs(exact))
        for sign in (1, -1):
            expected = 1 / (1 + mpmath.exp(-sign * exact))
            computed = mpmath.mpf(float(sigmoid(np.array([sign * z]))[0]))
            assert abs(computed / expected - 1) <= tolerance


@given(v=st.floats(-50.0, 50.0), c=st.floats(-9.0, 6.0).map(lambda x: 10.0**x))
def test_mirror_symmetry(v: float, c: float) -> None:
    loss, positive = Logistic(), np.ones(1)
    mirrored = -loss.prox_conjugate(np.array([-v]), -positive, c)
    np.testing.assert_array_equal(loss.prox_conjugate(np.array([v]), positive, c), mirrored)


def test_dual_points_stay_inside_whatever_the_step(rng: np.random.Generator) -> None:
    v, b = rng.normal(scale=100.0, size=2000), rng.choice([-1.0, 1.0], size=2000)
    step = 10.0 ** rng.uniform(-300.0, 300.0, size=2000)
    s = -b * Logistic().prox_conjugate(v, b, step)
    assert np.all((s >= 0.0) & (s <= 1.0))
