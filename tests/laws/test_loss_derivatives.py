"""Gradients, curvatures, and the constants that a loss declares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import LOSSES, ROWS, LossCase, fractions
from fenchel.typing import FloatArray

pytestmark = pytest.mark.parametrize("case", LOSSES, ids=str)

STENCIL = ((-2, 1.0 / 12.0), (-1, -8.0 / 12.0), (1, 8.0 / 12.0), (2, -1.0 / 12.0))
SPACING = 2.0**-8


def difference(function, z: FloatArray, b: FloatArray) -> FloatArray:  # type: ignore[no-untyped-def]
    """The derivative by differences of order four."""
    terms = [weight * function(z + shift * SPACING, b) for shift, weight in STENCIL]
    result: FloatArray = np.sum(terms, axis=0) / SPACING
    return result


def sweep(case: LossCase) -> tuple[FloatArray, FloatArray]:
    """Closely spaced scores around the targets, for both labels."""
    z = np.linspace(-40.0, 40.0, 16001)
    if case.labels:
        return np.concatenate([z, z]), np.repeat([-1.0, 1.0], z.size)
    return z, np.full(z.size, 0.25)


def around_kinks(case: LossCase, distance: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Points on both sides of every kink for a target of 1."""
    kinks = np.array(case.kinks) + (0.0 if case.labels else 1.0)
    return kinks - distance, kinks + distance, np.ones(kinks.size)


@given(data=st.data())
def test_gradient_against_differences(case: LossCase, data: st.DataObject) -> None:
    z, b = data.draw(case.scores()), data.draw(case.targets())
    smooth = case.kink_distance(z, b) > 3 * SPACING
    error = difference(case.value, z, b) - case.gradient(z, b)
    assert np.all(np.abs(error[smooth]) <= 1e-9 * (1.0 + case.value(z, b)[smooth]))


@given(data=st.data())
def test_curvature_against_differences(case: LossCase, data: st.DataObject) -> None:
    z, b = data.draw(case.scores()), data.draw(case.targets())
    smooth = case.kink_distance(z, b) > 3 * SPACING
    error = difference(case.gradient, z, b) - case.curvature(z, b)
    assert np.all(np.abs(error[smooth]) <= 1e-9 * (1.0 + np.abs(case.gradient(z, b)[smooth])))


@given(data=st.data())
def test_gradient_is_monotone_and_a_subgradient(case: LossCase, data: st.DataObject) -> None:
    z, other, b = data.draw(case.scores()), data.draw(case.scores()), data.draw(case.targets())
    gradient = case.gradient(z, b)
    assert np.all((gradient - case.gradient(other, b)) * (z - other) >= 0.0)
    tangent = case.value(z, b) + gradient * (other - z)
    scale = 1.0 + case.value(z, b) + np.abs(gradient * (other - z))
    assert np.all(case.value(other, b) >= tangent - 1e-14 * scale)


@given(data=st.data())
def test_declared_constants_hold(case: LossCase, data: st.DataObject) -> None:
    z, other, b = data.draw(case.scores()), data.draw(case.scores()), data.draw(case.targets())
    distance = np.abs(z - other)
    rounding = 1e-14 * (1.0 + np.abs(z) + np.abs(other) + np.abs(b))
    if np.isfinite(case.loss.smoothness):
        rise = np.abs(case.gradient(z, b) - case.gradient(other, b))
        assert np.all(rise <= case.loss.smoothness * (distance + rounding))
        assert np.all(case.curvature(z, b) <= case.loss.smoothness)
        assert not case.loss.constant_curvature or np.ptp(case.curvature(z, b)) == 0.0
    if np.isfinite(case.loss.lipschitz):
        rise = np.abs(case.value(z, b) - case.value(other, b))
        assert np.all(rise <= case.loss.lipschitz * (distance + rounding))
        assert np.all(np.abs(case.gradient(z, b)) <= case.loss.lipschitz)


def test_declared_smoothness_is_tight(case: LossCase) -> None:
    assert case.loss.smooth == np.isfinite(case.loss.smoothness)
    if case.loss.smooth:
        z, b = sweep(case)
        slopes = np.diff(case.gradient(z, b)) / np.diff(z) * (np.diff(b) == 0)
        assert np.max(slopes) >= 0.99 * case.loss.smoothness
    else:
        left, right, b = around_kinks(case, 1e-9)
        assert np.all(case.gradient(right, b) - case.gradient(left, b) >= 1e6 * (right - left))


def test_declared_lipschitz_constant_is_tight(case: LossCase) -> None:
    if np.isfinite(case.loss.lipschitz):
        z, b = sweep(case)
        assert np.max(np.abs(case.gradient(z, b))) >= 0.99 * case.loss.lipschitz
    else:
        ends = np.array([-1e9, 1e9])
        assert np.max(np.abs(case.gradient(ends, np.ones(2)))) >= 1e6


@given(data=st.data())
def test_conjugate_is_strongly_convex(case: LossCase, data: st.DataObject) -> None:
    b = data.draw(case.targets())
    u, other = (case.dual_points(b, data.draw(fractions())) for _ in range(2))
    modulus = 1.0 / case.loss.smoothness
    ends = 0.5 * (case.conjugate(u, b) + case.conjugate(other, b))
    middle = case.conjugate(0.5 * (u + other), b)
    scale = 1.0 + np.abs(ends) + np.abs(middle) + 50.0 * np.abs(b)
    assert np.all(middle <= ends - modulus / 8.0 * (u - other) ** 2 + 1e-14 * scale)


def test_shapes(case: LossCase) -> None:
    z, b = case.shaped(np.zeros(ROWS)), case.shaped(np.ones(ROWS))
    assert case.loss.value(z, b).shape == (ROWS,)
    assert case.loss.conjugate(z, b).shape == (ROWS,)
    for result in (
        case.loss.gradient(z, b),
        case.loss.curvature(z, b),
        case.loss.prox_conjugate(z, b, 1.0),
        case.loss.dual_domain(b).project(z),
        case.loss.dual_domain(b).room(z),
    ):
        assert result.shape == z.shape
        assert result.dtype == np.float64
