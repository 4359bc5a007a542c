"""A compiled pass and its twin, given the same order, do the same."""

from dataclasses import replace

import numpy as np
import pytest

import cases
from cases_kernels import BAD_VECTORS, FORMS, TOLERANCE, Case, D, N, copies, entries_of, make_case
from fenchel._kernels import coordinate as kernels
from fenchel._kernels.views import DenseLines
from fenchel.errors import InvalidInputError
from fenchel.losses.registry import LOSSES
from fenchel.numerics.coordinate import CoordinateForm, bound_on_level, scale_into
from fenchel.reference import coordinate as twins

COMPILED = [case.loss for case in cases.LOSSES if case.loss.compiled]


def primal_start(case: Case, rng: np.random.Generator, centred: bool) -> dict[str, np.ndarray]:
    """Constants and a start; a loss without smoothness gets the curvature of smoothness 1."""
    s = case.sample_weight[:, None]
    centre = (s * case.A).mean(axis=0) if centred else np.zeros(case.A.shape[1])
    if centred:
        centre[-1] = 0.0
    smoothness = case.loss.smoothness if case.loss.smooth else 1.0
    curvature = smoothness * (s * (case.A - centre) ** 2).mean(axis=0)
    w = np.clip(rng.normal(size=case.A.shape[1]), case.form.lower, case.form.upper)
    z = case.A @ w
    return {"curvature": curvature, "centre": centre, "w": w, "z": z, "u": case.loss.gradient(z, case.b)}


def assert_primal_pass_is_twin(case: Case, rng: np.random.Generator, centred: bool, tolerance: float) -> None:
    order = rng.integers(case.A.shape[1], size=4 * case.A.shape[1])
    start = primal_start(case, rng, centred)
    compiled, twin = copies(start), copies(start)
    shared = {"b": case.b, "sample_weight": case.sample_weight, "form": case.form}
    entries, change = kernels.primal_cd_pass(case.columns, order, case.kernel_loss, **shared, **compiled)
    expected_change = twins.primal_cd_pass(case.A, order, case.loss, **shared, **twin)
    for name in ("w", "z", "u"):
        np.testing.assert_allclose(compiled[name], twin[name], rtol=tolerance, atol=tolerance, err_msg=name)
    np.testing.assert_allclose(compiled["z"], case.A @ compiled["w"], rtol=tolerance, atol=tolerance)
    assert change == pytest.approx(expected_change, rel=tolerance)
    assert entries == sum(entries_of(case.columns, j) for j in order)


def sdca_start(case: Case, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Constants, and a start with ``v`` and ``w`` that belong to ``u``."""
    alpha = np.where(case.form.l2 > 0, 0.1, 0.3) * (rng.random(case.A.shape[1]) + 0.5)
    anchor = rng.normal(size=case.A.shape[1])
    squares = (case.A**2 / (case.form.l2 + alpha)).sum(axis=1)
    scale = case.sample_weight * squares
    step = np.divide(N, scale, out=np.zeros(N), where=scale > 0)
    u = case.loss.dual_domain(case.b).project(rng.normal(size=N))
    v = case.A.T @ (case.sample_weight * u) / N
    shifted = CoordinateForm(case.form.l1, case.form.l2 + alpha, case.form.lower, case.form.upper)
    w = shifted.lmo(v - alpha * anchor)
    return {"step": step, "alpha": alpha, "anchor": anchor, "v": v, "w": w, "u": u}


def assert_sdca_pass_is_twin(case: Case, rng: np.random.Generator, tolerance: float) -> None:
    order = rng.integers(N, size=3 * N)
    start = sdca_start(case, rng)
    compiled, twin = copies(start), copies(start)
    shared = {"b": case.b, "sample_weight": case.sample_weight, "form": case.form}
    entries = kernels.sdca_pass(case.rows, order, case.kernel_loss, **shared, **compiled)
    twins.sdca_pass(case.A, order, case.loss, **shared, **twin)
    for name in ("v", "w", "u"):
        np.testing.assert_allclose(compiled[name], twin[name], rtol=tolerance, atol=tolerance, err_msg=name)
    v = case.A.T @ (case.sample_weight * compiled["u"]) / N
    np.testing.assert_allclose(compiled["v"], v, rtol=tolerance, atol=tolerance)
    visited = order[(case.sample_weight[order] > 0) & (start["step"][order] > 0)]
    assert entries == sum(entries_of(case.rows, i) for i in visited)


every_loss = pytest.mark.parametrize("loss", COMPILED, ids=repr)
every_form = pytest.mark.parametrize("form", FORMS)
every_storage = pytest.mark.parametrize("storage", ["dense", "sparse"])
every_dtype = pytest.mark.parametrize("dtype", [np.float64, np.float32])


@every_loss
@every_form
@every_storage
@pytest.mark.parametrize("intercept", ["none", "plain", "centred"])
def test_primal_cd_pass_is_its_twin(rng, loss, form, storage, intercept):
    case = make_case(rng, loss, form, storage, intercept=intercept != "none")
    assert_primal_pass_is_twin(case, rng, intercept == "centred", 1e-12)


@every_loss
@every_form
@every_storage
@pytest.mark.parametrize("intercept", [False, True])
def test_sdca_pass_is_its_twin(rng, loss, form, storage, intercept):
    case = make_case(rng, loss, form, storage, intercept=intercept)
    assert_sdca_pass_is_twin(case, rng, 1e-12)


@every_loss
@every_storage
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rough_sdca_pass_is_the_twin_with_the_rough_prox(rng, loss, storage, dtype):
    case = make_case(rng, loss, "ridge", storage, dtype)
    start = sdca_start(case, rng)
    zero, l2 = np.zeros_like(start["alpha"]), float(case.form.l2[0])
    norms = case.sample_weight * (case.A**2).sum(axis=1) / l2
    step = np.divide(N, norms, out=np.zeros(N), where=norms > 0)
    start |= {"alpha": zero, "anchor": zero, "w": case.form.lmo(start["v"]), "step": step}
    compiled, twin, order = copies(start), copies(start), rng.integers(N, size=3 * N)
    shared = {"b": case.b, "sample_weight": case.sample_weight}
    entries = kernels.rough_sdca_pass(
        case.rows, order, case.kernel_loss, **shared, step=step, l2=l2, w=compiled["w"], u=compiled["u"]
    )
    twins.sdca_pass(case.A, order, case.loss, form=case.form, **shared, **twin, prox=twins.rough_prox)
    for name in ("w", "u"):
        np.testing.assert_allclose(compiled[name], twin[name], rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    visited = order[(case.sample_weight[order] > 0) & (step[order] > 0)]
    assert entries == sum(entries_of(case.rows, i) for i in visited)


@pytest.mark.parametrize("step", [0.003, 0.1, 1.0, 10.0, 1e3])
@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_the_rough_prox_is_near_the_prox(step, label):
    """Wherever the point lies, and from the first pass on, whose rows are all at an end of their domain."""
    loss, scores = LOSSES["logistic"](), np.linspace(-30.0, 30.0, 601)
    for old in (0.0, 0.2, 0.999):
        v, b = -label * old + step * scores, np.full(scores.size, label)
        near = twins.rough_prox(loss, v, b, step)
        np.testing.assert_allclose(near, loss.prox_conjugate(v, b, step), rtol=0, atol=2e-3)


@pytest.mark.parametrize("loss", [LOSSES["hinge"](), LOSSES["quantile"](), LOSSES["logistic"]()], ids=repr)
@every_storage
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("limits", [(0, 10**9), (7, 10**9), (7, 500)])
def test_sdca_round_is_its_twin(rng, loss, storage, intercept, limits):
    case = make_case(rng, loss, "box", storage, intercept=intercept)
    start = sdca_start(case, rng) | {"total": rng.normal(size=case.A.shape[1])}
    order, draws = rng.permutation(N), rng.integers(2**32, size=N, dtype=np.uint32)
    shared = {"b": case.b, "sample_weight": case.sample_weight, "form": case.form, "draws": draws}
    shared |= {"repeats": limits[0], "most": limits[1]}
    compiled, twin = copies(start), copies(start)
    entries = np.array([entries_of(case.rows, i) for i in range(N)])
    report = kernels.sdca_round(case.rows, order.copy(), case.kernel_loss, **shared, **compiled)
    assert report == twins.sdca_round(case.A, entries, order.copy(), case.loss, **shared, **twin)
    for name in ("v", "w", "u", "total"):
        np.testing.assert_allclose(compiled[name], twin[name], rtol=1e-12, atol=1e-12, err_msg=name)


@every_storage
def test_ridge_sdca_round_is_the_general_one(rng, storage):
    case = make_case(rng, LOSSES["hinge"](), "ridge", storage)
    l2, u = float(case.form.l2[0]), -case.b * rng.random(N)
    zero, v = np.zeros(case.A.shape[1]), case.A.T @ (case.sample_weight * u) / N
    norms = case.sample_weight * (case.A**2).sum(axis=1) / l2
    step = np.divide(N, norms, out=np.zeros(N), where=norms > 0)
    order, draws = rng.permutation(N), rng.integers(2**32, size=N, dtype=np.uint32)
    shared = {"b": case.b, "sample_weight": case.sample_weight, "step": step, "draws": draws}
    shared |= {"repeats": 3, "most": 10**9}
    start = {"w": -v / l2, "u": u, "total": zero}
    own, general = copies(start), copies(start)
    reports = (
        kernels.ridge_sdca_round(case.rows, order.copy(), case.kernel_loss, l2=l2, **shared, **own),
        kernels.sdca_round(
            case.rows, order.copy(), case.kernel_loss, form=case.form, alpha=zero, anchor=zero, v=v, **shared,
            **general,
        ),
    )  # fmt: skip
    assert reports[0] == reports[1]
    for name in start:
        np.testing.assert_allclose(own[name], general[name], rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("l2", [0.0, -1.0, np.nan])
def test_rough_sdca_pass_refuses_an_l2_that_is_not_positive(sdca_arguments, l2):
    names = ("rows", "order", "loss", "b", "sample_weight", "step", "w", "u")
    with pytest.raises(InvalidInputError, match="l2"):
        kernels.rough_sdca_pass(**{name: sdca_arguments[name] for name in names}, l2=l2)


@every_storage
@every_dtype
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("intercept", ["none", "plain", "centred"])
def test_passes_in_both_precisions_with_and_without_weights(rng, storage, dtype, weights, intercept):
    case = make_case(rng, LOSSES["logistic"](), "l1", storage, dtype, intercept != "none", weights)
    assert_primal_pass_is_twin(case, rng, intercept == "centred", TOLERANCE[dtype])
    assert_sdca_pass_is_twin(case, rng, TOLERANCE[dtype])


@every_storage
def test_empty_column_goes_to_the_minimiser_of_its_penalty(rng, storage):
    case = make_case(rng, LOSSES["squared"](), "away_from_zero", storage)
    start = primal_start(case, rng, centred=False)
    z = start["z"].copy()
    kernels.primal_cd_pass(
        case.columns, np.array([3]), case.kernel_loss, case.b, case.sample_weight, case.form, **start
    )
    assert start["w"][3] == 0.1
    np.testing.assert_array_equal(start["z"], z)


def test_constant_column_hands_its_coefficient_to_the_intercept(rng):
    case = make_case(rng, LOSSES["squared"](), "ridge", intercept=True, weights=False)
    A = case.A.copy()
    A[:, 0] = 2.0
    case = replace(case, A=A, columns=DenseLines(np.ascontiguousarray(A[:, :-1].T), D + 1, N, ones=True))
    start = primal_start(case, rng, centred=True)
    assert start["curvature"][0] == 0.0
    w, z = start["w"].copy(), start["z"].copy()
    kernels.primal_cd_pass(
        case.columns, np.array([0]), case.kernel_loss, case.b, case.sample_weight, case.form, **start
    )
    assert start["w"][0] == 0.0
    assert start["w"][-1] == pytest.approx(w[-1] + 2.0 * w[0], rel=1e-15)
    np.testing.assert_array_equal(start["z"], z)


def test_read_only_inputs_work(rng):
    case = make_case(rng, LOSSES["logistic"](), "l1", "sparse")
    for lines in (case.rows, case.columns):
        for array in (lines.data, lines.indices, lines.indptr):
            array.flags.writeable = False
    form = case.form
    for array in (case.b, case.sample_weight, form.l1, form.l2, form.lower, form.upper):
        array.flags.writeable = False
    assert_primal_pass_is_twin(case, rng, False, 1e-12)
    assert_sdca_pass_is_twin(case, rng, 1e-12)


@pytest.fixture
def primal_arguments(rng):
    case = make_case(rng, LOSSES["logistic"]())
    shared = {"b": case.b, "sample_weight": case.sample_weight, "form": case.form}
    lines = {"columns": case.columns, "order": np.arange(D), "loss": case.kernel_loss}
    return lines | shared | primal_start(case, rng, False)


@pytest.fixture
def sdca_arguments(rng):
    case = make_case(rng, LOSSES["hinge"]())
    shared = {"b": case.b, "sample_weight": case.sample_weight, "form": case.form}
    lines = {"rows": case.rows, "order": np.arange(N), "loss": case.kernel_loss}
    return lines | shared | sdca_start(case, rng)


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize("name", ["b", "sample_weight", "curvature", "centre", "w", "z", "u"])
def test_primal_cd_pass_refuses_bad_vectors(primal_arguments, name, bad):
    arguments = primal_arguments | {name: BAD_VECTORS[bad](primal_arguments[name])}
    with pytest.raises(
        InvalidInputError, match=rf"^{name} is .*the kernels need a C-contiguous float64 vector"
    ):
        kernels.primal_cd_pass(**arguments)


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize("name", ["b", "sample_weight", "step", "alpha", "anchor", "v", "w", "u"])
def test_sdca_pass_refuses_bad_vectors(sdca_arguments, name, bad):
    arguments = sdca_arguments | {name: BAD_VECTORS[bad](sdca_arguments[name])}
    with pytest.raises(
        InvalidInputError, match=rf"^{name} is .*the kernels need a C-contiguous float64 vector"
    ):
        kernels.sdca_pass(**arguments)


@pytest.mark.parametrize("name", ["l1", "l2", "lower", "upper"])
def test_passes_refuse_a_form_of_another_size(primal_arguments, sdca_arguments, name):
    for kernel, arguments in (
        (kernels.primal_cd_pass, primal_arguments),
        (kernels.sdca_pass, sdca_arguments),
    ):
        form = replace(arguments["form"], **{name: np.zeros(D + 1)})
        with pytest.raises(InvalidInputError, match=rf"^{name} is float64 of shape \({D + 1},\)"):
            kernel(**arguments | {"form": form})


@pytest.mark.parametrize("name", ["w", "z", "u"])
def test_primal_cd_pass_refuses_read_only_results(primal_arguments, name):
    primal_arguments[name].flags.writeable = False
    with pytest.raises(InvalidInputError, match=f"^{name} is read-only"):
        kernels.primal_cd_pass(**primal_arguments)


@pytest.mark.parametrize("name", ["v", "w", "u"])
def test_sdca_pass_refuses_read_only_results(sdca_arguments, name):
    sdca_arguments[name].flags.writeable = False
    with pytest.raises(InvalidInputError, match=f"^{name} is read-only"):
        kernels.sdca_pass(**sdca_arguments)


@pytest.mark.parametrize("order", [[-1], [0, 10**9]])
def test_passes_refuse_an_order_out_of_range(primal_arguments, sdca_arguments, order):
    for kernel, arguments in (
        (kernels.primal_cd_pass, primal_arguments),
        (kernels.sdca_pass, sdca_arguments),
    ):
        with pytest.raises(InvalidInputError, match=r"^order spans"):
            kernel(**arguments | {"order": np.array(order)})


def test_passes_refuse_an_order_of_32_bits(primal_arguments):
    with pytest.raises(InvalidInputError, match=r"^order is int32"):
        kernels.primal_cd_pass(**primal_arguments | {"order": np.arange(D, dtype=np.int32)})


def test_an_empty_order_changes_nothing(primal_arguments, sdca_arguments):
    empty = np.empty(0, dtype=np.int64)
    before = copies({name: primal_arguments[name] for name in ("w", "z", "u")})
    assert kernels.primal_cd_pass(**primal_arguments | {"order": empty}) == (0, 0.0)
    assert kernels.sdca_pass(**sdca_arguments | {"order": empty}) == 0
    for name, array in before.items():
        np.testing.assert_array_equal(primal_arguments[name], array)


def test_sdca_pass_refuses_coordinates_without_curvature(sdca_arguments):
    sdca_arguments["form"].l2[4] = 0.0
    sdca_arguments["alpha"][4] = 0.0
    with pytest.raises(InvalidInputError, match=r"l2 \+ alpha is 0.0 at coordinate 4"):
        kernels.sdca_pass(**sdca_arguments)


@every_loss
@pytest.mark.parametrize("weights", [False, True])
def test_row_shares_are_their_twin(rng, loss, weights):
    case = make_case(rng, loss, weights=weights)
    z, anywhere = rng.normal(size=N), 2.0 * rng.normal(size=N)
    for u in (loss.dual_domain(case.b).project(anywhere), anywhere):
        kernels.row_shares(case.kernel_loss, z, u, case.b, case.sample_weight, found := np.empty(N))
        expected = twins.row_shares(loss, z, u, case.b, case.sample_weight)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    z[4] = np.nan
    kernels.row_shares(case.kernel_loss, z, u, case.b, np.ones(N), found)
    assert np.isnan(found[4])


@pytest.mark.parametrize("bad", BAD_VECTORS)
def test_looks_refuse_arrays_of_another_kind(rng, bad):
    case = make_case(rng, LOSSES["squared"](), "ridge")
    good = np.zeros(N)
    with pytest.raises(InvalidInputError, match="u is"):
        kernels.row_shares(case.kernel_loss, good, BAD_VECTORS[bad](good), case.b, case.sample_weight, good)


@every_form
def test_conjugates_of_a_form_are_their_twins(rng, form):
    """Long enough for several blocks; values inside, outside and on the ends of the domains."""
    values = (np.repeat(value, 700) for value in FORMS[form])
    wide = CoordinateForm(*(value * (1.0 + rng.random(700)) for value in values))
    wide.l1[::5] = 0.0
    lower, upper = wide.conjugate_domain()
    for v in (
        rng.normal(size=700), 0.001 * rng.normal(size=700), np.clip(rng.normal(size=700), lower, upper),
        np.zeros(700),
    ):  # fmt: skip
        assert kernels.form_conjugate(wide, v) == pytest.approx(wide.conjugate(v), rel=1e-13)
        for level in (0.0, 0.7):
            bound = bound_on_level(kernels.form_excess(wide, v), level)
            assert bound == pytest.approx(wide.conjugate_on_level(v, level), rel=1e-13)
        low, high = np.minimum(lower, 0.0), np.maximum(upper, 0.0)
        scale = kernels.largest_scale(low, high, v)
        assert scale == pytest.approx(scale_into(v, low, high), rel=1e-14)
