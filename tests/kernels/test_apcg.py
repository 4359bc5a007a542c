"""The compiled pass of accelerated dual coordinate ascent against its twin in the dense form."""

import numpy as np
import pytest

import cases
from cases_kernels import BAD_VECTORS, TOLERANCE, Case, N, copies, entries_of, make_case
from fenchel._kernels.apcg import apcg_pass
from fenchel.errors import InvalidInputError
from fenchel.losses.registry import LOSSES
from fenchel.reference.apcg import apcg_pass as twin_pass

SMOOTH = [case.loss for case in cases.LOSSES if case.loss.compiled and case.loss.smooth]
CURVED = ["ridge", "elastic_net", "non_negative", "away_from_zero"]
ROOT = 0.3

every_storage = pytest.mark.parametrize("storage", ["dense", "sparse"])


def start(case: Case, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Two dual points, their v, and steps by the rule."""
    squares = case.sample_weight * (case.A**2 / np.maximum(case.form.l2, 1e-3)).sum(axis=1)
    step = np.divide((1 + 1 / ROOT) * N, squares, out=np.zeros(N), where=squares > 0)
    domain = case.loss.dual_domain(case.b)
    x, z = (domain.project(rng.normal(size=N)) for _ in range(2))
    total, difference = x + z, z - x
    v_total, v_difference = (case.A.T @ (case.sample_weight * part) / N for part in (total, difference))
    return {
        "step": step,
        "total": total,
        "difference": difference,
        "v_total": v_total,
        "v_difference": v_difference,
    }


def shared(case: Case) -> dict[str, object]:
    constants = {"root": ROOT, "rate": ROOT / N}
    return {"b": case.b, "sample_weight": case.sample_weight, "form": case.form} | constants


def assert_twin(case: Case, rng: np.random.Generator, tolerance: float, steps: int = 3 * N) -> None:
    order, begin = rng.integers(N, size=steps), start(case, rng)
    compiled = copies(begin)
    entries = apcg_pass(case.rows, order, case.kernel_loss, **shared(case), **compiled)
    x, z = (begin["total"] - begin["difference"]) / 2, (begin["total"] + begin["difference"]) / 2
    twin_pass(case.A, order, case.loss, step=begin["step"], x=x, z=z, **shared(case))
    close = {"rtol": tolerance, "atol": tolerance}
    np.testing.assert_allclose((compiled["total"] - compiled["difference"]) / 2, x, **close)
    np.testing.assert_allclose((compiled["total"] + compiled["difference"]) / 2, z, **close)
    for part in ("total", "difference"):
        v = case.A.T @ (case.sample_weight * compiled[part]) / N
        np.testing.assert_allclose(compiled[f"v_{part}"], v, **close)
    visited = order[(case.sample_weight[order] > 0) & (begin["step"][order] > 0)]
    assert entries == sum(entries_of(case.rows, i) for i in visited)


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@pytest.mark.parametrize("form", CURVED)
@every_storage
def test_the_sparse_form_is_the_dense_one(rng, loss, form, storage):
    assert_twin(make_case(rng, loss, form, storage), rng, 1e-12)


@every_storage
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weights", [False, True])
def test_both_precisions_with_and_without_weights(rng, storage, dtype, weights):
    case = make_case(rng, LOSSES["logistic"](), "elastic_net", storage, dtype, weights=weights)
    assert_twin(case, rng, TOLERANCE[dtype])


def test_a_vanishing_power_is_folded_in(rng):
    """After 20,000 steps of 23 rows the power of the difference would be 1e-226."""
    assert_twin(make_case(rng, LOSSES["squared"](), "ridge"), rng, 1e-12, steps=20_000)


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize(
    "name", ["b", "sample_weight", "step", "total", "difference", "v_total", "v_difference"]
)
def test_bad_vectors_are_refused(rng, name, bad):
    case = make_case(rng, LOSSES["logistic"]())
    arguments = shared(case) | start(case, rng)
    arguments[name] = BAD_VECTORS[bad](arguments[name])
    with pytest.raises(InvalidInputError, match=rf"^{name} is .*C-contiguous float64 vector"):
        apcg_pass(case.rows, np.arange(N), case.kernel_loss, **arguments)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"order": np.array([-1])}, r"^order spans"),
        ({"root": 1.0}, r"^root is 1\.0; the pass needs it between 0 and 1\.$"),
        ({"rate": 0.0}, r"^rate is 0\.0; the pass needs it between 0 and 1\.$"),
    ],
)
def test_orders_and_constants_out_of_range_are_refused(rng, changes, reason):
    case = make_case(rng, LOSSES["logistic"]())
    arguments = {"order": np.arange(N)} | shared(case) | start(case, rng) | changes
    with pytest.raises(InvalidInputError, match=reason):
        apcg_pass(case.rows, loss=case.kernel_loss, **arguments)


def test_coordinates_without_curvature_are_refused(rng):
    case = make_case(rng, LOSSES["squared"](), "l1")
    arguments = shared(case) | start(case, rng)
    with pytest.raises(InvalidInputError, match=r"^l2 is 0\.0 at coordinate 0"):
        apcg_pass(case.rows, np.arange(N), case.kernel_loss, **arguments)
