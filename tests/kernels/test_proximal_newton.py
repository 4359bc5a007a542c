"""The kernels of proximal steps on the dual do what their twins do."""

from dataclasses import dataclass

import numpy as np
import pytest

from cases_kernels import BAD_VECTORS, N, copies, make_case
from fenchel._kernels import proximal_newton as kernels
from fenchel.errors import InvalidInputError
from fenchel.losses.registry import LOSSES
from fenchel.reference import proximal_newton as twins
from fenchel.typing import FloatArray

KINKED = [LOSSES[name]() for name in ("hinge", "absolute", "quantile", "epsilon_insensitive")]
L2, C = 0.1, 3.0

every_loss = pytest.mark.parametrize("loss", KINKED, ids=repr)
every_storage = pytest.mark.parametrize("storage", ["dense", "sparse"])


@dataclass
class Start:
    """A case, the rows that move, and arguments as the kernels take them."""

    case: object
    order: np.ndarray
    vectors: dict[str, FloatArray]
    moving: dict[str, FloatArray]


def start_of(rng, loss, storage, rows=N, dtype=np.float64):
    case = make_case(rng, loss, "ridge", storage, dtype)
    w = rng.normal(size=case.A.shape[1])
    z = case.A @ w
    u = loss.dual_domain(case.b).project(0.5 * rng.normal(size=N))
    target, _ = twins.proximal_rows(loss, case.b, u, z, C)
    v = case.A.T @ (case.sample_weight * target) / N
    vectors = {"b": case.b, "sample_weight": case.sample_weight, "u": u}
    return Start(case, np.sort(rng.permutation(N)[:rows]), vectors, {"w": w, "z": z, "v": v})


@every_loss
def test_proximal_rows_are_their_twin(rng, loss):
    b = np.sign(rng.normal(size=500)) if loss.task == "classification" else rng.normal(size=500)
    u = loss.dual_domain(b).project(rng.normal(size=500))
    z = 2.0 * rng.normal(size=500)
    found = kernels.proximal_rows(make_case(rng, loss).kernel_loss, b, u, z, C)
    for compiled, twin in zip(found, twins.proximal_rows(loss, b, u, z, C), strict=True):
        np.testing.assert_allclose(compiled, twin, rtol=1e-12, atol=1e-12)


@every_loss
@every_storage
@pytest.mark.parametrize("rows", [4, 13, N])
@pytest.mark.parametrize("most", [1, 4])
def test_newton_steps_are_their_twin(rng, loss, storage, rows, most):
    """With few rows the smaller system is that of the rows."""
    start = start_of(rng, loss, storage, rows)
    case, shared = start.case, start.vectors | {"l2": L2, "c": C, "most": most, "tolerance": 1e-3}
    compiled, twin = copies(start.moving), copies(start.moving)
    steps = kernels.proximal_newton_steps(case.rows, start.order, case.kernel_loss, **shared, **compiled)
    assert steps == twins.proximal_newton_steps(case.A, start.order, loss, **shared, **twin)
    for name in start.moving:
        np.testing.assert_allclose(compiled[name], twin[name], rtol=1e-11, atol=1e-11, err_msg=name)


@every_loss
def test_newton_steps_end_at_the_proximal_point(rng, loss):
    start = start_of(rng, loss, "sparse")
    case, at = start.case, copies(start.moving)
    kernels.proximal_newton_steps(
        case.rows, start.order, case.kernel_loss, **start.vectors, l2=L2, c=C, most=50, tolerance=1e-13, **at
    )
    np.testing.assert_allclose(at["z"], case.A @ at["w"], rtol=1e-12, atol=1e-12)
    target, _ = twins.proximal_rows(loss, case.b, start.vectors["u"], at["z"], C)
    np.testing.assert_allclose(case.A.T @ (case.sample_weight * target) / N, -L2 * at["w"], atol=1e-12)


@every_loss
def test_search_is_its_twin(rng, loss):
    start = start_of(rng, loss, "dense")
    case, w, z = start.case, start.moving["w"], start.moving["z"]
    for _ in range(20):
        dw = rng.normal() * (L2 * w + start.moving["v"] + 0.1 * rng.normal(size=w.size))
        arguments = start.vectors | {"l2": L2, "c": C, "w": w, "dw": dw, "z": z, "dz": case.A @ dw}
        found = kernels.proximal_search(case.kernel_loss, **arguments)
        assert found == pytest.approx(twins.proximal_search(loss, **arguments), rel=1e-10)


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize("name", ["b", "sample_weight", "u", "w", "z", "v"])
def test_newton_steps_refuse_bad_vectors(rng, name, bad):
    start = start_of(rng, KINKED[0], "dense")
    arguments = start.vectors | start.moving
    arguments[name] = BAD_VECTORS[bad](arguments[name])
    with pytest.raises(InvalidInputError, match=rf"^{name} is "):
        kernels.proximal_newton_steps(
            start.case.rows,
            start.order,
            start.case.kernel_loss,
            l2=L2,
            c=C,
            most=1,
            tolerance=0.0,
            **arguments,
        )


@pytest.mark.parametrize("wrong", [{"l2": 0.0}, {"c": 0.0}, {"c": np.nan}])
def test_newton_steps_refuse_lengths_that_are_not_positive(rng, wrong):
    start = start_of(rng, KINKED[0], "dense")
    arguments = start.vectors | start.moving | {"l2": L2, "c": C} | wrong
    with pytest.raises(InvalidInputError, match="l2 and c"):
        kernels.proximal_newton_steps(
            start.case.rows, start.order, start.case.kernel_loss, most=1, tolerance=0.0, **arguments
        )
