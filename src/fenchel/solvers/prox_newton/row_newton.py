r"""Newton steps of all coordinates at once, where none has a kink or a bound: they read the rows alone.

.. math:: (A' \mathrm{diag}(h) A + \mathrm{diag}(l_2))\, \text{step} = -(v + l_2 w)

The curvatures of some rows stand for those of all: far from the optimum, and with many more rows than
columns, a share of them tells the model as well, and an iteration costs that share of a pass. The share grows
from epoch to epoch, and faster where the slope has not been halved. Other subsampled Newton methods: R. H.
Byrd, G. M. Chin, W. Neveitt and J. Nocedal, On the use of stochastic Hessian information in optimization
methods for machine learning, SIAM Journal on Optimization 21, 2011.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fenchel._kernels.row_newton import row_newton_step
from fenchel.numerics.damping import next_damping
from fenchel.numerics.semidefinite import solve_semidefinite
from fenchel.problem.problem import Problem
from fenchel.solvers.prox_newton.gradient import known_rows, take_gradient
from fenchel.solvers.prox_newton.gram_matrix import features_are_few, gram_of_rows, rows_are_short
from fenchel.solvers.prox_newton.line_search import Direction, search
from fenchel.solvers.prox_newton.state import ProxNewtonState
from fenchel.typing import FloatArray, IndexArray

__all__ = ["Sample", "first_rows", "newton_epoch", "newton_step", "sampled"]

_FIRST_SHARE, _ROWS_A_COLUMN, _FEWEST = 0.1, 4, 1000
"""The first sample: a tenth of the rows, four a column, or a thousand, whichever is most."""
_GROWTH, _FAST_GROWTH, _SLOW_FALL = 1.5, 3.0, 0.5
"""By how much the sample grows in an epoch, and in one that leaves more than this share of the slope."""
_TOLERANCE, _MOST_ITERATIONS, _DIRECT = 0.2, 200, 50
"""Conjugate gradients end at this share of the slope, or after so many products; with few features the matrix
takes their place after 50, which cost about as much."""


class Sample(NamedTuple):
    """Rows that stand for all, and their curvatures, which are the larger for it."""

    rows: IndexArray
    h: FloatArray


class NewtonStep(NamedTuple):
    """The step, what it leaves of the slope of the model, and the entries that it took."""

    step: FloatArray
    left: FloatArray
    entries: int


def first_rows(problem: Problem) -> int:
    """The size of the first sample."""
    n, d = problem.n_samples, problem.n_coordinates
    return min(n, max(int(_FIRST_SHARE * n), _ROWS_A_COLUMN * d, _FEWEST))


def newton_epoch(problem: Problem, state: ProxNewtonState) -> None:
    """A step along the Newton direction as far as P falls, and the gradient where it ends."""
    form, n = problem.coordinate_form, problem.n_samples
    slope = state.v + form.l2 * state.w
    rows = known_rows(problem, state)
    found = newton_step(problem, sampled(rows.root**2, state.sample), slope)
    dz = problem.scores(found.step)
    state.entries_read += found.entries + problem.design.n_entries
    direction = Direction(form, state.w.copy(), found.step, dz, float(state.v @ found.step))
    taken = search(problem, state.z, rows.value, direction)
    # The model falls by -(<slope, step> + <step, M step> / 2), and M step is left - slope.
    expected = -0.5 * float((slope + found.left) @ found.step)
    ratio = taken.fall / expected if expected > 0.0 else 1.0
    state.damping = next_damping(state.damping, taken.length, ratio)
    state.w += taken.length * found.step
    state.z += taken.length * dz
    if taken.length == 0.0:
        state.z[:] = problem.scores(state.w)  # Rounding is all that may be left to mend.
    take_gradient(problem, state)
    left = float(np.linalg.norm(state.v + form.l2 * state.w))
    slow = left > _SLOW_FALL * float(np.linalg.norm(slope))
    state.sample = min(n, int((_FAST_GROWTH if slow else _GROWTH) * state.sample))


def sampled(h: FloatArray, count: int) -> Sample:
    """About ``count`` of the rows at random, or all if there are no more; without those that h is 0 of.

    The draw is the same for every fit, so that the solver needs no seed to give the same model again.
    """
    n = h.size
    if count >= n:
        rows = np.flatnonzero(h)
        return Sample(rows, h[rows])
    drawn = np.random.default_rng(count).random(n) < count / n
    rows = np.flatnonzero(drawn & (h > 0.0))
    return Sample(rows, h[rows] * (n / max(int(drawn.sum()), 1)))


def newton_step(problem: Problem, sample: Sample, slope: FloatArray) -> NewtonStep:
    """Solve for the step: with the matrix where it is cheap, else by conjugate gradients.

    Cost: the squared lengths of the rows of the sample, and d^3; or its entries, once for every iteration.
    """
    if rows_are_short(problem):
        return _by_matrix(problem, sample, slope)
    few, left = features_are_few(problem), slope.copy()
    tolerance = _TOLERANCE * float(np.linalg.norm(slope))
    most = _DIRECT if few else _MOST_ITERATIONS
    step, steps = row_newton_step(
        problem.design.rows, sample.rows, sample.h, problem.coordinate_form.l2, most, tolerance, left
    )
    entries = (steps + 1) * int(problem.design.row_counts[sample.rows].sum())
    if few and float(np.linalg.norm(left)) > tolerance:
        return _by_matrix(problem, sample, slope, entries)
    return NewtonStep(step, left, entries)


def _by_matrix(problem: Problem, sample: Sample, slope: FloatArray, entries: int = 0) -> NewtonStep:
    l2 = problem.coordinate_form.l2
    gram = gram_of_rows(problem, sample.rows, sample.h)
    features, settles = slice(problem.n_features), 0.0 < gram.total < np.inf
    own = slope[-1] / gram.total if settles else 0.0
    step = np.zeros_like(slope)
    gram.matrix.flat[:: len(gram.matrix) + 1] += l2[features]
    step[features] = -solve_semidefinite(gram.matrix, slope[features] - own * gram.cross)
    if settles:
        step[-1] = -float(gram.cross @ step[features]) / gram.total - own
    return NewtonStep(step, np.zeros_like(slope), entries + gram.entries_read)
