"""The certificates of the losses whose duals are points of a simplex: free intercepts, and stored values."""

import numpy as np
import pytest

import cases
from cases_solvers import draw
from fenchel import Problem
from fenchel.errors import InvalidInputError
from fenchel.losses import get_loss
from fenchel.problem.free import minimise_free
from fenchel.regularizers import L1, Ridge
from stored import stored

NAMES = {"hinge": "multiclass_hinge", "softmax": "softmax"}
each_loss = pytest.mark.parametrize("loss", [case.loss for case in cases.MULTICLASS_LOSSES], ids=repr)


@pytest.fixture
def oracle() -> dict:
    return stored("mirror_descent.json")


def problem_of(oracle: dict, record: dict) -> Problem:
    b = np.eye(oracle["k"])[oracle["y"]]
    return Problem(np.array(oracle["X"]), b, get_loss(NAMES[record["loss"]]), L1(record["lam"]))


@pytest.mark.parametrize("index", range(4))
def test_stored_evaluations(oracle, index):
    """Fixed points U and V: P, the largest correlation, and the dual value after scaling u toward zero."""
    record = oracle["evaluation"]["cases"][index]
    problem = problem_of(oracle, record)
    w, u = np.array(oracle["evaluation"]["U"]), np.array(oracle["evaluation"]["V"]) - problem.b
    largest = np.abs(problem.correlation(u)).max()
    assert problem.primal_value(w) == pytest.approx(record["primal"], rel=1e-13)
    assert -problem.mean_conjugate(u) == pytest.approx(record["neg_F"], rel=1e-13)
    assert largest == pytest.approx(record["G"], rel=1e-13)
    scaled = min(1.0, record["lam"] / largest) * u
    assert problem.dual_value(scaled) == pytest.approx(record["dual_penalised_by_shrinking"], rel=1e-12)
    certificate = problem.certify(w, u)
    assert certificate.dual >= record["dual_penalised_by_shrinking"] - 1e-14
    assert certificate.primal == problem.primal_value(w)


@pytest.mark.parametrize("index", range(10))
def test_stored_optima_are_above_every_bound(oracle, rng, index):
    record = oracle["problems"][index]
    if record["R"] is not None:
        return
    problem, w = problem_of(oracle, record), np.array(record["U"])
    assert problem.primal_value(w) == pytest.approx(record["p_star"], abs=1e-9)
    for size in (0.0, 0.01, 0.3):
        noise = size * rng.normal(size=(8, 3))
        point = problem.loss.prox_conjugate(problem.dual_point(w) + noise, problem.b, size + 0.01)
        assert problem.certify(w, point).dual <= record["p_star"] + 1e-12


@each_loss
@pytest.mark.parametrize("weight", ["none", "positive", "zeros"])
def test_a_free_intercept_is_paid_for_exactly(rng, loss, weight):
    """The repaired dual point balances every class, so that nothing but rounding is assumed."""
    problem = draw(rng, loss, Ridge(0.1), n=40, weight=weight, intercept=True)
    w = np.zeros(problem.primal_shape)
    u = 0.2 * problem.loss.prox_conjugate(rng.normal(size=(40, 3)), problem.b, 1.0)
    certificate = problem.certify(w, u)
    trivial = problem.dual_value(np.zeros_like(problem.b))
    assert certificate.dual > trivial + 1e-3
    assert np.abs(problem.correlation(certificate.dual_point)[-1]).max() <= 1e-16
    assert problem.loss.dual_domain(problem.b).contains(certificate.dual_point).all()
    assert problem.dual_value(certificate.dual_point) == pytest.approx(certificate.dual, abs=1e-11)


@each_loss
def test_a_class_without_samples_does_no_harm(rng, loss):
    """Its intercept has no minimiser; the bound holds all the same."""
    b = np.eye(4)[rng.integers(3, size=20)]
    problem = Problem(rng.normal(size=(20, 5)), b, loss, Ridge(0.2), fit_intercept=True)
    w = np.zeros(problem.primal_shape)
    least = np.inf
    for depth in (0.0, 3.0, 30.0, 300.0):
        w[-1, 3] = -depth
        least = min(least, problem.primal_value(w))
    certificate = problem.certify(w)
    assert np.isfinite(certificate.dual)
    assert certificate.dual <= least + 1e-12
    assert certificate.dual_point[:, 3] == pytest.approx(0.0, abs=1e-16)


def test_the_best_intercepts_of_softmax_are_the_log_frequencies(rng):
    b = np.eye(3)[np.repeat([0, 1, 2], [10, 5, 25])]
    s = rng.random(40) + 0.2
    problem = Problem(rng.normal(size=(40, 2)), b, get_loss("softmax"), L1(0.1), s, fit_intercept=True)
    w = minimise_free(problem, np.zeros(problem.primal_shape))
    share = problem.sample_weight @ b / 40
    np.testing.assert_allclose(w[-1] - w[-1].mean(), np.log(share) - np.log(share).mean(), atol=1e-9)


@each_loss
def test_minimising_the_free_coordinates_never_makes_a_point_worse(rng, loss):
    for _ in range(20):
        problem = draw(rng, loss, L1(0.1, weights=(0.0, 1.0, 1.0, 1.0)), n=12, intercept=True)
        w = 10 ** rng.uniform(-1, 2) * rng.normal(size=problem.primal_shape)
        better = minimise_free(problem, w)
        assert problem.primal_value(better) <= problem.primal_value(w) * (1 + 1e-15)


@each_loss
def test_targets_must_be_one_hot(loss):
    for bad in (
        [[0.0, 0.0], [1.0, 0.0]],
        [[1.0, 1.0], [0.0, 1.0]],
        [[0.5, 0.5], [1.0, 0.0]],
        [[-1.0, 1.0], [1, 0]],
    ):
        with pytest.raises(InvalidInputError, match="a single 1 among zeros"):
            Problem(np.eye(2), bad, loss, Ridge(0.1))
