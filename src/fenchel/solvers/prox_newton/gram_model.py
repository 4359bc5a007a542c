r"""A quadratic model held as its matrix.

.. math:: Q(x) = \langle c, d \rangle + \tfrac12 d' M d - \frac{(g + \langle p, d \rangle)^2}{2 S}
          + \sum_{k \in W} g_k(x_k)

as in :mod:`fenchel.solvers.prox_newton.model`; the third part is folded into c and M.
"""

from __future__ import annotations

from fenchel._kernels.prox_newton import minimise_gram
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.solvers.prox_newton.gram_matrix import GramMatrix
from fenchel.typing import FloatArray

__all__ = ["GramModel"]

_BLOCK, _ITERATIONS = 20, 20
"""Passes between two steps on the face, and the iterations of one."""
_CLOSER, _PASSES = 0.3, 10
"""Of the tolerance and the passes of a model on columns: a pass on the matrix costs next to nothing."""


class GramModel:
    """The model over the places of the working set; ``x`` starts at the coordinates ``w_W``."""

    def __init__(
        self,
        gram: GramMatrix,
        c: FloatArray,
        form: CoordinateForm,
        w: FloatArray,
        intercept_derivative: float | None,
    ) -> None:
        self.gram, self.form = gram, form
        self.start, self.x = w, w.copy()
        self.derivative = intercept_derivative or 0.0
        self.c = c - self.derivative / gram.total * gram.cross
        self.G = self.c.copy()
        self.entries_read = 0

    def minimise(self, tolerance: float, passes: int) -> None:
        """Move ``x`` until no coordinate violates its optimality by more than a share of ``tolerance``."""
        minimise_gram(
            self.gram.matrix,
            self.form,
            _BLOCK,
            _PASSES * passes,
            _ITERATIONS,
            _CLOSER * tolerance,
            self.x,
            self.G,
        )

    @property
    def intercept_move(self) -> float:
        """The best move of the intercept; 0 without one."""
        return -(self.derivative + float(self.gram.cross @ (self.x - self.start))) / self.gram.total

    def fall(self, penalty: float) -> float:
        """``Q`` at the start with the intercept held, less Q now; ``penalty`` is the change of its g."""
        smooth = 0.5 * float((self.c + self.G) @ (self.x - self.start))
        return -(smooth - self.derivative**2 / (2.0 * self.gram.total) + penalty)
