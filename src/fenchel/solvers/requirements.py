"""The requirements that solvers share, each with its reason and a way out."""

from __future__ import annotations

import numpy as np

from fenchel._kernels.multiclass_sdca import MULTICLASS_NAMES
from fenchel.regularizers.base import LinearlyMinimizable, Proximable, Separable
from fenchel.regularizers.nuclear_ball import NuclearBall
from fenchel.regularizers.separable import SeparableRegularizer
from fenchel.solvers.base import Requirement

__all__ = [
    "COMPILED",
    "CURVED",
    "FACTORED",
    "MATRIX_SET",
    "MULTICLASS",
    "PROXIMABLE",
    "SEPARABLE",
    "SMOOTH",
    "SMOOTH_OR_FLAT",
    "UNFACTORED",
    "VECTOR",
]

COMPILED = Requirement(
    holds=lambda problem: (
        problem.loss.compiled and not problem.loss.vector_output and problem.design.visits_coordinates
    ),
    reason=lambda problem: (
        f"it needs a scalar loss that the kernels know, and {problem.loss.name!r} is not one"
        if problem.design.visits_coordinates
        else f"it visits coordinates, and {type(problem.design).__name__} has a matrix of coefficients"
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

VECTOR = Requirement(
    holds=lambda problem: problem.loss.vector_output,
    reason=lambda problem: f"it needs a loss with several outputs, and {problem.loss.name!r} has one",
    way_out="Use solver='primal_cd'.",
)

SMOOTH = Requirement(
    holds=lambda problem: problem.loss.smooth,
    reason=lambda problem: "it needs a loss with a Lipschitz gradient (smoothness = inf)",
    way_out="Use solver='sdca', or a smooth relative of the loss (SmoothedHinge, Huber).",
)

SMOOTH_OR_FLAT = Requirement(
    # Rows on a flat part leave the active ones, and the steps grow longer; with a kink alone all rows stay.
    holds=lambda problem: problem.loss.smooth or problem.loss.sparse_dual,
    reason=lambda problem: (
        f"it needs a loss that is smooth or flat somewhere, and {problem.loss!r} is neither"
    ),
    way_out="Use solver='sdca', or a relative of the loss (EpsilonInsensitive, Huber).",
)

FACTORED = Requirement(
    holds=lambda problem: problem.design.factored and isinstance(problem.regularizer, NuclearBall),
    reason=lambda problem: "it needs the observed entries of a matrix (CompletionDesign) and a NuclearBall",
    way_out="Use solver='auto'.",
)

MATRIX_SET = Requirement(
    holds=lambda problem: (
        not (problem.design.visits_coordinates or problem.design.factored)
        and isinstance(problem.regularizer, LinearlyMinimizable)
        and problem.regularizer.value(problem.primal_point(np.zeros_like(problem.b))) == 0.0
    ),
    reason=lambda problem: "it needs a dense matrix of coefficients (BilinearDesign) in a set with an lmo",
    way_out="Use solver='auto'.",
)

UNFACTORED = Requirement(
    holds=lambda problem: not problem.design.factored,
    reason=lambda problem: f"{type(problem.design).__name__} keeps the coefficients in factors",
    way_out="Use solver='soft_impute'.",
)

SEPARABLE = Requirement(
    # The class first: to ask a protocol takes as long as an epoch of a small fit.
    holds=lambda problem: isinstance(problem.regularizer, (SeparableRegularizer, Separable)),
    reason=lambda problem: "it needs a regularizer that is a sum over coordinates",
    way_out="Use solver='proximal_gradient', which needs a smooth loss.",
)

PROXIMABLE = Requirement(
    holds=lambda problem: isinstance(problem.regularizer, Proximable),
    reason=lambda problem: "it needs a regularizer with a proximal operator",
    way_out="Use a penalty or set that has one (see the table of regularizers).",
)

CURVED = Requirement(
    holds=lambda problem: problem.coordinate_form.curved,
    reason=lambda problem: (
        "it needs an l2 part on every coordinate, and the intercept has none"
        if problem.fit_intercept and bool(np.all(problem.coordinate_form.l2[:-1] > 0))
        else "it needs an l2 part on every coordinate (strong convexity = 0)"
    ),
    way_out="Use solver='sdca', or fit_intercept=False with ElasticNet or Ridge.",
)
