"""The search for the product of the step sizes, from gaps that cost nothing.

The product is doubled after a window of snapshots, as long as that makes the gap fall faster; the first
doubling that does not is taken back, and is the last. A gap far above the best one is a sign that the steps
are too long: back to the best points, with a quarter of the product. The same without going back when the
best gap has not been beaten for long. A gap may rise for a while without harm, because the points go round
the saddle point while they approach it, the more often the slower they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log

from fenchel.solvers.base import State

__all__ = ["SearchState", "Verdict"]

_GROWTH = 2.0
_FAST = 1.0
"""A contraction that longer steps need not improve."""
_RELAXATION = 1.3
"""Growth of the limit in a window: noise may have taken back a doubling that was good."""
_FALL = 4.0
_TOLERATED = 5.0
"""How many times the best gap is still no divergence."""
_WINDOW = 8.0
_PATIENCE = 5.0
_TINY = 1e-300


@dataclass
class Verdict:
    """What to do with the points of a snapshot."""

    better: bool
    """They are the best so far."""
    diverged: bool
    """They should be given up for the best."""


@dataclass
class SearchState(State):
    """The product, its limit, and the gaps in the game that is being played.

    The product never exceeds ``largest``. ``gap`` is the best one, ``last_gap`` the latest; ``since`` counts
    the snapshots without a new best. ``window`` snapshots have lowered the logarithm of the gap by ``fall``;
    before the last growth the rate was ``last_rate``.
    """

    rho: float
    limit: float
    largest: float
    gap: float
    last_gap: float
    since: int
    window: int
    fall: float
    last_rate: float

    def judge(self, gap: float, contraction: float, rounding: float) -> Verdict:
        """Take the gap of a snapshot, adapt the product, and say what to do with the points."""
        better, turn = gap < self.gap, 1.0 / max(contraction, _TINY)
        self.since = 0 if better else self.since + 1
        diverged = not gap <= max(_TOLERATED * self.gap, rounding)
        if diverged or (self.since > _PATIENCE + 3.0 * turn and gap > rounding):
            self.limit = self.rho / _GROWTH
            self.rho /= _FALL
            self.last_rate = -inf
            self.since = 0
            self._open_window(self.gap if diverged else gap)
            return Verdict(better=False, diverged=diverged)
        self.gap = min(self.gap, gap)
        self.fall += log(max(self.last_gap, _TINY) / max(gap, _TINY))
        self.window += 1
        self.last_gap = gap
        if self.window >= _WINDOW + turn:
            self._compare(self.fall / self.window, contraction < _FAST)
            self._open_window(gap)
        return Verdict(better=better, diverged=False)

    def restart(self, gap: float) -> None:
        """Go on in another game, where the points have this gap."""
        self.gap = self.last_gap = gap
        self.since = 0

    def _compare(self, rate: float, slow: bool) -> None:
        self.limit *= _RELAXATION
        if rate <= self.last_rate:
            self.rho /= _GROWTH
            self.limit = self.rho
            self.last_rate = -inf
        elif slow and rate > 0 and _GROWTH * self.rho <= min(self.limit, self.largest):
            self.rho *= _GROWTH
            self.last_rate = rate
        else:
            self.last_rate = -inf

    def _open_window(self, gap: float) -> None:
        self.last_gap, self.window, self.fall = gap, 0, 0.0
