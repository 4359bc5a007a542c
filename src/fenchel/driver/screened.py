r"""The steps of a path that solve on few candidates, and prove that no other feature is missing.

With v = A'(s u)/n at the dual point u of the strength :math:`t'`, the candidates at :math:`t < t'` are those
that can be non-zero, and the rest obeys the sequential strong rule

.. math:: |v_j| < (2t - t')\, l_{1j},

which is right as long as v moves no faster than the strength. It is a guess, and every point is proven: what
is known of v at earlier dual points settles :math:`|v_j(u)| \le t \, l_{1j}` for most features
(:mod:`fenchel.driver.path_known`), and the columns of the others are read. Then no other feature asks for
more, and the certificate on the candidates is that of the whole problem.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fenchel.driver.path_known import KnownCorrelations
from fenchel.driver.path_part import FormPenalty, Part
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.problem.problem import Problem
from fenchel.problem.zero_strength import pulls
from fenchel.typing import BoolArray, FloatArray, IndexArray

__all__ = ["Screen"]

_ROUNDING = 1e-10
_LARGEST = 2.0
"""A part serves the next strengths too, as long as it is not this many times larger than the candidates."""
_FEW = 0.1
"""Columns with at most this share of the entries are read alone; more open ones are worth a full look."""


@dataclass
class Screen:
    """What is known of all features at the last dual point, which belongs to ``strength``."""

    problem: Problem
    penalty: FormPenalty
    always: BoolArray
    norms: FloatArray
    counts: IndexArray
    known: KnownCorrelations
    strength: float
    pull: FloatArray = field(default_factory=lambda: np.empty(0))
    part: Part | None = None
    passes: float = 0.0
    """Passes over the data that looks have taken."""

    @classmethod
    def of(cls, problem: Problem, strength: float, u: FloatArray) -> Screen:
        """Begin with the zero solution at ``strength``."""
        penalty = FormPenalty(problem.coordinate_form).times(1.0, slice(problem.n_features))
        form = penalty.form
        zero_is_possible = (form.lower <= 0.0) & (form.upper >= 0.0)
        features = slice(problem.n_features)
        screen = cls(
            problem,
            penalty,
            ~zero_is_possible | (form.l1 == 0.0),
            problem.column_norms[features],
            problem.design.column_counts[features],
            KnownCorrelations(problem.sample_weight),
            strength,
        )
        screen.pull = pulls(form, screen._look(u))
        return screen

    @property
    def form(self) -> CoordinateForm:
        """The penalty at strength 1."""
        return self.penalty.form

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
            self.part = Part.of(self.problem, self.penalty, needed.nonzero()[0])
        assert self.part is not None
        return self.part

    def _threshold(self, strength: float) -> float:
        return min(strength, 2.0 * strength - self.strength)

    def missing(self, part: Part, strength: float, u: FloatArray) -> IndexArray:
        """The features outside of the part that break their constraint at the dual point ``u``."""
        limit = strength * self.form.l1
        v, distance = self.known.at(u)
        unsettled = pulls(self.form, v) + distance * self.norms > (1.0 - _ROUNDING) * limit
        unsettled[part.features] = False
        columns: IndexArray = unsettled.nonzero()[0]
        if self.counts[columns].sum() > _FEW * self.problem.design.n_entries:
            v = self._look(u)
        else:
            v[columns] = self._correlation_with(columns, u)
            # Settled by the certificate of the part, but the next candidates want them exact.
            v[part.features] = part.problem.correlation(u)[: part.features.size]
            self.passes += part.problem.design.n_entries / self.problem.design.n_entries
        self.strength, self.pull = strength, pulls(self.form, v)
        broken = self.pull > limit
        broken[part.features] = False
        result: IndexArray = broken.nonzero()[0]
        return result

    def _look(self, u: FloatArray) -> FloatArray:
        """Look at all features, and remember what they are at ``u``."""
        v = self.problem.correlation(u)[: self.problem.n_features]
        self.known.add(u, v)
        self.passes += 1.0
        return v

    def _correlation_with(self, columns: IndexArray, u: FloatArray) -> FloatArray:
        problem = self.problem
        self.passes += float(self.counts[columns].sum()) / problem.design.n_entries
        v = problem.design.restrict(columns).rmatvec(problem.sample_weight * u)
        v /= problem.n_samples
        return v

    def whole(self, strength: float) -> Problem:
        """The problem on all features at a strength."""
        return self.problem.with_regularizer(self.penalty.times(strength))

    def widened(self, part: Part, missing: IndexArray) -> Part:
        """The part with the missing features."""
        features: IndexArray = np.union1d(part.features, missing).astype(np.int64)
        self.part = Part.of(self.problem, self.penalty, features)
        return self.part
