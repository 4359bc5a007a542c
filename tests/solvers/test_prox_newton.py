"""Prox-Newton: what its parts do, and that the objective never rises."""

import numpy as np
import pytest
import scipy.sparse as sp

import cases_solvers as cases
from fenchel import SDCA, MaxPasses, PrimalCD, Problem, ProxNewton, RelativeGap, Start, solve
from fenchel.errors import InvalidInputError
from fenchel.losses import Huber, Logistic, SmoothedHinge, Squared, SquaredHinge
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.numerics.damping import next_damping
from fenchel.regularizers import L1, Box, ElasticNet, NoPenalty, Ridge
from fenchel.solvers.base import Products
from fenchel.solvers.prox_newton.direct import follow_face
from fenchel.solvers.prox_newton.face import move_on_face
from fenchel.solvers.prox_newton.gram_matrix import extended, gram_matrix, is_cheap
from fenchel.solvers.prox_newton.inner import minimise
from fenchel.solvers.prox_newton.intercept import settle_intercept
from fenchel.solvers.prox_newton.levels import at_level, first_level, next_level
from fenchel.solvers.prox_newton.line_search import Direction, search
from fenchel.solvers.prox_newton.model import Model, model_of
from fenchel.solvers.prox_newton.places import face_of
from fenchel.solvers.prox_newton.working_set import holds, working_set
from fenchel.solvers.registry import choose_solver

LOSSES = [Logistic(), SquaredHinge(), SmoothedHinge(), Squared(), Huber(threshold=0.5)]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)


# The parts


def test_a_working_set_holds_the_support_and_the_largest_violators():
    falls = np.array([-0.2, 3.0, 1.0, -0.1, 2.0, 0.5])
    assert working_set(falls, np.array([0, 2]), 4).tolist() == [0, 1, 2, 4]
    assert working_set(falls, np.array([0, 2]), 1).tolist() == [0, 2]
    assert working_set(falls, np.array([], dtype=np.int64), 10).tolist() == [1, 2, 4, 5]
    assert working_set(falls, np.array([0, 2]), 6, and_nearest=True).tolist() == [0, 1, 2, 3, 4, 5]
    assert working_set(falls, np.array([2]), 5, and_nearest=True).tolist() == [1, 2, 3, 4, 5]


def test_an_old_working_set_serves_while_it_holds_support_and_violators():
    falls, old = np.array([-0.2, 3.0, -1.0, 0.0]), np.array([1, 2])
    assert holds(old, falls, np.array([2]))
    assert not holds(old, falls, np.array([0]))
    assert not holds(old, np.array([0.1, 3.0, -1.0, 0.0]), np.array([2]))


def test_damping_rises_after_poor_steps_and_falls_after_good_ones():
    assert next_damping(0.3, 0.5, 1.0) == 1.0
    assert next_damping(0.001, 1.0, 0.1) == 0.05
    assert next_damping(0.3, 1.0, 0.5) == 0.3
    assert next_damping(0.5, 1.0, 0.9) == 0.1
    assert next_damping(0.01, 1.0, 1.0) == 0.0
    assert next_damping(0.0, 1.0, 1.0) == 0.0
    assert next_damping(0.0, 0.5, 1.0) == 0.05


def test_levels_begin_where_the_l1_part_is_weak_and_end_at_one():
    def problem(loss, rows):
        return Problem(np.ones((rows, 3)), np.ones(rows), loss, L1(0.01, weights=(0.0, 1.0, 1.0)))

    wide, form = problem(Squared(), 2), problem(Squared(), 2).coordinate_form
    v = np.array([100.0, 2.0, -4.0])
    assert first_level(wide, 0.1 * v) == 1.0
    assert first_level(problem(Squared(), 3), v) == 1.0
    assert first_level(problem(Logistic(), 2), v) == 1.0
    assert first_level(problem(Logistic(), 2), 10.0 * v) > 1.0
    level = first_level(wide, v)
    assert level == pytest.approx(0.2 * 400.0)
    assert at_level(form, level).l1.tolist() == pytest.approx([0.0, 0.8, 0.8])
    seen = [level]
    while seen[-1] > 1.0:
        seen.append(next_level(form, v, seen[-1]))
        assert seen[-1] < seen[-2]


def small_model(
    rng: np.random.Generator, form: CoordinateForm, intercept: float | None, dtype: type = np.float64
) -> tuple[Model, np.ndarray, np.ndarray]:
    """A model over six columns, with the matrix and the derivatives that it is made of."""
    A, root = rng.normal(size=(12, 6)), rng.random(12) + 0.2
    problem = Problem(A, np.zeros(12), Squared(), L1(1.0))
    c, w = rng.normal(size=6), np.clip(rng.normal(size=6), form.lower, form.upper)
    counts = problem.design.column_counts
    model = Model(problem.design.columns, np.arange(6), counts, root, c, form, w, intercept, dtype)
    return model, root[:, None] * np.column_stack([A, np.ones(12)]), np.append(c, intercept or 0.0)


def fall_of(model: Model) -> float:
    return model.fall(model.form.value(model.x) - model.form.value(model.start))


FORMS = {
    "l1": CoordinateForm.broadcast(6, l1=0.5),
    "elastic net": CoordinateForm.broadcast(6, l1=0.3, l2=0.5),
    "box": CoordinateForm.broadcast(6, l1=0.1, lower=-0.2, upper=0.4),
    "no penalty": CoordinateForm.broadcast(6),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("intercept", [None, 0.3])
def test_a_model_is_minimised_and_tells_its_fall(rng, form, intercept):
    """The fall against the model written out; the optimum by its conditions."""
    model, X, c = small_model(rng, form, intercept)
    last = fall_of(model)
    minimise(model, 1e-9, 3000)
    assert fall_of(model) >= last
    move = np.append(model.x - model.start, model.intercept_move)
    used = slice(7 if intercept is not None else 6)
    value = c[used] @ move[used] + 0.5 * np.sum((X[:, used] @ move[used]) ** 2)
    value += form.value(model.x) - form.value(model.start)
    assert fall_of(model) == pytest.approx(-value, rel=1e-9)
    gradient = c[used] + X[:, used].T @ (X[:, used] @ move[used])
    moved = form.prox(model.x - gradient[:6], 1.0)
    np.testing.assert_allclose(moved, model.x, atol=1e-7)
    assert intercept is None or abs(gradient[6]) <= 1e-9


@pytest.mark.parametrize("storage", ["csr", "csc", "dense", "tall"])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_gram_matrix_is_the_product(rng, storage, intercept, dtype):
    n = 80 if storage == "tall" else 9
    A = (rng.normal(size=(n, 7)) * (rng.random((n, 7)) < 0.7)).astype(dtype)
    data = sp.csr_array(A) if storage == "csr" else sp.csc_array(A) if storage == "csc" else A
    problem = Problem(data, np.zeros(n), Squared(), L1(1.0), fit_intercept=intercept)
    chosen, root = np.array([1, 2, 4, 6]), rng.random(n) + 0.1
    found = gram_matrix(problem, chosen, root)
    X = root[:, None] * A[:, chosen].astype(float)
    expected, cross = X.T @ X, X.T @ root
    if intercept:
        np.testing.assert_allclose(found.cross, cross, rtol=1e-5)
        assert found.total == pytest.approx(root @ root)
        expected -= np.outer(cross, cross) / (root @ root)
    np.testing.assert_allclose(found.matrix, expected, rtol=1e-5, atol=1e-5 if storage == "tall" else 1e-12)
    assert found.entries_read <= problem.design.n_entries


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("n", [9, 80])
def test_an_extended_matrix_is_the_one_made_anew(rng, intercept, n):
    problem = Problem(rng.normal(size=(n, 7)), np.zeros(n), Squared(), L1(1.0), fit_intercept=intercept)
    root = rng.random(n) + 0.1
    places, chosen = np.array([5, 0, 2]), np.array([5, 2, 1, 4])
    found = extended(problem, chosen, root, places, gram_matrix(problem, places, root))
    expected = gram_matrix(problem, chosen, root)
    np.testing.assert_allclose(found.matrix, expected.matrix, rtol=1e-5, atol=1e-5)
    if intercept:
        np.testing.assert_allclose(found.cross, expected.cross, rtol=1e-6)
    assert found.total == expected.total


def test_a_gram_matrix_of_extreme_columns_is_finite(rng):
    A = rng.normal(size=(40, 3)) * [1e-40, 1.0, 1e30]
    problem = Problem(A, np.zeros(40), Squared(), L1(1.0))
    found = gram_matrix(problem, np.arange(3), np.ones(40))
    np.testing.assert_allclose(found.matrix, A.T @ A, rtol=1e-12)


@pytest.mark.parametrize("intercept", [False, True])
def test_a_gram_matrix_by_rows_leaves_out_those_without_curvature(rng, intercept):
    A = rng.normal(size=(30, 40)) * (rng.random((30, 40)) < 0.1)
    A[:, 3:33] = np.eye(30)  # long sets of short columns: their pairs are more than those of the rows
    problem = Problem(sp.csr_array(A), np.zeros(30), Squared(), L1(1.0), fit_intercept=intercept)
    chosen, root = np.arange(40), np.where(rng.random(30) < 0.5, rng.random(30), 0.0)
    found = gram_matrix(problem, chosen, root)
    X = root[:, None] * A
    expected = X.T @ X - (np.outer(X.T @ root, X.T @ root) / (root @ root) if intercept else 0.0)
    np.testing.assert_allclose(found.matrix, expected, rtol=1e-9, atol=1e-12)
    assert found.entries_read == np.count_nonzero(A[root > 0.0]) + intercept * np.count_nonzero(root)


def test_a_matrix_pays_for_dense_data_and_for_short_rows(rng):
    dense = Problem(rng.normal(size=(50, 2000)), np.zeros(50), Squared(), L1(1.0))
    assert is_cheap(dense, 200)
    assert not is_cheap(dense, 201)
    few_rows = Problem(rng.normal(size=(5, 2000)), np.zeros(5), Squared(), L1(1.0))
    assert is_cheap(few_rows, 100)
    many = Problem(rng.normal(size=(300, 1500)), np.zeros(300), Squared(), L1(1.0))
    assert is_cheap(many, 1000)
    assert not is_cheap(many, 1001)
    short = sp.random_array((50, 200), density=0.05, rng=rng)
    assert is_cheap(Problem(short, np.zeros(50), Squared(), L1(1.0)), 150)
    wide = sp.random_array((50, 2000), density=0.005, rng=rng)
    assert is_cheap(Problem(wide, np.zeros(50), Squared(), L1(1.0)), 150)
    long = sp.random_array((50, 200), density=0.9, rng=rng)
    assert not is_cheap(Problem(long, np.zeros(50), Squared(), L1(1.0)), 150)


def test_a_matrix_is_kept_while_it_serves(rng):
    """The curvatures of the squared loss do not change: one matrix for each working set."""
    A = rng.normal(size=(60, 40))
    problem = Problem(A, A[:, 0] + 0.1 * rng.normal(size=60), Squared(), L1(0.01))
    solver = ProxNewton()
    state = solver.init(problem, Start(), rng)
    solver.run_epoch(problem, state)
    first, spent = state.matrix, state.entries_read
    assert first.size
    state.u[:] += 1e-3 * rng.normal(size=60)
    state.v[:] = problem.correlation(state.u)
    solver.run_epoch(problem, state)
    assert state.matrix is first
    assert state.entries_read - spent < 10 * A.size


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_move_on_the_face_lowers_the_model_and_keeps_signs(rng, form):
    model, _, _ = small_model(rng, form, 0.1)
    old, face, last = model.x.copy(), face_of(model), fall_of(model)
    assert np.all((old[face] > form.lower[face]) & (old[face] < form.upper[face]))
    assert move_on_face(model, 1e-6)
    assert fall_of(model) > last
    assert np.all((model.x * old >= 0.0) | (form.l1 == 0.0))
    outside = np.setdiff1d(np.arange(6), face)
    np.testing.assert_array_equal(model.x[outside], old[outside])
    X = model.columns
    image = X.image()
    X.across(np.arange(6), model.x - model.start, image)
    np.testing.assert_allclose(model.v, image, atol=1e-12)


@every_loss
def test_nearly_equal_columns_and_a_weak_l1_part(rng, loss):
    """More columns than rows, correlated at .99: conjugate gradients alone run out of passes here."""
    A = np.sqrt(0.99) * rng.normal(size=(30, 1)) + np.sqrt(0.01) * rng.normal(size=(30, 60))
    b = np.where(rng.random(30) < 0.5, 1.0, -1.0)
    largest = np.abs(A.T @ loss.gradient(np.zeros(30), b)).max() / 30
    problem = Problem(A, b, loss, L1(1e-3 * largest))
    result = solve(problem, ProxNewton(), stopping=RelativeGap(1e-6) | MaxPasses(3000))
    assert result.status.solved


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_following_a_face_ends_at_its_minimum_and_keeps_signs(rng, form):
    model, X, c = small_model(rng, form, 0.1)
    old, last = model.x.copy(), fall_of(model)
    assert follow_face(model, 1e-9)
    assert fall_of(model) > last
    assert np.all((model.x * old >= 0.0) | (form.l1 == 0.0))
    face, move = face_of(model), np.append(model.x - model.start, model.intercept_move)
    slope = (c + X.T @ (X @ move))[:6] + form.l1 * np.sign(model.x) + form.l2 * model.x
    np.testing.assert_allclose(slope[face], 0.0, atol=1e-7)


def test_columns_outside_of_the_range_of_float32_are_copied_in_float64(rng):
    A = rng.normal(size=(8, 3))
    for factor, expected in ((1.0, np.float32), (1e-40, np.float64), (1e35, np.float64)):
        problem = Problem(A * factor, np.zeros(8), Squared(), L1(1.0))
        model = model_of(
            problem.design.columns, np.arange(3), problem.design.column_counts, np.ones(8), np.ones(3),
            CoordinateForm.broadcast(3, l1=1.0), np.zeros(3), None,
        )  # fmt: skip
        assert model.columns.dtype == expected


@every_loss
def test_a_step_along_a_rising_direction_is_refused(rng, loss):
    problem = cases.draw(rng, loss, L1(0.1))
    z = rng.normal(size=problem.n_samples)
    value = float(np.mean(problem.loss.value(z, problem.b)))
    dz = problem.loss.gradient(z, problem.b)
    form, none = CoordinateForm.broadcast(1), np.zeros(1)
    up = search(problem, z, value, Direction(form, none, none, dz, float(np.mean(dz * dz))))
    assert up == (0.0, 0.0, 0.0)
    # A direction whose slope is told wrong: no length lowers P.
    wrong = search(problem, z, value, Direction(form, none, none, dz, -1.0))
    assert wrong.length == 0.0


@every_loss
def test_a_step_that_is_too_long_is_cut_until_it_falls(rng, loss):
    problem = cases.draw(rng, loss, L1(0.1))
    z = rng.normal(size=problem.n_samples)
    value = float(np.mean(problem.loss.value(z, problem.b)))
    gradient = problem.loss.gradient(z, problem.b)
    dz = rng.normal(size=z.size)
    dz *= -1e3 * np.sign(gradient @ dz)
    slope = float(np.mean(gradient * dz))
    form, none = CoordinateForm.broadcast(1), np.zeros(1)
    step = search(problem, z, value, Direction(form, none, none, dz, slope))
    assert 0.0 < step.length < 1.0
    new = float(np.mean(problem.loss.value(z + step.length * dz, problem.b)))
    assert new < value
    assert step.fall == pytest.approx(value - new)


@every_loss
def test_the_intercept_is_settled(rng, loss):
    problem = cases.draw(rng, loss, L1(0.1), n=40, weight="some", intercept=True)
    w = rng.normal(size=problem.n_coordinates)
    z = problem.scores(w)
    before = problem.primal_value(w)
    settle_intercept(problem, w, z, 1.0)
    np.testing.assert_allclose(z, problem.scores(w), atol=1e-12)
    assert problem.primal_value(w) <= before * (1 + 1e-15)
    u = problem.loss.gradient(z, problem.b)
    assert abs(np.mean(problem.sample_weight * u)) <= 1e-14


# The solver


@every_loss
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("strength", [0.3, 3e-4])
def test_the_objective_never_rises(rng, loss, intercept, strength):
    """That of the level, from epoch to epoch; a weak l1 part has several levels."""
    base = cases.draw(rng, loss, L1(1.0), n=30, d=60, intercept=intercept)
    g = L1(strength * base.zero_solution_strength())
    problem = Problem(
        base.design.base if intercept else base.design, base.b, loss, g, fit_intercept=intercept
    )
    solver = ProxNewton()
    state = solver.init(problem, Start(), rng)
    levels = {state.level}
    for _ in range(25):
        old = state.w.copy()
        solver.run_epoch(problem, state)
        form = at_level(problem.coordinate_form, state.level)
        fits = [np.mean(problem.loss.value(problem.scores(w), problem.b)) for w in (old, state.w)]
        before, after = (fit + form.value(w) for fit, w in zip(fits, (old, state.w), strict=True))
        assert after <= before * (1 + 1e-13) + 1e-300
        levels.add(state.level)
        np.testing.assert_allclose(state.z, problem.scores(state.w), rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(state.v, problem.correlation(state.u), rtol=1e-10, atol=1e-12)
    assert (len(levels) > 1) == (strength < 0.02)
    assert state.level == 1.0


@every_loss
def test_products_are_those_of_the_point(rng, loss):
    problem = cases.draw(rng, loss, ElasticNet(0.05, 0.02), n=25, d=8, intercept=True, weight="zeros")
    solver = ProxNewton()
    state = solver.init(problem, Start(), rng)
    for _ in range(3):
        solver.run_epoch(problem, state)
        w, u = solver.extract(problem, state)
        z, v = solver.products(problem, state)
        at_hand, alone = problem.certify_at(w, z, u, v), problem.certify(w, u)
        assert at_hand.primal == pytest.approx(alone.primal, rel=1e-12)
        assert at_hand.dual == pytest.approx(alone.dual, rel=1e-9, abs=1e-12)


def test_free_features_leave_the_products_to_the_certificate(rng):
    problem = cases.draw(rng, Logistic(), L1(0.05, weights=(0.0, 1.0, 1.0, 1.0)), n=25, d=4)
    solver = ProxNewton()
    assert solver.products(problem, solver.init(problem, Start(), rng)) is None
    assert solve(problem, solver, stopping=RelativeGap(1e-9) | MaxPasses(500)).status.solved


@every_loss
@pytest.mark.parametrize("storage", ["csr", "csc", "c", "f"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_storage_does_not_change_the_solution(rng, loss, storage, dtype):
    A = (rng.normal(size=(40, 15)) * (rng.random((40, 15)) < 0.5)).astype(dtype)
    make = {"csr": sp.csr_array, "csc": sp.csc_array, "c": np.ascontiguousarray, "f": np.asfortranarray}
    b = cases.targets(rng, loss, 40)
    expected = solve(
        Problem(A.astype(np.float64), b, loss, L1(0.02)), "primal_cd", stopping=RelativeGap(1e-12)
    )
    found = solve(Problem(make[storage](A), b, loss, L1(0.02)), "prox_newton", stopping=RelativeGap(1e-12))
    assert found.status.solved
    np.testing.assert_allclose(found.w, expected.w, atol=1e-6)


@every_loss
@pytest.mark.parametrize("intercept", [False, True])
def test_few_dense_features_under_a_ridge_are_one_working_set(rng, loss, intercept):
    b, weight = np.where(rng.random(150) < 0.5, 1.0, -1.0), 2.0 * rng.random(150)
    problem = Problem(rng.normal(size=(150, 8)) + 1.0, b, loss, Ridge(1e-3), weight, intercept)
    solver = ProxNewton()
    state = solver.init(problem, Start(), rng)
    assert state.sample == 0
    for _ in range(12):
        before = problem.primal_value(state.w)
        solver.run_epoch(problem, state)
        assert problem.primal_value(state.w) <= before * (1 + 1e-13)
        # Once the rest is rounding no step falls, and the matrix is forgotten.
        if problem.certify(state.w, state.u).relative_gap <= 1e-9:
            return
        assert state.places.size == 8
    pytest.fail("not solved")


def test_steps_by_rows_are_for_more_features_sparse_data_and_none_without_a_ridge(rng):
    A, b = rng.normal(size=(30, 70)), np.ones(30)
    sparse = sp.csr_array(A[:, :5] * (A[:, :5] > 0))
    for data, g in [(A, Ridge(1.0)), (sparse, Ridge(1.0)), (A[:, :5], NoPenalty())]:
        assert ProxNewton().init(Problem(data, b, Squared(), g), Start(), rng).sample > 0


def test_a_start_at_the_solution_takes_no_epoch(rng):
    problem = cases.draw(rng, Logistic(), L1(0.02), n=50, d=20)
    first = solve(problem, "prox_newton", stopping=RelativeGap(1e-8))
    again = solve(problem, "prox_newton", stopping=RelativeGap(1e-8), start=first)
    assert again.status.solved
    assert again.passes == 0.0


def test_a_path_reuses_the_products_of_the_last_problem(rng):
    design = cases.draw(rng, Logistic(), L1(1.0), n=60, d=30).design
    b = cases.targets(rng, Logistic(), 60)
    last = solve(Problem(design, b, Logistic(), L1(0.05)), "prox_newton").state
    problem = Problem(design, b, Logistic(), L1(0.04))
    start = Start(last.w, last.u, Products(last.z, last.v))
    warm = solve(problem, "prox_newton", start=start)
    same = solve(problem, "prox_newton", start=Start(last.w))
    np.testing.assert_allclose(warm.w, same.w, atol=1e-9)
    n_entries = problem.design.n_entries
    assert warm.entries_read == same.entries_read - n_entries
    with pytest.raises(InvalidInputError, match=r"Give both of them"):
        solve(problem, "prox_newton", start=Start(last.w, products=Products(last.z, last.v)))


@pytest.mark.parametrize(
    "arguments", [{"models": 0}, {"first_columns": 0}, {"growth": 1.0}, {"growth": float("nan")}], ids=repr
)
def test_bad_parameters_are_refused(arguments):
    with pytest.raises(InvalidInputError, match=r"Use "):
        ProxNewton(**arguments)


@pytest.mark.parametrize(
    ("loss", "g", "d", "expected"),
    [
        (Logistic(), L1(0.1), 101, ProxNewton),
        (Logistic(), L1(0.1), 100, ProxNewton),
        (SquaredHinge(), L1(0.1), 101, ProxNewton),
        (SquaredHinge(), L1(0.1), 100, ProxNewton),
        (SquaredHinge(), Ridge(0.1), 100, SDCA),
        (Logistic(), ElasticNet(0.1, 0.1), 101, ProxNewton),
        (Logistic(), Ridge(0.1), 100, ProxNewton),
        (Logistic(), Ridge(0.1), 101, SDCA),
        (Logistic(), Box(-1.0, 1.0), 100, PrimalCD),
        (Logistic(), Box(-1.0, 1.0), 101, PrimalCD),
    ],
    ids=repr,
)
def test_auto_takes_it_for_an_l1_part_or_a_curved_loss_on_few_columns(rng, loss, g, d, expected):
    problem = Problem(rng.normal(size=(5, d)), cases.targets(rng, loss, 5), loss, g)
    assert type(choose_solver(problem)[0]) is expected
