"""A run that was cut in two gives what the whole run gives, bit for bit."""

import json
from dataclasses import fields

import numpy as np
import pytest

from cases_solvers import draw
from fenchel import (
    APCG,
    DGPD,
    GSFW,
    PSGD,
    SAGA,
    SCGM,
    SCGS,
    SDCA,
    SFW,
    SMD,
    SPD1,
    SPD1VR,
    SPDC,
    SSM,
    SVRF,
    SVRG,
    AcceleratedDualAscent,
    AdaptiveGSFW,
    AwayFrankWolfe,
    DGPDActiveSet,
    DGPDPlus,
    DualAscent,
    FrankWolfe,
    FullyCorrectiveFrankWolfe,
    InvalidInputError,
    MaxPasses,
    MirrorDescent,
    MirrorProx,
    MulticlassNewton,
    MulticlassSDCA,
    PairwiseFrankWolfe,
    Perceptron,
    PrimalCD,
    PrimalMirrorDescent,
    Problem,
    ProxNewton,
    RelativeGap,
    SoftImpute,
    Status,
    SublinearMulticlass,
    solve,
)
from fenchel.design import BilinearDesign, CompletionDesign
from fenchel.driver.checkpoint import Checkpoint
from fenchel.losses import (
    Hinge,
    Logistic,
    MarginConstraint,
    MulticlassHinge,
    MultiSquared,
    SmoothedHinge,
    Softmax,
    Squared,
    SquaredDistance,
)
from fenchel.numerics.low_rank import LowRank
from fenchel.regularizers import (
    L1,
    ElasticNet,
    GroupL2Ball,
    L1Ball,
    L1InfBall,
    L2Ball,
    NuclearBall,
    Regularizer,
    Ridge,
    RowColumnBall,
    SquaredLp,
)
from fenchel.solvers.full.proximal_gradient import ProximalGradient
from fenchel.solvers.mirror.dual_geometry import EuclideanDual
from fenchel.solvers.registry import SOLVERS

NEVER = RelativeGap(0.0)
CASES = [
    (PrimalCD(), Logistic(), L1(0.01)),
    (PrimalCD(support_passes=0, newton_passes=0.0), Logistic(), ElasticNet(0.01, 0.001)),
    (ProxNewton(models=1), Logistic(), L1(0.02)),
    (SDCA(), Logistic(), ElasticNet(0.01, 0.001)),
    (SDCA(), Hinge(), L1(0.002)),
    (DGPD(common_step=True), SmoothedHinge(), ElasticNet(0.01, 0.001)),
    (DGPD(), SmoothedHinge(), ElasticNet(0.01, 0.001)),
    (DGPD(), Hinge(), ElasticNet(0.01, 0.001)),
    (DGPDActiveSet(), SmoothedHinge(), ElasticNet(0.01, 0.001)),
    (APCG(), Logistic(), ElasticNet(0.01, 0.001)),
    (SPDC(), Logistic(), ElasticNet(0.01, 0.001)),
    (PrimalCD(0, 0.0, order="random"), Logistic(), ElasticNet(0.01, 0.001)),
    (DGPDPlus(most_passes=5), SmoothedHinge(), ElasticNet(0.01, 0.001)),
    (DGPDPlus(), Logistic(), ElasticNet(0.01, 0.001)),
    (SPD1VR(), SmoothedHinge(), ElasticNet(0.01, 0.001)),
    (SPD1VR(sampling="magnitude"), Hinge(), L1(0.02)),
    (SVRG(), Logistic(), L1(0.01)),
    (SAGA(), Logistic(), L1(0.01)),
    (PSGD(), Hinge(), L1(0.02)),
    (SPD1(), Hinge(), ElasticNet(0.01, 0.001)),
    (MulticlassNewton(), Softmax(), ElasticNet(0.01, 0.001)),
    (MulticlassSDCA(), Softmax(), ElasticNet(0.01, 0.001)),
    (MulticlassSDCA(), MulticlassHinge(), L1(0.02)),
    (MirrorDescent(horizon=7), MulticlassHinge(), L1Ball(1.0)),
    (MirrorProx(), Softmax(), L1(0.02)),
    (MirrorProx(dual_geometry=EuclideanDual()), MulticlassHinge(), GroupL2Ball(1.0, l1=0.01)),
    (SMD(), Softmax(), L1(0.02)),
    (SMD(sampling="full"), MulticlassHinge(), L1Ball(2.0)),
    (SSM(), MulticlassHinge(), L1(0.02)),
    (SSM(geometry="entropic"), Softmax(), L1Ball(2.0)),
    (SublinearMulticlass(), Softmax(), L1(0.02)),
    (SublinearMulticlass(rows="optimal", draws=2), MulticlassHinge(), L1Ball(2.0)),
    (FrankWolfe(), Logistic(), L2Ball(2.0)),
    (PairwiseFrankWolfe(largest_model=0), Logistic(), L1(0.01)),
    (AwayFrankWolfe(), Logistic(), L1(0.01)),
    (GSFW(batch=0.1), Logistic(), L1Ball(2.0)),
    (AdaptiveGSFW(batch=0.1), Logistic(), ElasticNet(0.01, 0.1)),
    (SFW(), Logistic(), L1Ball(2.0)),
    (SVRF(), Logistic(), L1Ball(2.0)),
    (SCGM(), Logistic(), L1Ball(2.0)),
    (SCGS(), Logistic(), L1Ball(2.0)),
    (DualAscent(), SquaredDistance(MarginConstraint()), SquaredLp(1.5)),
    (DualAscent(sampling="proportional"), SquaredDistance(MarginConstraint()), Ridge(0.1)),
    (PrimalMirrorDescent(), MarginConstraint(), SquaredLp(1.5)),
    (Perceptron(), MarginConstraint(), Ridge(0.1)),
    (AcceleratedDualAscent(restart_passes=3), SquaredDistance(MarginConstraint()), Ridge(0.1)),
    (ProximalGradient(), Logistic(), L2Ball(2.0)),
    (ProximalGradient(steps_per_epoch=3), MultiSquared(), L1(0.05)),
]
MATRICES = [
    (SoftImpute(steps_per_epoch=1), Squared(), (30, 20)),
    (SoftImpute(steps_per_epoch=2), Logistic(), (12, 40)),
    (FullyCorrectiveFrankWolfe(), Logistic(), RowColumnBall(1.0)),
    (ProximalGradient(steps_per_epoch=2), Squared(), L1InfBall(1.0)),
]
each_case = pytest.mark.parametrize(("solver", "loss", "g"), CASES, ids=str)


def medium(rng, loss=None, g=None, solver=None) -> Problem:
    """With an intercept where the solver serves one."""
    loss, g = loss or Logistic(), g or L1(0.01)
    problem = draw(rng, loss, g, n=50, d=12, kind="correlated", intercept=True)
    if solver is None or solver.unmet(problem) is None:
        return problem
    return draw(rng, loss, g, n=50, d=12, kind="correlated")


def of_a_matrix(rng, loss, about) -> Problem:
    """Completion in a shape, or a bilinear design with a set."""
    if isinstance(about, tuple):
        m, p = about
        places = rng.permutation(m * p)[: m * p // 2]
        design = CompletionDesign(places // p, places % p, about)
        values = (rng.normal(size=(m, 2)) @ rng.normal(size=(2, p))).ravel()[places]
        g: Regularizer = NuclearBall(0.5 * float(np.sqrt(m * p)))
    else:
        design, g = BilinearDesign(rng.normal(size=(6, 5))), about
        values = design.matrix.ravel()
    return Problem(design, np.sign(values) if loss.task == "classification" else values, loss, g)


def assert_equal_bits(one, two, name=""):
    if isinstance(one, LowRank):
        one, two = one.toarray(), two.toarray()
    np.testing.assert_array_equal(one, two, err_msg=name)


def assert_same_state(one, two):
    for item in fields(one):
        if item.name != "rng":
            assert_equal_bits(getattr(one, item.name), getattr(two, item.name), item.name)
    assert one.rng.bit_generator.state == two.rng.bit_generator.state


def test_every_solver_has_a_case():
    assert {type(solver) for solver, _, _ in (*CASES, *MATRICES)} == set(SOLVERS.values())


@each_case
def test_resume_is_bit_for_bit(rng, tmp_path, solver, loss, g):
    assert_resumes(medium(rng, loss, g, solver), solver, tmp_path)


@pytest.mark.parametrize(("solver", "loss", "about"), MATRICES, ids=str)
def test_resume_of_a_matrix_is_bit_for_bit(rng, tmp_path, solver, loss, about):
    assert_resumes(of_a_matrix(rng, loss, about), solver, tmp_path)


def test_what_is_only_probable_stays_so(rng, tmp_path):
    """Of a large matrix the largest singular value is bounded with a probability."""
    side, path = 2100, tmp_path / "run"
    index = np.arange(side)
    design = CompletionDesign(index, index[::-1], (side, side))
    problem = Problem(design, rng.normal(size=side), Squared(), NuclearBall(9.0))
    part = solve(problem, SoftImpute(1), stopping=NEVER | MaxPasses(2), checkpoint=path)
    result = solve(problem, SoftImpute(1), stopping=NEVER | MaxPasses(2), resume=path)
    assert result.certificate.failure == part.certificate.failure > 0
    assert [r.certificate.failure for r in result.trace] == [r.certificate.failure for r in part.trace]


def assert_resumes(problem, solver, tmp_path):
    whole = solve(problem, solver, stopping=NEVER | MaxPasses(40), rng=5)
    path = tmp_path / "run"
    part = solve(problem, solver, stopping=NEVER | MaxPasses(10), rng=5, checkpoint=path)
    assert part.passes < whole.passes
    result = solve(problem, solver, stopping=NEVER | MaxPasses(40), resume=path)
    assert_equal_bits(result.w, whole.w)
    assert_equal_bits(result.u, whole.u)
    assert result.certificate.gap == whole.certificate.gap
    assert_same_state(result.state, whole.state)
    assert [(r.passes, r.certificate.primal, r.certificate.dual) for r in result.trace] == [
        (r.passes, r.certificate.primal, r.certificate.dual) for r in whole.trace
    ]
    assert result.seconds >= part.seconds


def test_a_resumed_run_can_go_on_saving(rng, tmp_path):
    problem, path = medium(rng), tmp_path / "run"
    for passes in (5, 10, 15):
        resume = path if path.exists() else None
        solve(problem, "sdca", stopping=NEVER | MaxPasses(passes), checkpoint=path, resume=resume)
    whole = solve(problem, "sdca", stopping=NEVER | MaxPasses(15))
    np.testing.assert_array_equal(Checkpoint.load(path).w, whole.w)


def test_ctrl_c_saves_the_last_whole_epoch(rng, tmp_path, monkeypatch):
    """The interrupted epoch has left the state in disorder; the file must not hold that."""
    problem, path, epochs = medium(rng), tmp_path / "run", []
    epoch = SDCA.run_epoch

    def interrupted(self, problem, state):
        epochs.append(1)
        epoch(self, problem, state)
        if len(epochs) == 3:
            state.w[:] = np.nan
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SDCA, "run_epoch", interrupted)
        result = solve(problem, "sdca", stopping=NEVER | MaxPasses(40), checkpoint=path)
    assert result.status is Status.INTERRUPTED
    resumed = solve(problem, "sdca", stopping=NEVER | MaxPasses(40), resume=path)
    whole = solve(problem, "sdca", stopping=NEVER | MaxPasses(40))
    np.testing.assert_array_equal(resumed.w, whole.w)
    assert_same_state(resumed.state, whole.state)


def test_the_interval_decides_how_often_it_is_written(rng, tmp_path, monkeypatch):
    saves = []
    save = Checkpoint.save
    monkeypatch.setattr(Checkpoint, "save", lambda self, path: (saves.append(path), save(self, path)))
    problem = medium(rng)
    solve(problem, "sdca", stopping=NEVER | MaxPasses(20), checkpoint=tmp_path / "a")
    assert len(saves) == 2  # at the beginning and at the end
    saves.clear()
    result = solve(
        problem, "sdca", stopping=NEVER | MaxPasses(20), checkpoint=tmp_path / "a", checkpoint_seconds=0.0
    )
    assert len(saves) == len(result.trace) + 1
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_folder_that_is_not_there_fails_before_the_work(rng, tmp_path, monkeypatch):
    monkeypatch.setattr(SDCA, "run_epoch", lambda self, problem, state: pytest.fail("worked"))
    with pytest.raises(FileNotFoundError):
        solve(medium(rng), "sdca", checkpoint=tmp_path / "no" / "run")


@pytest.mark.parametrize(
    "generator", [np.random.MT19937, np.random.Philox, np.random.SFC64, np.random.PCG64DXSM]
)
def test_every_bit_generator_goes_on(rng, tmp_path, generator):
    problem, path = medium(rng), tmp_path / "run"
    whole = solve(problem, "sdca", stopping=NEVER | MaxPasses(30), rng=np.random.Generator(generator(1)))
    solve(
        problem,
        "sdca",
        stopping=NEVER | MaxPasses(10),
        rng=np.random.Generator(generator(1)),
        checkpoint=path,
    )
    np.testing.assert_array_equal(
        solve(problem, "sdca", stopping=NEVER | MaxPasses(30), resume=path).w, whole.w
    )


def test_another_solver_is_refused(rng, tmp_path):
    problem, path = medium(rng), tmp_path / "run"
    solve(problem, SDCA(), stopping=MaxPasses(2), checkpoint=path)
    message = r"^The checkpoint was made by SDCA\(.*\), but the solver now is PrimalCD\(.*\)\. Resume with "
    with pytest.raises(InvalidInputError, match=message):
        solve(problem, PrimalCD(), resume=path)
    with pytest.raises(InvalidInputError, match=r"^The checkpoint was made by SDCA\(.*solver now is SDCA\("):
        solve(problem, SDCA(proximal_weight=2.0), resume=path)


def test_another_shape_is_refused(rng, tmp_path):
    path = tmp_path / "run"
    solve(medium(rng), "sdca", stopping=MaxPasses(2), checkpoint=path)
    other = draw(rng, Logistic(), L1(0.01), n=50, d=13, intercept=True)
    message = (
        r"^The checkpoint's \w+ has shape \(13,\), which is not that of this problem\. Resume with the data "
        r"and the options that the checkpoint was made with\.$"
    )
    with pytest.raises(InvalidInputError, match=message):
        solve(other, "sdca", resume=path)


def test_a_matrix_of_another_shape_is_refused(rng, tmp_path):
    path = tmp_path / "run"
    solve(of_a_matrix(rng, Squared(), (30, 20)), stopping=MaxPasses(2), checkpoint=path)
    message = r"^The checkpoint's w has shape \(30, 20\), which is not that of this problem\. Resume with"
    with pytest.raises(InvalidInputError, match=message):
        solve(of_a_matrix(rng, Squared(), (20, 30)), resume=path)


@pytest.mark.parametrize("change", ["strength", "target", "weights"])
def test_another_problem_of_the_same_shape_is_refused(rng, tmp_path, change):
    """Its certificate would be taken for one of this problem."""
    problem, path = medium(rng), tmp_path / "run"
    solve(problem, "sdca", stopping=RelativeGap(1e-8) | MaxPasses(3000), checkpoint=path)
    b, g, weight = problem.b, problem.regularizer, None
    if change == "strength":
        g = L1(0.005)
    elif change == "target":
        b = -b
    else:
        weight = np.arange(1.0, 51.0)
    other = Problem(problem.design.base, b, Logistic(), g, sample_weight=weight, fit_intercept=True)
    message = (
        r"^The checkpoint's model has the value [\d.]+, but on this problem it is [\d.]+\. Resume with the "
        r"data and the options that the checkpoint was made with\.$"
    )
    with pytest.raises(InvalidInputError, match=message):
        solve(other, "sdca", resume=path)


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04broken", None])
def test_a_file_that_is_not_a_checkpoint_is_refused(tmp_path, content):
    path = tmp_path / "run"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InvalidInputError, match=r"run is not a checkpoint of this library: "):
        Checkpoint.load(path)


def test_arrays_of_another_program_are_refused(tmp_path):
    path = tmp_path / "run.npz"
    np.savez(path, w=np.zeros(3))
    with pytest.raises(InvalidInputError, match=r"run\.npz is not a checkpoint of this library: "):
        Checkpoint.load(path)
    np.save(tmp_path / "run.npy", np.zeros(3))
    with pytest.raises(InvalidInputError, match=r"run\.npy is not a checkpoint of this library: "):
        Checkpoint.load(tmp_path / "run.npy")


def test_another_format_is_refused(tmp_path):
    path = tmp_path / "run.npz"
    np.savez(path, header=np.array(json.dumps({"format": 99})))
    message = r"run\.npz has checkpoint format 99, but this reads 2\.$"
    with pytest.raises(InvalidInputError, match=message):
        Checkpoint.load(path)
