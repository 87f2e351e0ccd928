"""The code and the tables that decide a verdict, as digests: a record holds as long as they are what they were.

Everybody's: the engine, the sandbox, the examiner, the readers of documents. A lab's: its folder of `labs/` and what
it imports of others. An exercise's: its theme's `check.py` and `probe.py`, what these import, and the lab's tables.
So a changed check concerns the exercises of its theme, and no other. The grader's: all of its own texts, which besides
the verdicts decide how they are entered and shown.
"""

import functools
import hashlib
import platform
from collections.abc import Iterable
from pathlib import Path

import numba
import numpy as np

from autograder import labs
from autograder.examine.needed_files import imports_of, own_files

PACKAGE = Path(__file__).resolve().parents[1]
FOR_ALL = ("examine", "documents", "overlay", "sandbox", "labs/__init__.py", "../engine")  # of autograder/
SUFFIXES = (".py", ".yaml", ".txt")  # of code, and of the tables that it reads
TEXTS = (*SUFFIXES, ".html", ".j2", ".css", ".js")  # of the grader, its templates and pages too
VERSIONS = (platform.python_version(), np.__version__, numba.__version__)


@functools.cache
def for_all() -> str:
    """Return the digest of everything that affects every verdict, including the versions of Python, NumPy and numba."""
    found = (path for name in FOR_ALL for path in _at((PACKAGE / name).resolve()))
    return _digest(found, *VERSIONS)


@functools.cache
def of_grader() -> str:
    """Return the digest of the grader's own source files; submissions stored below the same folder are not included."""
    return _digest(path for path in own_files(PACKAGE.parent) if path.suffix in TEXTS)


@functools.cache
def of_lab(lab: str) -> str:
    """Return the digest of the files that affect the verdicts on one lab, "01-strides"."""
    return _digest(files_of_lab(lab))


@functools.cache
def of_exercise(exercise: str) -> str:
    """Return the digest of the files that affect the verdict on one exercise."""
    return _digest(files_of_exercise(exercise))


def files_of_lab(lab: str) -> list[Path]:
    """Return the paths of the lab's checks, probes, documents and tables, and of the modules they import."""
    folder = labs.FOLDER / labs.name_of(lab)
    entries = [path for name in ("check", "probe") for path in folder.glob(f"*/{name}.py")]
    return sorted(_needed([*entries, *folder.glob("documents.py")]) | _tables(folder))


def files_of_exercise(exercise: str) -> list[Path]:
    """Return the paths of an exercise's check, probe and tables, and of the modules they import."""
    check = PACKAGE.parent.joinpath(*labs.MODULE_OF[exercise].split(".")).with_suffix(".py")
    entries = [check, *check.parent.glob("probe.py")]
    return sorted(_needed(entries) | _tables(check.parent.parent))


def _needed(entries: Iterable[Path]) -> set[Path]:
    """Return the entries and what they import below `labs/`, directly or not."""
    found: set[Path] = set()
    waiting = {*entries}
    while waiting:
        file = waiting.pop()
        found.add(file)
        waiting |= {path for path in _imports_of(file) if path.is_relative_to(labs.FOLDER)} - found
    return found


@functools.cache
def _imports_of(file: Path) -> set[Path]:
    return imports_of(file, PACKAGE.parent)


def _tables(folder: Path) -> set[Path]:
    """Return the tables in a lab's folder, which its modules may read; the texts of its made-up students are none."""
    return {path for path in _at(folder) if path.suffix != ".py" and "cohort" not in path.parts}


def _at(place: Path) -> list[Path]:
    """Return the file, or the files of code and tables in a folder."""
    found = [place] if place.is_file() else place.rglob("*")
    return sorted(path for path in found if path.suffix in SUFFIXES)


def _digest(files: Iterable[Path], *more: str) -> str:
    digest = hashlib.sha256(repr(more).encode())
    for path in files:
        data = path.read_bytes()
        digest.update(f"{path.relative_to(PACKAGE.parent)} {len(data)}\0".encode() + data)
    return digest.hexdigest()
