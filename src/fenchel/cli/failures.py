"""What the user sees when a command cannot go on: one line on stderr, and an exit code."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import typer

__all__ = ["INTERRUPTED", "OVERCLAIMED", "USER_ERROR", "check_writable", "reported", "say"]

OVERCLAIMED = 1
"""A model claims more than is true."""
USER_ERROR = 2
"""An argument or a file is unusable."""
INTERRUPTED = 130
"""Ctrl-C, by the convention of shells: 128 + SIGINT."""


def say(kind: str, message: object) -> None:
    """Print ``kind: message`` to stderr on one line."""
    print(f"{kind}: {' '.join(str(message).split())}", file=sys.stderr)


@contextmanager
def reported() -> Iterator[None]:
    """Turn the errors that a user can mend into one line and an exit code; warnings into one line each.

    An error that is a defect of the library passes through, with its traceback.
    """
    from fenchel.errors import ConvergenceWarning, FenchelError

    with warnings.catch_warnings():
        # Every command states the status of a fit in its own words.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.showwarning = _show_warning
        try:
            yield
        except BrokenPipeError:
            raise
        # scikit-learn refuses labels and shapes by a plain ValueError.
        except (FenchelError, ValueError) as error:
            say("error", error)
            raise typer.Exit(USER_ERROR) from error
        except OSError as error:
            where = "" if error.filename is None else f"{error.filename}: "
            say("error", f"{where}{error.strerror or error}")
            raise typer.Exit(USER_ERROR) from error
        except MemoryError as error:
            say("error", f"not enough memory: {error}. Use sparse data, float32 values or fewer columns.")
            raise typer.Exit(USER_ERROR) from error
        except KeyboardInterrupt as error:
            say("error", "interrupted before there was a result")
            raise typer.Exit(INTERRUPTED) from error


def check_writable(path: Path | None, option: str, *inputs: Path) -> None:
    """Fail before any work when a file cannot be written there, or would replace one of the inputs."""
    import os

    from fenchel.errors import InvalidInputError

    if path is None:
        return
    folder = path.parent
    if not folder.is_dir():
        raise InvalidInputError(f"{option} {path}: the folder {folder} does not exist. Create it first.")
    if path.is_dir():
        raise InvalidInputError(f"{option} {path}: this is a folder. Name a file in it.")
    if path.exists() and any(item.exists() and path.samefile(item) for item in inputs):
        raise InvalidInputError(f"{option} {path}: this would overwrite an input. Choose another name.")
    if not os.access(path if path.exists() else folder, os.W_OK) or not os.access(folder, os.W_OK):
        raise InvalidInputError(f"{option} {path}: no permission to write there. Choose another folder.")


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    say("warning", message)
