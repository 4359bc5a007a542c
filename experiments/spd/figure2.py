"""Figure 2: logistic regression on colon, gisette-like and rcv1, with the lambda of the paper's Table 1."""

from __future__ import annotations

import numpy as np

from experiments.runner import Experiment, Summary
from experiments.spd.methods import compare, lines, plot
from experiments.spd.problems import real
from fenchel.losses import Logistic

__all__ = ["EXPERIMENT"]


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Compute the curves; generated data of such shapes unless ``full``."""
    seconds, passes = (12.0, 1000) if full else (0.3, 100)
    summary = compare(real(full), Logistic(), seconds, passes, rng)
    print("\n".join(lines(summary)))
    return summary


EXPERIMENT = Experiment(
    name="spd_figure2",
    description="Primal suboptimality of logistic regression on colon, gisette-like and rcv1.",
    run=run,
    plot=plot,
)
