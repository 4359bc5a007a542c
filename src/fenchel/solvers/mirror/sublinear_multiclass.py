"""Stochastic mirror descent whose steps cost less than the scores of a row: lazy on both sides."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.entropic import SampledGame
from fenchel._kernels.mirror_dense import DenseTables
from fenchel._kernels.mirror_sparse import SparseTables
from fenchel._kernels.views import DenseLines
from fenchel.errors import InvalidInputError, UnsupportedProblemError
from fenchel.losses.multiclass_hinge import MulticlassHinge
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.mirror.arguments import check_choice, check_positive, check_steps
from fenchel.solvers.mirror.entropic_sampling import (
    entropic_step,
    row_choice,
    row_maxima,
    sampled_game,
    unit_step,
)
from fenchel.solvers.mirror.radius import L1_GEOMETRY, first_radius, grown_radius, l1_strength
from fenchel.solvers.mirror.sublinear_state import (
    SublinearState,
    arrays_of,
    average_w,
    dual_average,
    scale_averages,
)
from fenchel.solvers.mirror.sublinear_steps import take_dense_steps, take_sparse_steps
from fenchel.solvers.requirements import MULTICLASS
from fenchel.typing import FloatArray

__all__ = ["SublinearMulticlass"]

_FULL = 1 << 28
"""Bytes that full tables may take where the choice is automatic."""
_SHARE = 8
"""The first epoch reads one entry for so many numbers of the two points."""
_EPOCH = 1 << 13
"""Steps that an epoch may take, however cheap a certificate is."""

SEVERAL_CLASSES = Requirement(
    holds=lambda problem: problem.b.ndim == 2 and problem.b.shape[1] > 1,
    reason=lambda problem: "it draws classes, and there is one",
    way_out="Any w is optimal for the loss then; w = 0 is optimal for the problem.",
)


@dataclass(frozen=True)
class SublinearMulticlass(Solver[SublinearState]):
    r"""Stochastic mirror descent with full sampling, every step in O(n + d + k) operations or fewer.

    In the game of :class:`~fenchel.SMD`, :math:`U \ge 0` of shape (2d, k) stands for
    :math:`w = U_{:d} - U_{d:}` with :math:`\|w\|_1 \le R`, and V with rows in the simplex for u = V - b.
    A draw takes one class h of one row j and one class m of one feature i,

    .. math::
        j \sim s_j \tau_j, \quad h \sim |V_j - b_j|, \qquad i \sim \sigma_i \textstyle\sum_l U_{il},
        \quad m \sim U_{im},

    and the estimates of :math:`\hat A^\top (s \circ (V - b))/n` and :math:`\hat A U` that it gives have one
    column each: a step changes column h of U and column m of V by factors, and everything else by factors
    that are common to all of U or to a row of V. So

    .. math::
        U = \alpha (W, 1/W), \qquad V_r = \beta_r \tilde V_r \;\text{(hinge)}, \qquad
        V_r = \mathrm{softmax}(\delta a_r) \;\text{(softmax)},

    where :math:`\alpha, \beta_r, \delta` take the common factors, and an average over time needs the sums
    A of :math:`\alpha` and :math:`B_r` of :math:`\beta_r` alone: an entry that has stood still since
    :math:`A_0` owes :math:`(W - 1/W)(A - A_0)`. When a scale has changed by 1024 its sums are settled and
    begin anew, for late terms must not drown in early ones. Sparse data need less: rows of V stay
    unnormalised, and what the decay of the true class adds to :math:`B_r` has a closed form.

    Parameters
    ----------
    rows : {"static", "optimal"}, default "static"
        ``optimal`` draws rows :math:`\sim s_j \tau_j \|V_j - b_j\|_1`: for the hinge with dense data alone.
        The bound is the same.
    draws : int, default 1
        Independent draws that are averaged in a step.
    steps : int, optional
        The number T of steps that the step size is made for: :math:`\gamma = \gamma_1 / \sqrt T`, see
        :class:`~fenchel.SMD`. By default T is the time so far, so that steps fall like :math:`1/\sqrt t`.
    step_multiple : float, default 8.0
        Multiplies the step size of the theorem. 4 to 16 is what works best; 1 is what is proved.
    radius : float, optional
        The first radius R under ``L1``, at most ``P(0) / strength``. By default a tenth of that. It doubles
        whenever an average of as many steps as before is near the boundary.
    storage : {"auto", "full", "hashed"}, default "auto"
        Whether sparse data get tables for all (n + d) k classes of rows and features, or hash tables of those
        that were touched. ``auto`` fills tables up to 256 MB.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.
    UnsupportedProblemError
        From a fit, if ``rows="optimal"`` meets softmax or sparse data, or ``storage="hashed"`` dense data.

    Notes
    -----
    Serves the softmax and the multiclass hinge with ``L1`` or ``L1Ball``, without an intercept. Dense data: a
    draw costs O(n + d + k); memory 16 (n + d) k bytes beside two views of A. Sparse data: O(r log d + c + t),
    with r and c the entries of the row and the column and t the classes that row and feature hold; hash
    tables take about 100 bytes a touched class. The gap closes like :math:`1/\sqrt T`, and products with all
    classes are left to the certificate: where those are affordable, :class:`~fenchel.MirrorProx` is the
    faster one. The point is the average of w with weights :math:`\gamma_t`; so is the dual point under the
    hinge, and under softmax it is the gradient at that point, since averages of V have no lazy form there.
    A step factor is cut at :math:`e^{\pm 300}`, and W at :math:`e^{\pm 650}`. Every run starts at the
    centres; a starting point counts for the result alone.

    References
    ----------
    Babichev, Ostrovskii and Bach, Efficient primal-dual algorithms for large-scale multiclass classification,
    2019, Algorithm 1, with its errors mended. Softmax, static rows, sparse data, hash tables, sample weights
    and the flushes are not in the paper.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import MaxPasses, Problem, SublinearMulticlass, solve
    >>> from fenchel.losses import MulticlassHinge
    >>> from fenchel.regularizers import L1Ball
    >>> problem = Problem(np.eye(3), np.eye(3), MulticlassHinge(), L1Ball(3.0))
    >>> result = solve(problem, SublinearMulticlass(), stopping=MaxPasses(20_000))
    >>> bool(result.certificate.gap < 0.05)
    True
    """

    name: ClassVar[str] = "sublinear_multiclass"
    requires: ClassVar[tuple[Requirement, ...]] = (MULTICLASS, SEVERAL_CLASSES, L1_GEOMETRY)

    rows: str = "static"
    draws: int = 1
    steps: int | None = None
    step_multiple: float = 8.0
    radius: float | None = None
    storage: str = "auto"

    def __post_init__(self) -> None:
        """Refuse what is not a choice, or not a positive number."""
        check_choice("rows", self.rows, ("static", "optimal"))
        check_choice("storage", self.storage, ("auto", "full", "hashed"))
        check_steps(self.steps)
        if isinstance(self.draws, bool) or not isinstance(self.draws, int) or self.draws < 1:
            raise InvalidInputError(
                f"draws={self.draws!r} is not a whole number above 0. Use 1, the default."
            )
        check_positive(self, "step_multiple", self.step_multiple)
        check_positive(self, "radius", self.radius)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> SublinearState:
        """Allocate the tables of the uniform point."""
        self._check_storage(problem)
        row_size = row_maxima(problem.design.rows)
        column_size = np.sqrt(problem.design.column_square_sums(problem.sample_weight))
        game = sampled_game(problem, row_size, column_size)
        radius = first_radius(problem, self.radius)
        if _is_dense(problem):
            tables: DenseTables | SparseTables = DenseTables.initial(game, radius)
        else:
            tables = SparseTables.initial(game, radius, self._hashes(problem))
        return SublinearState(
            rng=rng,
            entries_read=0,
            time=0,
            begun=0,
            weight=0.0,
            gamma=1.0,
            radius=radius,
            choice=row_choice(game.row_weight),
            row_size=row_size,
            column_size=column_size,
            **arrays_of(tables),
        )

    def run_epoch(self, problem: Problem, state: SublinearState) -> None:
        """Steps of one size: as many as so far, within what a certificate is worth; then the radius."""
        game = sampled_game(problem, state.row_size, state.column_size)
        if game.weight_sum == 0.0:  # A is zero wherever it counts, and so is the solution
            state.entries_read += max(1, problem.design.n_entries)
            return
        count = self._steps_of_epoch(problem, state)
        gamma = self._step_size(problem, state, game, state.time + count)
        scale_averages(state, _is_dense(problem), state.gamma / gamma)
        state.gamma = gamma
        step = entropic_step(game, gamma, state.radius, l1_strength(problem), self.draws)
        if _is_dense(problem):
            take_dense_steps(game, step, state, count, optimal=self.rows == "optimal")
        else:
            take_sparse_steps(game, step, state, count, problem.design)
        state.time += count
        state.weight += count
        self._widen(problem, state)

    def extract(self, problem: Problem, state: SublinearState) -> tuple[FloatArray, FloatArray | None]:
        """The averages; under softmax the certificate takes its dual point from the scores."""
        dense = _is_dense(problem)
        w = average_w(problem, state, dense)
        return w, dual_average(problem, state, dense) if isinstance(problem.loss, MulticlassHinge) else None

    def _steps_of_epoch(self, problem: Problem, state: SublinearState) -> int:
        """As many as so far, from what a certificate costs to some of a product with all classes."""
        design, k = problem.design, problem.b.shape[1]
        of_step = self.draws * sum(design.n_entries / size for size in design.shape)
        of_pass = math.ceil(design.n_entries / of_step)
        first = max(1, of_pass, math.ceil(sum(design.shape) * k / (_SHARE * of_step)))
        count: int = max(first, min(state.time, max(_EPOCH, of_pass * k // 4)))
        if self.steps is not None and state.time < self.steps:
            count = min(count, self.steps - state.time)
        return count

    def _step_size(self, problem: Problem, state: SublinearState, game: SampledGame, time: int) -> float:
        horizon = time if self.steps is None else self.steps
        unit = unit_step(
            *problem.design.shape, problem.b.shape[1], state.radius, game.column_size, game.row_weight
        )
        return self.step_multiple * unit / math.sqrt(horizon)

    def _widen(self, problem: Problem, state: SublinearState) -> None:
        """The same point in a larger ball, where it grows under L1; the averages begin anew.

        An average of fewer steps than came before it, or than there are classes of rows and features, says
        nothing.
        """
        if state.time - state.begun < max(state.begun, sum(problem.design.shape) * problem.b.shape[1]):
            return
        dense = _is_dense(problem)
        totals = state.primal_values[1] if dense else state.primal_values[:, 2]
        radius = grown_radius(problem, state.radius, totals / state.weight, _value_at_zero(problem))
        if radius > state.radius:
            state.scalars[[0] if dense else [0, 2]] *= radius / state.radius
            state.radius, state.begun = radius, state.time
            scale_averages(state, dense, 0.0)

    def _hashes(self, problem: Problem) -> bool:
        (n, d), k = problem.design.shape, problem.b.shape[1]
        full = 24 * (n + d) * k
        return self.storage == "hashed" or (self.storage == "auto" and full > _FULL)

    def _check_storage(self, problem: Problem) -> None:
        hinge, dense = isinstance(problem.loss, MulticlassHinge), _is_dense(problem)
        if self.rows == "optimal" and not (hinge and dense):
            raise UnsupportedProblemError(
                "SublinearMulticlass cannot draw rows='optimal' here: beyond the hinge with dense data that "
                "costs O(n k) a step. Use rows='static', which has the same bound."
            )
        if self.storage == "hashed" and dense:
            raise UnsupportedProblemError(
                "SublinearMulticlass cannot use storage='hashed' with dense data, whose steps touch every "
                "row. Use storage='auto', or a sparse matrix."
            )


def _is_dense(problem: Problem) -> bool:
    return isinstance(problem.design.rows, DenseLines)


def _value_at_zero(problem: Problem) -> float:
    """The penalty is 0 there, and an array of zeros not needed."""
    return float(np.mean(problem.sample_weight * problem.loss.value(np.zeros_like(problem.b), problem.b)))
