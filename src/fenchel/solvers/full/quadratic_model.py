r"""The second-order model of a loss with several outputs, plus the regularizer, and its minimiser.

.. math:: m(x) = \langle \nabla f(w), x - w \rangle + \tfrac12 \|x - w\|_H^2 + g(x)

With an intercept the columns are centred: the moves of a feature take the intercept along, so that columns
far from zero do not make the Hessian nearly singular.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from fenchel.losses.squared import Squared
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.numerics.semidefinite import solve_semidefinite
from fenchel.problem.problem import Problem
from fenchel.regularizers.separable import SeparableRegularizer
from fenchel.solvers.base import Start
from fenchel.solvers.coordinate.primal_cd import PrimalCD
from fenchel.typing import FloatArray

__all__ = ["QuadraticModel"]

_JITTERS = (1e-10, 1e-7, 1e-4)
"""Shares of the unit diagonal that are added: the Hessian may be singular."""
_INNER_EPOCHS = 30
_INNER_GAP = 0.01
"""The gap of the model that is accepted, as a share of its fall."""


@dataclass(frozen=True, eq=False)
class _Entries(SeparableRegularizer):
    """A regularizer with strengths and bounds for every coefficient of every output."""

    form: CoordinateForm

    def coordinate_form(self, n_features: int) -> CoordinateForm:
        return self.form


@dataclass(frozen=True, eq=False)
class QuadraticModel:
    """The model at one point, its coefficients in one line: those of a coordinate beside each other.

    Attributes
    ----------
    w : ndarray of shape (D, k)
        The point, in centred coordinates, as are ``slope`` (D, k) and ``hessian`` (D k, D k).
    centre : ndarray of shape (D,)
        The column means; 0 for the intercept, and for all where there is none.
    entries : int
        The entries of A that the Hessian took.
    """

    w: FloatArray
    slope: FloatArray
    hessian: FloatArray
    centre: FloatArray
    entries: int

    @classmethod
    def at(
        cls, problem: Problem, w: FloatArray, z: FloatArray, slope: FloatArray, damping: float = 0.0
    ) -> QuadraticModel:
        """The model at ``w`` with scores ``z`` and gradient ``slope``.

        ``damping`` times the largest curvature that the loss can have is added to the diagonal.
        """
        centre = np.zeros(problem.n_coordinates)
        if problem.fit_intercept:
            centre[:-1] = (problem.design.column_sums(problem.sample_weight) / problem.n_samples)[:-1]
        there = w.copy()
        there[-1] += centre @ w
        hessian = _hessian(problem, z)
        hessian -= centre[:, None, None, None] * hessian[-1]
        hessian -= centre[:, None] * hessian[:, :, -1, None]
        size = w.size
        hessian = hessian.reshape(size, size)
        if damping > 0:
            spread = np.maximum(problem.column_norms**2 - centre**2, 0.0)
            hessian[np.diag_indices(size)] += (
                damping * problem.loss.smoothness * np.repeat(spread, w.shape[1])
            )
        # As a Gram matrix counts with one output: symmetric products of all pairs in a row.
        entries = problem.design.n_entries**2 // (2 * problem.n_samples)
        centred = slope - centre[:, None] * slope[-1]
        return cls(there, centred, hessian, centre, entries)

    def minimiser(self, problem: Problem, rng: np.random.Generator) -> FloatArray:
        """The minimiser of the model, in the coordinates of the problem; reads nothing of the data."""
        form, k = problem.coordinate_form, self.w.shape[1]
        flat = CoordinateForm(*(np.repeat(part, k) for part in (form.l1, form.l2, form.lower, form.upper)))
        kinked = flat.l1.any() or np.isfinite(flat.lower).any() or np.isfinite(flat.upper).any()
        x = self._kinked(flat, rng) if kinked else self._smooth(flat.l2)
        x = x.reshape(self.w.shape)
        x[-1] -= self.centre @ x
        return x

    def _smooth(self, l2: FloatArray) -> FloatArray:
        w = self.w.ravel()
        return w + solve_semidefinite(self.hessian + np.diag(l2), -(self.slope.ravel() + l2 * w))

    def _kinked(self, form: CoordinateForm, rng: np.random.Generator) -> FloatArray:
        r"""With :math:`H = B'B` the model is :math:`\tfrac12 \|B x - t\|^2 + g(x)`, a squared loss."""
        w, scale = self.w.ravel(), np.sqrt(self.w.size)
        root, size = _root(self.hessian)
        shift = solve_triangular(root, self.slope.ravel() / size, lower=True)
        B = root.T * size
        model = Problem(scale * B, scale * (B @ w - shift), Squared(), _Entries(form))
        solver = PrimalCD()
        state = solver.init(model, Start(w), rng)
        first = last = model.primal_value(state.w)
        for _ in range(_INNER_EPOCHS):
            solver.run_epoch(model, state)
            certificate = model.certify(state.w)
            if certificate.gap <= _INNER_GAP * (first - certificate.primal) or certificate.primal >= last:
                break
            last = certificate.primal
        return state.w


def _hessian(problem: Problem, z: FloatArray) -> FloatArray:
    """The Hessian of the mean loss, shape (D, k, D, k)."""
    d, k = problem.primal_shape
    product = problem.loss.hessian_map(z, problem.b)
    weight = problem.sample_weight[:, None] / problem.n_samples
    hessian = np.empty((d, k, d, k))
    for one in range(k):
        unit = np.zeros_like(z)
        unit[:, one] = 1.0
        curvature = weight * product(unit)
        for other in range(one + 1):
            block = problem.design.gram(np.ascontiguousarray(curvature[:, other]))
            hessian[:, one, :, other] = block
            hessian[:, other, :, one] = block
    return hessian


def _root(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The Cholesky factor L of the matrix with its diagonal scaled to 1, and the scales."""
    diagonal = np.diag(matrix)
    size = np.sqrt(np.maximum(diagonal, _JITTERS[0] * float(diagonal.max(initial=0.0))))
    size[size == 0] = 1.0
    scaled = matrix / np.outer(size, size)
    for jitter in _JITTERS:
        try:
            return cholesky(scaled + jitter * np.eye(size.size), lower=True), size
        except LinAlgError:
            continue
    return np.eye(size.size), size
