"""The subdifferential of the conjugate: the scores at which a dual value is a subgradient."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import LOSSES, LossCase, fractions
from fenchel.losses import Logistic, ScalarLoss
from fenchel.typing import FloatArray

each_scalar = pytest.mark.parametrize(
    "case", [case for case in LOSSES if isinstance(case.loss, ScalarLoss)], ids=str
)


def slopes(case: LossCase, u: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    assert isinstance(case.loss, ScalarLoss)
    return case.loss.conjugate_slopes(u, b)


def test_a_compiled_loss_has_slopes() -> None:
    for case in LOSSES:
        assert isinstance(case.loss, ScalarLoss) == case.loss.compiled


@each_scalar
@given(data=st.data())
def test_the_score_of_a_gradient_is_among_the_slopes(case: LossCase, data: st.DataObject) -> None:
    z, b = data.draw(case.scores()), data.draw(case.targets())
    lower, upper = slopes(case, case.gradient(z, b), b)
    slack = 1e-14 * (1.0 + np.abs(z) + np.abs(b))
    assert np.all((lower - slack <= z) & (z <= upper + slack))


@each_scalar
@given(data=st.data(), part=fractions())
def test_the_slopes_are_where_fenchel_young_is_an_equality(
    case: LossCase, data: st.DataObject, part: FloatArray
) -> None:
    b = data.draw(case.targets())
    u = case.dual_points(b, part)
    for z in slopes(case, u, b):
        z = np.clip(z, -1e3, 1e3)
        terms = case.value(z, b) + case.conjugate(u, b) - z * u
        scale = 1.0 + case.value(z, b) + np.abs(case.conjugate(u, b)) + np.abs(z * u)
        assert np.all(np.abs(terms) <= 1e-13 * scale)


@pytest.mark.parametrize("z", [-1e300, -800.0, -40.0, -36.0, -20.0, 20.0, 36.0, 40.0, 800.0, 1e300])
@pytest.mark.parametrize("b", [-1.0, 1.0])
def test_saturated_logistic_rows_are_at_rest(z: float, b: float) -> None:
    """Where u has rounded to the end of its domain, or nearly, its own score is still among the slopes."""
    score, label = np.array([z]), np.array([b])
    lower, upper = Logistic().conjugate_slopes(Logistic().gradient(score, label), label)
    slack = 1e-13 * min(abs(z), 1e3)
    assert lower[0] - slack <= z <= upper[0] + slack


@pytest.mark.parametrize("case", LOSSES, ids=str)
def test_only_an_open_dual_keeps_every_derivative_from_its_ends(case: LossCase) -> None:
    loss = case.loss
    z, b = np.linspace(-30.0, 30.0, 61), np.ones(61)
    room = loss.dual_domain(case.shaped(b)).room(case.gradient(z, b).reshape(case.shaped(z).shape))
    assert loss.open_dual == bool(np.isfinite(loss.lipschitz) and np.all(room > 0.0))
