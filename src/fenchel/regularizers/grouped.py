"""The common part of the regularizers that sum the Euclidean norms of groups of features."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from fenchel.errors import InvalidInputError
from fenchel.numerics.groups import Groups
from fenchel.regularizers.by_value import RegularizerByValue

__all__ = ["GroupedRegularizer"]


class GroupedRegularizer(RegularizerByValue):
    """A concrete class has a field ``groups``: one label a feature, or None for a group a feature."""

    groups: npt.ArrayLike | None

    def partition(self, n_features: int) -> Groups:
        """The groups, numbered in the order of their sorted labels."""
        self.check(n_features)
        return Groups(np.arange(n_features), n_features) if self.groups is None else self._labelled

    @cached_property
    def _labelled(self) -> Groups:
        labels, codes = np.unique(np.asarray(self.groups), return_inverse=True)
        return Groups(codes.astype(np.int64), labels.size)

    def check(self, n_features: int) -> None:
        if self.groups is not None and np.size(self.groups) != n_features:
            raise InvalidInputError(
                f"{type(self).__name__} cannot use {np.size(self.groups)} group labels with {n_features} "
                f"features: there is one label for each feature. Pass {n_features} labels."
            )

    def strong_convexity(self, n_features: int) -> float:
        return 0.0
