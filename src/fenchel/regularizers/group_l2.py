"""The group lasso penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.errors import InvalidInputError
from fenchel.numerics.groups import Groups
from fenchel.regularizers.arguments import as_groups, as_strength, as_weights
from fenchel.regularizers.grouped import GroupedRegularizer
from fenchel.typing import FloatArray

__all__ = ["GroupL2"]

_ROUNDING = 1e-12
"""Scaled points are this much inside, because the norm of a scaled group rounds again."""


@dataclass(frozen=True, eq=False)
class GroupL2(GroupedRegularizer):
    r"""The sum of the Euclidean norms of groups of features: whole groups of zeros (group lasso).

    .. math:: g(w) = \lambda \sum_G \omega_G \|w_G\|_2, \qquad
              g^*(v) = \mathbb 1[\,\|v_G\|_2 \le \lambda \omega_G \text{ for all } G\,]

    The norm of a group runs over all outputs of its features: with one group a feature this is the penalty
    of the multi-task lasso. The prox with step :math:`\eta` shrinks the norm of each group by
    :math:`\eta\lambda\omega_G`, to zero at most; the strong convexity is 0.

    Parameters
    ----------
    strength : float, finite and >= 0
        The factor :math:`\lambda`.
    groups : array-like of shape (n_features,), default None
        The label of the group of each feature, a number or a string; None makes each feature a group of its
        own, which matters for several outputs. Stored as a read-only array.
    weights : array-like of shape (n_groups,), default None
        The factors :math:`\omega_G`, in the order of the sorted labels, finite and >= 0; None means 1. The
        square roots of the sizes of the groups make groups of different sizes equal. Zero leaves a
        group unpenalised.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Notes
    -----
    Cost O(d k) a call. Not separable, so that coordinate methods do not serve it.

    References
    ----------
    .. [1] M. Yuan and Y. Lin, "Model selection and estimation in regression with grouped variables",
       Journal of the Royal Statistical Society B 68(1), 2006.

    Examples
    --------
    >>> import numpy as np
    >>> penalty = GroupL2(strength=2.0, groups=["a", "a", "b"])
    >>> penalty.value(np.array([3.0, 4.0, 0.0]))
    10.0
    >>> penalty.prox(np.array([3.0, 4.0, 1.0]), 0.5)
    array([2.4, 3.2, 0. ])
    >>> penalty.conjugate(np.array([1.0, 1.0, -2.0])), penalty.conjugate(np.array([2.0, 1.0, 0.0]))
    (0.0, inf)
    """

    name: ClassVar[str] = "group_l2"
    strength: float
    groups: npt.ArrayLike | None = None
    weights: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        self._store(
            strength=as_strength(self, "strength", self.strength),
            groups=as_groups(self, self.groups),
            weights=as_weights(self, self.weights),
        )

    def check(self, n_features: int) -> None:
        super().check(n_features)
        count = n_features if self.groups is None else np.unique(np.asarray(self.groups)).size
        if self.weights is not None and np.size(self.weights) != count:
            raise InvalidInputError(
                f"GroupL2 cannot use {np.size(self.weights)} weights with {count} groups: there is one "
                f"weight for each group. Pass {count} weights, in the order of the sorted labels."
            )

    def _parts(self, n_features: int) -> tuple[Groups, FloatArray]:
        """The groups, and the factor of each one's norm."""
        groups = self.partition(n_features)
        weights = np.ones(groups.count) if self.weights is None else np.asarray(self.weights)
        return groups, self.strength * weights

    def value(self, w: FloatArray) -> float:
        groups, strengths = self._parts(w.shape[0])
        return float(strengths @ groups.norms(w))

    def conjugate(self, v: FloatArray) -> float:
        groups, strengths = self._parts(v.shape[0])
        return 0.0 if np.all(groups.norms(v) <= strengths) else np.inf

    def conjugate_domain(self, n_features: int) -> tuple[FloatArray, FloatArray]:
        """The box around the balls of the groups."""
        groups, strengths = self._parts(n_features)
        ends = strengths[groups.codes]
        return -ends, ends

    def conjugate_scale(self, v: FloatArray) -> float:
        groups, strengths = self._parts(v.shape[0])
        norms = groups.norms(v)
        outside = norms > strengths
        if not outside.any():
            return 1.0
        return float((strengths[outside] / norms[outside]).min()) * (1.0 - _ROUNDING)

    def gauge(self, v: FloatArray) -> float:
        """The largest norm of a group over its strength; groups without a penalty do not count."""
        groups, strengths = self._parts(v.shape[0])
        penalised = strengths > 0
        return float(np.max(groups.norms(v)[penalised] / strengths[penalised], initial=0.0))

    def conjugate_on_level(self, v: FloatArray, level: float) -> float:
        """On the level the penalised norms sum to at most it; a group without penalty is not held."""
        groups, strengths = self._parts(v.shape[0])
        norms = groups.norms(v)
        outside = norms > strengths
        if not outside.any():
            return 0.0
        if np.any(strengths[outside] == 0.0):
            return np.inf
        return max(level, 0.0) * float((norms[outside] / strengths[outside]).max() - 1.0)

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        """Shrink every group toward zero as a whole."""
        groups, strengths = self._parts(w.shape[0])
        norms = groups.norms(w)
        return groups.resized(w, norms, np.maximum(norms - step * strengths, 0.0))

    def lmo(self, v: FloatArray) -> FloatArray:
        """Zero inside the dual domain; outside it there is no minimiser, and the entries are infinite."""
        groups, strengths = self._parts(v.shape[0])
        far = groups.spread(np.where(groups.norms(v) > strengths, np.inf, 0.0), v)
        return np.where((far > 0) & (v != 0), -np.copysign(far, v), 0.0)
