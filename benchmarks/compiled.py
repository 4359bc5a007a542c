"""C programs beside the benchmarks, compiled when they are asked for."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import typer

__all__ = ["library", "pointer"]


def library(source: Path) -> ctypes.CDLL:
    """Compile a program with the C compiler of the system, for any CPU of its kind, and load it."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise typer.BadParameter(f"{source.name} is a C program, and there is no compiler cc")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / source.with_suffix(".so").name
        subprocess.run([compiler, "-O3", "-shared", "-fPIC", "-o", made, source, "-lm"], check=True)
        return ctypes.CDLL(str(made))


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
