"""What the kernels of the sampled entropic steps refuse, and steps that do nothing."""

import numpy as np
import pytest

from fenchel._kernels.class_tables import ClassTable
from fenchel._kernels.entropic import SampledGame
from fenchel._kernels.mirror_dense import mirror_dense_steps
from fenchel._kernels.mirror_sparse import SparseTables, mirror_sparse_flush, mirror_sparse_steps
from fenchel.errors import InvalidInputError
from sampled_runs import Run, data


@pytest.fixture
def dense(rng):
    A, label, k = data(rng)
    return Run(A, label, k, "static", True)


@pytest.fixture
def sparse(rng):
    A, label, k = data(rng)
    return Run(A, label, k, "hashed", True)


def test_what_does_not_fit_is_refused(rng, dense, sparse):
    step, order, none = dense.step(0.1), np.zeros(4, dtype=np.int64), np.empty(0, dtype=np.int64)
    fits, fits_sparse = rng.random((4, 4)), rng.random((4, 11))
    softmax = Run(*data(rng), "static", False)
    for call, message in (
        (lambda: mirror_dense_steps(sparse.game, step, dense.tables, order, fits), "^These steps need dense"),
        (
            lambda: mirror_sparse_steps(dense.game, step, sparse.tables, order, fits),
            "^These steps need sparse",
        ),
        (lambda: mirror_dense_steps(softmax.game, step, softmax.tables, None, fits), "^The optimal row prob"),
        (
            lambda: mirror_dense_steps(dense.game, step, dense.tables, order, fits[:3]),
            "^order has 4 rows for 3",
        ),
        (
            lambda: mirror_dense_steps(dense.game, step, dense.tables, order, fits_sparse),
            "^uniforms has shape",
        ),
        (lambda: mirror_sparse_steps(sparse.game, step, sparse.tables, order, fits), "^uniforms has shape"),
        (
            lambda: mirror_sparse_steps(sparse.game, step, sparse.tables, none, fits_sparse),
            "^order has 0 rows",
        ),
        (
            lambda: mirror_dense_steps(dense.game, dense.step(0.1, 3), dense.tables, order, fits),
            "steps of 3 draws",
        ),
        (
            lambda: mirror_sparse_steps(sparse.game, step, sparse.tables, order + 13, fits_sparse),
            "^order spans 13..13",
        ),
        (lambda: mirror_dense_steps(softmax.game, step, dense.tables, order, fits), "^dual has shape"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            call()
    mixed = SparseTables.initial(sparse.game, 1.0, True)
    mixed.dual = ClassTable.full(13, 5, (1.0, 0.0, 0.0))
    with pytest.raises(InvalidInputError, match=r"^One of the tables is hashed"):
        mirror_sparse_flush(sparse.game, step, mixed)
    mixed.dual = ClassTable.hashed(12, 5, 3)
    with pytest.raises(InvalidInputError, match=r"^dual.head is"):
        mirror_sparse_flush(sparse.game, step, mixed)
    mixed.dual = ClassTable.hashed(13, 5, 3, 1000)
    with pytest.raises(InvalidInputError, match="power of two"):
        mirror_sparse_flush(sparse.game, step, mixed)
    mixed.dual = ClassTable.hashed(13, 5, 1)
    with pytest.raises(InvalidInputError, match=r"^dual.values has shape"):
        mirror_sparse_flush(sparse.game, step, mixed)


def test_a_game_of_views_that_do_not_belong_together_is_refused(dense, sparse):
    game, good = dense.game, vars(dense.game)
    for changed, message in (
        ({"columns": sparse.game.columns}, "^rows and columns are not two views of one matrix, stored"),
        ({"columns": game.rows}, "without intercept"),
        ({"label": game.label + 5}, "^label spans"),
        ({"label": game.label[1:]}, "^label has 12 values"),
        ({"row_size": game.row_size[1:]}, "^row_size is"),
        ({"column_size": game.row_size}, "^column_size is"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            SampledGame(**good | changed)


def test_no_steps_change_nothing(rng, dense, sparse):
    for run, width in ((dense, 4), (sparse, 11)):
        before, none = run.U, np.empty(0, dtype=np.int64)
        assert run.compiled(run.step(0.1), none, np.empty((0, width))).shape == (0, 4)
        np.testing.assert_array_equal(run.U, before)
