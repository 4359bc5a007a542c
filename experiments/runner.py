"""What an experiment is, how the experiments are found, and how one is run."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import numpy as np

import experiments

__all__ = ["Experiment", "Summary", "discover", "run_experiment"]

Summary = dict[str, Any]
"""What an experiment found, in the types of JSON."""

_NOT_EXPERIMENTS = ("experiments.__main__", "experiments.runner")


@dataclass(frozen=True)
class Experiment:
    """A question that a computation answers.

    Attributes
    ----------
    name : the folder of the paper and the table or figure, or the name of the module alone.
    description : one line for the list.
    run : ``run(full, rng)`` computes the summary; small sizes, a few seconds, unless ``full``.
    plot : ``plot(summary, folder)`` draws the summary and returns the files; needs matplotlib.
    seed : of the generator that ``run`` gets, its only source of randomness.
    """

    name: str
    description: str
    run: Callable[[bool, np.random.Generator], Summary]
    plot: Callable[[Summary, Path], list[Path]]
    seed: int = 0


def discover() -> dict[str, Experiment]:
    """Import every module below this package, and return the ones that define EXPERIMENT, by name."""
    found: dict[str, Experiment] = {}
    for module in walk_packages(experiments.__path__, "experiments."):
        if module.name in _NOT_EXPERIMENTS:
            continue
        experiment = getattr(import_module(module.name), "EXPERIMENT", None)
        if experiment is None:
            continue
        if experiment.name in found:
            raise ValueError(f"two experiments have the name {experiment.name!r}: see {module.name}")
        found[experiment.name] = experiment
    return found


def run_experiment(experiment: Experiment, full: bool, results: Path) -> Path:
    """Run, write ``summary.json`` and the plots into ``results``/name, and return that folder."""
    folder = results / experiment.name
    folder.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    summary = experiment.run(full, np.random.default_rng(experiment.seed))
    document = {
        "experiment": experiment.name,
        "description": experiment.description,
        "full": full,
        "seed": experiment.seed,
        "seconds": round(time.perf_counter() - start, 3),
        "versions": {name: version(name) for name in ("fenchel", "numpy", "scipy", "scikit-learn")},
        "python": platform.python_version(),
        **summary,
    }
    (folder / "summary.json").write_text(json.dumps(document, indent=1, allow_nan=False) + "\n")
    if find_spec("matplotlib") is not None:
        experiment.plot(summary, folder)
    return folder
