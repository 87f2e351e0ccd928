"""The verdicts on a container's submission, as JSON on standard output; what else is to be known goes to stderr.

A process of its own: what happens to it, by a student's doing or not, leaves the one that writes results.json alone.
"""

import argparse
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from autograder import sandbox
from autograder.author.course_config import STEPS
from autograder.department.containers import (
    GRADED,
    NO_WALLS,
    NOT_GRADED,
    REFUSED,
    WITHOUT_WALLS,
    Graded,
    Part,
    config,
    upload,
)
from autograder.department.containers.config import Config
from autograder.department.exports.grades import EXTRA
from autograder.examine import lab_file, verdict
from autograder.examine.handin import CONTROL, SURROGATE, Refused
from autograder.examine.lab_file import Attached, Exercise, Lab, Reflection
from autograder.examine.rendering import render
from autograder.examine.verdict import ExerciseResult
from autograder.grading import judging, pool, submission_record
from autograder.grading.pool import Job, Single
from autograder.grading.submission_record import Record, Settings
from autograder.sandbox import temporary
from autograder.sandbox.isolation import TIERS

STUDENT = "student"  # in the scratch course: who it is, the system knows
MOST_CHARACTERS = 200_000  # of all texts: PrairieLearn takes results.json up to 1 MB


def main() -> None:
    """Run the command: `python -m autograder.department.containers.graded gradescope config.yaml submission/`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("system", choices=[*config.OPTIONS])
    parser.add_argument("config", type=Path)
    parser.add_argument("submission", type=Path, nargs="?")
    parser.add_argument(WITHOUT_WALLS, action="store_true")
    options = parser.parse_args()
    answer = os.dup(1)
    os.dup2(2, 1)  # whatever prints here does not get between
    given = config.read(options.config, options.system)
    course = options.config.parent / "course"
    if options.submission is None:
        return warm_up(lab_file.load(course / given.lab))
    found = graded(given, course, options.submission, options.without_walls)
    with open(answer, "w", encoding="ascii") as file:
        json.dump(found._asdict(), file)


def warm_up(lab: Lab) -> None:
    """Compile the lab's kernels when the container's image is built, so that no submission has to wait for them."""
    exercises = {exercise.name: exercise.methods for exercise in lab.exercises}
    with sandbox.Sandbox(lab.id, accept_no_isolation=True, exercises=exercises) as box:
        box.guest()
    print(f"Installed. Isolation where the image is built: {box.tier}; at each submission it is tried again.")


def graded(given: Config, course: Path, submission: Path, without_walls: bool) -> Graded:
    """Grade the files in the folder `submission` in a temporary course, which is deleted afterwards."""
    tier, why = TIERS[-1], ""
    if not without_walls:
        found = sandbox.canary(given.isolation)
        tier, why = found.tier, found.reason
    if tier == TIERS[-1] and not without_walls:
        return Graded(NO_WALLS, why)
    lab = lab_file.load(course / given.lab)
    with temporary.for_this_run():
        root = Path(tempfile.mkdtemp())
        shutil.copytree(course / lab.id, root / STEPS["release_directory"] / lab.id)
        try:
            files = upload.files_of(submission, lab.id, root / STEPS["release_directory"])
        except Refused as refused:
            return Graded(REFUSED, clean(submission_record.shorten(refused.reason)), lab.checked_points)
        pool.warm_up()
        return _of_record(lab, _judged(root, lab.id, files, tier), given.extra)


def _judged(root: Path, lab: str, files: Mapping[str, bytes], tier: str) -> Record:
    """Return the record of a submission with these files, as `make grade` makes it, in a process with a budget."""
    settings = Settings(root, isolation=tier, accept_no_isolation=tier == TIERS[-1])
    folder = settings.submitted / STUDENT / lab
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    single = Single(settings)
    outcome = single.run(Job(lab, STUDENT, None, ("judge",)))
    single.close()
    if "status" not in outcome.record:
        raise RuntimeError("; ".join(outcome.failures) or "it was not judged")
    return outcome.record


def _of_record(lab: Lab, record: Record, extra: str) -> Graded:
    """Return the record as plain data, and print a line about it for the instructor's log."""
    points, more, most = record["points"], record["extra"], record["max_points"]
    print(f"{lab.id}: {record['status']}; {submission_record.of_points(record)}; isolation {record['tier']}; "
          f"seed {record['seed']}; {record['cpu_seconds']:.1f} CPU s in the sandbox")  # fmt: skip
    if same := [name for name, found in record["exercises"].items() if found["same_as_reference"]]:
        print(f"The same as the reference's answer, a question to ask and no verdict: {', '.join(same)}")
    if record["status"] != judging.GRADED:
        status = REFUSED if record["status"] == verdict.REFUSED else NOT_GRADED
        return Graded(status, clean(record["reason"]), lab.checked_points)
    parts = parts_of(lab, submission_record.results_of(record), counts_extra=extra != "none")
    score = EXTRA[extra](points, more, most)
    return Graded(GRADED, "", most, score, points, more, record["max_extra"], parts, record["seconds"])


def parts_of(lab: Lab, results: Mapping[str, ExerciseResult], counts_extra: bool = True) -> tuple[Part, ...]:
    """Return all items that earn points in the lab, in the lab's order."""
    longest = MOST_CHARACTERS // len(lab.parts)
    return tuple(_part(part, results.get(part.name), longest, counts_extra) for part in lab.parts)


def _part(part: lab_file.Part, result: ExerciseResult | None, longest: int, counts_extra: bool) -> Part:
    if isinstance(part, Reflection) or result is None:
        text = f"A person grades this answer: {part.points} points, which are not counted here."
        return Part(f"Written answer: {part.name}", "", None, part.points, False, False, text)
    is_extra = isinstance(part, Exercise) and part.optional
    number, _, title = ("", "", "") if isinstance(part, Attached) else part.title.partition(" ")
    name = f"{title} ({part.name})" if title else part.name
    points = result.points if counts_extra or not is_extra else 0
    is_right = result.verdict == verdict.RIGHT
    return Part(name, number, points, part.points, is_extra, is_right, clean(render(result, is_extra), longest))


def clean(text: str, longest: int = MOST_CHARACTERS) -> str:
    """Return the text without control characters and surrogates, truncated to `longest` characters.

    >>> clean("a\\x00b\\x1b[31mc\\ud800"), clean("abc", 2)
    ('abc\\ufffd', 'ab\\n... 3 characters in all')
    """
    text = CONTROL.sub("", SURROGATE.sub("\ufffd", text))
    return text if len(text) <= longest else f"{text[:longest]}\n... {len(text):,} characters in all"


if __name__ == "__main__":
    main()
