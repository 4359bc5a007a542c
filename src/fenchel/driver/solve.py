"""Solve one problem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fenchel.driver.checkpoint import Checkpoint
from fenchel.driver.loop import Ending, certify_each, iterate
from fenchel.driver.result import Result
from fenchel.driver.run import Callback, Run, Saver, as_start
from fenchel.driver.stopping import MaxPasses, RelativeGap, StoppingRule
from fenchel.numerics.generators import generator_of
from fenchel.numerics.threads import single_blas_thread
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Solver, Start
from fenchel.solvers.registry import get_solver

__all__ = ["Callback", "solve"]

_DEFAULT_RULE = RelativeGap(1e-6) | MaxPasses(10_000)


def solve(
    problem: Problem,
    solver: str | Solver[Any] = "auto",
    *,
    stopping: StoppingRule = _DEFAULT_RULE,
    callback: Callback | None = None,
    start: Start | Result | None = None,
    rng: np.random.Generator | int | None = 0,
    checkpoint: Path | str | None = None,
    checkpoint_seconds: float = 60.0,
    resume: Path | str | None = None,
) -> Result:
    r"""Minimise ``P`` and prove how far the result is from the optimum.

    Parameters
    ----------
    problem : Problem
    solver : str or Solver, default "auto"
        A name in ``fenchel.solvers.registry.SOLVERS``, an instance with its own hyper-parameters, or "auto":
        the result says what was chosen and why.
    stopping : StoppingRule, default ``RelativeGap(1e-6) | MaxPasses(10_000)``
    callback : callable, optional
        ``callback(progress)`` after every certificate; a true answer ends the run.
    start : Start or Result, optional
        Warm start.
    rng : Generator or int, default 0
        The only source of randomness: the same seed gives the same result.
    checkpoint : path, optional
        Save the whole state there every ``checkpoint_seconds``, and at the end.
    resume : path, optional
        Go on from a checkpoint of the same problem and solver, bit for bit.

    Returns
    -------
    Result
        The best primal point and the best dual point that were seen, whatever ended the run: a
        stopping rule, the callback, or Ctrl-C. More passes never give a larger gap.

    Raises
    ------
    UnsupportedProblemError
        Before any work, when the solver cannot serve the problem, with the reason and a way out.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import L1
    >>> result = solve(Problem(np.eye(2), [3.0, 1.0], Squared(), L1(0.75)))
    >>> result.w
    array([1.5, 0. ])
    >>> result.status.solved
    True
    """
    chosen, reason = get_solver(solver, problem)
    generator = generator_of(rng)
    saver = None if checkpoint is None else Saver(Path(checkpoint), checkpoint_seconds)
    run = Run(problem, chosen, reason, stopping, callback, as_start(start, problem), generator, saver)
    with single_blas_thread():
        if resume is not None:
            run.restore(Checkpoint.load(resume))
        (ended,) = iterate([run], 1, certify_each, Ending())
    assert ended.result is not None
    return ended.result
