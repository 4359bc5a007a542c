r"""A quadratic model of the loss over a working set, minimised inexactly together with the regularizer.

With :math:`X = \mathrm{diag}(\sqrt h) A_W`, the move d from the point where the model was made, and
:math:`v = X d`,

.. math:: Q(x) = \langle c, d \rangle + \tfrac12 \|v\|^2
          - \frac{(g + \langle p, d \rangle)^2}{2 S} + \sum_{k \in W} g_k(x_k).

The third part is there with a free intercept only: its derivative is g, its curvature :math:`S = \sum_i h_i`,
and :math:`p_k = \sum_i h_i a_{ik}`; its best move :math:`-(g + \langle p, d \rangle) / S` is put in, so that
no column is hidden behind the ones.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fenchel._kernels.prox_newton import InterceptShare, ScaledColumns
from fenchel._kernels.views import Lines, dense_lines
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.typing import FloatArray, IndexArray

__all__ = ["Model", "model_of"]

_LEAST_SQUARE, _LARGEST_SQUARE = 1e-50, 1e60
"""Columns with smaller or larger squared norms are copied in float64."""
_SMALL, _SMALL_ENTRIES = 200, 200_000
"""A face of at most so many places, and entries when dense, takes exact Newton steps where it must."""
_LEAST_SHARE = 1e-6
"""A column that is nearly a multiple of the ones keeps this share of its curvature: the rest is rounding."""


class Model:
    """The model as arrays over the places of the working set; ``x`` starts at the coordinates ``w_W``."""

    def __init__(
        self,
        lines: Lines,
        chosen: IndexArray,
        counts: IndexArray,
        root: FloatArray,
        c: FloatArray,
        form: CoordinateForm,
        w: FloatArray,
        intercept_derivative: float | None,
        dtype: npt.DTypeLike,
    ) -> None:
        self.columns = ScaledColumns.copy(lines, chosen, root, dtype)
        self.lines, self.chosen, self.root = lines, chosen, root
        self.counts, self.c, self.form = counts, c, form
        self.start, self.x = w, w.copy()
        self.v = self.columns.image()
        self.moment = 0.0
        self.entries_read = self.columns.entries
        self.intercept = InterceptShare()
        squares = self.columns.squares
        self.curvature = squares
        if intercept_derivative is not None and (total := float(root @ root)) > 0.0:
            self.intercept = InterceptShare(intercept_derivative, total)
            own = squares - self.columns.cross**2 / total
            self.curvature = np.maximum(own, _LEAST_SHARE * squares)

    def is_small(self, face: IndexArray) -> bool:
        """Whether a factorisation on ``face`` is cheap."""
        return face.size <= _SMALL and face.size * self.root.size <= _SMALL_ENTRIES

    def dense(self, face: IndexArray) -> FloatArray:
        """The columns of X in the places of ``face`` as a dense float64 array; reads their columns."""
        self.entries_read += int(self.counts[face].sum())
        return self.root[:, None] * dense_lines(self.lines, self.chosen[face]).T

    def derivative(self, face: IndexArray) -> FloatArray:
        """The derivative of the smooth part at ``x`` in the places of ``face``; reads their columns."""
        self.entries_read += int(self.counts[face].sum())
        share = (self.intercept.derivative + self.moment) / self.intercept.curvature
        return self.c[face] + self.columns.along(face, self.v) - share * self.columns.cross[face]

    def slope(self, face: IndexArray, derivative: FloatArray) -> FloatArray:
        """The derivative of Q on a face, where the signs are kept."""
        form, x = self.form, self.x[face]
        result: FloatArray = derivative + form.l1[face] * np.sign(x) + form.l2[face] * x
        return result

    def image(self, face: IndexArray, delta: FloatArray) -> npt.NDArray[np.floating]:
        """How v moves when the places of ``face`` move by ``delta``; reads their columns."""
        self.entries_read += int(self.counts[face].sum())
        dv = self.columns.image()
        self.columns.across(face, delta, dv)
        return dv

    def change(
        self, face: IndexArray, derivative: FloatArray, delta: FloatArray, dv: npt.NDArray[np.floating]
    ) -> float:
        """How Q changes when the places of ``face`` move by ``delta``, which moves v by ``dv``."""
        form, old = self.form, self.x[face]
        new = old + delta
        moment = float(self.columns.cross[face] @ delta)
        smooth = derivative @ delta + 0.5 * (float(dv @ dv) - moment**2 / self.intercept.curvature)
        penalty = form.l1[face] @ (np.abs(new) - np.abs(old)) + 0.5 * form.l2[face] @ (delta * (new + old))
        return float(smooth + penalty)

    def move(
        self, face: IndexArray, new: FloatArray, delta: FloatArray, dv: npt.NDArray[np.floating]
    ) -> None:
        """Take the move."""
        self.x[face] = new
        self.v += dv
        self.moment += float(self.columns.cross[face] @ delta)

    @property
    def intercept_move(self) -> float:
        """The best move of the intercept; 0 without one."""
        return -(self.intercept.derivative + self.moment) / self.intercept.curvature

    @np.errstate(over="ignore", invalid="ignore")
    def fall(self, penalty: float) -> float:
        """``Q`` at the start with the intercept held, less Q now; ``penalty`` is the change of its g."""
        smooth = float(self.c @ (self.x - self.start)) + 0.5 * float(self.v @ self.v)
        smooth -= (self.intercept.derivative + self.moment) ** 2 / (2.0 * self.intercept.curvature)
        return -(smooth + penalty)


def model_of(
    lines: Lines,
    chosen: IndexArray,
    counts: IndexArray,
    root: FloatArray,
    c: FloatArray,
    form: CoordinateForm,
    w: FloatArray,
    intercept_derivative: float | None,
) -> Model:
    """A model in float32, or in float64 where a column of it would leave the range of float32."""
    model = Model(lines, chosen, counts, root, c, form, w, intercept_derivative, np.float32)
    squares = model.columns.squares
    inside = np.isfinite(squares) & (squares < _LARGEST_SQUARE) & ((squares > _LEAST_SQUARE) | (c == 0.0))
    if inside.all():
        return model
    return Model(lines, chosen, counts, root, c, form, w, intercept_derivative, np.float64)
