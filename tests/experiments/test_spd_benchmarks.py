"""The small parts of the benchmark of SPD1-VR: what its tables claim about their problems."""

import numpy as np
import pytest

from benchmarks.spd_kappa import KAPPAS, Run, draw, exponent, run
from benchmarks.spd_steps import CornerGenerator, Data
from fenchel.losses import Logistic


@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_rows_have_norm_one_and_columns_their_correlation(correlation):
    A, b = draw(2000, 6, correlation)
    np.testing.assert_allclose(np.linalg.norm(A, axis=1), 1.0, rtol=1e-12)
    assert set(b) == {-1.0, 1.0}
    found = np.corrcoef(A, rowvar=False)[np.triu_indices(6, 1)].mean()
    assert (found > 0.2) == (correlation > 0)


def test_exponents_are_slopes():
    square_root = [Run(round(1e6 * kappa**0.5), 0.0, True) for kappa in KAPPAS]
    assert exponent(square_root) == pytest.approx(0.5, abs=1e-6)
    assert exponent(square_root, 2) == pytest.approx(0.5, abs=1e-6)


def test_a_run_counts_five_passes_a_snapshot():
    found = run(*draw(20, 30, 0.0), Logistic(), 25.0)
    assert found.solved
    assert found.passes == 5 * found.snapshots
    assert str(Run(7, 35.0, False)) == "> 7"


def test_words_of_the_corner_choose_the_first_positions():
    corner = CornerGenerator(np.random.PCG64(0))
    corner.halvings = Data("", np.empty((9600, 1)), np.empty(9600)).halvings
    words = corner.integers(1 << 64, size=1000, dtype=np.uint64).view(np.uint32)
    assert (words.astype(np.uint64) * np.uint64(9600) >> np.uint64(32)).max() < 300
