"""Whether a hyperplane separates two classes, with a certificate for either answer."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from fenchel.driver.separability_verdict import Separability, Verdict
from fenchel.driver.signed_rows import SignedRows
from fenchel.driver.solve import solve
from fenchel.driver.stopping import MaxPasses, RelativeGap, StoppingRule
from fenchel.errors import InvalidInputError
from fenchel.losses.margin_constraint import MarginConstraint
from fenchel.losses.squared_hinge import SquaredHinge
from fenchel.numerics.generators import generator_of
from fenchel.numerics.gordan import balanced_weights, leaves_no_direction, rational_weights
from fenchel.problem.problem import Problem
from fenchel.regularizers.ridge import Ridge
from fenchel.regularizers.squared_lp import SquaredLp
from fenchel.solvers.base import Start
from fenchel.solvers.interpolation.dual_ascent import DualAscent
from fenchel.typing import FloatArray

__all__ = ["separability"]

_STRENGTHS = tuple(10.0**-power for power in range(2, 9, 2))
_FIT = RelativeGap(1e-5)
_LINEAR_PROGRAM = 300_000
"""Entries of the largest linear program that is solved where the fits have decided nothing."""
_PROOF_WORK = 4e9
"""Operations that one proof may take: rows times the square of the columns."""


def separability(
    X: object,
    y: npt.ArrayLike,
    *,
    fit_intercept: bool = True,
    p: float = 2.0,
    tol: float = 0.1,
    max_passes: float = 1000.0,
    rng: np.random.Generator | int | None = 0,
) -> Separability:
    r"""Decide whether a hyperplane separates two classes, and prove the answer.

    Parameters
    ----------
    X : array-like or sparse matrix or Design of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two classes; the larger one is +1.
    fit_intercept : bool, default True
        Whether the hyperplane may miss the origin.
    p : float, 1 < p <= 2, default 2
        The norm that margins are measured in.
    tol : float, default 0.1
        The search for a larger margin ends when ``margin_upper <= (1 + tol) * margin_lower``, or when its
        sequence of fits does; the bounds that are returned hold in any case.
    max_passes : float, default 1000
        The most passes over the data of one fit; there are five at most, and ten with those for the margin.
    rng : Generator or int, default 0

    Returns
    -------
    Separability

    Raises
    ------
    InvalidInputError
        When y has another number of classes than two, or an argument is out of range.

    Notes
    -----
    Classes with equal rows are told at once. Otherwise ridge fits with the squared hinge and ever smaller
    strengths are made: they approach a direction of the largest margin, or else their residuals approach
    weights that cancel (the gradient of the unpenalised loss). What is still open is put to dual ascent with
    hard margins, and to a linear program of up to 300,000 entries. None of these is believed: a direction
    must separate by more than the rounding of its scores, and weights must pass a proof in
    ``fenchel.numerics.gordan``, which takes dense arithmetic on the rows with weights. Undecided are margins
    below rounding, larger sets whose weights leave the columns dependent, and what the fits did not reach.

    References
    ----------
    .. [1] P. Gordan, "Ueber die Aufloesung linearer Gleichungen mit reellen Coefficienten", Mathematische
       Annalen 6, 1873.

    Examples
    --------
    >>> from fenchel import separability
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    >>> found = separability(X, [0, 0, 0, 1])
    >>> found.separable, found.margin_lower > 0.3
    (True, True)
    >>> found = separability(X, [0, 1, 1, 0])
    >>> found.separable, found.proof, found.margin_upper
    (False, 'interior', 0.0)
    """
    if not tol >= 0.0:
        raise InvalidInputError(f"tol={tol!r} is not a number of at least 0. Give a share of the margin.")
    if not 1.0 < p <= 2.0:
        raise InvalidInputError(
            f"separability cannot use p={p!r}: the exponent is above 1 and at most 2. For the l1 norm of d "
            "features pass 1 + 1 / log(d)."
        )
    rows = SignedRows.of(X, y, fit_intercept)
    generator = generator_of(rng)
    search = _Search(rows, float(p), tol, _FIT | MaxPasses(max_passes), generator)
    search.run()
    return search.verdict()


class _Search:
    """The evidence so far: the best direction, the best weights, and a proof."""

    def __init__(
        self, rows: SignedRows, p: float, tol: float, stopping: StoppingRule, rng: np.random.Generator
    ) -> None:
        self.rows, self.p, self.tol, self.stopping, self.rng = rows, p, tol, stopping, rng
        self.lower, self.upper = 0.0, np.inf
        self.direction, self.intercept = np.zeros(rows.n_features), 0.0
        self.weights = np.zeros(rows.n_samples)
        self.exact: tuple[Fraction, ...] | None = None
        self.proof, self.tried = "", list[str]()

    @property
    def decided(self) -> bool:
        return bool(self.proof)

    @property
    def wide(self) -> bool:
        """Whether the bounds on the margin are not yet what was asked for."""
        return self.upper > (1.0 + self.tol) * self.lower

    def run(self) -> None:
        """Each step when the ones before it have decided nothing; at last the margin."""
        self.consider_equal_rows()
        rows = self.rows.alike()
        if not self.decided:
            self.fit(rows)
        if not self.decided:
            self.ascend(rows, 2.0, self.stopping, until_separated=True)
        if not self.decided and self.rows.n_entries <= _LINEAR_PROGRAM:
            self.solve_linear_program()
        if self.proof == "direction" and self.p == 2.0 and self.wide:
            self.fit(self.rows)
        if self.proof == "direction" and self.wide:
            stopping = RelativeGap(0.5 * self.tol) | self.stopping
            self.ascend(self.rows, self.p, stopping, until_separated=False)

    def verdict(self) -> Separability:
        none = self.decided and self.proof != "direction"
        found = Verdict.UNDECIDED
        if self.decided:
            found = Verdict.NOT_SEPARABLE if none else Verdict.SEPARABLE
        return Separability(
            verdict=found,
            margin_lower=0.0 if none else self.lower,
            margin_upper=0.0 if none else self.upper,
            direction=np.zeros_like(self.direction) if none else self.direction,
            intercept=0.0 if none else self.intercept,
            weights=self.weights,
            proof=self.proof,
            exact_weights=self.exact,
            p=self.p,
            reason="; ".join(self.tried),
        )

    def consider_equal_rows(self) -> None:
        pair = self.rows.equal_pair()
        if pair is not None:
            self.weights[list(pair)] = 0.5
            self.proof = "cancellation"
            self.tried.append(f"rows {pair[0]} and {pair[1]} are equal, and of different classes")

    def fit(self, rows: SignedRows) -> None:
        """Ridge fits of falling strength, until the margin is known or weights cancel."""
        start: Start | None = None
        for strength in _STRENGTHS:
            problem = Problem(
                rows.features,
                rows.sign,
                SquaredHinge(),
                Ridge(strength * rows.mean_square),
                fit_intercept=rows.fit_intercept,
            )
            result = solve(problem, stopping=self.stopping, start=start, rng=self.rng)
            start = Start(result.w, result.u)
            coefficients = rows.unscaled(result.w[: rows.n_features])
            intercept = float(result.w[-1]) if rows.fit_intercept else 0.0
            self.consider(coefficients, intercept, np.abs(result.u))
            if (self.decided and self.proof != "direction") or not self.wide:
                break
            if self.proof == "direction" and rows is not self.rows:
                break
        self.tried.append(f"squared hinge with ridge down to {strength:g}")

    def ascend(self, rows: SignedRows, p: float, stopping: StoppingRule, *, until_separated: bool) -> None:
        """Hard margins, by dual ascent; a penalised constant column stands for the intercept."""
        problem = Problem(rows.with_constant(), rows.sign, MarginConstraint(), SquaredLp(p))
        result = solve(
            problem,
            DualAscent(),
            stopping=stopping,
            rng=self.rng,
            callback=lambda progress: until_separated and progress.certificate.violation == 0.0,
        )
        self.tried.append(f"dual ascent, {result.passes:.0f} passes")
        self.consider(rows.unscaled(result.w[: rows.n_features]), 0.0, np.abs(result.u))

    def consider(self, coefficients: FloatArray, intercept: float, weights: FloatArray) -> None:
        """Look at a direction and at weights, and keep what is better."""
        direction, intercept, lower = self.rows.margin(coefficients, intercept, self.p)
        if lower > self.lower:
            self.lower, self.direction, self.intercept = lower, direction, intercept
            self.proof = "direction"
        weights, upper = self.rows.margin_bound(weights, self.p)
        if upper < self.upper:
            self.upper, self.weights = upper, weights
        if not self.decided and upper < np.inf:
            self.prove(weights)

    def prove(self, weights: FloatArray) -> None:
        """Try to make the weights cancel exactly."""
        used = np.flatnonzero(weights > 1e-12 * weights.max())
        if used.size * (self.rows.n_features + 1.0) * min(used.size, self.rows.n_features + 1) > _PROOF_WORK:
            return
        dense = self.rows.dense(used)
        balanced = balanced_weights(dense, weights[used])
        if leaves_no_direction(dense, balanced):
            self.proof = "interior"
        else:
            exact = rational_weights(dense, balanced)
            if exact is None:
                return
            self.proof = "cancellation"
            total, spread = sum(exact, Fraction(0)), [Fraction(0)] * self.rows.n_samples
            for i, weight in zip(used, exact, strict=True):
                spread[int(i)] = weight / total
            self.exact = tuple(spread)
            balanced = np.array([float(spread[int(i)]) for i in used])
        self.weights = np.zeros(self.rows.n_samples)
        self.weights[used] = balanced

    def solve_linear_program(self) -> None:
        """Ask an independent solver."""
        coefficients, intercept, weights = self.rows.scaled().linear_program()
        self.tried.append("linear program")
        self.consider(coefficients, intercept, weights)
