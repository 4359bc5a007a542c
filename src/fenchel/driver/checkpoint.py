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
from fenchel.numerics.low_rank import LowRank
from fenchel.problem.certificate import Certificate
from fenchel.solvers.base import Solver, State

__all__ = ["Checkpoint"]

_FORMAT = 2
_NUMBERS = ("primal", "dual", "radius", "failure", "violation", "relative_violation", "relaxation")
"""What a certificate claims, without its dual point."""

_Numbers = (np.ndarray, LowRank)


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The solver's state, the best points and the trace, as arrays, matrices in factors and scalars."""

    solver: str
    arrays: dict[str, Any]
    scalars: dict[str, float | int]
    rng: dict[str, Any]
    w: Any
    best: Certificate
    trace: list[Progress]

    @classmethod
    def take(
        cls, solver: Solver[Any], state: State, w: Any, best: Certificate, trace: list[Progress]
    ) -> Checkpoint:
        """Copy a run as it stands."""
        values = {item.name: getattr(state, item.name) for item in fields(state) if item.name != "rng"}
        return cls(
            solver=repr(solver),
            arrays={name: _copy(value) for name, value in values.items() if isinstance(value, _Numbers)},
            scalars={name: value for name, value in values.items() if not isinstance(value, _Numbers)},
            rng=dict(state.rng.bit_generator.state),
            w=_copy(w),
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
            if _fixed_shape(array, name, blank) != _fixed_shape(getattr(blank, name, None), name, blank):
                raise InvalidInputError(
                    f"The checkpoint's {name} has shape {array.shape}, which is not that of this problem. "
                    "Resume with the data and the options that the checkpoint was made with."
                )
        bit_generator = getattr(np.random, self.rng["bit_generator"])()
        bit_generator.state = self.rng
        values: dict[str, Any] = {name: _copy(array) for name, array in self.arrays.items()}
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
        members |= {"best_w": self.w, "best_u": self.best.dual_point, "best_r": self.best.distances}
        members = _without_factors(members)
        members |= {"header": np.array(json.dumps(header, default=_as_list))}
        with partial.open("wb") as file:
            np.savez(file, **members)
        os.replace(partial, path)

    @classmethod
    def load(cls, path: Path | str) -> Checkpoint:
        """Read what :meth:`save` wrote. Raises InvalidInputError when the file is not a checkpoint."""
        try:
            with Path(path).open("rb") as stream, np.load(stream) as file:
                header = json.loads(str(file["header"]))
                stored = _with_factors({name: file[name] for name in file.files})
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


def _copy(value: Any) -> Any:
    """A copy with the same order of axes, on which products round in the same way."""
    return value if isinstance(value, LowRank) else value.copy(order="K")


def _fixed_shape(value: Any, name: str, state: State) -> tuple[Any, ...]:
    """The kind of an entry of the state, and its shape without the axis that grows."""
    shape = list(getattr(value, "shape", ()))
    if name in state.growing:
        axis = state.growing[name]
        del shape[axis : axis + 1]
    return (isinstance(value, LowRank), *shape)


def _without_factors(members: dict[str, Any]) -> dict[str, Any]:
    """The members of a file: three for each matrix in factors."""
    flat: dict[str, Any] = {}
    for name, value in members.items():
        if isinstance(value, LowRank):
            flat |= {f"{name}.{part.name}": getattr(value, part.name) for part in fields(value)}
        else:
            flat[name] = value
    return flat


def _with_factors(flat: dict[str, Any]) -> dict[str, Any]:
    """Undo :func:`_without_factors`."""
    members: dict[str, Any] = {}
    for key, value in flat.items():
        name, dot, part = key.partition(".")
        if dot:
            members.setdefault(name, {})[part] = value
        else:
            members[name] = value
    return {name: LowRank(**item) if isinstance(item, dict) else item for name, item in members.items()}


def _as_list(value: np.ndarray[Any, Any]) -> list[int]:
    """The arrays in the state of some bit generators."""
    numbers: list[int] = value.tolist()
    return numbers


def _row(record: Progress) -> dict[str, float]:
    """The numbers of one trace record, flat."""
    return {
        "passes": record.passes,
        "entries_read": record.entries_read,
        "seconds": record.seconds,
        "nonzeros": record.nonzeros,
        "rounding": record.rounding,
        **_numbers(record.certificate),
    }


def _record(row: dict[str, Any]) -> Progress:
    certificate = Certificate(**{name: row.pop(name) for name in _NUMBERS})
    return Progress(certificate=certificate, **row)


def _numbers(certificate: Certificate) -> dict[str, float]:
    return {name: getattr(certificate, name) for name in _NUMBERS}
