"""What the options with a fixed list of values accept; the registries are not imported for it."""

from __future__ import annotations

from enum import Enum

__all__ = ["LossName", "Several", "SolverName", "Weighting"]


class LossName(str, Enum):
    """The losses by their registry names."""

    logistic = "logistic"
    hinge = "hinge"
    squared_hinge = "squared_hinge"
    smoothed_hinge = "smoothed_hinge"
    squared = "squared"
    absolute = "absolute"
    huber = "huber"
    quantile = "quantile"
    epsilon_insensitive = "epsilon_insensitive"
    softmax = "softmax"
    multiclass_hinge = "multiclass_hinge"


class SolverName(str, Enum):
    """The solvers by their registry names."""

    auto = "auto"
    primal_cd = "primal_cd"
    prox_newton = "prox_newton"
    sdca = "sdca"
    proximal_gradient = "proximal_gradient"
    dgpd = "dgpd"
    dgpd_active_set = "dgpd_active_set"
    spdc = "spdc"
    apcg = "apcg"
    dgpd_plus = "dgpd_plus"
    svrg = "svrg"
    saga = "saga"
    psgd = "psgd"
    spd1 = "spd1"
    spd1_vr = "spd1_vr"
    multiclass_sdca = "multiclass_sdca"
    mirror_descent = "mirror_descent"
    mirror_prox = "mirror_prox"
    smd = "smd"
    ssm = "ssm"
    sublinear_multiclass = "sublinear_multiclass"
    multiclass_newton = "multiclass_newton"
    frank_wolfe = "frank_wolfe"
    pairwise_frank_wolfe = "pairwise_frank_wolfe"
    away_frank_wolfe = "away_frank_wolfe"
    gsfw = "gsfw"
    adaptive_gsfw = "adaptive_gsfw"
    sfw = "sfw"
    svrf = "svrf"
    scgm = "scgm"
    scgs = "scgs"
    soft_impute = "soft_impute"
    fully_corrective_frank_wolfe = "fully_corrective_frank_wolfe"
    dual_ascent = "dual_ascent"
    accelerated_dual_ascent = "accelerated_dual_ascent"
    primal_mirror_descent = "primal_mirror_descent"
    perceptron = "perceptron"


class Several(str, Enum):
    """What more than two classes become: the names of the estimators."""

    auto = "auto"
    native = "native"
    one_vs_rest = "one_vs_rest"


class Weighting(str, Enum):
    """How rows are weighted by their classes."""

    none = "none"
    balanced = "balanced"
