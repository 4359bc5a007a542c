"""Which side to work on: the active rows, or the columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.solvers.coordinate.dgpd_plus import DGPDPlus
from fenchel.solvers.coordinate.primal_cd import PrimalCD

__all__ = ["SideChoice", "choose_side"]

_SAMPLE = 16
"""One row in this many is looked at."""


class SideChoice(NamedTuple):
    """The solver, the reason in words, and the entries of A that the choice has read."""

    solver: DGPDPlus | PrimalCD
    reason: str
    entries: int


def choose_side(problem: Problem) -> SideChoice:
    r"""Choose between active sets of rows and columns (DGPDPlus) and the columns alone (PrimalCD).

    DGPDPlus pays where few rows are active at the optimum. A coordinate is non-zero only if

    .. math:: \Bigl| \frac1n \sum_{i \text{ active}} s_i u_i a_{ik} \Bigr| > l_{1k},

    so strong penalties need many active rows. The rule takes every 16th row with
    :math:`u_i = \phi_i'(0)`. If no coordinate answers to them, more rows than these must be active
    before any column is, and the columns are the cheaper side.

    Parameters
    ----------
    problem : Problem
        Both solvers must serve it; where DGPDPlus does not, or no row can have the dual value 0
        (logistic, squared, Huber), PrimalCD is chosen without a look.

    Returns
    -------
    SideChoice

    Notes
    -----
    Cost: a sixteenth of a pass. The rule counts entries of A read, which is what dominates on data
    that do not fit in the cache; where they fit, the Newton steps of PrimalCD can still be the faster
    ones. It does not see rows that cannot reach their margins, because there are few columns in all or
    because the rows are short (text under a strong l2 part): there PrimalCD reads less, by up to half.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import Problem
    >>> from fenchel.losses import SmoothedHinge
    >>> from fenchel.regularizers import ElasticNet
    >>> from fenchel.solvers.selection import choose_side
    >>> A = np.random.default_rng(0).normal(size=(320, 40))
    >>> b = np.sign(A[:, 0])
    >>> [choose_side(Problem(A, b, SmoothedHinge(), ElasticNet(l1, 0.01))).solver.name for l1 in (0.3, 0.01)]
    ['primal_cd', 'dgpd_plus']
    """
    if DGPDPlus.unmet(problem) is not None or not problem.loss.sparse_dual:
        return SideChoice(PrimalCD(), "all rows are active", 0)
    sample = np.arange(0, problem.n_samples, _SAMPLE)
    part = problem.design.submatrix(sample, np.arange(problem.n_coordinates))
    u = problem.loss.gradient(np.zeros(sample.size), problem.b[sample])
    v = part.rmatvec(problem.sample_weight[sample] * u) / problem.n_samples
    if np.all(np.abs(v) <= problem.coordinate_form.l1):
        return SideChoice(PrimalCD(), "the penalty is so strong that many rows are active", part.n_entries)
    return SideChoice(DGPDPlus(), "few rows need be active before a column is", part.n_entries)
