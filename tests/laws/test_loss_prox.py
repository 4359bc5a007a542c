"""The prox of the conjugate: Moreau's identity, the optimality condition, firm non-expansiveness."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import LOSSES, ROWS, LossCase, argmax_concave, fractions, steps
from fenchel.typing import FloatArray

pytestmark = pytest.mark.parametrize("case", LOSSES, ids=str)


def primal_prox(case: LossCase, x: FloatArray, b: FloatArray, c: float) -> FloatArray:
    """The minimiser of ``phi(w) / c + (w - x)^2 / 2`` by a search that knows only the value.

    The minimiser is within L/c of ``x``, and between ``x`` and the nearest score of no loss.
    """

    def objective(w: FloatArray) -> FloatArray:
        value = case.value(w.ravel(), np.tile(b, len(w))).reshape(w.shape)
        return -value - 0.5 * c * (w - x) ** 2

    reach = case.loss.lipschitz / c
    if np.isfinite(reach):
        return argmax_concave(objective, x - reach, x + reach)
    return argmax_concave(objective, np.minimum(x, b), np.maximum(x, b))


@given(data=st.data(), c=steps())
def test_moreau_identity(case: LossCase, data: st.DataObject, c: float) -> None:
    v, b = data.draw(case.scores()), data.draw(case.targets())
    expected = v - c * primal_prox(case, v / c, b, c)
    # A search on values finds a minimiser to the square root of the rounding unit.
    scale = 1.0 + np.abs(v) + c + np.abs(c * b)
    assert np.all(np.abs(case.prox_conjugate(v, b, c) - expected) <= 1e-6 * scale)


@given(data=st.data(), c=steps())
def test_optimality_condition(case: LossCase, data: st.DataObject, c: float) -> None:
    # (v - t) / c is a subgradient of phi* at t, which is equality in Fenchel-Young.
    v, b = data.draw(case.scores()), data.draw(case.targets())
    t = case.prox_conjugate(v, b, c)
    z = (v - t) / c
    np.testing.assert_array_equal(case.project(t, b), t)
    value, conjugate = case.value(z, b), case.conjugate(t, b)
    scale = 1.0 + value + np.abs(conjugate) + np.abs(z * t) + np.abs(v) / c
    assert np.all(np.abs(value + conjugate - z * t) <= 1e-13 * scale)


@given(data=st.data(), c=steps())
def test_no_other_point_is_better(case: LossCase, data: st.DataObject, c: float) -> None:
    v, b, fraction = data.draw(case.scores()), data.draw(case.targets()), data.draw(fractions())

    def objective(t: FloatArray) -> FloatArray:
        return c * case.conjugate(t, b) + 0.5 * (t - v) ** 2

    best = objective(case.prox_conjugate(v, b, c))
    assert np.all(best <= objective(case.dual_points(b, fraction)) + 1e-13 * (1.0 + np.abs(best)))


@given(data=st.data(), c=steps())
def test_firm_nonexpansiveness(case: LossCase, data: st.DataObject, c: float) -> None:
    v, other, b = data.draw(case.scores()), data.draw(case.scores()), data.draw(case.targets())
    moved = case.prox_conjugate(v, b, c) - case.prox_conjugate(other, b, c)
    slack = 1e-13 * (1.0 + c) * (1.0 + np.abs(v) + np.abs(other) + np.abs(b))
    assert np.all(moved**2 <= moved * (v - other) + slack * np.abs(v - other) + slack**2)


@given(data=st.data(), c=steps())
def test_fixed_points_are_the_minimisers_of_the_conjugate(
    case: LossCase, data: st.DataObject, c: float
) -> None:
    # phi'(0) minimises phi*, whatever the step.
    b = data.draw(case.targets())
    u = case.gradient(np.zeros(ROWS), b)
    np.testing.assert_allclose(case.prox_conjugate(u, b, c), u, rtol=0, atol=1e-13 * (1.0 + 30.0 * c))


@given(data=st.data())
def test_step_a_row(case: LossCase, data: st.DataObject) -> None:
    v, b = data.draw(case.scores()), data.draw(case.targets())
    step = np.geomspace(0.01, 100.0, ROWS)
    one_by_one = [case.prox_conjugate(v[i : i + 1], b[i : i + 1], step[i])[0] for i in range(ROWS)]
    np.testing.assert_array_equal(case.prox_conjugate(v, b, step), one_by_one)


@given(data=st.data())
def test_tiny_and_huge_steps(case: LossCase, data: st.DataObject) -> None:
    v, b = data.draw(case.scores(3.0)), data.draw(case.targets())
    tiny = case.prox_conjugate(v, b, 1e-12)
    np.testing.assert_allclose(tiny, case.project(v, b), rtol=0, atol=1e-10)
    # A huge step leaves the minimiser of phi*, here the gradient at a score of zero.
    huge = case.prox_conjugate(v, b, 1e12)
    gap = case.conjugate(huge, b) + case.value(np.zeros(ROWS), b)
    assert np.all(gap <= 1e-10)
