"""What a run returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fenchel.driver.stopping import Progress, Status
from fenchel.problem.certificate import Certificate
from fenchel.typing import FloatArray

__all__ = ["Result"]


@dataclass(frozen=True, eq=False)
class Result:
    """A model, its certificate, and the story of the run.

    Attributes
    ----------
    w : ndarray of shape (n_coordinates,) or (n_coordinates, n_outputs)
        The best primal point: the coefficients, then the intercept if there is one.
    u : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        The best dual point, feasible: ``problem.certify(w, u)`` recomputes the certificate.
    certificate : Certificate
    status : Status
    solver : str
        The solver that ran.
    reason : str
        Why that solver was taken.
    memory : int
        The most bytes that the run was seen to hold beside the data: the arrays of the solver's state, looked
        at after every epoch, and the copy of the data in the other format where the solver asked for
        one. What lives inside an epoch alone is not counted: scaled copies of some columns, the matrix of a
        Newton step.
    trace : list of Progress
        One record a certificate, the first before any work.
    state : object
        The solver's last state, for inspection; the Frank-Wolfe solvers count ``gradient_calls``, one a
        sample, and ``lmo_calls`` there. To go on from a run, use ``solve(..., checkpoint=path)``.
    """

    w: FloatArray
    u: FloatArray
    certificate: Certificate
    status: Status
    solver: str
    reason: str
    memory: int
    trace: list[Progress] = field(repr=False)
    state: Any = field(repr=False, default=None)

    @property
    def message(self) -> str:
        """The status in words, with the gap that was reached."""
        violation = self.certificate.relative_violation
        broken = f", constraints broken by {violation:.1e} of their size" if violation > 0.0 else ""
        return (
            f"{self.status.value} (relative gap {self.certificate.relative_gap:.2e}{broken} after "
            f"{self.passes:.1f} passes, solver {self.solver}: {self.reason})"
        )

    @property
    def passes(self) -> float:
        """Passes over the data that the solver made."""
        return self.trace[-1].passes

    @property
    def entries_read(self) -> int:
        """Entries of A that the solver read."""
        return self.trace[-1].entries_read

    @property
    def seconds(self) -> float:
        """Wall time of the run, certificates included."""
        return self.trace[-1].seconds
