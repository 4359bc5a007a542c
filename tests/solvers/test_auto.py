"""What ``solver="auto"`` takes: something, for every problem that some solver serves."""

from itertools import product

import numpy as np
import pytest

from cases import CONSTRAINTS, LOSSES, MULTICLASS_LOSSES
from cases_regularizers import N_FEATURES, REGULARIZERS
from cases_solvers import matrix, targets
from fenchel import Problem, RelativeGap, UnsupportedProblemError, solve
from fenchel.design import BilinearDesign, CompletionDesign, Design
from fenchel.losses import Logistic, Loss, Softmax, Squared, SquaredHinge
from fenchel.regularizers import Regularizer, Ridge
from fenchel.solvers.registry import SOLVERS, choose_solver

EVERY_LOSS = [case.loss for case in (*LOSSES, *MULTICLASS_LOSSES, *CONSTRAINTS)]


def designs(rng: np.random.Generator) -> list[Design | np.ndarray]:
    """More rows than columns, fewer, sparse ones, and the two whose coefficients are a matrix."""
    m = N_FEATURES
    return [
        matrix(rng, "gaussian", 9, m),
        matrix(rng, "gaussian", 3, m),
        matrix(rng, "sparse", 9, m),
        CompletionDesign(np.arange(m), np.arange(m) % 3, (m, 3)),
        BilinearDesign(rng.normal(size=(3, m))),
    ]


def problems(rng: np.random.Generator, g: Regularizer) -> list[Problem]:
    """Those that can be stated: every loss on every design, with an intercept and without."""
    stated = []
    for loss, A, intercept in product(EVERY_LOSS, designs(rng), (False, True)):
        b = targets(rng, loss, A.shape[0])
        try:
            stated.append(Problem(A, b, loss, g, fit_intercept=intercept))
        except UnsupportedProblemError:
            assert isinstance(A, Design)  # A matrix of coefficients has its own refusals.
    return stated


@pytest.mark.parametrize("g", REGULARIZERS.values(), ids=REGULARIZERS)
def test_auto_serves_whatever_some_solver_serves(rng: np.random.Generator, g: Regularizer) -> None:
    stated = problems(rng, g)
    assert len(stated) >= 6 * len(EVERY_LOSS)
    for problem in stated:
        serve = [name for name, solver in SOLVERS.items() if solver.unmet(problem) is None]
        try:
            solver, reason = choose_solver(problem)
        except UnsupportedProblemError:
            assert not serve, (problem.loss, problem.design)
        else:
            assert solver.name in serve
            assert reason


@pytest.mark.parametrize("loss", [Squared(), Logistic(), Softmax()], ids=repr)
@pytest.mark.parametrize("key", ["squared_lp", "relative_entropy-prior", "row_column_ball"])
def test_regularizers_without_a_prox(rng: np.random.Generator, key: str, loss: object) -> None:
    A = matrix(rng, "gaussian", 40, N_FEATURES)
    problem = Problem(A, targets(rng, loss, 40), loss, REGULARIZERS[key], fit_intercept=True)
    result = solve(problem, stopping=RelativeGap(1e-3))
    assert result.solver == "frank_wolfe"
    assert result.reason == "the regularizer has a linear minimisation oracle alone"
    assert problem.certify(result.w, result.u).relative_gap <= 1e-3


@pytest.mark.parametrize(
    ("shape", "loss", "l2", "intercept", "expected"),
    [
        ((50, 120), Logistic(), 1.0, False, "sdca"),
        ((50, 120), SquaredHinge(), 1.0, False, "sdca"),
        ((300, 400), Logistic(), 1e-6, False, "sdca"),
        ((2_000, 101), Logistic(), 1.0, False, "prox_newton"),
        ((2_000, 1_001), Logistic(), 1.0, False, "sdca"),
        ((2_000, 101), Logistic(), 1e-3, False, "prox_newton"),
        ((2_000, 101), Logistic(), 1.0, True, "prox_newton"),
        ((2_000, 50), Logistic(), 1.0, False, "prox_newton"),
        ((2_000, 50), SquaredHinge(), 1.0, False, "prox_newton"),
        ((2_000, 50), SquaredHinge(), 1e-5, False, "primal_cd"),
        ((2_000, 80), SquaredHinge(), 1.0, False, "primal_cd"),
        ((10_000, 5), SquaredHinge(), 1.0, False, "prox_newton"),
        ((10_000, 5), SquaredHinge(), 1e-6, False, "primal_cd"),
    ],
    ids=repr,
)
def test_a_ridge_goes_to_the_side_where_it_is_quick(
    rng: np.random.Generator,
    shape: tuple[int, int],
    loss: Loss,
    l2: float,
    intercept: bool,
    expected: str,
) -> None:
    A = rng.normal(size=shape)
    problem = Problem(A, targets(rng, loss, shape[0]), loss, Ridge(l2), fit_intercept=intercept)
    assert choose_solver(problem)[0].name == expected
