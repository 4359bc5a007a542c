"""The solvers by name, and the choice that ``solver="auto"`` makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fenchel.errors import InvalidInputError, UnsupportedProblemError
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Solver
from fenchel.solvers.interpolation.setting import CONSTRAINED, constraint_arrays, curvatures, is_euclidean
from fenchel.solvers.ridge import ridge_of_features, row_curvature
from fenchel.solvers.table import SolverTable

__all__ = ["SOLVERS", "choose_solver", "get_solver"]

SOLVERS: Mapping[str, type[Solver[Any]]] = SolverTable(
    {
        "primal_cd": "coordinate.PrimalCD",
        "prox_newton": "prox_newton.ProxNewton",
        "sdca": "coordinate.SDCA",
        "proximal_gradient": "full.ProximalGradient",
        "dgpd": "coordinate.DGPD",
        "dgpd_active_set": "coordinate.DGPDActiveSet",
        "spdc": "coordinate.SPDC",
        "apcg": "coordinate.APCG",
        "dgpd_plus": "coordinate.DGPDPlus",
        "svrg": "stochastic.SVRG",
        "saga": "stochastic.SAGA",
        "psgd": "stochastic.PSGD",
        "spd1": "stochastic.SPD1",
        "spd1_vr": "stochastic.SPD1VR",
        "multiclass_sdca": "coordinate.MulticlassSDCA",
        "mirror_descent": "mirror.MirrorDescent",
        "mirror_prox": "mirror.MirrorProx",
        "smd": "mirror.SMD",
        "ssm": "mirror.SSM",
        "sublinear_multiclass": "mirror.SublinearMulticlass",
        "multiclass_newton": "full.MulticlassNewton",
        "frank_wolfe": "frank_wolfe.FrankWolfe",
        "pairwise_frank_wolfe": "frank_wolfe.PairwiseFrankWolfe",
        "away_frank_wolfe": "frank_wolfe.AwayFrankWolfe",
        "gsfw": "frank_wolfe.GSFW",
        "adaptive_gsfw": "frank_wolfe.AdaptiveGSFW",
        "sfw": "frank_wolfe.SFW",
        "svrf": "frank_wolfe.SVRF",
        "scgm": "frank_wolfe.SCGM",
        "scgs": "frank_wolfe.SCGS",
        "soft_impute": "full.SoftImpute",
        "fully_corrective_frank_wolfe": "frank_wolfe.FullyCorrectiveFrankWolfe",
        "dual_ascent": "interpolation.DualAscent",
        "accelerated_dual_ascent": "interpolation.AcceleratedDualAscent",
        "primal_mirror_descent": "interpolation.PrimalMirrorDescent",
        "perceptron": "interpolation.Perceptron",
    }
)

_WEAK_L1 = 500.0
"""An l1 part this many times below the smallest one with the zero solution is weak."""
_ROWS_A_COLUMN = 4
"""Active sets of rows and columns are the faster side with up to so many rows a column."""
_STIFF = 10.0
"""With a slack 1/c of at least the tenth of L_i in every row plain dual ascent is quick."""
_FEW_COLUMNS = 100
"""Up to so many columns under a ridge factored Newton steps of PrimalCD are as quick as others, if the loss
has parts without curvature; where it has none a model that is held as its matrix is quicker."""
_FEW_ROWS = 1_000
"""Of rows that are fewer than the columns: the systems of the dual are small."""
_MATRIX = 1_000
"""Up to so many columns a Newton step can be solved with the matrix of all, which takes one pass."""
_QUICK_DUAL, _QUICK_WIDE_DUAL = 1.0, 5.0
"""Up to so large a curvature of a row beside that of the ridge dual ascent is quicker than Newton steps; the
second one where the columns are more than the rows."""
_WEAK_RIDGE = 100.0
"""With rows of so many times the curvature of the ridge hinges go to PrimalCD, which searches exactly."""
_ONE_MATRIX = 64
"""Up to so many dense columns ProxNewton holds one matrix of all: the limit of its ``gram_matrix``."""
_ROWS_OF_FEW_COLUMNS = 10_000
"""Up to so many rows of few columns PrimalCD is quicker under a ridge and a loss with a sparse dual."""
_FEW = 400
"""With so many coordinates all vertices can be active, and their quadratic model still be cheap."""

_FEW_COEFFICIENTS, _CHEAP_PRODUCTS = 1_000, 1e10
"""Up to these sizes, of the matrix and of the products that make it, a factored Hessian is quick."""


def get_solver(solver: str | Solver[Any], problem: Problem) -> tuple[Solver[Any], str]:
    """Return a solver that serves the problem, and why it was taken.

    Raises InvalidInputError for an unknown name, UnsupportedProblemError for a solver that cannot
    serve the problem.
    """
    if solver == "auto":
        return choose_solver(problem)
    if isinstance(solver, Solver):
        chosen = solver
    elif solver in SOLVERS:
        chosen = SOLVERS[solver]()
    else:
        raise InvalidInputError(f"solver={solver!r} is unknown. Use 'auto' or one of {sorted(SOLVERS)}.")
    chosen.check(problem)
    return chosen, "it was asked for"


def choose_solver(problem: Problem) -> tuple[Solver[Any], str]:
    """Choose by what the problem offers, by its shape, and by how weak its l1 part is."""
    name, why = _choice(problem)
    return SOLVERS[name](), why


def _serves(name: str, problem: Problem) -> bool:
    return SOLVERS[name].unmet(problem) is None


def _choice(problem: Problem) -> tuple[str, str]:
    """The name of the solver, and why."""
    if CONSTRAINED.holds(problem) and _serves("dual_ascent", problem):
        return _ascend(problem)
    if _serves("prox_newton", problem):
        return _smooth_choice(problem)
    if _serves("sdca", problem):
        return "sdca", "the loss has kinks"
    if _serves("multiclass_newton", problem) and _factors_are_cheap(problem):
        return "multiclass_newton", "the loss is smooth over several classes, and the coefficients are few"
    if _serves("multiclass_sdca", problem):
        if problem.loss.smooth and not problem.coordinate_form.l2.any():
            return "proximal_gradient", "the loss is smooth over several classes, and there is no l2 part"
        return "multiclass_sdca", "the loss is one of several classes"
    if _serves("soft_impute", problem):
        return "soft_impute", "the coefficients are a matrix in a nuclear ball, of which entries are observed"
    vertices_are_few = problem.n_features <= min(_FEW, problem.n_samples - 1)
    if vertices_are_few and _serves("pairwise_frank_wolfe", problem):
        return "pairwise_frank_wolfe", "the set has one vertex a coordinate, and these are few"
    if _serves("proximal_gradient", problem):
        return "proximal_gradient", "the loss has vector outputs, or the regularizer is not separable"
    if _serves("mirror_prox", problem):
        return "mirror_prox", "the loss is one of several classes with kinks, inside a set"
    if _serves("fully_corrective_frank_wolfe", problem):
        return "fully_corrective_frank_wolfe", "the set of matrices has a linear minimisation oracle alone"
    if _serves("frank_wolfe", problem):
        return "frank_wolfe", "the regularizer has a linear minimisation oracle alone"
    raise UnsupportedProblemError(
        f"No solver serves loss {type(problem.loss).__name__} with regularizer "
        f"{type(problem.regularizer).__name__}. {_reasons(problem)}. Use a smooth loss (for instance "
        "SmoothedHinge or Huber), or a separable regularizer (for instance ElasticNet or Box)."
    )


def _smooth_choice(problem: Problem) -> tuple[str, str]:
    """The same for a smooth scalar loss under a separable regularizer, which five of the solvers serve."""
    if _few_rows_decide(problem):
        return "dgpd_plus", "a weak l1 part, a loss with a sparse dual, and not many more rows than columns"
    if problem.coordinate_form.kinked:
        return "prox_newton", "the loss is smooth, and the regularizer has an l1 part"
    if _columns_are_few(problem):
        return "prox_newton", "the loss is curved everywhere, and the columns are few"
    if _ridge_suits_rows(problem):
        return "sdca", "the loss is smooth, and the rows are few beside the ridge or the columns"
    if _has_no_ends(problem):
        return "prox_newton", "the loss is smooth, and the regularizer a weighted sum of squares"
    if _dual_is_smaller(problem):
        return "sdca", "the rows are fewer than the columns, and all coefficients non-zero"
    return "primal_cd", "the loss is smooth and the regularizer separable"


def _ascend(problem: Problem) -> tuple[str, str]:
    """Momentum where it costs nothing, and little slack leaves the dual flat; see docs/choosing.rst."""
    if not is_euclidean(problem.regularizer):
        return "dual_ascent", "the loss is a constraint, and the regularizer bends the steps"
    slack = constraint_arrays(problem).inverse_slack
    if np.all(curvatures(problem) <= _STIFF * slack):
        return "dual_ascent", "the loss is a constraint with much slack"
    return "accelerated_dual_ascent", "the loss is a constraint, and the regularizer half a squared l2 norm"


def _reasons(problem: Problem) -> str:
    """What each solver lacks; those with the same reason together."""
    groups: dict[str, list[str]] = {}
    for name, solver in SOLVERS.items():
        failed = solver.unmet(problem)
        if failed is not None:
            groups.setdefault(failed.reason(problem), []).append(name)
    return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in groups.items())


def _factors_are_cheap(problem: Problem) -> bool:
    """Whether outputs are coupled, and a Newton step takes a fraction of a second; see docs/choosing.rst."""
    if not problem.loss.coupled:
        return False
    coefficients = int(np.prod(problem.primal_shape))
    return coefficients <= _FEW_COEFFICIENTS and problem.n_samples * coefficients**2 <= _CHEAP_PRODUCTS


def _few_rows_decide(problem: Problem) -> bool:
    """Whether active sets of rows and columns are the faster side, as measured; see docs/choosing.rst.

    One product with A, for problems that DGPDPlus serves and that have an l1 part.
    """
    if not problem.loss.sparse_dual or problem.n_samples > _ROWS_A_COLUMN * problem.n_features:
        return False
    if not (problem.coordinate_form.kinked and _serves("dgpd_plus", problem)):
        return False
    return problem.zero_solution_strength() >= _WEAK_L1


def _columns_are_few(problem: Problem) -> bool:
    """Whether a model held as its matrix spares passes that cost more; see docs/choosing.rst."""
    if problem.n_features > _FEW_COLUMNS or problem.loss.sparse_dual:
        return False
    return bool(problem.coordinate_form.l2.any())


def _ridge_suits_rows(problem: Problem) -> bool:
    """A squared norm alone, with few rows or, in the mean, smoothness * |a_i|^2 <= n l2 (docs/choosing.rst).

    Few rows beside the columns are one small system. Under so strong a ridge a pass of SDCA makes the gap
    several times smaller, and the first ones are the cheapest of all.
    """
    ridge = problem.coordinate_form.ridge
    if ridge == 0 or problem.n_features <= _FEW_COLUMNS:
        return False
    if problem.n_samples >= problem.n_features:
        return problem.n_features > _MATRIX and row_curvature(problem, ridge) <= _QUICK_DUAL
    if problem.n_samples <= _FEW_ROWS or problem.loss.sparse_dual:
        return True
    return row_curvature(problem, ridge) <= _QUICK_WIDE_DUAL


def _has_no_ends(problem: Problem) -> bool:
    """An l2 part, and neither kink nor bound: a Newton step moves all coordinates at once.

    Not for a hinge on few columns and not many rows, whose few curved rows are factored more quickly, unless
    the data is dense and its columns are one matrix; nor where its ridge is weak: its curvature jumps, and
    steps that are halved can crawl.
    """
    form = problem.coordinate_form
    if not (form.quadratic and form.l2.any()):
        return False
    if not problem.loss.sparse_dual:
        return True
    few = problem.n_features <= _FEW_COLUMNS and problem.n_samples < _ROWS_OF_FEW_COLUMNS
    one_matrix = problem.n_features <= _ONE_MATRIX and problem.design.is_full
    ridge = ridge_of_features(problem)
    return (one_matrix or not few) and ridge > 0.0 and row_curvature(problem, ridge) <= _WEAK_RIDGE


def _dual_is_smaller(problem: Problem) -> bool:
    """A ridge on more columns than rows, with a loss whose curvature vanishes beyond the margin.

    Every coefficient is non-zero, so the rows are cheaper to visit; and where few rows are curved the
    Newton steps of the primal have little to hold on to.
    """
    if not problem.loss.sparse_dual:
        return False
    strongly = problem.regularizer.strong_convexity(problem.n_features) > 0
    return strongly and problem.n_samples < problem.n_features
