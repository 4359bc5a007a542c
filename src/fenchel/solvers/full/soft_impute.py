"""Matrix completion: accelerated proximal gradient steps on low rank plus sparse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.optimize

from fenchel.design.completion import CompletionDesign
from fenchel.numerics.low_rank import LowRank
from fenchel.numerics.shrunk import Shrunk, shrink
from fenchel.problem.problem import Problem
from fenchel.regularizers.nuclear_ball import NuclearBall
from fenchel.solvers.base import Requirement, Solver, Start, State
from fenchel.solvers.requirements import FACTORED, SMOOTH
from fenchel.typing import FloatArray

__all__ = ["SoftImpute", "SoftImputeState"]


_FIRST_WIDTH = 8
"""Columns of the first basis, beyond those of the start."""


@dataclass
class SoftImputeState(State):
    """Two iterates in orthonormal factors, their scores and their product, the momentum, and a basis."""

    growing: ClassVar[Mapping[str, int]] = {"basis": 1}

    w: LowRank
    z: FloatArray
    previous_w: LowRank
    previous_z: FloatArray
    overlap: float
    momentum: float
    basis: FloatArray


@dataclass(frozen=True)
class _Step:
    """``W - S / L`` with W in factors and S sparse, as its products."""

    w: LowRank
    move: Any

    def matmat(self, block: FloatArray) -> FloatArray:
        """The product with a thin block."""
        product: FloatArray = self.move @ block + self.w @ block
        return product

    def rmatmat(self, block: FloatArray) -> FloatArray:
        """The product of the transpose with a thin block."""
        product: FloatArray = self.move.T @ block + self.w.T @ block
        return product


@dataclass(frozen=True)
class SoftImpute(Solver[SoftImputeState]):
    r"""Matrix completion in a nuclear ball: accelerated proximal gradient, with the matrix in factors.

    .. math::
        Y = W^t + \tfrac{\theta_t - 1}{\theta_{t+1}} (W^t - W^{t-1}), \qquad
        W^{t+1} = \Pi_r\!\left(Y - \tfrac1L \, A^\top (s \circ \phi'(A Y)) / n\right)

    The scores of an observation are an entry of W, so that :math:`L = \max s_i \, L_\phi / n`, with the
    weights of one position added up, and no step is searched for. The argument of the projection is of low
    rank plus sparse; its leading singular vectors come from one step of subspace iteration that begins at
    those of the last iteration. The momentum restarts when it points uphill, and while
    the rank outgrows the basis of that iteration.

    Notes
    -----
    For :class:`fenchel.design.CompletionDesign` with :class:`fenchel.regularizers.NuclearBall` and a smooth
    loss. A step costs O(n k + (m + p) k^2) at rank k and reads the observations about four times; an epoch is
    ``steps_per_epoch`` of them. Memory O(n + (m + p) k). Every iterate lies in the ball, so that its
    certificate holds although the projections are inexact. For the squared loss and without momentum this is
    Soft-Impute with the ball in place of the penalty.

    Parameters
    ----------
    steps_per_epoch : int, default 10

    References
    ----------
    .. [1] R. Mazumder, T. Hastie and R. Tibshirani, "Spectral regularization algorithms for learning large
       incomplete matrices", Journal of Machine Learning Research 11, 2010, Algorithm 1.
    .. [2] K.-C. Toh and S. Yun, "An accelerated proximal gradient algorithm for nuclear norm regularized
       least squares problems", Pacific Journal of Optimization 6, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import Problem, solve
    >>> from fenchel.design import CompletionDesign
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import NuclearBall
    >>> design = CompletionDesign([0, 0, 1], [0, 1, 0], (2, 2))
    >>> result = solve(Problem(design, [1.0, 1.0, 1.0], Squared(), NuclearBall(2.0)))
    >>> result.solver, result.w.toarray().round(2)
    ('soft_impute', array([[1., 1.],
           [1., 1.]]))
    """

    name: ClassVar[str] = "soft_impute"
    requires: ClassVar[tuple[Requirement, ...]] = (SMOOTH, FACTORED)

    steps_per_epoch: int = 10

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> SoftImputeState:
        """Start from ``start.w``, moved into the ball, or from the best multiple of a first step of low rank.

        Where few of many entries are observed a step is short, and its exact projection of high rank: the
        first one is a direction, of a narrow basis, that is searched as far as the ball reaches.
        """
        m, p = problem.primal_shape
        w: Any = problem.zeros() if start.w is None else _inside(problem, start.w)
        fresh = rng.normal(size=(p, _FIRST_WIDTH))
        basis = np.linalg.qr(np.hstack([w.right, fresh]))[0][:, : min(m, p)]
        if start.w is None:
            first = _projected(problem, w, np.zeros(problem.n_samples), basis, rng)
            w, basis = _best_multiple(problem, first.matrix), first.basis
        z = _scores(problem, w)
        return SoftImputeState(
            rng=rng,
            entries_read=4 * problem.design.n_entries,
            w=w,
            z=z,
            previous_w=w,
            previous_z=z,
            overlap=float(w.sizes @ w.sizes),
            momentum=1.0,
            basis=basis,
        )

    def run_epoch(self, problem: Problem, state: SoftImputeState) -> None:
        """Some accelerated steps."""
        for _ in range(self.steps_per_epoch):
            self._step(problem, state)

    def extract(self, problem: Problem, state: SoftImputeState) -> tuple[Any, None]:
        """The last iterate."""
        return state.w, None

    def _step(self, problem: Problem, state: SoftImputeState) -> None:
        momentum = 0.5 * (1.0 + float(np.sqrt(1.0 + 4.0 * state.momentum**2)))
        ahead = (state.momentum - 1.0) / momentum
        y, z_y = state.w, state.z
        if ahead > 0.0:
            y = (1.0 + ahead) * y + (-ahead) * state.previous_w
            z_y = z_y + ahead * (z_y - state.previous_z)
        found = _projected(problem, y, z_y, state.basis, state.rng)
        w, overlap = found.matrix, state.w.inner(found.matrix)
        restart = found.narrow or _points_uphill(state, w, overlap, ahead)
        state.momentum = 1.0 if restart else momentum
        state.previous_w, state.previous_z = state.w, state.z
        state.w, state.z, state.overlap, state.basis = w, _scores(problem, w), overlap, found.basis
        state.entries_read += (2 + found.products) * problem.design.n_entries


def _projected(
    problem: Problem, y: LowRank, z_y: FloatArray, basis: FloatArray, rng: np.random.Generator
) -> Shrunk:
    """The proximal gradient step from Y with the scores ``z_y``, as far as the basis sees it."""
    design, ball = problem.design, problem.regularizer
    assert isinstance(design, CompletionDesign)  # as FACTORED requires
    assert isinstance(ball, NuclearBall)
    # The step n / (max s L) leaves s / max s of the derivative of each loss.
    step = problem.loss.smoothness * design.largest_weight(problem.sample_weight)
    move = design.rmatvec(problem.sample_weight * problem.loss.gradient(z_y, problem.b) / -step)
    return shrink(_Step(y, move), ball.radius, basis, rng)


def _inside(problem: Problem, given: Any) -> Any:
    """A dense or factored matrix in orthonormal factors, projected onto the ball."""
    factored: Any = given.compressed() if isinstance(given, LowRank) else LowRank.of(given)
    return problem.prox(factored, 0.0)


def _best_multiple(problem: Problem, w: LowRank) -> LowRank:
    """The multiple of ``w`` in the ball with the smallest loss, to a few digits."""
    ball = problem.regularizer
    assert isinstance(ball, NuclearBall)  # as FACTORED requires
    if w.rank == 0:
        return w
    z = _scores(problem, w)
    found = scipy.optimize.minimize_scalar(
        lambda t: np.mean(problem.sample_weight * problem.loss.value(t * z, problem.b)),
        bounds=(0.0, ball.radius / float(w.sizes.sum())),
        method="bounded",
    )
    return float(found.x) * w


def _scores(problem: Problem, w: Any) -> FloatArray:
    return problem.scores(w)


def _points_uphill(state: SoftImputeState, w: LowRank, overlap: float, ahead: float) -> bool:
    """Whether ``<Y - W+, W+ - W> > 0``, with the products of the iterates in factors.

    The factors of an iterate are orthonormal, so that its norm is that of its sizes.
    """
    norm, previous_norm = float(w.sizes @ w.sizes), float(state.w.sizes @ state.w.sizes)
    change = overlap - previous_norm
    if ahead > 0.0:
        change += ahead * (change - state.previous_w.inner(w) + state.overlap)
    return change - norm + overlap > 0.0
