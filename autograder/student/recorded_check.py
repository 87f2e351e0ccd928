"""The verdict on one cell's text over the recorded public cases, in this process: what `check` asks of an answer."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import NamedTuple

import engine
from autograder.examine import examiner, plain, prints, student_error
from autograder.examine.examiner import Examiner
from autograder.examine.model import Aspect, Case, Check
from autograder.examine.questions import Ask, Observation, Stopped, concluded
from autograder.examine.student_error import Place
from autograder.examine.timelimit import clock, time_limit
from autograder.examine.verdict import CRASHED, TIMED_OUT, ExerciseResult
from autograder.labs import CHECKS
from autograder.student import recorded, this_lab
from autograder.student.cell_text import NotReady, is_part
from autograder.student.this_lab import CASES
from engine.utils.status_line import busy

NO_ANSWER = "no answer"  # instead of the type of an error
ENDS_PROCESS = "the cell ends the process: sys.exit() or exit()"
ANSWER_SECONDS, CHECK_SECONDS = 2.0, 5.0


class CheckFailed(Exception):
    """A check that did not pass. All there is to say is printed above it, so the notebook shows one line."""

    def _render_traceback_(self) -> list[str]:
        return [f"CheckFailed: {self}"]


class Asked(NamedTuple):
    """One question of a check, and what both answers to it come to."""

    case: Case
    wanted: Observation
    got: Observation
    aspect: Aspect
    printed: str = ""

    @property
    def is_right(self) -> bool:
        return self.got.raised == self.wanted.raised and plain.equal(self.wanted.value, self.got.value)


def judge_cell(name: str, source: str, here: Path, asked: list[Asked]) -> ExerciseResult:
    """The verdict on the cell text `source` over the recorded cases in the folder `here`.

    Args:
        asked: collects the questions and answers.
    Raises:
        NotReady: there are no recorded cases, or the user has stopped it.
        CellRefused: the text keeps a rule of solution cells not, or can't become a part of the engine.
    """
    cases = recorded_cases(name, here)
    wanted = {id(case): (of, answer) for of in CHECKS[name].aspects for case, answer in cases[of.name]}
    try:
        return Examiner(Patient(here, wanted, asked), inspects=True).examine(CHECKS[name], source, cases)
    except Stopped as stopped:
        raise NotReady(stopped.message) from None
    except SystemExit:
        raise NotReady(ENDS_PROCESS) from None
    except KeyboardInterrupt as stop:
        raise NotReady(student_error.stopped(source, place_in(name, stop))) from None


@dataclass
class Patient:
    """The place in the notebook's process, within a student's patience: limits of time and of what is printed.

    Args:
        folder: of the notebook.
        wanted: by the identity of a case, its aspect and its right answer.
        asked: collects the questions and answers.
    """

    folder: Path
    wanted: Mapping[int, tuple[Aspect, Observation]]
    asked: list[Asked]

    @contextlib.contextmanager
    def __call__(self, check: Check, source: str) -> Iterator[Ask]:
        name = check.exercise
        deadline = clock() + CHECK_SECONDS
        with (
            busy(f"checking {name}") as task,
            prints.held_back() as printed,
            time_limit(CHECK_SECONDS + ANSWER_SECONDS),
            examiner.here(check, source) as ask,
            left_out(name, self.folder),
        ):

            def within_limits(case: Case, following: Iterable[Case] = ()) -> Observation:
                task.text = f"checking {name}, case {len(self.asked) + 1} of {len(self.wanted)}"
                return self._answer(ask, case, name, deadline - clock(), printed)

            yield within_limits

    def _answer(self, ask: Ask, case: Case, name: str, left: float, printed: prints.Printed) -> Observation:
        together = f"all cases together took more than {CHECK_SECONDS:g} seconds"
        if left <= 0:
            raise Stopped(TIMED_OUT, together)
        aspect, right = self.wanted[id(case)]
        got = Observation(None, NO_ANSWER)
        printed.begin()
        try:
            with time_limit(min(left, ANSWER_SECONDS)):
                got = ask(case)
        except (Stopped, KeyboardInterrupt) as stop:
            if printed.is_too_much:
                raise Stopped(CRASHED, f"printed more than {prints.MOST:,} characters", place_in(name, stop)) from None
            if not isinstance(stop, Stopped):
                raise
            message = together if left < ANSWER_SECONDS else stop.message
            raise Stopped(stop.kind, message, place_in(name, stop)) from None
        except SystemExit as stop:
            raise Stopped(CRASHED, ENDS_PROCESS, place_in(name, stop)) from None
        finally:
            self.asked.append(Asked(case, right, concluded(aspect, case, got), aspect, printed.shown()))
        return got


def place_in(name: str, error: BaseException) -> Place:
    """Where in the text of the exercise's part an interruption came, in a thread of a recorded kernel as well."""
    seen: BaseException | None = error
    while seen is not None:
        of_kernel: tuple = getattr(seen, "place", ())
        if len(of_kernel) == 2 and of_kernel[0] == f"<{name}>":
            return of_kernel[1], 0, 0
        place = student_error.line_of(seen.__traceback__, {f"<{name}>"})[1]
        if place != student_error.NOWHERE:
            return place
        seen = seen.__cause__
    return student_error.NOWHERE


@contextlib.contextmanager
def left_out(name: str, here: Path) -> Iterator[None]:
    """Inside, the methods that the student should write and the part does not define are stubs, as when grading."""
    methods = this_lab.methods_of(name, here)
    # A function has none, and its module may have the same name as a function: `engine.dispatch.table`.
    defined = reduce(getattr, name.split("."), engine) if methods else None
    codes = {method: getattr(vars(defined)[method], "__code__", None) for method in methods}
    reference = {method: vars(defined)[method] for method, code in codes.items() if code and not is_part(name, code)}

    def not_written(*_: object) -> None:
        raise NotImplementedError(f"{name}: {', '.join(reference)}")

    for method in reference:
        setattr(defined, method, not_written)
    try:
        yield
    finally:
        for method, function in reference.items():
            setattr(defined, method, function)


def recorded_methods(name: str, here: Path) -> frozenset[str]:
    """The methods of a class that the student writes, as "Class.method"; of a function none."""
    try:
        methods = this_lab.methods_of(name, here)
    except (OSError, ValueError, TypeError, KeyError):
        return frozenset()  # what is missing is said when the cases are read
    return frozenset(f"{name.rpartition('.')[2]}.{method}" for method in methods)


def recorded_cases(name: str, here: Path) -> recorded.Recorded:
    path = here / CASES
    try:
        return recorded.load(path)[name]
    except FileNotFoundError:
        raise NotReady("the recorded cases are missing", f"expected {path}, beside the notebook") from None
    except (KeyError, ValueError, TypeError):
        raise NotReady(f"{path} holds no cases of {name}", "take the file that came with this notebook") from None
