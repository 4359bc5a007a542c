"""A table of solver classes that imports the module of one when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from fenchel.solvers.base import Solver

__all__ = ["SolverTable"]


class SolverTable(Mapping[str, type[Solver[Any]]]):
    """Solver classes by name: a fit that takes one of them does not wait for the modules of all.

    Parameters
    ----------
    homes : mapping
        From the name, which is that of the module too, to the package and the class in it:
        ``{"primal_cd": "coordinate.PrimalCD"}``.
    """

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = homes
        self._found: dict[str, type[Solver[Any]]] = {}

    def __getitem__(self, name: str) -> type[Solver[Any]]:
        if name not in self._found:
            package, _, cls = self._homes[name].partition(".")
            self._found[name] = getattr(import_module(f"fenchel.solvers.{package}.{name}"), cls)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)
