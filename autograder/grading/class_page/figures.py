"""A lab in figures: how points are distributed, which exercises are hard and why, and what grading took."""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from autograder.examine.cell_rules import EMPTY
from autograder.examine.hints import NOT_WRITTEN
from autograder.examine.lab_file import Lab
from autograder.examine.verdict import OUR_FAULT, REFUSED, RIGHT, TIMED_OUT, ExerciseResult, Failure
from autograder.grading.class_page import history
from autograder.grading.report import Row
from autograder.grading.submission_record import GRADED

MISTAKES = 3  # shown of an exercise


class Mistake(NamedTuple):
    """A mistake that cost an aspect's points; `case` is the smallest failing case, and `row` the student it is from."""

    aspect: str
    said: str
    students: int
    case: Failure | None
    row: Row


class Hard(NamedTuple):
    """Statistics of one exercise over the graded submissions: counts of full, partial and no points, and its mistakes.

    `mean`: the share of its points that was earned, 0 to 1.
    """

    name: str
    full: int
    some: int
    nothing: int
    unwritten: int
    mean: float
    mistakes: list[Mistake]


def of_lab(lab: Lab, rows: Sequence[Row], enrolled: int) -> dict[str, Any]:
    """Return the statistics of a lab; points are the automatic ones, without extra credit.

    Args:
        enrolled: the number of students in the course, whether they submitted or not.
    """
    graded = [row for row in rows if row.record["status"] == GRADED]
    earned = [row.record["points"] for row in graded]
    standings = [row.standing for row in rows if row.standing]
    exercises = sorted((hard(part.name, graded) for part in lab.checked), key=lambda found: found.mean)
    return {
        "lab": lab, "submitted": len(rows), "enrolled": max(enrolled, len(rows)), "graded": len(graded),
        "most": lab.checked_points,
        "due": next((standing.class_due for standing in standings if standing.class_due), ""),
        "extended": sum(bool(row.own_due) for row in rows),
        "late": sum(bool(row.late) for row in rows),
        "refused": sum(row.record["status"] == REFUSED for row in rows),
        "failed": [row for row in rows if row.record["status"] == OUR_FAULT],
        "waiting": sum(standing.to_do > 0 for standing in standings),
        "median": statistics.median(earned) if earned else None,
        "mean": statistics.fmean(earned) if earned else None,
        "counts": history.distribution(earned, lab.checked_points),
        "times": times(graded),
        "exercises": exercises,
        "hardest": next((found for found in exercises if graded and found.name not in lab.optional), None),
    }  # fmt: skip


def times(graded: Sequence[Row]) -> dict[str, Any]:
    """Return statistics of the CPU seconds that judging took, and the number of timeouts; {} if nothing is graded.

    `slow`: the five submissions that took longest.
    """
    if not graded:
        return {}
    longest = sorted(graded, key=lambda row: row.record["cpu_seconds"], reverse=True)
    seconds = [row.record["cpu_seconds"] for row in longest]
    timed_out = [row for row in graded if any(result.verdict == TIMED_OUT for result in row.results.values())]
    return {
        "median": statistics.median(seconds), "most": seconds[0], "total": sum(seconds), "timed_out": len(timed_out),
        "ninety_five": seconds[len(seconds) - math.ceil(0.95 * len(seconds))],
        "slow": [(row.name, row.record["cpu_seconds"]) for row in longest[:5]],
    }  # fmt: skip


def hard(exercise: str, graded: Sequence[Row]) -> Hard:
    """Return the statistics of an exercise; stubs do not count as mistakes, and unjudged submissions are skipped."""
    judged = [row for row in graded if row.results[exercise].verdict != OUR_FAULT]
    results = [row.results[exercise] for row in judged]
    full = sum(result.verdict == RIGHT for result in results)
    some = sum(result.verdict != RIGHT and result.points > 0 for result in results)
    most = sum(result.max_points for result in results)
    mean = sum(result.points for result in results) / most if most else 1.0
    unwritten = sum(is_unwritten(result) for result in results)
    return Hard(exercise, full, some, len(results) - full - some, unwritten, mean, mistakes(exercise, judged))


def mistakes(exercise: str, graded: Sequence[Row]) -> list[Mistake]:
    """Return the most common mistakes in an exercise, most common first."""
    found: dict[tuple[str, str], list[tuple[Failure | None, Row]]] = defaultdict(list)
    for row in graded:
        result = row.results[exercise]
        if result.verdict != RIGHT and not is_unwritten(result):
            for aspect, said, case in lost(result):
                found[aspect, said].append((case, row))
    often = sorted(found.items(), key=lambda item: len(item[1]), reverse=True)[:MISTAKES]
    return [Mistake(*what, len(cases), *min(cases, key=_size)) for what, cases in often]


def _size(example: tuple[Failure | None, Row]) -> tuple[bool, int]:
    case = example[0]
    return case is None, len(case.case) if case else 0


def lost(result: ExerciseResult) -> Iterator[tuple[str, str, Failure | None]]:
    """Yield (aspect, message, failing case) for each aspect that lost points; equal mistakes yield equal messages."""
    failed = [aspect for aspect in result.aspects if aspect.failure]
    for aspect in failed:
        said = result.verdict if result.message else aspect.failure.hint if aspect.failure else ""
        yield aspect.name, said, aspect.failure
    if not failed:
        yield "", result.message or result.verdict, None


def is_unwritten(result: ExerciseResult) -> bool:
    """Return True if the answer is still the stub, or an empty cell."""
    if result.message == EMPTY:
        return True
    first = next((aspect.failure for aspect in result.aspects if aspect.failure), None)
    return first is not None and first.got.startswith(NOT_WRITTEN)
