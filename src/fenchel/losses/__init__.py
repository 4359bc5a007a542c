"""The losses: convex functions of a score and a target, with their conjugates."""

from fenchel.losses.absolute import Absolute
from fenchel.losses.base import DOMAIN_SLACK, DualDomain, IntervalDomain, Loss, ScalarLoss
from fenchel.losses.domains import SimplexDomain
from fenchel.losses.epsilon_insensitive import EpsilonInsensitive
from fenchel.losses.hinge import Hinge
from fenchel.losses.huber import Huber
from fenchel.losses.logistic import Logistic
from fenchel.losses.multi_squared import MultiSquared
from fenchel.losses.multiclass_hinge import MulticlassHinge
from fenchel.losses.quantile import Quantile
from fenchel.losses.registry import LOSSES, get_loss
from fenchel.losses.smoothed_hinge import SmoothedHinge
from fenchel.losses.softmax import Softmax
from fenchel.losses.squared import Squared
from fenchel.losses.squared_hinge import SquaredHinge

__all__ = [
    "DOMAIN_SLACK",
    "LOSSES",
    "Absolute",
    "DualDomain",
    "EpsilonInsensitive",
    "Hinge",
    "Huber",
    "IntervalDomain",
    "Logistic",
    "Loss",
    "MultiSquared",
    "MulticlassHinge",
    "Quantile",
    "ScalarLoss",
    "SimplexDomain",
    "SmoothedHinge",
    "Softmax",
    "Squared",
    "SquaredHinge",
    "get_loss",
]
