r"""Where the optimum must lie, and how large the loss derivatives there can be.

Let :math:`P_0` be the value of P at a feasible point. No loss and no penalty is negative, so that at every
optimum :math:`\frac1n \sum_i s_i \phi_i \le P_0` and :math:`g(w^*) \le P_0`. A loss of smoothness
:math:`\beta` satisfies :math:`\phi'^2 \le 2 \beta \phi`; hence

.. math:: \Bigl(\frac1n \sum_i s_i u_i^2\Bigr)^{1/2} \le \ell = \min\{L, \sqrt{2 \beta P_0}\}

for the derivatives u at the optimum, with L the Lipschitz constant of the loss (one of the two is finite for
every loss here). From :math:`|v_j| \le \ell\, \rho_j`, with :math:`\rho_j` the root mean square of column j,

.. math:: |w_j^*| \le \min\Bigl\{ \frac{(\ell \rho_j - l_{1j})_+}{l_{2j}}, \; \frac{P_0}{l_{1j}}, \;
    \sqrt{2 P_0 / l_{2j}} \Bigr\},

and the bounds of the coordinate itself hold. A box of these radii does not move any optimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fenchel.numerics.coordinate import CoordinateForm
from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["Reach"]


@dataclass(frozen=True, eq=False)
class Reach:
    """The bounds of one problem, taken from P at the feasible point nearest to zero; cost one pass."""

    problem: Problem

    @cached_property
    def level(self) -> float:
        """``P_0``."""
        form = self.problem.coordinate_form
        return self.problem.primal_value(np.clip(np.zeros(form.l1.size), form.lower, form.upper))

    @cached_property
    def slope(self) -> float:
        """``l``, the root mean square of the loss derivatives at the optimum; 1 where all of them vanish."""
        loss = self.problem.loss
        by_level = np.sqrt(2.0 * loss.smoothness * self.level) if loss.smooth else np.inf
        return float(min(loss.lipschitz, by_level)) or 1.0

    @cached_property
    def radii(self) -> FloatArray:
        """The radius of every coordinate; infinite where neither a penalty nor a bound holds it."""
        form, norms = self.problem.coordinate_form, self.problem.column_norms
        with np.errstate(divide="ignore", invalid="ignore"):
            by_slope = np.where(form.l2 > 0, np.maximum(self.slope * norms - form.l1, 0.0) / form.l2, np.inf)
            by_l1 = np.where(form.l1 > 0, self.level / form.l1, np.inf)
            by_l2 = np.where(form.l2 > 0, np.sqrt(2.0 * self.level / form.l2), np.inf)
        by_bounds = np.maximum(np.abs(form.lower), np.abs(form.upper))
        nearest = np.abs(np.clip(0.0, form.lower, form.upper))
        by_penalty = np.maximum(np.minimum(by_slope, np.minimum(by_l1, by_l2)), nearest)
        radii: FloatArray = np.minimum(by_penalty, by_bounds)
        return radii

    @cached_property
    def form(self) -> CoordinateForm:
        """The regularizer within these radii."""
        form, radii = self.problem.coordinate_form, self.radii
        return CoordinateForm(
            form.l1,
            form.l2,
            np.clip(-radii, form.lower, form.upper),
            np.clip(radii, form.lower, form.upper),
        )

    @cached_property
    def scales(self) -> FloatArray:
        """A finite size for every coordinate: its radius, or what moves the scores by the targets' size.

        The intercept and features without penalty have no proven radius. Their scale sets the length of
        steps, and nothing else.
        """
        norms, targets = self.problem.column_norms, float(np.abs(self.problem.b).max(initial=0.0))
        size = np.divide(targets or 1.0, norms, out=np.ones_like(norms), where=norms > 0)
        return np.where(np.isfinite(self.radii), self.radii, size)

    @cached_property
    def distance(self) -> float:
        """A bound on the norm of ``w*`` (the scales standing in for what has none); 1 where it is 0."""
        form, held = self.problem.coordinate_form, np.isfinite(self.radii)
        l1, l2 = (float(part[held].min(initial=np.inf)) for part in (form.l1, form.l2))
        penalised = float(np.linalg.norm(self.scales[held]))
        if 0 < l1 < np.inf:
            penalised = min(penalised, self.level / l1)
        if 0 < l2 < np.inf:
            penalised = min(penalised, float(np.sqrt(2.0 * self.level / l2)))
        return float(np.hypot(penalised, np.linalg.norm(self.scales[~held]))) or 1.0
