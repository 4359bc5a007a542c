"""Figure 1: mistakes of the methods on the l2 data against passes.

Primal and dual methods for the smallest l2 norm with all rows at a margin of 1. The accelerated method is the
corrected Algorithm 2, whose output is its first sequence, without restarts and with them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from experiments.interpolation.mistakes import (
    Stored,
    compare,
    earlier,
    like_stored,
    plot_mistakes,
    with_claims,
)
from experiments.runner import Experiment, Summary
from fenchel import AcceleratedDualAscent, DualAscent, Perceptron, PrimalMirrorDescent

__all__ = ["EXPERIMENT"]

NEVER = 10**9
METHODS = {
    "perceptron": Perceptron(),
    "primal SGD": PrimalMirrorDescent(),
    "dual ascent": DualAscent(sampling="uniform", rescaling=False),
    "dual ascent, shuffled": DualAscent(rescaling=False),
    "accelerated": AcceleratedDualAscent(sampling="uniform", restart_passes=NEVER),
    "accelerated, restarts": AcceleratedDualAscent(),
}
STORED: Stored = {
    "perceptron": {1: (200, 211), 5: (129, 168), 10: (127, 158), 20: (45, 115), 30: (4, 98), 60: (0, 100)},
    "primal SGD": {1: (175, 187), 5: (93, 146), 10: (69, 128), 20: (58, 128), 30: (25, 112), 60: (6, 107)},
    "dual ascent": {1: (239, 238), 5: (47, 118), 10: (33, 117), 20: (21, 117), 30: (6, 100), 60: (1, 100)},
    "accelerated": {1: (235, 235), 5: (40, 115), 10: (13, 103), 20: (1, 101), 30: (0, 97), 60: (0, 98)},
}


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Follow all methods; small draws unless ``full``. Every draw has a seed of its own."""
    summary = compare("l2", METHODS, STORED, full)
    found = [
        earlier(summary, "dual ascent", "primal SGD", 20),
        earlier(summary, "accelerated", "dual ascent", 10),
        earlier(summary, "accelerated", "primal SGD", 10),
        earlier(summary, "accelerated", "perceptron", 10),
        like_stored(summary, STORED),
    ]
    return with_claims(summary, found)


def plot(summary: Summary, folder: Path) -> list[Path]:
    """Draw the mistakes."""
    return plot_mistakes(summary, folder, "figure1")


EXPERIMENT = Experiment(
    name="interpolation_figure1",
    description="Mistakes against passes: perceptron, primal SGD, dual ascent under the l2 norm.",
    run=run,
    plot=plot,
)
