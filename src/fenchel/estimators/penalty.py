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
from fenchel.regularizers import Regularizer, Separable, SeparableRegularizer, make_regularizer
from fenchel.regularizers.penalised import is_penalised, penalised
from fenchel.regularizers.standardized import Standardized
from fenchel.typing import FloatArray

__all__ = ["DEFAULT_L2", "Penalty"]

DEFAULT_L2 = 1e-4
"""The l2 where no penalty was given at all."""

_SILENT = (("l1", 0.0), ("l2", 0.0))

_SHARE = re.compile(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)?\s*\*?\s*max\s*")


@dataclass(frozen=True, eq=False)
class Penalty:
    """The parameters of the penalty and of the constraint, as the user gave them.

    ``penalty`` stands in place of l1, l2 and penalty_weights, ``constraint`` in place of lower and upper.
    """

    l1: float | str = 0.0
    l2: float | None = 0.0
    penalty_weights: npt.ArrayLike | None = None
    penalty: Regularizer | None = None
    lower: npt.ArrayLike | None = None
    upper: npt.ArrayLike | None = None
    constraint: Regularizer | None = None
    standardize: bool = False

    @classmethod
    def of(cls, parameters: dict[str, Any]) -> Penalty:
        """Pick the penalty out of the parameters of an estimator; one that it lacks has its default."""
        names = {field.name for field in fields(cls)}
        penalty = cls(**{name: value for name, value in parameters.items() if name in names})
        penalty._check()
        return penalty

    @staticmethod
    def parameters(regularizer: Regularizer) -> dict[str, Regularizer]:
        """The parameter of an estimator that gives the regularizer again."""
        return {"constraint" if regularizer.is_set else "penalty": regularizer}

    @property
    def separable(self) -> bool:
        """Whether both are sums over coefficients."""
        return all(item is None or isinstance(item, Separable) for item in (self.penalty, self.constraint))

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
        whole = self._whole(l1)
        if scales is None:
            return whole
        if not isinstance(whole, SeparableRegularizer):
            raise InvalidInputError(
                f"standardize=True cannot be used with {type(whole).__name__}: it is not a sum over "
                "coordinates. Scale the columns, for instance with StandardScaler."
            )
        return Standardized(whole, scales)

    def _whole(self, l1: float) -> Regularizer:
        """The sum of the penalty and the indicator of the set."""
        penalty, constraint = self.penalty, self.constraint
        if penalty is None:
            penalty = make_regularizer(l1, self._default_l2(), weights=self.penalty_weights)
        if constraint is None:
            if self.lower is None and self.upper is None:
                return penalty
            constraint = make_regularizer(lower=self.lower, upper=self.upper)
        whole = penalised(constraint, penalty)
        if whole is None:
            raise InvalidInputError(
                f"{self._named('constraint', 'lower', 'upper')} cannot be combined with "
                f"{self._named('penalty', 'l1', 'l2', 'penalty_weights')}. Bounds take an elastic net; "
                "L1Ball and SolidSimplex take l1, L2Ball takes l2, GroupL2Ball a GroupL2 of its groups, all "
                "without weights; the other sets take no penalty. Leave one of the two out."
            )
        return whole

    def _default_l2(self) -> float:
        if self.l2 is not None:
            return self.l2
        return 0.0 if self.l1 or self.constraint is not None else DEFAULT_L2

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
        self._check_instance("penalty", "l1", "l2", "penalty_weights")
        self._check_instance("constraint", "lower", "upper")
        constraint = self.constraint
        if constraint is None:
            return
        if is_penalised(constraint) and self._given("penalty", "l1", "l2", "penalty_weights"):
            raise InvalidInputError(
                f"constraint={constraint!r} has a penalty inside, and there is also "
                f"{self._named('penalty', 'l1', 'l2', 'penalty_weights')}. Give the penalty once."
            )
        if share is not None and not isinstance(constraint, Separable):
            raise InvalidInputError(
                f"l1={self.l1!r} cannot be used with constraint={constraint!r}: the strength at which every "
                "coefficient is zero is known for bounds alone. Pass l1 as a number."
            )

    def _check_instance(self, name: str, *replaced: str) -> None:
        """Check the parameter that is an instance, and that nothing is given which it replaces."""
        value = getattr(self, name)
        if value is None:
            return
        if not isinstance(value, Regularizer):
            raise InvalidInputError(
                f"{name}={value!r} is not a Regularizer. Pass an instance from fenchel.regularizers, or None "
                f"and use {' and '.join(replaced[:2])}."
            )
        other = "constraint" if value.is_set else "penalty"
        if other != name:
            what = "a set" if value.is_set else "not a set"
            raise InvalidInputError(f"{name}={value!r} is {what}. Pass it as {other}.")
        if self._given(*replaced):
            raise InvalidInputError(
                f"{name}={value!r} was given together with {self._named(*replaced)}: it holds the whole "
                f"{name}. Pass one or the other."
            )

    def _given(self, *names: str) -> list[str]:
        """Those that say something."""
        values = ((name, getattr(self, name)) for name in names)
        return [name for name, value in values if value is not None and (name, value) not in _SILENT]

    def _named(self, *names: str) -> str:
        """Those that say something, with their values where these are short."""
        values = {name: getattr(self, name) for name in self._given(*names)}
        return ", ".join(name if np.ndim(value) else f"{name}={value!r}" for name, value in values.items())


def _check_strength(name: str, value: object, given: object, more: str) -> None:
    if not isinstance(value, Real) or not 0 <= float(value) < np.inf:
        raise InvalidInputError(
            f"{name}={given!r} is not a penalty strength. Pass a finite number >= 0{more}."
        )
