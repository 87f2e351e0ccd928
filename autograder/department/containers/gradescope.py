"""Verdicts as Gradescope's results.json: https://gradescope-autograders.readthedocs.io/en/latest/specs/.

Gradescope shows the test cases and their output to the student as `visibility` says, a test case that is `hidden` and
the standard output to instructors alone. The top-level `score` counts, not the sum of the test cases.
"""

from typing import Any

from autograder.department.containers import GRADED, REFUSED, Graded, Part, summary
from autograder.department.containers.config import Config

NO_SCORE = (
    "Not graded, and no score: the grader could not do its work. This is not your mistake, and your submission is kept."
    " Tell your instructor, who has to run the autograder again."
)
INSTRUCTOR = """\
{reason}

No score was given. See Gradescope's page about the autograder's output, and the section "Gradescope and PrairieLearn"
of the instructor's guide. When the cause is removed: Manage Submissions, Regrade All Submissions.
"""


def results(graded: Graded, given: Config | None) -> dict[str, Any]:
    """Return the content of results.json.

    Args:
        given: the configuration, None where it can't be read.
    """
    if graded.status not in (GRADED, REFUSED):
        return {
            "output": NO_SCORE,
            "output_format": "text",
            "stdout_visibility": "hidden",
            "tests": [
                _test("Not graded: no score", NO_SCORE, "failed", visibility="visible"),
                _test("For the instructor", INSTRUCTOR.format(reason=graded.reason), "failed", visibility="hidden"),
            ],
        }
    about = {"output_format": "text", "stdout_visibility": "hidden"}
    if graded.status == REFUSED:
        said = f"This submission can't be graded: {graded.reason}"
        tests = [_test("A submission that can be graded", said, "failed", score=0, max_score=graded.most)]
        return {"score": 0, "output": said, "tests": tests} | about
    return {
        "score": graded.score,
        "execution_time": round(graded.seconds),
        "output": summary(graded, "Gradescope"),
        "visibility": given.visibility if given else "visible",
        "tests": [_of_part(part) for part in graded.parts],
    } | about


def _of_part(part: Part) -> dict[str, Any]:
    """Return a test case; extra credit has a maximum of 0, as in the gradebook, and a written answer has no score."""
    if part.points is None:
        return _test(part.name, part.text)
    passed = "passed" if part.is_right else "failed"
    name = f"{part.name}, extra credit" if part.is_extra else part.name
    number = {"number": part.number} if part.number else {}
    return _test(name, part.text, passed, score=part.points, max_score=0 if part.is_extra else part.most, **number)


def _test(name: str, output: str, status: str = "", **more: Any) -> dict[str, Any]:
    test = {"name": name, "output": output, "output_format": "text"} | more
    return test | {"status": status} if status else test
