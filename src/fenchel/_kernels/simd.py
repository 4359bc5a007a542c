"""The instructions that the innermost loops of the kernels use.

One level serves the process: the best that the CPU runs well, or the one that the environment variable
``FENCHEL_SIMD`` names. Levels add in different orders, so results differ from level to level in rounding;
on one level the same seed gives the same bits.
"""

from __future__ import annotations

from fenchel._kernels import _core
from fenchel.errors import InvalidInputError

__all__ = ["LEVELS", "choose_level", "use_level", "used_level"]

LEVELS = ("baseline", "avx2", "avx512")
"""Every level; ``baseline`` runs on any CPU."""


def choose_level(asked: str | None) -> str:
    """Return the level that is asked for, or the best where none is.

    Raises InvalidInputError for an unknown name, and for a level whose instructions the CPU lacks.
    """
    if not asked:
        return _core.best_level().name
    runnable = [name for name in LEVELS if _core.runs(_core.Level[name])]
    if asked not in runnable:
        reason = "this CPU lacks its instructions" if asked in LEVELS else "it is not the name of a level"
        raise InvalidInputError(
            f"FENCHEL_SIMD={asked!r} cannot be used: {reason}. Here it can be {' or '.join(runnable)}; "
            "without it the best of them is taken."
        )
    return asked


def use_level(name: str) -> None:
    """Let the kernels use a level that :func:`choose_level` has returned; no other thread may run one now."""
    _core.use_level(_core.Level[name])


def used_level() -> str:
    """The level in use."""
    return _core.used_level().name
