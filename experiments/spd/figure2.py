"""Figure 2: logistic regression on colon, gisette-like and rcv1, with the lambda of the paper's Table 1."""

from __future__ import annotations

from experiments.runner import Experiment
from experiments.spd.methods import plot
from experiments.spd.real_data import curves_with
from fenchel.losses import Logistic

__all__ = ["EXPERIMENT"]

EXPERIMENT = Experiment(
    name="spd_figure2",
    description="Primal suboptimality of logistic regression on colon, gisette-like and rcv1.",
    run=curves_with(Logistic()),
    plot=plot,
)
