"""Figure 3 (Appendix B): the squared hinge on colon, gisette-like and rcv1, lambda as in Table 1."""

from __future__ import annotations

from experiments.runner import Experiment
from experiments.spd.methods import plot
from experiments.spd.real_data import curves_with
from fenchel.losses import SquaredHinge

__all__ = ["EXPERIMENT"]

EXPERIMENT = Experiment(
    name="spd_figure3",
    description="Primal suboptimality of the squared hinge on colon, gisette-like and rcv1.",
    run=curves_with(SquaredHinge()),
    plot=plot,
)
