"""A small course with its gradebook, and students who hand in what a test says."""

import atexit
import functools
import json
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from written_lab import EXERCISES, write_lab

from autograder.author import lab_text
from autograder.grading import budget, database, pool
from autograder.grading.migration import release
from autograder.overlay import source_of

REPOSITORY = Path(__file__).resolve().parents[2]
LAB = "01-strides"
CONTIGUOUS, ACCESSOR, VIEW = EXERCISES
RIGHT = {exercise: source_of(exercise) for exercise in EXERCISES}
STUB: dict[str, str] = {}


def new_root(root: Path) -> Path:
    """The folder of a new course; the plugin `inside` makes the grader's own checkout of it."""
    return root


def write_course(root: Path) -> Path:
    """The lab of `written_lab.py`, released and entered into a new gradebook below `root`."""
    shutil.copytree(_course(), new_root(root), dirs_exist_ok=True)
    lab_text.load.cache_clear()
    return root


@functools.cache
def _course() -> Path:
    """The course that `write_course` copies: made once per process, since weaving and a gradebook cost seconds."""
    root = Path(tempfile.mkdtemp(prefix="course-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    for name in ("nbgrader_config.py", "autograder/author/nbgrader_config.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(REPOSITORY / name, root / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(database.VARIABLE, raising=False)  # of a test that enters its class elsewhere
        release(write_lab(root), root)
    return root


def copied(course: Path, root: Path) -> Path:
    """A copy of a course, with its class, below `root`."""
    return shutil.copytree(course, new_root(root), dirs_exist_ok=True)


def notebook_of(root: Path, answers: dict[str, str] = RIGHT) -> dict:
    """The released notebook as JSON data, with `answers` (text by exercise) in their cells."""
    notebook = json.loads((root / "course" / LAB / "lab.ipynb").read_text())
    for exercise, source in answers.items():
        cell_of(notebook, f"{exercise.replace('.', '-')}-answer")["source"] = source
    return notebook


def cell_of(notebook: dict, name: str) -> dict:
    """The cell of this id."""
    return next(cell for cell in notebook["cells"] if cell["id"] == name)


def hand_in(
    root: Path, student: str, answers: dict[str, str] = RIGHT, change: Callable[[dict], object] = lambda notebook: None
) -> Path:
    """Write the student's notebook with `answers` after `change`; returns its path."""
    notebook = notebook_of(root, answers)
    change(notebook)
    path = root / "autograder" / "submitted" / student / LAB / "lab.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook))
    return path


def write_answer(text: str) -> Callable[[dict], None]:
    """A change: the reflection's answer is `text`."""
    return lambda notebook: cell_of(notebook, "reflect-stride-zero").update(source=text)


def forked(patch: pytest.MonkeyPatch) -> None:
    """Let the pool's processes be forks of this one: they import nothing, and see what a test patches.

    What hours of tests have left in this process is in each fork, and once more in a sandbox that is about to start.
    It is not a submission's memory, so the sandbox's is not counted.
    """
    fork = multiprocessing.get_context("fork")
    patch.setattr(pool, "get_context", lambda _: fork)
    patch.setattr(budget, "processes", SimpleNamespace(memory=lambda pid: 0))


def strange_files(folder: Path) -> None:
    """Names and contents with which a student may surprise whatever reads this folder as if it were the grader's."""
    package = folder / "package" / "module.py"  # a folder
    package.mkdir(parents=True)
    (folder / "helper.py").write_bytes("name = 'été'".encode("latin-1"))
    (folder / "package" / "__init__.py").write_text("x: int = 'no number'")
    (folder / "broken.py").write_text("x =")
    (folder / "page.html").write_bytes(b"\xff\0")
    (folder / "gone.py").symlink_to("nowhere.py")
    (folder / "circle.py").symlink_to("circle.py")
    (folder / "up").symlink_to("..")
    (folder / os.fsdecode(b"caf\xe9\n.txt")).touch()
    os.mkfifo(folder / "pipe.yaml")
    (folder / "secret.css").touch(mode=0)
