"""Reference values, the ends of the float range, and empty arrays."""

import numpy as np
import pytest

from cases import LOSSES, LossCase
from fenchel.losses import Hinge, Logistic

pytestmark = pytest.mark.parametrize("case", LOSSES, ids=str)

MAGNITUDES = np.array([0.0, 5e-324, 1e-300, 1e-16, 1.0, 1e3, 1e16, 1e150, 1e300])
EXTREMES = np.concatenate([-MAGNITUDES, MAGNITUDES])


def all_pairs(case: LossCase) -> tuple[np.ndarray, np.ndarray]:
    targets = np.array([-1.0, 1.0]) if case.labels else EXTREMES
    return np.repeat(EXTREMES, targets.size), np.tile(targets, EXTREMES.size)


def test_reference_values(case: LossCase) -> None:
    z, b, value, gradient = np.array(case.values).T
    np.testing.assert_allclose(case.value(z, b), value, rtol=1e-14, atol=0)
    np.testing.assert_allclose(case.gradient(z, b), gradient, rtol=1e-14, atol=0)


def test_reference_conjugates(case: LossCase) -> None:
    u, b, conjugate = np.array(case.conjugates).T
    np.testing.assert_allclose(case.conjugate(u, b), conjugate, rtol=1e-14, atol=0)


def test_no_nan_at_the_ends_of_the_float_range(case: LossCase) -> None:
    z, b = all_pairs(case)
    value, gradient, curvature = case.value(z, b), case.gradient(z, b), case.curvature(z, b)
    assert np.all(value >= 0.0)
    assert np.all(np.isfinite(gradient))
    assert np.all(curvature >= 0.0)
    assert np.all(case.contains(gradient, b))
    assert not np.any(np.isnan(case.conjugate(z, b)))
    assert not np.any(np.isnan(case.conjugate(case.project(z, b), b)))


@pytest.mark.parametrize("step", [1e-12, 1e-3, 1.0, 1e3])
def test_prox_at_the_ends_of_the_float_range(case: LossCase, step: float) -> None:
    v, b = all_pairs(case)
    t = case.prox_conjugate(v, b, step)
    assert np.all(np.isfinite(t))
    np.testing.assert_array_equal(case.project(t, b), t)


def test_a_dual_value_that_is_not_a_number_has_no_finite_conjugate(case: LossCase) -> None:
    u = np.array([np.nan])
    assert not np.any(np.isfinite(case.conjugate(u, np.ones(1))))


def test_linear_growth_does_not_overflow(case: LossCase) -> None:
    if np.isfinite(case.loss.lipschitz):
        z = np.array([-1e300, 1e300])
        assert np.all(np.isfinite(case.value(z, np.ones(2))))
    if isinstance(case.loss, Logistic | Hinge):
        assert case.value(np.array([1e300]), np.array([-1.0]))[0] == 1e300


def test_empty_arrays(case: LossCase) -> None:
    empty = case.shaped(np.empty(0))
    assert case.loss.value(empty, empty).shape == (0,)
    assert case.loss.conjugate(empty, empty).shape == (0,)
    assert case.loss.gradient(empty, empty).shape == empty.shape
    assert case.loss.curvature(empty, empty).shape == empty.shape
    assert case.loss.prox_conjugate(empty, empty, 1.0).shape == empty.shape
    assert case.loss.prox_conjugate(empty, empty, np.empty(0)).shape == empty.shape
    domain = case.loss.dual_domain(empty)
    assert domain.contains(empty).shape == (0,)
    assert domain.project(empty).shape == domain.room(empty).shape == empty.shape


def test_inputs_are_not_modified(case: LossCase) -> None:
    z, b = case.shaped(np.linspace(-2.0, 2.0, 5)), case.shaped(np.ones(5))
    for array in (z, b):
        array.setflags(write=False)
    case.loss.value(z, b)
    case.loss.gradient(z, b)
    case.loss.curvature(z, b)
    case.loss.conjugate(z, b)
    case.loss.prox_conjugate(z, b, 0.5)
