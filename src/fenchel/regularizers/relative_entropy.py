"""The entropy relative to a prior, on the probability simplex."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from fenchel.errors import InvalidInputError
from fenchel.numerics.special import xlogx
from fenchel.regularizers.arguments import as_factor, as_weights
from fenchel.regularizers.by_value import RegularizerByValue
from fenchel.typing import FloatArray

__all__ = ["RelativeEntropy"]

ROUNDING = 1e-12
"""A sum that differs from 1 by this much is rounding."""


@dataclass(frozen=True, eq=False)
class RelativeEntropy(RegularizerByValue):
    r"""The relative entropy of coefficients that are the weights of a mean.

    .. math:: g(w) = \lambda \sum_j w_j \log \frac{w_j}{\pi_j}
              + \mathbb 1\Bigl[\,w \ge 0,\; \sum_j w_j = 1\,\Bigr], \qquad
              g^*(v) = \lambda \log \sum_j \pi_j e^{v_j / \lambda}

    It is zero at the prior and positive elsewhere. :meth:`lmo` is the softmax,
    :math:`w_j \propto \pi_j e^{-v_j/\lambda}`; the strong convexity is :math:`\lambda`, in the l1 norm and so
    in the Euclidean one. The sums run over the coefficients of all outputs, among which the prior of a
    feature is divided evenly.

    Parameters
    ----------
    prior : array-like of shape (n_features,), default None
        The weights :math:`\pi_j`, finite and > 0, divided by their sum; None means equal ones.
    strength : float, finite and > 0, default 1.0
        The factor :math:`\lambda`.

    Raises
    ------
    InvalidInputError
        If an argument is out of range; from :meth:`check`, if the prior has the wrong length.

    Notes
    -----
    Cost O(d k) exponentials or logarithms a call. Not separable, and without a cheap prox. Zero is not in
    the set.

    References
    ----------
    .. [1] J. Kivinen and M. K. Warmuth, "Exponentiated gradient versus gradient descent for linear
       predictors", Information and Computation 132(1), 1997.

    Examples
    --------
    >>> import numpy as np
    >>> entropy = RelativeEntropy(prior=[1.0, 3.0])
    >>> entropy.value(np.array([0.25, 0.75])), round(entropy.value(np.array([0.5, 0.5])), 6)
    (0.0, 0.143841)
    >>> entropy.lmo(np.array([0.0, np.log(3.0)]))
    array([0.5, 0.5])
    """

    name: ClassVar[str] = "relative_entropy"
    prior: npt.ArrayLike | None = None
    strength: float = 1.0

    def __post_init__(self) -> None:
        prior = as_weights(self, self.prior)
        if prior is not None and not np.all(prior > 0):
            raise InvalidInputError(
                "RelativeEntropy cannot use a prior with zeros: such a coefficient could only be zero. Leave "
                "the feature out."
            )
        self._store(prior=prior, strength=as_factor(self, "strength", self.strength))

    def check(self, n_features: int) -> None:
        if self.prior is not None and np.size(self.prior) != n_features:
            raise InvalidInputError(
                f"RelativeEntropy cannot use a prior of length {np.size(self.prior)} with {n_features} "
                f"features: there is one weight for each feature. Pass {n_features} weights."
            )

    def _log_prior(self, w: FloatArray) -> FloatArray:
        """The logarithms of the prior, in a form that goes with ``w``."""
        self.check(w.shape[0])
        weights = np.ones(w.shape[0]) if self.prior is None else np.asarray(self.prior)
        log_prior: FloatArray = np.log(weights / weights.sum()) - np.log(w[:1].size)
        return log_prior if w.ndim == 1 else log_prior[:, None]

    def value(self, w: FloatArray) -> float:
        with np.errstate(over="ignore"):
            if np.any(w < 0.0) or abs(float(w.sum()) - 1.0) > ROUNDING:
                return np.inf
        return self.strength * max(float(np.sum(xlogx(w) - w * self._log_prior(w))), 0.0)

    def conjugate(self, v: FloatArray) -> float:
        return self.strength * float(logsumexp(self._log_prior(v) + v / self.strength))

    def lmo(self, v: FloatArray) -> FloatArray:
        """The prior, tilted against v."""
        a = self._log_prior(v) - v / self.strength
        tilted = np.exp(a - a.max())
        result: FloatArray = tilted / tilted.sum()
        return result

    def strong_convexity(self, n_features: int) -> float:
        return self.strength
