"""Questions and their right answers: cases drawn from a check, the reference's observations of them.

The right answer to a case is the check's probe run on the reference engine, in a process that has no student's code.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from autograder.examine.model import WHOLE_ENGINE, Aspect, Case, Check
from autograder.examine.plain_data import NotPlain, is_plain, show, show_text
from autograder.examine.plain_text import NotCounted
from autograder.examine.student_error import NOWHERE, Place

COLUMNS = 88  # a notebook's output breaks longer lines in the middle of a word
# The errors that docstrings promise. Any other, from the reference, means that our side is broken, and then a
# broken answer would equal it.
EXPECTABLE = ("", "IndexError", "RuntimeError", "TypeError", "ValueError")
INPUT_WRITTEN = "is written, and belongs to an input"  # in a finding
OUT_OF_BOUNDS = re.compile(r"\d+, and (none is|at most \d+ are|at least \d+ are) (allowed|needed)")


@dataclass(frozen=True)
class Observation:
    """A probe's observation: a plain value, or the exact type name and the message of an exception.

    The place is the line of the exercise's text where the error came up; beside a value, message and place belong
    to the last error that the probe caught, `earlier` to those before it. None of them earns a point.
    """

    value: Any = None
    raised: str = ""
    message: str = ""
    place: Place = field(default=NOWHERE, compare=False)
    earlier: tuple[tuple[str, Place], ...] = field(default=(), compare=False)


class Ask(Protocol):
    """A function that runs one case on an implementation.

    Args:
        following: cases that are certainly asked next, in this order. An implementation in another process may take
            them before their turn; its answers come in their turn.
    Raises:
        Stopped: no answer came.
    """

    def __call__(self, case: Case, following: Iterable[Case] = ()) -> Observation: ...


class Stopped(Exception):
    """Error raised if no answer came: `kind` is TIMED_OUT, OUT_OF_MEMORY, CRASHED or REFUSED, `message` says why."""

    def __init__(self, kind: str, message: str, place: Place = NOWHERE):
        super().__init__(kind, message)
        self.kind = kind
        self.message = message
        self.place = place


def draw_cases(check: Check, seed: int) -> dict[str, list[Case]]:
    """Draw fresh cases of every aspect; a seed gives the same cases on every machine.

    Aspects with the same function `cases` have the very same cases, so each of these need be asked only once.
    """
    drawn: dict[str, list[Case]] = {}
    of_function: dict[Any, list[Case]] = {}
    for aspect in check.aspects:
        if aspect.cases not in of_function:
            rng = random.Random(f"{seed} {check.exercise} {aspect.name}")
            of_function[aspect.cases] = list(aspect.cases(rng))
        drawn[aspect.name] = list(of_function[aspect.cases])
    if check.program:
        drawn[check.aspects[0].name].append(Case((), WHOLE_ENGINE, check.program))
    return drawn


def answered(check: Check, seed: int) -> dict[str, list[tuple[Case, Observation]]]:
    """Draw fresh cases of every aspect, with their right answers, in the form that `judge` takes."""
    drawn, seen = draw_cases(check, seed), once(lambda case, following=(): seen_on_reference(check, case))
    return {
        aspect.name: [(case, expected(check, aspect, case, seen)) for case in drawn[aspect.name]]
        for aspect in check.aspects
    }


def once(ask: Ask) -> Ask:
    """Return a function that runs each case once and caches its answer, since aspects may share cases."""
    answers: dict[int, tuple[Case, Observation]] = {}  # by id; the case is kept, so no other gets its id

    def unanswered(case: Case, following: Iterable[Case]) -> Iterator[Case]:
        announced = {id(case), *answers}
        for later in following:
            if id(later) not in announced:
                announced.add(id(later))
                yield later

    def answer(case: Case, following: Iterable[Case] = ()) -> Observation:
        if id(case) not in answers:
            answers[id(case)] = case, ask(case, unanswered(case, following))
        return answers[id(case)][1]

    return answer


def expected(
    check: Check, aspect: Aspect, case: Case, seen: Callable[[Case], Observation] | None = None
) -> Observation:
    """Return the right answer to a case of an aspect, if the reference's answer can be judged.

    Args:
        seen: as `seen_on_reference` of the check, which is asked if it is left out.
    Raises:
        RuntimeError: the engine of this process runs on parts that a student wrote.
        ValueError: the reference answers with what can't be an expected answer.
    """
    found = concluded(aspect, case, seen(case) if seen else seen_on_reference(check, case))
    require_fit_to_expect(check, case, found)
    return found


def seen_on_reference(check: Check, case: Case) -> Observation:
    """Return the observation of the check's probe on the reference engine, in this process.

    Raises:
        RuntimeError: the engine of this process runs on parts that a student wrote.
    """
    import engine
    from autograder import overlay
    from autograder.examine.observe import observe

    if overlay.active():
        raise RuntimeError(f"expected answers need the reference engine, but parts are active: {overlay.active()}")
    return Observation(**observe(engine, check.exercise, check.probe_of(case), case.args))


def concluded(aspect: Aspect, case: Case, seen: Observation) -> Observation:
    """Return the value that the aspect compares: the observation itself, or findings computed from it."""
    if aspect.findings is None or seen.raised or case.probe:
        return seen
    try:
        return replace(seen, value=aspect.findings(case.args, seen.value))
    except NotCounted as error:
        return replace(seen, value=NotPlain(show_text(str(error), 2 * COLUMNS)))
    except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
        return replace(seen, value=NotPlain(f"nothing that can be judged: {show_text(str(error), COLUMNS)}"))


def is_out_of_bounds(found: object) -> bool:
    """Return True if a finding is a count out of bounds, in the form that `counting.within` returns.

    >>> is_out_of_bounds("0, and at least 4 are needed"), is_out_of_bounds("at most 96")
    (True, False)
    """
    return isinstance(found, str) and bool(OUT_OF_BOUNDS.fullmatch(found))


def require_fit_to_expect(check: Check, case: Case, observation: Observation) -> None:
    counts = observation.value.values() if isinstance(observation.value, dict) else ()
    if observation.raised not in EXPECTABLE or not is_plain(observation.value) or any(map(is_out_of_bounds, counts)):
        raise ValueError(
            f"{check.exercise}: {show_answer(observation)} can't be the expected answer to {show(case.args)}"
        )


def show_answer(observation: Observation) -> str:
    """Return an answer on one line: the value, or the exception."""
    if not observation.raised:
        return show(observation.value)
    message = show_text(observation.message)
    raised = observation.raised.removeprefix("numba.core.errors.")
    return f"{show_text(raised)} raised" + (f": {message}" if message else "")
