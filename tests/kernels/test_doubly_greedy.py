"""The compiled doubly greedy steps and SPDC against their twins."""

from dataclasses import replace

import numpy as np
import pytest

import cases
from cases_kernels import BAD_VECTORS, TOLERANCE, Case, D, N, copies, entries_of, make_case
from fenchel._kernels import doubly_greedy as kernels
from fenchel.errors import InvalidInputError
from fenchel.losses.registry import LOSSES
from fenchel.reference import doubly_greedy as twins

COMPILED = [case.loss for case in cases.LOSSES if case.loss.compiled]
CURVED = ["ridge", "elastic_net", "non_negative", "away_from_zero"]

every_loss = pytest.mark.parametrize("loss", COMPILED, ids=repr)
every_form = pytest.mark.parametrize("form", CURVED)
every_storage = pytest.mark.parametrize("storage", ["dense", "sparse"])
every_dtype = pytest.mark.parametrize("dtype", [np.float64, np.float32])


def start(case: Case, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Any primal point in the bounds, any dual point in the domain, and their products."""
    w = np.clip(rng.normal(size=D), case.form.lower, case.form.upper)
    u = np.array(case.loss.dual_domain(case.b).project(rng.normal(size=N)))
    return {"w": w, "u": u, "v": case.A.T @ (case.sample_weight * u) / N}


def shared(case: Case) -> dict[str, object]:
    return {"b": case.b, "sample_weight": case.sample_weight, "form": case.form}


def assert_equal(one, two, tolerance):
    for name in one:
        np.testing.assert_allclose(one[name], two[name], rtol=tolerance, atol=tolerance, err_msg=name)


def dgpd_start(case: Case, rng: np.random.Generator) -> dict[str, np.ndarray]:
    begin = start(case, rng)
    return begin | {"z": case.A @ begin["w"], "step": 0.2 + rng.random(N), "centre": rng.normal(size=N)}


def assert_dgpd_is_twin(
    case: Case, rng: np.random.Generator, tolerance: float, beta: float = 0.0, steps: int = 40
) -> None:
    begin = dgpd_start(case, rng)
    compiled, twin = copies(begin), copies(begin)
    both = {"steps": steps, "beta": beta, **shared(case)}
    entries = kernels.dgpd_steps(case.rows, case.columns, loss=case.kernel_loss, **both, **compiled)
    chosen = twins.dgpd_steps(case.A, loss=case.loss, **both, **twin)
    assert_equal(compiled, twin, tolerance)
    np.testing.assert_allclose(compiled["z"], case.A @ compiled["w"], rtol=tolerance, atol=tolerance)
    v = case.A.T @ (case.sample_weight * compiled["u"]) / N
    np.testing.assert_allclose(compiled["v"], v, rtol=tolerance, atol=tolerance)
    columns = sum(entries_of(case.columns, j) for j, _ in chosen if j >= 0)
    assert entries == columns + sum(entries_of(case.rows, i) for _, i in chosen if i >= 0)


def spdc_start(case: Case, rng: np.random.Generator) -> dict[str, object]:
    begin = start(case, rng)
    return begin | {
        "previous": np.clip(begin["w"] + 0.1 * rng.normal(size=D), case.form.lower, case.form.upper),
        "tau": 0.5 * rng.random(D) + 0.1,
        "sigma": 0.4,
        "theta": 0.9,
    }


def assert_spdc_is_twin(case: Case, rng: np.random.Generator, tolerance: float, steps: int = 3 * N) -> None:
    order = rng.integers(N, size=steps)
    begin = spdc_start(case, rng)
    compiled = {name: np.copy(value) if np.ndim(value) else value for name, value in begin.items()}
    twin = {name: np.copy(value) if np.ndim(value) else value for name, value in begin.items()}
    entries = kernels.spdc_pass(case.rows, order, case.kernel_loss, **shared(case), **compiled)
    twins.spdc_pass(case.A, order, case.loss, **shared(case), **twin)
    assert_equal(compiled, twin, tolerance)
    visited = order[case.sample_weight[order] > 0]
    assert entries == sum(entries_of(case.rows, i) for i in visited)


@every_loss
@every_form
@every_storage
@pytest.mark.parametrize("beta", [0.0, 0.7])
def test_dgpd_steps_are_their_twin(rng, loss, form, storage, beta):
    assert_dgpd_is_twin(make_case(rng, loss, form, storage), rng, 1e-12, beta)


@every_loss
@every_form
@every_storage
def test_spdc_pass_is_its_twin(rng, loss, form, storage):
    assert_spdc_is_twin(make_case(rng, loss, form, storage), rng, 1e-12)


@every_storage
@every_dtype
@pytest.mark.parametrize("weights", [False, True])
def test_both_precisions_with_and_without_weights(rng, storage, dtype, weights):
    case = make_case(rng, LOSSES["smoothed_hinge"](), "elastic_net", storage, dtype, weights=weights)
    assert_dgpd_is_twin(case, rng, TOLERANCE[dtype])
    assert_spdc_is_twin(case, rng, TOLERANCE[dtype])


@pytest.mark.parametrize("l1", [0.0, 0.03, 0.5])
@pytest.mark.parametrize("l2", [1e-8, 0.01, 2.0])
@pytest.mark.parametrize("bounded", [False, True])
def test_many_steps_at_once_are_the_steps_one_by_one(rng, l1, l2, bounded):
    """Columns that no visited row touches run alone for a whole pass, through zero and into bounds."""
    case = make_case(rng, LOSSES["squared"](), "ridge", "sparse")
    lower, upper = (np.full(D, end) for end in ((-0.4, 0.7) if bounded else (-np.inf, np.inf)))
    form = replace(case.form, l1=np.full(D, l1), l2=np.full(D, l2), lower=lower, upper=upper)
    case = replace(case, form=form)
    for _ in range(20):
        begin = spdc_start(case, rng) | {"v": 0.2 * rng.normal(size=D)}
        steps = int(rng.integers(1, 200))
        order = np.full(steps, 5)  # the row of zeros
        compiled = {name: np.copy(value) if np.ndim(value) else value for name, value in begin.items()}
        twin = {name: np.copy(value) if np.ndim(value) else value for name, value in begin.items()}
        kernels.spdc_pass(case.rows, order, case.kernel_loss, **shared(case), **compiled)
        twins.spdc_pass(case.A, order, case.loss, **shared(case), **twin)
        np.testing.assert_allclose(compiled["w"], twin["w"], rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(compiled["previous"], twin["previous"], rtol=1e-11, atol=1e-12)


@every_loss
def test_a_proximal_term_gives_the_best_value_of_a_row(rng, loss):
    """On one row that no column answers: the conjugate, the score and both squares, on a fine grid."""
    case = make_case(rng, loss, weights=False)
    case.columns.data[:] = 0.0
    begin = dgpd_start(case, rng)
    u, beta = begin["u"].copy(), 0.7
    kernels.dgpd_steps(case.rows, case.columns, 1, case.kernel_loss, beta=beta, **shared(case), **begin)
    (i,) = np.flatnonzero(begin["u"] != u)

    def cost(t: np.ndarray) -> np.ndarray:
        pull = 0.5 * beta * (t - begin["centre"][i]) ** 2 - begin["z"][i] * t
        step = 0.5 / begin["step"][i] * (t - u[i]) ** 2
        return case.loss.conjugate(t, np.full(t.size, case.b[i])) + pull + step

    assert cost(begin["u"][[i]])[0] <= cost(begin["u"][i] + np.linspace(-3.0, 3.0, 6001)).min() + 1e-12


def test_dgpd_steps_end_when_nothing_moves(rng):
    """With A = 0 every w_j goes to the minimiser of its penalty, every u_i to the derivative at 0."""
    case = make_case(rng, LOSSES["squared"](), "elastic_net", "sparse", weights=False)
    case.rows.data[:] = 0.0
    case.columns.data[:] = 0.0
    begin = dgpd_start(case, rng) | {"z": np.zeros(N), "v": np.zeros(D), "step": np.full(N, 1e300)}
    kernels.dgpd_steps(case.rows, case.columns, 10**15, case.kernel_loss, beta=0.0, **shared(case), **begin)
    np.testing.assert_array_equal(begin["w"], np.zeros(D))
    np.testing.assert_allclose(begin["u"], -case.b, rtol=1e-14)


@pytest.fixture
def dgpd_arguments(rng):
    case = make_case(rng, LOSSES["logistic"]())
    begin = dgpd_start(case, rng) | {"z": np.zeros(N), "step": np.ones(N)}
    return {
        "rows": case.rows,
        "columns": case.columns,
        "steps": 3,
        "loss": case.kernel_loss,
        "beta": 0.2,
        **shared(case),
    } | begin


@pytest.fixture
def spdc_arguments(rng):
    case = make_case(rng, LOSSES["logistic"]())
    lines = {"rows": case.rows, "order": np.arange(N), "loss": case.kernel_loss}
    return lines | shared(case) | spdc_start(case, rng)


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize("name", ["b", "sample_weight", "step", "centre", "w", "z", "u", "v"])
def test_dgpd_steps_refuse_bad_vectors(dgpd_arguments, name, bad):
    with pytest.raises(InvalidInputError, match=rf"^{name} is .*C-contiguous float64 vector"):
        kernels.dgpd_steps(**dgpd_arguments | {name: BAD_VECTORS[bad](dgpd_arguments[name])})


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize("name", ["b", "sample_weight", "tau", "w", "previous", "u", "v"])
def test_spdc_pass_refuses_bad_vectors(spdc_arguments, name, bad):
    with pytest.raises(InvalidInputError, match=rf"^{name} is .*C-contiguous float64 vector"):
        kernels.spdc_pass(**spdc_arguments | {name: BAD_VECTORS[bad](spdc_arguments[name])})


def test_both_refuse_coordinates_without_curvature(dgpd_arguments, spdc_arguments):
    for kernel, arguments in ((kernels.dgpd_steps, dgpd_arguments), (kernels.spdc_pass, spdc_arguments)):
        arguments["form"].l2[4] = 0.0
        with pytest.raises(InvalidInputError, match=r"^l2 is 0.0 at coordinate 4"):
            kernel(**arguments)


def test_dgpd_steps_refuse_views_of_two_matrices(rng, dgpd_arguments):
    other = make_case(rng, LOSSES["logistic"](), storage="sparse")
    for columns in (other.columns, dgpd_arguments["rows"]):
        with pytest.raises(InvalidInputError, match=r"^rows and columns are not two views"):
            kernels.dgpd_steps(**dgpd_arguments | {"columns": columns})
    single = make_case(rng, LOSSES["logistic"](), dtype=np.float32).columns
    with pytest.raises(InvalidInputError, match=r"^rows hold float64, but columns hold float32"):
        kernels.dgpd_steps(**dgpd_arguments | {"columns": single})


def test_spdc_pass_refuses_an_order_out_of_range(spdc_arguments):
    with pytest.raises(InvalidInputError, match=r"^order spans"):
        kernels.spdc_pass(**spdc_arguments | {"order": np.array([N])})
