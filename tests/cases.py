"""The tables of losses: every law in ``tests/laws`` runs on every row.

A row holds an instance, the invalid values of its parameters, its kinks, and reference values that
were computed with 60 digits. A loss with vector outputs goes through the laws with one output, unless
its outputs are coupled: those stand in a table of their own, and have laws of their own. So do the
constraints, which are infinite outside a set.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fenchel.losses import (
    Absolute,
    BallConstraint,
    ConstraintLoss,
    EpsilonInsensitive,
    EqualityConstraint,
    Hinge,
    Huber,
    IntervalConstraint,
    IntervalDomain,
    Logistic,
    Loss,
    LowerBoundConstraint,
    MarginConstraint,
    MulticlassHinge,
    MultiSquared,
    Quantile,
    SimplexConstraint,
    SmoothedHinge,
    Softmax,
    Squared,
    SquaredDistance,
    SquaredHinge,
)
from fenchel.typing import BoolArray, FloatArray

ROWS = 8
"""The rows of the arrays that the strategies draw."""


@dataclass(frozen=True)
class LossCase:
    """One row of the table, and its loss through arrays of shape (n,).

    Attributes
    ----------
    loss : the instance.
    values : rows ``(z, b, value, gradient)``.
    conjugates : rows ``(u, b, conjugate)``.
    kinks : where the gradient or the curvature jumps, in ``b z`` (classification) or ``z - b``.
    invalid : arguments that the constructor must refuse.
    """

    loss: Loss
    values: tuple[tuple[float, float, float, float], ...]
    conjugates: tuple[tuple[float, float, float], ...]
    kinks: tuple[float, ...] = ()
    invalid: tuple[dict[str, Any], ...] = ()

    def __str__(self) -> str:
        return repr(self.loss)

    @property
    def labels(self) -> bool:
        """Whether the targets are -1 and +1."""
        return self.loss.task == "classification"

    def shaped(self, x: FloatArray) -> FloatArray:
        return x[:, None] if self.loss.vector_output else x

    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return self.loss.value(self.shaped(z), self.shaped(b))

    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return self.loss.gradient(self.shaped(z), self.shaped(b)).reshape(z.shape)

    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return self.loss.curvature(self.shaped(z), self.shaped(b)).reshape(z.shape)

    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        return self.loss.conjugate(self.shaped(u), self.shaped(b))

    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: Any) -> FloatArray:
        return self.loss.prox_conjugate(self.shaped(v), self.shaped(b), step).reshape(v.shape)

    def contains(self, u: FloatArray, b: FloatArray) -> BoolArray:
        return self.loss.dual_domain(self.shaped(b)).contains(self.shaped(u))

    def project(self, u: FloatArray, b: FloatArray) -> FloatArray:
        return self.loss.dual_domain(self.shaped(b)).project(self.shaped(u)).reshape(u.shape)

    def room(self, u: FloatArray, b: FloatArray) -> FloatArray:
        return self.loss.dual_domain(self.shaped(b)).room(self.shaped(u)).reshape(u.shape)

    def bounds(self, b: FloatArray, limit: float = np.inf) -> tuple[FloatArray, FloatArray]:
        """The ends of the dual domain, infinite ones replaced by ``limit``."""
        domain = self.loss.dual_domain(self.shaped(b))
        assert isinstance(domain, IntervalDomain)
        lower, upper = domain.lower.reshape(b.shape), domain.upper.reshape(b.shape)
        return np.maximum(lower, -limit), np.minimum(upper, limit)

    def kink_distance(self, z: FloatArray, b: FloatArray) -> FloatArray:
        """The distance of every score to the nearest kink; infinite without kinks."""
        position = b * z if self.labels else z - b
        distances = [np.abs(position - kink) for kink in self.kinks]
        return np.min(distances, axis=0) if distances else np.full(z.shape, np.inf)

    def scores(self, largest: float = 30.0) -> st.SearchStrategy[FloatArray]:
        return hnp.arrays(np.float64, ROWS, elements=st.floats(-largest, largest))

    def targets(self) -> st.SearchStrategy[FloatArray]:
        element = st.sampled_from([-1.0, 1.0]) if self.labels else st.floats(-30.0, 30.0)
        return hnp.arrays(np.float64, ROWS, elements=element)

    def dual_points(self, b: FloatArray, fractions: FloatArray) -> FloatArray:
        """Points of the domain at the given fractions of its length (of 100 where it is longer)."""
        lower, upper = self.bounds(b, limit=50.0)
        return np.clip(lower + fractions * (upper - lower), lower, upper)


def fractions() -> st.SearchStrategy[FloatArray]:
    return hnp.arrays(np.float64, ROWS, elements=st.floats(0.0, 1.0))


def steps() -> st.SearchStrategy[float]:
    return st.sampled_from([0.01, 0.1, 0.7, 1.0, 3.0, 100.0])


def argmax_concave(
    function: Callable[[FloatArray], FloatArray], lower: FloatArray, upper: FloatArray
) -> FloatArray:
    """Maximise concave functions of one variable each on [lower, upper] by shrinking grids.

    ``function`` maps (points, n) to (points, n). Independent of everything under test, and slow.
    """
    fraction = np.linspace(0.0, 1.0, 41)[:, None]
    columns = np.arange(lower.size)
    for _ in range(12):
        grid = lower + fraction * (upper - lower)
        best = np.argmax(function(grid), axis=0)
        result: FloatArray = grid[best, columns]
        lower, upper = grid[np.maximum(best - 1, 0), columns], grid[np.minimum(best + 1, 40), columns]
    return result


NOT_POSITIVE = (0.0, -1.0, float("nan"), float("inf"), "1", None, True)

LOSSES = (
    LossCase(
        Logistic(),
        values=(
            (0.3, 1.0, 0.5543552444685271, -0.425557483188341),
            (-2.7, 1.0, 2.7650435617765905, -0.9370266439430035),
            (40.0, 1.0, 4.248354255291589e-18, -4.248354255291589e-18),
            (40.0, -1.0, 40.0, 1.0),
            (-750.0, 1.0, 750.0, -1.0),
            (1e-09, -1.0, 0.6931471810599453, 0.50000000025),
        ),
        conjugates=(
            (-0.3, 1.0, -0.6108643020548935),
            (0.999, -1.0, -0.007907255112232094),
            (1e-20, -1.0, -4.705170185988091e-19),
            (-1.0, 1.0, 0.0),
        ),
    ),
    LossCase(
        Hinge(),
        values=((0.3, 1.0, 0.7, -1.0), (40.0, 1.0, 0.0, 0.0), (40.0, -1.0, 41.0, 1.0)),
        conjugates=((-0.3, 1.0, -0.3), (0.999, -1.0, -0.999), (-1.0, 1.0, -1.0)),
        kinks=(1.0,),
    ),
    LossCase(
        SquaredHinge(),
        values=((0.3, 1.0, 0.49, -1.4), (40.0, 1.0, 0.0, 0.0), (-750.0, 1.0, 564001.0, -1502.0)),
        conjugates=((-0.3, 1.0, -0.2775), (0.999, -1.0, -0.74949975), (1e-20, -1.0, -1e-20)),
        kinks=(1.0,),
    ),
    LossCase(
        SmoothedHinge(),
        values=((0.3, 1.0, 0.245, -0.7), (40.0, -1.0, 40.5, 1.0), (1e-09, -1.0, 0.500000001, 1.0)),
        conjugates=((-0.3, 1.0, -0.255), (0.999, -1.0, -0.4999995), (-1.0, 1.0, -0.5)),
        kinks=(0.0, 1.0),
        invalid=tuple({"width": value} for value in NOT_POSITIVE),
    ),
    LossCase(
        SmoothedHinge(width=0.25),
        values=(
            (0.3, 1.0, 0.575, -1.0),
            (0.9, 1.0, 0.01999999999999999, -0.3999999999999999),
            (1.5, 1.0, 0.0, 0.0),
        ),
        conjugates=((-0.3, 1.0, -0.28875), (0.999, -1.0, -0.874249875)),
        kinks=(0.75, 1.0),
    ),
    LossCase(
        Squared(),
        values=(
            (0.3, 0.25, 0.0012499999999999994, 0.04999999999999999),
            (1.0000000001, 1.0, 5.000000827403744e-21, 1.000000082740371e-10),
            (-1e10, 3.0, 5.000000003e19, -10000000003.0),
        ),
        conjugates=((0.25, 1.5, 0.40625), (-0.7, -2.0, 1.6449999999999998)),
    ),
    LossCase(
        MultiSquared(),
        values=((0.3, 0.25, 0.0012499999999999994, 0.04999999999999999), (12.0, -0.5, 78.125, 12.5)),
        conjugates=((0.25, 1.5, 0.40625), (-0.7, -2.0, 1.6449999999999998)),
    ),
    LossCase(
        Absolute(),
        values=((-2.7, 1.3, 4.0, -1.0), (1.0000000001, 1.0, 1.000000082740371e-10, 1.0)),
        conjugates=((0.25, 1.5, 0.375), (-0.7, -2.0, 1.4)),
        kinks=(0.0,),
    ),
    LossCase(
        Huber(),
        values=((-2.7, 1.3, 3.5, -1.0), (0.3, 0.25, 0.0012499999999999994, 0.04999999999999999)),
        conjugates=((0.25, 1.5, 0.40625), (-0.7, -2.0, 1.6449999999999998)),
        kinks=(-1.0, 1.0),
        invalid=tuple({"threshold": value} for value in NOT_POSITIVE),
    ),
    LossCase(
        Huber(threshold=0.3),
        values=((-2.7, 1.3, 1.155, -0.3), (12345.678, -0.1, 3703.6884, 0.3)),
        conjugates=((0.25, 1.5, 0.40625), (-0.3, -2.0, 0.645)),
        kinks=(-0.3, 0.3),
    ),
    LossCase(
        Quantile(),
        values=((-2.7, 1.3, 2.0, -0.5), (1.0000000001, 1.0, 5.000000413701855e-11, 0.5)),
        conjugates=((-0.25, 1.5, -0.375), (0.5, -2.0, -1.0)),
        kinks=(0.0,),
        invalid=tuple({"level": value} for value in (*NOT_POSITIVE, 1.0, 50.0)),
    ),
    LossCase(
        Quantile(level=0.1),
        values=((-2.7, 1.3, 0.4, -0.1), (12345.678, -0.1, 11111.2002, 0.9)),
        conjugates=((-0.05, 1.5, -0.07500000000000001), (0.75, -2.0, -1.5)),
        kinks=(0.0,),
    ),
    LossCase(
        EpsilonInsensitive(),
        values=((0.3, 0.25, 0.0, 0.0), (-2.7, 1.3, 3.9, -1.0), (-1e10, 3.0, 10000000002.9, -1.0)),
        conjugates=((0.25, 1.5, 0.4), (-0.7, -2.0, 1.47)),
        kinks=(-0.1, 0.1),
        invalid=tuple({"margin": value} for value in NOT_POSITIVE if value != 0.0),
    ),
    LossCase(
        EpsilonInsensitive(margin=0.0),
        values=((-2.7, 1.3, 4.0, -1.0), (12345.678, -0.1, 12345.778, 1.0)),
        conjugates=((0.25, 1.5, 0.375), (-0.7, -2.0, 1.4)),
        kinks=(0.0,),
    ),
    LossCase(
        SquaredDistance(EqualityConstraint()),
        values=((0.3, 0.25, 0.0012499999999999994, 0.04999999999999999), (12.0, -0.5, 78.125, 12.5)),
        conjugates=((0.25, 1.5, 0.40625), (-0.7, -2.0, 1.6449999999999998)),
        invalid=tuple({"strength": value} for value in NOT_POSITIVE),
    ),
    LossCase(
        SquaredDistance(MarginConstraint(), strength=2.0),
        values=((0.3, 1.0, 0.49, -1.4), (40.0, 1.0, 0.0, 0.0), (-750.0, 1.0, 564001.0, -1502.0)),
        conjugates=((-0.3, 1.0, -0.2775), (0.999, -1.0, -0.74949975), (1e-20, -1.0, -1e-20)),
        kinks=(1.0,),
    ),
    LossCase(
        SquaredDistance(LowerBoundConstraint(), strength=0.5),
        values=((0.25, 1.75, 0.5625, -0.75), (2.0, 1.75, 0.0, 0.0)),
        conjugates=((-0.5, 1.75, -0.625), (0.0, 3.0, 0.0)),
        kinks=(0.0,),
    ),
    LossCase(
        SquaredDistance(IntervalConstraint(epsilon=0.25), strength=3.0),
        values=((2.0, 1.5, 0.09375, 0.75), (1.25, 1.5, 0.0, 0.0), (0.0, 1.5, 2.34375, -3.75)),
        conjugates=((1.5, 2.0, 3.75), (-3.0, 2.0, -3.75)),
        kinks=(-0.25, 0.25),
    ),
)


@dataclass(frozen=True)
class MulticlassCase:
    """One row of the table of losses whose outputs are coupled; the targets are one-hot.

    Attributes
    ----------
    loss : the instance.
    kinked : whether the gradient jumps where a class ties with the largest one.
    invalid : arguments that the constructor must refuse.
    """

    loss: Loss
    kinked: bool = False
    invalid: tuple[dict[str, Any], ...] = ()

    def __str__(self) -> str:
        return repr(self.loss)

    def scores(self, k: int, largest: float = 30.0) -> st.SearchStrategy[FloatArray]:
        return hnp.arrays(np.float64, (ROWS, k), elements=st.floats(-largest, largest))

    def targets(self, k: int) -> st.SearchStrategy[FloatArray]:
        labels = hnp.arrays(np.int64, ROWS, elements=st.integers(0, k - 1))
        return labels.map(lambda drawn: np.eye(k)[drawn])

    def dual_points(self, k: int, b: FloatArray) -> st.SearchStrategy[FloatArray]:
        """Points of the domain, some of them on its boundary."""
        parts = hnp.arrays(np.float64, (ROWS, k), elements=st.just(0.0) | st.floats(1e-3, 1.0))
        return parts.map(lambda part: _normalised(part) - b)


def _normalised(part: FloatArray) -> FloatArray:
    part = part + (part.sum(axis=1, keepdims=True) == 0.0)
    result: FloatArray = part / part.sum(axis=1, keepdims=True)
    return result


MULTICLASS_LOSSES = (
    MulticlassCase(Softmax()),
    MulticlassCase(MulticlassHinge(), kinked=True),
)


@dataclass(frozen=True)
class ConstraintCase:
    """One row of the table of constraints: indicators of a set of scores for every row.

    Attributes
    ----------
    loss : the instance.
    invalid : arguments that the constructor must refuse.
    """

    loss: ConstraintLoss
    invalid: tuple[dict[str, Any], ...] = ()

    def __str__(self) -> str:
        return repr(self.loss)

    @property
    def shape(self) -> tuple[int, ...]:
        return (ROWS, 3) if self.loss.vector_output else (ROWS,)

    def scores(self, largest: float = 30.0) -> st.SearchStrategy[FloatArray]:
        return hnp.arrays(np.float64, self.shape, elements=st.floats(-largest, largest))

    def targets(self, largest: float = 30.0) -> st.SearchStrategy[FloatArray]:
        labels = self.loss.task == "classification"
        element = st.sampled_from([-1.0, 1.0]) if labels else st.floats(-largest, largest)
        return hnp.arrays(np.float64, self.shape, elements=element)

    def dual_points(self, b: FloatArray) -> st.SearchStrategy[FloatArray]:
        """Points of the domain of the support function, some of them on its boundary."""
        return self.scores().map(self.loss.dual_domain(b).project)


CONSTRAINTS = (
    ConstraintCase(EqualityConstraint()),
    ConstraintCase(MarginConstraint()),
    ConstraintCase(LowerBoundConstraint()),
    ConstraintCase(
        IntervalConstraint(),
        invalid=tuple({"epsilon": value} for value in NOT_POSITIVE if value != 0.0),
    ),
    ConstraintCase(IntervalConstraint(epsilon=0.0)),
    ConstraintCase(IntervalConstraint(epsilon=2.5)),
    ConstraintCase(
        BallConstraint(),
        invalid=tuple({"radius": value} for value in NOT_POSITIVE if value != 0.0),
    ),
    ConstraintCase(BallConstraint(radius=2.5)),
    ConstraintCase(SimplexConstraint()),
)
