"""The table of times: every solver and peer that serves a problem is in it, with a ratio or a reason."""

import io

import numpy as np
import pytest
from rich.console import Console

from benchmarks import dgpd_times
from benchmarks.dgpd_times import Classes, compare_times, tiny


def printed(monkeypatch, parts: str, classes: Classes) -> str:
    monkeypatch.setattr(dgpd_times, "PEERS", [peer for peer in dgpd_times.PEERS if peer.name == "liblinear"])
    stream = io.StringIO()
    compare_times(Console(file=stream, width=250), 1, parts, [classes])
    return stream.getvalue()


def test_all_tables_have_every_case(monkeypatch):
    text = printed(monkeypatch, "abc", tiny())
    lines = [line for line in text.splitlines() if "tiny" in line]
    assert len(lines) == 2 * (1 + 5 + 6)
    assert sum("needs an l2 part" in line for line in lines) == 8
    assert sum("liblinear" in line for line in lines) == 8
    for heading in ("AS+", "switch", "auto", "SDCA", "PrimalRCD"):
        assert heading in text


def test_a_solver_that_misses_the_target_is_named_with_its_gap(monkeypatch):
    monkeypatch.setattr(dgpd_times, "LIMIT", 1e-9)
    assert "gap " in printed(monkeypatch, "a", tiny())


def test_the_strengths_are_those_of_the_sum():
    classes = tiny()
    case = next(dgpd_times._cases(classes, "a"))
    form, n = case.problem().coordinate_form, len(classes.labels)
    np.testing.assert_allclose([form.l1[0], form.l2[0]], [0.1 / n, 0.01 / n])


def test_stored_classes_are_those_of_the_rows():
    try:
        classes = dgpd_times._stored()["RCV1 topic sets"]()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    sizes = [int((b > 0).sum()) for _, b in classes.targets()]
    assert classes.labels.shape == (classes.A.shape[0],)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] >= 10


def test_absent_data_are_named(monkeypatch, tmp_path):
    monkeypatch.setenv("FENCHEL_DATA", str(tmp_path))
    stream = io.StringIO()
    compare_times(Console(file=stream, width=250), 1, "a")
    for name in ("Mnist-RB", "RCV1 topic sets", "news20", "clinc150"):
        assert f"{name} is skipped" in stream.getvalue()
