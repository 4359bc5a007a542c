r"""Newton steps on the orthant of a point, for a small problem near its solution.

The face holds the coordinates that are not zero, those at zero whose slope asks them to move, with the sign
that it asks for, and those without a kink at zero. On it, with the signs :math:`\sigma` kept, the regularizer
is quadratic, and a step lowers

.. math:: \langle v + l_2 w + l_1 \sigma, d \rangle + \tfrac12 d' \Bigl( \tfrac1n A_F' \,\mathrm{diag}(s
          \phi'') A_F + \mathrm{diag}(l_2) \Bigr) d \qquad \text{over} \quad \sigma_j (w_j + d_j) \ge 0:

toward the solution of its equations up to the first coordinate that meets zero, which is held there for the
rest of the step, and on toward that of the others. Along the sum of it all P must fall, by Armijo's rule. For
a squared loss a step is the solution of the problem where the signs of the face are those of the solution.
Other orthant-wise Newton methods: R. H. Byrd, G. M. Chin, J. Nocedal and F. Oztoprak, A family of
second-order methods for convex l1-regularized optimization, Mathematical Programming 159, 2016.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dgesv, dpotrf, dpotrs

from fenchel._kernels.prox_newton import row_model
from fenchel.problem.certificate import Certificate
from fenchel.problem.problem import Problem
from fenchel.solvers.prox_newton.line_search import Direction, search
from fenchel.solvers.requirements import COMPILED
from fenchel.typing import FloatArray, IndexArray

__all__ = ["OrthantNewton", "over_orthant"]

_LARGEST = 200_000
"""Entries of the dense columns."""
_LARGEST_FACE = 400
_DROPS = 30
"""Coordinates that may leave in one step."""
_RIDGE = 1e-12
"""Of the unit diagonal: along directions without curvature the step is long, and some coordinate ends it."""


class OrthantNewton:
    """A primal point of a small problem, and how far it is from optimal.

    Attributes
    ----------
    w : ndarray of shape (n_coordinates,)
    z, u, v : ndarray
        Its scores, the gradient of the loss there, and the correlations of that: computed from ``w`` alone.
    violation : float
        The largest slope on the face, as a share of the l1 strength of its coordinate.
    entries_read : int
    """

    def __init__(self, problem: Problem, columns: FloatArray, w: FloatArray) -> None:
        form = problem.coordinate_form
        self.problem, self.columns, self.form = problem, columns, form
        self.kinked = (form.l1 > 0.0) | (form.lower == 0.0) | (form.upper == 0.0)
        self.unit = np.where(form.l1 > 0.0, form.l1, form.l1.max())
        self.loss = problem.kernel_loss
        self.w, self.entries_read = w, 0
        self._look()

    @staticmethod
    def serves(problem: Problem) -> bool:
        """Whether the steps are cheap, and their equations right: no bound but at zero, a curvature."""
        form = problem.coordinate_form
        ends = np.concatenate([form.lower, form.upper])
        return (
            problem.loss.smooth
            and COMPILED.holds(problem)
            and problem.n_samples * problem.n_coordinates <= _LARGEST
            and form.kinked
            and bool(np.all(np.isinf(ends) | (ends == 0.0)))
        )

    def _look(self) -> None:
        """Compute the slopes, the signs and the violation at the point."""
        form, w = self.form, self.w
        problem = self.problem
        self.z = self.columns @ w
        self.value, self.u, self.root = row_model(self.loss, self.z, problem.b, problem.sample_weight, 0.0)
        self.v = self.columns.T @ (problem.sample_weight * self.u) / problem.n_samples
        self.entries_read += 2 * self.columns.size
        slope = self.v + form.l2 * w
        up = (slope < -form.l1) & (form.upper > 0.0)
        down = (slope > form.l1) & (form.lower < 0.0)
        self.signs = np.where(w != 0.0, np.sign(w), up.astype(float) - down) * self.kinked
        self.face: IndexArray = ((self.signs != 0.0) | ~self.kinked).nonzero()[0]
        self.slope = (slope + form.l1 * self.signs)[self.face]
        self.violation = float(np.max(np.abs(self.slope) / self.unit[self.face], initial=0.0))

    def certificate(self) -> Certificate:
        """The certificate of the point, with its products at hand where no coordinate is free."""
        problem = self.problem
        if problem.has_zero_ends and problem.unpenalised.any():
            return problem.certify(self.w)
        return problem.certify_at(self.w, self.z, self.u, self.v)

    # A step of infinite length lowers nothing, and is not taken.
    @np.errstate(over="ignore", invalid="ignore")
    def step(self) -> bool:
        """Take a step; False where none is to be had. Cost: n m^2 + m^3 for m coordinates of the face."""
        face, problem = self.face, self.problem
        if not 0 < face.size <= _LARGEST_FACE or self.violation == 0.0:
            return False
        chosen = self.columns[:, face]
        self.entries_read += 2 * chosen.size
        old, new = self.w[face], self._minimised(self.root[:, None] * chosen)
        move = new - old
        dz = chosen @ move
        direction = Direction(self.form.restrict(face), old, move, dz, float(self.v[face] @ move))
        found = search(problem, self.z, self.value, direction)
        if found.length == 0.0:
            return False
        self.w = self.w.copy()
        # At full length exactly the minimiser, with its zeros.
        self.w[face] = new if found.length == 1.0 else old + found.length * move
        self._look()
        return True

    def _minimised(self, X: FloatArray) -> FloatArray:
        """Where the step ends, before P is asked."""
        face = self.face
        hessian = X.T @ X
        diagonal = hessian.diagonal() + self.form.l2[face]
        scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
        hessian *= scale
        hessian *= scale[:, None]
        hessian.flat[:: face.size + 1] = diagonal * scale * scale + _RIDGE
        start = self.w[face] / scale
        minimiser: FloatArray = scale * over_orthant(hessian, scale * self.slope, start, self.signs[face])
        return minimiser


def over_orthant(hessian: FloatArray, slope: FloatArray, start: FloatArray, signs: FloatArray) -> FloatArray:
    r"""Lower :math:`\langle r, x - x_0 \rangle + \tfrac12 (x - x_0)' H (x - x_0)` where the signs hold.

    Without kink the sign is 0. With the coordinates D held at zero, and m the minimiser of all, that of the
    others is :math:`m - B (B_D)^{-1} m_D`, B the columns D of the inverse of H: one factorisation serves all
    sets D. After 30 of them it ends where it stands; at the start where H is not positive definite.
    """
    factor, failed = dpotrf(hessian.T, clean=False)  # symmetric, and so in the order of Fortran
    if failed:
        return start
    whole: FloatArray = start - dpotrs(factor, slope)[0]
    x, goal, held = start.copy(), whole, list[int]()
    inverse = np.empty((start.size, _DROPS), order="F")
    while True:
        through = (goal * signs < 0.0).nonzero()[0]
        if through.size == 0:
            return goal
        lengths = x[through] / (x[through] - goal[through])
        shortest = lengths.min()
        x += shortest * (goal - x)
        ended = through[lengths <= shortest]
        x[ended] = 0.0
        if len(held) + ended.size > _DROPS:
            return x
        unit = np.zeros((start.size, ended.size), order="F")
        unit[ended, np.arange(ended.size)] = 1.0
        inverse[:, len(held) : len(held) + ended.size] = dpotrs(factor, unit)[0]
        held += ended.tolist()
        columns = inverse[:, : len(held)]
        # Of a singular system nothing comes back that lowers P, and the search for a length sees it.
        goal = whole - columns @ dgesv(columns[held], whole[held])[2]
        goal[held] = 0.0
