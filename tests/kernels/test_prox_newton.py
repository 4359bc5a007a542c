"""The compiled steps of prox-Newton and their twins do the same."""

import numpy as np
import pytest

import cases
from cases_kernels import BAD_VECTORS, FORMS, Case, D, N, copies, entries_of, make_case
from fenchel._kernels import prox_newton as kernels
from fenchel._kernels.prox_newton import InterceptShare, ScaledColumns
from fenchel._kernels.views import DenseLines
from fenchel.errors import InvalidInputError
from fenchel.losses import Logistic
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.reference import prox_newton as twins

SMOOTH = [case.loss for case in cases.LOSSES if case.loss.compiled and case.loss.smooth]
TOLERANCE = {np.float64: 1e-12, np.float32: 1e-6}

every_loss = pytest.mark.parametrize("loss", SMOOTH, ids=repr)
every_form = pytest.mark.parametrize("form", FORMS)
every_storage = pytest.mark.parametrize("storage", ["dense", "sparse"])
every_copy = pytest.mark.parametrize("copy", [np.float64, np.float32])


@every_loss
@pytest.mark.parametrize("damping", [0.0, 0.3, 1.0])
def test_row_model_is_its_twin(rng, loss, damping):
    case = make_case(rng, loss)
    z = 3.0 * rng.normal(size=N)
    z[:4] = [0.0, 1e-5, 40.0, -40.0]
    value, u, root = kernels.row_model(case.kernel_loss, z, case.b, case.sample_weight, damping)
    expected = twins.row_model(loss, z, case.b, case.sample_weight, damping)
    assert value == pytest.approx(expected[0], rel=1e-13)
    np.testing.assert_allclose(u, expected[1], rtol=1e-12)
    np.testing.assert_allclose(root, expected[2], rtol=1e-12)


@every_loss
@pytest.mark.parametrize("form", ["l1", "elastic_net"])
@pytest.mark.parametrize("size", [0.1, 30.0])
def test_line_search_is_its_twin(rng, loss, form, size):
    case = make_case(rng, loss, form)
    w = rng.normal(size=D)
    z = case.A @ w
    gradient = case.sample_weight * loss.gradient(z, case.b) / N
    dw = -size * case.A.T @ gradient
    value = float(np.mean(case.sample_weight * loss.value(z, case.b)))
    slope = float(case.A.T @ gradient @ dw)
    for sign in (1.0, -1.0):
        move, dz = sign * dw, sign * case.A @ dw
        shared = (case.b, case.sample_weight, case.form, w, move, z, dz, sign * slope, value)
        length, fall, penalty = kernels.line_search(case.kernel_loss, *shared)
        expected = twins.line_search(loss, *shared)
        assert length == expected[0]
        assert fall == pytest.approx(expected[1], rel=1e-10, abs=1e-14)
        assert penalty == pytest.approx(expected[2], rel=1e-12)


def test_logistic_terms_keep_their_digits_in_the_tails():
    z = np.array([-800.0, -745.0, -50.0, -1e-9, 0.0, 1e-9, 50.0, 700.0])
    loss, b, s = Logistic(), np.ones(z.size), np.ones(z.size)
    for i in range(z.size):
        row = slice(i, i + 1)
        value, u, root = kernels.row_model(
            kernels.KernelLoss.of(loss), z[row].copy(), b[row].copy(), s[row].copy(), 0.0
        )
        assert value == pytest.approx(loss.value(z[row], b[row])[0], rel=1e-14)
        assert u[0] == pytest.approx(loss.gradient(z[row], b[row])[0], rel=1e-14)
        assert root[0] ** 2 == pytest.approx(loss.curvature(z[row], b[row])[0], rel=1e-13, abs=1e-300)


@every_form
def test_violations_are_their_twin(rng, form):
    case = make_case(rng, Logistic(), form, intercept=True)
    ends = [case.form.lower, case.form.upper, np.zeros(D + 1), rng.normal(size=D + 1)]
    w = np.clip(np.choose(rng.integers(4, size=D + 1), ends), case.form.lower, case.form.upper)
    w[~np.isfinite(w)] = 0.5
    c = 0.1 * rng.normal(size=D + 1)
    falls, largest = kernels.violations(case.form, c, w)
    expected, expected_largest = twins.violations(case.form, c, w)
    np.testing.assert_allclose(falls, expected, rtol=1e-14, atol=1e-16)
    assert largest == pytest.approx(expected_largest, rel=1e-14)


@every_form
def test_violations_are_the_rates_at_which_the_model_falls(rng, form):
    """Against the definition: the value of ``c x + g(x)`` a little to both sides."""
    case = make_case(rng, Logistic(), form)
    w = np.clip(rng.choice([-0.3, 0.0, 0.2], size=D), case.form.lower, case.form.upper)
    c = rng.choice([-1.0, 0.005, 0.0, 1.0], size=D)
    falls, largest = kernels.violations(case.form, c, w)
    assert largest == max(0.0, *falls)
    step = 1e-7
    for j in range(D):
        one = case.form.restrict(np.array([j]))
        here = one.value(w[[j]])
        best = max((here - one.value(w[[j]] + move) - c[j] * move) / step for move in (-step, step))
        assert falls[j] == pytest.approx(best, abs=1e-6)


def scaled(rng: np.random.Generator, case: Case, copy: type, chosen: np.ndarray) -> tuple:
    """Copies of some columns, their twin, and the intercept's share."""
    root = rng.random(N) + 0.1
    root[4] = 0.0
    columns = ScaledColumns.copy(case.columns, chosen, root, copy)
    X, squares, cross = twins.scaled_columns(case.A[:, :D], chosen, root)
    return columns, X, squares, cross, InterceptShare(0.2, float(root @ root) + 1.0)


@every_storage
@every_copy
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("intercept", [False, True])
def test_scaled_columns_are_their_twin(rng, storage, copy, dtype, intercept):
    case = make_case(rng, Logistic(), storage=storage, dtype=dtype, intercept=intercept)
    chosen = rng.permutation(D)[: D - 2]
    columns, X, squares, cross, _ = scaled(rng, case, copy, chosen)
    tolerance = TOLERANCE[copy]
    np.testing.assert_allclose(columns.squares, squares, rtol=tolerance)
    np.testing.assert_allclose(columns.cross, cross, rtol=tolerance, atol=tolerance)
    assert columns.entries == sum(entries_of(case.columns, j) for j in chosen)
    face, v = np.array([5, 0, 2]), rng.normal(size=N).astype(copy)
    np.testing.assert_allclose(columns.along(face, v), X[:, face].T @ v, rtol=tolerance, atol=tolerance)
    factor, image = rng.normal(size=3), columns.image()
    factor[1] = 0.0
    columns.across(face, factor, image)
    np.testing.assert_allclose(image, X[:, face] @ factor, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("copy", [np.float64, np.float32])
def test_long_dense_columns(rng, copy):
    """Sums go by blocks and lanes: none of their ends may be lost."""
    for n in (1, 31, 32, 33, 1023, 1024, 1025, 1056, 2100):
        A, root = rng.normal(size=(n, 2)), rng.random(n)
        columns = ScaledColumns.copy(DenseLines(np.ascontiguousarray(A.T), 2, n), np.arange(2), root, copy)
        X, squares, cross = twins.scaled_columns(A, np.arange(2), root)
        v, tolerance = rng.normal(size=n), 10 * TOLERANCE[copy]
        np.testing.assert_allclose(columns.squares, squares, rtol=tolerance)
        np.testing.assert_allclose(columns.cross, cross, rtol=tolerance, atol=tolerance)
        along = columns.along(np.arange(2), v.astype(copy))
        np.testing.assert_allclose(along, X.T @ v, rtol=tolerance, atol=tolerance * np.sqrt(n))


@every_form
@every_storage
@every_copy
@pytest.mark.parametrize("with_intercept", [False, True])
def test_descend_is_its_twin(rng, form, storage, copy, with_intercept):
    case = make_case(rng, Logistic(), form, storage)
    chosen = rng.permutation(D)
    columns, X, squares, cross, share = scaled(rng, case, copy, chosen)
    share = share if with_intercept else InterceptShare()
    part = case.form.restrict(chosen)
    start = {"x": np.clip(rng.normal(size=D), part.lower, part.upper), "v": np.zeros(N)}
    c = rng.normal(size=D)
    compiled, twin = copies(start), copies(start)
    compiled["v"] = compiled["v"].astype(copy)
    left, before, moment, expected_moment, places = D, np.inf, 0.0, 0.0, list(range(D))
    order, entries = np.arange(D), 0
    for passes in (1, 2, 3):
        block = columns.descend(
            order, left, c, squares, part, share, passes, 1e-3, before, moment, compiled["x"], compiled["v"]
        )
        counted = len(places)
        places, before, expected_moment = twins.descend(
            X, cross, places, c, squares, part, tuple(share), passes, 1e-3, before, expected_moment, **twin
        )
        left, moment, tolerance = block.left, block.moment, 30 * TOLERANCE[copy]
        assert list(order[:left]) == places
        assert block.violation == pytest.approx(before, rel=tolerance, abs=tolerance)
        assert moment == pytest.approx(expected_moment, rel=tolerance, abs=tolerance)
        for name in ("x", "v"):
            np.testing.assert_allclose(compiled[name], twin[name], rtol=tolerance, atol=tolerance)
        assert 0 < block.entries_read <= passes * counted * N
        entries += block.entries_read


@every_storage
@every_copy
@pytest.mark.parametrize("with_intercept", [False, True])
def test_face_step_is_its_twin_and_solves_the_face(rng, storage, copy, with_intercept):
    case = make_case(rng, Logistic(), storage=storage)
    chosen = np.array([0, 1, 2, 4, 5, 6])
    columns, X, squares, cross, share = scaled(rng, case, copy, chosen)
    S = share.curvature if with_intercept else np.inf
    face = np.array([4, 0, 2, 5])
    l2, slope = 0.1 + rng.random(4), rng.normal(size=4)
    diagonal = squares[face] + l2
    for iterations in (1, 3, 50):
        compiled, twin = slope.copy(), slope.copy()
        step, image, steps = columns.face_step(face, diagonal, l2, S, iterations, 1e-5, compiled)
        expected = twins.face_step(X, cross, face, diagonal, l2, S, iterations, 1e-5, twin)
        tolerance = 100 * TOLERANCE[copy]
        np.testing.assert_allclose(step, expected[0], rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(image, expected[1], rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(compiled, twin, rtol=tolerance, atol=tolerance)
        assert steps == expected[2] <= iterations
    hessian = X[:, face].T @ X[:, face] + np.diag(l2) - np.outer(cross[face], cross[face]) / S
    np.testing.assert_allclose(hessian @ step, -slope, atol=1e-4)


@every_loss
@every_form
@every_storage
def test_coordinate_newton_pass_is_its_twin(rng, loss, form, storage):
    case = make_case(rng, loss, form, storage)
    w = np.clip(rng.normal(size=D), case.form.lower, case.form.upper)
    start = {"w": w, "z": case.A @ w}
    order = rng.integers(D, size=2 * D)
    order = order[np.any(case.A[:, order] != 0, axis=0)]
    compiled, twin = copies(start), copies(start)
    shared = {"b": case.b, "sample_weight": case.sample_weight, "form": case.form}
    entries = kernels.coordinate_newton_pass(
        case.columns, order, case.kernel_loss, steps=6, tolerance=1e-6, **shared, **compiled
    )
    twins.coordinate_newton_pass(case.A, order, loss, steps=6, tolerance=1e-6, **shared, **twin)
    for name in ("w", "z"):
        np.testing.assert_allclose(compiled[name], twin[name], rtol=1e-10, atol=1e-10, err_msg=name)
    np.testing.assert_allclose(compiled["z"], case.A @ compiled["w"], atol=1e-12)
    assert entries >= sum(entries_of(case.columns, j) for j in order)


@every_loss
@every_form
def test_exact_steps_never_raise_the_objective(rng, loss, form):
    case = make_case(rng, loss, form)
    w = np.clip(3.0 * rng.normal(size=D), case.form.lower, case.form.upper)
    z = case.A @ w

    def value() -> float:
        return float(np.mean(case.sample_weight * loss.value(z, case.b))) + case.form.value(w)

    last = value()
    for j in rng.permutation(D):
        for steps in (1, 2, 5):
            kernels.coordinate_newton_pass(
                case.columns, np.array([j]), case.kernel_loss, case.b, case.sample_weight, case.form, steps,
                1e-9, w, z,
            )  # fmt: skip
            assert value() <= last * (1 + 1e-14)
            last = value()


@pytest.mark.parametrize("bad", BAD_VECTORS.values(), ids=BAD_VECTORS)
def test_bad_vectors_are_refused(rng, bad):
    case = make_case(rng, Logistic())
    z, s = rng.normal(size=N), case.sample_weight
    with pytest.raises(InvalidInputError, match=r"^z is .*; the kernels need a C-contiguous float64 vector"):
        kernels.row_model(case.kernel_loss, bad(z), case.b, s, 0.1)
    columns = ScaledColumns.copy(case.columns, np.arange(D), np.ones(N), np.float32)
    with pytest.raises(InvalidInputError, match=r"^c is .*; the kernels need a C-contiguous float64 vector"):
        columns.descend(
            np.arange(D), D, bad(np.ones(D)), np.ones(D), case.form, InterceptShare(), 1, 0.0, np.inf, 0.0,
            np.ones(D), columns.image(),
        )  # fmt: skip


def test_wrong_copies_and_places_are_refused(rng):
    case = make_case(rng, Logistic(), intercept=True)
    columns = ScaledColumns.copy(case.columns, np.arange(D), np.ones(N), np.float32)
    with pytest.raises(InvalidInputError, match="v is float64"):
        columns.along(np.arange(2), np.zeros(N))
    with pytest.raises(InvalidInputError, match=r"face spans 0\.\.9"):
        columns.along(np.array([0, D]), columns.image())
    with pytest.raises(InvalidInputError, match="named spans"):
        ScaledColumns.copy(case.columns, np.array([D]), np.ones(N), np.float32)
    with pytest.raises(InvalidInputError, match="dtype is int32"):
        ScaledColumns.copy(case.columns, np.arange(2), np.ones(N), np.int32)
    form = CoordinateForm.broadcast(D)
    with pytest.raises(InvalidInputError, match=r"left is 20, outside 0\.\.9"):
        columns.descend(
            np.arange(D), 20, np.ones(D), np.ones(D), form, InterceptShare(), 1, 0.0, np.inf, 0.0,
            np.ones(D), columns.image(),
        )  # fmt: skip
