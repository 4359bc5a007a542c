r"""SPD1-VR with blocks of entries in plain NumPy, on a dense matrix.

It works on the saddle function

.. math:: L(w, u) = g(w) + \tfrac1n \sum_i s_i \bigl(u_i \langle a_i, w\rangle - \phi_i^*(u_i)\bigr),

plus the proximal terms :math:`\tfrac12 \|w - c^w\|_\alpha^2 - \tfrac\beta{2n} \sum_i s_i (u_i - c^u_i)^2`.
The kernel and its twin agree to rounding.
"""

from dataclasses import dataclass

import numpy as np

from fenchel._kernels.spd1_vr_blocks import BlockDraws, SaddleSteps, Snapshot
from fenchel.losses.base import Loss
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.typing import FloatArray, IndexArray

__all__ = ["SPD1VRStep", "spd1_vr_block_steps"]


@dataclass(frozen=True)
class SPD1VRStep:
    """The estimates of both slopes, and both proximal steps."""

    A: FloatArray
    loss: Loss
    b: FloatArray
    sample_weight: FloatArray
    form: CoordinateForm
    steps: SaddleSteps
    snapshot: Snapshot

    def primal_slope(self, rows: slice, columns: slice, u: FloatArray) -> FloatArray:
        r"""Estimate :math:`\tfrac1n A_J'(s \circ u)` on some columns from the block ``rows``."""
        change = self.sample_weight[rows] * (u - self.snapshot.u[rows])
        slope: FloatArray = self.A[rows, columns].T @ change / len(change) + self.snapshot.gx[columns]
        return slope

    def dual_slope(self, rows: slice, columns: slice, w: FloatArray) -> FloatArray:
        r"""Estimate :math:`\tfrac1D A_I w` on some rows from the block ``columns``."""
        change = w - self.snapshot.w[columns]
        slope: FloatArray = self.A[rows, columns] @ change / len(change) + self.snapshot.gy[rows]
        return slope

    def primal_prox(self, columns: slice, w: FloatArray, slope: FloatArray) -> FloatArray:
        r"""Return :math:`\operatorname{prox}_{\eta (g + \frac\alpha2 (\cdot - c)^2)}(w - \eta\,slope)`."""
        form = self.form.restrict(columns)
        eta, alpha = self.steps.eta[columns], self.steps.alpha[columns]
        grown = 1.0 + eta * alpha
        point = (w - eta * slope + eta * alpha * self.steps.centre_w[columns]) / grown
        return form.prox(point, eta / grown)

    def dual_prox(self, rows: slice, u: FloatArray, slope: FloatArray) -> FloatArray:
        r"""Return :math:`\operatorname{prox}_{\tau/D (\phi^* + \frac\beta2 (\cdot - c)^2)}(u + \tau\,slope)`.

        A row of weight 0 keeps its :math:`u_i`.
        """
        tau, beta = self.steps.tau[rows], self.steps.beta
        step = tau / self.A.shape[1]
        grown = 1.0 + step * beta
        point = (u + tau * slope + step * beta * self.steps.centre_u[rows]) / grown
        moved = self.loss.prox_conjugate(point, self.b[rows], step / grown)
        return np.where(self.sample_weight[rows] > 0, moved, u)


def spd1_vr_block_steps(
    A: FloatArray,
    draws: BlockDraws,
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateForm,
    steps: SaddleSteps,
    snapshot: Snapshot,
    w: FloatArray,
    u: FloatArray,
) -> None:
    r"""Algorithm 2 of Tan et al. (2018) with blocks, corrected: the inner steps, in place.

    For the blocks I, I' of rows and J, J' of columns of a step, and from the old :math:`w_J, u_I`,

    .. math::
        \bar w_J &= \operatorname{prox}_{\eta g}\bigl(w_J
            - \eta (\tfrac1{|I'|} A_{I'J}' (s \circ (u - \tilde u))_{I'} + G^w_J)\bigr) \\
        \bar u_I &= \operatorname{prox}_{\frac\tau D \phi^*}\bigl(u_I
            + \tau (\tfrac1{|J'|} A_{IJ'} (w - \tilde w)_{J'} + G^u_I)\bigr) \\
        w_J &\leftarrow \operatorname{prox}_{\eta g}\bigl(w_J
            - \eta (\tfrac1{|I|} A_{IJ}' (s \circ (\bar u - \tilde u))_I + G^w_J)\bigr) \\
        u_I &\leftarrow \operatorname{prox}_{\frac\tau D \phi^*}\bigl(u_I
            + \tau (\tfrac1{|J|} A_{IJ} (\bar w - \tilde w)_J + G^u_I)\bigr)

    with the snapshot :math:`(\tilde w, \tilde u)`, :math:`G^w = A'(s \circ \tilde u)/n` and
    :math:`G^u = A \tilde w / D`. The prox has the proximal terms too.
    """
    step = SPD1VRStep(A, loss, b, sample_weight, form, steps, snapshot)
    for t in range(len(draws.row)):
        rows, other_rows = (_block(draws.row_bounds, k) for k in (draws.row[t], draws.other_row[t]))
        columns, other_columns = (
            _block(draws.column_bounds, k) for k in (draws.column[t], draws.other_column[t])
        )
        w_bar = step.primal_prox(columns, w[columns], step.primal_slope(other_rows, columns, u[other_rows]))
        u_bar = step.dual_prox(rows, u[rows], step.dual_slope(rows, other_columns, w[other_columns]))
        w[columns], u[rows] = (
            step.primal_prox(columns, w[columns], step.primal_slope(rows, columns, u_bar)),
            step.dual_prox(rows, u[rows], step.dual_slope(rows, columns, w_bar)),
        )


def _block(bounds: IndexArray, k: int) -> slice:
    return slice(int(bounds[k]), int(bounds[k + 1]))
