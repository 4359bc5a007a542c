"""The norm of the regularizer decides the distance on the primal side."""

from __future__ import annotations

from fenchel.regularizers.base import Regularizer
from fenchel.regularizers.group_l2_ball import GroupL2Ball
from fenchel.regularizers.solid_simplex import SolidSimplex
from fenchel.solvers.mirror.entropy_primal import LiftedEntropy, SimplexEntropy
from fenchel.solvers.mirror.power_primal import PowerGroups
from fenchel.solvers.mirror.primal_geometry import PrimalGeometry

__all__ = ["primal_geometry"]


def primal_geometry(regularizer: Regularizer) -> PrimalGeometry:
    """The entropy for the norms that sum all entries, the power function for that which sums row norms."""
    if isinstance(regularizer, GroupL2Ball):
        return PowerGroups()
    return SimplexEntropy() if isinstance(regularizer, SolidSimplex) else LiftedEntropy()
