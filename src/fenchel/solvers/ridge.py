"""How strong a ridge is beside the rows, which tells how quickly dual ascent converges under it."""

from __future__ import annotations

from fenchel.problem.problem import Problem

__all__ = ["ridge_of_features", "row_curvature"]


def ridge_of_features(problem: Problem) -> float:
    """The l2 of a regularizer that is ``l2 / 2 |w|^2`` on the features; 0 for any other."""
    return problem.coordinate_form.restrict(slice(problem.n_features)).ridge


def row_curvature(problem: Problem, ridge: float) -> float:
    r"""``smoothness * mean_i s_i |a_i|^2 / (n l2)``: the curvature that a row adds to that of the ridge.

    Where it is at most 1 a pass of SDCA makes the gap several times smaller. Infinite for a loss with kinks.
    Cost one pass, whose result the problem keeps.
    """
    squares = float(problem.column_norms @ problem.column_norms)
    return problem.loss.smoothness * squares / (problem.n_samples * ridge)
