"""A solver is three functions and a list of what it needs; the loop belongs to the driver."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from fenchel.errors import UnsupportedProblemError
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["Products", "Requirement", "Solver", "Start", "State", "StateT"]


class Products(NamedTuple):
    """What a certificate needs of a point (w, u) beside it: ``z = A w`` and ``v = A'(s * u) / n``."""

    z: FloatArray
    v: FloatArray


@dataclass(frozen=True)
class Start:
    """Where a solver begins: a primal point, a dual point, or neither.

    ``products`` are those of both, where they are at hand: along a path, ``state.w``, ``state.u``,
    ``state.z`` and ``state.v`` of a result of ProxNewton begin the next problem on the same rows without a
    pass. Nothing checks them before the certificate of the result.
    """

    w: FloatArray | None = None
    u: FloatArray | None = None
    products: Products | None = None

    def primal_within(self, form: CoordinateForm) -> FloatArray:
        """A new array: the primal point, or zero, moved into the bounds of a separable regularizer."""
        return np.clip(np.zeros(form.l1.size) if self.w is None else self.w, form.lower, form.upper)

    def dual_within(self, problem: Problem) -> FloatArray | None:
        """A new array: the dual point moved into the domain of the loss; None where there is no dual point.

        What stands for it then is the solver's own choice.
        """
        return None if self.u is None else np.array(problem.loss.dual_domain(problem.b).project(self.u))


@dataclass
class State:
    """What a solver changes while it runs: arrays, matrices in factors, scalars and the generator.

    ``entries_read`` counts the entries of A that the solver has read; n_entries of them are one pass.
    """

    growing: ClassVar[Mapping[str, int]] = {}
    """The arrays with an axis whose length changes while the solver runs, and that axis."""

    rng: np.random.Generator
    entries_read: int


StateT = TypeVar("StateT", bound=State)


@dataclass(frozen=True)
class Requirement:
    """A condition on the problem, the reason for it, and the way out when it fails."""

    holds: Callable[[Problem], bool]
    reason: Callable[[Problem], str]
    way_out: str


@dataclass(frozen=True)
class Solver(ABC, Generic[StateT]):
    """Frozen hyper-parameters with ``init``, ``run_epoch`` and ``extract``."""

    name: ClassVar[str]
    requires: ClassVar[tuple[Requirement, ...]]

    @classmethod
    def unmet(cls, problem: Problem) -> Requirement | None:
        """Return the first requirement that the problem does not meet."""
        return next((item for item in cls.requires if not item.holds(problem)), None)

    @classmethod
    def check(cls, problem: Problem) -> None:
        """Raise UnsupportedProblemError, with the reason and a way out, unless all requirements hold."""
        failed = cls.unmet(problem)
        if failed is not None:
            raise UnsupportedProblemError(
                f"{cls.__name__} cannot use loss {type(problem.loss).__name__} with regularizer "
                f"{type(problem.regularizer).__name__}: {failed.reason(problem)}. {failed.way_out}"
            )

    @abstractmethod
    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> StateT:
        """Allocate the state; the only place that allocates."""

    @abstractmethod
    def run_epoch(self, problem: Problem, state: StateT) -> None:
        """Advance the state by about one pass over the data, in place."""

    def run_epochs(self, problems: Sequence[Problem], states: Sequence[StateT]) -> None:
        """One epoch of several problems that share a design.

        A solver that can read the design once for all overrides this; what happens to a problem must not
        depend on the others.
        """
        for problem, state in zip(problems, states, strict=True):
            self.run_epoch(problem, state)

    @abstractmethod
    def extract(self, problem: Problem, state: StateT) -> tuple[FloatArray, FloatArray | None]:
        """The primal point and, where the solver keeps one, the dual point."""

    def products(self, problem: Problem, state: StateT) -> Products | None:
        """The products that belong to what ``extract`` gives, where the solver has them to rounding.

        Then ``u`` must be in the domain of the loss, and its residual on the columns without penalty no more
        than rounding. They spare the certificates inside of a run two passes each; the one of the result
        is computed from w and u alone.
        """
        return None

    def gap_met(self, problem: Problem, state: StateT) -> float | None:
        """About the duality gap after an epoch, where the solver has met it without more work.

        An epoch whose gap is far above what would end the run is not certified.
        """
        return None
