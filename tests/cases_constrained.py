"""The constrained problems whose optima an interior-point solver found, stored beside the repository."""

import numpy as np

from fenchel import Problem
from fenchel.losses import Logistic, Squared
from fenchel.regularizers import L1, Box, GroupL2Ball, L1Ball, L2Ball, Regularizer, Ridge, Simplex
from stored import stored

DIGITS = 2e-10
"""The stored values have ten digits."""


def regularizer_of(record: dict, groups: list[list[int]]) -> Regularizer:
    labels = np.zeros(sum(map(len, groups)), dtype=int)
    for label, members in enumerate(groups):
        labels[members] = label
    return {
        "l1_ball": lambda delta: L1Ball(delta),
        "l2_ball": lambda delta: L2Ball(delta),
        "simplex": lambda delta: Simplex(delta),
        "box": lambda lower, upper: Box(lower, upper),
        "group_ball": lambda delta: GroupL2Ball(delta, labels),
        "ridge": lambda mu: Ridge(mu),
        "l1_penalty": lambda lam: L1(lam),
        "ridge_l2ball": lambda mu, delta: L2Ball(delta, l2=mu),
    }[record["R"]](**record["params"])


def constrained(index: int) -> tuple[Problem, dict]:
    data = stored("fw-oracle.json")
    record = data["optima"][index]
    logistic = record["loss"] == "logistic"
    problem = Problem(
        np.array(data["X"]),
        np.array(data["y_class" if logistic else "y_reg"], dtype=float),
        Logistic() if logistic else Squared(),
        regularizer_of(record, data["groups"]),
    )
    return problem, record
