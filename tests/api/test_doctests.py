"""The examples in the docstrings run, and print what they say."""

import doctest
import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import fenchel


def modules() -> Iterator[str]:
    """Every module of the package but the compiled one, which has no docstrings."""
    for info in pkgutil.walk_packages(fenchel.__path__, "fenchel."):
        if not info.name.endswith("._core"):
            yield info.name


@pytest.mark.parametrize("name", sorted(modules()))
def test_examples_of(name: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(str(tmp_path))
    outcome = doctest.testmod(importlib.import_module(name), verbose=False)
    assert outcome.failed == 0, f"{outcome.failed} of {outcome.attempted} examples of {name} fail; see above"
