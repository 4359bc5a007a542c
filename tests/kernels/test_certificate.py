"""The compiled values of a certificate are those of the general path, which is in NumPy."""

import pickle

import numpy as np
import pytest

import cases
from fenchel import Problem
from fenchel._kernels.certificate import Certifier
from fenchel._kernels.losses import KernelLoss
from fenchel.errors import InvalidInputError
from fenchel.losses import Logistic, Softmax, Squared
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.regularizers import L1, Box, ElasticNet, L1Ball, NonNegative, NoPenalty, Ridge

N, D = 531, 7  # more than one block of rows
LOSSES = [case.loss for case in cases.LOSSES if case.loss.compiled and not case.loss.vector_output]
WEIGHTS = np.array([0.0, 0.5, 1.0, 2.0, 1.0, 0.3, 1.0])
REGULARIZERS = {
    "none": NoPenalty(),
    "l1": L1(0.05),
    "weighted l1": L1(0.05, WEIGHTS),
    "ridge": Ridge(0.1),
    "elastic net": ElasticNet(0.03, 0.1),
    "partly curved": ElasticNet(0.0, 0.1, WEIGHTS),
    "box": Box(-0.5, np.array([0.2, 0.0, 1.0, np.inf, 0.3, 2.0, np.inf])),
    "box with l1": Box(0.1, 0.4, l1=0.02),
    "non-negative": NonNegative(0.02),
}
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
every_regularizer = pytest.mark.parametrize("regularizer", REGULARIZERS.values(), ids=REGULARIZERS)


def make(loss, regularizer, rng, fit_intercept=False, zeros=True):
    A = rng.normal(size=(N, D)) + 0.3
    b = np.sign(rng.normal(size=N)) if loss.task == "classification" else rng.normal(size=N)
    weight = rng.random(N) + 0.1
    if zeros:
        weight[rng.random(N) < 0.2] = 0.0
    return Problem(A, b, loss, regularizer, sample_weight=weight, fit_intercept=fit_intercept)


def in_numpy(problem):
    """The same problem, certified by the general path."""
    assert problem.certifier is not None
    return problem._changed((), certifier=None)


def assert_same(problem, w, u):
    by_kernel, expected = problem.certify(w, u), in_numpy(problem).certify(w, u)
    assert by_kernel.primal == pytest.approx(expected.primal, rel=1e-12)
    size = 1.0 + abs(expected.dual)
    assert by_kernel.dual == pytest.approx(expected.dual, abs=1e-12 * size)
    assert by_kernel.radius == expected.radius
    # Of two points that prove the same either may be kept.
    again = in_numpy(problem).certify(w, by_kernel.dual_point)
    assert again.dual >= by_kernel.dual - 1e-11 * size


@every_loss
@every_regularizer
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_is_the_general_path(loss, regularizer, fit_intercept):
    rng = np.random.default_rng(0)
    problem = make(loss, regularizer, rng, fit_intercept)
    for scale in (0.0, 0.1, 3.0):
        w = scale * rng.normal(size=problem.n_coordinates)
        inside = problem.coordinate_form
        for point in (w, np.clip(w, inside.lower, inside.upper)):
            for u in (None, 0.01 * rng.normal(size=N), rng.normal(size=N), 100.0 * rng.normal(size=N)):
                assert_same(problem, point, u)


@every_loss
def test_extreme_scores(loss):
    problem = make(loss, L1(0.05), np.random.default_rng(1))
    rng = np.random.default_rng(2)
    for exponent in (-300, -20, 0, 2, 3, 20, 100):
        z = 10.0**exponent * rng.normal(size=N)
        w = np.zeros(D)
        expected = in_numpy(problem).primal_at_scores(w, z)
        assert problem.primal_at_scores(w, z) == pytest.approx(expected, rel=1e-12)


@every_loss
def test_the_mean_conjugate_is_that_of_the_general_path(loss):
    """Inside the domain, at zero and, where there is a domain, beyond it."""
    problem = make(loss, L1(0.05), np.random.default_rng(5))
    assert problem.certifier is not None
    inside = problem.loss.dual_domain(problem.b).project(np.random.default_rng(6).normal(size=N))
    for u in (np.zeros(N), inside, inside + 10.0):
        expected = problem.mean_conjugate(u)
        assert problem.certifier.mean_conjugate(u) == pytest.approx(expected, rel=1e-12, abs=1e-13)
    assert problem.conjugate_at_zero == pytest.approx(in_numpy(problem).conjugate_at_zero, abs=1e-13)


@every_loss
def test_bounds_beyond_the_domains_of_the_losses(loss):
    """What is not admissible proves nothing, and rows of weight zero do not count."""
    problem = make(loss, L1(0.05), np.random.default_rng(3))
    domain = problem.loss.dual_domain(problem.b)
    counts = problem.sample_weight > 0
    for u in (domain.upper, domain.lower, domain.upper + 1e-14, domain.upper + 1e-12):
        finite = np.where(np.isfinite(u), u, 0.0)
        for v in (np.zeros(D), np.full(D, 0.01)):
            value, _ = problem.certifier.best_bound(finite, v, 1.0, 0.0, 0.0)
            expected = -in_numpy(problem).mean_conjugate(finite)
            assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)
    outside = np.where(counts, 0.0, 1e3)
    value, _ = problem.certifier.best_bound(outside, np.zeros(D), 1.0, 0.0, 0.0)
    assert value == pytest.approx(-in_numpy(problem).mean_conjugate(outside), abs=1e-12)
    assert np.isfinite(value)


def test_the_far_tail_of_the_logistic_loss():
    """Zero where NumPy has zero, and nowhere below it."""
    problem = Problem(np.eye(2), np.ones(2), Logistic(), L1(0.05))
    for score in (600.0, 699.0, 710.0, 740.0, 746.0, 1024.0, np.inf):
        z = np.full(2, score)
        found, expected = (
            problem.primal_at_scores(np.zeros(2), z),
            in_numpy(problem).primal_at_scores(np.zeros(2), z),
        )
        assert expected <= found <= max(expected * (1 + 1e-12), 1e-303)
        assert found == 0.0 or score < 746.0


def test_small_and_large_dual_values_of_the_logistic_loss():
    rng = np.random.default_rng(4)
    problem = make(Logistic(), L1(0.05), rng, zeros=False)
    shares = [0.0, 5e-324, 1e-310, 1e-300, 1e-17, 1e-9, 0.3, 0.5, 1 - 1e-9, 1 - 1e-16, 1.0, 1 + 1e-14, -1e-14]
    for s in shares:
        u = -s * problem.b
        value, _ = problem.certifier.best_bound(u, np.zeros(D), 1.0, 0.0, 0.0)
        assert value == pytest.approx(-in_numpy(problem).mean_conjugate(u), rel=1e-13)


@every_loss
def test_what_is_not_a_number_shows(loss):
    problem = make(loss, L1(0.05), np.random.default_rng(5), zeros=False)
    z, u = np.zeros(N), np.zeros(N)
    z[300] = u[300] = np.nan
    assert np.isnan(problem.primal_at_scores(np.zeros(D), z))
    assert np.isnan(problem.primal_at_scores(np.full(D, np.nan), np.zeros(N)))
    value, _ = problem.certifier.best_bound(u, np.zeros(D), 1.0, 0.0, 0.0)
    assert not value > -np.inf
    certificate = problem.certify(np.zeros(D), u)
    assert certificate.dual <= certificate.primal


@every_regularizer
def test_value_of_the_regularizer(regularizer):
    rng = np.random.default_rng(6)
    problem = make(Squared(), regularizer, rng)
    for scale in (0.1, 1.0, 1e150):
        w = scale * rng.normal(size=D)
        at_zero = problem.primal_at_scores(np.zeros(D), np.zeros(N)) - regularizer.value(np.zeros(D))
        found = problem.primal_at_scores(w, np.zeros(N))
        if np.isfinite(at_zero):
            assert found == pytest.approx(at_zero + regularizer.value(w), rel=1e-12)
        else:
            assert found == pytest.approx(in_numpy(problem).primal_at_scores(w, np.zeros(N)), rel=1e-12)


def test_other_problems_have_no_kernel():
    class OwnLoss(Squared):
        pass

    A, b = np.eye(3), np.array([1.0, -1.0, 1.0])
    assert Problem(A, b, OwnLoss(), L1(0.1)).certifier is None
    assert Problem(A, b, Squared(), L1Ball(1.0)).certifier is None
    assert Problem(A, np.eye(3), Softmax(), L1(0.1)).certifier is None


def test_follows_the_regularizer_and_the_targets():
    rng = np.random.default_rng(7)
    problem = make(Logistic(), L1(0.05), rng)
    w = rng.normal(size=D)
    for other in (
        problem.with_regularizer(L1(0.2)),
        problem.with_target(-problem.b),
        pickle.loads(pickle.dumps(problem)),
        problem.restricted(np.array([1, 3]), L1(0.3)),
    ):
        point = w[: other.n_coordinates]
        assert other.primal_value(point) == pytest.approx(in_numpy(other).primal_value(point), rel=1e-13)


def test_wrong_sizes_are_refused():
    form = CoordinateForm.broadcast(D, l1=0.1)
    ones, domain = np.ones(N), form.conjugate_domain()
    with pytest.raises(InvalidInputError, match="sample_weight"):
        Certifier(KernelLoss("squared"), ones, np.ones(N - 1), form, domain)
    with pytest.raises(InvalidInputError, match="lower ends"):
        Certifier(KernelLoss("squared"), ones, ones, form, (np.zeros(2), domain[1]))
    certifier = Certifier(KernelLoss("squared"), ones, ones, form, domain)
    with pytest.raises(InvalidInputError, match="w is"):
        certifier.primal(np.zeros(D + 1), ones)
    with pytest.raises(InvalidInputError, match="v is"):
        certifier.best_bound(ones, np.zeros(D + 1), 1.0, 0.0, 0.0)
