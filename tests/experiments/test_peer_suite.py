"""The benchmark of all problems: its parts, how it finds tolerances, keeps rows and sums them up."""

import io
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from benchmarks.compare import compare
from benchmarks.judge import Judge
from benchmarks.limited import run_limited
from benchmarks.measure import Row, Settings, Timing
from benchmarks.peers import PEERS
from benchmarks.peers.base import Peer
from benchmarks.problems import matching
from benchmarks.ratios import print_ratios
from benchmarks.results import load_rows, load_settings, save_rows
from benchmarks.suite import FAMILIES, OWN_FAMILIES, parted, suite
from benchmarks.sweep import TOLERANCES, sweep
from fenchel import RelativeGap, solve

TINY = {problem.name: problem.load(Path()) for problem in matching(["tiny-*"])}


def row(name: str, ours: float, theirs: float | None, family: str = "lasso, elastic net") -> Row:
    peer = Timing("peer", 0.1, [] if theirs is None else [theirs])
    return Row(name, 1e-3, Timing("fenchel", 1e-3, [ours]), [peer], {}, 0.0, family)


def summary(rows: list[Row]) -> str:
    console = Console(width=200, file=io.StringIO())
    print_ratios(rows, console)
    return console.file.getvalue()


def test_names_are_unique_and_have_three_parts():
    problems = list(suite(FAMILIES + OWN_FAMILIES))
    names = [problem.name for problem in problems]
    assert len(set(names)) == len(names)
    losses = {family.name: family.loss for family in FAMILIES + OWN_FAMILIES}
    for problem in problems:
        data, family, strength = parted(problem.name)
        assert data
        assert losses[family] == problem.loss
        assert float(strength) == pytest.approx(1 / problem.fraction if problem.fraction else problem.C)


def test_every_family_has_problems_that_can_be_made_without_files():
    made = {parted(problem.name)[1] for problem in suite() if not problem.stored}
    assert made == {family.name for family in FAMILIES}


def test_relative_costs_do_not_depend_on_the_scale_of_the_rows(tmp_path):
    (problem,) = matching(["wide-l2-hinge-1"], suite())
    A, b = problem.source(tmp_path)
    larger = replace(problem, source=lambda folder: (10.0 * A, b))
    assert larger.load(tmp_path).l2 == pytest.approx(100.0 * problem.load(tmp_path).l2)


class Scaled(Peer):
    """Ours, stopped at ten times the asked gap."""

    name, module = "scaled", "fenchel"
    served = {"logistic": ("l1",)}  # noqa: RUF012

    def _coefficients(self, A, instance, tolerance):
        return solve(instance.fenchel_problem(), stopping=RelativeGap(10.0 * tolerance)).w


def test_the_sweep_finds_the_loosest_half_decade():
    instance, peer = TINY["tiny-l1-logistic"], Scaled()
    judge = Judge.of(instance)
    gaps = [judge.relative_gap(peer.fit(instance, tolerance)) for tolerance in TOLERANCES]
    settings = Settings(targets=(1e-2, 1e-5))
    for target, timing in zip(settings.targets, sweep(peer, instance, judge, settings), strict=True):
        assert timing.tolerance == next(t for t, gap in zip(TOLERANCES, gaps, strict=True) if gap <= target)
        assert timing.searched is not None
        assert timing.seconds == []


def test_a_fit_that_takes_too_long_is_ended():
    def forever() -> None:
        while True:
            pass

    assert run_limited(forever, 0.05) == "over 0.05 s"
    assert run_limited(partial(time.sleep, 0.0), 5.0) is None


@pytest.mark.parametrize("name", ["tiny-lasso", "tiny-l2-logistic"])
def test_conversion_leaves_the_problem_as_it_is(name):
    peers = [peer for peer in PEERS if peer.name in ("sklearn-cd", "liblinear")]
    settings = Settings(targets=(1e-4,), repeats=1, conversion=True, judge="optimum")
    (found,) = compare(name, TINY[name], peers, settings)
    assert found.fenchel.failure is None
    assert found.best_peer is not None
    assert found.lower_bound_gap <= 1e-6
    handed = TINY[name].handed(True)
    assert not {"rows", "columns"} & vars(handed).keys()
    np.testing.assert_array_equal(handed.columns, TINY[name].columns)


def test_rows_come_back_from_their_file(tmp_path):
    rows, settings = [row("one", 0.1, 0.3), row("two", 0.1, None)], Settings(judge="optimum")
    save_rows(rows, settings, tmp_path / "new" / "rows.json")
    assert load_rows(tmp_path / "new" / "rows.json") == rows
    assert load_settings(tmp_path / "new" / "rows.json") == settings


def test_means_and_lost_rows():
    lost = row("missed", 0.1, 0.1)
    lost.fenchel.seconds, lost.fenchel.failure = [], "gap 1e-2"
    rows = [row("won", 0.1, 0.4), row("slow", 0.4, 0.1), row("alone", 0.1, None), lost]
    text = summary([*rows, row("other", 0.1, 0.9, "l2 hinge")])
    assert "Below 1: slow 1e-03 (0.25, peer), missed 1e-03 (gap 1e-2)." in text
    assert "Reached by no peer, in no mean: alone 1e-03 (ours 0.1 s)." in text
    means = {line.split("│")[1].strip(): line.split("│")[3:5] for line in text.splitlines() if "│" in line}
    assert [cell.strip() for cell in means["lasso, elastic net"]] == ["2", "1.00"]
    assert [cell.strip() for cell in means["l2 hinge"]] == ["1", "9.00"]
