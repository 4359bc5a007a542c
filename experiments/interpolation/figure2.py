"""Figure 2: mistakes of the methods on the sparse data against passes, under the lp norm with p near 1.

The same methods with p = 1 + 1/log d. There the curvature that bounds a step is far from the one that a step
meets, which is why a Newton step along the row does what acceleration does not.
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
    "perceptron, hinge": Perceptron(margin=1.0),
    "primal SMD": PrimalMirrorDescent(),
    "dual ascent": DualAscent(sampling="uniform", newton_trials=0, rescaling=False),
    "accelerated": AcceleratedDualAscent(sampling="uniform", restart_passes=NEVER),
    "one Newton step": DualAscent(sampling="uniform", newton_trials=1, rescaling=False),
    "Newton, rescaled": DualAscent(),
}
STORED: Stored = {
    "primal SMD": {
        1: (338, 351), 5: (323, 313), 10: (286, 293), 20: (247, 243), 30: (219, 224), 60: (180, 190),
    },
    "dual ascent": {1: (308, 319), 5: (186, 197), 10: (145, 151), 20: (85, 107), 30: (72, 86), 60: (35, 57)},
    "accelerated": {1: (307, 316), 5: (166, 182), 10: (91, 119), 20: (35, 66), 30: (15, 48), 60: (3, 33)},
    "one Newton step": {1: (282, 298), 5: (30, 68), 10: (3, 40), 20: (0, 34), 60: (0, 37)},
}  # fmt: skip


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Follow all methods; small draws unless ``full``. Every draw has a seed of its own."""
    summary = compare("sparse", METHODS, STORED, full)
    found = [
        earlier(summary, "dual ascent", "primal SMD", 20),
        earlier(summary, "accelerated", "dual ascent", 20),
        earlier(summary, "one Newton step", "accelerated", 20),
        earlier(summary, "dual ascent", "perceptron", 20),
        like_stored(summary, STORED),
    ]
    return with_claims(summary, found)


def plot(summary: Summary, folder: Path) -> list[Path]:
    """Draw the mistakes."""
    return plot_mistakes(summary, folder, "figure2")


EXPERIMENT = Experiment(
    name="interpolation_figure2",
    description="Mistakes against passes under the lp norm near l1: primal and dual methods, Newton steps.",
    run=run,
    plot=plot,
)
