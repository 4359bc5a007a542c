"""Check that every loss, regularizer and solver has all of its parts, and that no part is an orphan.

A loss is a Python file, a registry line, an export, a kernel struct (where it is compiled), a row of a
table of ``tests/cases.py``, an entry in the documentation and a choice of the command line. A regularizer
has no struct, and a part that wraps another has no registry line. A compiled solver has a twin in
``fenchel.reference``. The sources are parsed, not imported: nothing need be installed.

    python tools/check_registry.py
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "fenchel"
CPP = ROOT / "cpp" / "include" / "fenchel"


@dataclass(frozen=True)
class Part:
    """A class with a registry name, and what its file says about it."""

    name: str
    cls: str
    path: Path
    compiled: bool
    scalar: bool
    task: str
    constraint: bool
    fields: tuple[str, ...]

    @property
    def to_fit(self) -> bool:
        """Whether the command that fits can name it: a loss with finite values, of one target a row."""
        return not (self.constraint or self.wraps) and (self.scalar or self.task == "multiclass")

    @property
    def wraps(self) -> bool:
        """Whether it holds another part, so that no name alone can make it."""
        return any(annotation.endswith(("Regularizer", "Loss")) for annotation in self.fields)


def main() -> int:
    """Print what is missing; return 1 when anything is."""
    losses, regularizers, solvers = (
        _parts(PACKAGE / folder) for folder in ("losses", "regularizers", "solvers")
    )
    missing = [
        *_check_family(
            losses,
            PACKAGE / "losses",
            "LOSSES",
            ROOT / "tests" / "cases.py",
            ("LOSSES", "MULTICLASS_LOSSES", "CONSTRAINTS"),
        ),
        *_check_family(
            regularizers,
            PACKAGE / "regularizers",
            "REGULARIZERS",
            ROOT / "tests" / "cases_regularizers.py",
            ("REGULARIZERS",),
        ),
        *_check_kernel_structs(losses),
        *_check_solvers(solvers),
        *_check_choices("LossName", {part.name for part in losses if part.to_fit}),
        *_check_choices("SolverName", {"auto", *(part.name for part in solvers)}),
        *_check_pages(losses, "losses"),
        *_check_pages(regularizers, "regularizers"),
        *_check_pages(solvers, "solvers"),
    ]
    for line in missing:
        print(line)
    if not missing:
        counts = f"{len(losses)} losses, {len(regularizers)} regularizers, {len(solvers)} solvers"
        print(f"{counts}: nothing is missing")
    return 1 if missing else 0


def _parts(folder: Path) -> list[Part]:
    """The classes of a folder that carry a registry name."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                constants = dict(_class_constants(node))
                name, compiled = constants.get("name"), constants.get("compiled", True) is True
                scalar = not constants.get("vector_output", False)
                task = str(constants.get("task", ""))
                constraint = any("Constraint" in ast.unparse(base) for base in node.bases)
                if isinstance(name, str):
                    compiled &= not constraint
                    fields = _field_types(node)
                    found.append(Part(name, node.name, path, compiled, scalar, task, constraint, fields))
    return found


def _class_constants(node: ast.ClassDef) -> Iterator[tuple[str, object]]:
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.value, ast.Constant):
            yield ast.unparse(item.target), item.value.value


def _field_types(node: ast.ClassDef) -> tuple[str, ...]:
    annotations = [ast.unparse(item.annotation) for item in node.body if isinstance(item, ast.AnnAssign)]
    return tuple(text for text in annotations if not text.startswith("ClassVar"))


def _registry(path: Path, table: str) -> dict[str, str]:
    """The literal dictionary in ``table`` of a registry file: name to class, or to "package.class"."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == table and node.value:
            literal = next(item for item in ast.walk(node.value) if isinstance(item, ast.Dict))
            keys = [ast.literal_eval(key) for key in literal.keys if key is not None]
            classes = [ast.unparse(value).strip("'").rpartition(".")[2] for value in literal.values]
            return dict(zip(keys, classes, strict=True))
    raise SystemExit(f"{_show(path)} has no table {table}")


def _check_registry(parts: list[Part], path: Path, table: str) -> Iterator[str]:
    registry = _registry(path, table)
    for part in parts:
        if registry.get(part.name) != part.cls and not part.wraps:
            yield f"{_show(path)}: no line {part.name!r}: {part.cls}"
        if part.path.stem != part.name:
            yield f"{_show(part.path)}: holds {part.name!r}, whose file should be {part.name}.py"
    for name in registry.keys() - {part.name for part in parts}:
        yield f"{_show(path)}: {name!r} has no file"


def _check_family(
    parts: list[Part], folder: Path, table: str, cases: Path, rows: tuple[str, ...]
) -> Iterator[str]:
    """Registry, export and test row (in one of the tables ``rows``) of every part."""
    yield from _check_registry(parts, folder / "registry.py", table)
    exported = set(_exports(folder / "__init__.py"))
    tested = set().union(*(_called_in(cases, name) for name in rows))
    for part in parts:
        if part.cls not in exported:
            yield f"{_show(folder / '__init__.py')}: __all__ lacks {part.cls}"
        if part.cls not in tested:
            yield f"{_show(cases)}: {' and '.join(rows)} have no row with {part.cls}"


def _exports(path: Path) -> list[str]:
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            return names
    return []


def _called_in(path: Path, table: str) -> set[str]:
    """The names that are called in the value of a module's assignment to ``table``."""
    for node in ast.parse(path.read_text("utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(target is not None and ast.unparse(target) == table for target in targets):
            calls = (item for item in ast.walk(node) if isinstance(item, ast.Call))
            return {ast.unparse(call.func) for call in calls}
    return set()


def _check_kernel_structs(losses: list[Part]) -> Iterator[str]:
    """``losses.def`` and the headers against the compiled losses."""
    definitions = CPP / "losses.def"
    lines = re.findall(r"^FENCHEL_LOSS\((\w+), (\w+), (\d+)\)", definitions.read_text("utf-8"), re.MULTILINE)
    known = {name: (struct, int(count)) for name, struct, count in lines}
    includes = (CPP / "losses.hpp").read_text("utf-8")
    compiled = [part for part in losses if part.compiled]
    for part in compiled:
        if known.get(part.name) != (part.cls, len(part.fields)):
            yield f"{_show(definitions)}: no line FENCHEL_LOSS({part.name}, {part.cls}, {len(part.fields)})"
        header = CPP / "losses" / f"{part.name}.hpp"
        if not header.exists() or f"struct {part.cls} " not in header.read_text("utf-8"):
            yield f"{_show(header)}: no struct {part.cls}"
        if f"losses/{part.name}.hpp" not in includes:
            yield f"{_show(CPP / 'losses.hpp')}: does not include losses/{part.name}.hpp"
    names = {part.name for part in compiled}
    for name in known.keys() - names:
        yield f"{_show(definitions)}: {name!r} is not a compiled loss"
    for header in sorted((CPP / "losses").glob("*.hpp")):
        if header.stem not in names:
            yield f"{_show(header)}: {header.stem!r} is not a compiled loss"


def _check_solvers(solvers: list[Part]) -> Iterator[str]:
    """Registry, export, twins and tests of every solver."""
    yield from _check_registry(solvers, PACKAGE / "solvers" / "registry.py", "SOLVERS")
    exported = set(_exports(PACKAGE / "__init__.pyi"))
    tests = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "tests").rglob("*.py")))
    for part in solvers:
        if part.cls not in exported:
            yield f"{_show(PACKAGE / '__init__.py')}: __all__ lacks {part.cls}"
        if not re.search(rf"\b{part.cls}\b", tests):
            yield f"tests: no test names {part.cls}"
        for family, kernel in _kernels_of(part.path):
            twin = PACKAGE / "reference" / f"{family}.py"
            if kernel not in _functions(twin):
                yield f"{_show(twin)}: no twin of the kernel {kernel} of {part.cls}"
            if not re.search(rf"\b{kernel}\b", tests):
                yield f"tests: no test compares the kernel {kernel} with its twin"


def _kernels_of(path: Path) -> Iterator[tuple[str, str]]:
    """The (family, function) pairs that a solver imports from the kernels."""
    for node in ast.parse(path.read_text("utf-8")).body:
        module = getattr(node, "module", None) or ""
        if isinstance(node, ast.ImportFrom) and module.startswith("fenchel._kernels."):
            for alias in node.names:
                if alias.name.islower():
                    yield module.rpartition(".")[2], alias.name


def _functions(path: Path) -> set[str]:
    if not path.exists():
        return set()
    body = ast.parse(path.read_text("utf-8")).body
    return {node.name for node in body if isinstance(node, ast.FunctionDef)}


def _check_choices(enum: str, expected: set[str]) -> Iterator[str]:
    """The choices of a command line option against the registry."""
    path = PACKAGE / "cli" / "choices.py"
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name == enum:
            values = (item.value for item in node.body if isinstance(item, ast.Assign))
            for name in expected ^ {ast.literal_eval(value) for value in values}:
                yield f"{_show(path)}: {enum} {'lacks' if name in expected else 'has the unknown'} {name!r}"
            return
    yield f"{_show(path)}: no class {enum}"


def _check_pages(parts: list[Part], family: str) -> Iterator[str]:
    """The API page, the page on choosing and the README's table name every part."""
    pages = {
        ROOT / "docs" / "api" / f"{family}.rst": r"^   {cls}$",
        ROOT / "docs" / "choosing.rst": r"\b{cls}\b",
        ROOT / "README.md": r"^\| `{name}` ",
    }
    for page, pattern in pages.items():
        text = page.read_text("utf-8") if page.exists() else ""
        for part in parts:
            if not re.search(pattern.format(cls=part.cls, name=part.name), text, re.MULTILINE):
                yield f"{_show(page)}: no entry for {part.cls}"
    yield from _orphans(parts, ROOT / "docs" / "api" / f"{family}.rst")


def _orphans(parts: Iterable[Part], page: Path) -> Iterator[str]:
    """Classes of the page's first autosummary table that do not exist."""
    text = page.read_text("utf-8") if page.exists() else ""
    table = text.partition(".. autosummary::")[2].partition("\n.. ")[0]
    known = {part.cls for part in parts}
    for entry in re.findall(r"^   (\w+)$", table, re.MULTILINE):
        if entry not in known:
            yield f"{_show(page)}: {entry} is not in the registry"


def _show(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


if __name__ == "__main__":
    sys.exit(main())
