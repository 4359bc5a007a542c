"""From the text of --penalty and --constraint to a regularizer."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fenchel.regularizers.base import Regularizer

__all__ = ["read_penalty_and_constraint"]

_BY_FEATURE = ("groups", "weights", "prior")
"""The arguments with an entry a feature: a text has no place for them."""


def read_penalty_and_constraint(
    penalty: str | None, constraint: str | None, groups: Path | None
) -> dict[str, Regularizer | None]:
    """Return the parameters of the estimators; each text is a name and its numbers, as in ``l1_ball:5``."""
    from fenchel.errors import InvalidInputError

    labels = None if groups is None else _read_labels(groups)
    found = {
        "penalty": None if penalty is None else _read(penalty, "--penalty", False, labels),
        "constraint": None if constraint is None else _read(constraint, "--constraint", True, labels),
    }
    if labels is not None and not any(hasattr(item, "groups") for item in found.values()):
        raise InvalidInputError(
            f"--groups {groups}: neither a penalty nor a constraint of groups was asked for. Add --penalty "
            "group_l2:STRENGTH or --constraint group_l2_ball:RADIUS, or leave it out."
        )
    return found


def _read(text: str, option: str, is_set: bool, groups: Any) -> Regularizer:
    from fenchel.errors import InvalidInputError
    from fenchel.regularizers.registry import REGULARIZERS

    name, *numbers = text.split(":")
    choices = {key: cls for key, cls in REGULARIZERS.items() if cls.is_set is is_set}
    cls = choices.get(name.replace("-", "_"))
    if cls is None:
        raise InvalidInputError(f"{option} {text}: the name {name!r} is unknown. Use one of {list(choices)}.")
    names = [item.name for item in fields(cls)]
    arguments = [item for item in names if item not in _BY_FEATURE]
    try:
        values: dict[str, Any] = dict(zip(arguments, map(float, numbers), strict=False))
        if len(numbers) > len(arguments):
            raise ValueError
        return cls(**values, **({"groups": groups} if "groups" in names else {}))
    except InvalidInputError:
        raise
    except (TypeError, ValueError):
        form = ":".join([cls.name, *(item.upper() for item in arguments)])
        raise InvalidInputError(
            f"{option} {text}: these are not the numbers of {cls.__name__}. Use {form}; those at the end "
            "that have a default may be left out."
        ) from None


def _read_labels(path: Path) -> Any:
    """One label a feature: the words of a text file, or an .npy array."""
    import numpy as np

    from fenchel.errors import InvalidInputError

    try:
        if path.suffix == ".npy":
            return np.load(path, allow_pickle=False)
        return np.array(path.read_text(encoding="utf-8").split(), dtype=np.str_)
    except (EOFError, OSError, ValueError) as error:
        raise InvalidInputError(
            f"--groups {path}: not readable as labels: {error}. Write one label a feature, or an .npy array."
        ) from error
