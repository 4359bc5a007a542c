"""The compiled losses are the Python losses."""

import mpmath
import numpy as np
import pytest

import cases
from fenchel._kernels import losses as kernels
from fenchel._kernels.losses import LOSS_NAMES, KernelLoss
from fenchel.errors import InvalidInputError
from fenchel.losses.registry import LOSSES
from stored import stored

INSTANCES = [case.loss for case in cases.LOSSES if case.loss.compiled]

every_loss = pytest.mark.parametrize("loss", INSTANCES, ids=repr)


def kernel_of(loss):
    return KernelLoss(loss.name, loss.parameters)


def grid(loss, points):
    """All pairs of a point and a target."""
    targets = [-1.0, 1.0] if loss.task == "classification" else [-3.0, -0.5, 0.0, 2.0]
    x, b = np.meshgrid(points, targets)
    return x.ravel(), b.ravel()


EASY = np.linspace(-4.0, 4.0, 81)
FAR = np.array([-1e300, -1e8, -745.0, -40.0, -1e-300, 0.0, 1e-17, 36.0, 710.0, 1e12])


@every_loss
def test_value_and_gradient(loss):
    z, b = grid(loss, np.concatenate([EASY, FAR[1:]]))
    np.testing.assert_allclose(kernels.value(kernel_of(loss), z, b), loss.value(z, b), rtol=1e-14)
    np.testing.assert_allclose(kernels.gradient(kernel_of(loss), z, b), loss.gradient(z, b), rtol=1e-14)


@every_loss
def test_conjugate(loss):
    slack = np.array([-1 - 1e-14, 1 + 1e-14, -1e-14, 1e-14, -1 - 1e-12, 1 + 1e-12])
    u, b = grid(loss, np.concatenate([EASY, slack]))
    np.testing.assert_allclose(
        kernels.conjugate(kernel_of(loss), u, b), loss.conjugate(u, b), rtol=1e-14, atol=1e-15
    )


@every_loss
@pytest.mark.parametrize("step", [1e-6, 0.1, 1.0, 30.0, 1e6])
def test_prox_conjugate(loss, step):
    v, b = grid(loss, np.concatenate([EASY, FAR[1:]]))
    compiled = kernels.prox_conjugate(kernel_of(loss), v, b, np.full_like(v, step))
    np.testing.assert_allclose(compiled, loss.prox_conjugate(v, b, step), rtol=1e-12, atol=1e-15)


def logistic_prox(v, step, b):
    return float(kernels.prox_conjugate(KernelLoss("logistic"), *np.atleast_1d(v, b, step))[0])


def exact_logistic_prox(v, step, b):
    """Bisection for ``step z + sigmoid(z) = -b v`` with 50 digits; returns ``-b sigmoid(z)``."""
    with mpmath.workdps(50):
        p, c = -mpmath.mpf(b) * mpmath.mpf(v), mpmath.mpf(step)
        lower, upper = (p - 1) / c, p / c
        for _ in range(300):
            middle = (lower + upper) / 2
            below = c * middle + 1 / (1 + mpmath.exp(-middle)) < p
            lower, upper = (middle, upper) if below else (lower, middle)
        return float(-b / (1 + mpmath.exp(-lower)))


@pytest.mark.parametrize("b", [-1.0, 1.0])
@pytest.mark.parametrize(
    ("v", "step"),
    [
        (0.0, 1.0),
        (1e-17, 1e-3),
        (-1e-9, 1e-12),
        (0.5, 1e-12),
        (0.5 + 1e-15, 0.01),
        (1.0, 1e-10),
        (-1.0, 1e-10),
        (1 - 1e-12, 1e-6),
        (-300.0, 1.0),
        (37.0, 1.0),
        (-1e6, 1e6),
        (1e4, 3.0),
        (0.999, 1e8),
        (-20.0, 0.05),
    ],
)
def test_logistic_prox_at_hard_points(v, step, b):
    # The relative error of s is that of z times |z|, which c z <= |p| + 1 bounds.
    exact = exact_logistic_prox(v, step, b)
    size = min((abs(v) + 1) / step, 800.0)
    assert logistic_prox(v, step, b) == pytest.approx(exact, rel=1e-15 * (10 + size), abs=1e-300)


def test_logistic_prox_against_reference_values():
    v, step, b, t, _ = np.array(stored("spd-prox-logistic.json")["rows"]).T
    compiled = kernels.prox_conjugate(KernelLoss("logistic"), v, b, step)
    np.testing.assert_allclose(compiled, t, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("step", [1e-300, 1e-12, 1.0, 1e12, 1e300])
def test_logistic_prox_stays_in_the_domain(step):
    v = np.concatenate([EASY, FAR])
    s = -kernels.prox_conjugate(KernelLoss("logistic"), v, np.ones_like(v), np.full_like(v, step))
    assert np.all((s >= 0) & (s <= 1))


def test_enumeration_is_the_registry():
    assert set(LOSS_NAMES) == {name for name, cls in LOSSES.items() if cls.compiled}


def test_unknown_name_is_refused():
    with pytest.raises(InvalidInputError, match="No kernel knows the loss 'cauchy'"):
        KernelLoss("cauchy")


@pytest.mark.parametrize(
    ("name", "parameters"), [("huber", ()), ("squared", (1.0,)), ("quantile", (0.1, 0.2))]
)
def test_wrong_number_of_parameters_is_refused(name, parameters):
    with pytest.raises(InvalidInputError, match=rf"The loss '{name}' takes \d parameter\(s\), got"):
        KernelLoss(name, parameters)
