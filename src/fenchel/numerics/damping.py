r"""How much the second derivatives are damped, by how well the last model told what happened.

.. math:: h_i = \tfrac{s_i}n \max(\phi_i''(z_i), \theta\, \bar\phi_i(z_i)), \qquad
          \rho = \frac{P(w) - P(w^+)}{\text{fall of the model}}

with ``Loss.damping_curvature`` for :math:`\bar\phi`. Where the loss flattens, the second derivative of rows
that a long step would bring back is next to nothing, and a model without damping sends them far off.
"""

from __future__ import annotations

__all__ = ["FIRST_DAMPING", "next_damping"]

FIRST_DAMPING = 0.3
_POOR, _GOOD = 0.25, 0.7
_LEAST, _RAISED = 0.005, 0.05
"""Less of it is left out: rows without curvature need not be read then."""


def next_damping(damping: float, step: float, ratio: float) -> float:
    """The next theta after a step of length ``step`` (0: refused) with the ratio rho of the falls."""
    if step < 1.0 or ratio < _POOR:
        return min(1.0, max(5.0 * damping, _RAISED))
    if ratio <= _GOOD:
        return damping
    less = damping / 5.0
    return less if less >= _LEAST else 0.0
