from fenchel.design.validation import as_design
from fenchel.driver.path import path
from fenchel.driver.path_limits import PathLimits
from fenchel.driver.path_result import PathPoint, PathResult
from fenchel.driver.result import Result
from fenchel.driver.separability import separability
from fenchel.driver.separability_verdict import Separability, Verdict
from fenchel.driver.solve import solve
from fenchel.driver.stopping import Infeasible, MaxPasses, RelativeGap, Status, TimeLimit
from fenchel.errors import ConvergenceWarning, FenchelError, InvalidInputError, UnsupportedProblemError
from fenchel.estimators.classifier import Classifier
from fenchel.estimators.cur_selector import CURSelector
from fenchel.estimators.elastic_net import ElasticNet
from fenchel.estimators.elastic_net_cv import ElasticNetCV
from fenchel.estimators.lasso import Lasso
from fenchel.estimators.lasso_cv import LassoCV
from fenchel.estimators.linear_svc import LinearSVC
from fenchel.estimators.logistic_regression import LogisticRegression
from fenchel.estimators.logistic_regression_cv import LogisticRegressionCV
from fenchel.estimators.lp_perceptron import LpPerceptron
from fenchel.estimators.matrix_completion import MatrixCompletion
from fenchel.estimators.maximum_margin_classifier import MaximumMarginClassifier
from fenchel.estimators.minimum_norm_regressor import MinimumNormRegressor
from fenchel.estimators.multilabel import MultilabelClassifier
from fenchel.estimators.random_binning import RandomBinning
from fenchel.estimators.regressor import Regressor
from fenchel.problem.certificate import Certificate
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Start
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

__version__: str

__all__ = [
    "APCG",
    "DGPD",
    "GSFW",
    "PSGD",
    "SAGA",
    "SCGM",
    "SCGS",
    "SDCA",
    "SFW",
    "SMD",
    "SPD1",
    "SPD1VR",
    "SPDC",
    "SSM",
    "SVRF",
    "SVRG",
    "AcceleratedDualAscent",
    "AdaptiveGSFW",
    "AwayFrankWolfe",
    "CURSelector",
    "Certificate",
    "Classifier",
    "ConvergenceWarning",
    "DGPDActiveSet",
    "DGPDPlus",
    "DualAscent",
    "ElasticNet",
    "ElasticNetCV",
    "FenchelError",
    "FrankWolfe",
    "FullyCorrectiveFrankWolfe",
    "Infeasible",
    "InvalidInputError",
    "Lasso",
    "LassoCV",
    "LinearSVC",
    "LogisticRegression",
    "LogisticRegressionCV",
    "LpPerceptron",
    "MatrixCompletion",
    "MaxPasses",
    "MaximumMarginClassifier",
    "MinimumNormRegressor",
    "MirrorDescent",
    "MirrorProx",
    "MulticlassNewton",
    "MulticlassSDCA",
    "MultilabelClassifier",
    "PairwiseFrankWolfe",
    "PathLimits",
    "PathPoint",
    "PathResult",
    "Perceptron",
    "PrimalCD",
    "PrimalMirrorDescent",
    "Problem",
    "ProxNewton",
    "ProximalGradient",
    "RandomBinning",
    "Regressor",
    "RelativeGap",
    "Result",
    "Separability",
    "SoftImpute",
    "Start",
    "Status",
    "SublinearMulticlass",
    "TimeLimit",
    "UnsupportedProblemError",
    "Verdict",
    "as_design",
    "path",
    "separability",
    "solve",
]
