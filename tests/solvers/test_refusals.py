"""A solver that cannot serve a problem says so before any work: what, why, and the way out."""

import re

import numpy as np
import pytest

from fenchel import Problem, UnsupportedProblemError, solve
from fenchel.losses import (
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Logistic,
    MulticlassHinge,
    MultiSquared,
    Quantile,
    Softmax,
)
from fenchel.regularizers import L1, L1Ball, L2Ball, Ridge
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
BALL = (
    "Use L1Ball(radius), or L1(strength) with strength > 0 and without weights, and fit_intercept=False (a "
    "constant column may take its place, and is then penalised)."
)
CURVED = "Use solver='sdca', or fit_intercept=False with ElasticNet or Ridge."
VECTOR = "it needs a loss with several outputs, and 'logistic' has one. Use solver='primal_cd'."

REFUSED = [
    ("primal_cd", Hinge(), L1(0.1), SMOOTH),
    ("primal_cd", Logistic(), L2Ball(1.0), SEPARABLE),
    ("primal_cd", MultiSquared(), L1(0.1), COMPILED),
    ("sdca", Hinge(), L2Ball(1.0), SEPARABLE),
    ("sdca", MultiSquared(), Ridge(1.0), COMPILED),
    ("dgpd", MultiSquared(), Ridge(0.1), COMPILED),
    (
        "dgpd_active_set",
        Logistic(),
        L1(0.1),
        f"it needs an l2 part on every coordinate (strong convexity = 0). {CURVED}",
    ),
    (
        "dgpd_active_set",
        Absolute(),
        Ridge(0.1),
        "it needs a loss that is smooth or flat somewhere, and Absolute() is neither. Use solver='sdca', or "
        "a relative of the loss (EpsilonInsensitive, Huber).",
    ),
    (
        "dgpd_active_set",
        EpsilonInsensitive(margin=0.0),
        Ridge(0.1),
        "it needs a loss that is smooth or flat somewhere, and EpsilonInsensitive(margin=0.0) is neither. "
        "Use solver='sdca', or a relative of the loss (EpsilonInsensitive, Huber).",
    ),
    ("spdc", MultiSquared(), Ridge(0.1), COMPILED),
    ("apcg", MultiSquared(), Ridge(0.1), COMPILED),
    ("apcg", Hinge(), Ridge(0.1), SMOOTH),
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
    ("mirror_prox", Logistic(), L1(0.1), MULTICLASS),
    ("mirror_prox", Softmax(), Ridge(0.1), f"it needs a regularizer that bounds the l1 norm. {BALL}"),
    (
        "mirror_prox",
        Softmax(),
        L1(0.1, weights=[1.0, 2.0]),
        f"it works on an l1 ball in which all features weigh the same, and there are weights. {BALL}",
    ),
    (
        "mirror_descent",
        MulticlassHinge(),
        L1(0.0),
        f"it works on an l1 ball, and strength = 0 bounds nothing. {BALL}",
    ),
    ("smd", Logistic(), L1(0.1), MULTICLASS),
    ("smd", MulticlassHinge(), Ridge(0.1), f"it needs a regularizer that bounds the l1 norm. {BALL}"),
    ("ssm", Logistic(), L1(0.1), MULTICLASS),
    ("ssm", Softmax(), L2Ball(1.0), f"it needs a regularizer that bounds the l1 norm. {BALL}"),
    ("sublinear_multiclass", Logistic(), L1(0.1), MULTICLASS),
    (
        "sublinear_multiclass",
        Softmax(),
        Ridge(0.1),
        f"it needs a regularizer that bounds the l1 norm. {BALL}",
    ),
    ("multiclass_newton", Logistic(), Ridge(0.1), VECTOR),
    ("multiclass_newton", MulticlassHinge(), Ridge(0.1), SMOOTH),
    ("multiclass_newton", Softmax(), L2Ball(1.0), SEPARABLE),
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


@pytest.mark.parametrize("solver", ["dgpd", "dgpd_active_set", "spdc", "apcg"])
def test_an_intercept_is_refused_with_a_way_out(solver):
    problem = Problem(np.eye(2), [1.0, -1.0], Logistic(), Ridge(0.1), fit_intercept=True)
    with pytest.raises(UnsupportedProblemError, match=r"and the intercept has none\. .*fit_intercept=False"):
        solve(problem, solver)


@pytest.mark.parametrize("solver", ["mirror_descent", "mirror_prox", "sublinear_multiclass"])
def test_an_intercept_is_refused_on_a_ball(solver):
    problem = Problem(np.eye(2), np.eye(2), Softmax(), L1Ball(1.0), fit_intercept=True)
    with pytest.raises(UnsupportedProblemError, match=r"nothing bounds the intercept\. .*a constant column"):
        solve(problem, solver)


@pytest.mark.parametrize("loss", [Hinge(), Absolute()], ids=repr)
def test_auto_gives_every_reason_and_a_way_out(loss):
    with pytest.raises(UnsupportedProblemError) as caught:
        solve(problem_of(loss, L2Ball(1.0)))
    message = str(caught.value)
    assert message.startswith(f"No solver serves loss {type(loss).__name__} with regularizer L2Ball. ")
    assert message.endswith(
        "Use a smooth loss (for instance SmoothedHinge or Huber), or a separable regularizer (for instance "
        "ElasticNet or Box)."
    )
    for name in SOLVERS:
        assert len(re.findall(rf"\b{name}\b", message)) == 1
    assert message.count("it needs a loss with a Lipschitz gradient (smoothness = inf)") == 1
    assert "spdc, dgpd_plus, psgd, spd1, spd1_vr: it needs a regularizer that is a sum over coord" in message
