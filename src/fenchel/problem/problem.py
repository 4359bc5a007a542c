"""The game that every solver plays, and the only place where its values are computed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fenchel._kernels.certificate import Certifier
from fenchel._kernels.losses import KernelLoss
from fenchel.design.base import Design
from fenchel.design.intercept import InterceptDesign
from fenchel.design.validation import as_design, as_sample_weight, as_target
from fenchel.errors import InvalidInputError, UnsupportedProblemError
from fenchel.losses.base import Loss
from fenchel.numerics.coordinate import CoordinateForm, along
from fenchel.numerics.low_rank import LowRank
from fenchel.problem.bounds import Bound, admissible, lower_bound, trivial_bound
from fenchel.problem.certificate import Certificate
from fenchel.problem.checks import check_matrix, check_targets
from fenchel.problem.forms import conjugate_domain, coordinate_form
from fenchel.problem.relaxed import with_violation
from fenchel.problem.scanned import certifier_of
from fenchel.problem.scanned_form import ScannedForm
from fenchel.problem.zero_strength import zero_solution_strength
from fenchel.regularizers.base import LinearlyMinimizable, Proximable, Regularizer
from fenchel.regularizers.separable import SeparableRegularizer
from fenchel.typing import BoolArray, FloatArray, IndexArray

__all__ = ["Problem"]

_EPSILON = float(np.finfo(float).eps)
_FEASIBILITY = 1e-12
"""A dual constraint broken by this share of a column's size is broken by rounding alone."""
_OF_REGULARIZER = (
    "scanned_form",
    "certifier",
    "coordinate_form",
    "conjugate_domain",
    "whole_lines",
    "unpenalised",
    "has_zero_ends",
    "unattained_below",
    "trivial_bound",
)
"""The constants that another regularizer changes."""
_OF_TARGETS = ("rounding", "conjugate_at_zero", "trivial_bound", "certifier")
"""Those that other targets change."""


@dataclass(frozen=True, eq=False)
class Problem:
    r"""A regularized linear model as a convex-concave game.

    .. math::
        \min_w \; P(w) = \frac1n \sum_i s_i \phi_i(z_i) + g(w), \qquad z = A w \;(+\; \text{intercept})

        \min_w \max_u \; g(w) + \frac1n \sum_i s_i \left( u_i z_i - \phi_i^*(u_i) \right)

    Parameters
    ----------
    design : Design or array-like or sparse matrix of shape (n_samples, n_features)
        The data matrix, without a column for the intercept.
    b : array-like of shape (n_samples,), or (n_samples, n_outputs) for a loss with vector outputs
        The targets; -1 and +1 for the losses of classification, one-hot rows for those of several classes.
    loss : Loss
    regularizer : Regularizer
    sample_weight : array-like of shape (n_samples,), optional
        Not negative; normalised to mean 1 here, so only the ratios matter. A weight of 2 is the same
        as a row that stands twice.
    fit_intercept : bool, default False
        Append one coordinate whose column is all ones. It is never penalised.

    Raises
    ------
    InvalidInputError
        When an argument has the wrong shape, or a value that no fit can use.

    Notes
    -----
    A primal point ``w`` has ``n_coordinates`` rows: the features, then the intercept if there is
    one. It has shape (n_coordinates,), or (n_coordinates, n_outputs) for vector outputs.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import Problem
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import L1
    >>> problem = Problem(np.eye(2), [3.0, 1.0], Squared(), L1(0.5))
    >>> problem.primal_value(np.array([2.0, 0.0]))
    1.5
    >>> problem.certify(np.array([2.0, 0.0])).gap
    0.0
    """

    design: Design
    b: FloatArray
    loss: Loss
    regularizer: Regularizer
    # After construction always an array of mean 1.
    sample_weight: FloatArray = None  # type: ignore[assignment]
    fit_intercept: bool = False

    def __post_init__(self) -> None:
        design: Any = self.design
        features = design if isinstance(design, Design) else as_design(design)
        check_matrix(features, self.loss, self.regularizer, self.fit_intercept)
        n_samples, n_features = features.shape
        b = self._checked_target(self.b, n_samples)
        self.regularizer.check(n_features)
        weight = as_sample_weight(self.sample_weight, n_samples)
        self._set(
            design=InterceptDesign(features) if self.fit_intercept else features,
            b=b,
            sample_weight=weight if self.sample_weight is None else weight / weight.mean(),
        )

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _checked_target(self, b: FloatArray, n_samples: int) -> FloatArray:
        b = as_target(b, n_samples, name="b", n_dim=2 if self.loss.vector_output else 1)
        check_targets(self.loss, b)
        return b

    def with_target(self, b: FloatArray) -> Problem:
        """Return the same problem with other targets: one design, and its constants computed once for all.

        Raises InvalidInputError when ``b`` has another shape, or values that the loss cannot use.
        """
        # Dear, and the same for every b.
        _ = self.conjugate_domain
        if self.design.visits_coordinates:
            _ = self.column_norms
        return self._changed(_OF_TARGETS, b=self._checked_target(b, self.n_samples))

    def with_regularizer(self, regularizer: Regularizer) -> Problem:
        """Return the same problem with another regularizer: all that does not depend on it is computed once.

        Raises InvalidInputError when the regularizer does not fit the features.
        """
        check_matrix(self.design, self.loss, regularizer, self.fit_intercept)
        regularizer.check(self.n_features)
        _ = self.rounding, self.conjugate_at_zero
        if self.design.visits_coordinates:
            _ = self.column_norms
        return self._changed(_OF_REGULARIZER, regularizer=regularizer)

    def restricted(self, features: IndexArray, regularizer: Regularizer) -> Problem:
        """Return the problem on some features, in ascending order; it copies their entries.

        The other coefficients are held at zero, so that a dual point of the result is one of this problem
        where ``regularizer`` is the penalty of these features and no other one asks for more.
        """
        regularizer.check(len(features))
        columns = features if not self.fit_intercept else np.append(features, self.n_features)
        _ = self.rounding, self.conjugate_at_zero, self.column_norms
        other = self._changed(_OF_REGULARIZER, design=self.design.restrict(columns), regularizer=regularizer)
        other._set(column_norms=self.column_norms[columns])
        return other

    def _changed(self, stale: tuple[str, ...], **values: Any) -> Problem:
        """Return a copy with other values, and without the constants that depended on them."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._set(**values)
        for name in stale:
            other.__dict__.pop(name, None)
        return other

    # Shapes

    @property
    def n_samples(self) -> int:
        """Rows of the design."""
        return self.design.shape[0]

    @property
    def n_features(self) -> int:
        """Columns of the design, without the intercept."""
        return self.design.shape[1] - int(self.fit_intercept)

    @property
    def n_coordinates(self) -> int:
        """Rows of ``w``: the features, and the intercept if there is one."""
        return self.design.shape[1]

    @property
    def primal_shape(self) -> tuple[int, ...]:
        """The shape of ``w``."""
        return self.design.coefficient_shape(self.b.shape[1:])

    def zeros(self) -> Any:
        """The primal point zero: an array, or a matrix in factors where the design keeps one."""
        return self.design.zeros(self.b.shape[1:])

    def features(self, w: Any) -> Any:
        """The rows of ``w`` without the intercept."""
        return w[: self.n_features] if self.fit_intercept else w

    def count_nonzeros(self, w: Any) -> int:
        """The non-zero coefficients, the intercept not counted; the rank of a matrix in factors."""
        return w.rank if isinstance(w, LowRank) else int(np.count_nonzero(self.features(w)))

    # Values

    def scores(self, w: FloatArray) -> FloatArray:
        """``z = A w``, with the intercept."""
        return self.design.matvec(w)

    def correlation(self, u: FloatArray) -> FloatArray:
        """``v = A'(s * u) / n``, one row a coordinate."""
        weight = self.sample_weight if u.ndim == 1 else self.sample_weight[:, None]
        v = self.design.rmatvec(weight * u)
        v /= self.n_samples
        return v

    def primal_value(self, w: FloatArray) -> float:
        """``P(w)``; infinite outside a constraint set. Cost one pass."""
        return self.primal_at_scores(w, self.scores(w))

    def primal_at_scores(self, w: FloatArray, z: FloatArray) -> float:
        """``P(w)`` when ``z = A w`` is known already."""
        w = self.features(w)
        if self.certifier is not None:
            return self.certifier.primal(w, z)
        return self.mean_loss(z) + self._terms(w).value(w)

    def mean_loss(self, z: FloatArray) -> float:
        r"""``(1/n) sum_i s_i phi_i(z_i)``; rows of weight zero do not count."""
        return self._mean(self.loss.value(z, self.b))

    def mean_conjugate(self, u: FloatArray) -> float:
        r"""``(1/n) sum_i s_i phi_i*(u_i)``; rows of weight zero do not count."""
        return self._mean(self.loss.conjugate(u, self.b))

    def _mean(self, terms: FloatArray) -> float:
        """The weighted mean of the terms of the rows; one that is infinite does not count at weight zero."""
        if not self._every_row_counts:
            terms = np.where(self.sample_weight > 0, terms, 0.0)
        return float((self.sample_weight * terms).sum() / self.n_samples)

    @cached_property
    def _every_row_counts(self) -> bool:
        return bool((self.sample_weight > 0).all())

    def mean_size(self, u: FloatArray) -> float:
        """The weighted mean of ``|u|``, against which the rounding of ``correlation(u)`` is measured."""
        rows = np.abs(u) if u.ndim == 1 else np.abs(u).mean(axis=1)
        return float(np.mean(self.sample_weight * rows))

    def conjugate(self, v: FloatArray) -> float:
        """``g*(v)`` on the features; an intercept must have been settled by the caller."""
        v = self.features(v)
        return self._terms(v).conjugate(v)

    def conjugate_scale(self, v: FloatArray) -> float:
        """The largest known ``s`` in [0, 1] with ``conjugate(s * v)`` finite."""
        v = self.features(v)
        return self._terms(v).conjugate_scale(v)

    def conjugate_on_level(self, v: FloatArray, level: float) -> float:
        """``sup <v, w> - g(w)`` over ``g(w) <= level``, or an upper bound on it."""
        v = self.features(v)
        return self._terms(v).conjugate_on_level(v, level)

    def _terms(self, v: Any) -> Regularizer | ScannedForm:
        """Where the regularizer is a sum over coordinates and v a vector, its form, which is made once."""
        scanned = isinstance(v, np.ndarray) and v.ndim == 1
        return (
            self.scanned_form
            if scanned and isinstance(self.regularizer, SeparableRegularizer)
            else self.regularizer
        )

    @cached_property
    def scanned_form(self) -> ScannedForm:
        """The form of the features with its conjugate, for a regularizer of the library that is separable."""
        assert isinstance(self.regularizer, SeparableRegularizer)
        return ScannedForm(self.regularizer.coordinate_form(self.n_features))

    def dual_value(self, u: FloatArray) -> float:
        """``D(u)`` as it stands: minus infinity when ``u`` is infeasible by more than rounding.

        Cost one pass.
        """
        v = self.correlation(u)
        if self.whole_lines:
            return -self.mean_conjugate(u) - self.conjugate(-v)
        lower, upper = (along(end, v) for end in self.conjugate_domain)
        inside = np.clip(-v, lower, upper)
        slack = _FEASIBILITY * self.column_norms * self.mean_size(u)
        if np.any(np.abs(inside + v) > along(slack, v)):
            return -np.inf
        return -self.mean_conjugate(u) - self.conjugate(inside)

    # Points

    def dual_point(self, w: FloatArray) -> FloatArray:
        """The best response ``u_i = phi_i'(z_i)`` to a primal point."""
        return self.loss.gradient(self.scores(w), self.b)

    def primal_point(self, u: FloatArray) -> FloatArray:
        """The best response ``argmin g(w) + <v, w>`` to a dual point, where g has one.

        Raises UnsupportedProblemError when the regularizer has no linear minimisation oracle.
        """
        if not isinstance(self.regularizer, LinearlyMinimizable):
            raise UnsupportedProblemError(
                f"{type(self.regularizer).__name__} has no linear minimisation oracle (lmo), which the best "
                "response to a dual point needs. Use a solver that keeps a primal point."
            )
        best = self.regularizer.lmo(self.features(self.correlation(u)))
        if not self.fit_intercept:
            return best
        w = np.zeros(self.primal_shape)
        w[: self.n_features] = best
        return w

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        """The proximal step of the regularizer; it leaves the intercept alone."""
        if not isinstance(self.regularizer, Proximable):
            raise UnsupportedProblemError(
                f"{type(self.regularizer).__name__} has no proximal operator (prox), which this needs. "
                "Use a regularizer that has one."
            )
        if not self.fit_intercept:
            return self.regularizer.prox(w, step)
        result = w.copy()
        result[: self.n_features] = self.regularizer.prox(w[: self.n_features], step)
        return result

    # Constants

    @cached_property
    def coordinate_form(self) -> CoordinateForm:
        """The strengths and bounds of every coordinate, the intercept free; needs a separable regularizer."""
        return coordinate_form(self)

    @cached_property
    def kernel_loss(self) -> KernelLoss:
        """The loss as the kernels take it; needs a compiled one."""
        return KernelLoss.of(self.loss)

    @cached_property
    def conjugate_domain(self) -> tuple[FloatArray, FloatArray]:
        """The interval of each coordinate on which ``g*`` is finite; {0} for the intercept."""
        return conjugate_domain(self)

    @cached_property
    def whole_lines(self) -> bool:
        """Whether no interval of :attr:`conjugate_domain` has an end, so that none need be looked at."""
        if isinstance(self.regularizer, SeparableRegularizer):
            return self.scanned_form.whole_lines and not self.fit_intercept
        lower, upper = self.conjugate_domain
        return bool(np.isinf(lower).all() and np.isinf(upper).all())

    @cached_property
    def unpenalised(self) -> BoolArray:
        """The coordinates that nothing penalises and nothing bounds."""
        lower, upper = self.conjugate_domain
        result: BoolArray = (lower == 0.0) & (upper == 0.0)
        return result

    @cached_property
    def has_zero_ends(self) -> bool:
        """Whether an interval of :attr:`conjugate_domain` ends at zero, where no scaling helps."""
        if self.whole_lines:
            return False
        lower, upper = self.conjugate_domain
        return bool((lower == 0.0).any() or (upper == 0.0).any())

    @cached_property
    def column_norms(self) -> FloatArray:
        """The root mean square of each column, with the sample weights."""
        return np.sqrt(self.design.column_square_sums(self.sample_weight) / self.n_samples)

    @cached_property
    def rounding(self) -> float:
        """A gap of this size is rounding: a few units in the last place of the mean loss at zero scores.

        Zero for a constraint: what its values are measured in, zero scores do not tell.
        """
        if self.loss.indicator:
            return 0.0
        losses = self.loss.value(np.zeros(self.b.shape), self.b)
        return 4 * _EPSILON * float(self.sample_weight @ losses) / self.n_samples

    @cached_property
    def unattained_below(self) -> float:
        r"""A positive value of P below this proves that there is no minimiser; 0 where nothing does.

        For a loss that is zero nowhere and coefficients without penalty or bound. If
        :math:`P(w) < \tfrac cn \min_i s_i` each row has a loss below c, its ``separating_value``: w has all
        rows on their sides, and larger multiples of w take P to its infimum, 0.
        """
        if not (self.has_zero_ends and self.unpenalised.all()):
            return 0.0
        counted = self.sample_weight[self.sample_weight > 0]
        return self.loss.separating_value * float(counted.min()) / self.n_samples

    @cached_property
    def certifier(self) -> Certifier | None:
        """The values of a certificate by kernels, where they serve the problem."""
        return certifier_of(self)

    @cached_property
    def conjugate_at_zero(self) -> float:
        """The mean conjugate of the loss at ``u = 0``."""
        zero = np.zeros(self.b.shape)
        return self.mean_conjugate(zero) if self.certifier is None else self.certifier.mean_conjugate(zero)

    @cached_property
    def trivial_bound(self) -> Bound:
        """The lower bound that ``u = 0`` gives."""
        return trivial_bound(self)

    # Quality

    def certify(self, w: FloatArray, u: FloatArray | None = None) -> Certificate:
        """Prove how far ``w`` is from the optimum.

        Parameters
        ----------
        w : ndarray of shape (n_coordinates,) or (n_coordinates, n_outputs)
        u : ndarray of shape (n_samples,) or (n_samples, n_outputs), optional
            The dual point to prove it with, feasible or not; by default the gradient of the loss at
            the scores of ``w``.

        Returns
        -------
        Certificate
            Computed in float64 from the arguments alone. The dual point is projected onto the domain
            of the loss, made orthogonal to the columns without penalty, and scaled; see
            ``fenchel.problem.bounds``. The gap is never smaller than what this proves. Where the loss is a
            constraint that w breaks, the gap is that of a relaxed problem: see :class:`Certificate`.

        Notes
        -----
        Cost two passes; more where a coordinate has no penalty and a bound on one side.
        """
        w, u = (
            self._checked(w, "w", self.primal_shape),
            None if u is None else self._checked(u, "u", self.b.shape),
        )
        z = self.scores(w)
        u = admissible(self, self.loss.gradient(z, self.b) if u is None else u)
        return self.certify_at(w, z, u, self.correlation(u))

    def certify_at(self, w: FloatArray, z: FloatArray, u: FloatArray, v: FloatArray) -> Certificate:
        """:meth:`certify` with its products at hand, for those who compute many of them at once.

        Parameters
        ----------
        w : ndarray of shape (n_coordinates,) or (n_coordinates, n_outputs)
        z : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            ``A w``.
        u : ndarray like z
            A dual point from ``fenchel.problem.bounds.admissible``.
        v : ndarray like w
            ``A'(s * u) / n``.

        Returns
        -------
        Certificate
            That of :meth:`certify` to rounding, if z and v are what they should be: nothing checks it.

        Notes
        -----
        No entry of A is read, unless a coordinate is bounded on one side and has no penalty.
        """
        primal = self.certified_value(w, z)
        bound = lower_bound(self, u, v, w, z, primal)
        failure = self.regularizer.conjugate_failure(self.features(v))
        return with_violation(self, Certificate(primal, bound.value, bound.radius, bound.point, failure), z)

    def certified_value(self, w: FloatArray, z: FloatArray) -> float:
        """What a certificate calls primal: ``P(w)``; for a constraint ``g(w)``, whether w meets it or not."""
        if self.loss.indicator:
            return self.regularizer.value(self.features(w))
        return self.primal_at_scores(w, z)

    def zero_solution_strength(self) -> float:
        r"""The smallest factor on the regularizer at which ``w = 0`` is optimal.

        .. math:: \max_j \; |A_j'(s \circ u)| / (n \, l_{1j}), \qquad u_i = \phi_i'(z_i),

        with z the scores of the best unpenalised coordinates alone; the norms of groups stand in place of
        the magnitudes for a group penalty. An l2 part does not count, because its slope at zero is zero.
        ``L1(problem.zero_solution_strength())`` for a problem that was built with ``L1(1.0)`` gives the zero
        solution; anything smaller does not, for a smooth loss. Rounded up by a few units in the last place.

        Raises UnsupportedProblemError when no coordinate has an l1 part.
        """
        return zero_solution_strength(self)

    def _checked(self, point: Any, name: str, shape: tuple[int, ...]) -> Any:
        if not isinstance(point, LowRank):
            point = np.asarray(point, dtype=np.float64)
        if point.shape != shape:
            raise InvalidInputError(f"{name} has shape {point.shape}, but this problem needs {shape}.")
        return point
