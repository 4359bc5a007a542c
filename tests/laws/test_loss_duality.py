"""The conjugate is the conjugate: Fenchel-Young, the biconjugate, and the dual domain."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import LOSSES, ROWS, LossCase, argmax_concave, fractions
from fenchel.losses import DOMAIN_SLACK
from fenchel.typing import FloatArray

pytestmark = pytest.mark.parametrize("case", LOSSES, ids=str)


def fenchel_young(
    case: LossCase, z: FloatArray, u: FloatArray, b: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The gap ``phi(z) + phi*(u) - z u``, and the size of its largest term."""
    value, conjugate = case.value(z, b), case.conjugate(u, b)
    return value + conjugate - z * u, 1.0 + value + np.abs(conjugate) + np.abs(z * u)


@given(data=st.data())
def test_fenchel_young_inequality(case: LossCase, data: st.DataObject) -> None:
    z, b, fraction = data.draw(case.scores()), data.draw(case.targets()), data.draw(fractions())
    gap, scale = fenchel_young(case, z, case.dual_points(b, fraction), b)
    assert np.all(gap >= -1e-14 * scale)


@given(data=st.data())
def test_fenchel_young_equality_at_the_gradient(case: LossCase, data: st.DataObject) -> None:
    z, b = data.draw(case.scores()), data.draw(case.targets())
    gap, scale = fenchel_young(case, z, case.gradient(z, b), b)
    assert np.all(np.abs(gap) <= 1e-13 * scale)


def test_fenchel_young_equality_at_the_kinks(case: LossCase) -> None:
    b = np.ones(len(case.kinks))
    z = np.array(case.kinks) if case.labels else 1.0 + np.array(case.kinks)
    gap, scale = fenchel_young(case, z, case.gradient(z, b), b)
    assert np.all(np.abs(gap) <= 1e-14 * scale)


@given(data=st.data())
def test_biconjugate_is_the_loss(case: LossCase, data: st.DataObject) -> None:
    z, b = data.draw(case.scores()), data.draw(case.targets())

    def objective(u: FloatArray) -> FloatArray:
        return z * u - case.conjugate(u.ravel(), np.tile(b, len(u))).reshape(u.shape)

    lower, upper = case.bounds(b, limit=200.0)
    supremum = objective(argmax_concave(objective, lower, upper)[None, :])[0]
    np.testing.assert_allclose(supremum, case.value(z, b), rtol=1e-10, atol=1e-10)


@given(data=st.data())
def test_value_is_never_negative_and_conjugate_of_zero_is_zero(case: LossCase, data: st.DataObject) -> None:
    z, b = data.draw(case.scores()), data.draw(case.targets())
    zero = np.zeros(ROWS)
    assert np.all(case.value(z, b) >= 0.0)
    assert np.all(case.contains(zero, b))
    # The infimum of every loss is 0, which is what phi*(0) = 0 says.
    assert np.all(case.conjugate(zero, b) == 0.0)


@given(data=st.data())
def test_domain_agrees_with_finiteness(case: LossCase, data: st.DataObject) -> None:
    b, fraction = data.draw(case.targets()), data.draw(fractions())
    inside = case.dual_points(b, fraction)
    assert np.all(case.contains(inside, b))
    assert np.all(np.isfinite(case.conjugate(inside, b)))
    u = data.draw(case.scores(3.0))
    np.testing.assert_array_equal(case.contains(u, b), np.isfinite(case.conjugate(u, b)))


@pytest.mark.parametrize("distance", [0.001, 1.0])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_the_supremum_diverges_outside_the_domain(case: LossCase, side: float, distance: float) -> None:
    b = np.array([-1.0, 1.0]) if case.labels else np.array([-4.0, 2.5])
    end = case.bounds(b)[int(side > 0)]
    b, end = b[np.isfinite(end)], end[np.isfinite(end)]
    u, far = end + side * distance, np.full(b.shape, side * 1e9)
    assert not np.any(case.contains(u, b))
    assert np.all(np.isposinf(case.conjugate(u, b)))
    assert np.all(far * u - case.value(far, b) > 0.9e9 * distance)


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_rounding_beyond_the_end_is_clipped(case: LossCase, side: float) -> None:
    b = np.array([-1.0, 1.0])
    end = case.bounds(b)[int(side > 0)]
    b, end = b[np.isfinite(end)], end[np.isfinite(end)]
    nearly = end + side * 0.5 * DOMAIN_SLACK
    assert np.all(case.contains(nearly, b))
    np.testing.assert_array_equal(case.conjugate(nearly, b), case.conjugate(end, b))
    np.testing.assert_array_equal(case.project(nearly, b), end)


@given(data=st.data())
def test_projection_is_idempotent_and_nearest(case: LossCase, data: st.DataObject) -> None:
    u, b, fraction = data.draw(case.scores()), data.draw(case.targets()), data.draw(fractions())
    projected = case.project(u, b)
    assert np.all(case.contains(projected, b))
    np.testing.assert_array_equal(case.project(projected, b), projected)
    other = case.dual_points(b, fraction)
    assert np.all(np.abs(u - projected) <= np.abs(u - other))


@given(data=st.data())
def test_room_stays_inside_and_is_zero_at_the_ends(case: LossCase, data: st.DataObject) -> None:
    b, fraction = data.draw(case.targets()), data.draw(fractions())
    u = case.dual_points(b, fraction)
    room = case.room(u, b)
    assert np.all((room >= 0.0) & (room <= 1.0))
    assert np.all(case.contains(u - room, b) & case.contains(u + room, b))
    for end in case.bounds(b):
        finite = np.isfinite(end)
        assert np.all(case.room(np.where(finite, end, 0.0), b)[finite] == 0.0)


@given(data=st.data())
def test_gradient_lies_in_the_domain(case: LossCase, data: st.DataObject) -> None:
    z, b = data.draw(case.scores(1e300)), data.draw(case.targets())
    gradient = case.gradient(z, b)
    np.testing.assert_array_equal(case.project(gradient, b), gradient)
