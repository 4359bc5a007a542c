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

    def __getitem__(self, name: str) -> type[Solver[Any]]:
        package, _, cls = self._homes[name].partition(".")
        found: type[Solver[Any]] = getattr(import_module(f"fenchel.solvers.{package}.{name}"), cls)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)
