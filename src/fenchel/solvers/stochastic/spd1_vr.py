"""The stochastic primal-dual method with steps of O(1) and variance reduction."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from fenchel._kernels.spd1_vr_blocks import LARGEST_BLOCK
from fenchel.errors import InvalidInputError, UnsupportedProblemError
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.epochs import epoch_length
from fenchel.solvers.proximal_weights import effective_smoothness, proximal_alpha
from fenchel.solvers.requirements import COMPILED, SEPARABLE
from fenchel.solvers.stochastic import block_steps, entry_steps
from fenchel.solvers.stochastic.block_steps import BlockShape, block_shape
from fenchel.solvers.stochastic.entry_sampling import (
    EntrySampling,
    magnitude_sampling,
    uneven,
    uniform_sampling,
)
from fenchel.solvers.stochastic.entry_steps import contraction, entry_pass, theory_rho
from fenchel.solvers.stochastic.spd1_vr_state import SPD1VRState
from fenchel.typing import FloatArray

__all__ = ["SPD1VR", "SPD1VRState"]

_CENTRE_ACCURACY = 0.5
"""The centre moves when the gap of the inner game is at most this share of the move's own value."""
_VERY_ACCURATE = 0.2
"""At most this share: the proximal terms are stronger than they need be."""
_LEAST_SHRINKAGE = 1e-6
_EPOCH = 100_000
"""Steps that an epoch may make in several snapshots."""
_CHOICES = {"sampling": ("auto", "uniform", "magnitude"), "steps": ("balanced", "theory")}


@dataclass(frozen=True)
class SPD1VR(Solver[SPD1VRState]):
    r"""SPD1-VR: one entry of the matrix a step, with both gradients known at a snapshot.

    From a snapshot :math:`(w^s, u^s)` with :math:`v = A^\top(s \circ u^s)/n` and :math:`z = A w^s`, a step
    draws an entry (i, j) with probability :math:`p_{ij}`, and i' and j' in its column and its row, and makes
    an extragradient step of one coordinate of each side with the estimates

    .. math::
        \hat v_j = \frac{q_j}{n p_{ij}} a_{ij} s_i (u_i - u^s_i) + v_j, \qquad
        \hat z_i = \frac{\pi_i}{p_{ij}} a_{ij} (w_j - w^s_j) + z_i

    (q and pi are the marginals of p); first at (i', j) and (i, j') for points ahead, then at (i, j) with
    those, both from the old :math:`w_j` and :math:`u_i`. A pass of steps, then a new snapshot, whose
    products also give the duality gap for nothing. With a dense matrix and ``sampling="uniform"`` it is
    Algorithm 2 of the paper (whose first step of u lacks a bracket); the entries that are 0 in a sparse
    matrix are never drawn, which changes no expectation.

    Steps are balanced, and their product is searched for from the gaps, see
    ``fenchel.solvers.stochastic.entry_steps`` and ``step_search``; strengths :math:`l_{2j}` may differ,
    because the steps are those of the method in the variables :math:`\sqrt{l_{2j}} w_j`. Where some
    :math:`l_{2j} = 0` (an l1 part alone, a box, the intercept) or the loss has kinks, proximal terms
    around a centre are added, and the centre moved when the inner game is solved well enough; the
    certificate is always that of the problem itself.

    Parameters
    ----------
    sampling : {"auto", "uniform", "magnitude"}, default "auto"
        "uniform": all entries alike. "magnitude": in proportion to :math:`\sqrt{s_i} |a_{ij}| / \sqrt{m_j}`,
        m the curvatures, for entries of very different size; 24 bytes an entry for tables. "auto": magnitude
        where sizes differ much, else uniform.
    steps : {"balanced", "theory"}, default "balanced"
        "theory": the steps (9) of the paper, without search; hundreds of times shorter. Not for sampling by
        magnitude.
    rho : float, optional
        First product of the balanced steps; by default a cautious one for the shape of the problem.
    block : "auto", "entries" or (rows, columns), default "auto"
        How much of the matrix a step looks at. "entries": one entry, as in the paper. (rows, columns): the
        entries in so many consecutive rows and columns, up to 256 each; dense matrices only. "auto": blocks
        of 8 x 64 (wider on a large matrix, less on a narrow one) for a dense matrix of at least 10,000
        entries when neither ``sampling`` nor ``steps`` is given, else entries.
        Blocks read memory in runs, and need a prox of the conjugate only once a row: about ten times less
        time an entry. They are cut so that their sizes differ by at most one; an intercept is the last
        column of the last block.
    threads : int, default 1
        With 2, say, each thread makes its part of the steps on blocks, at the same time and on the same
        points, without locks. The result then differs from run to run, within the certificate. It can only
        pay on idle cores and large matrices.

    Raises
    ------
    InvalidInputError
        When a parameter has another value.
    UnsupportedProblemError
        When a run begins with blocks of a sparse matrix, or several threads on single entries.

    Notes
    -----
    Serves every scalar loss with every separable regularizer. Cost of a step: three entries, four proxes,
    whatever n and d. A snapshot: one step for every entry and two products, five passes in all. An epoch is
    one snapshot, up to ten on small problems. Memory: 64 bytes a row and a column beside the entries by
    rows and, if sparse, by columns. The number of snapshots to a given gap grows like the square root of the
    condition number in measurements (``python -m benchmarks spd``); the theorem of the paper has the
    condition number itself, for the steps (9). Without curvature there is no theorem of a rate.

    References
    ----------
    Tan, Zhang, Ma and Liu, Stochastic primal-dual method for empirical risk minimization with O(1)
    per-iteration complexity, NeurIPS 2018, Algorithm 2, corrected; the draws of non-zero entries, the
    balanced steps, their search and the proximal terms are ours.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import SPD1VR, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import ElasticNet
    >>> problem = Problem(np.eye(2), [3.0, 1.0], Squared(), ElasticNet(0.75, 0.5))
    >>> solve(problem, SPD1VR()).w.round(2)
    array([0.75, 0.  ])
    """

    name: ClassVar[str] = "spd1_vr"
    requires: ClassVar[tuple[Requirement, ...]] = (COMPILED, SEPARABLE)

    sampling: str = "auto"
    steps: str = "balanced"
    rho: float | None = None
    block: str | tuple[int, int] = "auto"
    threads: int = 1

    def __post_init__(self) -> None:
        """Refuse unknown values."""
        for name, known in _CHOICES.items():
            value = getattr(self, name)
            if value not in known:
                raise InvalidInputError(f"{name}={value!r} is unknown. Use one of {known}.")
        if self.steps == "theory" and self.sampling == "magnitude":
            raise InvalidInputError(
                "steps='theory' is for entries that are drawn uniformly. Use sampling='uniform'."
            )
        if self.rho is not None and not 0 < self.rho <= 1:
            raise InvalidInputError(f"rho is {self.rho}; it must be positive, and at most 1.")
        self._check_block()

    def _check_block(self) -> None:
        if self.threads < 1 or (self.threads > 1 and self.block == "entries"):
            raise InvalidInputError(f"threads is {self.threads}; entries are for 1, blocks for 1 or more.")
        if self.block in ("auto", "entries"):
            return
        sides = self.block if isinstance(self.block, tuple) else ()
        if len(sides) != 2 or not all(1 <= side <= LARGEST_BLOCK for side in sides):
            raise InvalidInputError(
                f"block={self.block!r} is unknown. Use 'auto', 'entries', or two sizes up to {LARGEST_BLOCK}."
            )
        if self.sampling == "magnitude" or self.steps == "theory":
            raise InvalidInputError(
                "Blocks are drawn in proportion to their size, with balanced steps. Use block='entries' with "
                "sampling='magnitude' or steps='theory'."
            )

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> SPD1VRState:
        """Start from ``start``, or from the point nearest zero and the derivatives there."""
        form, loss, b = problem.coordinate_form, problem.loss, problem.b
        w = start.primal_within(form)
        alpha = proximal_alpha(problem, w)
        beta = 0.0 if loss.smooth else 1.0 / effective_smoothness(problem, w)
        unit, sampling = self._draws(problem, np.sqrt(form.l2 + alpha))
        # No step visits a column or a row of zeros: its best value is known.
        w = np.where(sampling.column > 0, w, np.clip(0.0, form.lower, form.upper))
        z = problem.scores(w)
        u, given = loss.gradient(z, b), start.dual_within(problem)
        if given is not None:
            u = np.where(sampling.row > 0, given, u)
        v = problem.correlation(u)
        shape = self._shape(problem)
        if shape is None and self.threads > 1:
            raise UnsupportedProblemError(
                "SPD1VR draws single entries of this matrix, by one thread. Use threads=1, or a block=(rows, "
                "columns) if it is dense."
            )
        largest = (block_steps if shape else entry_steps).LARGEST_RHO
        state = SPD1VRState(
            rng=rng, entries_read=0, rho=1.0, limit=1.0, largest=largest, gap=inf, last_gap=inf, since=0,
            window=0, fall=0.0, last_rate=-inf, epoch=0, snapshots=0, w=w, u=u, v=v, z=z, best_w=w.copy(),
            best_u=u.copy(), best_v=v.copy(), best_z=z.copy(), alpha=alpha, beta=beta, shrinkage=1.0,
            centre_w=w.copy(), centre_u=u.copy(), unit=unit, choice=sampling.choice, in_row=sampling.in_row,
            in_column=sampling.in_column, row=sampling.row, column=sampling.column, spread=sampling.spread,
            mass=sampling.mass,
        )  # fmt: skip
        if self.rho is not None:
            state.rho = self.rho
        elif shape is None:
            state.rho = entry_steps.first_rho(problem, sampling, state.game)
        else:
            state.rho = shape.first_rho(problem, state.game)
        state.restart(state.game.gap(problem, w, u, z, v))
        return state

    def _shape(self, problem: Problem) -> BlockShape | None:
        """The shape of the blocks; None for single entries."""
        chosen = self.sampling != "auto" or self.steps != "balanced"
        return block_shape(problem, "entries" if self.block == "auto" and chosen else self.block)

    def _draws(self, problem: Problem, unit: FloatArray) -> tuple[FloatArray, EntrySampling]:
        """The scale of the coordinates, and the probabilities of the entries."""
        blocks = self._shape(problem) is not None
        automatic = self.sampling == "auto" and self.steps == "balanced" and not blocks
        if self.sampling == "magnitude" or (automatic and uneven(problem, unit)):
            return unit, magnitude_sampling(problem, unit)
        return np.ones_like(unit), uniform_sampling(problem)

    def run_epoch(self, problem: Problem, state: SPD1VRState) -> None:
        """One snapshot, or some on a small problem."""
        few = _EPOCH // max(problem.design.n_entries, 1)
        for _ in range(max(1, min(few, epoch_length(state.epoch)))):
            self.run_snapshot(problem, state)
        state.epoch += 1

    def run_snapshot(self, problem: Problem, state: SPD1VRState) -> None:
        """A pass of steps, the products, and what the gap says about steps and centre."""
        game = state.game
        rho = theory_rho(problem, game) if self.steps == "theory" else state.rho
        shape = self._shape(problem)
        if shape is None:
            state.entries_read += entry_pass(problem, state, rho)
        else:
            state.entries_read += shape.block_pass(problem, state, rho, self.threads)
        state.z[:], state.v[:] = problem.scores(state.w), problem.correlation(state.u)
        state.entries_read += 2 * problem.design.n_entries
        state.snapshots += 1
        gap = game.gap(problem, state.w, state.u, state.z, state.v)
        if self.steps == "balanced":
            speed = (
                contraction(problem, state.sampling, game, rho)
                if shape is None
                else shape.contraction(problem, game, rho)
            )
            verdict = state.judge(gap, speed, problem.rounding)
            if verdict.diverged:
                state.restore_best()
                return
            if verdict.better:
                state.keep_best()
        if not game.plain:
            self._move_centre(problem, state, gap)

    def _move_centre(self, problem: Problem, state: SPD1VRState, gap: float) -> None:
        """Move the centre when the inner game is solved well enough; loosen its terms when very well."""
        moved = state.game.moved(problem, state.w, state.u)
        if gap > _CENTRE_ACCURACY * moved:
            return
        if gap <= _VERY_ACCURATE * moved:
            state.shrinkage = max(0.5 * state.shrinkage, _LEAST_SHRINKAGE)
        state.centre_w[:], state.centre_u[:] = state.w, state.u
        state.keep_best()
        state.restart(state.game.gap(problem, state.w, state.u, state.z, state.v))

    def extract(self, problem: Problem, state: SPD1VRState) -> tuple[FloatArray, FloatArray]:
        """Both points as they are."""
        return state.w.copy(), state.u.copy()
