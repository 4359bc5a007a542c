"""What a form says of all its coordinates does not depend on how it was made."""

import itertools

import numpy as np
import pytest

from fenchel.numerics.coordinate import CoordinateForm

FACTS = ("strong_convexity", "bounded", "kinked", "curved", "quadratic", "ridge", "only_l1")
ENDS = [(-np.inf, np.inf), (0.0, np.inf), (-np.inf, 2.0), (-1.0, 1.0)]


@pytest.mark.parametrize("d", [0, 1, 5])
@pytest.mark.parametrize("weights", [None, np.array([1.0, 1.0, 0.0, 1.0, 2.0])], ids=["alike", "weighted"])
@pytest.mark.parametrize(("l1", "l2", "ends"), list(itertools.product([0.0, 0.5], [0.0, 2.0], ENDS)))
def test_facts_are_those_of_the_arrays(d, weights, l1, l2, ends):
    weights = None if weights is None else weights[:d]
    made = CoordinateForm.broadcast(d, l1, l2, *ends, weights)
    plain = CoordinateForm(made.l1.copy(), made.l2.copy(), made.lower.copy(), made.upper.copy())
    for fact in FACTS:
        assert getattr(made, fact) == getattr(plain, fact), fact
    for end, expected in zip(made.conjugate_domain(), plain.conjugate_domain(), strict=True):
        np.testing.assert_array_equal(end, expected)
        assert np.isinf(end).all() or not made.curved
