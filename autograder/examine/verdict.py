"""Verdicts: what was asked, what was expected, what came back, and the points that follow.

`judge` is the one program that turns answers into points; the notebook hands it answers from its own
process and recorded expectations, the grader answers from the sandbox and expectations of the reference.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice

from autograder.examine import plain_text, student_error
from autograder.examine.case_call import call_text
from autograder.examine.hints import NOT_ALONE, OURS, Evidence, Wrong, hint_of, is_unwritten
from autograder.examine.model import WHOLE_ENGINE, Aspect, Case, Check
from autograder.examine.plain_data import equal, show, show_apart, show_text
from autograder.examine.probed_error import unexpected
from autograder.examine.questions import Ask, Observation, Stopped, concluded, require_fit_to_expect, show_answer

RIGHT, WRONG, TIMED_OUT, OUT_OF_MEMORY, CRASHED, REFUSED, OUR_FAULT = (
    "right", "wrong", "timed out", "out of memory", "crashed", "refused", "not graded: our fault",
)  # fmt: skip
SPECIAL = 6  # characters that a 0 or an empty tuple counts for when cases are put in order of size: one dimension's
LONGEST_CASE = 1200  # characters of a case that a reader sees


@dataclass(frozen=True)
class Failure:
    """The smallest failing case, as text for a reader; for a document, the first wrong row, with its line as `place`.

    `call` is the case as Python text, `error` an error that the probe caught, `excerpt` the lines of the cell around
    the one where it came up, `words` what the words of a script mean, a line each, `made` a text that the answer has
    made, below a line that says so; each "" if there is none.
    """

    case: str
    expected: str
    got: str
    hint: str = ""
    place: str = ""
    call: str = ""
    error: str = ""
    excerpt: str = ""
    words: str = ""
    made: str = ""


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
    answer: Ask,
    in_full: bool = True,
    source: str = "",
) -> ExerciseResult:
    """Run every case, smallest first, and compute the points from the answers.

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
    right_topics: set[str] = set()
    for aspect in check.aspects:
        questions = sorted(cases[aspect.name], key=lambda question: _size(question[0]))
        if not questions:
            raise ValueError(f"{check.exercise}: aspect {aspect.name!r} has no cases")
        if stopped is not None or (aspect.compiled and _misses_needed(aspect, aspects)):
            aspects.append(AspectResult(aspect.name, 0, aspect.points, 0, len(questions)))
            continue
        judging = _Judging(check, aspect, source, right_topics)
        result, stopped = judging.judge(questions, answer, in_full)
        aspects.append(result)
    aspects = _without_false_praise(aspects)
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


def _without_false_praise(results: Sequence[AspectResult]) -> list[AspectResult]:
    """Return the results with a program's hint that each case alone is right only where no other aspect failed."""

    def corrected(result: AspectResult) -> AspectResult:
        failure = result.failure
        if failure is None or failure.hint != OURS[WHOLE_ENGINE]:
            return result
        if not any(other.failure for other in results if other is not result):
            return result
        return replace(result, failure=replace(failure, hint=NOT_ALONE))

    return [corrected(result) for result in results]


def _misses_needed(aspect: Aspect, before: Sequence[AspectResult]) -> bool:
    """Return whether an aspect that it needs has failed: it earns nothing, so numba need not compile anything."""
    return any(result.name == aspect.needs and result.passed < result.cases for result in before)


@dataclass
class _Judging:
    """One aspect: its cases are asked, and the first wrong answer is kept until all that is known explains it.

    Args:
        right_topics: what the cases are about that were answered rightly, of earlier aspects too; it is added to.
    """

    check: Check
    aspect: Aspect
    source: str
    right_topics: set[str]

    def judge(
        self,
        questions: Sequence[tuple[Case, Observation]],
        answer: Ask,
        in_full: bool,
    ) -> tuple[AspectResult, Stopped | None]:
        passed, wrong_topics, first, stopped, failure = 0, set(), None, None, None
        for at, (case, wanted) in enumerate(questions):
            if first is not None and (not in_full or case.about == WHOLE_ENGINE):
                break
            require_fit_to_expect(self.check, case, wanted)
            try:
                with plain_text.submitted(self.check.exercise, self.source):
                    got = concluded(self.aspect, case, answer(case, _certain(questions, at + 1, in_full)))
            except Stopped as stop:
                stopped = stop
                failure = self._no_answer(case, wanted, stop)
                break
            if got.raised == wanted.raised and equal(wanted.value, got.value):
                passed += 1
                self.right_topics.add(case.about)
            else:
                first = first or Wrong(case, wanted, got)
                wrong_topics.add(case.about)
        if first is not None:
            failure = self._failure(first, Evidence(frozenset(wrong_topics), frozenset(self.right_topics)))
        points = self.aspect.points if passed == len(questions) else 0
        result = AspectResult(self.aspect.name, points, self.aspect.points, passed, len(questions), failure)
        return result, stopped

    def _no_answer(self, case: Case, wanted: Observation, stop: Stopped) -> Failure:
        return replace(
            self._shown(case), expected=_show_wanted(wanted), got=f"no answer: {stop.kind}",
            excerpt=student_error.excerpt(self.source, stop.place),
        )  # fmt: skip

    def _failure(self, wrong: Wrong, evidence: Evidence) -> Failure:
        """Describe a wrong answer for a reader; where an error led to it, with the lines around the one at fault."""
        case, wanted, got = wrong
        caught = unexpected(wanted, got)
        excerpt = error = ""
        if caught or (got.raised and not is_unwritten(got, self.check.exercise)):
            message, place = (caught.message, caught.place) if caught else (got.message, got.place)
            excerpt = student_error.excerpt(self.source, student_error.located(self.source, place, message))
            error = show_text(message) if caught and excerpt else ""
        made = ""
        if self.check.makes and not got.raised and not caught and got.message:
            made = "\n".join([f"{self.check.makes}:", *map(show_text, got.message.rstrip().split("\n"))])
        expected, given = _show_both(wanted, got)
        hint = hint_of(self.check, wrong, evidence, self.source, bool(excerpt))
        return replace(
            self._shown(case), expected=expected, got=given, hint=hint, error=error, excerpt=excerpt, made=made
        )  # fmt: skip

    def _shown(self, case: Case) -> Failure:
        """Return the failing case itself: its arguments, its call, and the words of a script."""
        shown = _show_case(self.check, case)
        words = "\n".join(self.check.legend(shown))
        return Failure(shown, "", "", call=call_text(self.check, case), words=words)


def _certain(questions: Sequence[tuple[Case, Observation]], begin: int, in_full: bool) -> Iterator[Case]:
    """Return the cases from `begin` on that are asked whatever the answers before them are."""
    later = islice(questions, begin, None) if in_full else ()
    return (case for case, _ in later if case.about != WHOLE_ENGINE)


def _size(case: Case) -> tuple[bool, int, str]:
    """Rank small what a reader takes in at once: little text, and a size or a stride of 0 only where it matters.

    The program on the whole engine comes last: it runs if the answer is right case by case.
    """
    text = repr(case.args)
    special = sum(argument.count(0) if argument else 1 for argument in case.args if type(argument) is tuple)
    return case.about == WHOLE_ENGINE, len(text) + SPECIAL * special, text


def _show_case(check: Check, case: Case) -> str:
    if case.about == WHOLE_ENGINE:
        return "a program on the whole engine"
    names = check.arguments if len(check.arguments) >= len(case.args) else [""] * len(case.args)
    shown = (show(arg, LONGEST_CASE) for arg in case.args)
    return " ".join(f"{name}={arg}" if name else arg for name, arg in zip(names, shown, strict=False))


def _show_wanted(observation: Observation) -> str:
    """Show as `show_answer`, with only the beginning of a message: the type of an error counts, its words do not."""
    return show_answer(replace(observation, message=textwrap.shorten(observation.message, 46, placeholder=" ...")))


def _show_both(wanted: Observation, got: Observation) -> tuple[str, str]:
    if wanted.raised or got.raised:
        return _show_wanted(wanted), show_answer(got)
    return show_apart(wanted.value, got.value)


def to_json(result: ExerciseResult) -> dict:
    """Return the result as plain JSON data; `from_json` is its inverse."""
    return asdict(result)


def from_json(data: Mapping) -> ExerciseResult:
    """Return the result from JSON data that `to_json` wrote.

    >>> result = ExerciseResult("strides.permute", WRONG, 0, 5, (AspectResult("edge", 0, 5, 1, 2),))
    >>> from_json(to_json(result)) == result
    True
    """
    aspects = tuple(
        AspectResult(**{**aspect, "failure": Failure(**aspect["failure"]) if aspect["failure"] else None})
        for aspect in data["aspects"]
    )
    return ExerciseResult(**{**data, "aspects": aspects})
