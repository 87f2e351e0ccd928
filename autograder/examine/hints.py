"""The hint of a wrong answer: one sentence chosen by what differs, or none.

What a case is about explains its failure only if the cases that are about something else are answered rightly; what an
error of Python's says needs no topic at all. So, in this order:

1. the check's first `Mistake` that the answer shows;
2. an error that nobody raised on purpose: that the code stops, and where; if the cell raised it on purpose and a probe
   caught it, that this must be accepted;
3. the kind of what went wrong, in the hints' words or in ours: "not raised" (there the case's topic says what should
   have been refused), "raised another", "raised", "returned None", "type";
4. the first name that the check's `differs` gives and the hints have: which field, which step, which dimension;
5. what the case is about, if every case that failed is about it and another one passed;
6. nothing.
"""

import ast
import re
from collections.abc import Iterable
from typing import NamedTuple

from autograder.examine.answer_text import functions_of
from autograder.examine.model import WHOLE_ENGINE, Case, Check
from autograder.examine.plain_data import equal, same_but_for_types
from autograder.examine.probed_error import unexpected
from autograder.examine.questions import EXPECTABLE, INPUT_WRITTEN, Observation
from autograder.examine.student_error import Place

NOT_WRITTEN = "NotImplementedError"
# Errors that say nothing of the case: the code itself is at fault, whatever it was asked.
SLIPS = ("AttributeError", "ImportError", "ModuleNotFoundError", "NameError", "TypeError", "UnboundLocalError")
RAISES = re.compile(r"\s*(raise\b|assert\b|.*:\s*raise\b)")  # a line that refuses on purpose
NOT_YET = "this is not written yet"
NO_LINE = "the code stops with an error, whatever the case is about"
LINE = "the code stops with an error in the line that is marked"
NOT_ACCEPTED = "this must be accepted, and is refused"
OURS = {
    "type": "this is of another type than expected: compare the two closely",
    "raised another": "it is right to refuse this, but not with this error",
    "returned None": "None came back: is a `return` missing?",
    "not raised": "this should have been refused",
    INPUT_WRITTEN: "inputs are only read: others need what they hold, and may read it at the same time",
    WHOLE_ENGINE: "each case alone is right, but a program that runs on the whole engine goes wrong with your part",
}
RETURN = "`return`"  # a hint with this word says that there is none
NONE_OF_A_RETURN = "None came back: a path ends without `return`, or a `return` gives None"
NOT_ALONE = "a program that runs on the whole engine goes wrong too: get the cases of the other aspects right first"


class Wrong(NamedTuple):
    """A wrong answer to a case, with the expected and the actual observation."""

    case: Case
    wanted: Observation
    got: Observation


class Evidence(NamedTuple):
    """The topics of the cases so far: those that failed in this aspect, and those that passed in any aspect."""

    failed: frozenset[str]
    passed: frozenset[str]

    def is_all_about(self, topic: str) -> bool:
        """Return True if the topic explains the failures: only its cases failed, and cases of other topics passed."""
        return self.failed == {topic} and bool(self.passed - {topic, ""})


def is_unwritten(got: Observation, exercise: str) -> bool:
    """Return True if the answer is the stub's error, even one that a probe caught, not the student's own error."""
    caught, _, text = got.message.partition(": ")
    kind, said = (got.raised, got.message) if got.raised else (caught, text)
    name = exercise.rpartition(".")[2]
    stubs = ("", exercise, name) if got.raised else (exercise, name)
    return kind == NOT_WRITTEN and (said in stubs or said.startswith((f"{exercise}: ", f"{name}.")))


def missing_methods(got: Observation, exercise: str) -> tuple[str, ...]:
    """Return the methods of a class that the error of an unwritten answer names.

    >>> missing_methods(Observation(raised="NotImplementedError", message="a.Table: __init__, find"), "a.Table")
    ('__init__', 'find')
    >>> missing_methods(Observation(raised="NotImplementedError", message="Table.find"), "a.Table")
    ('find',)
    """
    said = got.message if got.raised else got.message.partition(": ")[2]
    for begin in (f"{exercise}: ", f"{exercise.rpartition('.')[2]}."):
        if said.startswith(begin):
            return tuple(said.removeprefix(begin).split(", "))
    return ()


def hint_of(check: Check, wrong: Wrong, evidence: Evidence, source: str, is_located: bool) -> str:
    """Return the sentence to show below a wrong answer, or "".

    Args:
        source: the text of the cell, which says whether an error was raised on purpose.
        is_located: whether the line of an error is shown.
    """
    case, wanted, got = wrong
    if is_unwritten(got, check.exercise):
        methods = missing_methods(got, check.exercise)
        return f"not written yet: {', '.join(f'`{name}`' for name in methods)}" if methods else NOT_YET
    if mistake := next((one.says for one in check.mistakes if _shows(one, wrong)), ""):
        return mistake
    if case.about == WHOLE_ENGINE:
        return check.hints.get(WHOLE_ENGINE, OURS[WHOLE_ENGINE])
    if stops(wanted, got, source):
        return LINE if is_located else NO_LINE
    if (caught := unexpected(wanted, got)) and not caught.is_another:
        if "raised" in check.hints:
            return check.hints["raised"]
        says = next((check.hints[key] for key in _differing(check, wrong) if key in check.hints), "")
        return f"{NOT_ACCEPTED}; {says}" if says else NOT_ACCEPTED
    if type(got.value) is dict and any(str(said).endswith(INPUT_WRITTEN) for said in got.value.values()):
        return OURS[INPUT_WRITTEN]
    kind = _kind(wanted, got)
    if kind == "not raised":
        return check.hints.get(case.about) or check.hints.get(kind) or OURS[kind]
    if kind in check.hints or kind in OURS:
        says = check.hints.get(kind) or OURS[kind]
        if kind == "raised another" and kind not in check.hints:
            says += f"; {_expected_error(wanted, got)} is expected"
        return NONE_OF_A_RETURN if RETURN in says and _has_return(source, check.exercise) else says
    keys = [*_differing(check, wrong)] + [case.about] * evidence.is_all_about(case.about)
    return next((check.hints[key] for key in keys if key in check.hints), "")


def _expected_error(wanted: Observation, got: Observation) -> str:
    """Return the name of the error that is right."""
    caught = None if wanted.raised else unexpected(wanted, got)
    return wanted.raised or (caught.expected if caught else "")


def stops(wanted: Observation, got: Observation, source: str) -> bool:
    """Return True if the code hit an error that none of its lines raises on purpose, even if the probe caught it."""
    if not got.raised:
        caught = unexpected(wanted, got)
        return caught is not None and not _is_on_purpose(caught.place, source)
    slipped = got.raised in SLIPS or got.raised not in EXPECTABLE
    return (slipped or bool(source)) and not _is_on_purpose(got.place, source)


def _is_on_purpose(place: Place, source: str) -> bool:
    lines = source.splitlines()
    return 1 <= place[0] <= len(lines) and bool(RAISES.match(lines[place[0] - 1]))


def _has_return(source: str, exercise: str) -> bool:
    """Return True if the exercise's function itself, not one inside it, has a `return` with a value."""
    waiting: list[ast.AST] = [*functions_of(source).get(exercise.rpartition(".")[2], ())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            return True
        if not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            waiting += ast.iter_child_nodes(node)
    return False


def _shows(mistake, wrong: Wrong) -> bool:
    try:
        return bool(mistake.shows(wrong.case.args, wrong.wanted, wrong.got))
    except Exception:  # an answer may have any form
        return False


def _kind(wanted: Observation, got: Observation) -> str:
    if got.raised:
        return "raised another" if wanted.raised else "raised"
    if wanted.raised:
        return "not raised"
    if unexpected(wanted, got):
        return "raised another"
    if got.value is None:
        return "returned None"
    another = wanted.value is not None and type(wanted.value) is not type(got.value)
    return "type" if another or same_but_for_types(wanted.value, got.value) else ""


def _differing(check: Check, wrong: Wrong) -> list[str]:
    """Return the names of what differs in two values."""
    if wrong.wanted.raised or wrong.got.raised:
        return []
    try:
        return list((check.differs or _of_dicts)(wrong.case.args, wrong.wanted.value, wrong.got.value))
    except Exception:  # as above
        return []


def _of_dicts(args: tuple, wanted: object, got: object) -> Iterable[str]:
    """Return the keys whose values differ, of two dicts with the same keys."""
    if type(wanted) is not dict or type(got) is not dict or wanted.keys() != got.keys():
        return ()
    return (key for key, value in wanted.items() if not equal(value, got[key]))


def positions(*names: str):
    """Return a `Check.differs` for answers that are tuples or lists; `names` are the names of their items.

    >>> list(positions("sizes", "strides")((), ((2, 3), (3, 1)), ((2, 3), (1, 2))))
    ['strides']
    """

    def differing(args: tuple, wanted, got) -> Iterable[str]:
        return (name for name, one, other in zip(names, wanted, got, strict=True) if not equal(one, other))

    return differing
