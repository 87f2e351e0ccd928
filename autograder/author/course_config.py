"""nbgrader's view of the course: which folder is which step, and how a solution becomes a stub.

One function for everyone who starts a part of nbgrader: the weave, the grader, and `nbgrader` and formgrader
themselves (through `nbgrader_config.py`).
"""

import contextlib
from dataclasses import asdict
from pathlib import Path

from traitlets.config import Config, PyFileConfigLoader

from autograder.author import literal_paths
from autograder.examine.answer_text import UNANSWERED
from autograder.grading import course_file, database
from autograder.grading.database import GradebookError

OWN_CONFIG = "nbgrader_config.py"  # read by nbgrader's own commands: what it says of lateness counts here too
VALIDATE_SECONDS = 600  # for one cell under Validate: nbgrader's 30 are too few where kernels compile
STEPS = {
    "source_directory": "solutions",
    "release_directory": "course",
    "submitted_directory": "autograder/submitted",
    "autograded_directory": "autograder/autograded",
    "feedback_directory": "autograder/feedback",
}


def config(root: Path) -> Config:
    """Return nbgrader's configuration for the course in the folder `root`."""
    literal_paths.install()
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


def with_own(course: Config, root: Path) -> Config:
    """Merge the settings in `nbgrader_config.py` into the course's configuration, and check the gradebook's address.

    Raises:
        GradebookError: that file can't be run, or the gradebook's address can't be read.
    """
    if (root / OWN_CONFIG).is_file():
        try:
            course.merge(PyFileConfigLoader(OWN_CONFIG, str(root)).load_config())
        except Exception as error:  # the instructor's code
            raise GradebookError(f"{root / OWN_CONFIG} fails: {type(error).__name__}: {error}") from error
    course.CourseDirectory.db_url = database.checked(course.CourseDirectory.db_url, root)
    return course


def gradebook_url(root: Path) -> str:
    """Return the address of the course's gradebook. Raises the same errors as `with_own`."""
    return str(with_own(config(root), root).CourseDirectory.db_url)


def preprocessors() -> list:
    """Return the preprocessors of nbgrader's `generate_assignment`, with stubs that name the function to write."""
    from nbgrader.converters import GenerateAssignment
    from nbgrader.preprocessors import ClearSolutions

    steps = GenerateAssignment.class_traits()["preprocessors"].default()
    named = ["autograder.author.nbgrader_stubs.NamedStubs" if step is ClearSolutions else step for step in steps]
    return [*named, "autograder.author.nbgrader_stubs.OptionalCells"]  # last: the step before makes the checksums
