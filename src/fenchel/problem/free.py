r"""Minimise over the coordinates that nothing penalises, the others held.

.. math:: \min_c \; \frac1n \sum_i s_i \phi_i(z_i + C_i c)

with C the columns of the free coordinates. For a smooth loss a damped Newton method, by conjugate
gradients where outputs are coupled; for a loss with kinks and one free coordinate, bisection on the
(monotone) derivative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fenchel.numerics.coordinate import along
from fenchel.numerics.semidefinite import conjugate_gradients
from fenchel.numerics.tall import gram, transposed_product
from fenchel.typing import FloatArray, IndexArray

if TYPE_CHECKING:
    from fenchel.problem.problem import Problem

__all__ = ["best_move", "free_coordinates", "minimise_free"]

_NEWTON_STEPS = 50
_MOST_PRODUCTS = 30
_ROUNDING = float(np.finfo(float).eps)
_HALVINGS = 30
_LEAST_CURVATURE, _UNDERFLOW = 1e-10, 1e-40
_BISECTIONS = 80
_LARGEST = 200


def free_coordinates(problem: Problem) -> IndexArray:
    """The coordinates without penalty or bound."""
    return np.flatnonzero(problem.unpenalised).astype(np.int64)


def minimise_free(problem: Problem, w: FloatArray) -> FloatArray:
    """Return ``w`` with its free coordinates at their best values.

    With no free coordinate, or more than 200, ``w`` comes back unchanged; so it does for a loss with
    kinks and several free coordinates or outputs. Never returns a worse point. Cost O(n m^2) a step; O(n) in
    all for an intercept over equal scores (w = 0) and two classes.
    """
    if not problem.has_zero_ends:
        return w
    free = free_coordinates(problem)
    if free.size == 0 or free.size > _LARGEST:
        return w
    result = w.copy()
    result[free] += best_move(problem, problem.design.select_columns(free), problem.scores(w))
    return result


def best_move(problem: Problem, columns: FloatArray, z: FloatArray) -> FloatArray:
    """The c that minimises the loss at ``z + columns @ c``; zero where no method here finds it."""
    slice_ = _Slice(problem, columns, z)
    if problem.loss.smooth:
        return slice_.newton()
    if columns.shape[1] == 1 and z.ndim == 1:
        return slice_.bisect()
    return np.zeros((columns.shape[1], *z.shape[1:]))


class _Slice:
    """The loss as a function of the free coordinates alone."""

    def __init__(self, problem: Problem, columns: FloatArray, z: FloatArray) -> None:
        self.loss, self.b, self.z, self.columns = problem.loss, problem.b, z, columns
        self.weight = problem.sample_weight / problem.n_samples
        if self.loss.task == "classification" and np.all(columns == 1.0) and np.all(z == z[0]):
            self._merge_rows()
        # Slopes of bounded terms: below the rounding of their sum no step can be told to be better.
        largest = float(np.max(transposed_product(np.abs(self.columns), self.weight)))
        bound = problem.loss.lipschitz
        self.least_slope = _ROUNDING * bound * largest if np.isfinite(bound) else 0.0

    def _merge_rows(self) -> None:
        """Make one row of each class: with equal scores and entries, the target alone tells rows apart."""
        self.weight = np.array([self.weight[self.b == label].sum() for label in (-1.0, 1.0)])
        self.b, self.z = np.array([-1.0, 1.0]), self.z[:1].repeat(2)
        self.columns = np.ones((2, self.columns.shape[1]))

    def value(self, c: FloatArray) -> float:
        return float(np.sum(self.weight * self.loss.value(self.z + self.columns @ c, self.b)))

    def slope(self, c: FloatArray) -> FloatArray:
        gradient = self.loss.gradient(self.z + self.columns @ c, self.b)
        return transposed_product(self.columns, along(self.weight, gradient) * gradient)

    def newton(self) -> FloatArray:
        """Newton with step halving, until no step makes the point better."""
        c = np.zeros((self.columns.shape[1], *self.z.shape[1:]))
        value, slope = self.value(c), self.slope(c)
        for _ in range(_NEWTON_STEPS):
            if float(np.abs(slope).max()) <= self.least_slope:
                return c
            direction = self._solve_hessian(c, slope)
            for halving in range(_HALVINGS):
                trial = c - 0.5**halving * direction
                trial_value, trial_slope = self.value(trial), self.slope(trial)
                if _better(trial_value, trial_slope, value, slope):
                    break
            else:
                return c
            c, value, slope = trial, trial_value, trial_slope
        return c

    def _solve_hessian(self, c: FloatArray, slope: FloatArray) -> FloatArray:
        z = self.z + self.columns @ c
        if self.loss.coupled:
            return self._solve_coupled(z, slope)
        curvature = self.loss.curvature(z, self.b)
        floor = 1e-8 * self.loss.smoothness
        if slope.ndim == 1:
            return self._solve(np.maximum(curvature, floor), slope)
        solved = [self._solve(np.maximum(curvature[:, k], floor), slope[:, k]) for k in range(slope.shape[1])]
        return np.stack(solved, axis=1)

    def _solve_coupled(self, z: FloatArray, slope: FloatArray) -> FloatArray:
        """Conjugate gradients over all outputs at once, with a floor under the curvature.

        Adding a constant to all outputs changes no softmax, and saturated rows have no curvature at all: the
        floor is a share of the largest there is, and where that underflows of the largest there could be.
        """
        hessian, weight = self.loss.hessian_map(z, self.b), self.weight[:, None]
        diagonal = transposed_product(self.columns**2, weight * self.loss.curvature(z, self.b))
        unsaturated = self.loss.smoothness * float(transposed_product(self.columns**2, self.weight).max())
        floor = max(_LEAST_CURVATURE * float(diagonal.max()), _UNDERFLOW * unsaturated) or 1.0

        def apply(c: FloatArray) -> FloatArray:
            move = self.columns @ c.reshape(slope.shape)
            return transposed_product(self.columns, weight * hessian(move)).ravel() + floor * c

        solution, _, _ = conjugate_gradients(apply, diagonal.ravel() + floor, slope.ravel(), _MOST_PRODUCTS)
        return solution.reshape(slope.shape)

    def _solve(self, curvature: FloatArray, slope: FloatArray) -> FloatArray:
        hessian = gram(self.columns, self.weight * curvature)
        return np.asarray(np.linalg.lstsq(hessian, slope, rcond=None)[0], dtype=np.float64)

    def bisect(self) -> FloatArray:
        """Bisect on the sign of the derivative; the end with the smaller value is returned."""
        low, high = self._bracket(-1.0), self._bracket(+1.0)
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            if self.slope(middle)[0] > 0:
                high = middle
            else:
                low = middle
        return min(np.zeros(1), low, high, key=self.value)

    def _bracket(self, sign: float) -> FloatArray:
        """Go outward until the derivative points back, or the scores have left every scale of the data."""
        size = max(float(np.abs(self.z).max(initial=1.0)), float(np.abs(self.b).max(initial=1.0)))
        step = np.array([sign * size])
        for _ in range(60):
            if sign * self.slope(step)[0] >= 0:
                break
            step = 2.0 * step
        return step


def _better(value: float, slope: FloatArray, old_value: float, old_slope: FloatArray) -> bool:
    """Compare values; near the optimum, where rounding hides their difference, compare slopes."""
    if abs(value - old_value) <= 8 * np.finfo(float).eps * abs(old_value):
        return float(np.abs(slope).max()) < float(np.abs(old_slope).max())
    return value < old_value
