"""The lab whose notebook this is: `lab.json` beside it."""

from pathlib import Path

from autograder import documents
from autograder.examine import lab_file
from autograder.examine.lab_file import Attached, Exercise, Lab
from autograder.labs import CHECKS
from autograder.student import recorded

CASES = "cases.json"  # beside the notebook


def load(here: Path) -> Lab:
    """The lab in the folder `here`. A bundle of the first edition has no `lab.json`: its cases say what it asks.

    Raises:
        FileNotFoundError, ValueError, TypeError, KeyError: neither file is there, or one is damaged.
    """
    try:
        return lab_file.load(here)
    except FileNotFoundError:
        return _of_first_edition(here / CASES)


def _of_first_edition(cases: Path) -> Lab:
    lab, methods = recorded.lab_of(cases), recorded.methods(cases)
    exercises = [Exercise(name, CHECKS[name].points, methods.get(name, ())) for name in recorded.exercises(cases)]
    attached = [Attached(name, document.points) for name, document in documents.of_lab(lab).items()]
    return Lab(lab, lab, (*exercises, *attached))


def methods_of(name: str, here: Path) -> tuple[str, ...]:
    """The methods of a class that the student writes; of a function none. Raises as `load`."""
    return next((exercise.methods for exercise in load(here).exercises if exercise.name == name), ())
