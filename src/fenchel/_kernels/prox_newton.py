"""The steps of prox-Newton on a quadratic model of the loss: checks, then the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fenchel._kernels import _core
from fenchel._kernels.checks import (
    CoordinateArrays,
    check_array,
    check_form,
    check_order,
    check_vector,
)
from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.views import DenseLines, Lines, SparseLines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = [
    "Block",
    "InterceptShare",
    "RowModel",
    "ScaledColumns",
    "line_search",
    "row_model",
    "violations",
]

CopyArray = npt.NDArray[np.float32] | npt.NDArray[np.float64]


class RowModel(NamedTuple):
    """The mean loss, the derivatives of the rows, and the roots of their damped curvatures."""

    value: float
    u: FloatArray
    root: FloatArray


def row_model(
    loss: KernelLoss, z: FloatArray, b: FloatArray, sample_weight: FloatArray, damping: float
) -> RowModel:
    r"""The mean loss at the scores ``z``, its derivatives, and the roots of the damped curvatures.

    .. math:: h_i = \tfrac{s_i}n \max(\phi_i''(z_i), \theta \bar\phi_i(z_i))

    with ``damping`` for theta and ``Loss.damping_curvature`` for the second function. For a smooth loss;
    all zeros for one with kinks. The twin is :func:`fenchel.reference.prox_newton.row_model`. Raises
    InvalidInputError if an array has the wrong dtype, layout or size.
    """
    for name, array in (("z", z), ("b", b), ("sample_weight", sample_weight)):
        check_vector(name, array, len(b))
    u, root = np.empty_like(z), np.empty_like(z)
    value = _core.row_model(loss.compiled, z, b, sample_weight, damping, u, root)
    return RowModel(value, u, root)


def line_search(
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateArrays,
    w: FloatArray,
    dw: FloatArray,
    z: FloatArray,
    dz: FloatArray,
    slope: float,
    value: float,
) -> tuple[float, float, float]:
    """The length of a step along a direction that lowers P, 0 when there is none, and the fall of P.

    The third value is the change of the regularizer over the whole direction. For a smooth loss. The twin,
    :func:`fenchel.reference.prox_newton.line_search`, states the rule.

    Parameters
    ----------
    form, w, dw : the coordinates that move, with their regularizer, and their move.
    z, dz : (n,) the scores, and their move.
    slope : that of the mean loss along the direction.
    value : the mean loss at z.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size.
    """
    for name, array in (("z", z), ("dz", dz), ("b", b), ("sample_weight", sample_weight)):
        check_vector(name, array, len(b))
    check_form(form, w.size)
    for name, array in (("w", w), ("dw", dw)):
        check_vector(name, array, w.size)
    return _core.line_search(
        loss.compiled, b, sample_weight, form.l1, form.l2, form.lower, form.upper, w, dw, z, dz, slope, value,
    )  # fmt: skip


def violations(form: CoordinateArrays, c: FloatArray, w: FloatArray) -> tuple[FloatArray, float]:
    """The steepest fall that each coordinate offers, negative where it rises to both sides, and the largest.

    ``c`` is the derivative of the smooth part; the largest is 0 where no coordinate falls. The twin is
    :func:`fenchel.reference.prox_newton.violations`.
    Raises InvalidInputError if an array has the wrong dtype, layout or size.
    """
    check_form(form, c.size)
    for name, array in (("c", c), ("w", w)):
        check_vector(name, array, c.size)
    falls = np.empty_like(c)
    return falls, _core.violations(form.l1, form.l2, form.lower, form.upper, c, w, falls)


def coordinate_newton_pass(
    columns: Lines,
    order: IndexArray,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateArrays,
    steps: int,
    tolerance: float,
    w: FloatArray,
    z: FloatArray,
) -> int:
    """Minimise P over one coordinate after the other, in ``order``; update ``w`` and ``z = A w`` in place.

    At most ``steps`` Newton steps each, or until no direction falls faster than ``tolerance``; P never rises.
    The twin, :func:`fenchel.reference.prox_newton.coordinate_newton_pass`, states the update. Returns the
    entries read. Raises InvalidInputError if an array has the wrong dtype, layout or size, or the order is
    out of range.
    """
    n, d = columns.length, columns.n_lines
    check_order(order, d)
    check_form(form, d)
    for name, array in (("b", b), ("sample_weight", sample_weight)):
        check_vector(name, array, n)
    for name, array, size in (("w", w, d), ("z", z, n)):
        check_vector(name, array, size, writeable=True)
    return _core.coordinate_newton_pass(
        columns.compiled, order, loss.compiled, b, sample_weight,
        form.l1, form.l2, form.lower, form.upper, steps, tolerance, w, z,
    )  # fmt: skip


class InterceptShare(NamedTuple):
    """The derivative and the curvature of the model in the intercept; 0 and infinity where there is none."""

    derivative: float = 0.0
    curvature: float = np.inf


class Block(NamedTuple):
    """What passes over the places of a model did: see :meth:`ScaledColumns.descend`."""

    entries_read: int
    left: int
    violation: float
    moment: float


@dataclass(frozen=True, eq=False)
class ScaledColumns:
    """``X = diag(root) A_W``: the columns W of a data matrix, scaled and copied, and the steps on them.

    Attributes
    ----------
    squares : (m,) the squared norms of the columns of X.
    cross : (m,) their inner products with ``root``.
    dtype : float32 or float64, the type of the copies and of every vector of n entries here.
    entries : the stored entries.
    data : them, column after column.

    Notes
    -----
    Indices of columns here are places 0 .. m-1 in W. The twins are in ``fenchel.reference.prox_newton``.
    Every method raises InvalidInputError if an array has the wrong dtype, layout or size.
    """

    squares: FloatArray
    cross: FloatArray
    n_rows: int
    entries: int
    dtype: np.dtype[Any]
    data: CopyArray
    compiled: Any

    @classmethod
    def copy(cls, lines: Lines, named: IndexArray, root: FloatArray, dtype: npt.DTypeLike) -> ScaledColumns:
        """Copy the named lines, which do not include the intercept; reads their entries."""
        check_order(named, lines.n_lines - int(lines.ones), name="named")
        check_vector("root", root, lines.length)
        kind = np.dtype(dtype)
        if kind not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise InvalidInputError(f"dtype is {kind}; the copies are float32 or float64.")
        made = _core.ScaledColumns32 if kind == np.float32 else _core.ScaledColumns64
        m, n = named.size, lines.length
        squares, cross = np.empty(m), np.empty(m)
        if isinstance(lines, SparseLines):
            starts = np.zeros(m + 1, dtype=np.int64)
            np.cumsum(lines.indptr[named + 1] - lines.indptr[named], out=starts[1:])
            entries = int(starts[-1])
            data = np.empty(entries, kind)
            compiled: Any = made(data, np.empty(entries, np.int32), starts, n)
        else:
            assert isinstance(lines, DenseLines)
            entries = m * n
            data = np.empty(entries, kind)
            compiled = made(data, n)
        compiled.copy_scaled(lines.compiled, named, root, squares, cross)
        return cls(squares, cross, n, entries, kind, data, compiled)

    def image(self) -> CopyArray:
        """A vector of n zeros in the type of the copies."""
        return np.zeros(self.n_rows, self.dtype)

    def descend(
        self,
        places: IndexArray,
        left: int,
        c: FloatArray,
        curvature: FloatArray,
        form: CoordinateArrays,
        intercept: InterceptShare,
        passes: int,
        tolerance: float,
        before: float,
        moment: float,
        x: FloatArray,
        v: CopyArray,
    ) -> Block:
        r"""Run passes of coordinate descent on the model over the first ``left`` of ``places``, in place.

        With d the move of x and ``v = X d``, and :math:`G_k = c_k + \langle x_k, v \rangle - p_k (g +
        \langle p, d \rangle) / S` for the intercept's derivative g and curvature S and p = ``cross``,

        .. math:: x_k \leftarrow \arg\min_t\; G_k t + \tfrac{H_k}2 (t - x_k)^2 + g_k(t),
            \qquad v \leftarrow v + \delta x_k.

        A place held by its bounds or its l1 part with more force than the largest violation of the pass
        before (at first ``before``) leaves the list. Ends after ``passes``, or with the first whose largest
        violation is at most ``tolerance``.

        Parameters
        ----------
        places : int64 vector, reordered: those that stay come first.
        left : how many of them are visited.
        c : (m,) derivatives of the smooth part where the move is zero.
        curvature : (m,) H, at least the true one.
        form : the regularizer on W, m values each.
        moment : ``<p, d>``.
        x, v : (m,) and (n,); updated in place.
        """
        m = self.squares.size
        check_order(places, m, name="places")
        if not 0 <= left <= places.size:
            raise InvalidInputError(f"left is {left}, outside 0..{places.size}.")
        check_form(form, m)
        check_vector("c", c, m)
        check_vector("curvature", curvature, m)
        check_vector("x", x, m, writeable=True)
        self._check_image(v)
        return Block(
            *self.compiled.descend(
                places, left, c, curvature, form.l1, form.l2, form.lower, form.upper,
                intercept.derivative, intercept.curvature, self.cross, passes, tolerance, before, moment, x,
                v,
            )
        )  # fmt: skip

    def along(self, face: IndexArray, v: CopyArray) -> FloatArray:
        """The inner products of the places of ``face`` with ``v``."""
        check_order(face, self.squares.size, name="face")
        self._check_image(v)
        out = np.empty(face.size)
        self.compiled.along(face, v, out)
        return out

    def across(self, face: IndexArray, factor: FloatArray, v: CopyArray) -> None:
        """Add the columns of ``face`` times their factors to ``v``."""
        check_order(face, self.squares.size, name="face")
        check_vector("factor", factor, face.size)
        self._check_image(v)
        self.compiled.across(face, factor, v)

    def face_step(
        self,
        face: IndexArray,
        diagonal: FloatArray,
        l2: FloatArray,
        intercept_curvature: float,
        iterations: int,
        tolerance: float,
        slope: FloatArray,
    ) -> tuple[FloatArray, CopyArray, int]:
        r"""Conjugate gradients for the Newton step of the model on the places of ``face``.

        .. math:: (X_F' X_F + \mathrm{diag}(l_2) - p_F p_F' / S)\, \text{step} = -\text{slope}

        Preconditioned by ``diagonal``; ends after ``iterations``, or when no component of the residual is
        larger than ``tolerance``. ``slope`` becomes the residual.

        Returns
        -------
        step : (m_F,).
        image : (n,) ``X_F step``.
        steps : the iterations made.
        """
        m = face.size
        check_order(face, self.squares.size, name="face")
        check_vector("diagonal", diagonal, m)
        check_vector("l2", l2, m)
        check_vector("slope", slope, m, writeable=True)
        step, work = np.empty(m), np.empty(2 * m)
        image, image_work = self.image(), self.image()
        steps, _ = self.compiled.face_step(
            face, diagonal, l2, intercept_curvature, self.cross, iterations, tolerance, slope, step, work,
            image, image_work,
        )  # fmt: skip
        return step, image, steps

    def _check_image(self, v: CopyArray) -> None:
        check_array("v", v, (self.dtype,), 1, self.n_rows)
