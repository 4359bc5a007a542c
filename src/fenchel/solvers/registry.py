"""The solvers by name, and the choice that ``solver="auto"`` makes."""

from __future__ import annotations

from typing import Any

from fenchel.errors import InvalidInputError, UnsupportedProblemError
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Solver
from fenchel.solvers.coordinate.dgpd import DGPD
from fenchel.solvers.coordinate.dgpd_active_set import DGPDActiveSet
from fenchel.solvers.coordinate.dgpd_plus import DGPDPlus
from fenchel.solvers.coordinate.multiclass_sdca import MulticlassSDCA
from fenchel.solvers.coordinate.primal_cd import PrimalCD
from fenchel.solvers.coordinate.sdca import SDCA
from fenchel.solvers.coordinate.spdc import SPDC
from fenchel.solvers.full.proximal_gradient import ProximalGradient
from fenchel.solvers.stochastic.psgd import PSGD
from fenchel.solvers.stochastic.saga import SAGA
from fenchel.solvers.stochastic.spd1 import SPD1
from fenchel.solvers.stochastic.spd1_vr import SPD1VR
from fenchel.solvers.stochastic.svrg import SVRG

__all__ = ["SOLVERS", "choose_solver", "get_solver"]

SOLVERS: dict[str, type[Solver[Any]]] = {
    "primal_cd": PrimalCD,
    "sdca": SDCA,
    "proximal_gradient": ProximalGradient,
    "dgpd": DGPD,
    "dgpd_active_set": DGPDActiveSet,
    "spdc": SPDC,
    "dgpd_plus": DGPDPlus,
    "svrg": SVRG,
    "saga": SAGA,
    "psgd": PSGD,
    "spd1": SPD1,
    "spd1_vr": SPD1VR,
    "multiclass_sdca": MulticlassSDCA,
}

_WEAK_L1 = 500.0
"""An l1 part this many times below the smallest one with the zero solution is weak."""


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
    if _few_rows_decide(problem):
        return DGPDPlus(), "a weak l1 part, a loss with a sparse dual, and at least as many columns as rows"
    if PrimalCD.unmet(problem) is None and not _dual_is_smaller(problem):
        return PrimalCD(), "the loss is smooth and the regularizer separable"
    if SDCA.unmet(problem) is None:
        why = (
            "the rows are fewer than the columns, and all coefficients non-zero"
            if problem.loss.smooth
            else "the loss has kinks"
        )
        return SDCA(), why
    if MulticlassSDCA.unmet(problem) is None:
        return MulticlassSDCA(), "the loss is one of several classes"
    if ProximalGradient.unmet(problem) is None:
        return ProximalGradient(), "the loss has vector outputs, or the regularizer is not separable"
    reasons = "; ".join(
        f"{name}: {failed.reason(problem)}"
        for name, solver in SOLVERS.items()
        if (failed := solver.unmet(problem)) is not None
    )
    raise UnsupportedProblemError(
        f"No solver serves loss {type(problem.loss).__name__} with regularizer "
        f"{type(problem.regularizer).__name__}. {reasons}. Use a smooth loss (for instance SmoothedHinge or "
        "Huber), or a separable regularizer (for instance ElasticNet or Box)."
    )


def _few_rows_decide(problem: Problem) -> bool:
    """Whether active sets of rows and columns are the faster side, as measured; see docs/choosing.rst.

    One product with A, for problems that DGPDPlus serves and that have an l1 part.
    """
    if DGPDPlus.unmet(problem) is not None or not problem.loss.smooth or not problem.loss.sparse_dual:
        return False
    if problem.n_samples > problem.n_features or not problem.coordinate_form.l1.any():
        return False
    return problem.zero_solution_strength() >= _WEAK_L1


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
