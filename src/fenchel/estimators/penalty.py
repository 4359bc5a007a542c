"""From the penalty parameters of an estimator to one regularizer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from fenchel.design import Design, column_scales
from fenchel.errors import InvalidInputError
from fenchel.losses import Loss
from fenchel.problem.problem import Problem
from fenchel.regularizers import Regularizer, SeparableRegularizer, make_regularizer
from fenchel.regularizers.standardized import Standardized
from fenchel.typing import FloatArray

__all__ = ["DEFAULT_L2", "Penalty"]

DEFAULT_L2 = 1e-4
"""The l2 where no penalty was given at all."""

_SHARE = re.compile(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)?\s*\*?\s*max\s*")


@dataclass(frozen=True, eq=False)
class Penalty:
    """The penalty parameters, as the user gave them."""

    l1: float | str = 0.0
    l2: float | None = 0.0
    regularizer: Regularizer | None = None
    penalty_weights: npt.ArrayLike | None = None
    lower: npt.ArrayLike | None = None
    upper: npt.ArrayLike | None = None
    standardize: bool = False

    @classmethod
    def of(cls, parameters: dict[str, Any]) -> Penalty:
        """Pick the penalty out of the parameters of an estimator; one that it lacks has its default."""
        names = {field.name for field in fields(cls)}
        penalty = cls(**{name: value for name, value in parameters.items() if name in names})
        penalty._check()
        return penalty

    def resolve(
        self,
        design: Design,
        loss: Loss,
        targets: Iterable[FloatArray],
        sample_weight: FloatArray,
        fit_intercept: bool,
    ) -> Regularizer:
        """Return the regularizer; an ``l1`` relative to the maximum is made a number.

        With several targets the maximum is taken over all of them: at ``l1="1max"`` every coefficient
        is zero.
        """
        scales = None
        if self.standardize:
            scales = column_scales(design, sample_weight, centred=fit_intercept)
            scales = np.where(scales > 0, scales, 1.0)
        share = self._share()
        if share is None:
            return self._make(float(self.l1), scales)
        if share == 0:
            return self._make(0.0, scales)
        unit = self._make(1.0, scales)
        strengths = (
            Problem(design, b, loss, unit, sample_weight, fit_intercept).zero_solution_strength()
            for b in targets
        )
        strength = max(strengths, default=0.0)
        return self._make(share * strength, scales)

    def _make(self, l1: float, scales: FloatArray | None) -> Regularizer:
        penalty = self.regularizer
        if penalty is None:
            l2 = self.l2
            if l2 is None:
                l2 = 0.0 if self.l1 else DEFAULT_L2
            penalty = make_regularizer(
                l1, l2, weights=self.penalty_weights, lower=self.lower, upper=self.upper
            )
        if scales is None:
            return penalty
        if not isinstance(penalty, SeparableRegularizer):
            raise InvalidInputError(
                f"standardize=True cannot be used with {type(penalty).__name__}: it is not a sum over "
                "coordinates. Scale the columns, for instance with StandardScaler."
            )
        return Standardized(penalty, scales)

    def _share(self) -> float | None:
        """The factor of an ``l1`` such as "0.05max"; None for a number."""
        if not isinstance(self.l1, str):
            return None
        match = _SHARE.fullmatch(self.l1)
        try:
            return float(match[1] or 1.0) if match else float("nan")
        except ValueError:
            return float("nan")

    def _check(self) -> None:
        share = self._share()
        _check_strength("l1", self.l1 if share is None else share, self.l1, ", or a string such as '0.05max'")
        if self.l2 is not None:
            _check_strength("l2", self.l2, self.l2, "")
        if self.regularizer is None:
            return
        if not isinstance(self.regularizer, Regularizer):
            raise InvalidInputError(
                f"regularizer={self.regularizer!r} is not a Regularizer. Pass an instance from "
                "fenchel.regularizers, or None and use l1 and l2."
            )
        given = [name for name in ("penalty_weights", "lower", "upper") if getattr(self, name) is not None]
        given += ["l1"] * (self.l1 != 0.0) + ["l2"] * (self.l2 not in (None, 0.0))
        if given:
            raise InvalidInputError(
                f"regularizer={self.regularizer!r} was given together with {', '.join(given)}: the "
                "regularizer holds the whole penalty. Pass one or the other."
            )


def _check_strength(name: str, value: object, given: object, more: str) -> None:
    if not isinstance(value, Real) or not 0 <= float(value) < np.inf:
        raise InvalidInputError(
            f"{name}={given!r} is not a penalty strength. Pass a finite number >= 0{more}."
        )
