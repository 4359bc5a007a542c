"""The losses: convex functions of a score and a target, with their conjugates."""

from fenchel.losses.absolute import Absolute
from fenchel.losses.ball_constraint import BallConstraint
from fenchel.losses.base import DOMAIN_SLACK, DualDomain, IntervalDomain, Loss, ScalarLoss
from fenchel.losses.constraint import FEASIBILITY, ConstraintLoss, ScalarConstraint
from fenchel.losses.domains import SimplexDomain
from fenchel.losses.epsilon_insensitive import EpsilonInsensitive
from fenchel.losses.equality_constraint import EqualityConstraint
from fenchel.losses.hinge import Hinge
from fenchel.losses.huber import Huber
from fenchel.losses.interval_constraint import IntervalConstraint
from fenchel.losses.logistic import Logistic
from fenchel.losses.lower_bound_constraint import LowerBoundConstraint
from fenchel.losses.margin_constraint import MarginConstraint
from fenchel.losses.multi_squared import MultiSquared
from fenchel.losses.multiclass_hinge import MulticlassHinge
from fenchel.losses.quantile import Quantile
from fenchel.losses.registry import LOSSES, get_loss
from fenchel.losses.simplex_constraint import SimplexConstraint
from fenchel.losses.smoothed_hinge import SmoothedHinge
from fenchel.losses.softmax import Softmax
from fenchel.losses.squared import Squared
from fenchel.losses.squared_distance import SquaredDistance
from fenchel.losses.squared_hinge import SquaredHinge

__all__ = [
    "DOMAIN_SLACK",
    "FEASIBILITY",
    "LOSSES",
    "Absolute",
    "BallConstraint",
    "ConstraintLoss",
    "DualDomain",
    "EpsilonInsensitive",
    "EqualityConstraint",
    "Hinge",
    "Huber",
    "IntervalConstraint",
    "IntervalDomain",
    "Logistic",
    "Loss",
    "LowerBoundConstraint",
    "MarginConstraint",
    "MultiSquared",
    "MulticlassHinge",
    "Quantile",
    "ScalarConstraint",
    "ScalarLoss",
    "SimplexConstraint",
    "SimplexDomain",
    "SmoothedHinge",
    "Softmax",
    "Squared",
    "SquaredDistance",
    "SquaredHinge",
    "get_loss",
]
