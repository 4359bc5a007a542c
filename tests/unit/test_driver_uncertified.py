"""Epochs that are not certified, because the gap that the solver has met is far above what ends the run."""

from itertools import pairwise

import numpy as np
import pytest

from fenchel import MaxPasses, MulticlassSDCA, Problem, RelativeGap, Status, solve
from fenchel.driver import run
from fenchel.losses import MulticlassHinge
from fenchel.regularizers import Ridge


@pytest.fixture
def problem(rng):
    A = rng.normal(size=(200, 30))
    label = (A @ rng.normal(size=(30, 4)) + rng.normal(size=(200, 4))).argmax(axis=1)
    return Problem(A, np.eye(4)[label], MulticlassHinge(), Ridge(1e-3))


@pytest.fixture
def certified(monkeypatch):
    """The epochs after which a point was certified."""
    epochs, extract = [], MulticlassSDCA.extract

    def counted(self, problem, state):
        epochs.append(state.epoch)
        return extract(self, problem, state)

    monkeypatch.setattr(MulticlassSDCA, "extract", counted)
    return epochs


def meets(monkeypatch, gap):
    monkeypatch.setattr(MulticlassSDCA, "gap_met", lambda self, problem, state: gap)


def test_certificates_that_are_left_out_change_nothing_else(problem, certified, monkeypatch):
    few = solve(problem, "multiclass_sdca", stopping=RelativeGap(1e-7))
    fewer, looked_at = list(certified), len(few.trace)
    certified.clear()
    meets(monkeypatch, None)
    every = solve(problem, "multiclass_sdca", stopping=RelativeGap(1e-7))
    assert certified == list(range(len(certified)))
    assert set(fewer) < set(certified)
    assert fewer[-1] == certified[-1]
    assert looked_at == len(fewer)
    assert few.status is every.status is Status.SOLVED
    np.testing.assert_array_equal(few.w, every.w)
    np.testing.assert_array_equal(few.u, every.u)


def test_what_the_solver_meets_proves_nothing(problem, certified, monkeypatch):
    meets(monkeypatch, 0.0)
    result = solve(problem, "multiclass_sdca", stopping=RelativeGap(1e-7))
    assert certified == list(range(len(certified)))
    assert problem.certify(result.w, result.u).relative_gap <= 1e-7


def test_a_few_epochs_in_a_row_go_uncertified_at_most(problem, certified, monkeypatch):
    meets(monkeypatch, np.inf)
    seen = []
    result = solve(problem, "multiclass_sdca", stopping=RelativeGap(1e-6), callback=seen.append)
    assert result.status.solved
    assert {after - before for before, after in pairwise(certified)} == {run._UNCERTIFIED + 1}
    assert seen == result.trace


def test_other_rules_are_asked_after_every_epoch(problem, certified, monkeypatch):
    meets(monkeypatch, np.inf)
    result = solve(problem, "multiclass_sdca", stopping=RelativeGap(1e-6) | MaxPasses(1.0))
    assert result.status is Status.MAX_PASSES
    assert certified == [0, 1]
    assert result.certificate.dual > 0.0


def test_an_interrupted_run_answers_with_what_it_has_come_to(problem, certified, monkeypatch):
    meets(monkeypatch, np.inf)
    run_epoch = MulticlassSDCA.run_epoch

    def interrupted(self, problem, state):
        if state.epoch == 3:
            raise KeyboardInterrupt
        run_epoch(self, problem, state)

    monkeypatch.setattr(MulticlassSDCA, "run_epoch", interrupted)
    result = solve(problem, "multiclass_sdca", stopping=RelativeGap(1e-9))
    assert result.status is Status.INTERRUPTED
    assert certified == [0, 3]
    assert result.certificate.gap < 0.1 * result.trace[0].certificate.gap
    assert problem.certify(result.w, result.u).gap == pytest.approx(result.certificate.gap, rel=1e-9)
