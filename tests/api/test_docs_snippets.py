"""What README.md and the pages under docs show is what happens."""

import contextlib
import doctest
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PAGES = sorted((ROOT / "docs").glob("*.rst"))


def blocks(language: str) -> list[str]:
    """The fenced blocks of the README in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


PROGRAMS = list(zip(blocks("python"), blocks("text"), strict=True))


@pytest.mark.parametrize(("program", "output"), PROGRAMS, ids=range(len(PROGRAMS)))
def test_readme_program_prints_what_the_readme_says(program: str, output: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "README.md", "exec"), {"__name__": "readme"})
    assert printed.getvalue() == output


@pytest.mark.skipif(shutil.which("bash") is None, reason="the commands are for a shell")
def test_readme_commands_run(tmp_path: Path) -> None:
    commands = next(block for block in blocks("sh") if "fenchel fit" in block)
    here = os.path.dirname(sys.executable)
    done = subprocess.run(
        ["bash", "-euc", commands],
        cwd=tmp_path,
        env=os.environ | {"PATH": here + os.pathsep + os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "The certificate holds" in done.stdout
    assert (tmp_path / "scores.csv").read_text().count("\n") == 570


def test_continuous_integration_runs_the_two_commands_of_the_readme() -> None:
    first, second = blocks("sh")[:2]
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert first.strip() in script
    assert second.strip() in script


def test_readme_links_to_files_that_exist() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target


def test_contributing_names_every_folder_of_tests() -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for path in (ROOT / "tests").iterdir():
        if path.is_dir() and any(path.glob("test_*.py")):
            assert f"| `{path.name}` |" in table, path.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_of_the_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert outcome.failed == 0, f"{outcome.failed} of {outcome.attempted} examples fail; see above"
