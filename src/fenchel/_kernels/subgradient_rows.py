"""Composite stochastic subgradient steps on rows, for several classes: checks, then the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import check_array, check_matrix, check_order, check_vector
from fenchel._kernels.views import Lines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["SubgradientRows", "entropic_subgradient_steps", "euclidean_subgradient_steps"]


@dataclass(frozen=True, eq=False)
class SubgradientRows:
    """The rows with their classes, and what is kept of their subgradients.

    Attributes
    ----------
    rows : n lines of length d.
    hinge : the multiclass hinge loss, or softmax.
    label : (n,) int64, the class of every row.
    u_total, u_weight : (n, k), (n,) the sums of the subgradients times the step size, and of the step sizes;
        changed in place.
    """

    rows: Lines
    hinge: bool
    label: IndexArray
    u_total: FloatArray
    u_weight: FloatArray

    def __post_init__(self) -> None:
        """Check what the kernels trust."""
        n, k = self.rows.n_lines, self.n_classes
        check_order(self.label, k, name="label")
        if self.label.size != n:
            raise InvalidInputError(f"label has {self.label.size} values for {n} rows.")
        check_matrix("u_total", self.u_total, (n, k), writeable=True)
        check_vector("u_weight", self.u_weight, n, writeable=True)

    @property
    def n_classes(self) -> int:
        return int(self.u_total.shape[1])

    @cached_property
    def compiled(self) -> _core.SubgradientRows:
        """The rows as the kernels take them."""
        return _core.SubgradientRows(
            self.rows.compiled,
            self.hinge,
            self.n_classes,
            self.label,
            self.u_total.reshape(-1),
            self.u_weight,
        )

    def check(self, order: IndexArray, **lines: FloatArray) -> None:
        """Refuse an order or (d, k) arrays of other data."""
        check_order(order, self.rows.n_lines)
        for name, array in lines.items():
            check_matrix(name, array, (self.rows.length, self.n_classes), writeable=True)


def euclidean_subgradient_steps(
    game: SubgradientRows,
    order: IndexArray,
    gamma: float,
    threshold: float,
    radius: float,
    time: int,
    w: FloatArray,
    w_total: FloatArray,
    seen: IndexArray,
    norm: float,
) -> tuple[int, float]:
    """Take steps until the bound on the norm passes the radius; update w, its sums and ``seen`` in place.

    The twin, :func:`fenchel.reference.stochastic_subgradient.euclidean_subgradient`, states the update.

    Parameters
    ----------
    game : SubgradientRows.
    order : the rows to visit.
    gamma, threshold : the step size, and that times the l1 strength.
    radius : of the ball.
    time : the steps so far.
    w, w_total : (d, k) the lines as of ``seen``, and the sums of their points times gamma.
    seen : (d,) int64, the steps that a line has had.
    norm : not below the l1 norm of w.

    Returns
    -------
    taken : the steps; fewer than asked where the norm has passed the radius: then w is to be projected.
    norm : after them.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, or the order is out of range.
    """
    game.check(order, w=w, w_total=w_total)
    check_array("seen", seen, (np.dtype(np.int64),), 1, game.rows.length)
    scalars = np.array([norm, 0.0])
    taken = _core.euclidean_subgradient_steps(
        game.compiled,
        order,
        gamma,
        threshold,
        radius,
        time,
        w.reshape(-1),
        w_total.reshape(-1),
        seen,
        scalars,
    )
    return taken, float(scalars[0])


def entropic_subgradient_steps(
    game: SubgradientRows,
    order: IndexArray,
    gamma: float,
    shrinkage: float,
    radius: float,
    limits: tuple[float, float, float, float],
    H: FloatArray,
    w_total: FloatArray,
    seen: FloatArray,
    scalars: FloatArray,
) -> int:
    r"""Take steps until the scale or an entry of H has left its range; update the last four in place.

    The twin, :func:`fenchel.reference.stochastic_subgradient.entropic_subgradient`, states the update.

    Parameters
    ----------
    game : SubgradientRows.
    order : the rows to visit.
    gamma, shrinkage : the step size, and :math:`e^{-\gamma\lambda/R}`.
    radius : R.
    limits : what is subtracted from H and -H, the scale to stay near, by what factor it may leave that, and
        by how much H may pass the first.
    H, w_total : (d, k) with w = scale times the difference of exponentials, and the points' sums times gamma.
    seen : (d,) the part of the sum of scales that a line has had.
    scalars : (4,) the scale, its sum over time, the sum of all exponentials, and afterwards 1 where the
        caller has to begin anew with other limits.

    Returns
    -------
    taken : the steps.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, or the order is out of range.
    """
    game.check(order, H=H, w_total=w_total)
    check_vector("seen", seen, game.rows.length, writeable=True)
    check_vector("scalars", scalars, 4, writeable=True)
    return _core.entropic_subgradient_steps(
        game.compiled,
        order,
        gamma,
        shrinkage,
        radius,
        *limits,
        H.reshape(-1),
        w_total.reshape(-1),
        seen,
        scalars,
    )
