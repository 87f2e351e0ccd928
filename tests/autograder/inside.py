"""A plugin of pytest, `-p inside`: the course of each test is the grader's own checkout, as `make grade` has it.

pytest is started in a checkout of its own, which `make` has made, and imports `engine` and `autograder` from there. The
folder that a test chooses for its course becomes a link to that checkout. There is one checkout: a course moves out
when the next one moves in, and in again for a test that gets it from a fixture.
"""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import handed_in
import pytest

from autograder.author import lab_text
from autograder.examine.needed_files import own_files

CONFIG = "autograder/author/nbgrader_config.py"  # the grader's, of which each course outside has a copy
STRANGE = "autograder/backups/strange"
FOLDERS = {"tmp_path", "tmp_path_factory"}  # fixtures
CHECKOUT = Path.cwd()
_inside: list[Path] = []  # the course's folder, or nothing
_outside: set[Path] = set()
_met = 0


def make(folder: Path) -> Path:
    """Make a checkout with the engine, the grader, their bytecode, and links to the given labs."""
    root = handed_in.REPOSITORY
    (folder / "autograder").mkdir(parents=True)
    for name in ("engine", *(f"autograder/{name}" for name in _of_the_grader(root))):
        copy = shutil.copytree if (root / name).is_dir() else shutil.copy2
        copy(root / name, folder / name)
    for name in ("course", "solutions"):
        (folder / name).symlink_to(root / name)
    return folder


def new_root(root: Path) -> Path:
    """Let the course in `root`, which may be empty or missing, move in."""
    move_out()
    root.mkdir(parents=True, exist_ok=True)
    for path in _of_a_course(CHECKOUT):  # the links
        path.unlink()
    for path in _of_a_course(root):
        path.rename(CHECKOUT / path.relative_to(root))
    shutil.rmtree(root)
    root.symlink_to(CHECKOUT)
    handed_in.strange_files(CHECKOUT / STRANGE)
    _inside.append(root)
    _outside.discard(root)
    lab_text.load.cache_clear()  # of another course in the same folder
    return root


def move_out() -> None:
    """Let the course that is inside, if there is one, go on in the folder that its test chose."""
    while _inside:
        root = _inside.pop()
        root.unlink()
        shutil.rmtree(CHECKOUT / STRANGE)
        for path in (CHECKOUT / CONFIG, *_of_a_course(CHECKOUT)):
            target = root / path.relative_to(CHECKOUT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target) if path == CHECKOUT / CONFIG else path.rename(target)
        _outside.add(root)


def _of_a_course(folder: Path) -> list[Path]:
    """The entries of a folder that are neither the engine nor the grader, and those beside the grader."""
    return [
        *(path for path in folder.iterdir() if path.name not in ("engine", "autograder")),
        *_beside_the_grader(folder),
    ]


def _beside_the_grader(folder: Path) -> list[Path]:
    own = {"__pycache__", *_of_the_grader(CHECKOUT)}
    return [path for path in (folder / "autograder").glob("*") if path.name not in own]


def _of_the_grader(root: Path) -> set[str]:
    """The entries of autograder/ that are packages and modules."""
    return {path.relative_to(root).parts[1] for path in own_files(root)}


def _not_ignored() -> set[str]:
    """The entries of the class for which .gitignore has no line."""
    names = {f"autograder/{path.name}{'/' * path.is_dir()}" for path in _beside_the_grader(CHECKOUT)}
    command = ["git", "check-ignore", "--no-index", *names]
    done = subprocess.run(command, cwd=handed_in.REPOSITORY, capture_output=True, text=True, check=True)
    return names - {*done.stdout.splitlines()}


def pytest_configure() -> None:
    handed_in.new_root = new_root


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the tests that ask for no folder: they have no class."""
    items[:] = [item for item in items if FOLDERS & {*item.fixturenames}]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    global _met
    for value in getattr(item, "funcargs", {}).values():
        if isinstance(value, Path) and value in _outside:
            new_root(value)
    yield
    if _inside:
        _met += 1
        assert _not_ignored() == set()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"with a class inside the grader's folder: {_met}")
