"""The verdict on one cell's text over the recorded public cases, in this process: what `check` asks of an answer."""

import contextlib
import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import NamedTuple

import engine
from autograder import overlay
from autograder.examine import examiner, lab_file, plain_data, prints, student_error
from autograder.examine.deaths import ENDS_PROCESS
from autograder.examine.examiner import Examiner
from autograder.examine.lab_file import Lab
from autograder.examine.model import WHOLE_ENGINE, Aspect, Case, Check
from autograder.examine.observe import observe
from autograder.examine.questions import Ask, Observation, Stopped, concluded
from autograder.examine.student_error import Place
from autograder.examine.timelimit import clock, within
from autograder.examine.verdict import CRASHED, TIMED_OUT, ExerciseResult
from autograder.labs import CHECKS
from autograder.student import recorded
from autograder.student.cell_text import NotReady, is_part
from autograder.student.child import Answered, can_fork, forked
from engine.utils.status_line import busy

NO_ANSWER = "no answer"  # instead of the type of an error
ANSWER_SECONDS, CHECK_SECONDS = 2.0, 5.0


class CheckFailed(Exception):
    """The error raised if a check did not pass. The details are printed above it, so the notebook shows one line."""

    def _render_traceback_(self) -> list[str]:
        return [f"CheckFailed: {self}"]


class Asked(NamedTuple):
    """One case of a check, with the expected outcome and the student's."""

    case: Case
    wanted: Observation
    got: Observation
    aspect: Aspect
    printed: str = ""
    is_dead: bool = False  # the process in which it was asked

    @property
    def is_right(self) -> bool:
        return self.got.raised == self.wanted.raised and plain_data.equal(self.wanted.value, self.got.value)


def judge_cell(name: str, source: str, here: Path, asked: list[Asked]) -> ExerciseResult:
    """Judge the cell text `source` by the recorded cases in the folder `here`, and return the verdict.

    Args:
        asked: collects the questions and answers.
    Raises:
        NotReady: there are no recorded cases, or the user has stopped it.
        CellRefused: the text breaks a rule of solution cells, or can't become a part of the engine.
    """
    check, cases = CHECKS[name], recorded_cases(name, here)
    wanted = {id(case): (of, answer) for of in check.aspects for case, answer in cases[of.name]}
    if can_fork():
        _load_for_children(check, cases)
    judge = Examiner(Patient(here, wanted, asked), inspects=True)
    try:
        return within(CHECK_SECONDS + ANSWER_SECONDS, lambda: judge.examine(check, source, cases))
    except Stopped as stopped:
        raise NotReady(stopped.message) from None
    except SystemExit:
        raise NotReady(ENDS_PROCESS) from None
    except KeyboardInterrupt as stop:
        raise NotReady(student_error.stopped(source, place_in(name, stop))) from None


@dataclass
class Patient:
    """An examiner's process, here the notebook's own, with a student's limits of time and of printed text.

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
        name, deadline = check.exercise, clock() + CHECK_SECONDS
        with (
            busy(f"checking {name}") as task,
            prints.held_back() as printed,
            examiner.here(check, source) as ask,
            left_out(name, self.folder),
            forked(lambda case, seconds: _answered(ask, case, name, seconds, printed)) as ask_apart,
        ):

            def within_limits(case: Case, following: Iterable[Case] = ()) -> Observation:
                nonlocal deadline
                task.text = f"checking {name}, case {len(self.asked) + 1} of {len(self.wanted)}"
                if (left := deadline - clock()) <= 0:
                    raise Stopped(TIMED_OUT, _together())
                aspect, right = self.wanted[id(case)]
                came = Answered(Observation(None, NO_ANSWER))
                try:
                    if _may_end(check, aspect, case) and can_fork():
                        if aspect.compiled:
                            _begin_compiling()
                        came = ask_apart(case, left)
                        deadline -= came.seconds
                    else:
                        came = _answered(ask, case, name, left, printed)
                finally:
                    got = came.got if came.stopped is None else Observation(None, NO_ANSWER)
                    got = concluded(aspect, case, got)
                    self.asked.append(Asked(case, right, got, aspect, came.printed, came.is_dead))
                if came.stopped:
                    raise Stopped(*came.stopped)
                return came.got

            yield within_limits


def _together() -> str:
    return f"all cases together took more than {CHECK_SECONDS:g} seconds"


_loaded: set[str] = set()  # exercises


def _load_for_children(check: Check, cases: recorded.Recorded) -> None:
    """Have the reference answer the cases of the children once: else each child loads the same compiled kernels."""
    if check.exercise not in _loaded:
        _loaded.add(check.exercise)
        with overlay.swapped({}):
            for aspect in check.aspects:
                for case, _ in cases[aspect.name]:
                    if not aspect.compiled and _may_end(check, aspect, case):
                        observe(engine, check.exercise, check.probe_of(case), case.args)


@functools.cache
def _begin_compiling() -> None:
    """Have numba compile something: else the first compiled function takes each child half a second longer."""
    from autograder.examine import cpu_compiler

    cpu_compiler.warm_up()


def _may_end(check: Check, aspect: Aspect, case: Case) -> bool:
    """Return True if a wrong answer to the case may end its process."""
    return aspect.compiled or check.on_memory or case.about == WHOLE_ENGINE


def _answered(ask: Ask, case: Case, name: str, left: float, printed: prints.Printed) -> Answered:
    """Return what comes of a case within the limits, in the process that runs this."""
    printed.begin()
    began, got, stopped = clock(), Observation(), None
    try:
        got = within(min(left, ANSWER_SECONDS), lambda: ask(case))
    except (Stopped, KeyboardInterrupt) as stop:
        place = place_in(name, stop)
        if printed.is_too_much:
            stopped = CRASHED, f"printed more than {prints.MOST:,} characters", place
        elif isinstance(stop, Stopped):
            stopped = stop.kind, _together() if left < ANSWER_SECONDS else stop.message, place
        else:
            raise
    except SystemExit as stop:
        stopped = CRASHED, ENDS_PROCESS, place_in(name, stop)
    return Answered(got, stopped, printed.shown(), clock() - began)


def place_in(name: str, error: BaseException) -> Place:
    """Return the place in the exercise's text where the user interrupted it, even in a thread of a recorded kernel."""
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
    """Replace the methods that the student should write but the part does not define by stubs, as when grading."""
    methods = methods_of(name, here)
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


def released_lab(here: Path) -> Lab:
    """Return the lab as described by `lab.json` beside the notebook.

    Raises:
        NotReady: the file is missing or damaged.
    """
    try:
        return lab_file.load(here)
    except FileNotFoundError:
        raise NotReady(f"{lab_file.FILE} is missing", f"expected {here / lab_file.FILE}, beside the notebook") from None
    except (OSError, ValueError, TypeError, KeyError):
        raise NotReady(f"{here / lab_file.FILE} can't be read", "take the file that came with this notebook") from None


def methods_of(name: str, here: Path) -> tuple[str, ...]:
    """Return the methods of a class that the student writes, () for a function. Raises as `released_lab`."""
    return next((exercise.methods for exercise in released_lab(here).exercises if exercise.name == name), ())


def recorded_methods(name: str, here: Path) -> frozenset[str]:
    """Return the methods of a class that the student writes, as "Class.method"; () for a function."""
    try:
        methods = methods_of(name, here)
    except NotReady:
        return frozenset()  # what is missing is said when the exercise is judged
    return frozenset(f"{name.rpartition('.')[2]}.{method}" for method in methods)


def recorded_cases(name: str, here: Path) -> recorded.Recorded:
    path = here / recorded.FILE
    try:
        return recorded.load(path)[name]
    except FileNotFoundError:
        raise NotReady("the recorded cases are missing", f"expected {path}, beside the notebook") from None
    except (KeyError, ValueError, TypeError):
        raise NotReady(f"{path} holds no cases of {name}", "take the file that came with this notebook") from None
