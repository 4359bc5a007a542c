"""The public names: a change here is a change of the interface, and belongs in CHANGELOG.md."""

import importlib

import pytest

PUBLIC = {
    "fenchel": """
        AdaptiveGSFW APCG AwayFrankWolfe Certificate Classifier ConvergenceWarning DGPD DGPDActiveSet DGPDPlus
        CURSelector ElasticNet FenchelError FrankWolfe FullyCorrectiveFrankWolfe GSFW MatrixCompletion
        SoftImpute Infeasible Separability Verdict separability
        LpPerceptron MaximumMarginClassifier MinimumNormRegressor
        AcceleratedDualAscent DualAscent Perceptron PrimalMirrorDescent
        as_design InvalidInputError Lasso LinearSVC LogisticRegression MaxPasses MirrorDescent MirrorProx
        MulticlassNewton MulticlassSDCA MultilabelClassifier PairwiseFrankWolfe PrimalCD Problem ProxNewton
        path PathLimits PathPoint PathResult ElasticNetCV LassoCV LogisticRegressionCV
        ProximalGradient PSGD RandomBinning Regressor RelativeGap Result SAGA SCGM SCGS SDCA SFW SMD solve
        SPD1 SPD1VR SPDC SSM Start Status SublinearMulticlass SVRF SVRG TimeLimit UnsupportedProblemError
    """,
    "fenchel.datasets": """
        Dataset correlated_regression describe load_data load_demo sparse_logistic text_like
    """,
    "fenchel.losses": """
        Absolute DOMAIN_SLACK DualDomain EpsilonInsensitive Hinge Huber IntervalDomain LOSSES Logistic Loss
        MultiSquared MulticlassHinge Quantile ScalarLoss SimplexDomain SmoothedHinge Softmax Squared
        SquaredHinge get_loss
        BallConstraint ConstraintLoss EqualityConstraint FEASIBILITY IntervalConstraint LowerBoundConstraint
        MarginConstraint ScalarConstraint SimplexConstraint SquaredDistance
    """,
    "fenchel.regularizers": """
        Box BregmanProximable ElasticNet GroupL2 GroupL2Ball L1 L1Ball L1InfBall L2Ball LinearlyMinimizable
        NoPenalty NonNegative NuclearBall Proximable REGULARIZERS Regularizer RelativeEntropy Ridge
        RowColumnBall Separable SeparableRegularizer Simplex SolidSimplex SquaredLp Standardized
        make_regularizer
    """,
    "fenchel.solvers.registry": "SOLVERS choose_solver get_solver",
}


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_are_those_that_were_agreed(module: str) -> None:
    assert sorted(importlib.import_module(module).__all__) == sorted(PUBLIC[module].split())


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_exists_and_is_documented(module: str) -> None:
    namespace = importlib.import_module(module)
    for name in namespace.__all__:
        value = getattr(namespace, name)
        assert not callable(value) or value.__doc__, f"{module}.{name} has no docstring"


def test_status_vocabulary() -> None:
    from fenchel import Status

    assert {status.name for status in Status} == {
        "SOLVED",
        "INFEASIBLE",
        "NO_MINIMISER",
        "MAX_PASSES",
        "TIME_LIMIT",
        "INTERRUPTED",
        "CALLBACK",
    }


def test_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    import fenchel

    assert fenchel.__version__ == version("fenchel")
