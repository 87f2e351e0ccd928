"""A small course with its gradebook, and students who hand in what a test says."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from written_lab import EXERCISES, write_lab

from autograder.grading.migration import release
from engine.overlay import source_of

REPOSITORY = Path(__file__).resolve().parents[2]
LAB = "01-strides"
CONTIGUOUS, ACCESSOR, VIEW = EXERCISES
RIGHT = {exercise: source_of(exercise) for exercise in EXERCISES}
STUB: dict[str, str] = {}


def write_course(root: Path) -> Path:
    """The lab of `written_lab.py`, released and entered into a new gradebook below `root`."""
    for name in ("nbgrader_config.py", "autograder/author/nbgrader_config.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(REPOSITORY / name, root / name)
    release(write_lab(root), root)
    return root


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
