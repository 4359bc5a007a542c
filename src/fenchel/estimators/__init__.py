"""The scikit-learn estimators."""

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
from fenchel.estimators.matrix_completion import CompletionPoint, MatrixCompletion
from fenchel.estimators.maximum_margin_classifier import MaximumMarginClassifier
from fenchel.estimators.minimum_norm_regressor import MinimumNormRegressor
from fenchel.estimators.multilabel import MultilabelClassifier
from fenchel.estimators.progress import ProgressBar
from fenchel.estimators.random_binning import RandomBinning
from fenchel.estimators.regressor import Regressor

__all__ = [
    "CURSelector",
    "Classifier",
    "CompletionPoint",
    "ElasticNet",
    "ElasticNetCV",
    "Lasso",
    "LassoCV",
    "LinearSVC",
    "LogisticRegression",
    "LogisticRegressionCV",
    "LpPerceptron",
    "MatrixCompletion",
    "MaximumMarginClassifier",
    "MinimumNormRegressor",
    "MultilabelClassifier",
    "ProgressBar",
    "RandomBinning",
    "Regressor",
]
