"""The verdict on one cell's text over the recorded public cases, in this process: what `check` asks of an answer."""

import contextlib
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import NamedTuple

import engine
from autograder import plain, prints, recorded, student_error
from autograder.cell_text import NotReady, is_part
from autograder.checks import CHECKS, Aspect
from autograder.probes import observe
from autograder.student_error import Place
from autograder.timelimit import clock, time_limit
from autograder.verdict import CRASHED, TIMED_OUT, ExerciseResult, Observation, Stopped, concluded, judge
from engine import overlay
from engine.utils.status_line import busy

CASES = "cases.json"  # beside the notebook
NO_ANSWER = "no answer"  # instead of the type of an error
ENDS_PROCESS = "the cell ends the process: sys.exit() or exit()"
ANSWER_SECONDS, CHECK_SECONDS = 2.0, 5.0


class CheckFailed(Exception):
    """A check that did not pass. All there is to say is printed above it, so the notebook shows one line."""

    def _render_traceback_(self) -> list[str]:
        return [f"CheckFailed: {self}"]


class Asked(NamedTuple):
    """One question of a check, and what both answers to it come to."""

    args: tuple
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
        PartError: the text can't become a part of the engine.
    """
    cases = recorded_cases(name, here)
    probe = CHECKS[name].probe
    wanted = {id(case.args): (of, answer) for of in CHECKS[name].aspects for case, answer in cases[of.name]}
    deadline = clock() + CHECK_SECONDS
    together = Stopped(TIMED_OUT, f"all cases together took more than {CHECK_SECONDS:g} seconds")

    def answer(args: tuple) -> Observation:
        left = deadline - clock()
        if left <= 0:
            raise together
        aspect, right = wanted[id(args)]
        got = Observation(None, NO_ANSWER)
        printed.begin()
        task.text = f"checking {name}, case {len(asked) + 1} of {len(wanted)}"
        try:
            with time_limit(min(left, ANSWER_SECONDS)):
                got = Observation(**observe(engine, name, probe, args))
        except (Stopped, KeyboardInterrupt) as stop:
            if printed.is_too_much:
                raise Stopped(CRASHED, f"printed more than {prints.MOST:,} characters", place_in(name, stop)) from None
            if not isinstance(stop, Stopped):
                raise
            message = together.message if left < ANSWER_SECONDS else stop.message
            raise Stopped(stop.kind, message, place_in(name, stop)) from None
        except SystemExit as stop:
            raise Stopped(CRASHED, ENDS_PROCESS, place_in(name, stop)) from None
        finally:
            asked.append(Asked(args, right, concluded(aspect, args, got), aspect, printed.shown()))
        return got

    try:
        with (
            busy(f"checking {name}") as task,
            prints.held_back() as printed,
            time_limit(CHECK_SECONDS + ANSWER_SECONDS),
            overlay.swapped({name: source}),
            left_out(name, here),
        ):
            return judge(CHECKS[name], cases, answer, source=source)
    except Stopped as stopped:
        raise NotReady(stopped.message) from None
    except SystemExit:
        raise NotReady(ENDS_PROCESS) from None
    except KeyboardInterrupt as stop:
        raise NotReady(student_error.stopped(source, place_in(name, stop))) from None


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
    methods = recorded.methods(here / CASES).get(name, ())
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
        methods = recorded.methods(here / CASES).get(name, ())
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
