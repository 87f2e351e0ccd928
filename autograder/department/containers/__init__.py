"""The grader in the container of another system, Gradescope or PrairieLearn, which keeps submissions, dates and grades.

config.py        the container's config.yaml: what an instructor chooses
upload.py        the notebook and the documents among the files that were uploaded
graded.py        a process of its own: reads, judges, and gives the verdicts as JSON
gradescope.py    the verdicts as Gradescope's results.json
prairielearn.py  the verdicts as PrairieLearn's results.json
__main__.py      what the container starts; the only process that writes results.json
build.py         `make autograder-zip`
files/           what goes into the zips: scripts, Dockerfile, instructions

The system decides about due dates and lateness: here every submission is judged as it is, with cases drawn for it.
"""

from typing import NamedTuple

GRADED = "graded"
REFUSED = "refused"  # for what the submission is: no points
NO_WALLS = "nothing shuts students' code in here"  # no score
NOT_GRADED = "not graded"  # for what the grader or the container is: no score
WITHOUT_WALLS = "--without-walls"


class Part(NamedTuple):
    """One item that earns points, as plain data.

    Args:
        name: "Transpose (strides.permute)", "TRACE.md".
        number: "1.5", or "".
        points: earned; None where a person grades it.
        most: that can be earned.
        is_extra: its points are extra credit.
        is_right: all of it.
        text: the verdict as the student's page shows it.
    """

    name: str
    number: str
    points: int | None
    most: int
    is_extra: bool
    is_right: bool
    text: str


class Graded(NamedTuple):
    """The result of grading a submission, as plain data.

    Args:
        status: GRADED, REFUSED, NO_WALLS or NOT_GRADED.
        reason: why it is refused or not graded.
        most: points that the machine can give, without extra credit.
        score: points that count, with extra credit as the configuration says.
        points, extra, most_extra: what was earned, extra credit apart.
    """

    status: str
    reason: str = ""
    most: int = 0
    score: float = 0.0
    points: int = 0
    extra: int = 0
    most_extra: int = 0
    parts: tuple[Part, ...] = ()
    seconds: float = 0.0


def summary(graded: Graded, keeper: str) -> str:
    """Return a summary of the points, for the student.

    Args:
        keeper: the system that the submission was handed in to.
    """
    said = [f"{graded.points} of {graded.most} points are judged by the machine."]
    if graded.most_extra:
        said.append(f"Extra credit: {graded.extra} of {graded.most_extra}.")
    by_hand = [part for part in graded.parts if part.points is None]
    if by_hand:
        said.append(
            f"{len(by_hand)} written answers, {sum(part.most for part in by_hand)} points, are graded by a person and "
            "are not counted here."
        )
    return " ".join([*said, f"Lateness is a matter of {keeper}."])
