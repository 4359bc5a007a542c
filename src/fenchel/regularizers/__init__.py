"""Penalties and constraint sets: one a file, and their registry."""

from fenchel.regularizers.base import (
    BregmanProximable,
    LinearlyMinimizable,
    Proximable,
    Regularizer,
    Separable,
)
from fenchel.regularizers.box import Box
from fenchel.regularizers.elastic_net import ElasticNet
from fenchel.regularizers.group_l2 import GroupL2
from fenchel.regularizers.group_l2_ball import GroupL2Ball
from fenchel.regularizers.l1 import L1
from fenchel.regularizers.l1_ball import L1Ball
from fenchel.regularizers.l1_inf_ball import L1InfBall
from fenchel.regularizers.l2_ball import L2Ball
from fenchel.regularizers.non_negative import NonNegative
from fenchel.regularizers.none import NoPenalty
from fenchel.regularizers.nuclear_ball import NuclearBall
from fenchel.regularizers.registry import REGULARIZERS, make_regularizer
from fenchel.regularizers.relative_entropy import RelativeEntropy
from fenchel.regularizers.ridge import Ridge
from fenchel.regularizers.row_column_ball import RowColumnBall
from fenchel.regularizers.separable import SeparableRegularizer
from fenchel.regularizers.simplex import Simplex
from fenchel.regularizers.solid_simplex import SolidSimplex
from fenchel.regularizers.squared_lp import SquaredLp
from fenchel.regularizers.standardized import Standardized

__all__ = [
    "L1",
    "REGULARIZERS",
    "Box",
    "BregmanProximable",
    "ElasticNet",
    "GroupL2",
    "GroupL2Ball",
    "L1Ball",
    "L1InfBall",
    "L2Ball",
    "LinearlyMinimizable",
    "NoPenalty",
    "NonNegative",
    "NuclearBall",
    "Proximable",
    "Regularizer",
    "RelativeEntropy",
    "Ridge",
    "RowColumnBall",
    "Separable",
    "SeparableRegularizer",
    "Simplex",
    "SolidSimplex",
    "SquaredLp",
    "Standardized",
    "make_regularizer",
]
