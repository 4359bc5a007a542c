"""The curves of all methods on the real data sets of the paper, for one loss."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from experiments.runner import Summary
from experiments.spd.methods import compare, lines
from experiments.spd.problems import real
from fenchel.losses import Loss

__all__ = ["curves_with"]


def curves_with(loss: Loss) -> Callable[[bool, np.random.Generator], Summary]:
    """Return the function that computes and prints them; generated data of such shapes unless ``full``."""

    def run(full: bool, rng: np.random.Generator) -> Summary:
        seconds, passes = (12.0, 1000) if full else (0.3, 100)
        summary = compare(real(full), loss, seconds, passes, rng)
        print("\n".join(lines(summary)))
        return summary

    return run
