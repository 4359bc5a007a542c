"""SPD1VR on blocks of dense matrices, by one thread and by two."""

import numpy as np
import pytest
import scipy.sparse as sp

from cases_solvers import draw
from fenchel import SPD1VR, MaxPasses, Problem, RelativeGap, Start, solve
from fenchel.errors import InvalidInputError, UnsupportedProblemError
from fenchel.losses import Absolute, Hinge, Huber, Logistic, SmoothedHinge, Squared
from fenchel.regularizers import L1, Box, ElasticNet, Ridge
from fenchel.solvers.stochastic.block_steps import BlockShape, block_shape

CURVED = [
    (Logistic(), Ridge(0.02)),
    (Squared(), ElasticNet(0.01, 0.1)),
    (SmoothedHinge(), Box(-0.2, 0.3, l2=0.05)),
    (Huber(), ElasticNet(0.02, 0.05)),
]
NOT_CURVED = [(Logistic(), L1(0.05)), (Hinge(), Ridge(0.1)), (Absolute(), ElasticNet(0.05, 0.2))]


@pytest.mark.parametrize("block", ["auto", (8, 64), (4, 5), (1, 1)], ids=str)
@pytest.mark.parametrize(("loss", "g"), CURVED, ids=repr)
def test_blocks_reach_the_optimum(rng, loss, g, block):
    problem = draw(rng, loss, g, n=120, d=90)
    result = solve(problem, SPD1VR(block=block), stopping=RelativeGap(1e-8) | MaxPasses(5_000))
    assert result.status.solved, result.message
    other = solve(problem, "sdca", stopping=RelativeGap(1e-10))
    np.testing.assert_allclose(result.w, other.w, atol=1e-3 * (1.0 + np.abs(other.w).max()))


@pytest.mark.parametrize(("loss", "g"), [*CURVED[:2], *NOT_CURVED], ids=repr)
@pytest.mark.parametrize("intercept", [False, True])
def test_blocks_with_proximal_terms_and_weights(rng, loss, g, intercept):
    problem = draw(rng, loss, g, n=120, d=90, intercept=intercept)
    weight = rng.random(120)
    weight[::7] = 0.0
    problem = Problem(
        problem.design.base if intercept else problem.design,
        problem.b,
        loss,
        g,
        weight,
        fit_intercept=intercept,
    )
    result = solve(problem, SPD1VR(), stopping=RelativeGap(1e-4) | MaxPasses(20_000))
    assert result.status.solved, result.message


@pytest.mark.parametrize(("loss", "g"), CURVED, ids=repr)
def test_two_threads_are_certified_too(rng, loss, g):
    problem = draw(rng, loss, g, n=120, d=90)
    result = solve(problem, SPD1VR(threads=2), stopping=RelativeGap(1e-7) | MaxPasses(5_000))
    assert result.status.solved, result.message
    assert problem.certify(result.w, result.u).relative_gap <= 1e-7
    other = solve(problem, "sdca", stopping=RelativeGap(1e-10))
    assert result.certificate.dual <= other.certificate.primal
    assert other.certificate.dual <= result.certificate.primal


def test_one_thread_is_the_default_and_repeats(rng):
    problem = draw(rng, Logistic(), Ridge(0.01), n=120, d=90)
    runs = [solve(problem, solver, stopping=MaxPasses(50)) for solver in (SPD1VR(), SPD1VR(threads=1))]
    np.testing.assert_array_equal(runs[0].w, runs[1].w)
    np.testing.assert_array_equal(runs[0].u, runs[1].u)


def test_small_and_sparse_matrices_are_drawn_by_entries(rng):
    dense = draw(rng, Logistic(), Ridge(0.1), n=120, d=90)
    assert block_shape(dense, "auto") == BlockShape(8, 22)
    assert block_shape(dense, "entries") is None
    assert block_shape(dense, (256, 200)) == BlockShape(120, 90)
    assert block_shape(draw(rng, Logistic(), Ridge(0.1), n=20, d=30), "auto") is None
    assert block_shape(draw(rng, Logistic(), Ridge(0.1), n=16, d=6400), "auto") == BlockShape(4, 200)
    assert block_shape(draw(rng, Logistic(), Ridge(0.1), n=10_000, d=600), "auto") == BlockShape(8, 150)
    A = sp.csr_array(rng.normal(size=(200, 100)))
    sparse = Problem(A, np.sign(rng.normal(size=200)), Logistic(), Ridge(0.1))
    assert block_shape(sparse, "auto") is None
    with pytest.raises(UnsupportedProblemError, match=r"blocks of a sparse matrix"):
        solve(sparse, SPD1VR(block=(4, 4)))
    with pytest.raises(UnsupportedProblemError, match=r"single entries of this matrix, by one thread"):
        solve(sparse, SPD1VR(threads=2))


def test_the_rate_of_a_block_depends_on_its_entries_alone(rng):
    problem = draw(rng, Logistic(), Ridge(0.1), n=128, d=128)
    state = SPD1VR().init(problem, Start(), rng)
    rates = {
        shape: BlockShape(*shape).contraction(problem, state.game, 0.1)
        for shape in ((4, 16), (8, 8), (1, 64))
    }
    assert rates[4, 16] == pytest.approx(rates[8, 8], rel=1e-12)
    assert rates[1, 64] == pytest.approx(rates[8, 8], rel=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"block": "rows"}, r"^block='rows' is unknown"),
        ({"block": (0, 4)}, r"^block=\(0, 4\) is unknown"),
        ({"block": (4, 300)}, r"two sizes up to 256"),
        ({"block": (4,)}, r"^block=\(4,\) is unknown"),
        ({"block": (4, 4), "sampling": "magnitude"}, r"^Blocks are drawn in proportion to their size"),
        ({"block": (4, 4), "steps": "theory"}, r"^Blocks are drawn in proportion to their size"),
        ({"threads": 0}, r"^threads is 0"),
        ({"threads": 2, "block": "entries"}, r"^threads is 2"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(InvalidInputError, match=message):
        SPD1VR(**options)
