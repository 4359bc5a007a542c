"""The ball of the group norm, with or without a group penalty inside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.numerics.projections import project_l1_ball
from fenchel.regularizers.arguments import as_groups, as_radius, as_strength
from fenchel.regularizers.grouped import GroupedRegularizer
from fenchel.typing import FloatArray

__all__ = ["GroupL2Ball"]

ROUNDING = 1e-12
"""A norm that exceeds the radius by this fraction is rounding, and counts as inside."""


@dataclass(frozen=True, eq=False)
class GroupL2Ball(GroupedRegularizer):
    r"""A budget for the sum of the Euclidean norms of groups of features, plus a penalty on that sum.

    .. math:: g(w) = \lambda \sum_G \|w_G\|_2 + \mathbb 1\Bigl[\,\sum_G \|w_G\|_2 \le r\,\Bigr], \qquad
              g^*(v) = r \max_G (\|v_G\|_2 - \lambda)_+

    The norm of a group runs over all outputs of its features: with one group a feature, a feature is used by
    all outputs or by none. The prox with step :math:`\eta` shrinks the norms by :math:`\eta\lambda` and
    projects them onto an l1 ball; :meth:`lmo` is
    :math:`-r v_G / \|v_G\|_2` on the first group of the largest norm if that exceeds :math:`\lambda`, else 0;
    the strong convexity is 0.

    Parameters
    ----------
    radius : float, finite and > 0
        The radius :math:`r`.
    groups : array-like of shape (n_features,), default None
        The label of the group of each feature, a number or a string; None makes each feature a group of its
        own, which matters for several outputs. Stored as a read-only array.
    l1 : float, finite and >= 0, default 0.0
        The factor :math:`\lambda`.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Notes
    -----
    Cost O(d k) a call; the prox also sorts the norms of the groups. Not separable, so that coordinate methods
    do not serve it. A point is inside when its norm is at most ``radius * (1 + 1e-12)``.

    References
    ----------
    .. [1] M. Yuan and Y. Lin, "Model selection and estimation in regression with grouped variables",
       Journal of the Royal Statistical Society B 68(1), 2006.
    .. [2] M. Jaggi, "Revisiting Frank-Wolfe: projection-free sparse convex optimization", Proceedings
       of the 30th International Conference on Machine Learning, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> ball = GroupL2Ball(radius=5.0, groups=[0, 0, 1])
    >>> ball.value(np.array([3.0, 4.0, 0.0])), ball.value(np.array([3.0, 4.0, 1.0]))
    (0.0, inf)
    >>> ball.conjugate(np.array([0.6, 0.8, -2.0])), ball.lmo(np.array([3.0, 4.0, 1.0]))
    (10.0, array([-3., -4.,  0.]))
    """

    name: ClassVar[str] = "group_l2_ball"
    is_set: ClassVar[bool] = True
    radius: float
    groups: npt.ArrayLike | None = None
    l1: float = 0.0

    def __post_init__(self) -> None:
        self._store(
            radius=as_radius(self, self.radius),
            groups=as_groups(self, self.groups),
            l1=as_strength(self, "l1", self.l1),
        )

    def value(self, w: FloatArray) -> float:
        norm = float(self.partition(w.shape[0]).norms(w).sum())
        return self.l1 * norm if norm <= self.radius * (1.0 + ROUNDING) else np.inf

    def conjugate(self, v: FloatArray) -> float:
        return self.radius * max(float(self.partition(v.shape[0]).norms(v).max()) - self.l1, 0.0)

    def conjugate_on_level(self, v: FloatArray, level: float) -> float:
        """On the level the norms sum to at most ``level / l1`` too."""
        reach = self.radius if self.l1 == 0.0 else min(self.radius, max(level, 0.0) / self.l1)
        return reach * max(float(self.partition(v.shape[0]).norms(v).max()) - self.l1, 0.0)

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        """Shrink every group as a whole, and then into the ball."""
        partition = self.partition(w.shape[0])
        norms = partition.norms(w)
        shrunk = np.maximum(norms - step * self.l1, 0.0)
        return partition.resized(w, norms, project_l1_ball(shrunk, self.radius))

    def lmo(self, v: FloatArray) -> FloatArray:
        """One group against its direction; zero when no norm exceeds ``l1``."""
        partition = self.partition(v.shape[0])
        norms = partition.norms(v)
        first = int(norms.argmax())
        if norms[first] <= self.l1:
            return np.zeros_like(v)
        return partition.only(first, v / norms[first] * -self.radius)
