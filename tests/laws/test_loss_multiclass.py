"""The laws of the losses whose outputs are coupled: their duals are points of a simplex."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from cases import MULTICLASS_LOSSES, ROWS, MulticlassCase, steps
from fenchel.losses import DOMAIN_SLACK, Logistic, MulticlassHinge, Softmax
from fenchel.numerics.simplex import entropic_projection, project_simplex
from fenchel.typing import FloatArray

each_case = pytest.mark.parametrize("case", MULTICLASS_LOSSES, ids=str)
each_k = pytest.mark.parametrize("k", [1, 2, 3, 10])
SPACING = 2.0**-8
STENCIL = ((-2, 1.0 / 12.0), (-1, -8.0 / 12.0), (1, 8.0 / 12.0), (2, -1.0 / 12.0))


def fenchel_young(
    case: MulticlassCase, z: FloatArray, u: FloatArray, b: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The gap ``phi(z) + phi*(u) - <z, u>``, and the size of its largest term."""
    value, conjugate, product = case.loss.value(z, b), case.loss.conjugate(u, b), np.sum(z * u, axis=1)
    return value + conjugate - product, 1.0 + value + np.abs(conjugate) + np.abs(z * u).sum(axis=1)


@each_case
@each_k
@given(data=st.data())
def test_fenchel_young(case: MulticlassCase, k: int, data: st.DataObject) -> None:
    z, b = data.draw(case.scores(k)), data.draw(case.targets(k))
    gap, scale = fenchel_young(case, z, data.draw(case.dual_points(k, b)), b)
    assert np.all(gap >= -1e-14 * scale)
    gap, scale = fenchel_young(case, z, case.loss.gradient(z, b), b)
    assert np.all(np.abs(gap) <= 1e-13 * scale)


@each_case
@pytest.mark.parametrize("k", [2, 3])
def test_biconjugate_is_the_loss(case: MulticlassCase, k: int, rng: np.random.Generator) -> None:
    """The supremum over the simplex by an optimiser that sees no more than values of the conjugate."""
    for _ in range(4):
        z, b = rng.normal(size=(1, k)), np.eye(k)[rng.integers(k, size=1)]

        def negative(v: FloatArray, z: FloatArray = z, b: FloatArray = b) -> float:
            u = v / v.sum() - b[0]
            return float(case.loss.conjugate(u[None, :], b)[0] - z[0] @ u)

        bounds, tight = [(1e-9, 1.0)] * k, {"ftol": 1e-15, "gtol": 1e-12}
        best = min(minimize(negative, start, bounds=bounds, options=tight).fun for start in _starts(k))
        assert -best == pytest.approx(case.loss.value(z, b)[0], abs=1e-6)


def _starts(k: int) -> list[FloatArray]:
    return [np.full(k, 0.5), *(0.05 + 0.9 * np.eye(k))]


@each_case
@each_k
@given(data=st.data(), c=steps())
def test_prox_is_optimal_and_obeys_moreau(
    case: MulticlassCase, k: int, data: st.DataObject, c: float
) -> None:
    # With t the prox of c phi* at v, z = (v - t)/c is the prox of phi/c at v/c: phi has u = t at z.
    v, b = data.draw(case.scores(k)), data.draw(case.targets(k))
    t = case.loss.prox_conjugate(v, b, c)
    assert np.all(case.loss.dual_domain(b).contains(t))
    z = (v - t) / c
    gap, scale = fenchel_young(case, z, t, b)
    assert np.all(np.abs(gap) <= 1e-13 * (scale + np.abs(v).max(axis=1) / c))

    def primal(x: FloatArray) -> FloatArray:
        result: FloatArray = case.loss.value(x, b) / c + 0.5 * np.sum((x - v / c) ** 2, axis=1)
        return result

    # Moreau's identity from the primal side: no neighbour of z is better.
    least = primal(z)
    moves = data.draw(case.scores(k, 1.0))
    for size in (1e-3, 1.0):
        assert np.all(primal(z + size * moves) >= least - 1e-12 * (1.0 + np.abs(least)))


@each_case
@each_k
@pytest.mark.parametrize("c", [1e-12, 1e-6, 1.0, 1e6, 1e12])
def test_prox_over_the_range_of_steps(
    case: MulticlassCase, k: int, c: float, rng: np.random.Generator
) -> None:
    b = np.eye(k)[rng.integers(k, size=60)]
    for size in (1e-6, 1.0, 1e6, 1e300):
        v = size * rng.normal(size=(60, k))
        t = case.loss.prox_conjugate(v, b, c)
        assert np.all(case.loss.dual_domain(b).contains(t))
        if size < 1e300:
            z = (v - t) / c
            gap, scale = fenchel_young(case, z, t, b)
            # t is a difference of terms of size 1 + |v|, and z has its rounding divided by c.
            assert np.all(np.abs(gap) <= 1e-13 * scale + 1e-15 * (1.0 + np.abs(v).max(axis=1)) / c)


@each_case
@each_k
@given(data=st.data(), c=steps())
def test_firm_nonexpansiveness(case: MulticlassCase, k: int, data: st.DataObject, c: float) -> None:
    v, other, b = data.draw(case.scores(k)), data.draw(case.scores(k)), data.draw(case.targets(k))
    moved = case.loss.prox_conjugate(v, b, c) - case.loss.prox_conjugate(other, b, c)
    slack = 1e-13 * (1.0 + c) * (2.0 + np.abs(v).sum(axis=1) + np.abs(other).sum(axis=1))
    assert np.all(np.sum(moved**2, axis=1) <= np.sum(moved * (v - other), axis=1) + slack)


@each_case
def test_a_step_a_row(case: MulticlassCase, rng: np.random.Generator) -> None:
    # As many rows as outputs: the step must not slide along the outputs.
    for n in (3, 8):
        v, b, c = rng.normal(size=(n, 3)), np.eye(3)[rng.integers(3, size=n)], np.geomspace(0.01, 100.0, n)
        single = [case.loss.prox_conjugate(v[i : i + 1], b[i : i + 1], c[i])[0] for i in range(n)]
        np.testing.assert_array_equal(case.loss.prox_conjugate(v, b, c), single)


@each_case
@each_k
@given(data=st.data())
def test_gradient_against_differences(case: MulticlassCase, k: int, data: st.DataObject) -> None:
    z, b = data.draw(case.scores(k)), data.draw(case.targets(k))
    levels = np.sort(z + 1.0 - b, axis=1)
    smooth = not case.kinked or k == 1 or np.all(levels[:, -1] - levels[:, -2] > 6 * SPACING)
    gradient, curvature = case.loss.gradient(z, b), case.loss.curvature(z, b)
    for output in range(k if smooth else 0):
        shift = SPACING * np.eye(k)[output]
        slope = sum(weight * case.loss.value(z + place * shift, b) for place, weight in STENCIL) / SPACING
        bend = sum(weight * case.loss.gradient(z + place * shift, b) for place, weight in STENCIL) / SPACING
        np.testing.assert_allclose(slope, gradient[:, output], atol=1e-8)
        np.testing.assert_allclose(bend[:, output], curvature[:, output], atol=1e-8)


@each_case
@each_k
@given(data=st.data())
def test_declared_constants_hold(case: MulticlassCase, k: int, data: st.DataObject) -> None:
    z, other, b = data.draw(case.scores(k)), data.draw(case.scores(k)), data.draw(case.targets(k))
    distance = np.linalg.norm(z - other, axis=1)
    rounding = 1e-13 * (1.0 + np.abs(z).sum(axis=1) + np.abs(other).sum(axis=1))
    gradient, change = case.loss.gradient(z, b), case.loss.gradient(z, b) - case.loss.gradient(other, b)
    assert np.all(np.sum(change * (z - other), axis=1) >= -rounding)
    rise = np.abs(case.loss.value(z, b) - case.loss.value(other, b))
    assert np.all(rise <= case.loss.lipschitz * distance + rounding)
    assert np.all(np.linalg.norm(gradient, axis=1) <= case.loss.lipschitz * (1.0 + 1e-15))
    tangent = case.loss.value(z, b) + np.sum(gradient * (other - z), axis=1)
    assert np.all(case.loss.value(other, b) >= tangent - rounding)
    if case.loss.smooth:
        assert np.all(np.linalg.norm(change, axis=1) <= case.loss.smoothness * (distance + rounding))


@each_case
def test_declared_constants_are_tight(case: MulticlassCase) -> None:
    b, step = np.array([[1.0, 0.0]]), 1e-4 * np.array([[1.0, -1.0]])
    far = case.loss.gradient(np.array([[-400.0, 400.0]]), b)
    assert np.linalg.norm(far) == pytest.approx(case.loss.lipschitz)
    if case.loss.smooth:
        bend = np.linalg.norm(case.loss.gradient(step, b) - case.loss.gradient(-step, b))
        assert bend / np.linalg.norm(2 * step) == pytest.approx(case.loss.smoothness, rel=1e-6)


@each_case
@each_k
@given(data=st.data())
def test_domain_agrees_with_finiteness(case: MulticlassCase, k: int, data: st.DataObject) -> None:
    b = data.draw(case.targets(k))
    u = data.draw(case.dual_points(k, b))
    domain = case.loss.dual_domain(b)
    assert np.all(domain.contains(u))
    assert np.all(np.isfinite(case.loss.conjugate(u, b)))
    wild = data.draw(case.scores(k, 2.0))
    np.testing.assert_array_equal(domain.contains(wild), np.isfinite(case.loss.conjugate(wild, b)))
    # Outside, a score along the way out makes <z, u> - phi(z) as large as one likes.
    nearest = domain.project(wild)
    outward = 1e9 * (wild - nearest)
    out = np.linalg.norm(wild - nearest, axis=1) > 1e-3
    supremum = np.sum(outward * wild, axis=1) - case.loss.value(outward, b)
    assert np.all(supremum[out] > 0.9e9 * np.sum((wild - nearest) ** 2, axis=1)[out] - 1e4)
    assert not np.any(domain.contains(wild)[out])


@each_case
@each_k
@given(data=st.data())
def test_projection_and_room(case: MulticlassCase, k: int, data: st.DataObject) -> None:
    u, b = data.draw(case.scores(k, 3.0)), data.draw(case.targets(k))
    domain = case.loss.dual_domain(b)
    projected = domain.project(u)
    assert np.all(domain.contains(projected))
    np.testing.assert_array_equal(domain.project(projected), projected)
    inside = data.draw(case.dual_points(k, b))
    # The variational inequality of the nearest point.
    assert np.all(np.sum((u - projected) * (inside - projected), axis=1) <= 1e-13 * (1.0 + np.abs(u).max()))
    room = domain.room(inside)
    assert np.all((room >= 0.0) & (room <= 1.0))
    for move in (room, -room):
        assert np.all((inside + move + b >= -1e-15) & (inside + move + b <= 1.0 + 1e-15))
    assert np.all(domain.room(np.zeros_like(b)) == 0.0)


@each_case
@each_k
@given(data=st.data())
def test_gradients_lie_in_the_domain_as_they_are(case: MulticlassCase, k: int, data: st.DataObject) -> None:
    z, b = data.draw(case.scores(k, 1e300)), data.draw(case.targets(k))
    gradient = case.loss.gradient(z, b)
    np.testing.assert_array_equal(case.loss.dual_domain(b).project(gradient), gradient)
    value = case.loss.value(z, b)
    assert np.all(np.isfinite(value) & (value >= 0.0))


@each_case
@each_k
@given(data=st.data(), weighted=st.booleans())
def test_balance_is_exact_and_stays_in_the_domain(
    case: MulticlassCase, k: int, data: st.DataObject, weighted: bool
) -> None:
    b = data.draw(case.targets(k))
    u = data.draw(case.dual_points(k, b))
    weight = np.linspace(0.0, 2.0, ROWS) if weighted else np.ones(ROWS)
    domain = case.loss.dual_domain(b)
    balanced = domain.balance(u, weight)
    assert balanced is not None
    assert np.all(domain.contains(balanced))
    assert np.abs(weight @ balanced).max() <= 1e-15 * ROWS * k
    again = domain.balance(balanced, weight)
    np.testing.assert_allclose(again, balanced, atol=1e-14)


@each_case
@given(data=st.data())
def test_rows_and_classes_can_be_permuted(case: MulticlassCase, data: st.DataObject) -> None:
    k = 3
    z, b = data.draw(case.scores(k)), data.draw(case.targets(k))
    u = data.draw(case.dual_points(k, b))
    rows, classes = data.draw(st.permutations(range(ROWS))), data.draw(st.permutations(range(k)))
    np.testing.assert_array_equal(case.loss.value(z[rows], b[rows]), case.loss.value(z, b)[rows])
    np.testing.assert_array_equal(
        case.loss.prox_conjugate(z[rows], b[rows], 0.3), case.loss.prox_conjugate(z, b, 0.3)[rows]
    )
    turned = case.loss.value(z[:, classes], b[:, classes])
    np.testing.assert_allclose(turned, case.loss.value(z, b), rtol=1e-14, atol=1e-300)
    turned = case.loss.conjugate(u[:, classes], b[:, classes])
    np.testing.assert_allclose(turned, case.loss.conjugate(u, b), rtol=1e-13, atol=1e-15)
    turned = case.loss.prox_conjugate(z[:, classes], b[:, classes], 0.3)
    np.testing.assert_allclose(turned, case.loss.prox_conjugate(z, b, 0.3)[:, classes], atol=1e-13)


@each_case
def test_a_single_class_has_nothing_to_learn(case: MulticlassCase) -> None:
    z, b = np.array([[-3.0], [0.0], [1e9]]), np.ones((3, 1))
    for result in (case.loss.value(z, b), case.loss.gradient(z, b), case.loss.curvature(z, b)):
        np.testing.assert_array_equal(result, np.zeros_like(result))
    np.testing.assert_array_equal(case.loss.prox_conjugate(z, b, 0.7), np.zeros((3, 1)))
    np.testing.assert_array_equal(case.loss.conjugate(np.zeros((3, 1)), b), np.zeros(3))
    assert np.all(np.isinf(case.loss.conjugate(np.full((3, 1), 2 * DOMAIN_SLACK), b)))


@each_case
def test_a_dual_value_that_is_not_a_number_has_no_finite_conjugate(case: MulticlassCase) -> None:
    for bad in (np.nan, np.inf):
        assert np.isposinf(case.loss.conjugate(np.array([[bad, 0.0, 0.0]]), np.eye(3)[:1]))[0]


@each_case
def test_empty_arrays_and_shapes(case: MulticlassCase) -> None:
    for n in (0, 4):
        z, b = np.zeros((n, 3)), np.eye(3)[np.zeros(n, dtype=int)]
        assert case.loss.value(z, b).shape == case.loss.conjugate(z, b).shape == (n,)
        domain = case.loss.dual_domain(b)
        arrays = (
            case.loss.gradient(z, b), case.loss.curvature(z, b), case.loss.prox_conjugate(z, b, 1.0),
            domain.project(z), domain.room(z), domain.balance(z, np.ones(n)),
        )  # fmt: skip
        assert all(array.shape == (n, 3) and array.dtype == np.float64 for array in arrays)


def test_two_classes_are_the_logistic_loss(rng: np.random.Generator) -> None:
    z, label = 5.0 * rng.normal(size=(40, 2)), rng.choice([-1.0, 1.0], size=40)
    b = np.column_stack([label < 0, label > 0]).astype(float)
    value, slope = Softmax().value(z, b), Softmax().gradient(z, b)
    margin = z[:, 1] - z[:, 0]
    np.testing.assert_allclose(value, Logistic().value(margin, label), rtol=1e-13)
    np.testing.assert_allclose(slope[:, 1], Logistic().gradient(margin, label), rtol=1e-13)
    np.testing.assert_array_equal(slope[:, 0], -slope[:, 1])


@pytest.mark.parametrize(
    "z", [[40.0, 0.0, -1.0], [0.0, 40.0, 39.0], [-700.0, 0.0, 1e-9], [1e3, 1e3, 0.0], [0.3, -0.2, 0.1]]
)
def test_softmax_keeps_its_digits(z: list[float]) -> None:
    """Value, gradient and conjugate against 60 digits; a loss of 1e-18 as well as one of 700."""
    b = np.array([[1.0, 0.0, 0.0]])
    with mpmath.workdps(60):
        exact = [mpmath.mpf(x) for x in z]
        total = mpmath.fsum(mpmath.exp(x) for x in exact)
        p = [mpmath.exp(x) / total for x in exact]
        value = float(mpmath.log(total) - exact[0])
        gradient = [float(-(p[1] + p[2])), float(p[1]), float(p[2])]
        entropy = float(mpmath.fsum(x * mpmath.log(x) for x in p))
    scores = np.array([z])
    np.testing.assert_allclose(Softmax().value(scores, b), value, rtol=1e-14)
    np.testing.assert_allclose(Softmax().gradient(scores, b)[0], gradient, rtol=1e-14)
    np.testing.assert_allclose(Softmax().conjugate(np.array([gradient]), b), entropy, rtol=2e-14)


@pytest.mark.parametrize("c", [1e-12, 1e-4, 0.3, 40.0, 1e6, 1e12])
def test_entropic_projection_against_60_digits(c: float, rng: np.random.Generator) -> None:
    for k in (2, 5):
        a = rng.normal(size=(1, k))
        p = entropic_projection(a, c)[0]
        with mpmath.workdps(60):
            exact = _exact_entropic_projection([mpmath.mpf(float(x)) for x in a[0]], mpmath.mpf(c))
            for mine, right in zip(p, exact, strict=True):
                # A tiny entry is exp(a / c), and inherits the rounding of a divided by c.
                tolerance = 1e-14 * max(1.0, abs(float(mpmath.log(right)))) if right > 0 else 0.0
                assert abs(mpmath.mpf(float(mine)) - right) <= tolerance * right + mpmath.mpf(1e-300)


def _exact_entropic_projection(a: list, c) -> list:  # type: ignore[no-untyped-def]
    """Newton on the multiplier from the left, with ``p + c log p = q`` solved by Lambert's W."""
    kappa = max(a) - 1
    for _ in range(200):
        p = [c * mpmath.lambertw(mpmath.exp((x - kappa) / c) / c) for x in a]
        move = (mpmath.fsum(p) - 1) / mpmath.fsum(x / (x + c) for x in p)
        if move < mpmath.mpf(10) ** -45 * (1 + abs(kappa)):
            return p
        kappa += move
    raise AssertionError("the exact root was not found")


def test_projection_onto_the_simplex_is_known_in_small_cases() -> None:
    np.testing.assert_array_equal(project_simplex(np.array([[7.0]])), [[1.0]])
    np.testing.assert_allclose(project_simplex(np.array([[1.0, 1.0, 1.0]])), np.full((1, 3), 1 / 3))
    np.testing.assert_allclose(project_simplex(np.array([[5.0, 4.5, -1.0]])), [[0.75, 0.25, 0.0]])
    np.testing.assert_array_equal(project_simplex(np.array([[1e300, -1e300, 0.0]])), [[1.0, 0.0, 0.0]])


def test_hinge_prefers_the_class_of_the_row_at_a_tie() -> None:
    z, b = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]), np.eye(3)[[0, 0]]
    np.testing.assert_array_equal(MulticlassHinge().gradient(z, b), [[0.0, 0.0, 0.0], [-1.0, 1.0, 0.0]])
