"""nbgrader's view of the course: which folder is which step, and how a solution becomes a stub.

One function for everyone who starts a part of nbgrader: the weave, the grader, and `nbgrader` and formgrader
themselves (through `nbgrader_config.py`).
"""

from pathlib import Path

from traitlets.config import Config

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
        course_id="inside-the-tensor",
        db_url=f"sqlite:///{root.resolve() / 'autograder' / 'gradebook.db'}",
        ignore=[".ipynb_checkpoints", "*.pyc", "__pycache__", "lab.md", "my_engine"],
    )
    course.ClearSolutions.update(
        begin_solution_delimeter="### BEGIN SOLUTION",
        end_solution_delimeter="### END SOLUTION",
        text_stub="YOUR ANSWER HERE",
    )
    course.GenerateAssignment.preprocessors = preprocessors()
    return course


def preprocessors() -> list:
    """nbgrader's steps of `generate_assignment`, with stubs that name what is to be written."""
    from nbgrader.converters import GenerateAssignment
    from nbgrader.preprocessors import ClearSolutions

    steps = GenerateAssignment.class_traits()["preprocessors"].default()
    return ["autograder.stubs.NamedStubs" if step is ClearSolutions else step for step in steps]
