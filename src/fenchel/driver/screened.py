r"""The steps of a path that solve on few candidates, and prove that no other feature is missing.

With v = A'(s u)/n known in full at the dual point u of the strength :math:`t'`, the candidates at
:math:`t < t'` are those that can be non-zero, and the rest obeys the sequential strong rule

.. math:: |v_j| < (2t - t')\, l_{1j},

which is right as long as v moves no faster than the strength. It is a guess, and every point is proven: by
a pass over all columns, which shows the constraints that its dual point breaks, or without one, where

.. math:: |v_j(u)| \le |v_j(\bar u)| + \rho_j \Bigl(\tfrac1n \sum_i s_i (u_i - \bar u_i)^2\Bigr)^{1/2}
          \le t\, l_{1j}

for every other j, with :math:`\rho_j` the root mean square of column j and :math:`\bar u` the dual point of
the last pass (Cauchy and Schwarz). Then no other feature asks for more, and the certificate on the candidates
is that of the whole problem.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel.driver.path_part import FormPenalty, Part
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.problem.problem import Problem
from fenchel.problem.zero_strength import pulls
from fenchel.typing import BoolArray, FloatArray, IndexArray

__all__ = ["Screen"]

_ROUNDING = 1e-10
_LARGEST = 2.0
"""A part serves the next strengths too, as long as it is not this many times larger than the candidates."""


@dataclass
class Screen:
    """The last full look at all columns: the dual point, its correlations, and the strength."""

    problem: Problem
    penalty: FormPenalty
    always: BoolArray
    strength: float
    u: FloatArray
    pull: FloatArray
    norms: FloatArray
    part: Part | None = None

    @classmethod
    def of(cls, problem: Problem, strength: float, u: FloatArray, v: FloatArray) -> Screen:
        """Begin with the zero solution at ``strength``."""
        penalty = FormPenalty(problem.coordinate_form).times(1.0, slice(problem.n_features))
        form = penalty.form
        zero_is_possible = (form.lower <= 0.0) & (form.upper >= 0.0)
        screen = cls(
            problem,
            penalty,
            ~zero_is_possible | (form.l1 == 0.0),
            strength,
            u,
            np.empty(0),
            problem.column_norms[: problem.n_features],
        )
        screen.look(strength, u, v)
        return screen

    @property
    def form(self) -> CoordinateForm:
        """The penalty at strength 1."""
        return self.penalty.form

    def look(self, strength: float, u: FloatArray, v: FloatArray) -> None:
        """Remember a full look."""
        self.strength, self.u = strength, u
        self.pull = pulls(self.form, v[: self.problem.n_features])

    def candidates(self, strength: float, w: FloatArray) -> Part:
        """The part to solve on: the strong rule, the support, and the features that are never screened."""
        support = self.always | (w[: self.problem.n_features] != 0.0)
        needed = support | (self.pull >= self._threshold(strength) * self.form.l1)
        if not needed.any():
            needed[np.argmax(self.pull)] = True
        count, part = int(np.count_nonzero(needed)), self.part
        if (
            part is None
            or np.count_nonzero(needed[part.features]) < count
            or (part.features.size > _LARGEST * count)
        ):
            self.part = Part.of(self.problem, self.penalty, np.flatnonzero(needed).astype(np.int64))
        assert self.part is not None
        return self.part

    def _threshold(self, strength: float) -> float:
        return min(strength, 2.0 * strength - self.strength)

    def proves(self, part: Part, strength: float, u: FloatArray) -> bool:
        """Whether no feature outside of the part can break its constraint at the dual point ``u``."""
        difference = u - self.u
        distance = float(np.sqrt(np.mean(self.problem.sample_weight * difference * difference)))
        reach = self.pull + distance * self.norms
        reach[part.features] = 0.0
        return bool(np.all(reach <= strength * (1.0 - _ROUNDING) * self.form.l1))

    def whole(self, strength: float) -> Problem:
        """The problem on all features at a strength."""
        return self.problem.with_regularizer(self.penalty.times(strength))

    def widened(self, part: Part, strength: float) -> Part | None:
        """The part with the features that break their constraint in the last look; None where none does."""
        broken = self.pull > strength * self.form.l1
        broken[part.features] = False
        if not broken.any():
            return None
        features: IndexArray = np.union1d(part.features, np.flatnonzero(broken)).astype(np.int64)
        self.part = Part.of(self.problem, self.penalty, features)
        return self.part
