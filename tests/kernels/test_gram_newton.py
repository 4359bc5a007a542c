"""Newton steps on a working set by its matrix: the kernel and its twin, and what the steps promise."""

from dataclasses import replace

import numpy as np
import pytest

import cases
from cases_kernels import FORMS, Case, D, N, make_case
from fenchel._kernels.gram_newton import GramLimits, GramPoint, GramSet, gram_newton, share_of_change
from fenchel.errors import InvalidInputError
from fenchel.losses import Logistic, Squared
from fenchel.reference import gram_newton as twins
from fenchel.reference.prox_newton import row_model

SMOOTH = [case.loss for case in cases.LOSSES if case.loss.compiled and case.loss.smooth]
CHOSEN = np.array([0, 2, 4, 6, 8])
LIMITS = GramLimits(
    steps=3, solved=1e-3, oldest=10.0, precision=1e-3, least=0.0, block=2, passes=8, iterations=3,
    rare_precision=0.2, rare_steps=0,
)  # fmt: skip


def both(case: Case, root: np.ndarray, intercept: bool) -> tuple[GramSet, twins.DenseSet]:
    """A working set, with the matrix for these rows, as the kernel and as the twin have it."""
    X = root[:, None] * case.A[:, CHOSEN]
    matrix, cross, total = X.T @ X + 1e-3 * np.eye(CHOSEN.size), X.T @ root, np.inf
    if intercept:
        total = float(root @ root)
        matrix -= np.outer(cross, cross) / total
    shared = (case.b, case.sample_weight, case.form, intercept, CHOSEN, CHOSEN[1:3])
    rest = (cross, total, root)
    return (
        GramSet(case.columns, case.kernel_loss, *shared, matrix.ravel().copy(), *rest),
        twins.DenseSet(case.A, case.loss, *shared, matrix.ravel().copy(), *rest),
    )


def point(rng: np.random.Generator, case: Case, known: bool) -> GramPoint:
    """A point with its rows and derivatives."""
    w = np.clip(0.3 * rng.normal(size=case.A.shape[1]), case.form.lower, case.form.upper)
    z = case.A @ w
    value, u, root = row_model(case.loss, z, case.b, case.sample_weight, 0.3)
    v = case.A.T @ (case.sample_weight * u) / N
    before = w[CHOSEN] + 0.1 * rng.normal(size=CHOSEN.size)
    last = float(v[-1]) if case.A.shape[1] > D else 0.0
    return GramPoint(
        w, z, u, root, value, v[CHOSEN], last, before, v[CHOSEN] - 0.1 * (w[CHOSEN] - before), known, 0.3
    )


def copied(at: GramPoint) -> GramPoint:
    arrays = {name: value.copy() for name, value in vars(at).items() if isinstance(value, np.ndarray)}
    return replace(at, **arrays)


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("storage", ["dense", "sparse"])
@pytest.mark.parametrize("intercept", [False, True])
def test_gram_newton_is_its_twin(rng, loss, form, storage, intercept):
    case = make_case(rng, loss, form, storage, intercept=intercept)
    # The side from which an exact step comes may be rounding after a step of all: they are compared alone.
    root, start = rng.random(N) / np.sqrt(N) + 0.1, point(rng, case, known=True)
    # Secants amplify rounding from step to step.
    for limits in (LIMITS, LIMITS._replace(oldest=0.0), LIMITS._replace(steps=1, rare_steps=4)):
        compiled, twin = both(case, root, intercept)
        ours, other = copied(start), copied(start)
        report, expected = gram_newton(compiled, limits, ours), twins.gram_newton(twin, limits, other)
        assert report[:3] == expected[:3]
        for name, value in vars(other).items():
            if name != "known":
                np.testing.assert_allclose(getattr(ours, name), value, rtol=1e-9, atol=1e-9, err_msg=name)
        np.testing.assert_allclose(compiled.matrix, twin.matrix, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(ours.z, case.A @ ours.w, atol=1e-12)


@pytest.mark.parametrize("form", ["l1", "elastic_net", "box"])
@pytest.mark.parametrize("intercept", [False, True])
def test_steps_end_at_the_optimum_of_the_set(rng, form, intercept):
    """A matrix of other curvatures serves: the steps correct it."""
    case = make_case(rng, Logistic(), form, intercept=intercept)
    at = point(rng, case, known=False)
    held, _ = both(case, 1.1 * at.root, intercept)
    limits = LIMITS._replace(steps=60, solved=1e-9, precision=1e-3, passes=200, iterations=20)
    report = gram_newton(replace(held, rare=CHOSEN[:0]), limits, at)
    assert not report.stale
    assert not report.refused
    gradient = case.A.T @ (case.sample_weight * Logistic().gradient(at.z, case.b)) / N
    own = case.form.restrict(CHOSEN)
    np.testing.assert_allclose(own.prox(at.w[CHOSEN] - gradient[CHOSEN], 1.0), at.w[CHOSEN], atol=1e-7)
    assert not intercept or abs(gradient[-1]) <= 1e-7


def test_the_corrected_matrix_maps_the_last_move_to_its_change(rng):
    case = make_case(rng, Squared(), "l1")
    at = point(rng, case, known=True)
    held, _ = both(case, at.root, False)
    s, y = at.w[CHOSEN] - at.w_before, at.c - at.c_before
    gram_newton(held, LIMITS._replace(steps=1), at)
    matrix = held.matrix.reshape(CHOSEN.size, -1)
    np.testing.assert_allclose(matrix @ s, y, atol=1e-12)
    assert np.linalg.eigvalsh(matrix).min() > 0.0


def test_a_move_without_curvature_leaves_the_matrix(rng):
    """All rows of the loss are linear there: what is left of a change is rounding."""
    case = make_case(rng, Squared(), "l1")
    at = point(rng, case, known=True)
    at.c_before[:] = at.c + 1e-12 * (at.w_before - at.w[CHOSEN])
    held, _ = both(case, at.root, False)
    matrix = held.matrix.copy()
    gram_newton(held, LIMITS._replace(steps=1), at)
    np.testing.assert_array_equal(held.matrix, matrix)


def test_share_of_change_is_its_twin(rng):
    root = rng.random(300)
    assert share_of_change(root, root) == 0.0
    assert share_of_change(root, np.sqrt(1.1) * root) == pytest.approx(0.1)
    assert share_of_change(np.zeros(5), np.ones(5)) == np.inf
    other = rng.random(300)
    assert share_of_change(root, other) == pytest.approx(twins.share_of_change(root, other), rel=1e-12)


def test_wrong_arrays_are_refused(rng):
    case = make_case(rng, Logistic())
    at = point(rng, case, known=False)
    held, _ = both(case, at.root, False)
    with pytest.raises(InvalidInputError, match=r"^matrix is .*; the kernels need"):
        gram_newton(replace(held, matrix=held.matrix[:-1]), LIMITS, at)
    with pytest.raises(InvalidInputError, match="chosen spans"):
        gram_newton(replace(held, chosen=CHOSEN + 1), LIMITS, at)
    with pytest.raises(InvalidInputError, match=r"^w is"):
        gram_newton(held, LIMITS, replace(at, w=at.w[:-1]))
    with pytest.raises(InvalidInputError, match="disagree"):
        gram_newton(replace(held, intercept=True), LIMITS, at)
