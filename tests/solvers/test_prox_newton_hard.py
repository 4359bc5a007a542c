"""Prox-Newton on hard problems of many kinds converges or stops honestly; the objective never rises."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import cases_solvers as cases
from fenchel import MaxPasses, Problem, RelativeGap, solve
from fenchel.losses import Huber, Logistic, SmoothedHinge, Squared, SquaredHinge
from fenchel.regularizers import L1, Box, ElasticNet, NonNegative, Regularizer, Ridge
from fenchel.solvers.prox_newton import gram_matrix as gram_module

LOSSES = [Logistic(), SquaredHinge(), SmoothedHinge(), Squared(), Huber(threshold=0.5)]


@st.composite
def hard_problems(draw: st.DrawFn) -> Problem:
    """Weak strengths, wide and tall data, nearly separable labels, columns of all scales and repeated."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    loss = draw(st.sampled_from(LOSSES))
    n, d = draw(st.integers(2, 60)), draw(st.integers(1, 80))
    A = rng.normal(size=(n, d))
    if draw(st.booleans()):
        A *= rng.random((n, d)) < draw(st.sampled_from([0.05, 0.3]))
    if draw(st.booleans()):
        A *= 10.0 ** rng.uniform(-6, 6, size=d)
    if draw(st.booleans()):
        A[:, rng.integers(d, size=d // 2)] = A[:, rng.integers(d, size=d // 2)]
    scores = A @ rng.normal(size=d)
    noise = draw(st.sampled_from([0.0, 0.05, 0.5]))
    b = scores / max(scores.std(), 1e-300) + noise * rng.normal(size=n)
    if loss.task == "classification":
        b = np.where((b > np.median(b)) ^ (rng.random(n) < noise), 1.0, -1.0)
    A = A.astype(draw(st.sampled_from([np.float32, np.float64])))
    weight = cases.weights(rng, draw(st.sampled_from(["none", "some", "zeros"])), n)
    intercept = draw(st.booleans())
    data = sp.csr_array(A) if draw(st.booleans()) else A
    regular: Regularizer = L1(1.0)
    base = Problem(data, b, loss, regular, sample_weight=weight, fit_intercept=intercept)
    l1 = base.zero_solution_strength() * 10.0 ** draw(st.floats(-4.0, -0.1))
    if not l1 > 0.0:
        l1 = 0.1
    regular = draw(
        st.sampled_from(
            [L1(l1), L1(l1), ElasticNet(l1, 0.1 * l1), NonNegative(l1=l1), Box(-0.5, 0.2, l1=l1), Ridge(l1)]
        )
    )
    return Problem(data, b, loss, regular, sample_weight=weight, fit_intercept=intercept)


def check_hard_problem(problem: Problem) -> None:
    """Run some hundred epochs; what is claimed must hold."""
    result = solve(problem, "prox_newton", stopping=RelativeGap(1e-6) | MaxPasses(6000))
    values = [record.certificate.primal for record in result.trace]
    assert np.all(np.isfinite(result.w))
    assert all(new <= old for old, new in pairwise(values))
    proven = problem.certify(result.w, result.u)
    assert proven.gap <= result.certificate.gap * (1 + 1e-9) + 1e-11 * cases.size(problem, proven.primal)


def check_hard_problems(count: int) -> None:
    @given(hard_problems())
    @settings(max_examples=count)
    def check(problem: Problem) -> None:
        check_hard_problem(problem)

    check()


by_columns_or_matrix = pytest.mark.parametrize("most_places", [0, 1000], ids=["columns", "matrix"])


@by_columns_or_matrix
def test_hard_problems_end_honestly(monkeypatch, most_places):
    monkeypatch.setattr(gram_module, "_MOST", most_places)
    check_hard_problems(60)


@pytest.mark.slow
@by_columns_or_matrix
def test_two_thousand_hard_problems_end_honestly(monkeypatch, most_places):
    """A thousand of either kind."""
    monkeypatch.setattr(gram_module, "_MOST", most_places)
    check_hard_problems(1000)
