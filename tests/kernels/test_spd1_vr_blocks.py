"""The compiled block steps of SPD1-VR against their twin, and what holds for both."""

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

import cases
from cases_kernels import BAD_VECTORS, FORMS, TOLERANCE, Case, D, N, make_case
from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.spd1_vr_blocks import (
    LARGEST_BLOCK,
    BlockDraws,
    SaddleSteps,
    Snapshot,
    spd1_vr_block_steps,
)
from fenchel._kernels.views import DenseLines
from fenchel.errors import InvalidInputError
from fenchel.losses.registry import LOSSES
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.numerics.partition import Partition
from fenchel.reference import spd1_vr_blocks as twins
from stored import stored

COMPILED = [case.loss for case in cases.LOSSES if case.loss.compiled]
BLOCKS = [(1, 1), (1, 8), (4, 3), (8, 8), (N, D + 1)]

every_loss = pytest.mark.parametrize("loss", COMPILED, ids=repr)
every_form = pytest.mark.parametrize("form", FORMS)
every_block = pytest.mark.parametrize("block", BLOCKS, ids=str)


def draws_of(block, n, d, count, rng) -> BlockDraws:
    rows, columns = Partition.even(n, block[0]), Partition.even(d, block[1])
    drawn = [part.draw(count, rng) for part in (rows, rows, columns, columns)]
    return BlockDraws(rows.bounds, columns.bounds, *drawn)


def snapshot_of(case: Case, w, u) -> Snapshot:
    n, d = case.A.shape
    return Snapshot(w, u, case.A.T @ (case.sample_weight * u) / n, case.A @ w / d)


def points(case: Case, rng) -> tuple[np.ndarray, np.ndarray]:
    """Any primal point in the bounds, and any dual point in the domain."""
    n, d = case.A.shape
    w = np.clip(rng.normal(size=d), case.form.lower, case.form.upper)
    return w, np.array(case.loss.dual_domain(case.b).project(rng.normal(size=n)))


def steps_of(case: Case, rng, proximal: bool = True) -> SaddleSteps:
    n, d = case.A.shape
    return SaddleSteps(
        eta=0.1 + rng.random(d),
        tau=0.1 + rng.random(n),
        alpha=rng.random(d) * proximal,
        centre_w=rng.normal(size=d),
        beta=0.7 * proximal,
        centre_u=rng.normal(size=n),
    )


def shared(case: Case) -> dict[str, object]:
    return {"b": case.b, "sample_weight": case.sample_weight, "form": case.form}


def assert_twin(case: Case, block, rng, tolerance, proximal=True) -> None:
    n, d = case.A.shape
    draws = draws_of(block, n, d, 60, rng)
    given = {"steps": steps_of(case, rng, proximal), "snapshot": snapshot_of(case, *points(case, rng))}
    w, u = points(case, rng)
    w_twin, u_twin = w.copy(), u.copy()
    entries = spd1_vr_block_steps(case.rows, draws, case.kernel_loss, **shared(case), **given, w=w, u=u)
    twins.spd1_vr_block_steps(case.A, draws, case.loss, **shared(case), **given, w=w_twin, u=u_twin)
    np.testing.assert_allclose(w, w_twin, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(u, u_twin, rtol=tolerance, atol=tolerance)
    rows, columns = np.diff(draws.row_bounds), np.diff(draws.column_bounds)
    read = rows[draws.other_row] * columns[draws.column] + rows[draws.row] * columns[draws.other_column]
    assert entries == int(np.sum(read + rows[draws.row] * columns[draws.column]))


@every_loss
@every_form
@pytest.mark.parametrize("intercept", [False, True])
def test_steps_are_their_twin(rng, loss, form, intercept):
    assert_twin(make_case(rng, loss, form, intercept=intercept), (4, 3), rng, 1e-12)


@every_block
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("proximal", [False, True])
def test_every_block_in_both_precisions(rng, block, dtype, intercept, proximal):
    case = make_case(rng, LOSSES["smoothed_hinge"](), "elastic_net", dtype=dtype, intercept=intercept)
    assert_twin(case, block, rng, TOLERANCE[dtype], proximal)


@pytest.mark.parametrize("index", [4, 5])
def test_blocks_of_one_entry_are_the_algorithm_of_the_paper(index):
    record = stored("spd-traces.json")["traces"][index]
    assert record["alg"] == "SPD1-VR"
    data = stored("spd-optima.json")
    A, b = np.array(data["A_dense"]), np.array(data["b_class"], dtype=np.float64)
    n, d = A.shape
    loss = LOSSES[record["loss"]](*([record["par"]] if record["loss"] == "smoothed_hinge" else []))
    form = CoordinateForm.broadcast(d, record["l1"], record["l2"])
    case = Case(A, DenseLines(A, n, d), DenseLines(A.T.copy(), d, n), loss, form, b, np.ones(n))
    w, u = np.zeros(d), loss.gradient(np.zeros(n), b)
    steps = SaddleSteps(
        np.full(d, record["eta"]), np.full(n, record["tau"]), np.zeros(d), np.zeros(d), 0.0, np.zeros(n)
    )
    ones = [Partition.even(size, 1).bounds for size in (n, d)]
    for epoch in zip(*(record[name] for name in ("i", "i1", "j", "j1")), strict=True):
        draws = BlockDraws(*ones, *(np.array(indices) for indices in epoch))
        snapshot = snapshot_of(case, w.copy(), u.copy())
        spd1_vr_block_steps(
            case.rows, draws, case.kernel_loss, **shared(case), steps=steps, snapshot=snapshot, w=w, u=u
        )
    np.testing.assert_allclose(w, record["x"], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(u, record["y"], rtol=1e-12, atol=1e-13)


@every_block
def test_estimates_are_unbiased(rng, block):
    """The mean over the blocks, each in proportion to its size, is the slope at the point itself."""
    case = make_case(rng, LOSSES["squared"](), "ridge", intercept=True)
    n, d = case.A.shape
    w, u = points(case, rng)
    step = twins.SPD1VRStep(
        case.A, case.loss, case.b, case.sample_weight, case.form, steps_of(case, rng),
        snapshot_of(case, *points(case, rng)),
    )  # fmt: skip
    everything = slice(None)
    rows, columns = (
        [(slice(start, stop), (stop - start) / size) for start, stop in pairwise(bounds)]
        for size, bounds in ((n, Partition.even(n, block[0]).bounds), (d, Partition.even(d, block[1]).bounds))
    )
    primal = sum(share * step.primal_slope(part, everything, u[part]) for part, share in rows)
    dual = sum(share * step.dual_slope(everything, part, w[part]) for part, share in columns)
    np.testing.assert_allclose(primal, case.A.T @ (case.sample_weight * u) / n, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(dual, case.A @ w / d, rtol=1e-13, atol=1e-14)


def test_mean_of_the_compiled_steps_is_the_step_along_the_slope(rng):
    """One step from every quadruple of blocks; with the squared loss and no penalty all is linear."""
    case = make_case(rng, LOSSES["squared"](), "none", weights=False)
    n, d = case.A.shape
    steps = replace(steps_of(case, rng), tau=np.full(n, 1e-300))
    snapshot = snapshot_of(case, *points(case, rng))
    start_w, start_u = points(case, rng)
    rows, columns = Partition.even(n, 6), Partition.even(d, 4)
    shares = np.diff(rows.bounds) / n
    slope, counted = np.zeros(d), np.zeros(d)
    for i, j in product(range(len(shares)), range(columns.bounds.size - 1)):
        w, u = start_w.copy(), start_u.copy()
        one = [np.array([k]) for k in (i, 0, j, 0)]
        draws = BlockDraws(rows.bounds, columns.bounds, *one)
        spd1_vr_block_steps(
            case.rows, draws, case.kernel_loss, **shared(case), steps=steps, snapshot=snapshot, w=w, u=u
        )
        block = slice(columns.bounds[j], columns.bounds[j + 1])
        slope[block] += shares[i] * (w - start_w)[block]
        counted[block] += shares[i]
    exact = case.A.T @ start_u / n + steps.alpha * (start_w - steps.centre_w)
    np.testing.assert_allclose(counted, 1.0)
    np.testing.assert_allclose(
        slope, -steps.eta * exact / (1 + steps.eta * steps.alpha), rtol=1e-11, atol=1e-12
    )


@every_loss
@every_block
def test_saddle_point_is_a_fixed_point(rng, loss, block):
    """The centre is put where the proximal term makes the point optimal; then no block moves it."""
    case = make_case(rng, loss, "ridge", intercept=True)
    n, d = case.A.shape
    w = rng.normal(size=d)
    u = loss.gradient(case.A @ w, case.b)
    snapshot = snapshot_of(case, w.copy(), u.copy())
    alpha = 0.5 + rng.random(d)
    steps = replace(
        steps_of(case, rng),
        alpha=alpha,
        centre_w=w + (snapshot.gx + case.form.l2 * w) / alpha,
        centre_u=u.copy(),
    )
    draws = draws_of(block, n, d, 100, rng)
    spd1_vr_block_steps(
        case.rows, draws, case.kernel_loss, **shared(case), steps=steps, snapshot=snapshot, w=w, u=u
    )
    np.testing.assert_allclose(w, snapshot.w, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(u, snapshot.u, rtol=1e-12, atol=1e-13)


def test_rows_of_weight_zero_keep_their_dual_value(rng):
    case = make_case(rng, LOSSES["logistic"]())
    w, u = points(case, rng)
    before = u.copy()
    spd1_vr_block_steps(
        case.rows, draws_of((4, 3), N, D, 200, rng), case.kernel_loss, **shared(case),
        steps=steps_of(case, rng), snapshot=snapshot_of(case, w.copy(), u.copy()), w=w, u=u,
    )  # fmt: skip
    assert (u == before).tolist() == (case.sample_weight == 0).tolist()


def test_threads_on_disjoint_blocks_are_one_thread(rng):
    """Each half of the draws has rows and columns of its own: then no order of the steps matters."""
    case = make_case(rng, LOSSES["logistic"](), intercept=True)
    n, d = case.A.shape
    part, other = draws_of((4, 3), n, d, 100, rng), draws_of((4, 3), n, d, 100, rng)
    halves = [
        np.concatenate([getattr(part, name) % half, half + getattr(other, name) % (size - half)])
        for name, half, size in (("row", 3, 6), ("other_row", 3, 6), ("column", 2, 4), ("other_column", 2, 4))
    ]
    draws = BlockDraws(part.row_bounds, part.column_bounds, *halves)
    given = {"steps": steps_of(case, rng), "snapshot": snapshot_of(case, *points(case, rng))}
    w, u = points(case, rng)
    results = []
    for threads in (1, 2):
        at = {"w": w.copy(), "u": u.copy()}
        entries = spd1_vr_block_steps(
            case.rows, draws, case.kernel_loss, **shared(case), **given, **at, threads=threads
        )
        results.append((entries, at["w"].tolist(), at["u"].tolist()))
    assert results[0] == results[1]
    assert results[0][1] != w.tolist()


@pytest.mark.parametrize(("size", "width"), [(10, 3), (9, 3), (1, 5), (23, 8), (65, 64)])
def test_even_partition(rng, size, width):
    part = Partition.even(size, width)
    sizes = np.diff(part.bounds)
    assert (part.bounds[0], part.bounds[-1]) == (0, size)
    assert sizes.max() <= width
    assert sizes.max() - sizes.min() <= 1
    assert len(sizes) == -(-size // width)
    np.testing.assert_array_equal(np.bincount(part.block_of), sizes)
    drawn = part.draw(20_000, rng)
    np.testing.assert_allclose(np.bincount(drawn, minlength=len(sizes)) / 20_000, sizes / size, atol=0.02)


@pytest.fixture
def arguments(rng):
    case = make_case(rng, LOSSES["logistic"]())
    w, u = points(case, rng)
    return {
        "rows": case.rows,
        "draws": draws_of((4, 3), N, D, 5, rng),
        "loss": KernelLoss("logistic"),
        **shared(case),
        "steps": steps_of(case, rng),
        "snapshot": snapshot_of(case, w.copy(), u.copy()),
        "w": w,
        "u": u,
    }


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize("name", ["b", "sample_weight", "w", "u"])
def test_bad_vectors_are_refused(arguments, name, bad):
    with pytest.raises(InvalidInputError, match=rf"^{name} is .*C-contiguous float64 vector"):
        spd1_vr_block_steps(**arguments | {name: BAD_VECTORS[bad](arguments[name])})


@pytest.mark.parametrize("name", ["eta", "tau", "alpha", "centre_w", "centre_u"])
def test_bad_steps_are_refused(arguments, name):
    steps = arguments["steps"]
    with pytest.raises(InvalidInputError, match=rf"^{name} is .*C-contiguous float64 vector"):
        spd1_vr_block_steps(**arguments | {"steps": replace(steps, **{name: getattr(steps, name)[1:]})})


def test_steps_must_be_positive(arguments):
    for name in ("eta", "tau"):
        values = getattr(arguments["steps"], name).copy()
        values[3] = 0.0
        with pytest.raises(InvalidInputError, match=rf"^{name} has the value 0.0; steps must be positive"):
            spd1_vr_block_steps(**arguments | {"steps": replace(arguments["steps"], **{name: values})})
    with pytest.raises(InvalidInputError, match=r"must not be negative"):
        spd1_vr_block_steps(**arguments | {"steps": replace(arguments["steps"], beta=-1.0)})


@pytest.mark.parametrize("name", ["w", "u", "gx", "gy"])
def test_bad_snapshots_are_refused(arguments, name):
    bad = {name: getattr(arguments["snapshot"], name)[1:]}
    with pytest.raises(InvalidInputError, match=rf"^the snapshot's {name} is "):
        spd1_vr_block_steps(**arguments | {"snapshot": replace(arguments["snapshot"], **bad)})


def test_blocks_must_cover_the_matrix_and_fit(arguments, rng):
    draws = arguments["draws"]
    for bounds in (
        np.array([0, N - 1]),
        np.array([1, N]),
        np.array([0, 5, 5, N]),
        np.array([], dtype=np.int64),
    ):
        with pytest.raises(InvalidInputError, match=r"^row_bounds does not ascend from 0 to 23"):
            spd1_vr_block_steps(**arguments | {"draws": replace(draws, row_bounds=bounds)})
    wide = np.zeros((N, LARGEST_BLOCK + 1))
    with pytest.raises(InvalidInputError, match=r"^column_bounds has a block of 257; the largest is 256"):
        spd1_vr_block_steps(
            **arguments
            | {
                "rows": DenseLines(wide, *wide.shape),
                "draws": replace(draws, column_bounds=np.array([0, LARGEST_BLOCK + 1])),
            }
        )


@pytest.mark.parametrize("name", ["row", "other_row", "column", "other_column"])
def test_draws_must_be_there(arguments, name):
    draws = arguments["draws"]
    order = getattr(draws, name).copy()
    order[2] = 99
    with pytest.raises(InvalidInputError, match=rf"^{name} spans .*99, outside 0\.\."):
        spd1_vr_block_steps(**arguments | {"draws": replace(draws, **{name: order})})
    if name != "row":
        with pytest.raises(InvalidInputError, match=rf"^{name} is int64 of shape \(4,\)"):
            spd1_vr_block_steps(**arguments | {"draws": replace(draws, **{name: order[1:]})})


def test_some_thread_must_work(arguments):
    with pytest.raises(InvalidInputError, match=r"^threads is 0"):
        spd1_vr_block_steps(**arguments, threads=0)


def test_sparse_rows_are_refused(arguments, rng):
    sparse = make_case(rng, LOSSES["logistic"](), storage="sparse").rows
    with pytest.raises(InvalidInputError, match=r"needs dense rows"):
        spd1_vr_block_steps(**arguments | {"rows": sparse})
