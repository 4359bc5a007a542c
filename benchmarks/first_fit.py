"""How long the first fit of a fresh process takes, imports and compilation included."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_breast_cancer

__all__ = ["PROGRAMS", "first_fit"]

_START = "import numpy\nwith numpy.load({data!r}) as data: X, y = data['X'], data['y']\n"
PROGRAMS = {
    "nothing": "",
    "scikit-learn, l2": "from sklearn.linear_model import LogisticRegression\nLogisticRegression().fit(X, y)",
    "fenchel, l2": "from fenchel import LogisticRegression\nLogisticRegression(l2=1 / len(y)).fit(X, y)",
    "fenchel, l1": "from fenchel import LogisticRegression\nLogisticRegression(l1=0.01, l2=0.0).fit(X, y)",
    "celer, l1": "from celer import LogisticRegression\nLogisticRegression(C=100 / len(y)).fit(X, y)",
    "skglm, l1": "from skglm import SparseLogisticRegression\nSparseLogisticRegression(alpha=0.01).fit(X, y)",
}
"""What each fresh process does after it has read the arrays X and y."""


def first_fit(
    repeats: Annotated[int, typer.Option(min=1, help="Fresh processes of each library.")] = 5,
    skip: Annotated[list[str] | None, typer.Option(help="Start of the name of a program.")] = None,
) -> None:
    """Time the first fit in a fresh process, on 569 x 30 data (standardised)."""
    console = Console(width=None if Console().is_terminal else 160)
    names = [name for name in PROGRAMS if not any(name.startswith(start) for start in skip or [])]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.npz"
        X, y = load_breast_cancer(return_X_y=True)
        np.savez(data, X=(X - X.mean(axis=0)) / X.std(axis=0), y=y)
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
        # The first round reads the files into memory and writes the compiled modules: it does not count.
        for turn in range(1 + repeats):
            for name in names:
                seconds = in_fresh_process(_START.format(data=str(data)) + PROGRAMS[name], Path(folder))
                if turn:
                    taken[name].append(seconds)
    table = Table(title="First fit in a fresh process, seconds (medians)")
    for heading in ("program", "wall", "CPU", "least CPU", "CPU beyond scikit-learn"):
        table.add_column(heading, justify="left" if heading == "program" else "right")
    theirs = _median(taken.get("scikit-learn, l2", []), 1)
    for name, pairs in taken.items():
        cpu = _median(pairs, 1)
        least = min(pair[1] for pair in pairs)
        table.add_row(name, f"{_median(pairs, 0):.3f}", f"{cpu:.3f}", f"{least:.3f}", f"{cpu - theirs:+.3f}")
    console.print(table)


def in_fresh_process(program: str, folder: Path) -> tuple[float, float]:
    """Run a program in a new interpreter; return its wall and its CPU seconds, start and end included.

    The bytecode of all modules is kept in the folder, as that of installed ones is.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(folder)
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", program], stdout=subprocess.DEVNULL, env=environment
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"the program ended with exit code {process.returncode}: {program}")
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime


def _median(pairs: list[tuple[float, float]], place: int) -> float:
    return statistics.median(pair[place] for pair in pairs) if pairs else float("nan")
