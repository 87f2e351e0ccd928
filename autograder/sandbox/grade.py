"""One solution cell, from its text to its verdict."""

import contextlib
from collections.abc import Iterator
from functools import partial

from autograder.examine import questions, verdict
from autograder.examine.cell_rules import CellRefused
from autograder.examine.examiner import Cases, Examiner
from autograder.examine.model import Case, Check
from autograder.examine.plain_data import show_text
from autograder.examine.questions import Ask
from autograder.examine.verdict import ExerciseResult
from autograder.sandbox.guest_process import BrokenSandbox
from autograder.sandbox.sandbox import Sandbox

REMEMBERED = 32  # exercises whose cases and answers are kept: more than any lab has


@contextlib.contextmanager
def shut_in(sandbox: Sandbox, check: Check, source: str) -> Iterator[Ask]:
    """Yield a function that puts a case to a sandboxed worker, whose answers are untrusted.

    Raises:
        CellRefused: the worker takes no such cell.
        BrokenSandbox: the sandbox fails without the student's doing.
    """
    with sandbox.run(check.exercise, source, is_fenced=True) as run:
        if run.refused:
            raise CellRefused(run.refused)

        def question(case: Case) -> tuple[str, tuple]:
            return check.probe_of(case), case.args

        yield lambda case, following=(): run.answer(*question(case), map(question, following))


_answered: dict[tuple[int, int], tuple[Check, Cases]] = {}  # by id; the check is kept, so no other gets its id


def answered(check: Check, seed: int) -> Cases:
    """Return `questions.answered`, cached in this process because tracing the reference is slow in labs like Lab 5."""
    key = id(check), seed
    if key not in _answered:
        while len(_answered) >= REMEMBERED:
            _answered.pop(next(iter(_answered)))
        _answered[key] = check, questions.answered(check, seed)
    return _answered[key][1]


def grade_cell(sandbox: Sandbox, check: Check, source: str, seed: int) -> ExerciseResult:
    """Judge the cell on new cases, which are drawn, answered by the reference and compared outside the sandbox.

    A refused cell gets no points; where the sandbox itself fails the verdict is OUR_FAULT, which is never a zero.
    """
    examiner = Examiner(partial(shut_in, sandbox), inspects=True)
    try:
        return examiner.examine(check, source, answered(check, seed))
    except CellRefused as refused:
        return ExerciseResult(check.exercise, verdict.REFUSED, 0, check.points, message=show_text(refused.reason))
    except BrokenSandbox as broken:
        return ExerciseResult(check.exercise, verdict.OUR_FAULT, 0, check.points, message=str(broken))
