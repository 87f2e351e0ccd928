"""nbgrader's view of the course: which folder is which step, and how a solution becomes a stub.

One function for everyone who starts a part of nbgrader: the weave, the grader, and `nbgrader` and formgrader
themselves (through `nbgrader_config.py`).
"""

import contextlib
from dataclasses import asdict
from pathlib import Path

from traitlets.config import Config

from autograder.examine.answer_text import UNANSWERED
from autograder.grading import course_file, database

VALIDATE_SECONDS = 600  # for one cell under Validate: nbgrader's 30 are too few where kernels compile
STEPS = {
    "source_directory": "solutions",
    "release_directory": "course",
    "submitted_directory": "autograder/submitted",
    "autograded_directory": "autograder/autograded",
    "feedback_directory": "autograder/feedback",
}


def config(root: Path) -> Config:
    """nbgrader's configuration for the course in the folder `root`."""
    course = Config()
    course.CourseDirectory.update(
        STEPS,
        root=str(root.resolve()),
        course_id=database.COURSE,
        db_url=database.chosen(root),
        ignore=[".ipynb_checkpoints", "*.pyc", "__pycache__", "lab.md", "*.yaml", "my_engine"],
    )
    course.ClearSolutions.update(
        begin_solution_delimeter="### BEGIN SOLUTION",
        end_solution_delimeter="### END SOLUTION",
        text_stub=UNANSWERED,
    )
    course.Execute.timeout = VALIDATE_SECONDS
    course.GenerateAssignment.preprocessors = preprocessors()
    with contextlib.suppress(course_file.CourseFileError):  # told where lateness is entered
        if (late := course_file.load(root).late) is not None:
            course.AssignLatePenalties.plugin_class = "autograder.grading.lateness.CoursePenalty"
            course.CoursePenalty.update(asdict(late))
    return course


def preprocessors() -> list:
    """nbgrader's steps of `generate_assignment`, with stubs that name what is to be written."""
    from nbgrader.converters import GenerateAssignment
    from nbgrader.preprocessors import ClearSolutions

    steps = GenerateAssignment.class_traits()["preprocessors"].default()
    named = ["autograder.author.nbgrader_stubs.NamedStubs" if step is ClearSolutions else step for step in steps]
    return [*named, "autograder.author.nbgrader_stubs.OptionalCells"]  # last: the step before makes the checksums
