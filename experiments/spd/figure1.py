"""Figure 1: logistic regression on synthetic data, n = 1000, d from 100 to 10,000, lambda = 1e-3."""

from __future__ import annotations

import numpy as np

from experiments.runner import Experiment, Summary
from experiments.spd.methods import compare, lines, plot
from experiments.spd.problems import synthetic
from fenchel.losses import Logistic

__all__ = ["EXPERIMENT"]

STRENGTH = 1e-3


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Compute the curves; a tenth of the rows and columns unless ``full``."""
    n, widths = (1000, (100, 1000, 10_000)) if full else (100, (10, 100, 1000))
    seconds, passes = (8.0, 1000) if full else (0.3, 100)
    datasets = (synthetic(n, d, STRENGTH, rng) for d in widths)
    summary = compare(datasets, Logistic(), seconds, passes, rng)
    print("\n".join(lines(summary)))
    return summary


EXPERIMENT = Experiment(
    name="spd_figure1",
    description="Primal suboptimality on synthetic data of three widths: SPD1, SPD1-VR and baselines.",
    run=run,
    plot=plot,
)
