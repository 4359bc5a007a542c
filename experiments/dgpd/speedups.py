"""What a method needed to an accuracy, and how many times more another one needed.

A run is a summary of one problem: ``run["methods"][name]`` holds, for every axis, what the method needed
to each accuracy (None where it did not get there) and what it spent in all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Ratio", "geometric_mean", "method_of", "ratio"]

Run = dict[str, Any]


@dataclass(frozen=True)
class Ratio:
    """A quotient; "at least" or "at most" where one of the two did not get there and its whole run counts."""

    value: float
    bound: str = ""

    @property
    def proven(self) -> float:
        """The value, or 0 where only an upper bound is known."""
        return 0.0 if self.bound == "at most" else self.value

    def __str__(self) -> str:
        digits = ".1f" if self.value >= 1 else ".2g"
        return f"{self.bound} {self.value:{digits}}".strip()

    def as_dict(self) -> dict[str, object]:
        """Return the ratio in the types of JSON."""
        return asdict(self)


def method_of(
    objective: npt.NDArray[np.float64], axes: Mapping[str, Sequence[float]], accuracies: Iterable[float]
) -> dict[str, Any]:
    """Summarise the curve of one method, whose objective never rises."""
    first = {f"{accuracy:g}": np.flatnonzero(objective <= accuracy) for accuracy in accuracies}
    return {
        axis: {
            "needed": {key: float(values[k[0]]) if k.size else None for key, k in first.items()},
            "spent": float(values[-1]),
        }
        for axis, values in axes.items()
    }


def ratio(run: Run, axis: str, accuracy: float, theirs: Sequence[str], ours: str) -> Ratio | None:
    """Return what the best of ``theirs`` needed over what ``ours`` needed; None where no one got there."""
    key, methods = f"{accuracy:g}", run["methods"]
    needed = [methods[name][axis]["needed"][key] for name in theirs]
    reached = [value for value in needed if value is not None]
    own = methods[ours][axis]["needed"][key]
    if own is None:
        return Ratio(min(reached) / methods[ours][axis]["spent"], "at most") if reached else None
    if reached:
        return Ratio(min(reached) / own)
    return Ratio(min(methods[name][axis]["spent"] for name in theirs) / own, "at least")


def geometric_mean(ratios: Sequence[Ratio]) -> Ratio:
    """Return the geometric mean, whose bound is that of its parts; "about" where they differ."""
    bounds = {part.bound for part in ratios if part.bound}
    mean = float(np.exp(np.mean([np.log(part.value) for part in ratios])))
    return Ratio(mean, bounds.pop() if len(bounds) == 1 else "about" if bounds else "")
