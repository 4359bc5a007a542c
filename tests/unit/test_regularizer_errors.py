"""The errors of the regularizers, with their full text."""

import re

import numpy as np
import pytest

from fenchel.errors import InvalidInputError
from fenchel.regularizers import (
    L1,
    Box,
    ElasticNet,
    GroupL2,
    GroupL2Ball,
    L1Ball,
    L1InfBall,
    L2Ball,
    NonNegative,
    NuclearBall,
    RelativeEntropy,
    Ridge,
    RowColumnBall,
    Simplex,
    SquaredLp,
    make_regularizer,
)

STRENGTH = "a strength is a finite number >= 0. Pass 0 for no penalty."
RADIUS = "a radius is a finite number > 0. Use NoPenalty() for no constraint."
EMPTY = "no number lies between them. Pass lower <= upper; -inf and inf leave a side open."

INVALID = [
    (lambda: L1(-1.0), f"L1 cannot use strength=-1.0: {STRENGTH}"),
    (lambda: Ridge(np.inf), f"Ridge cannot use strength=inf: {STRENGTH}"),
    (lambda: Ridge("1"), f"Ridge cannot use strength='1': {STRENGTH}"),
    (lambda: ElasticNet(1.0, float("nan")), f"ElasticNet cannot use l2=nan: {STRENGTH}"),
    (lambda: NonNegative(l1=None), f"NonNegative cannot use l1=None: {STRENGTH}"),
    (lambda: make_regularizer(l1=-1.0), f"L1 cannot use strength=-1.0: {STRENGTH}"),
    (lambda: L1Ball(-1.0), f"L1Ball cannot use radius=-1.0: {RADIUS}"),
    (lambda: L1Ball(1.0, l1=-1.0), f"L1Ball cannot use l1=-1.0: {STRENGTH}"),
    (
        lambda: SquaredLp(1.0),
        "SquaredLp cannot use p=1.0: the exponent is a number above 1 and at most 2. For the l1 norm of d "
        "features pass 1 + 1 / log(d).",
    ),
    (
        lambda: SquaredLp(2.0, strength=0),
        "SquaredLp cannot use strength=0, which would leave no penalty. Pass a positive number.",
    ),
    (
        lambda: RelativeEntropy([1.0, 0.0]),
        "RelativeEntropy cannot use a prior with zeros: such a coefficient could only be zero. Leave the "
        "feature out.",
    ),
    (
        lambda: RelativeEntropy([1.0, 2.0]).check(3),
        "RelativeEntropy cannot use a prior of length 2 with 3 features: there is one weight for each "
        "feature. Pass 3 weights.",
    ),
    (lambda: L2Ball(1.0, l2=-1.0), f"L2Ball cannot use l2=-1.0: {STRENGTH}"),
    (lambda: Simplex(0), f"Simplex cannot use radius=0: {RADIUS}"),
    (lambda: NuclearBall(np.nan), f"NuclearBall cannot use radius=nan: {RADIUS}"),
    (lambda: L1InfBall(None), f"L1InfBall cannot use radius=None: {RADIUS}"),
    (
        lambda: RowColumnBall(1.0, accuracy=0.0),
        "RowColumnBall cannot use accuracy=0.0: it is a share above 0 and below 1. Pass 1e-10.",
    ),
    (lambda: RowColumnBall(-2.0), f"RowColumnBall cannot use radius=-2.0: {RADIUS}"),
    (lambda: GroupL2Ball(-2.0, [0, 1]), f"GroupL2Ball cannot use radius=-2.0: {RADIUS}"),
    (lambda: GroupL2(-2.0, [0, 1]), f"GroupL2 cannot use strength=-2.0: {STRENGTH}"),
    (
        lambda: GroupL2(1.0, [[0, 1]]),
        "GroupL2 cannot use groups of shape (1, 2) and type int64: there is one label for each feature. Pass "
        "a one-dimensional array of numbers or strings.",
    ),
    (
        lambda: GroupL2(1.0, [0.0, np.nan]),
        "GroupL2 cannot use groups with NaN or infinite labels. Pass finite numbers or strings.",
    ),
    (
        lambda: GroupL2(1.0, [0, 1], weights=[1.0]).check(2),
        "GroupL2 cannot use 1 weights with 2 groups: there is one weight for each group. Pass 2 weights, in "
        "the order of the sorted labels.",
    ),
    (
        lambda: GroupL2(1.0, [0, 1]).check(3),
        "GroupL2 cannot use 2 group labels with 3 features: there is one label for each feature. Pass 3 "
        "labels.",
    ),
    (lambda: L2Ball(0.0), f"L2Ball cannot use radius=0.0: {RADIUS}"),
    (lambda: L2Ball("big"), f"L2Ball cannot use radius='big': {RADIUS}"),
    (
        lambda: L1(1.0, weights=[1.0, -2.0]),
        "L1 cannot use the weight -2.0: a weight is a finite number >= 0. "
        "Pass 0 to leave a feature unpenalised.",
    ),
    (
        lambda: L1(1.0, weights=[np.nan]),
        "L1 cannot use the weight nan: a weight is a finite number >= 0. "
        "Pass 0 to leave a feature unpenalised.",
    ),
    (
        lambda: Ridge(1.0, weights=2.0),
        "Ridge cannot use weights of shape (): there is one weight for each feature. "
        "Pass a one-dimensional array, or None.",
    ),
    (
        lambda: Ridge(1.0, weights=["a"]),
        "Ridge cannot use weights=['a']: it does not hold real numbers. Pass floats.",
    ),
    (lambda: Box(2.0, 1.0), f"Box cannot use lower=2.0 with upper=1.0: {EMPTY}"),
    (lambda: Box(0.0, [1.0, -1.0]), f"Box cannot use lower=0.0 with upper=-1.0: {EMPTY}"),
    (lambda: Box(0.0, np.nan), f"Box cannot use lower=0.0 with upper=nan: {EMPTY}"),
    (lambda: Box(np.inf, np.inf), f"Box cannot use lower=inf with upper=inf: {EMPTY}"),
    (lambda: Box(-np.inf, -np.inf), f"Box cannot use lower=-inf with upper=-inf: {EMPTY}"),
    (
        lambda: Box([0.0], [1.0, 2.0]),
        "Box cannot use 1 lower with 2 upper bounds: each feature has one of either. "
        "Pass arrays of equal length, or scalars.",
    ),
    (
        lambda: Box(np.zeros((1, 2)), 1.0),
        "Box cannot use lower of shape (1, 2): a bound is one number, or one for each feature. "
        "Pass a scalar or a one-dimensional array.",
    ),
]


@pytest.mark.parametrize(("make", "message"), INVALID, ids=[message[:45] for _, message in INVALID])
def test_invalid_argument(make, message):
    with pytest.raises(InvalidInputError, match=f"^{re.escape(message)}$"):
        make()


@pytest.mark.parametrize(
    ("g", "name"),
    [
        (L1(1.0, weights=[1.0, 2.0]), "weights"),
        (Ridge(1.0, weights=[1.0, 2.0]), "weights"),
        (ElasticNet(1.0, 1.0, weights=[1.0, 2.0]), "weights"),
        (NonNegative(weights=[1.0, 2.0]), "weights"),
        (Box([0.0, 0.0], 1.0), "lower"),
        (Box(0.0, [1.0, 1.0]), "upper"),
    ],
)
def test_wrong_number_of_features(g, name):
    message = (
        f"{type(g).__name__} cannot use {name} of length 2 with 3 features: there is one entry for each "
        "feature. Pass 3 entries."
    )
    for call in (lambda: g.check(3), lambda: g.value(np.zeros(3)), lambda: g.strong_convexity(3)):
        with pytest.raises(InvalidInputError, match=f"^{re.escape(message)}$"):
            call()
    g.check(2)


def test_scalar_arguments_fit_every_number_of_features():
    for g in (L1(1.0), Box(0.0, 1.0), L2Ball(1.0)):
        g.check(0)
        g.check(7)
