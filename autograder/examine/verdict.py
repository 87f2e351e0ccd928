"""Verdicts: what was asked, what was expected, what came back, and the points that follow.

`judge` is the one program that turns answers into points; the notebook hands it answers from its own
process and recorded expectations, the grader answers from the sandbox and expectations of the reference.
"""

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from autograder.examine import student_error, walks
from autograder.examine.case_call import call_text
from autograder.examine.model import Aspect, Case, Check
from autograder.examine.plain import equal, same_but_for_types, show, show_apart, show_text
from autograder.examine.questions import EXPECTABLE, Observation, Stopped, concluded, require_fit_to_expect, show_answer

RIGHT, WRONG, TIMED_OUT, OUT_OF_MEMORY, CRASHED, REFUSED, OUR_FAULT = (
    "right", "wrong", "timed out", "out of memory", "crashed", "refused", "not graded: our fault",
)  # fmt: skip
NOT_WRITTEN = "NotImplementedError"
# An error that says nothing of the case: the code itself is at fault, whatever it was asked.
SLIPS = ("AttributeError", "ImportError", "ModuleNotFoundError", "NameError", "TypeError", "UnboundLocalError")
# Python's own words in an error that may be promised: nobody refused the case, the code ran into it.
RAN_INTO = re.compile(r"index out of range|empty (list|range|sequence)|is empty|to unpack|not in (list|tuple)|be zero")
SPECIAL = 6  # characters that a 0 or an empty tuple counts for when cases are put in order of size: one dimension's
NO_LINE = "the code stops with an error: call it with this case in a cell of your own to see the line"
LINE = "the code stops with an error in the line that is marked"
LONGEST_SEARCHED = 50_000  # characters of a value that are searched for errors


@dataclass(frozen=True)
class Failure:
    """The smallest failing case, as text for a reader; of a document the first wrong row, and `place` is its line.

    `call` is the case as Python text, `error` an error that the probe caught, `excerpt` the lines of the cell around
    the one where it came up; each "" if there is none.
    """

    case: str
    expected: str
    got: str
    hint: str = ""
    place: str = ""
    call: str = ""
    error: str = ""
    excerpt: str = ""


@dataclass(frozen=True)
class AspectResult:
    name: str
    points: int
    max_points: int
    passed: int
    cases: int
    failure: Failure | None = None


@dataclass(frozen=True)
class ExerciseResult:
    exercise: str
    verdict: str
    points: int
    max_points: int
    aspects: tuple[AspectResult, ...] = ()
    message: str = ""


def judge(
    check: Check,
    cases: Mapping[str, Sequence[tuple[Case, Observation]]],
    answer: Callable[[tuple], Observation],
    in_full: bool = True,
    source: str = "",
) -> ExerciseResult:
    """Asks every case, smallest first, and turns the answers into points.

    Args:
        check: what is judged.
        cases: by aspect: each case and its right answer.
        answer: asks the implementation; may raise `Stopped`, and then nothing more is asked.
        in_full: whether an aspect that has lost its points by a wrong answer is asked further, to count the right ones.
        source: the text of the cell that is judged, from which the lines around an error are shown.
    Returns:
        ExerciseResult. An aspect earns its points when every case is right; one that `needs` another
        earns them only if that one passed too.
    Raises:
        ValueError: an aspect without cases, or an expected answer that no answer may have: our fault.
    """
    aspects: list[AspectResult] = []
    stopped: Stopped | None = None
    for aspect in check.aspects:
        questions = sorted(cases[aspect.name], key=lambda question: _size(question[0]))
        if not questions:
            raise ValueError(f"{check.exercise}: aspect {aspect.name!r} has no cases")
        if stopped is not None or (aspect.compiled and _misses_needed(aspect, aspects)):
            aspects.append(AspectResult(aspect.name, 0, aspect.points, 0, len(questions)))
            continue
        result, stopped = _judge_aspect(check, aspect, questions, answer, in_full, source)
        aspects.append(result)
    passed = {result.name for result in aspects if result.passed == result.cases}
    earned = tuple(
        result if not aspect.needs or aspect.needs in passed else AspectResult(**{**vars(result), "points": 0})
        for aspect, result in zip(check.aspects, aspects, strict=True)
    )
    points = sum(result.points for result in earned)
    verdict = stopped.kind if stopped else RIGHT if points == check.points else WRONG
    return ExerciseResult(
        check.exercise, verdict, points, check.points, earned, show_text(stopped.message) if stopped else ""
    )


def _misses_needed(aspect: Aspect, before: Sequence[AspectResult]) -> bool:
    """Return whether an aspect that it needs has failed: it earns nothing, so numba need not compile anything."""
    return any(result.name == aspect.needs and result.passed < result.cases for result in before)


def _judge_aspect(
    check: Check,
    aspect: Aspect,
    questions: Sequence[tuple[Case, Observation]],
    answer: Callable[[tuple], Observation],
    in_full: bool,
    source: str,
) -> tuple[AspectResult, Stopped | None]:
    passed = 0
    failure = stopped = None
    for case, wanted in questions:
        if failure is not None and not in_full:
            break
        require_fit_to_expect(check, case, wanted)
        try:
            with walks.submitted(check.exercise, source):
                got = concluded(aspect, case.args, answer(case.args))
        except Stopped as stop:
            stopped = stop
            failure = failure or replace(
                Failure(_show_case(check, case), _show_wanted(wanted), f"no answer: {stop.kind}"),
                call=call_text(check, case.args),
                excerpt=student_error.excerpt(source, stop.place),
            )
            break
        if got.raised == wanted.raised and equal(wanted.value, got.value):
            passed += 1
        elif failure is None:
            failure = _failure(check, case, wanted, got, source)
    points = aspect.points if passed == len(questions) else 0
    return AspectResult(aspect.name, points, aspect.points, passed, len(questions), failure), stopped


def _failure(check: Check, case: Case, wanted: Observation, got: Observation, source: str) -> Failure:
    """A wrong answer as text for a reader; where an error led to it, with the lines around the one at fault."""
    was_caught = not got.raised and _noted_another_error(wanted, got)
    excerpt = error = ""
    if (got.raised and got.raised != NOT_WRITTEN) or was_caught:
        excerpt = student_error.excerpt(source, student_error.located(source, got.place, got.message))
        error = show_text(got.message) if was_caught and excerpt else ""
    hint = _hint(check, case, wanted, got)
    if hint == NO_LINE and excerpt:
        hint = LINE
    call = call_text(check, case.args)
    return Failure(_show_case(check, case), *_show_both(wanted, got), hint, "", call, error, excerpt)


def _noted_another_error(wanted: Observation, got: Observation) -> bool:
    """True if a probe has caught an error that is not expected: it notes in its value that one was "raised"."""
    expected, seen = (show(observation.value, LONGEST_SEARCHED) for observation in (wanted, got))
    kind = got.message.partition(":")[0]
    return "raised" in seen and (seen.count("raised") > expected.count("raised") or kind not in expected)


def _size(case: Case) -> tuple[int, str]:
    """Small is what a reader takes in at once: little text, and a size or a stride of 0 only where it matters."""
    text = repr(case.args)
    special = sum(argument.count(0) if argument else 1 for argument in case.args if type(argument) is tuple)
    return len(text) + SPECIAL * special, text


def _mismatch(wanted: Observation, got: Observation) -> str:
    """The kind of what went wrong in a wrong answer: a key of the check's hints."""
    if got.raised:
        return "raised another" if wanted.raised else "raised"
    if wanted.raised:
        return "not raised"
    if got.value is None:
        return "returned None"
    another = wanted.value is not None and type(wanted.value) is not type(got.value)
    return "type" if another or same_but_for_types(wanted.value, got.value) else "value"


def _first_difference(wanted: Observation, got: Observation) -> str:
    """Of two dicts with the same keys: the first key whose values differ. It may have a hint of its own."""
    if type(wanted.value) is not dict or type(got.value) is not dict or wanted.value.keys() != got.value.keys():
        return ""
    return next((key for key, value in wanted.value.items() if not equal(value, got.value[key])), "")


def _hint(check: Check, case: Case, wanted: Observation, got: Observation) -> str:
    """Explain a wrong answer: in the check's words for the mismatch or for the case, else in our own."""
    if got.raised == NOT_WRITTEN:
        return "this is not written yet"
    mismatch = _mismatch(wanted, got)
    slipped = got.raised in SLIPS
    if slipped or got.raised and (got.raised not in EXPECTABLE or RAN_INTO.search(got.message)):
        mismatch = "slipped"
    # In a refusal the case says what should have been refused; elsewhere the kind of mistake says more.
    keys = {
        "not raised": (case.about, mismatch),
        "raised another": (mismatch,),
        "slipped": () if slipped else (case.about,),
    }.get(mismatch, (mismatch, _first_difference(wanted, got), case.about))
    for key in keys:
        if key and key in check.hints:
            return check.hints[key]
    return {
        "type": "this is of another type than expected: compare the two closely",
        "raised another": "it is right to refuse this, but not with this error: see Raises in the docstring",
        "returned None": "None came back: is a `return` missing?",
        "not raised": "this should have been refused",
        "slipped": NO_LINE,
    }.get(mismatch, "")


def _show_case(check: Check, case: Case) -> str:
    names = check.arguments if len(check.arguments) >= len(case.args) else [""] * len(case.args)
    return " ".join(f"{name}={show(arg)}" if name else show(arg) for name, arg in zip(names, case.args, strict=False))


def _show_wanted(observation: Observation) -> str:
    """As `show_answer`, with no more than the beginning of a message: the type of an error counts, its words do not."""
    return show_answer(replace(observation, message=textwrap.shorten(observation.message, 46, placeholder=" ...")))


def _show_both(wanted: Observation, got: Observation) -> tuple[str, str]:
    if wanted.raised or got.raised:
        return _show_wanted(wanted), show_answer(got)
    return show_apart(wanted.value, got.value)


def to_json(result: ExerciseResult) -> dict:
    """The result as plain JSON data; `from_json` is its inverse."""
    return asdict(result)


def from_json(data: Mapping) -> ExerciseResult:
    """The result that `to_json` wrote.

    >>> result = ExerciseResult("strides.permute", WRONG, 0, 5, (AspectResult("edge", 0, 5, 1, 2),))
    >>> from_json(to_json(result)) == result
    True
    """
    aspects = tuple(
        AspectResult(**{**aspect, "failure": Failure(**aspect["failure"]) if aspect["failure"] else None})
        for aspect in data["aspects"]
    )
    return ExerciseResult(**{**data, "aspects": aspects})
