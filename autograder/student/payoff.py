"""The payoff of a lab: the notebook's `payoff()` on the reference and on the student's parts, and who took part."""

import linecache
import sys
import textwrap
from collections.abc import Collection, Mapping
from pathlib import Path
from types import FrameType, FunctionType

from autograder import overlay
from autograder.examine import lab_file, plain_data, student_error
from autograder.examine.lab_file import FILE
from autograder.examine.questions import COLUMNS, Stopped
from autograder.examine.timelimit import within
from autograder.student.coloring import say
from autograder.student.recorded_check import CheckFailed
from engine.compiled import kernel_invalidation
from engine.utils.status_line import busy

PAYOFF = "payoff"
PAYOFF_SECONDS = 60.0


def check_payoff(namespace: Mapping[str, object], here: Path) -> None:
    """Run the notebook's `payoff()` on the reference and on your parts, and report which of your parts it used."""
    payoff = namespace.get(PAYOFF)
    if not isinstance(payoff, FunctionType):
        say("x  payoff   not checked\n   `payoff` is not defined yet: run the cell with `def payoff`, then this one")
        raise CheckFailed("payoff: not checked")
    try:
        asked = lab_file.load(here).exercises
    except (OSError, ValueError, TypeError, KeyError):
        say(f"x  payoff   not checked\n   expected the file that came with this notebook: {here / FILE}")
        raise CheckFailed("payoff: not checked") from None
    core = [exercise.name for exercise in asked if not exercise.optional]
    yours = [exercise.name for exercise in asked if exercise.name in overlay.active()]

    def on_both() -> tuple[object, set[str], object]:
        with busy("payoff on the reference"), overlay.swapped({}):
            wanted = payoff()
        with busy("payoff on your parts"):
            return wanted, *_watched(payoff)

    try:
        wanted, ran, got = within(PAYOFF_SECONDS, on_both)
    except Stopped as stopped:
        say(f"x  payoff   timed out\n   {stopped.message}")
        raise CheckFailed("payoff: timed out") from None
    except KeyboardInterrupt as stop:
        say(f"x  payoff   stopped\n   {_where(stop, yours)}")
        raise CheckFailed("payoff: stopped") from None
    problems = {
        "still the reference's": [name for name in core if name not in yours],
        "yours, but never ran": [name for name in yours if name not in ran],
    }
    same = plain_data.equal(wanted, got)
    passed = same and not any(problems.values())
    say(f"{'ok' if passed else 'x '} payoff   {len(yours)} of {len(asked)} parts are yours")
    for problem, names in problems.items():
        if names:
            line = f"{problem}: {', '.join(names)}"
            print(textwrap.fill(line, COLUMNS, initial_indent="   ", subsequent_indent="      "))
    if not same:
        print(f"   on the reference it returns {plain_data.show(wanted)}")
        print(f"   on your parts it returns {plain_data.show(got)}")
    if not passed:
        raise CheckFailed("payoff: not yet on your parts alone")
    print("   all of them ran, and the answer is the reference's")


def _where(stop: BaseException, yours: Collection[str]) -> str:
    """Say which part of yours ran when it was stopped."""
    file, place = student_error.line_of(stop.__traceback__, {f"<{name}>" for name in yours})
    if not file:
        return "stopped before an answer came"
    source = "".join(linecache.getlines(file))
    return student_error.stopped(source, place).replace("your cell", f"your {file[1:-1]}")


def _watched(function: FunctionType) -> tuple[set[str], object]:
    """Return the names of the parts that ran while `function` did, and what it returns.

    A part that Python runs is seen by the file of its code, "<its name>". A part that numba compiled makes no calls
    that Python sees: it counts as run if a kernel with its code in it was asked for.
    """
    files: set[str] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            files.add(frame.f_code.co_filename)

    previous = sys.getprofile()
    with kernel_invalidation.watched() as in_kernels:
        sys.setprofile(watch)
        try:
            result = function()
        finally:
            sys.setprofile(previous)
    return in_kernels | {file[1:-1] for file in files}, result
