"""The verdicts on one submission's answers, as a function of JSON data: of the work and a seed, nothing else.

It runs in a process of the pool, or on another machine that has this very code (`code_digest.py` tells).
"""

import contextlib
import traceback
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from autograder import documents, sandbox
from autograder.examine import cell_rules, verdict
from autograder.examine.verdict import OUR_FAULT, WRONG, ExerciseResult
from autograder.labs import CHECKS

GRADED = "graded"
MISSING = "the solution cell is missing: it was deleted from the notebook"
Verdicts = dict[str, Any]  # the part of a record that judging makes


@dataclass(frozen=True)
class Work:
    """All inputs of a verdict, apart from the grader's own code.

    Args:
        lab: "01-strides".
        exercises: all of the lab's, in their order: of a class the methods that the student writes, else ().
        asked: names of the exercises and documents to judge.
        answers: their texts by name, None where there is none.
        unread: by name of a document, why it can't be read.
        limits: of the sandbox.
    """

    lab: str
    exercises: Mapping[str, tuple[str, ...]]
    asked: tuple[str, ...]
    answers: Mapping[str, str | None]
    unread: Mapping[str, str]
    limits: sandbox.Limits = sandbox.Limits()

    def to_json(self) -> dict[str, Any]:
        """Return the work as JSON-serializable data."""
        return asdict(self)

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "Work":
        """Return the work that `to_json` has serialized."""
        exercises = {name: tuple(methods) for name, methods in data["exercises"].items()}
        given = {"exercises": exercises, "asked": tuple(data["asked"]), "limits": sandbox.Limits(**data["limits"])}
        return Work(**{**data, **given})


def judge(work: Work, seed: int, isolation: str = "", accept_no_isolation: bool = False) -> Verdicts:
    """Judge the requested exercises and documents, one after the other in one sandbox.

    Args:
        isolation: the tier; "" for the strongest that holds here.
    Returns:
        status, reason, tier, seed, CPU seconds of the sandbox, and what is found of each exercise and document.
    Raises:
        NoIsolation: students' code can't be shut in here, and that was not accepted.
    """
    results: dict[str, ExerciseResult] = {}
    box = None
    with contextlib.suppress(sandbox.BrokenSandbox):
        box = sandbox.Sandbox(work.lab, work.limits, accept_no_isolation, work.exercises, isolation)
    with box or contextlib.nullcontext():
        for name in work.asked:
            if documents.is_document(name):
                results[name] = _judge_document(work, name)
            else:
                results[name] = _judge(box, name, work.answers[name], seed)
    faults = [result.message for result in results.values() if result.verdict == OUR_FAULT]
    return {
        "status": OUR_FAULT if faults else GRADED,
        "reason": one_line(faults[0]) if faults else "",
        "tier": sandbox.canary(isolation).tier,
        "seed": seed,
        "cpu_seconds": round(box.cpu_seconds, 3) if box else 0.0,
        "exercises": {name: _with_flags(results[name], work.answers[name]) for name in work.asked},
    }


def _judge(box: sandbox.Sandbox | None, exercise: str, source: str | None, seed: int) -> ExerciseResult:
    check = CHECKS[exercise]
    if source is None:
        return ExerciseResult(exercise, WRONG, 0, check.points, message=MISSING)
    if box is None:
        return ExerciseResult(exercise, OUR_FAULT, 0, check.points, message="the sandbox does not start")
    try:
        return sandbox.grade_cell(box, check, source, seed)
    except Exception as error:  # of ours: whatever a student's code does ends in a verdict
        return ExerciseResult(exercise, OUR_FAULT, 0, check.points, message=f"{exercise}: {_said(error)}")


def _judge_document(work: Work, name: str) -> ExerciseResult:
    document = documents.of_lab(work.lab)[name]
    if name in work.unread:
        return ExerciseResult(name, WRONG, 0, document.points, message=work.unread[name])
    try:
        return documents.judge(document, work.answers[name])
    except Exception as error:  # of ours: a text is only read
        return ExerciseResult(name, OUR_FAULT, 0, document.points, message=f"{name}: {_said(error)}")


def _said(error: Exception) -> str:
    return "".join(traceback.format_exception_only(error)).strip()


def one_line(text: str) -> str:
    """Return the first and last line of a text, which may be a traceback, as one line."""
    lines = text.strip().splitlines()
    return " ... ".join(dict.fromkeys([*lines[:1], *lines[-1:]]))


def _with_flags(result: ExerciseResult, source: str | None) -> dict[str, Any]:
    is_code = source is not None and not documents.is_document(result.exercise)
    same = is_code and cell_rules.same_as_reference(source, result.exercise)  # type: ignore[arg-type]
    return verdict.to_json(result) | {"same_as_reference": same}
