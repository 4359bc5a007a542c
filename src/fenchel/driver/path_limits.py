"""When a path has gone far enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fenchel.driver.path_result import PathPoint

__all__ = ["PathLimits"]


@dataclass(frozen=True)
class PathLimits:
    r"""Rules that end a path early; the defaults are those of glmnet.

    With :math:`R_k` the explained deviance at strength k, the path ends after the point k where

    .. math:: R_k > R_{\max}, \qquad R_k - R_{k-1} < \epsilon R_k, \qquad
              \text{or more than so many coefficients are not zero.}

    Parameters
    ----------
    explained : float, default 0.999
        The explained deviance from which on nothing is left to explain.
    gain : float, default 1e-5
        The smallest share by which the explained deviance must grow from one strength to the next.
    nonzeros : int, optional
        The most non-zero coefficients.
    fewest : int, default 5
        Points that are computed in any case, for the first two rules.

    References
    ----------
    J. Friedman, T. Hastie, R. Tibshirani, Regularization paths for generalized linear models via coordinate
    descent, Journal of Statistical Software 33(1), 2010; ``glmnet.control`` (devmax, fdev, mnlam) and dfmax.
    """

    explained: float = 0.999
    gain: float = 1e-5
    nonzeros: int | None = None
    fewest: int = 5

    def reached(self, points: Sequence[PathPoint]) -> str | None:
        """Say which rule the last point meets; None when the path goes on."""
        last = points[-1]
        if self.nonzeros is not None and last.nonzeros > self.nonzeros:
            return f"more than {self.nonzeros} coefficients are not zero"
        if len(points) < max(self.fewest, 2):
            return None
        if last.explained > self.explained:
            return f"the explained deviance is above {self.explained:g}"
        if last.explained - points[-2].explained < self.gain * last.explained:
            return f"the explained deviance grew by less than a share of {self.gain:g}"
        return None
