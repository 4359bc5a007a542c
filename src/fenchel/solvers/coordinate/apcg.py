"""Accelerated stochastic dual coordinate ascent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.apcg import apcg_pass
from fenchel.errors import InvalidInputError
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start, State
from fenchel.solvers.coordinate.dual_start import dual_start, start_entries
from fenchel.solvers.epochs import LONGEST, epoch_length
from fenchel.solvers.requirements import COMPILED, CURVED, SEPARABLE, SMOOTH
from fenchel.typing import FloatArray, IndexArray

__all__ = ["APCG", "APCGState"]

_MOST_CURVED = 0.9
"""Nearer to 1 the share of strong convexity costs digits, and saves no passes."""
_CHANGE = 1.4
"""A root that the gap keeps up with is raised by this factor, and one that it is far behind is lowered."""
"""Passes of an epoch."""


@dataclass
class APCGState(State):
    """Sum and difference of the two dual sequences, what they add to v, D and the gap after the last epoch.

    ``visited`` are the rows that steps can move, ``step`` the c of SDCA, ``root`` the square root of mu and
    ``least_root`` the proven one, and ``unread`` are the entries that the start took.
    """

    epoch: int
    total: FloatArray
    difference: FloatArray
    v_total: FloatArray
    v_difference: FloatArray
    step: FloatArray
    visited: IndexArray
    root: float
    least_root: float
    value: float
    gap: float
    unread: int


@dataclass(frozen=True)
class APCG(Solver[APCGState]):
    r"""APCG: dual coordinate ascent with momentum, for regularizers that are weak beside the data.

    Of the two dual sequences x and z, with :math:`\alpha = \sqrt\mu / n` and
    :math:`c_i` the step of :class:`~fenchel.SDCA`,

    .. math::
        y = \frac{x + \alpha z}{1 + \alpha}, \qquad q = (1 - \alpha) z + \alpha y, \qquad
        w = \arg\min_w \; g(w) + \tfrac1n \langle A'(s \circ y), w \rangle,

        t = \mathrm{prox}_{\eta_i \phi_i^*}\Bigl(\frac{q_i - \sqrt\mu\, y_i}{1 - \sqrt\mu}
        + \eta_i \langle a_i, w \rangle\Bigr), \qquad \eta_i = \Bigl(1 + \frac1{\sqrt\mu}\Bigr) c_i,

        z \leftarrow q + (t - q_i) e_i, \qquad x \leftarrow y + \sqrt\mu\, (t - q_i) e_i,

    and with the loss :math:`1/\gamma`-smooth,

    .. math::
        \mu = \frac{\gamma n}{\gamma n + R^2}, \qquad R^2 = \max_i s_i \sum_k a_{ik}^2 / l_{2k}, \qquad
        \mathbb E[D^* - D(x_t)] \le \Bigl(1 - \frac{\sqrt\mu}n\Bigr)^t
        \Bigl(D^* - D(x_0) + \frac\gamma{2n} \sum_i s_i (u_i^* - u_i^0)^2\Bigr)

    where SDCA has :math:`\mu` in place of :math:`\sqrt\mu`. The answer is x, which is dual feasible, and its
    best response.

    Parameters
    ----------
    steps : {"adaptive", "theory"}, default "adaptive"
        "theory": this :math:`\mu`, and rows drawn with replacement. "adaptive": every row once a pass, in a
        new random order; :math:`\sqrt\mu` is raised by 1.4 after an epoch in which the gap fell by the factor
        :math:`1 - \sqrt\mu` a pass, for which the data must be curved too, and lowered where it fell by less
        than half of that, never below the proven one. Where D falls the momentum is dropped (z = x).

    Raises
    ------
    InvalidInputError
        If ``steps`` is another word.

    Notes
    -----
    Serves every smooth scalar loss with every separable regularizer that has an l2 part on every
    coordinate, of any strengths; the elastic net's w is evaluated on the support of the row alone. Cost of
    a step: the stored entries of the row, twice; they count once, as in SDCA. An epoch is up to ten passes,
    and one product with A for the gap where steps adapt. Memory O(n + d) beside the rows.

    It pays where :math:`R^2` is much larger than :math:`\gamma n` and rows are of similar size: mu goes by
    the largest row, while the steps of SDCA are as long as each allows. SDCA is the better choice for
    strong regularizers, for rows of very different size, and with its Newton steps.

    References
    ----------
    .. [1] Q. Lin, Z. Lu and L. Xiao, "An accelerated randomized proximal coordinate gradient method and its
       application to regularized empirical risk minimization", SIAM Journal on Optimization 25(4), 2015,
       Algorithms 3 and 4.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import APCG, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import ElasticNet
    >>> problem = Problem(np.eye(2), [3.0, 1.0], Squared(), ElasticNet(0.75, 0.5))
    >>> solve(problem, APCG()).w.round(2)
    array([0.75, 0.  ])
    """

    name: ClassVar[str] = "apcg"
    requires: ClassVar[tuple[Requirement, ...]] = (COMPILED, SMOOTH, SEPARABLE, CURVED)

    steps: str = "adaptive"

    def __post_init__(self) -> None:
        """Refuse steps that are none of the two."""
        if self.steps not in ("adaptive", "theory"):
            raise InvalidInputError(f"steps={self.steps!r} is unknown. Use 'adaptive' or 'theory'.")

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> APCGState:
        """Both sequences start from ``start``, or from zero (from the derivatives at zero for logistic)."""
        u = dual_start(problem, start)
        v = problem.correlation(u)
        squares = problem.sample_weight * problem.design.row_square_sums(1.0 / problem.coordinate_form.l2)
        root = _root(problem, float(squares.max()))
        moving = squares > 0.0
        step = np.divide(problem.n_samples, squares, out=np.zeros_like(squares), where=moving)
        return APCGState(
            rng=rng,
            entries_read=0,
            epoch=0,
            total=2.0 * u,
            difference=np.zeros_like(u),
            v_total=2.0 * v,
            v_difference=np.zeros_like(v),
            step=step,
            visited=np.flatnonzero(moving),
            root=root,
            least_root=root,
            value=-np.inf,
            gap=np.inf,
            unread=start_entries(problem, start, np.zeros_like(v) if start.w is None else start.w, u),
        )

    def run_epoch(self, problem: Problem, state: APCGState) -> None:
        """Some passes over the rows that can move; then the momentum and its share are looked at."""
        state.entries_read, state.unread = state.entries_read + state.unread, 0
        rows, loss = state.visited.size, problem.kernel_loss
        passes = max(epoch_length(state.epoch), min(LONGEST, int(1.0 / state.root))) if rows else 0
        for _ in range(passes):
            state.entries_read += apcg_pass(
                problem.design.rows,
                state.visited[self._draw(state)],
                loss,
                b=problem.b,
                sample_weight=problem.sample_weight,
                step=(1.0 + 1.0 / state.root) * state.step,
                form=problem.coordinate_form,
                root=state.root,
                rate=state.root / rows,
                total=state.total,
                difference=state.difference,
                v_total=state.v_total,
                v_difference=state.v_difference,
            )
        state.epoch += 1
        # The increments of a whole epoch have rounded: take the products afresh.
        state.v_total[:] = problem.correlation(state.total)
        state.v_difference[:] = problem.correlation(state.difference)
        if self.steps == "adaptive":
            _adapt(problem, state, passes)

    def _draw(self, state: APCGState) -> IndexArray:
        """The places among the visited rows of one pass."""
        rows = state.visited.size
        return state.rng.integers(rows, size=rows) if self.steps == "theory" else state.rng.permutation(rows)

    def extract(self, problem: Problem, state: APCGState) -> tuple[FloatArray, FloatArray]:
        """The best response to x, and x."""
        u, v = _point(problem, state)
        return problem.coordinate_form.lmo(v), u


def _root(problem: Problem, largest: float) -> float:
    """The square root of mu, for the largest ``s_i sum_k a_ik^2 / l2_k``."""
    own = problem.n_samples / problem.loss.smoothness
    return float(np.sqrt(min(own / (own + largest), _MOST_CURVED)))


def _point(problem: Problem, state: APCGState) -> tuple[FloatArray, FloatArray]:
    """The sequence x, which its two parts can round out of the domain, and its v."""
    u = problem.loss.dual_domain(problem.b).project(0.5 * (state.total - state.difference))
    return u, 0.5 * (state.v_total - state.v_difference)


def _adapt(problem: Problem, state: APCGState, passes: int) -> None:
    """Drop the momentum where D(x) fell; raise or lower the root by how fast the gap fell."""
    u, v = _point(problem, state)
    w = problem.coordinate_form.lmo(v)
    state.entries_read += problem.design.n_entries
    value = -problem.mean_conjugate(u) - problem.conjugate(-v)
    if value < state.value:
        for whole, part in ((state.total, state.difference), (state.v_total, state.v_difference)):
            whole -= part
            part[:] = 0.0
    gap = problem.primal_value(w) - value
    promised = state.gap * np.exp(-state.root * passes)
    if gap <= promised:
        state.root = min(_CHANGE * state.root, float(np.sqrt(_MOST_CURVED)))
    elif gap > np.sqrt(promised * state.gap):
        state.root = max(state.root / _CHANGE, state.least_root)
    state.value, state.gap = value, gap
