"""The multiple of a dual point to start from."""

import pytest

from fenchel.solvers.coordinate.dual_start import best_multiple


@pytest.mark.parametrize(
    ("peak", "expected"), [(3.0, 1.0), (1.0, 1.0), (0.3, 0.25), (0.24, 0.25), (-1.0, 0.0)]
)
def test_the_best_of_the_halvings(peak, expected):
    assert best_multiple(lambda factor: -((factor - peak) ** 2)) == expected


def test_a_ray_of_equal_values_gives_zero():
    assert best_multiple(lambda factor: 0.0) == 0.0


def test_values_below_the_first_halving_of_all_are_reached():
    assert best_multiple(lambda factor: -abs(factor - 2.0**-40)) == 2.0**-40
