"""What is proven of two classes: that a hyperplane separates them, or that none does."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

from fenchel.typing import FloatArray

__all__ = ["Separability", "Verdict"]


class Verdict(Enum):
    """What is proven; the value is the message."""

    SEPARABLE = "separable: the direction has every row on its side"
    NOT_SEPARABLE = "not separable: rows of both classes, weighted, cancel exactly"
    UNDECIDED = "undecided: neither a separating direction nor weights that cancel were found"


@dataclass(frozen=True, eq=False)
class Separability:
    r"""A verdict on two classes, and what proves it.

    With signs :math:`y_i = \pm 1` the margin of a direction (w, c) is
    :math:`\min_i y_i (x_i^\top w + c) / \|w\|_p`; the classes are separable when the largest one is positive.

    Attributes
    ----------
    verdict : Verdict
    margin_lower, margin_upper : float
        Bounds on the largest margin, rounding included: ``margin_lower`` is the margin of ``direction``, and
        no direction has a margin above ``margin_upper``. For classes that are not separable both are 0.
    direction : ndarray of shape (n_features,)
        The w of the largest margin that was found, of norm 1; zero if the verdict is that there is none.
    intercept : float
        Its c.
    weights : ndarray of shape (n_samples,)
        The rows behind ``margin_upper``: not negative, and of sum 1. Where the classes are not separable,
        rows times sign times weight add up to zero, as ``proof`` says. Otherwise the weighted means of the
        two classes are ``2 * margin_upper`` apart in the dual norm.
    proof : str
        "direction" (its scores exceed their rounding errors), "cancellation" (two rows of different classes
        are equal, or ``exact_weights`` cancel in exact arithmetic), "interior" (the weighted rows add up to
        less than their smallest singular value, so that exact weights exist near these), or "" where
        nothing is proven.
    exact_weights : tuple of Fraction, or None
        The weights without rounding, for a proof by cancellation.
    p : float
        The exponent of the norm.
    reason : str
        What was tried, and what stopped it.
    """

    verdict: Verdict
    margin_lower: float
    margin_upper: float
    direction: FloatArray = field(repr=False)
    intercept: float = field(repr=False)
    weights: FloatArray = field(repr=False)
    proof: str
    exact_weights: tuple[Fraction, ...] | None = field(repr=False)
    p: float
    reason: str

    @property
    def separable(self) -> bool | None:
        """True, False, or None where it is undecided."""
        return None if self.verdict is Verdict.UNDECIDED else self.verdict is Verdict.SEPARABLE

    @property
    def message(self) -> str:
        """The verdict in words, with the bounds on the margin."""
        bounds = f"largest margin in [{self.margin_lower:.6g}, {self.margin_upper:.6g}], p = {self.p:g}"
        return f"{self.verdict.value} ({bounds}; {self.reason})"
