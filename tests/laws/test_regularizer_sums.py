"""A set and a penalty in one regularizer: the value is the sum of the two."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases_regularizers import N_FEATURES, REGULARIZERS, SETS, each_regularizer, into_set, law, points
from fenchel.regularizers import GroupL2, GroupL2Ball, NoPenalty, RelativeEntropy, Standardized
from fenchel.regularizers.penalised import is_penalised, penalised

# A strength of zero goes with every set.
PENALTIES = {key: g for key, g in REGULARIZERS.items() if not g.is_set and key != "l1-zero"}
SUMS = {
    f"{one} + {other}": (constraint, penalty)
    for (one, constraint), (other, penalty) in product(SETS.items(), PENALTIES.items())
    if penalised(constraint, penalty) is not None
}


@pytest.mark.parametrize(("constraint", "penalty"), SUMS.values(), ids=SUMS)
@law
@given(p=points, t=st.sampled_from([0.5, 1.0, 2.0]))
def test_the_value_is_the_sum(constraint, penalty, p, t):
    whole = penalised(constraint, penalty)
    assert type(whole) is type(constraint)
    for w in (p.a, t * into_set(constraint, p.a)):
        assert whole.value(w) == pytest.approx(constraint.value(w) + penalty.value(w))


def test_which_sums_there_are():
    kinds = {(type(constraint).__name__, type(penalty).__name__) for constraint, penalty in SUMS.values()}
    separable = {"L1", "Ridge", "ElasticNet"}
    assert kinds == {(type(g).__name__, "NoPenalty") for g in SETS.values()} | {
        *product(("Box", "NonNegative"), separable),
        ("L1Ball", "L1"),
        ("SolidSimplex", "L1"),
        ("L2Ball", "Ridge"),
        ("GroupL2Ball", "GroupL2"),
    }


def test_groups_must_be_the_same():
    ball, labels = GroupL2Ball(1.0, ["a", "a", "b"]), np.array(["a", "a", "b"])
    assert penalised(ball, GroupL2(0.5, labels)) == GroupL2Ball(1.0, labels, l1=0.5)
    assert penalised(ball, GroupL2(0.5, ["a", "b", "b"])) is None
    assert penalised(ball, GroupL2(0.5)) is None


@each_regularizer
def test_a_set_is_infinite_somewhere_and_has_no_other_values_without_its_penalty(g):
    if isinstance(g, Standardized | RelativeEntropy):
        assert not g.is_set  # The scales are a penalty's, and the entropy is one on a set of its own.
        return
    far = [g.value(sign * np.full(N_FEATURES, 1e6)) for sign in (-1.0, 1.0)]
    assert (np.inf in far) == g.is_set
    if g.is_set and not is_penalised(g):
        assert {g.value(into_set(g, w)) for w in np.eye(N_FEATURES)} == {0.0}
        assert penalised(g, NoPenalty()) is g
