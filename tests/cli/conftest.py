"""Small data files of every format, and a runner of the program."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file
from typer.testing import CliRunner

from fenchel.cli.app import app


@dataclass(frozen=True)
class Run:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on stdout; strict, so that NaN and infinities are errors."""
        return json.loads(self.out, parse_constant=_refuse)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


@pytest.fixture
def run() -> Callable[..., Run]:
    """Run the program in this process; an exception that is not an exit fails the test."""

    def call(*arguments: object) -> Run:
        result = CliRunner().invoke(app, [str(item) for item in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Run(result.exit_code, result.stdout, result.stderr)

    return call


@dataclass(frozen=True)
class Files:
    """The same kind of data with three kinds of targets, as svmlight text."""

    folder: Path
    X: np.ndarray
    labels: np.ndarray
    classes: np.ndarray
    targets: np.ndarray

    @property
    def binary(self) -> Path:
        return self._file("binary", self.labels)

    @property
    def multiclass(self) -> Path:
        return self._file("multiclass", self.classes)

    @property
    def regression(self) -> Path:
        return self._file("regression", self.targets)

    def _file(self, name: str, y: np.ndarray) -> Path:
        path = self.folder / f"{name}.svm"
        if not path.exists():
            dump_svmlight_file(self.X, y, os.fspath(path), zero_based=False)
        return path


@pytest.fixture
def files(tmp_path: Path, rng: np.random.Generator) -> Files:
    X = rng.normal(size=(60, 5))
    score = X @ np.array([2.0, -1.0, 0.5, 0.0, 0.0])
    noisy = score + rng.normal(size=60)
    return Files(
        tmp_path,
        X,
        labels=np.where(noisy > 0, 1.0, -1.0),
        classes=np.digitize(noisy, [-1.0, 1.0]).astype(float),
        targets=score + 0.1 * rng.normal(size=60) + 3.0,
    )
