"""The elementary functions of the losses against 60-digit arithmetic."""

import mpmath
import numpy as np
import pytest

from fenchel.numerics.special import log1pexp, logistic_root, negative_entropy, sigmoid, xlogx
from fenchel.typing import FloatArray

SCORES = np.concatenate([-np.geomspace(1e-300, 700.0, 40), [0.0], np.geomspace(1e-300, 700.0, 40)])
SHARES = np.concatenate([[0.0], np.geomspace(1e-300, 0.5, 40), 1.0 - np.geomspace(1e-15, 0.5, 20), [1.0]])
STEPS = [1e-300, 1e-30, 1e-12, 1e-4, 0.1, 1.0, 7.0, 1e3, 1e30, 1e300]


def exact(function, points: FloatArray) -> list[float]:  # type: ignore[no-untyped-def]
    with mpmath.workdps(400):
        return [float(function(mpmath.mpf(float(point)))) for point in points]


def exact_xlogx(s: mpmath.mpf) -> mpmath.mpf:
    return s * mpmath.log(s) if s > 0 else mpmath.mpf(0)


def test_log1pexp() -> None:
    expected = exact(lambda x: mpmath.log1p(mpmath.exp(x)), SCORES)
    np.testing.assert_allclose(log1pexp(SCORES), expected, rtol=4e-16)


def test_sigmoid() -> None:
    expected = exact(lambda x: 1 / (1 + mpmath.exp(-x)), SCORES)
    np.testing.assert_allclose(sigmoid(SCORES), expected, rtol=4e-16)


def test_xlogx() -> None:
    np.testing.assert_allclose(xlogx(SHARES), exact(exact_xlogx, SHARES), rtol=4e-16)


def test_negative_entropy() -> None:
    expected = exact(lambda s: exact_xlogx(s) + exact_xlogx(1 - s), SHARES)
    np.testing.assert_allclose(negative_entropy(SHARES), expected, rtol=1e-15)


@pytest.mark.parametrize("c", STEPS)
def test_logistic_root_solves_its_equation(c: float) -> None:
    magnitudes = np.concatenate([np.geomspace(1e-20, 1e6, 60), [1e300]])
    p = np.concatenate([-magnitudes, [0.0, 0.5, 1.0], magnitudes])
    z = logistic_root(p, c)
    assert np.all(np.isfinite(z))
    increasing = z[np.argsort(p)]
    assert np.all(np.diff(increasing) >= -1e-15 * (1.0 + np.abs(increasing[1:])))
    finite = (np.abs(p) < 1e200) & (c * np.abs(z) < 1e200)
    s, terms = sigmoid(z[finite]), c * z[finite]
    residual = terms + s - p[finite]
    scale = np.abs(terms) + (1.0 + np.abs(z[finite])) * s + np.abs(p[finite])
    assert np.all(np.abs(residual) <= 1e-15 * scale + 1e-300)


def test_logistic_root_broadcasts_and_takes_scalars() -> None:
    z = logistic_root(np.array([[0.2], [0.9]]), np.array([0.5, 1.0, 2.0]))
    assert z.shape == (2, 3)
    assert float(logistic_root(0.9, 2.0)) == z[1, 2]
    assert logistic_root(np.empty(0), 1.0).shape == (0,)
