"""A solver that cannot serve a problem says so before any work: what, why, and the way out."""

import re

import numpy as np
import pytest

from fenchel import Problem, UnsupportedProblemError, solve
from fenchel.losses import Absolute, Hinge, Logistic, MulticlassHinge, MultiSquared, Quantile, Softmax
from fenchel.regularizers import L1, L2Ball, Ridge
from fenchel.solvers.registry import SOLVERS

SMOOTH = (
    "it needs a loss with a Lipschitz gradient (smoothness = inf). Use solver='sdca', or a smooth relative "
    "of the loss (SmoothedHinge, Huber)."
)
SEPARABLE = (
    "it needs a regularizer that is a sum over coordinates. Use solver='proximal_gradient', which needs a "
    "smooth loss."
)
COMPILED = (
    "it needs a scalar loss that the kernels know, and 'multi_squared' is not one. Use "
    "solver='proximal_gradient'."
)
MULTICLASS = (
    "it needs a loss of several classes that the kernels know, and 'logistic' is not one. Use Softmax or "
    "MulticlassHinge, or solver='auto'."
)
CURVED = "Use solver='sdca', or fit_intercept=False with ElasticNet or Ridge."
REFUSED = [
    ("primal_cd", Hinge(), L1(0.1), SMOOTH),
    ("primal_cd", Logistic(), L2Ball(1.0), SEPARABLE),
    ("primal_cd", MultiSquared(), L1(0.1), COMPILED),
    ("sdca", Hinge(), L2Ball(1.0), SEPARABLE),
    ("sdca", MultiSquared(), Ridge(1.0), COMPILED),
    ("dgpd", Hinge(), Ridge(0.1), SMOOTH),
    (
        "dgpd_active_set",
        Logistic(),
        L1(0.1),
        f"it needs an l2 part on every coordinate (strong convexity = 0). {CURVED}",
    ),
    ("spdc", MultiSquared(), Ridge(0.1), COMPILED),
    (
        "dgpd_plus",
        Hinge(),
        L1(0.1),
        f"it needs an l2 part on every coordinate (strong convexity = 0). {CURVED}",
    ),
    ("svrg", Hinge(), L1(0.1), SMOOTH),
    ("svrg", Logistic(), L2Ball(1.0), SEPARABLE),
    ("saga", MultiSquared(), L1(0.1), COMPILED),
    ("saga", Hinge(), Ridge(0.1), SMOOTH),
    ("psgd", MultiSquared(), L1(0.1), COMPILED),
    ("psgd", Hinge(), L2Ball(1.0), SEPARABLE),
    ("spd1", MultiSquared(), L1(0.1), COMPILED),
    ("spd1", Logistic(), L2Ball(1.0), SEPARABLE),
    ("spd1_vr", Hinge(), L2Ball(1.0), SEPARABLE),
    ("spd1_vr", MultiSquared(), Ridge(0.1), COMPILED),
    ("multiclass_sdca", Logistic(), Ridge(0.1), MULTICLASS),
    ("multiclass_sdca", MulticlassHinge(), L2Ball(1.0), SEPARABLE),
    ("sdca", Softmax(), Ridge(1.0), COMPILED.replace("multi_squared", "softmax")),
    ("proximal_gradient", Hinge(), Ridge(1.0), SMOOTH),
    ("proximal_gradient", Quantile(0.2), L2Ball(1.0), SMOOTH),
]


def problem_of(loss, g) -> Problem:
    b = np.eye(2) if loss.vector_output else [1.0, -1.0]
    return Problem(np.eye(2), b, loss, g)


@pytest.mark.parametrize(("solver", "loss", "g", "reason"), REFUSED)
def test_refusals(monkeypatch, solver, loss, g, reason):
    message = (
        f"{SOLVERS[solver].__name__} cannot use loss {type(loss).__name__} with regularizer "
        f"{type(g).__name__}: {reason}"
    )
    monkeypatch.setattr(SOLVERS[solver], "init", lambda *arguments: pytest.fail("worked"))
    with pytest.raises(UnsupportedProblemError, match=f"^{re.escape(message)}$"):
        solve(problem_of(loss, g), solver)
    with pytest.raises(UnsupportedProblemError, match=f"^{re.escape(message)}$"):
        solve(problem_of(loss, g), SOLVERS[solver]())


@pytest.mark.parametrize("solver", ["dgpd", "dgpd_active_set", "spdc"])
def test_an_intercept_is_refused_with_a_way_out(solver):
    problem = Problem(np.eye(2), [1.0, -1.0], Logistic(), Ridge(0.1), fit_intercept=True)
    with pytest.raises(UnsupportedProblemError, match=r"and the intercept has none\. .*fit_intercept=False"):
        solve(problem, solver)


@pytest.mark.parametrize("loss", [Hinge(), Absolute()], ids=repr)
def test_auto_gives_every_reason_and_a_way_out(loss):
    message = (
        f"No solver serves loss {type(loss).__name__} with regularizer L2Ball. "
        "primal_cd: it needs a loss with a Lipschitz gradient (smoothness = inf); "
        "sdca: it needs a regularizer that is a sum over coordinates; "
        "proximal_gradient: it needs a loss with a Lipschitz gradient (smoothness = inf); "
        "dgpd: it needs a loss with a Lipschitz gradient (smoothness = inf); "
        "dgpd_active_set: it needs a loss with a Lipschitz gradient (smoothness = inf); "
        "spdc: it needs a loss with a Lipschitz gradient (smoothness = inf); "
        "dgpd_plus: it needs a regularizer that is a sum over coordinates; "
        "svrg: it needs a loss with a Lipschitz gradient (smoothness = inf); "
        "saga: it needs a loss with a Lipschitz gradient (smoothness = inf); "
        "psgd: it needs a regularizer that is a sum over coordinates; "
        "spd1: it needs a regularizer that is a sum over coordinates; "
        "spd1_vr: it needs a regularizer that is a sum over coordinates; "
        f"multiclass_sdca: it needs a loss of several classes that the kernels know, and {loss.name!r} is "
        "not one. "
        "Use a smooth loss (for instance SmoothedHinge or Huber), or a separable regularizer (for instance "
        "ElasticNet or Box)."
    )
    with pytest.raises(UnsupportedProblemError, match=f"^{re.escape(message)}$"):
        solve(problem_of(loss, L2Ball(1.0)))
