"""Save a run and go on with it later, bit for bit."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from fenchel.driver.stopping import Progress
from fenchel.errors import InvalidInputError
from fenchel.problem.certificate import Certificate
from fenchel.solvers.base import Solver, State
from fenchel.typing import FloatArray

__all__ = ["Checkpoint"]

_FORMAT = 2
_NUMBERS = ("primal", "dual", "radius", "violation", "relative_violation", "relaxation")


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The solver's state, the best points and the trace, as arrays and scalars."""

    solver: str
    arrays: dict[str, np.ndarray[Any, Any]]
    scalars: dict[str, float | int]
    rng: dict[str, Any]
    w: FloatArray
    best: Certificate
    trace: list[Progress]

    @classmethod
    def take(
        cls, solver: Solver[Any], state: State, w: FloatArray, best: Certificate, trace: list[Progress]
    ) -> Checkpoint:
        """Copy a run as it stands."""
        values = {item.name: getattr(state, item.name) for item in fields(state) if item.name != "rng"}
        return cls(
            solver=repr(solver),
            arrays={name: value.copy() for name, value in values.items() if isinstance(value, np.ndarray)},
            scalars={name: value for name, value in values.items() if not isinstance(value, np.ndarray)},
            rng=dict(state.rng.bit_generator.state),
            w=w.copy(),
            best=best,
            trace=list(trace),
        )

    def state_like(self, solver: Solver[Any], blank: State) -> State:
        """Rebuild the state that :meth:`take` copied; ``blank`` is a fresh one of the same kind.

        Raises InvalidInputError when the checkpoint is of another solver or another problem.
        """
        if repr(solver) != self.solver:
            raise InvalidInputError(
                f"The checkpoint was made by {self.solver}, but the solver now is {solver!r}. "
                "Resume with the same one."
            )
        for name, array in self.arrays.items():
            first = int(name in blank.growing)
            if getattr(blank, name, np.empty(0)).shape[first:] != array.shape[first:]:
                raise InvalidInputError(
                    f"The checkpoint's {name} has shape {array.shape}, which is not that of this problem. "
                    "Resume with the data and the options that the checkpoint was made with."
                )
        bit_generator = getattr(np.random, self.rng["bit_generator"])()
        bit_generator.state = self.rng
        values: dict[str, Any] = {name: array.copy() for name, array in self.arrays.items()}
        values |= self.scalars
        return replace(blank, rng=np.random.Generator(bit_generator), **values)

    def save(self, path: Path | str) -> None:
        """Write to one npz file; a crash while writing leaves the old file as it was."""
        header = {
            "format": _FORMAT,
            "solver": self.solver,
            "scalars": self.scalars,
            "rng": self.rng,
            "best": _numbers(self.best),
            "trace": [_row(record) for record in self.trace],
        }
        path = Path(path)
        partial = path.with_name(path.name + ".partial")
        members: dict[str, Any] = {f"state_{name}": array for name, array in self.arrays.items()}
        members |= {"header": np.array(json.dumps(header, default=_as_list))}
        members |= {"best_w": self.w, "best_u": self.best.dual_point, "best_r": self.best.distances}
        with partial.open("wb") as file:
            np.savez(file, **members)
        os.replace(partial, path)

    @classmethod
    def load(cls, path: Path | str) -> Checkpoint:
        """Read what :meth:`save` wrote. Raises InvalidInputError when the file is not a checkpoint."""
        try:
            with Path(path).open("rb") as stream, np.load(stream) as file:
                header = json.loads(str(file["header"]))
                stored = {name: file[name] for name in file.files}
        except (OSError, EOFError, KeyError, TypeError, ValueError, BadZipFile) as error:
            raise InvalidInputError(f"{path} is not a checkpoint of this library: {error}.") from error
        if header.get("format") != _FORMAT:
            raise InvalidInputError(
                f"{path} has checkpoint format {header.get('format')}, but this reads {_FORMAT}."
            )
        return cls(
            solver=header["solver"],
            arrays={name[6:]: array for name, array in stored.items() if name.startswith("state_")},
            scalars=header["scalars"],
            rng=header["rng"],
            w=stored["best_w"],
            best=Certificate(**header["best"], dual_point=stored["best_u"], distances=stored["best_r"]),
            trace=[_record(row) for row in header["trace"]],
        )


def _as_list(value: np.ndarray[Any, Any]) -> list[int]:
    """The arrays in the state of some bit generators."""
    numbers: list[int] = value.tolist()
    return numbers


def _row(record: Progress) -> dict[str, float]:
    """The numbers of one trace record, flat."""
    certificate = record.certificate
    return {
        "passes": record.passes,
        "entries_read": record.entries_read,
        "seconds": record.seconds,
        "nonzeros": record.nonzeros,
        "rounding": record.rounding,
        **_numbers(certificate),
    }


def _record(row: dict[str, Any]) -> Progress:
    certificate = Certificate(**{name: row.pop(name) for name in _NUMBERS})
    return Progress(certificate=certificate, **row)


def _numbers(certificate: Certificate) -> dict[str, float]:
    return {name: getattr(certificate, name) for name in _NUMBERS}
