"""The table of regularizers on which every law runs, and the points at which it runs."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

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
    NoPenalty,
    NuclearBall,
    Proximable,
    Regularizer,
    RelativeEntropy,
    Ridge,
    RowColumnBall,
    SeparableRegularizer,
    Simplex,
    SolidSimplex,
    SquaredLp,
    Standardized,
)

N_FEATURES = 4
GROUPS = ("b", "a", "c", "a")
WEIGHTS = (0.0, 0.5, 1.0, 2.0)

REGULARIZERS: dict[str, Regularizer] = {
    "none": NoPenalty(),
    "l1": L1(0.5),
    "l1-zero": L1(0.0),
    "l1-weights": L1(0.5, weights=WEIGHTS),
    "ridge": Ridge(2.0),
    "ridge-weights": Ridge(2.0, weights=WEIGHTS),
    "elastic_net": ElasticNet(0.5, 0.25),
    "elastic_net-weights": ElasticNet(0.5, 0.25, weights=WEIGHTS),
    "box": Box(-1.0, 2.0),
    "box-wide": Box(-np.inf, [-1.0, 0.0, 1.0, np.inf]),
    "box-around": Box([-1.0, 0.0, -3.0, -0.5], [1.0, 2.0, 0.0, 0.5], l1=0.5),
    "box-without-zero": Box(1.0, [1.0, 2.0, 3.0, 4.0], l1=0.5, l2=1.0),
    "box-without-zero-linear": Box([-3.0, 1.0, -np.inf, 2.0], [-1.0, np.inf, -2.0, 5.0], l1=0.5),
    "box-open": Box(-np.inf, [-1.0, 0.0, 1.0, np.inf], l1=1.0, weights=WEIGHTS),
    "box-curved": Box(-0.5, 0.5, l2=2.0, weights=WEIGHTS),
    "non_negative": NonNegative(),
    "non_negative-l1": NonNegative(l1=0.5, weights=WEIGHTS),
    "non_negative-elastic": NonNegative(l1=0.5, l2=2.0),
    "standardized": Standardized(ElasticNet(0.5, 0.25, weights=WEIGHTS), scales=(0.5, 1.0, 2.0, 4.0)),
    "standardized-box": Standardized(Box(-0.5, 0.5, l2=2.0), scales=(0.5, 1.0, 2.0, 4.0)),
    "l1_ball": L1Ball(1.5),
    "l1_ball-l1": L1Ball(1.5, l1=0.5),
    "solid_simplex": SolidSimplex(1.5),
    "solid_simplex-l1": SolidSimplex(1.5, l1=0.5),
    "l2_ball": L2Ball(1.5),
    "l2_ball-l2": L2Ball(1.5, l2=0.5),
    "simplex": Simplex(1.5),
    "l1_inf_ball": L1InfBall(1.5),
    "nuclear_ball": NuclearBall(1.5),
    "row_column_ball": RowColumnBall(1.5),
    "squared_lp": SquaredLp(1.5, strength=0.5),
    "squared_lp-sparse": SquaredLp(1.0 + 1.0 / np.log(1000.0)),
    "squared_lp-round": SquaredLp(2.0),
    "relative_entropy": RelativeEntropy(),
    "relative_entropy-prior": RelativeEntropy((1.0, 2.0, 0.5, 4.0), strength=0.5),
    "group_l2": GroupL2(0.5, GROUPS),
    "group_l2-features": GroupL2(0.5),
    "group_l2-weights": GroupL2(0.5, GROUPS, weights=(2.0, 0.0, 1.0)),
    "group_l2_ball": GroupL2Ball(1.5, GROUPS),
    "group_l2_ball-features": GroupL2Ball(1.5),
    "group_l2_ball-penalty": GroupL2Ball(1.5, GROUPS, l1=0.5),
}
SEPARABLE = {key: g for key, g in REGULARIZERS.items() if isinstance(g, SeparableRegularizer)}
SETS = {
    key: REGULARIZERS[key]
    for key in (
        "box",
        "box-wide",
        "non_negative",
        "l1_ball",
        "l2_ball",
        "simplex",
        "solid_simplex",
        "group_l2_ball",
        "l1_inf_ball",
        "nuclear_ball",
    )
}

PROXIMABLE = {key: g for key, g in REGULARIZERS.items() if isinstance(g, Proximable)}

each_regularizer = pytest.mark.parametrize("g", REGULARIZERS.values(), ids=REGULARIZERS)
each_proximable = pytest.mark.parametrize("g", PROXIMABLE.values(), ids=PROXIMABLE)
each_separable = pytest.mark.parametrize("g", SEPARABLE.values(), ids=SEPARABLE)
each_set = pytest.mark.parametrize("g", SETS.values(), ids=SETS)

law = settings(max_examples=15, deadline=None)

# The special values are the strengths and bounds of the table, where a formula changes its branch.
numbers = st.one_of(
    st.floats(-10.0, 10.0, allow_subnormal=False),
    st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0, -0.25, -0.5, -1.0, -2.0]),
)
steps = st.sampled_from([0.01, 0.5, 1.0, 7.0])


def vectors(outputs: int | None = None) -> st.SearchStrategy[np.ndarray]:
    """Points of shape (N_FEATURES,), or (N_FEATURES, outputs)."""
    return arrays.arrays(
        np.float64, N_FEATURES if outputs is None else (N_FEATURES, outputs), elements=numbers
    )


@dataclass(frozen=True)
class Points:
    """Arrays of one shape."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray


points = st.sampled_from([None, 1, 3]).flatmap(
    lambda outputs: st.builds(Points, vectors(outputs), vectors(outputs), vectors(outputs))
)


def inner(v: np.ndarray, w: np.ndarray) -> float:
    """The sum of products over all entries."""
    return float(np.sum(v * w))


def into_set(g: Regularizer, w: np.ndarray) -> np.ndarray:
    """A point at which ``g`` is finite, near ``w`` if there is a prox."""
    return g.prox(w, 1.0) if isinstance(g, Proximable) else g.lmo(-w)


def into_domain(g: Regularizer, v: np.ndarray) -> np.ndarray:
    """A point of the domain of the conjugate near ``v``, and ``v`` itself if it is inside."""
    lower, upper = g.conjugate_domain(N_FEATURES)
    shape = (N_FEATURES,) + (1,) * (v.ndim - 1)
    clipped = np.clip(v, lower.reshape(shape), upper.reshape(shape))
    return g.conjugate_scale(clipped) * clipped
