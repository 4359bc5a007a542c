"""The solvers by name, and the choice that ``solver="auto"`` makes."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel.errors import InvalidInputError, UnsupportedProblemError
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Solver
from fenchel.solvers.coordinate.apcg import APCG
from fenchel.solvers.coordinate.dgpd import DGPD
from fenchel.solvers.coordinate.dgpd_active_set import DGPDActiveSet
from fenchel.solvers.coordinate.dgpd_plus import DGPDPlus
from fenchel.solvers.coordinate.multiclass_sdca import MulticlassSDCA
from fenchel.solvers.coordinate.primal_cd import PrimalCD
from fenchel.solvers.coordinate.sdca import SDCA
from fenchel.solvers.coordinate.spdc import SPDC
from fenchel.solvers.frank_wolfe.adaptive_gsfw import AdaptiveGSFW
from fenchel.solvers.frank_wolfe.away_frank_wolfe import AwayFrankWolfe
from fenchel.solvers.frank_wolfe.frank_wolfe import FrankWolfe
from fenchel.solvers.frank_wolfe.fully_corrective_frank_wolfe import FullyCorrectiveFrankWolfe
from fenchel.solvers.frank_wolfe.gsfw import GSFW
from fenchel.solvers.frank_wolfe.pairwise_frank_wolfe import PairwiseFrankWolfe
from fenchel.solvers.frank_wolfe.scgm import SCGM
from fenchel.solvers.frank_wolfe.scgs import SCGS
from fenchel.solvers.frank_wolfe.sfw import SFW
from fenchel.solvers.frank_wolfe.svrf import SVRF
from fenchel.solvers.full.multiclass_newton import MulticlassNewton
from fenchel.solvers.full.proximal_gradient import ProximalGradient
from fenchel.solvers.full.soft_impute import SoftImpute
from fenchel.solvers.interpolation.accelerated_dual_ascent import AcceleratedDualAscent
from fenchel.solvers.interpolation.dual_ascent import DualAscent
from fenchel.solvers.interpolation.perceptron import Perceptron
from fenchel.solvers.interpolation.primal_mirror_descent import PrimalMirrorDescent
from fenchel.solvers.interpolation.setting import constraint_arrays, curvatures, is_euclidean
from fenchel.solvers.mirror.mirror_descent import MirrorDescent
from fenchel.solvers.mirror.mirror_prox import MirrorProx
from fenchel.solvers.mirror.smd import SMD
from fenchel.solvers.mirror.ssm import SSM
from fenchel.solvers.mirror.sublinear_multiclass import SublinearMulticlass
from fenchel.solvers.prox_newton.prox_newton import ProxNewton
from fenchel.solvers.stochastic.psgd import PSGD
from fenchel.solvers.stochastic.saga import SAGA
from fenchel.solvers.stochastic.spd1 import SPD1
from fenchel.solvers.stochastic.spd1_vr import SPD1VR
from fenchel.solvers.stochastic.svrg import SVRG

__all__ = ["SOLVERS", "choose_solver", "get_solver"]

SOLVERS: dict[str, type[Solver[Any]]] = {
    "primal_cd": PrimalCD,
    "prox_newton": ProxNewton,
    "sdca": SDCA,
    "proximal_gradient": ProximalGradient,
    "dgpd": DGPD,
    "dgpd_active_set": DGPDActiveSet,
    "spdc": SPDC,
    "apcg": APCG,
    "dgpd_plus": DGPDPlus,
    "svrg": SVRG,
    "saga": SAGA,
    "psgd": PSGD,
    "spd1": SPD1,
    "spd1_vr": SPD1VR,
    "multiclass_sdca": MulticlassSDCA,
    "mirror_descent": MirrorDescent,
    "mirror_prox": MirrorProx,
    "smd": SMD,
    "ssm": SSM,
    "sublinear_multiclass": SublinearMulticlass,
    "multiclass_newton": MulticlassNewton,
    "frank_wolfe": FrankWolfe,
    "pairwise_frank_wolfe": PairwiseFrankWolfe,
    "away_frank_wolfe": AwayFrankWolfe,
    "gsfw": GSFW,
    "adaptive_gsfw": AdaptiveGSFW,
    "sfw": SFW,
    "svrf": SVRF,
    "scgm": SCGM,
    "scgs": SCGS,
    "soft_impute": SoftImpute,
    "fully_corrective_frank_wolfe": FullyCorrectiveFrankWolfe,
    "dual_ascent": DualAscent,
    "accelerated_dual_ascent": AcceleratedDualAscent,
    "primal_mirror_descent": PrimalMirrorDescent,
    "perceptron": Perceptron,
}

_WEAK_L1 = 500.0
"""An l1 part this many times below the smallest one with the zero solution is weak."""
_STIFF = 10.0
"""With a slack 1/c of at least the tenth of L_i in every row plain dual ascent is quick."""
_FEW_COLUMNS = 100
"""Up to so many columns the factored Newton steps of PrimalCD are as quick as working sets."""
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
    if DualAscent.unmet(problem) is None:
        return _ascend(problem)
    if _few_rows_decide(problem):
        return DGPDPlus(), "a weak l1 part, a loss with a sparse dual, and at least as many columns as rows"
    if _columns_are_many(problem):
        return ProxNewton(), "the loss is smooth, the regularizer has an l1 part, and the columns are many"
    if PrimalCD.unmet(problem) is None and not _dual_is_smaller(problem):
        return PrimalCD(), "the loss is smooth and the regularizer separable"
    if SDCA.unmet(problem) is None:
        why = (
            "the rows are fewer than the columns, and all coefficients non-zero"
            if problem.loss.smooth
            else "the loss has kinks"
        )
        return SDCA(), why
    if MulticlassNewton.unmet(problem) is None and _factors_are_cheap(problem):
        return MulticlassNewton(), "the loss is smooth over several classes, and the coefficients are few"
    if MulticlassSDCA.unmet(problem) is None:
        if problem.loss.smooth and not problem.coordinate_form.l2.any():
            return ProximalGradient(), "the loss is smooth over several classes, and there is no l2 part"
        return MulticlassSDCA(), "the loss is one of several classes"
    if SoftImpute.unmet(problem) is None:
        return SoftImpute(), "the coefficients are a matrix in a nuclear ball, of which entries are observed"
    if PairwiseFrankWolfe.unmet(problem) is None and problem.n_features <= min(_FEW, problem.n_samples - 1):
        return PairwiseFrankWolfe(), "the set has one vertex a coordinate, and these are few"
    if ProximalGradient.unmet(problem) is None:
        return ProximalGradient(), "the loss has vector outputs, or the regularizer is not separable"
    if MirrorProx.unmet(problem) is None:
        return MirrorProx(), "the loss is one of several classes with kinks, inside a set"
    if FullyCorrectiveFrankWolfe.unmet(problem) is None:
        return FullyCorrectiveFrankWolfe(), "the set of matrices has a linear minimisation oracle alone"
    if FrankWolfe.unmet(problem) is None:
        return FrankWolfe(), "the regularizer has a linear minimisation oracle alone"
    raise UnsupportedProblemError(
        f"No solver serves loss {type(problem.loss).__name__} with regularizer "
        f"{type(problem.regularizer).__name__}. {_reasons(problem)}. Use a smooth loss (for instance "
        "SmoothedHinge or Huber), or a separable regularizer (for instance ElasticNet or Box)."
    )


def _ascend(problem: Problem) -> tuple[Solver[Any], str]:
    """Momentum where it costs nothing, and little slack leaves the dual flat; see docs/choosing.rst."""
    if not is_euclidean(problem.regularizer):
        return DualAscent(), "the loss is a constraint, and the regularizer bends the steps"
    slack = constraint_arrays(problem).inverse_slack
    if np.all(curvatures(problem) <= _STIFF * slack):
        return DualAscent(), "the loss is a constraint with much slack"
    return AcceleratedDualAscent(), "the loss is a constraint, and the regularizer half a squared l2 norm"


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
    if DGPDPlus.unmet(problem) is not None or not problem.loss.smooth or not problem.loss.sparse_dual:
        return False
    if problem.n_samples > problem.n_features or not problem.coordinate_form.l1.any():
        return False
    return problem.zero_solution_strength() >= _WEAK_L1


def _columns_are_many(problem: Problem) -> bool:
    """Whether a working set is much smaller than the whole; see docs/choosing.rst for what was measured."""
    if ProxNewton.unmet(problem) is not None or problem.n_features <= _FEW_COLUMNS:
        return False
    return bool(problem.coordinate_form.l1.any())


def _dual_is_smaller(problem: Problem) -> bool:
    """A ridge on more columns than rows, with a loss whose curvature vanishes beyond the margin.

    Every coefficient is non-zero, so the rows are cheaper to visit; and where few rows are curved the
    Newton steps of the primal have little to hold on to.
    """
    if not problem.loss.sparse_dual:
        return False
    no_zeros = not problem.coordinate_form.l1.any()
    strongly = problem.regularizer.strong_convexity(problem.n_features) > 0
    return no_zeros and strongly and problem.n_samples < problem.n_features
