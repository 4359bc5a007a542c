"""Proximal Newton steps on working sets of columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.prox_newton import violations
from fenchel._kernels.views import DenseLines
from fenchel.errors import InvalidInputError
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.numerics.damping import FIRST_DAMPING
from fenchel.problem.free import minimise_free
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Products, Requirement, Solver, Start
from fenchel.solvers.prox_newton.by_matrix import Effort, needed_at_once, solve_by_matrix
from fenchel.solvers.prox_newton.gradient import known_rows, rows_at, take_gradient
from fenchel.solvers.prox_newton.gram_matrix import few_dense_features, is_cheap
from fenchel.solvers.prox_newton.intercept import settle_intercept
from fenchel.solvers.prox_newton.levels import ROUGHLY, at_level, first_level, next_level
from fenchel.solvers.prox_newton.restricted import Precision, Restricted
from fenchel.solvers.prox_newton.row_newton import first_rows, newton_epoch
from fenchel.solvers.prox_newton.row_start import after_dual_passes
from fenchel.solvers.prox_newton.state import ProxNewtonState
from fenchel.solvers.prox_newton.working_set import holds, working_set
from fenchel.solvers.requirements import COMPILED, SEPARABLE, SMOOTH
from fenchel.typing import FloatArray, IndexArray

__all__ = ["ProxNewton"]

_PRECISION = 0.1
"""A model is minimised until no violation is above this share of the largest at its start."""
_SOLVED = 0.1
"""A working set is left when its largest violation has fallen below this share."""
_MOST_PASSES, _PASSES_AT_A_LEVEL = 100, 30
_PRECISION_AT_A_LEVEL = 0.06
"""At a level above 1, no more is asked for than this share of the l1 strength."""
_FIRST_SHARE, _FEWEST, _MOST = 20, 100, 1000
"""The first working set: a twentieth of the rows, within these limits. The least where rows beyond their
margin drop out: the first models hold nearly all rows, the optimum few, and many columns say little of it."""
_MANY_ROWS, _FAST_GROWTH, _SLOW_GROWTH, _GROWTH_OF_LEVELS = 5000, 5.0, 2.0, 3.0
_ROOM, _ROOM_WHERE_SPARSE = 50, 20
"""The least columns beside the support, else half as many as it has, in a set whose model is held as a
matrix: what they cost grows with the square of their number, most where the data is sparse."""
_MORE_STEPS, _SOLVED_WHOLE = 2, 0.01
"""A set outside of which nothing violates its optimality is left after so many times the steps, or at this
share: there is no other, and by its matrix steps cost less than epochs."""
_NEAR = 1e-4
"""With violations below this share of the l1 strength the scores are computed anew: their rounding shows."""


@dataclass(frozen=True)
class ProxNewton(Solver[ProxNewtonState]):
    r"""Proximal Newton for a smooth loss and a separable regularizer, on working sets.

    An epoch takes a working set W: the support, and the coordinates that violate their optimality most. On it
    the loss is replaced by a quadratic model with the curvatures :math:`h_i`,

    .. math::
        \min_d \; \langle v, d \rangle + \tfrac12 \| \mathrm{diag}(\sqrt h) A_W d \|^2 + g(w + d), \qquad
        h_i = \tfrac{s_i}n \max(\phi_i''(z_i), \theta \bar\phi_i(z_i)),

    minimised by passes of coordinate descent over a list that shrinks, with conjugate gradients on the
    support in between; the intercept is eliminated. The step is cut until the objective falls (Armijo); how
    well the model told the fall sets the damping :math:`\theta` (``Loss.damping_curvature`` is
    :math:`\bar\phi`). Columns of few entries take exact coordinate steps after that. One product :math:`v =
    A'(s \circ \phi'(z))/n` over all columns ends the epoch, and serves its certificate too.

    Where it costs less than passes (dense data, or short rows) the model is held as the matrix
    :math:`A_W' \mathrm{diag}(h) A_W`, corrected by the derivatives at the ends of the steps (BFGS) and
    made anew when W grows or the curvatures have changed by half; that of dense data with many rows grows
    with W while they have changed by at most 0.15. W is the support and half as many coordinates next to it,
    at least 50 (20 where the data is sparse).

    Without l1 part and bounds an epoch is a Newton step of all coordinates, by conjugate gradients on the
    curvatures of a sample of the rows that grows, or with their matrix where the rows are short. It reads the
    rows alone, and under a ridge that is not weak begins after two passes of dual ascent. Only dense data of
    at most 64 features with a ridge on each is one working set, whose matrix serves as above.

    Where the columns are more than the rows and the l1 part is weak, more than 200 times below the one with
    the zero solution (2000 for the logistic loss), larger ones come first (continuation).

    Parameters
    ----------
    models : int, default 2
        Newton steps on a working set, at most; twice as many by a matrix on one that holds all coordinates
        that violate their optimality.
    first_columns : int, optional
        Size of the first working set; by default a twentieth of the rows, within 100 and 1000, and 100 for a
        loss whose rows can drop out (``sparse_dual``).
    growth : float, optional
        How many times the support a working set may hold; by default 5 for more than 5,000 rows, else 2, and
        3 with continuation.

    Raises
    ------
    InvalidInputError
        If ``models`` or ``first_columns`` is below 1, or ``growth`` is not above 1.

    Notes
    -----
    A start takes one pass, an epoch one over all columns and some over the working set, whose entries are
    copied once a model, in float32 (the model is made anew before its rounding shows). Memory: the columns of
    A, the copies of W (8 bytes an entry when sparse, 4 when dense), O(n + d) beside; with a matrix at most 8
    MB for it, and sparse data whose matrix takes fewer products by rows is held by rows too. Steps by rows
    need the rows of A and O(n + d) alone.

    References
    ----------
    J. D. Lee, Y. Sun and M. A. Saunders. Proximal Newton-type methods for minimizing composite functions.
    SIAM Journal on Optimization 24, 2014.
    G.-X. Yuan, C.-H. Ho and C.-J. Lin. An improved GLMNET for l1-regularized logistic regression. Journal of
    Machine Learning Research 13, 2012.
    T. B. Johnson and C. Guestrin. Blitz: a principled meta-algorithm for scaling sparse optimization. ICML
    2015.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import Problem, ProxNewton, solve
    >>> from fenchel.losses import Logistic
    >>> from fenchel.regularizers import L1
    >>> problem = Problem(np.diag([4.0, 2.0]), [1.0, -1.0], Logistic(), L1(0.5))
    >>> result = solve(problem, ProxNewton())
    >>> result.w.round(3), result.status.solved
    (array([0.275, 0.   ]), True)
    """

    name: ClassVar[str] = "prox_newton"
    requires: ClassVar[tuple[Requirement, ...]] = (COMPILED, SMOOTH, SEPARABLE)

    models: int = 2
    first_columns: int | None = None
    growth: float | None = None

    def __post_init__(self) -> None:
        """Refuse parameters with which nothing would move."""
        for name in ("models", "first_columns"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InvalidInputError(f"{name}={value!r} is below 1. Use a whole number from 1 on.")
        if self.growth is not None and not self.growth > 1.0:
            raise InvalidInputError(f"growth={self.growth!r} is not above 1. Use 2 or more.")

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> ProxNewtonState:
        """Start from ``start.w``, or from zero with the best unpenalised coordinates."""
        w = start.primal_within(problem.coordinate_form)
        known = start.products
        if start.w is not None and start.u is not None and known is not None and np.array_equal(start.w, w):
            return _first(problem, rng, w, known.z.copy(), start.u.copy(), known.v.copy(), 0)
        entries = problem.design.n_entries
        if start.w is None and _has_free_features(problem):
            w = np.ascontiguousarray(minimise_free(problem, w))
        z = np.ascontiguousarray(problem.scores(w)) if w.any() else np.zeros(problem.n_samples)
        # On few rows a Newton step costs no more.
        if start.w is None and _steps_by_rows(problem) and first_rows(problem) < problem.n_samples:
            w, z, read = after_dual_passes(problem, w, z)
            entries += read
        u = problem.loss.gradient(z, problem.b)
        if problem.fit_intercept:
            entries += settle_intercept(problem, w, z, problem.mean_size(u))
            u = problem.loss.gradient(z, problem.b)
        return _first(problem, rng, w, z, u, problem.correlation(u), entries)

    def run_epoch(self, problem: Problem, state: ProxNewtonState) -> None:
        """Choose a working set, take Newton steps on it, and compute all correlations anew."""
        state.entries_read += state.unread
        state.unread = 0
        form, falls, largest = _current(problem, state)
        if largest == 0.0:
            return
        if state.sample:
            newton_epoch(problem, state)
            return
        features = slice(problem.n_features)
        support = np.flatnonzero(state.w[features])
        chosen = self._chosen(problem, state, falls[features], support)
        if is_cheap(problem, chosen.size):
            whole = holds(chosen, falls[features], support)
            solve_by_matrix(problem, state, form, chosen, self._effort(state, form, whole))
        else:
            self._solve_on(Restricted(problem, state, form, chosen))
        if largest <= _NEAR * float(form.l1.max(initial=0.0)):
            state.z[:] = problem.scores(state.w)
            state.entries_read += problem.design.n_entries
        take_gradient(problem, state)

    def extract(self, problem: Problem, state: ProxNewtonState) -> tuple[FloatArray, FloatArray]:
        """The coefficients, and the loss derivatives at their scores."""
        return state.w.copy(), state.u.copy()

    def products(self, problem: Problem, state: ProxNewtonState) -> Products | None:
        """Scores and correlation are at hand after every epoch.

        Not where features are free: their part of the dual point must be repaired first.
        """
        if _has_free_features(problem):
            return None
        return Products(state.z, state.v)

    def _chosen(
        self, problem: Problem, state: ProxNewtonState, falls: FloatArray, support: IndexArray
    ) -> IndexArray:
        """The next working set. A set whose matrix is at hand stays as long as it holds what is needed."""
        if problem.coordinate_form.quadratic:
            return np.arange(problem.n_features)
        size = self._size(problem, state, support.size)
        least = _ROOM if isinstance(problem.design.columns, DenseLines) else _ROOM_WHERE_SPARSE
        room = min(size, support.size + max(least, support.size // 2))
        room = max(room, needed_at_once(problem, state, falls, support))
        if not is_cheap(problem, room):
            return working_set(falls, support, size)
        if state.places.size and holds(state.places, falls, support):
            return state.places
        return working_set(falls, support, room, and_nearest=True)

    def _solve_on(self, part: Restricted) -> None:
        """Newton steps, each followed by exact ones, until the set is solved roughly."""
        enough = 0.0
        for k in range(self.models):
            # Those of the end of the last epoch serve this one.
            rows = known_rows(part.problem, part.state) if k == 0 else rows_at(part.problem, part.state)
            slopes = part.slopes(rows, fresh=k > 0)
            if slopes.violation <= enough:
                break
            enough = max(enough, _SOLVED * slopes.violation)
            precision = _precision(part.state, part.form, slopes.violation)
            moved = part.newton_step(rows, slopes, precision)
            part.exact_steps(precision.tolerance)
            if not moved:
                break

    def _effort(self, state: ProxNewtonState, form: CoordinateForm, whole: bool) -> Effort:
        """How well to solve a set by its matrix. Outside of a whole one nothing violates its optimality."""
        least, passes = _precision(state, form, 0.0)
        if whole:
            return Effort(_MORE_STEPS * self.models, _SOLVED_WHOLE, _PRECISION, least, passes)
        return Effort(self.models, _SOLVED, _PRECISION, least, passes)

    def _size(self, problem: Problem, state: ProxNewtonState, support: int) -> int:
        """How large the next working set may be."""
        n = problem.n_samples
        first, growth = self.first_columns, self.growth
        if first is None:
            most = _FEWEST if problem.loss.sparse_dual else _MOST
            first = min(max(n // _FIRST_SHARE, _FEWEST), most)
        if growth is None:
            growth = _FAST_GROWTH if n > _MANY_ROWS else _SLOW_GROWTH
            growth = _GROWTH_OF_LEVELS if state.continued else growth
        return max(first, int(growth * support), support + 1)


def _first(
    problem: Problem,
    rng: np.random.Generator,
    w: FloatArray,
    z: FloatArray,
    u: FloatArray,
    v: FloatArray,
    entries: int,
) -> ProxNewtonState:
    level = first_level(problem, v)
    return ProxNewtonState(
        rng=rng,
        entries_read=0,
        w=w,
        z=z,
        u=u,
        v=v,
        damping=FIRST_DAMPING,
        level=level,
        continued=level > 1.0,
        unread=entries,
        places=np.empty(0, dtype=np.int64),
        root=np.zeros(problem.n_samples),
        sample=first_rows(problem) if _steps_by_rows(problem) else 0,
    )


def _steps_by_rows(problem: Problem) -> bool:
    """Whether the steps are those of all coordinates at once, on samples of the rows.

    Few dense features with a ridge on each are one working set, whose matrix lasts.
    """
    form, features = problem.coordinate_form, slice(problem.n_features)
    if not form.quadratic:
        return False
    return not (few_dense_features(problem) and bool(np.all(form.l2[features] > 0.0)))


def _has_free_features(problem: Problem) -> bool:
    """Whether more than the intercept is free, which is settled in any case."""
    return bool(problem.coordinate_form.free[: problem.n_features].any())


def _current(problem: Problem, state: ProxNewtonState) -> tuple[CoordinateForm, FloatArray, float]:
    """The form at the level, which goes down while it is solved roughly, and the violations there."""
    while True:
        form = at_level(problem.coordinate_form, state.level)
        falls, largest = violations(form, state.v, state.w)
        if state.level == 1.0 or largest > ROUGHLY * float(form.l1.max()):
            return form, falls, largest
        state.level = next_level(problem.coordinate_form, state.v, state.level)


def _precision(state: ProxNewtonState, form: CoordinateForm, violation: float) -> Precision:
    """How well to solve a model that starts with the largest ``violation``."""
    tolerance = _PRECISION * violation
    if state.level > 1.0:
        tolerance = max(tolerance, _PRECISION_AT_A_LEVEL * float(form.l1.max(initial=0.0)))
    return Precision(tolerance, _PASSES_AT_A_LEVEL if state.continued else _MOST_PASSES)
