"""The compiled steps of SPD1-VR and the alias tables against their twins."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import cases
from cases_kernels import BAD_VECTORS, FORMS, TOLERANCE, Case, D, N, copies, make_case
from fenchel._kernels import spd1_vr as kernels
from fenchel._kernels.entries import (
    AliasTables,
    Entries,
    EvenEntries,
    SignedEntries,
    alias_tables,
    line_starts,
)
from fenchel._kernels.views import DenseLines
from fenchel.errors import InvalidInputError
from fenchel.losses.registry import LOSSES
from fenchel.reference import spd1_vr as twins

COMPILED = [case.loss for case in cases.LOSSES if case.loss.compiled]

every_loss = pytest.mark.parametrize("loss", COMPILED, ids=repr)
every_form = pytest.mark.parametrize("form", FORMS)
every_storage = pytest.mark.parametrize("storage", ["dense", "sparse"])
every_dtype = pytest.mark.parametrize("dtype", [np.float64, np.float32])
every_sampling = pytest.mark.parametrize("sampling", ["uniform", "magnitude"])


def side(case: Case, by_columns: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sizes sqrt(s_i) |a_ij|, starts and signed labels of the entries, as their lines store them."""
    sizes = np.sqrt(case.sample_weight)[:, None] * np.abs(case.A)
    lines, sizes, A = (case.columns, sizes.T, case.A.T) if by_columns else (case.rows, sizes, case.A)
    weights, labels, starts = [], [], [0]
    for line in range(lines.n_lines):
        if isinstance(lines, DenseLines):
            positions = list(range(lines.length))
        else:
            virtual = lines.ones and line == lines.indptr.size - 1
            stored = [] if virtual else lines.indices[lines.indptr[line] : lines.indptr[line + 1]].tolist()
            last = list(range(lines.length)) if virtual else [lines.length - 1]
            positions = stored + (last if virtual or (lines.ones and not by_columns) else [])
        weights += sizes[line, positions].tolist()
        labels += [-1 - k if A[line, k] < 0 else k for k in positions]
        starts.append(len(weights))
    return np.array(weights), np.array(starts), np.array(labels, dtype=np.int32)


def chosen(weights: np.ndarray) -> AliasTables:
    return alias_tables(weights, np.array([0, weights.size]), np.arange(weights.size, dtype=np.int32))


def make_entries(case: Case, sampling: str) -> tuple[Entries, np.ndarray]:
    """The entries as a solver would draw them, and the matrix or its signs."""
    if sampling == "uniform":
        counts = np.diff(line_starts(case.rows)).astype(float)
        return EvenEntries(case.rows, case.columns, chosen(counts)), case.A
    (by_rows, row_starts, labels), (by_columns, column_starts, column_labels) = (
        side(case, flag) for flag in (False, True)
    )
    line = np.repeat(np.arange(N), np.diff(row_starts))
    rows = np.bincount(line, by_rows, minlength=N)
    in_row = alias_tables(by_rows, row_starts, labels)
    in_column = alias_tables(by_columns, column_starts, column_labels)
    return SignedEntries(row_starts, in_row, column_starts, in_column, chosen(rows)), np.sign(case.A)


def words(rng: np.random.Generator, steps: int) -> np.ndarray:
    return rng.integers(0, 2**32, size=(steps, 4), dtype=np.uint32)


def start(case: Case, rng: np.random.Generator, beta: float) -> dict[str, object]:
    """Any points in the bounds and the domain, another such pair as snapshot, any steps."""
    d = case.A.shape[1]
    project = case.loss.dual_domain(case.b).project
    w, snapshot_w, centre_w = (
        np.clip(rng.normal(size=d), case.form.lower, case.form.upper) for _ in range(3)
    )
    u, snapshot_u, centre_u = (np.array(project(rng.normal(size=N))) for _ in range(3))
    return {
        "form": case.form,
        "b": case.b,
        "step_w": 0.1 + rng.random(d),
        "rate_w": 0.1 + rng.random(d),
        "alpha": rng.random(d),
        "centre_w": centre_w,
        "step_u": 0.1 + rng.random(N),
        "rate_u": 0.1 + rng.random(N),
        "weight": case.sample_weight,
        "beta": beta,
        "centre_u": centre_u,
        "snapshot_w": snapshot_w,
        "snapshot_u": snapshot_u,
        "v": case.A.T @ (case.sample_weight * snapshot_u) / N,
        "z": case.A @ snapshot_w,
        "w": w,
        "u": u,
    }


def copied(arguments: dict[str, object]) -> dict[str, object]:
    return arguments | copies({"w": arguments["w"], "u": arguments["u"]})


def assert_is_twin(
    case: Case, sampling: str, rng: np.random.Generator, tolerance: float, beta: float = 0.3, steps: int = 150
) -> None:
    entries, F = make_entries(case, sampling)
    drawn = words(rng, steps)
    arguments = start(case, rng, beta)
    compiled, twin = copied(arguments), copied(arguments)
    read = kernels.spd1_vr_steps(entries, drawn, case.kernel_loss, **compiled)
    twins.spd1_vr_steps(F, *twins.drawn_entries(entries, drawn), case.loss, **twin)
    assert read == 3 * steps
    for name in ("w", "u"):
        np.testing.assert_allclose(compiled[name], twin[name], rtol=tolerance, atol=tolerance, err_msg=name)
    assert case.loss.dual_domain(case.b).contains(compiled["u"]).all()
    assert np.all((case.form.lower <= compiled["w"]) & (compiled["w"] <= case.form.upper))


@every_loss
@every_form
@every_storage
@every_sampling
def test_steps_are_their_twin(rng, loss, form, storage, sampling):
    assert_is_twin(make_case(rng, loss, form, storage), sampling, rng, 1e-12)


@every_storage
@every_dtype
@every_sampling
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_precisions_weights_and_intercept(rng, storage, dtype, sampling, weights, intercept):
    case = make_case(rng, LOSSES["smoothed_hinge"](), "elastic_net", storage, dtype, intercept, weights)
    assert_is_twin(case, sampling, rng, TOLERANCE[dtype], beta=0.0)


def probabilities(tables: AliasTables, starts: np.ndarray) -> dict[tuple[int, int], float]:
    """What the cells promise: the probability of every label of every line."""
    found: dict[tuple[int, int], float] = {}
    for line, (first, last) in enumerate(pairwise(starts)):
        for keep, own, other in tables[first:last].tolist():
            for label, share in ((own, keep / 2**32), (other, 1 - keep / 2**32)):
                label = label - 2**32 if label >= 2**31 else label
                found[line, label] = found.get((line, label), 0.0) + share / (last - first)
    return found


@pytest.mark.parametrize("kind", ["even", "one heavy", "exponential", "with zeros", "zeros"])
def test_alias_tables_hold_the_probabilities(rng, kind):
    starts = np.array([0, 1, 1, 6, 206])
    weights = rng.exponential(size=206)
    weights = {
        "even": np.ones(206),
        "one heavy": np.where(np.arange(206) % 50 == 3, 1e9, 1.0),
        "exponential": weights**3,
        "with zeros": weights * (rng.random(206) < 0.3),
        "zeros": np.zeros(206),
    }[kind]
    labels = rng.permutation(206).astype(np.int32) - 100
    found = probabilities(alias_tables(weights, starts, labels), starts)
    for line, (first, last) in enumerate(pairwise(starts)):
        total = weights[first:last].sum()
        for k in range(first, last):
            expected = weights[k] / total if total > 0 else 1 / (last - first)
            assert found[line, int(labels[k])] == pytest.approx(expected, abs=1e-9)


def test_even_words_fill_every_position_alike(rng):
    """All 2^16 words that end in zeros: each of c positions gets its share to within one word."""
    case = make_case(rng, LOSSES["squared"](), storage="dense")
    entries, _ = make_entries(case, "uniform")
    grid = (np.arange(2**16, dtype=np.uint32) << np.uint32(16))[:, None].repeat(4, axis=1)
    for indices, size in zip(twins.drawn_entries(entries, grid), (N, D, N, D), strict=True):
        counts = np.bincount(indices, minlength=size)
        assert np.all(np.abs(counts - 2**16 / size) < 1.0)


@pytest.fixture
def arguments(rng):
    case = make_case(rng, LOSSES["logistic"](), storage="sparse")
    entries, _ = make_entries(case, "uniform")
    return {"entries": entries, "words": words(rng, 5), "loss": case.kernel_loss} | start(case, rng, 0.1)


VECTORS = [
    *("b", "step_w", "rate_w", "alpha", "centre_w", "step_u", "rate_u", "weight", "centre_u"),
    *("snapshot_w", "snapshot_u", "v", "z", "w", "u"),
]


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize("name", VECTORS)
def test_steps_refuse_bad_vectors(arguments, name, bad):
    with pytest.raises(InvalidInputError, match=rf"^{name} is .*C-contiguous float64 vector"):
        kernels.spd1_vr_steps(**arguments | {name: BAD_VECTORS[bad](arguments[name])})


def test_steps_refuse_bad_words(arguments):
    for bad in (arguments["words"].astype(np.int64), arguments["words"][:, 0]):
        with pytest.raises(InvalidInputError, match=r"^words is "):
            kernels.spd1_vr_steps(**arguments | {"words": bad})
    three = np.ascontiguousarray(arguments["words"][:, :3])
    with pytest.raises(InvalidInputError, match=r"^words has 3 columns; the steps need 4\.$"):
        kernels.spd1_vr_steps(**arguments | {"words": three})


def test_entries_refuse_what_does_not_fit(rng):
    sparse, dense = (make_case(rng, LOSSES["squared"](), storage=kind) for kind in ("sparse", "dense"))
    choice = chosen(np.ones(N))
    with pytest.raises(InvalidInputError, match=r"stored in the same way"):
        EvenEntries(sparse.rows, dense.columns, choice)
    with pytest.raises(InvalidInputError, match=r"two views of one matrix"):
        EvenEntries(sparse.rows, sparse.rows, choice)
    with pytest.raises(InvalidInputError, match=r"^choice is "):
        EvenEntries(sparse.rows, sparse.columns, choice[1:])
    signed, _ = make_entries(sparse, "magnitude")
    with pytest.raises(InvalidInputError, match=r"^row_starts does not ascend from 0"):
        replace(signed, row_starts=signed.row_starts[::-1].copy())
    with pytest.raises(InvalidInputError, match=r"^in_column is "):
        replace(signed, in_column=signed.in_column[1:])


def test_alias_tables_refuse_bad_weights():
    labels, starts = np.arange(3, dtype=np.int32), np.array([0, 3])
    for bad in (-1.0, np.inf, np.nan):
        with pytest.raises(InvalidInputError, match=r"^weights has a negative value"):
            alias_tables(np.array([1.0, bad, 1.0]), starts, labels)
    with pytest.raises(InvalidInputError, match=r"^first does not ascend"):
        alias_tables(np.ones(3), np.array([0, 2]), labels)
