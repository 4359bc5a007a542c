"""The values of a certificate, for a scalar loss and a separable regularizer: checks, then the kernel."""

from __future__ import annotations

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import CoordinateArrays, check_form, check_vector
from fenchel._kernels.losses import KernelLoss
from fenchel.typing import FloatArray

__all__ = ["Certifier"]


class Certifier:
    r"""Sums over the rows and over the features of one problem, each of one reading.

    Parameters
    ----------
    loss : any compiled loss.
    b, sample_weight : (n,) targets, and weights of mean 1.
    form : the regularizer, d values each.
    domain : two arrays of d values, the interval of each feature where the conjugate of ``form`` is finite.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size.

    Notes
    -----
    The twin is the general path of :mod:`fenchel.problem.bounds`. The arrays are not copied.
    """

    def __init__(
        self,
        loss: KernelLoss,
        b: FloatArray,
        sample_weight: FloatArray,
        form: CoordinateArrays,
        domain: tuple[FloatArray, FloatArray],
    ) -> None:
        self._arguments = (loss, b, sample_weight, form, domain)
        self._n, self._d = len(b), form.l1.size
        for name, array in (("b", b), ("sample_weight", sample_weight)):
            check_vector(name, array, self._n)
        check_form(form, self._d)
        for name, array in zip(("the lower ends", "the upper ends"), domain, strict=True):
            check_vector(name, array, self._d)
        self._compiled = _core.Certifier(
            loss.compiled, b, sample_weight, form.l1, form.l2, form.lower, form.upper, *domain
        )

    def __reduce__(self) -> tuple[object, ...]:
        """A copy in another process makes its own kernel."""
        return Certifier, self._arguments

    def primal(self, w: FloatArray, z: FloatArray) -> float:
        r"""``P(w) = (1/n) sum_i s_i phi_i(z_i) + g(w)`` for the scores ``z``.

        Raises InvalidInputError if an array has the wrong size.
        """
        return self._compiled.primal(_vector("w", w, self._d), _vector("z", z, self._n))

    def mean_conjugate(self, u: FloatArray) -> float:
        r"""``(1/n) sum_i s_i phi_i*(u_i)``; rows of weight zero do not count.

        Raises InvalidInputError if the array has the wrong size.
        """
        return self._compiled.mean_conjugate(_vector("u", u, self._n))

    def best_bound(
        self, u: FloatArray, v: FloatArray, primal: float, origin: float, charge: float
    ) -> tuple[float, float]:
        """The best lower bound from ``u`` with ``v = A'(s u) / n``, and the factor on u of the point for it.

        ``origin`` is the dual value at zero, ``primal`` a bound on ``g`` at a minimiser, and ``charge`` what
        the residual of u on coordinates without penalty costs. Raises InvalidInputError if an array has the
        wrong size.
        """
        u, v = _vector("u", u, self._n), _vector("v", v, self._d)
        return self._compiled.best_bound(u, v, primal, origin, charge)


def _vector(name: str, array: FloatArray, size: int) -> FloatArray:
    array = np.ascontiguousarray(array, dtype=np.float64)
    check_vector(name, array, size)
    return array
