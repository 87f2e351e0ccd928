"""Verdicts as PrairieLearn's results.json: https://prairielearn.readthedocs.io/en/latest/externalGrading/.

With `"gradable": false` no points are awarded or lost, and the student loses no attempt. A score is between 0 and 1.
Where one test has no points, PrairieLearn shows no test's points: what a person grades has 0 of 0.
"""

from typing import Any

from autograder.department.containers import GRADED, REFUSED, Graded, Part, summary
from autograder.department.containers.config import Config

NO_SCORE = (
    "Not graded: the grader could not do its work. This is not your mistake, and costs no attempt. Tell your"
    " instructor, who finds the cause in the log of the grading job."
)


def results(graded: Graded, given: Config | None) -> dict[str, Any]:
    """Return the content of results.json."""
    if graded.status == REFUSED:
        said = f"This submission can't be graded: {graded.reason}"
        return {"gradable": False, "format_errors": [said], "message": said}
    if graded.status != GRADED:
        return {"gradable": False, "format_errors": [NO_SCORE], "message": NO_SCORE}
    return {
        "gradable": True,
        "score": min(1.0, graded.score / graded.most) if graded.most else 0.0,
        "message": summary(graded, "PrairieLearn"),
        "tests": [_of_part(part) for part in graded.parts],
    }


def _of_part(part: Part) -> dict[str, Any]:
    if part.points is None:
        return {"name": part.name, "message": part.text, "points": 0, "max_points": 0}
    name = f"{part.number} {part.name}".strip()
    test = {"name": name, "points": part.points, "max_points": part.most, "output": part.text}
    if part.is_extra:
        test |= {"description": f"Extra credit, {part.most} points at most.", "max_points": 0}
    return test
