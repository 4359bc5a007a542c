"""Small problems for the certificate, the driver and the solvers.

``draw`` makes a random problem. ``construct`` builds a problem around a chosen pair (w, u) that
satisfies the optimality conditions

    u_i in the subdifferential of phi_i at z_i,    -v in the subdifferential of g at w,

so that its optimal value is known to rounding.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from cases_regularizers import N_FEATURES
from fenchel import MaxPasses, Problem
from fenchel.losses import (
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    Loss,
    Quantile,
    SmoothedHinge,
    Squared,
    SquaredHinge,
)
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.regularizers import L1, Box, ElasticNet, L1Ball, L2Ball, NonNegative, Regularizer, Ridge
from fenchel.solvers.registry import SOLVERS

ROW_GRADIENTS = ("svrg", "saga")
"""The solvers that take one row's gradient at a time: linear convergence, as slow as the condition is bad."""
SUBLINEAR = ("psgd", "spd1", "smd", "ssm", "sublinear_multiclass")
"""The solvers whose gap closes as 1/t or slower: no test asks them for many digits."""
MIRROR = ("mirror_descent", "mirror_prox")
"""The solvers whose entropy steps move everything: sublinear too, with laws of their own."""
BEST_RESPONSE = ("frank_wolfe", "away_frank_wolfe", "gsfw", "adaptive_gsfw", "sfw", "svrf", "scgm", "scgs")
"""Frank-Wolfe and its stochastic kin: slow too, and on sets; tests/solvers/test_frank_wolfe.py asks them."""
MATRICES = ("soft_impute", "fully_corrective_frank_wolfe")
"""The solvers for coefficients that are a matrix; test_completion.py and test_cur.py have their laws."""
CONSTRAINED = ("dual_ascent", "accelerated_dual_ascent", "primal_mirror_descent", "perceptron")
"""The solvers for constraints on scores; test_dual_ascent.py and test_primal_mirror.py have their laws."""
ON_ROWS = [name for name in SOLVERS if name not in MATRICES]
"""The solvers for a data matrix."""
PRECISE = [name for name in ON_ROWS if name not in (*SUBLINEAR, *MIRROR, *BEST_RESPONSE, *CONSTRAINED)]
"""Those of them that reach small gaps."""
SCALAR = [name for name in PRECISE if name != "pairwise_frank_wolfe" and not name.startswith("multiclass_")]
"""Those that serve a scalar loss with any elastic net."""
ROUNDING = 1e-11
"""What rounding may do to a value, as a share of the values that were added."""


def targets(rng: np.random.Generator, loss: Loss, n: int, scale: float = 1.0) -> np.ndarray:
    """Labels, one-hot rows of three classes, reals, or a matrix of two outputs."""
    if loss.task == "classification":
        return rng.choice([-1.0, 1.0], size=n)
    if loss.task == "multiclass":
        return np.eye(3)[rng.integers(3, size=n)]
    return scale * rng.normal(size=(n, 2) if loss.vector_output else n)


def weights(rng: np.random.Generator, kind: str, n: int) -> np.ndarray | None:
    """No weights, positive ones, or some that are zero."""
    if kind == "none":
        return None
    drawn = rng.exponential(size=n) + 0.01
    if kind == "zeros":
        drawn[rng.permutation(n)[: n // 2]] = 0.0
    return drawn


def matrix(rng: np.random.Generator, kind: str, n: int, d: int) -> np.ndarray | sp.csr_array:
    """Gaussian columns, correlated ones, or ones with zero, constant and repeated columns and a zero row."""
    A = rng.normal(size=(n, d))
    if kind == "correlated":
        A = A * 0.1 + A[:, :1]
    if kind == "degenerate":
        A[:, 0] = 0.0
        A[:, 1 % d] = 2.0
        A[:, -1] = A[:, d // 2]
        A[n // 2] = 0.0
    if kind == "sparse":
        return sp.csr_array(A * (rng.random((n, d)) < 0.4))
    return A


def draw(
    rng: np.random.Generator,
    loss: Loss,
    g: Regularizer,
    *,
    n: int = 7,
    d: int = N_FEATURES,
    kind: str = "gaussian",
    weight: str = "none",
    intercept: bool = False,
    scale: float = 1.0,
) -> Problem:
    """A random problem."""
    A = scale * matrix(rng, kind, n, d)
    b = targets(rng, loss, n, scale)
    return Problem(A, b, loss, g, sample_weight=weights(rng, weight, n), fit_intercept=intercept)


def serving(problem: Problem, solvers: Iterable[str]) -> list[str]:
    """Those of the solvers that serve a problem."""
    return [name for name in solvers if SOLVERS[name].unmet(problem) is None]


def may_run_out(solver: str, problem: Problem) -> bool:
    """Whether a solver may end at the limit on passes there: what it proves must hold all the same.

    SPD1-VR has a linear rate only where both sides have curvature, and the rate of steps along single rows
    has no bound where they are fewer than the coordinates.
    """
    few_rows = problem.n_samples < problem.n_coordinates
    if not (solver == "spd1_vr" or (solver in ROW_GRADIENTS and few_rows)):
        return False
    modulus = problem.regularizer.strong_convexity(problem.n_features)
    return not (problem.loss.smooth and modulus > 0 and not problem.fit_intercept)


def limit_on_passes(solver: str, problem: Problem) -> MaxPasses:
    return MaxPasses(2_000 if may_run_out(solver, problem) else 20_000)


def size(problem: Problem, *values: float) -> float:
    """The magnitude that rounding is measured against."""
    losses = problem.loss.value(np.zeros_like(problem.b), problem.b)
    at_zero = float(np.mean(problem.sample_weight * losses))
    magnitudes = [abs(value) for value in (*values, at_zero) if np.isfinite(value)]
    return 1e-3 + float(sum(magnitudes))


@dataclass(frozen=True)
class Constructed:
    """A problem with an optimal pair; the optimal value is ``problem.primal_value(w)``."""

    problem: Problem
    w: np.ndarray
    u: np.ndarray

    @property
    def value(self) -> float:
        return self.problem.primal_value(self.w)

    @property
    def condition(self) -> float:
        """The largest curvature that a row can have, over the smallest of P on the support of ``w``."""
        problem, support = self.problem, np.flatnonzero(self.w)
        A = problem.design.select_columns(support)
        curvature = problem.sample_weight * problem.loss.curvature(problem.scores(self.w), problem.b)
        hessian = A.T @ (curvature[:, None] * A) / problem.n_samples
        hessian += np.diag(problem.coordinate_form.l2[support])
        rows = problem.sample_weight * problem.design.row_square_sums(np.ones(problem.n_coordinates))
        least = float(np.linalg.eigvalsh(hessian)[0])
        return problem.loss.smoothness * float(rows.max()) / least if least > 0 else np.inf


OPTIMAL_REGULARIZERS: dict[str, Regularizer] = {
    "l1": L1(0.05),
    "l1-weights": L1(0.05, weights=(0.0, 1.0, 2.0, 0.5)),
    "ridge": Ridge(0.2),
    "elastic_net": ElasticNet(0.03, 0.1),
    "box": Box(-0.6, 0.8),
    "box-elastic": Box(-0.6, 0.8, l1=0.002, l2=0.01),
    "non_negative-l1": NonNegative(l1=0.02),
    "l1_ball": L1Ball(1.2),
    "l1_ball-l1": L1Ball(1.2, l1=0.05),
    "l2_ball": L2Ball(1.2),
}


def construct(
    rng: np.random.Generator, loss: Loss, key: str, *, weight: bool = False, intercept: bool = False
) -> Constructed:
    """A problem of 9 rows and 4 features whose optimum is known."""
    n = 9
    z, u, b = _scores(rng, loss, n)
    s = rng.random(n) + 0.5 if weight else np.ones(n)
    if intercept:
        # The free column of ones asks for sum_i s_i u_i = 0.
        positive, negative = s @ np.maximum(u, 0.0), s @ np.maximum(-u, 0.0)
        s = np.where(u > 0, s * negative, s * positive)
    s = s / s.mean()
    q = s * u / n
    w, t = _coefficients(rng, OPTIMAL_REGULARIZERS[key], float(q @ z))
    offset = 0.3 if intercept else 0.0
    A = _matrix(rng, z - offset, w, q, t)
    problem = Problem(A, b, loss, OPTIMAL_REGULARIZERS[key], sample_weight=s, fit_intercept=intercept)
    return Constructed(problem, np.append(w, offset) if intercept else w, u)


def _scores(rng: np.random.Generator, loss: Loss, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, subgradients of the opposite sign, and the targets that belong to them."""
    sign = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    z = sign * (0.2 + 0.7 * rng.random(n))
    if loss.task == "classification":
        z[:2] = sign[:2]  # on the kink of the hinge
        u = loss.gradient(z, sign)
        return z, np.where(np.abs(z) == 1.0, u + _at_kink(loss, sign), u), sign
    lower, upper = (float(end) for end in _ends(loss))
    u = np.where(sign > 0, lower, upper) * rng.choice([0.4, 1.0], size=n)
    return z, u, _regression_targets(rng, loss, z, u, lower, upper)


def _at_kink(loss: Loss, b: np.ndarray) -> np.ndarray | float:
    return -0.3 * b if isinstance(loss, Hinge) else 0.0


def _ends(loss: Loss) -> tuple[float, float]:
    domain = loss.dual_domain(np.zeros(1))
    return max(domain.lower[0], -1.0), min(domain.upper[0], 1.0)


def _regression_targets(
    rng: np.random.Generator, loss: Loss, z: np.ndarray, u: np.ndarray, lower: float, upper: float
) -> np.ndarray:
    """Targets for which ``u`` is a subgradient at ``z``."""
    if isinstance(loss, Squared):
        return z - u
    beyond = np.where((u <= lower) | (u >= upper), np.sign(u) * rng.random(z.size), 0.0)
    if loss.smooth:  # Huber: the gradient is the residual up to the threshold
        return z - u - beyond
    margin = loss.margin if isinstance(loss, EpsilonInsensitive) else 0.0
    return z - np.sign(u) * margin - beyond


def _coefficients(rng: np.random.Generator, g: Regularizer, total: float) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients w and t = v in minus the subdifferential of g at w, with ``<t, w> = total < 0``."""
    direction = np.array([0.7, 0.0, -1.0, 0.4])
    if isinstance(g, L2Ball):
        w = g.radius * direction / np.linalg.norm(direction)
        return w, total / g.radius**2 * w
    if isinstance(g, L1Ball):
        w = g.radius * direction / np.abs(direction).sum()
        level = -total / g.radius  # the l1 part and the multiplier of the ball, together
        return w, -level * np.where(w == 0, 0.5, np.sign(w))
    form = g.coordinate_form(N_FEATURES)
    if np.isfinite(form.upper).any():
        return _at_bound(form, total)
    direction = np.abs(direction) if np.all(form.lower == 0) else direction
    # The step a at which sum_j l1 |a w| + l2 (a w)^2 = -total.
    l1, l2 = form.l1 @ np.abs(direction), form.l2 @ direction**2
    a = -total / l1 if l2 == 0 else (-l1 + np.sqrt(l1**2 - 4 * l2 * total)) / (2 * l2)
    w = a * direction
    t = -(form.l1 * np.sign(w) + form.l2 * w)
    t[w == 0] = 0.5 * form.l1[w == 0] * rng.choice([-1.0, 1.0])
    return w, t


def _at_bound(form: CoordinateForm, total: float) -> tuple[np.ndarray, np.ndarray]:
    """One coordinate at its bound, whose multiplier is free, makes up for the others."""
    w = np.array([form.upper[0], 0.0, -0.2, 0.1])
    t = -(form.l1 * np.sign(w) + form.l2 * w)
    t[0] = (total - t[1:] @ w[1:]) / w[0]
    return w, t


def _matrix(
    rng: np.random.Generator, z: np.ndarray, w: np.ndarray, q: np.ndarray, t: np.ndarray
) -> np.ndarray:
    """The matrix nearest to a random one with ``A w = z`` and ``A' q = t``; needs ``<q, z> = <t, w>``."""
    A = rng.normal(size=(z.size, w.size))
    short = z - A @ w
    return (
        A
        + np.outer(short, w) / (w @ w)
        + np.outer(q, t - A.T @ q) / (q @ q)
        - (q @ short) * np.outer(q, w) / ((q @ q) * (w @ w))
    )


def served(
    solvers: Iterable[str], losses: Iterable[Loss], regularizers: Iterable[Regularizer]
) -> pytest.MarkDecorator:
    """One test for each solver, loss and regularizer that go together: none is collected only to return."""
    problems = {(loss, g): draw(np.random.default_rng(0), loss, g) for loss in losses for g in regularizers}
    return _together("g", problems, solvers)


def served_keys(solvers: Iterable[str], losses: Iterable[Loss]) -> pytest.MarkDecorator:
    """One test for each solver, loss and row of ``OPTIMAL_REGULARIZERS`` that go together."""
    pairs = [(loss, key) for loss in losses for key in OPTIMAL_REGULARIZERS]
    problems = {pair: construct(np.random.default_rng(0), *pair).problem for pair in pairs}
    return _together("key", problems, solvers)


def construct_for(solver: str, rng: np.random.Generator, loss: Loss, key: str) -> Constructed:
    """A weighted problem with a known optimum, by chance with an intercept where the solver serves one."""
    known = construct(rng, loss, key, weight=True, intercept=bool(rng.integers(2)))
    return known if serving(known.problem, [solver]) else construct(rng, loss, key, weight=True)


def _together(
    last: str, problems: dict[tuple[Loss, Any], Problem], solvers: Iterable[str]
) -> pytest.MarkDecorator:
    triples = [(name, *pair) for pair, problem in problems.items() for name in serving(problem, solvers)]
    return pytest.mark.parametrize(("solver", "loss", last), triples, ids=str)


def primal_dual(problem: Problem, iterations: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """A primal and a dual point near the optimum, by the method of Chambolle and Pock (2011).

    It asks for no smoothness and no curvature, and uses no solver of the library. The dual is measured
    in the norm with weights ``s_i / n``, so that u_i moves by prox of its own conjugate.
    """
    A = problem.design.select_columns(np.arange(problem.n_coordinates))
    norm = np.linalg.norm(np.sqrt(problem.sample_weight / problem.n_samples)[:, None] * A, 2)
    step = 0.99 / norm if norm > 0 else 1.0
    w, u = problem.prox(np.zeros(problem.primal_shape), 0.0), np.zeros_like(problem.b)
    ahead = w
    for _ in range(iterations):
        u = problem.loss.prox_conjugate(u + step * problem.scores(ahead), problem.b, step)
        new = problem.prox(w - step * problem.correlation(u), step)
        w, ahead = new, 2.0 * new - w
    return w, u


# Eight problems with 8 rows and 5 features, solved by an independent primal-dual method to a gap below
# 1e-12 and checked against an interior-point solver: matrix, loss, regularizer, optimal value, optimal w.
EXACT_DATA = {
    "dense": [
        [0.39, 0.87, -0.64, 1.51, 0.1],
        [0.87, 1.44, -0.96, -0.75, 0.22],
        [0.92, 0.2, 0.77, -1.11, 0.28],
        [0.29, 0.27, -2.8, 1.68, 0.91],
        [-0.63, -0.33, -1.18, -0.05, 0.49],
        [-0.86, 0.66, 0.67, 0.38, 0.78],
        [-1.04, 0.16, -1.13, -0.39, -0.37],
        [-0.24, 1.22, -1.61, -0.56, -0.59],
    ],
    "sparse": [
        [0.39, 0.87, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, -0.75, 0.22],
        [0.0, 0.0, 0.0, -1.11, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, -0.05, 0.0],
        [-0.86, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.16, 0.0, -0.39, 0.0],
        [0.0, 1.22, 0.0, 0.0, 0.0],
    ],
    "labels": [-1.0, -1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0],
    "reals": [-0.39, -2.19, -0.01, 1.49, -0.23, -2.3, -1.13, -3.03],
}
EXACT = (
    ("dense", Logistic(), Ridge(0.1), 0.47858225233818424,
     [0.580272938028, -1.27771251892, -0.180015105606, -0.0830930718108, 0.610716220225]),
    ("sparse", Hinge(), Ridge(0.1), 0.7710468750000001,
     [0.5875, -1.2875, 0.0, -0.025, -0.275]),
    ("sparse", SquaredHinge(), ElasticNet(0.05, 0.05), 0.7474096205207398,
     [0.571186111208, -1.04203913235, 0.0, 0.0, -0.0805152972672]),
    ("dense", Huber(threshold=0.5), ElasticNet(0.05, 0.05), 0.32994596660848796,
     [0.759926613858, -1.5764119535, 0.0, 0.536839517628, 0.0]),
    ("sparse", Absolute(), NonNegative(l1=0.02, l2=0.1), 1.3363363357022564,
     [0.3875, 0.0, 0.0, 0.00900900900901, 0.0]),
    ("dense", Quantile(level=0.3), Box(-0.25, 0.5, l2=0.02), 0.6175130552930125,
     [0.0760869565221, -0.25, 0.5, 0.5, 0.5]),
    ("dense", SmoothedHinge(), ElasticNet(0.05, 0.05), 0.2246875837411762,
     [0.464541913381, -1.01523982718, -0.139519262748, -0.0679433511455, 0.548207384229]),
    ("sparse", Squared(), Box(-0.25, 0.5, l2=0.02), 1.1009597656249999,
     [0.5, -0.25, 0.0, 0.5, -0.25]),
)  # fmt: skip


def exact(index: int) -> tuple[Problem, float, np.ndarray]:
    """One problem of the table, its optimal value and its (unique) optimal point."""
    data, loss, regularizer, value, w = EXACT[index]
    b = EXACT_DATA["labels" if loss.task == "classification" else "reals"]
    A = np.array(EXACT_DATA[data])
    return Problem(sp.csr_array(A) if data == "sparse" else A, b, loss, regularizer), value, np.array(w)
