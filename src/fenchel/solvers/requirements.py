"""The requirements that solvers share, each with its reason and a way out."""

from __future__ import annotations

import numpy as np

from fenchel._kernels.multiclass_sdca import MULTICLASS_NAMES
from fenchel.regularizers.base import Proximable, Separable
from fenchel.solvers.base import Requirement

__all__ = ["COMPILED", "CURVED", "MULTICLASS", "PROXIMABLE", "SEPARABLE", "SMOOTH"]

COMPILED = Requirement(
    holds=lambda problem: problem.loss.compiled and not problem.loss.vector_output,
    reason=lambda problem: (
        f"it needs a scalar loss that the kernels know, and {problem.loss.name!r} is not one"
    ),
    way_out="Use solver='proximal_gradient'.",
)

MULTICLASS = Requirement(
    holds=lambda problem: problem.loss.name in MULTICLASS_NAMES,
    reason=lambda problem: (
        f"it needs a loss of several classes that the kernels know, and {problem.loss.name!r} is not one"
    ),
    way_out="Use Softmax or MulticlassHinge, or solver='auto'.",
)

SMOOTH = Requirement(
    holds=lambda problem: problem.loss.smooth,
    reason=lambda problem: "it needs a loss with a Lipschitz gradient (smoothness = inf)",
    way_out="Use solver='sdca', or a smooth relative of the loss (SmoothedHinge, Huber).",
)

SEPARABLE = Requirement(
    holds=lambda problem: isinstance(problem.regularizer, Separable),
    reason=lambda problem: "it needs a regularizer that is a sum over coordinates",
    way_out="Use solver='proximal_gradient', which needs a smooth loss.",
)

PROXIMABLE = Requirement(
    holds=lambda problem: isinstance(problem.regularizer, Proximable),
    reason=lambda problem: "it needs a regularizer with a proximal operator",
    way_out="Use a penalty or set that has one (see the table of regularizers).",
)

CURVED = Requirement(
    holds=lambda problem: bool(np.all(problem.coordinate_form.l2 > 0)),
    reason=lambda problem: (
        "it needs an l2 part on every coordinate, and the intercept has none"
        if problem.fit_intercept and bool(np.all(problem.coordinate_form.l2[:-1] > 0))
        else "it needs an l2 part on every coordinate (strong convexity = 0)"
    ),
    way_out="Use solver='sdca', or fit_intercept=False with ElasticNet or Ridge.",
)
