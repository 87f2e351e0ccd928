"""`replay("strides.permute")`: the failing case once more, its error where `%debug` finds it: in the student's code.

The case is asked as the check asks it, of the cell's text as a part of the engine. What is raised ends in the
innermost frame of that text: an error in the frame where it came up, also one that the probe catches, and a wrong
answer in the frame that returned last.
"""

import copy
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import engine
from autograder import overlay
from autograder.examine import error_data
from autograder.examine.model import Case
from autograder.examine.observe import ask, probe_file
from autograder.examine.plain_data import show, show_apart
from autograder.examine.questions import Observation, concluded, show_answer
from autograder.labs import CHECKS
from autograder.student.cell_text import NotReady
from autograder.student.recorded_check import Asked, left_out

WHOLE = 20_000  # characters of an argument: all of it

_failing: dict[str, Asked] = {}  # by exercise: the case that its last check in this notebook has shown


class WrongAnswer(AssertionError):
    """The error raised if the code ran to its end but returned a wrong answer."""


def remember(name: str, asked: Asked) -> None:
    """Keep the failing case for `again`."""
    _failing[name] = asked


def again(name: str, source: str, here: Path) -> None:
    """Run the remembered failing case of `name` again, on the cell text `source`.

    Raises:
        NotReady: no check has found a failing case in this notebook, or the case has ended its process.
        WrongAnswer, or whatever the student's code raises: the case fails again.
    """
    __tracebackhide__ = True
    if name not in _failing:
        raise NotReady("no failing case is known", f'run check("{name}") first')
    asked = _failing[name]
    if asked.is_dead:
        raise NotReady("this case would end the notebook", "correct the answer and check it again")
    print(f"{name}   the failing case, once more")
    for line in _case_lines(name, asked):
        print(f"   {line}")
    with overlay.swapped({name: source}), left_out(name, here):
        error = _outcome(name, asked)
    if error is None:
        print("   this case passes now")
        return
    overlay.register_text(name, source)  # a part that passed before is live again, and had put its own text there
    traceback, error.__traceback__ = error.__traceback__, None
    raise error.with_traceback(traceback) from None


def _case_lines(name: str, asked: Asked) -> Iterator[str]:
    """Yield the lines of the case: each argument, or each step of a script and what its words mean, and the answer."""
    check, args = CHECKS[name], asked.case.args
    arguments = check.arguments if len(check.arguments) >= len(args) else ()
    if asked.case.probe:
        yield f"a program on the whole engine, in {probe_file(asked.case.probe)}"
    for number, arg in enumerate(args):
        label = arguments[number] if arguments else f"{number}"
        if type(arg) is list and len(arg) > 1 and all(type(step) is tuple and step for step in arg):
            yield f"{label} ="
            yield from (f"   {show(step, WHOLE)}" for step in arg)
        else:
            yield f"{label} = {show(arg, WHOLE)}"
    said = check.legend(repr(args))
    yield from (["where", *(f"   {line}" for line in said)] if said else [])
    yield f"expected {show_answer(asked.wanted)}"


def _outcome(name: str, asked: Asked) -> BaseException | None:
    """Return the error that was raised, with a traceback of the student's frames, innermost last; None without one."""
    watch = _Watch(f"<{name}>")
    case = replace(asked.case, args=copy.deepcopy(asked.case.args))
    error_data.begin(name)
    try:
        value = watch.run(lambda: _ask(name, case))
    except BaseException as error:
        if isinstance(error, Exception) and error_data.type_name(error) == asked.wanted.raised:
            return None
        return watch.trimmed(error)
    got = concluded(asked.aspect, asked.case, Observation(value))
    if asked._replace(got=got).is_right:
        return None
    expected, given = show_apart(asked.wanted.value, got.value)
    text = f"expected {show_answer(asked.wanted) if asked.wanted.raised else expected}, got {given}"
    if watch.error is not None and f"{type(watch.error).__name__}" not in show(asked.wanted.value):
        return watch.trimmed(watch.error)  # the probe has caught it
    return WrongAnswer(text).with_traceback(watch.returned)


def _ask(name: str, case: Case) -> object:
    return ask(engine, name, CHECKS[name].probe_of(case), case.args)


class _Watch:
    """Notes, while something runs, where the code of one file raised and returned last."""

    def __init__(self, file: str):
        self.file = file
        self.error: BaseException | None = None
        self.returned: TracebackType | None = None

    def run(self, function: Callable[[], object]) -> object:
        before = sys.gettrace()
        threading.settrace(self._enter)
        sys.settrace(self._enter)
        try:
            return function()
        finally:
            sys.settrace(before)
            threading.settrace(None)  # type: ignore[arg-type]

    def _enter(self, frame: FrameType, event: str, value: Any) -> Any:
        return self._inside if frame.f_code.co_filename == self.file else None

    def _inside(self, frame: FrameType, event: str, value: Any) -> Any:
        if event == "exception" and not isinstance(value[1], StopIteration | GeneratorExit):
            self.error = value[1]
        elif event == "return":
            self.returned = TracebackType(None, frame, frame.f_lasti, frame.f_lineno)
        return self._inside

    def trimmed(self, error: BaseException) -> BaseException:
        """Return the error, or the one that caused it, with the file's frames alone; as it is where there are none."""
        seen: BaseException | None = error
        while seen is not None:
            if own := self._own(seen.__traceback__):
                return seen.with_traceback(own)
            seen = seen.__cause__ or seen.__context__
        return error

    def _own(self, traceback: TracebackType | None) -> TracebackType | None:
        frames = []
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == self.file:
                frames.append(traceback)
            traceback = traceback.tb_next
        chain = None
        for one in reversed(frames):
            chain = TracebackType(chain, one.tb_frame, one.tb_lasti, one.tb_lineno)
        return chain
