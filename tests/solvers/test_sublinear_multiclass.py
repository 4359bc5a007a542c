"""SublinearMulticlass: true certificates, convergence, storages, weights, the radius, and what is refused."""

import numpy as np
import pytest
import scipy.sparse as sp

from cases_solvers import draw
from fenchel import (
    InvalidInputError,
    MaxPasses,
    MirrorProx,
    Problem,
    RelativeGap,
    Start,
    SublinearMulticlass,
    UnsupportedProblemError,
    solve,
)
from fenchel._kernels.views import DenseLines, SparseLines
from fenchel.losses import MulticlassHinge, Softmax
from fenchel.regularizers import L1, L1Ball
from fenchel.solvers.mirror.entropic_sampling import draw_rows, row_choice, row_maxima, unit_step
from stored import stored

LOSSES = {"hinge": MulticlassHinge(), "softmax": Softmax()}
NEVER = RelativeGap(0.0)
FORMS = {
    "dense": ("gaussian", SublinearMulticlass()),
    "averaged": ("degenerate", SublinearMulticlass(draws=4)),
    "full": ("sparse", SublinearMulticlass(storage="full")),
    "hashed": ("sparse", SublinearMulticlass(storage="hashed")),
}

each_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
each_form = pytest.mark.parametrize(("kind", "solver"), FORMS.values(), ids=FORMS)
each_set = pytest.mark.parametrize("g", [L1(0.02), L1Ball(1.5), L1Ball(4.0, l1=0.02)], ids=repr)


@each_loss
@each_form
@each_set
@pytest.mark.parametrize("weight", ["none", "positive", "zeros"])
def test_what_is_proved_holds_all_the_way(rng, loss, kind, solver, g, weight):
    problem = draw(rng, loss, g, n=12, d=5, kind=kind, weight=weight)
    best = solve(problem, MirrorProx(), stopping=RelativeGap(1e-4) | MaxPasses(20_000)).certificate
    result = solve(problem, solver, stopping=NEVER | MaxPasses(3_000))
    for record in result.trace:
        assert record.certificate.dual <= best.primal + 1e-11
        assert record.certificate.primal >= best.dual - 1e-11
    first = result.trace[0].certificate.gap
    assert result.certificate.gap <= 0.75 * first or result.certificate.relative_gap < 0.1


@pytest.mark.parametrize("index", range(10))
@pytest.mark.parametrize("storage", ["dense", "full", "hashed"])
def test_the_stored_optima_are_approached(index, storage):
    """A gap of one fiftieth of P(0) on the penalised and on the constrained problems."""
    data = stored("mirror_descent.json")
    record = data["problems"][index]
    A = np.array(data["X"])
    g = L1(record["lam"]) if record["R"] is None else L1Ball(record["R"], l1=record["lam"])
    solver = SublinearMulticlass(storage="auto" if storage == "dense" else storage)
    A = A if storage == "dense" else sp.csr_array(A)
    problem = Problem(A, np.eye(data["k"])[data["y"]], LOSSES[record["loss"]], g)
    result = solve(problem, solver, stopping=NEVER | MaxPasses(60_000))
    at_zero = problem.primal_value(np.zeros(problem.primal_shape))
    # A ball far larger than the optimum makes all steps long and the average slow.
    accuracy = 0.02 if record["R"] is None or record["R"] < 10 else 0.3
    assert result.certificate.primal - record["p_star"] <= accuracy * at_zero
    assert result.certificate.dual <= record["p_star"] + 1e-11
    assert result.certificate.primal >= record["p_star"] - 1e-11


@each_loss
def test_the_gap_on_the_ball_obeys_the_theorem(rng, loss):
    """With the step of the theorem for T steps the mean over runs is below the bound; here every run is."""
    n, d, k, radius, steps = 20, 6, 3, 2.0, 20_000
    problem = draw(rng, loss, L1Ball(radius), n=n, d=d)
    sigma = np.sqrt(problem.design.column_square_sums(np.ones(n)))
    tau = row_maxima(problem.design.rows)
    bound = 4.0 / (unit_step(n, d, k, radius, sigma, tau) * np.sqrt(steps))
    solver = SublinearMulticlass(step_multiple=1.0, steps=steps)
    for seed in range(5):
        state = solver.init(problem, Start(), np.random.default_rng(seed))
        while state.time < steps:
            solver.run_epoch(problem, state)
        assert state.time == steps == state.weight
        w, u = solver.extract(problem, state)
        u = problem.dual_point(w) if u is None else u
        gap = (
            problem.primal_value(w)
            + problem.mean_conjugate(u)
            + radius * np.abs(problem.correlation(u)).max()
        )
        assert -1e-12 <= gap <= bound


@each_loss
@pytest.mark.parametrize("storage", ["dense", "full"])
def test_weights_are_repetitions(rng, loss, storage):
    """With the same rows drawn the same things happen: 0, 1 or 2 copies of a row, or weights."""
    A, label, counts = rng.normal(size=(12, 5)), rng.integers(3, size=12), np.arange(12) % 3
    twice = np.repeat(np.arange(12), counts)
    store = np.asarray if storage == "dense" else sp.csr_array
    weighted = Problem(store(A), np.eye(3)[label], loss, L1Ball(1.5), sample_weight=counts)
    repeated = Problem(store(A[twice]), np.eye(3)[label[twice]], loss, L1Ball(1.5))
    found = [
        solve(p, SublinearMulticlass(), stopping=NEVER | MaxPasses(20_000)) for p in (weighted, repeated)
    ]
    for result in found:
        assert result.certificate.relative_gap < 0.15
    low = max(result.certificate.dual for result in found)
    assert all(result.certificate.primal >= low - 1e-11 for result in found)


@each_loss
def test_sparse_and_dense_data_give_the_same_problem_the_same_answer(rng, loss):
    A, b = rng.normal(size=(15, 6)), np.eye(3)[rng.integers(3, size=15)]
    rule = NEVER | MaxPasses(10_000)
    for array in (A, A.astype(np.float32)):
        values = [
            solve(Problem(data, b, loss, L1Ball(1.0)), solver, stopping=rule).certificate
            for data, solver in (
                (array, SublinearMulticlass()),
                (sp.csr_array(array), SublinearMulticlass(storage="full")),
                (sp.csc_array(array), SublinearMulticlass(storage="hashed")),
            )
        ]
        assert max(value.dual for value in values) <= min(value.primal for value in values) + 1e-9
        assert max(value.relative_gap for value in values) < 0.1


def test_optimal_rows_serve_the_hinge_with_dense_data(rng):
    problem = draw(rng, MulticlassHinge(), L1Ball(1.5), n=12, d=5)
    result = solve(problem, SublinearMulticlass(rows="optimal"), stopping=NEVER | MaxPasses(10_000))
    assert result.certificate.relative_gap < 0.1
    for loss, kind in ((Softmax(), "gaussian"), (MulticlassHinge(), "sparse")):
        other = draw(rng, loss, L1Ball(1.5), n=12, d=5, kind=kind)
        with pytest.raises(UnsupportedProblemError, match=r"rows='optimal'.*Use rows='static'"):
            solve(other, SublinearMulticlass(rows="optimal"))
    with pytest.raises(UnsupportedProblemError, match=r"storage='hashed'.*Use storage='auto'"):
        solve(problem, SublinearMulticlass(storage="hashed"))


@pytest.mark.parametrize("storage", ["dense", "full", "hashed"])
def test_the_radius_grows_to_where_the_optimum_is(rng, storage):
    loss = Softmax()
    A, b = rng.normal(size=(30, 4)), np.eye(3)[rng.integers(3, size=30)]
    A = A if storage == "dense" else sp.csr_array(A)
    problem = Problem(A, b, loss, L1(0.01))
    best = solve(problem, MirrorProx(), stopping=RelativeGap(1e-4) | MaxPasses(20_000))
    solver = SublinearMulticlass(radius=0.3, storage="auto" if storage == "dense" else storage)
    result = solve(problem, solver, stopping=NEVER | MaxPasses(20_000))
    bound = problem.primal_value(np.zeros(problem.primal_shape)) / 0.01
    assert np.abs(best.w).sum() > 0.6
    assert 0.6 <= result.state.radius <= bound * (1 + 1e-12)
    assert np.abs(solver.extract(problem, result.state)[0]).sum() <= result.state.radius * (1 + 1e-9)
    assert result.certificate.primal - best.certificate.primal < 0.3 * best.certificate.primal


@each_loss
@each_form
def test_a_run_in_two_parts_is_the_run(rng, loss, kind, solver, tmp_path):
    """Hash tables grow on the way."""
    n, d = (60, 50) if kind == "sparse" else (12, 5)
    problem = draw(rng, loss, L1(0.001), n=n, d=d, kind=kind)
    whole = solve(problem, solver, stopping=NEVER | MaxPasses(300))
    solve(problem, solver, stopping=NEVER | MaxPasses(100), checkpoint=tmp_path / "half.npz")
    rest = solve(problem, solver, stopping=NEVER | MaxPasses(300), resume=tmp_path / "half.npz")
    np.testing.assert_array_equal(rest.w, whole.w)
    np.testing.assert_array_equal(rest.state.primal_values, whole.state.primal_values)


@each_loss
@pytest.mark.parametrize("storage", ["dense", "sparse"])
def test_data_of_zeros_leave_nothing_to_do(loss, storage):
    A, b = np.zeros((4, 3)), np.eye(2)[[0, 1, 1, 0]]
    problem = Problem(A if storage == "dense" else sp.csr_array(A), b, loss, L1Ball(1.0))
    result = solve(problem, SublinearMulticlass(), stopping=RelativeGap(1e-6) | MaxPasses(10))
    np.testing.assert_array_equal(result.w, 0.0)
    assert result.certificate.primal == problem.primal_value(result.w)


@pytest.mark.parametrize("kind", ["gaussian", "sparse"])
def test_entries_read_are_those_of_the_draws(rng, kind):
    problem = draw(rng, MulticlassHinge(), L1Ball(1.0), n=12, d=5, kind=kind)
    solver = SublinearMulticlass(draws=2)
    state = solver.init(problem, Start(), rng)
    assert state.entries_read == 0
    solver.run_epoch(problem, state)
    rows, columns = problem.design.row_counts, problem.design.column_counts
    least, most = rows[rows > 0].min() + columns[columns > 0].min(), rows.max() + columns.max()
    assert 2 * state.time * least <= state.entries_read <= 2 * state.time * most


def test_steps_fall_and_the_average_is_weighted_by_them(rng):
    problem = draw(rng, Softmax(), L1Ball(1.0), n=12, d=5)
    solver = SublinearMulticlass()
    state = solver.init(problem, Start(), rng)
    sums, gammas = np.zeros(problem.primal_shape), 0.0
    last = np.zeros(problem.primal_shape)
    for _ in range(6):
        before = state.time
        solver.run_epoch(problem, state)
        expected = (
            8.0
            * unit_step(12, 5, 3, 1.0, state.column_size, state.row_size * problem.sample_weight)
            / np.sqrt(state.time)
        )
        assert state.gamma == pytest.approx(expected, rel=1e-12)
        gammas += state.gamma * (state.time - before)
        assert state.weight * state.gamma == pytest.approx(gammas, rel=1e-12)
        sums, last = solver.extract(problem, state)[0] * gammas, sums
        # What an epoch adds is an average of points of the ball.
        assert np.abs(sums - last).sum() <= state.gamma * (state.time - before) * (1 + 1e-9)


def test_rows_are_drawn_by_their_weights():
    weights = np.array([3.0, 0.0, 1.0, 4.0])
    grid = (np.arange(80_000) + 0.5) / 80_000
    shares = np.bincount(draw_rows(row_choice(weights), grid), minlength=4) / grid.size
    np.testing.assert_allclose(shares, weights / 8.0, atol=1e-4)


def test_the_largest_entries_of_rows():
    A = np.array([[1.0, -3.0], [0.0, 0.0], [2.0, 0.5]])
    rows = sp.csr_array(A)
    lines = SparseLines(rows.data, rows.indices, rows.indptr.astype(np.int64), 3, 2)
    for view in (lines, DenseLines(A, 3, 2)):
        np.testing.assert_array_equal(row_maxima(view), [3.0, 0.0, 2.0])
    nothing = sp.csr_array((2, 2))
    empty = SparseLines(nothing.data, nothing.indices, nothing.indptr.astype(np.int64), 2, 2)
    np.testing.assert_array_equal(row_maxima(empty), 0.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": "all"}, r"^rows='all' is unknown"),
        ({"storage": "tree"}, r"^storage='tree' is unknown"),
        ({"draws": 0}, r"^draws=0 is not a whole number above 0"),
        ({"draws": True}, r"^draws=True is not"),
        ({"steps": 0.5}, r"^steps=0.5 is not"),
        ({"step_multiple": -1.0}, r"step_multiple=-1.0"),
        ({"radius": np.inf}, r"radius=inf"),
    ],
)
def test_arguments_out_of_range(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        SublinearMulticlass(**arguments)


def test_one_class_is_refused_with_a_way_out():
    problem = Problem(np.eye(2), np.ones((2, 1)), MulticlassHinge(), L1Ball(1.0))
    with pytest.raises(UnsupportedProblemError, match=r"it draws classes, and there is one\. .*w = 0"):
        solve(problem, SublinearMulticlass())
