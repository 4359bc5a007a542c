"""Solve one binary problem a label, on threads, and keep no more of each than the model needs."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp

from fenchel.driver.result import Result
from fenchel.driver.stopping import Progress, Status
from fenchel.errors import InvalidInputError
from fenchel.estimators.fitting import FitOptions, run
from fenchel.numerics.threads import single_blas_thread
from fenchel.problem.certificate import Certificate
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Start
from fenchel.typing import FloatArray

__all__ = ["LabelFit", "LabelRuns", "n_threads"]

_LOOK_SECONDS = 0.1
_LARGEST_SCORE = 1024.0
"""The logistic loss is zero in float64 from a score of about 750 on."""


@dataclass(frozen=True)
class LabelFit:
    """What is left of the fit of one label.

    Attributes
    ----------
    coef : ndarray of shape (n_features,), or csr_matrix of shape (1, n_features)
    intercept : float
    dual : csr_matrix of shape (1, n_samples), or None
    result : Result
        Its numbers alone: without the points, the state and the dual point of the certificate.
    """

    coef: Any
    intercept: float
    dual: Any
    result: Result

    @classmethod
    def of(cls, problem: Problem, result: Result, *, sparse: bool, keep_dual: bool) -> LabelFit:
        """Take from a result what is to be kept."""
        coef = result.w[: problem.n_features]
        certificate = result.certificate
        nothing = np.empty(0)
        numbers = Certificate(certificate.primal, certificate.dual, certificate.radius)
        return cls(
            sp.csr_matrix(coef) if sparse else coef.copy(),
            float(result.w[-1]) if problem.fit_intercept else 0.0,
            sp.csr_matrix(result.u) if keep_dual else None,
            replace(result, w=nothing, u=nothing, state=None, certificate=numbers),
        )


@dataclass
class LabelRuns:
    """The runs of all labels; they share the design, a time limit, the callback and Ctrl-C.

    Attributes
    ----------
    problem, start : callable
        Of the number of a label; called when its run begins.
    options : FitOptions
    rngs : list of Generator
        One a label, so that no run depends on which thread took the one before.
    sparse, keep_dual : bool
        As for :meth:`LabelFit.of`.
    n_jobs : int
    """

    problem: Callable[[int], Problem]
    start: Callable[[int], Start]
    options: FitOptions
    rngs: list[np.random.Generator]
    sparse: bool
    keep_dual: bool
    n_jobs: int
    ended: Status | None = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _begun: float = field(default_factory=time.perf_counter, init=False)

    def fits(self) -> list[LabelFit]:
        """Solve for every label, and return the fits in their order."""
        fits: list[LabelFit] = []
        # Set around all runs: threads that each set and restore the number would leave a wrong one.
        with single_blas_thread():
            for label in range(len(self.rngs)):
                fits.append(self._fit(label))
                # The first run that does a pass builds the views of the design: once, not once a thread.
                if self.n_jobs > 1 and fits[-1].result.passes > 0:
                    break
            return fits + self._on_threads(range(len(fits), len(self.rngs)))

    def _on_threads(self, labels: range) -> list[LabelFit]:
        with ThreadPoolExecutor(self.n_jobs) as executor:
            try:
                futures = [executor.submit(self._fit, label) for label in labels]
            except BaseException:  # Ctrl-C before there is anything to wait for
                self.ended = Status.INTERRUPTED
                raise
            if not self._wait(set(futures)):
                self.ended = Status.INTERRUPTED
                executor.shutdown(wait=True, cancel_futures=True)
            return [future.result() for future in futures]

    def _wait(self, running: set[Future[LabelFit]]) -> bool:
        """Wait for the threads, and say whether all went well.

        Only the main thread sees Ctrl-C, and tells the others. It looks up now and then, because a wait
        without a limit is not woken by a signal on every system.
        """
        while running:
            try:
                done, running = wait(running, timeout=_LOOK_SECONDS, return_when=FIRST_EXCEPTION)
                if any(future.exception() is not None for future in done):
                    return False
            except KeyboardInterrupt:
                self.ended = Status.INTERRUPTED
        return True

    def _fit(self, label: int) -> LabelFit:
        problem = self.problem(label)
        start = _constant_answer(problem) or self.start(label)
        late = self.ended is not None
        limits = {"max_passes": 0, "time_limit": None} if late else {"time_limit": self._share(label)}
        options = replace(self.options, callback=self._callback, **limits)
        (result,) = run([problem], [start], options, self.rngs[label])
        if result.status in (Status.CALLBACK, Status.INTERRUPTED):
            self.ended = self.ended or result.status
        if self.ended is not None and (late or result.status is Status.CALLBACK):
            result = result if result.status.solved else replace(result, status=self.ended)
        return LabelFit.of(problem, result, sparse=self.sparse, keep_dual=self.keep_dual)

    def _share(self, label: int) -> float | None:
        """An equal share of the time that is left, for each run that a thread still has to do."""
        if self.options.time_limit is None:
            return None
        left = self.options.time_limit - (time.perf_counter() - self._begun)
        return max(left, 0.0) / math.ceil((len(self.rngs) - label) / self.n_jobs)

    def _callback(self, progress: Progress) -> bool:
        if self.ended is not None:
            return True
        if self.options.callback is None:
            return False
        with self._lock:
            return bool(self.options.callback(progress))


def _constant_answer(problem: Problem) -> Start | None:
    r"""Return the exact solution where all samples that count agree and the intercept is free; else None.

    With w = 0 and a score c of the sign of the label the loss falls to zero as c grows; the dual point
    u = 0 proves that zero is the optimum. The score is the first power of two at which the loss is zero
    in float64: :math:`\pm 1` for the hinges, :math:`\pm 1024` for the logistic loss.
    """
    counted = problem.b[problem.sample_weight > 0]
    if not problem.fit_intercept or np.any(counted != counted[0]):
        return None
    score = 1.0
    while score < _LARGEST_SCORE and problem.loss.value(score * counted[:1], counted[:1])[0] != 0.0:
        score *= 2.0
    w = np.zeros(problem.n_coordinates)
    w[-1] = score * counted[0]
    u: FloatArray = np.zeros(problem.n_samples)
    return Start(w, u)


def n_threads(n_jobs: object, n_labels: int) -> int:
    """Return the threads that ``n_jobs`` asks for, as joblib counts them: -1 is one for each core."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or int(n_jobs) == 0:
        raise InvalidInputError(
            f"n_jobs={n_jobs!r} is not a number of threads. Pass 1 or more, or -1 for all."
        )
    cores = os.cpu_count() or 1
    wanted = int(n_jobs) if int(n_jobs) > 0 else cores + 1 + int(n_jobs)
    return min(max(wanted, 1), n_labels)
