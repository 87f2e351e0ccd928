"""One solution cell, from its text to its verdict."""

from autograder import cell, verdict
from autograder.checks.model import Check
from autograder.plain import show_text
from autograder.sandbox.broker import Sandbox
from autograder.sandbox.guest import BrokenSandbox
from autograder.verdict import ExerciseResult


def grade_cell(sandbox: Sandbox, check: Check, source: str, seed: int) -> ExerciseResult:
    """Judges the cell on fresh cases: drawn, answered by the reference and compared out here.

    A refused cell gets no points; where the sandbox itself fails the verdict is OUR_FAULT, which is never a zero.
    """
    try:
        cell.inspect_cell(source, check.exercise)
    except cell.CellRefused as refused:
        return _refused(check, refused.reason)
    cases = verdict.answered(check, seed)
    try:
        with sandbox.run(check.exercise, source, is_fenced=True) as run:
            if run.refused:
                return _refused(check, run.refused)
            return verdict.judge(check, cases, lambda args: run.answer(check.probe, args), source=source)
    except BrokenSandbox as broken:
        return ExerciseResult(check.exercise, verdict.OUR_FAULT, 0, check.points, message=str(broken))


def _refused(check: Check, reason: str) -> ExerciseResult:
    return ExerciseResult(check.exercise, verdict.REFUSED, 0, check.points, message=show_text(reason))
