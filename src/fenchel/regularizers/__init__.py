"""Penalties and constraint sets: one a file, and their registry."""

from fenchel.regularizers.base import LinearlyMinimizable, Proximable, Regularizer, Separable
from fenchel.regularizers.box import Box
from fenchel.regularizers.elastic_net import ElasticNet
from fenchel.regularizers.l1 import L1
from fenchel.regularizers.l1_ball import L1Ball
from fenchel.regularizers.l2_ball import L2Ball
from fenchel.regularizers.non_negative import NonNegative
from fenchel.regularizers.none import NoPenalty
from fenchel.regularizers.registry import REGULARIZERS, make_regularizer
from fenchel.regularizers.ridge import Ridge
from fenchel.regularizers.separable import SeparableRegularizer
from fenchel.regularizers.standardized import Standardized

__all__ = [
    "L1",
    "REGULARIZERS",
    "Box",
    "ElasticNet",
    "L1Ball",
    "L2Ball",
    "LinearlyMinimizable",
    "NoPenalty",
    "NonNegative",
    "Proximable",
    "Regularizer",
    "Ridge",
    "Separable",
    "SeparableRegularizer",
    "Standardized",
    "make_regularizer",
]
