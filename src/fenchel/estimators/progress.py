"""A progress bar on stderr for a run of the driver."""

from __future__ import annotations

import math
from types import TracebackType
from typing import TYPE_CHECKING

from fenchel.driver.stopping import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

__all__ = ["ProgressBar"]

_SMALLEST = 1e-16


class ProgressBar:
    """A bar that fills as the relative gap falls from its first value to the tolerance.

    Parameters
    ----------
    tolerance : float
        The relative gap at which the bar is full.
    title : str, default ""
        What stands before the bar.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import L1
    >>> problem = Problem(np.eye(2), [3.0, 1.0], Squared(), L1(0.75))
    >>> with ProgressBar(1e-6) as bar:
    ...     result = solve(problem, callback=bar.callback)
    >>> result.status.solved
    True
    """

    def __init__(self, tolerance: float, title: str = "") -> None:
        self.tolerance = max(tolerance, _SMALLEST)
        self.title = title
        self._first: float | None = None
        self._display: RichProgress | None = None

    def __enter__(self) -> ProgressBar:
        # Imported here: a fit without a bar does not pay for it.
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._display = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[passes]:.0f} passes  gap {task.fields[gap]:.1e}"),
            TextColumn("{task.fields[seconds]:.1f} s"),
            console=Console(stderr=True),
        )
        self._task = self._display.add_task(self.title, total=1.0, passes=0.0, gap=math.inf, seconds=0.0)
        self._display.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._display is not None
        self._display.stop()

    def callback(self, progress: Progress) -> None:
        """Show a record of the run; the driver calls it after every certificate."""
        assert self._display is not None
        gap = progress.certificate.relative_gap
        self._display.update(
            self._task,
            completed=self._share(gap),
            passes=progress.passes,
            gap=gap,
            seconds=progress.seconds,
        )

    def _share(self, gap: float) -> float:
        """How much of the way from the first gap to the tolerance is done, in digits."""
        if gap <= self.tolerance:
            return 1.0
        if self._first is None:
            self._first = gap
        if not math.isfinite(gap) or not math.isfinite(self._first) or self._first <= self.tolerance:
            return 0.0
        share = math.log(self._first / gap) / math.log(self._first / self.tolerance)
        return min(max(share, 0.0), 1.0)
