"""The laws of the constraints and of the same with slack: projections, support functions, envelopes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from cases import CONSTRAINTS, ConstraintCase, steps
from fenchel.errors import InvalidInputError
from fenchel.losses import (
    BallConstraint,
    EqualityConstraint,
    MarginConstraint,
    MultiSquared,
    ScalarConstraint,
    SimplexConstraint,
    Squared,
    SquaredDistance,
    SquaredHinge,
)
from fenchel.typing import FloatArray

each_case = pytest.mark.parametrize("case", CONSTRAINTS, ids=str)
each_scalar = pytest.mark.parametrize(
    "case", [case for case in CONSTRAINTS if isinstance(case.loss, ScalarConstraint)], ids=str
)
each_strength = pytest.mark.parametrize("strength", [0.5, 3.0])
MAGNITUDES = np.array([0.0, 5e-324, 1e-300, 1e-16, 1.0, 1e16, 1e150, 1e300])
EXTREMES = np.concatenate([-MAGNITUDES, MAGNITUDES])
STENCIL = ((-2, 1.0 / 12.0), (-1, -8.0 / 12.0), (1, 8.0 / 12.0), (2, -1.0 / 12.0))


def dot(x: FloatArray, y: FloatArray) -> FloatArray:
    """The inner product of every row."""
    return x * y if x.ndim == 1 else np.sum(x * y, axis=1)


def size(*arrays: FloatArray) -> FloatArray:
    """One plus the sum of the norms of the rows."""
    return 1.0 + sum(np.sqrt(dot(x, x)) for x in arrays)


def aligned(step: FloatArray, like: FloatArray) -> FloatArray:
    return step if like.ndim == 1 else step[:, None]


def draw_pair(case: ConstraintCase, data: st.DataObject) -> tuple[FloatArray, FloatArray, FloatArray]:
    """A point inside, a dual point, and the targets."""
    b = data.draw(case.targets())
    return case.loss.project(data.draw(case.scores()), b), data.draw(case.dual_points(b)), b


# The set


@each_case
@given(data=st.data())
def test_projection_is_the_nearest_point(case: ConstraintCase, data: st.DataObject) -> None:
    inside, _, b = draw_pair(case, data)
    z = data.draw(case.scores())
    nearest = case.loss.project(z, b)
    assert np.all(case.loss.value(nearest, b) == 0.0)
    assert np.all(case.loss.distance(nearest, b) <= 1e-14 * size(z, b))
    # The variational inequality.
    assert np.all(dot(z - nearest, inside - nearest) <= 1e-13 * size(z, b) ** 2)
    residual = z - nearest
    np.testing.assert_allclose(
        case.loss.distance(z, b), np.sqrt(dot(residual, residual)), rtol=1e-14, atol=1e-150
    )


@each_case
@given(data=st.data())
def test_a_point_inside_stays_as_it_is(case: ConstraintCase, data: st.DataObject) -> None:
    inside, _, b = draw_pair(case, data)
    again = case.loss.project(inside, b)
    np.testing.assert_allclose(again, inside, rtol=0, atol=1e-14 * float(size(b).max()))
    if isinstance(case.loss, ScalarConstraint):
        np.testing.assert_array_equal(again, inside)
        np.testing.assert_array_equal(case.loss.gradient(inside, b), 0.0)


@each_case
@given(data=st.data())
def test_value_is_zero_inside_and_infinite_outside(case: ConstraintCase, data: st.DataObject) -> None:
    z, b = data.draw(case.scores()), data.draw(case.targets())
    distance = case.loss.distance(z, b)
    value = case.loss.value(z, b)
    assert np.all((value == 0.0) | np.isposinf(value))
    assert np.all(np.isposinf(value[distance > 1e-10]))
    assert np.all(value[distance == 0.0] == 0.0)


@each_scalar
@given(data=st.data())
def test_bounds_are_the_ends_of_the_set(case: ConstraintCase, data: st.DataObject) -> None:
    z, b = data.draw(case.scores()), data.draw(case.targets())
    assert isinstance(case.loss, ScalarConstraint)
    lower, upper = case.loss.bounds(b)
    assert lower.shape == upper.shape == b.shape
    assert np.all(lower <= upper)
    np.testing.assert_array_equal(case.loss.project(z, b), np.clip(z, lower, upper))
    np.testing.assert_array_equal(case.loss.distance(z, b) == 0.0, (lower <= z) & (z <= upper))


# The support function


@each_case
@given(data=st.data())
def test_fenchel_young(case: ConstraintCase, data: st.DataObject) -> None:
    """<u, y> <= sigma(u) on the set, with equality where u is a normal of it."""
    inside, u, b = draw_pair(case, data)
    assert np.all(dot(u, inside) <= case.loss.conjugate(u, b) + 1e-13 * size(inside) * size(u))
    z = data.draw(case.scores())
    normal, nearest = case.loss.gradient(z, b), case.loss.project(z, b)
    gap = case.loss.conjugate(normal, b) - dot(normal, nearest)
    assert np.all(np.abs(gap) <= 1e-13 * size(nearest, b) * size(normal))


@each_case
@given(data=st.data(), factor=st.sampled_from([1e-6, 0.5, 3.0, 1e6]))
def test_support_function_is_homogeneous_and_sublinear(
    case: ConstraintCase, data: st.DataObject, factor: float
) -> None:
    b = data.draw(case.targets())
    u, other = data.draw(case.dual_points(b)), data.draw(case.dual_points(b))
    sigma = case.loss.conjugate(u, b)
    assert np.all(np.isfinite(sigma))
    np.testing.assert_allclose(case.loss.conjugate(factor * u, b), factor * sigma, rtol=1e-13, atol=1e-13)
    both = sigma + case.loss.conjugate(other, b)
    assert np.all(case.loss.conjugate(u + other, b) <= both + 1e-13 * size(u, other) * size(b))
    assert np.all(case.loss.conjugate(np.zeros_like(b), b) == 0.0)


@each_case
def test_support_function_is_the_supremum(case: ConstraintCase, rng: np.random.Generator) -> None:
    """The supremum of <u, y> by points of the set: projections of points far along u."""
    b = np.sign(rng.normal(size=case.shape)) * (1.0 if case.loss.task == "classification" else 1.7)
    u = case.loss.dual_domain(b).project(rng.normal(size=case.shape))
    far = case.loss.project(1e7 * u, b)
    np.testing.assert_allclose(dot(u, far), case.loss.conjugate(u, b), rtol=1e-5, atol=1e-5)


@each_case
@given(data=st.data())
def test_domain_agrees_with_finiteness(case: ConstraintCase, data: st.DataObject) -> None:
    u, b = data.draw(case.scores(3.0)), data.draw(case.targets())
    domain = case.loss.dual_domain(b)
    np.testing.assert_array_equal(domain.contains(u), np.isfinite(case.loss.conjugate(u, b)))
    projected = domain.project(u)
    assert np.all(domain.contains(projected))
    np.testing.assert_array_equal(domain.project(projected), projected)
    room = domain.room(projected)
    assert np.all((room >= 0.0) & (room <= 1.0))
    assert np.all(domain.contains(projected + room) & domain.contains(projected - room))
    out = ~domain.contains(u) & (np.sqrt(dot(u - projected, u - projected)) > 1e-3)
    far = case.loss.project(1e9 * (u - projected), b)
    assert np.all(dot(far, u)[out] > 1e2)
    assert not np.any(np.isfinite(case.loss.conjugate(np.full(case.shape, np.nan), b)))


@each_scalar
@given(data=st.data())
def test_slopes_are_the_scores_of_a_dual_value(case: ConstraintCase, data: st.DataObject) -> None:
    _, u, b = draw_pair(case, data)
    assert isinstance(case.loss, ScalarConstraint)
    for dual in (u, np.zeros_like(u)):
        lower, upper = case.loss.conjugate_slopes(dual, b)
        assert np.all(lower <= upper)
        for z in (lower, upper):
            z = np.clip(z, -1e3, 1e3)
            assert np.all(case.loss.value(z, b) == 0.0)
            gap = case.loss.conjugate(dual, b) - dual * z
            assert np.all(np.abs(gap) <= 1e-13 * size(z) * size(dual))


# The prox of the conjugate


@each_case
@given(data=st.data(), c=steps())
def test_prox_obeys_moreau_and_is_optimal(case: ConstraintCase, data: st.DataObject, c: float) -> None:
    v, b = data.draw(case.scores()), data.draw(case.targets())
    t = case.loss.prox_conjugate(v, b, c)
    slack = 1e-13 * size(v / c, b) * max(c, 1.0)
    moreau = v - c * case.loss.project(v / c, b)
    assert np.all(np.sqrt(dot(t - moreau, t - moreau)) <= slack)
    domain = case.loss.dual_domain(b)
    np.testing.assert_array_equal(domain.project(t), t)
    other = data.draw(case.dual_points(b))

    def objective(u: FloatArray) -> FloatArray:
        return c * case.loss.conjugate(u, b) + 0.5 * dot(u - v, u - v)

    assert np.all(objective(t) <= objective(other) + 1e-12 * size(v, c * b) ** 2)


@each_case
@given(data=st.data(), c=steps())
def test_prox_is_firmly_nonexpansive(case: ConstraintCase, data: st.DataObject, c: float) -> None:
    v, other, b = data.draw(case.scores()), data.draw(case.scores()), data.draw(case.targets())
    moved = case.loss.prox_conjugate(v, b, c) - case.loss.prox_conjugate(other, b, c)
    slack = 1e-13 * size(v, other, c * b) ** 2
    assert np.all(dot(moved, moved) <= dot(moved, v - other) + slack)


@each_case
@pytest.mark.parametrize("slack", [False, True])
def test_a_step_a_row(case: ConstraintCase, slack: bool, rng: np.random.Generator) -> None:
    loss = SquaredDistance(case.loss, 0.7) if slack else case.loss
    # As many rows as outputs too: the step must not slide along the outputs.
    for n in (3, 8):
        shape = (n, *case.shape[1:])
        v, b, c = rng.normal(size=shape), np.sign(rng.normal(size=shape)), np.geomspace(0.01, 100.0, n)
        single = [loss.prox_conjugate(v[i : i + 1], b[i : i + 1], c[i])[0] for i in range(n)]
        np.testing.assert_array_equal(loss.prox_conjugate(v, b, c), single)


@each_case
@given(data=st.data())
def test_tiny_and_huge_steps(case: ConstraintCase, data: st.DataObject) -> None:
    v, b = data.draw(case.scores(3.0)), data.draw(case.targets())
    projected = case.loss.dual_domain(b).project(v)
    np.testing.assert_allclose(case.loss.prox_conjugate(v, b, 1e-12), projected, rtol=0, atol=1e-10)
    t = case.loss.prox_conjugate(v, b, 1e12)
    # -t / c is the projection of zero, up to v / c.
    np.testing.assert_allclose(
        -t / 1e12, case.loss.project(np.zeros_like(v), b), rtol=0, atol=1e-11 * float(size(v, b).max())
    )


# Slack


@each_case
@each_strength
@given(data=st.data())
def test_squared_distance_is_the_envelope(case: ConstraintCase, strength: float, data: st.DataObject) -> None:
    """Its value, its gradient and its conjugate belong together, and it is smooth with its strength."""
    loss = SquaredDistance(case.loss, strength)
    z, other, b = data.draw(case.scores()), data.draw(case.scores()), data.draw(case.targets())
    u, free = loss.gradient(z, b), data.draw(case.dual_points(b))
    np.testing.assert_array_equal(loss.dual_domain(b).project(u), u)
    value = loss.value(z, b)
    scale = size(z, b) ** 2 * size(u, free) ** 2
    assert np.all(np.abs(value + loss.conjugate(u, b) - dot(u, z)) <= 1e-13 * scale)
    assert np.all(value + loss.conjugate(free, b) - dot(free, z) >= -1e-13 * scale)
    rise, distance = u - loss.gradient(other, b), z - other
    assert np.all(dot(rise, distance) >= -1e-13 * scale)
    assert np.all(dot(rise, rise) <= strength * dot(rise, distance) + 1e-12 * scale * size(other) ** 2)


@each_case
@each_strength
@given(data=st.data(), c=steps())
def test_prox_of_the_squared_distance(
    case: ConstraintCase, strength: float, data: st.DataObject, c: float
) -> None:
    loss = SquaredDistance(case.loss, strength)
    v, b = data.draw(case.scores()), data.draw(case.targets())
    t = loss.prox_conjugate(v, b, c)
    np.testing.assert_array_equal(loss.dual_domain(b).project(t), t)
    # Optimal: t is the derivative of the loss at (v - t) / c.
    expected = loss.gradient((v - t) / c, b)
    np.testing.assert_allclose(t, expected, rtol=0, atol=1e-12 * float(size(v / c, v, b).max()) * (1.0 + c))


@each_case
@each_strength
def test_second_derivative_of_the_squared_distance(
    case: ConstraintCase, strength: float, rng: np.random.Generator
) -> None:
    loss = SquaredDistance(case.loss, strength)
    z, b = 4.0 * rng.normal(size=case.shape), np.sign(rng.normal(size=case.shape))
    direction, spacing = rng.normal(size=case.shape), 1e-6
    slope = sum(weight * loss.gradient(z + shift * spacing * direction, b) for shift, weight in STENCIL)
    np.testing.assert_allclose(loss.hessian_map(z, b)(direction), slope / spacing, atol=1e-7)
    if z.ndim == 1:
        np.testing.assert_array_equal(loss.curvature(z, b), loss.hessian_map(z, b)(np.ones_like(z)))
    else:
        for output, unit in enumerate(np.eye(z.shape[1])):
            column = loss.hessian_map(z, b)(np.broadcast_to(unit, z.shape))[:, output]
            np.testing.assert_array_equal(loss.curvature(z, b)[:, output], column)


def test_known_losses_are_squared_distances(rng: np.random.Generator) -> None:
    z, b, labels = rng.normal(size=20), rng.normal(size=20), rng.choice([-1.0, 1.0], size=20)
    Z, B = rng.normal(size=(20, 3)), rng.normal(size=(20, 3))
    for loss, known, scores, targets in (
        (SquaredDistance(EqualityConstraint()), Squared(), z, b),
        (SquaredDistance(MarginConstraint(), 2.0), SquaredHinge(), z, labels),
        (SquaredDistance(BallConstraint()), MultiSquared(), Z, B),
    ):
        np.testing.assert_allclose(loss.value(scores, targets), known.value(scores, targets), rtol=1e-13)
        np.testing.assert_allclose(
            loss.gradient(scores, targets), known.gradient(scores, targets), rtol=1e-13
        )
        prox = known.prox_conjugate(scores, targets, 0.3)
        np.testing.assert_allclose(loss.prox_conjugate(scores, targets, 0.3), prox, rtol=1e-12, atol=1e-15)
        assert (loss.task, loss.vector_output) == (known.task, known.vector_output)


def test_the_slack_needs_a_constraint() -> None:
    with pytest.raises(InvalidInputError, match="SquaredDistance cannot use constraint=Squared"):
        SquaredDistance(Squared())  # type: ignore[arg-type]


def test_simplex_projection_by_an_optimiser(rng: np.random.Generator) -> None:
    z = rng.normal(size=(4, 3))
    nearest = SimplexConstraint().project(z, np.zeros_like(z))
    for row, expected in zip(z, nearest, strict=True):
        found = minimize(
            lambda y, row=row: np.sum((y - row) ** 2),
            np.full(3, 1 / 3),
            bounds=[(0.0, 1.0)] * 3,
            constraints={"type": "eq", "fun": lambda y: y.sum() - 1.0},
        )
        np.testing.assert_allclose(found.x, expected, atol=1e-6)


# Extremes, shapes, inputs


@each_case
@pytest.mark.parametrize("slack", [False, True])
def test_no_nan_at_the_ends_of_the_float_range(
    case: ConstraintCase, slack: bool, rng: np.random.Generator
) -> None:
    loss = SquaredDistance(case.loss) if slack else case.loss
    shape = (400, *case.shape[1:])
    z = rng.choice(EXTREMES, size=shape)
    b = rng.choice([-1.0, 1.0] if loss.task == "classification" else EXTREMES, size=shape)
    assert np.all(loss.value(z, b) >= 0.0)
    assert np.all(np.isfinite(loss.gradient(z, b)))
    assert not np.any(np.isnan(loss.conjugate(z, b)))
    for step in (1e-12, 1e-3, 1.0, 1e3):
        t = loss.prox_conjugate(z, b, step)
        assert np.all(np.isfinite(t))
        np.testing.assert_array_equal(loss.dual_domain(b).project(t), t)


@each_case
@pytest.mark.parametrize("slack", [False, True])
@pytest.mark.parametrize("n", [0, 5])
def test_shapes_and_inputs(case: ConstraintCase, slack: bool, n: int) -> None:
    loss = SquaredDistance(case.loss) if slack else case.loss
    z = np.linspace(-2.0, 2.0, n * int(np.prod(case.shape[1:]))).reshape(n, *case.shape[1:])
    b = np.ones_like(z)
    for array in (z, b):
        array.setflags(write=False)
    assert loss.value(z, b).shape == loss.conjugate(z, b).shape == case.loss.distance(z, b).shape == (n,)
    for result in (
        case.loss.project(z, b),
        loss.gradient(z, b),
        loss.curvature(z, b),
        loss.hessian_map(z, b)(z),
        loss.prox_conjugate(z, b, 0.5),
        loss.prox_conjugate(z, b, np.full(n, 0.5)),
        loss.dual_domain(b).project(z),
        loss.dual_domain(b).room(z),
    ):
        assert result.shape == z.shape
        assert result.dtype == np.float64
    assert case.loss.indicator
    assert not SquaredDistance(case.loss).indicator
