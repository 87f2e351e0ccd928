"""The hours that a student asks the notebook to keep, `resume(keep_hours=True)`, and the picture of them.

Each run of a cell is an event. The time since the last event counts as work, up to ten minutes: after a longer pause
ten minutes count, for someone may think that long, and may also have gone away. The minutes belong to the exercise
that is written or checked next, so reading about it is part of it; a stub that is run or checked opens no exercise.
Everything stays in `my_hours.json` on the student's computer.
"""

import datetime as dt
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from IPython import get_ipython

from autograder.examine import lab_file
from autograder.examine.answer_text import functions_of, is_unwritten
from autograder.examine.lab_file import Lab
from autograder.student import hours_file
from autograder.student.cell_text import Saved
from autograder.student.draw_hours import NOT_OPENED, NOT_PASSED, PASSED, draw_hours
from autograder.student.hours_file import FILE, Busy, Hours, Worked
from engine.draw import Picture

LONGEST = 10.0  # minutes without an event that count
VALIDATING = "NBGRADER_VALIDATING"  # set by nbgrader while it validates
ESTIMATE = re.compile(r"^\*\*Time\*\*: about ([\d.]+) hours? estimated", re.M)
EVENTS = ("pre_run_cell", "post_run_cell")


class Keeper:
    """A recorder of the minutes worked in a lab, from the events of one notebook; it adds them to the file.

    Args:
        functions: by exercise, the functions and methods that the student writes.
        clock: seconds; a clock that stops while the computer sleeps is right.
    """

    def __init__(
        self, path: Path, lab: str, functions: Mapping[str, set[str]], clock: Callable[[], float] = time.monotonic
    ):
        self.path, self.lab, self._functions, self._clock = path, lab, functions, clock
        self.gained = Hours()  # not in the file yet
        self._pot = 0.0  # minutes since an exercise was worked at
        self._last = clock()
        self._touched: dict[str, bool] = {}  # by the cell that runs: name, and True if it passed
        self._said: set[str] = set()

    def touched(self, name: str, passed: bool = False) -> None:
        """Note that the current cell is about an exercise or document, and whether that passed."""
        self._touched[name] = passed or self._touched.get(name, False)

    def began(self, _: Any = None) -> None:
        """Count the time up to the start of a cell."""
        self._count()

    def ended(self, result: Any = None) -> None:
        """Count a cell's time, assign the minutes to the exercise that the cell was about, and save."""
        self._count()
        for name in self._written_in(getattr(getattr(result, "info", None), "raw_cell", None) or ""):
            self.touched(name)
        for name, passed in self._touched.items():
            now = dt.datetime.now().astimezone().isoformat(timespec="seconds")
            at_once = Hours(-self._pot, {name: Worked(now, now if passed else "", self._pot)})
            self.gained += at_once
            self._pot = 0.0
        self._touched.clear()
        self.save()

    def _count(self) -> None:
        now = self._clock()
        minutes = min(max(now - self._last, 0.0) / 60, LONGEST)
        self._last = now
        self._pot += minutes
        self.gained.between += minutes

    def _written_in(self, text: str) -> Iterable[str]:
        """Return the exercises that a cell's text defines, unless what it has of them is still the stub."""
        if "def " not in text:
            return []
        found = set(functions_of(text))
        of_text = {name: functions for name, functions in self._functions.items() if functions & found}
        return [name for name, functions in of_text.items() if not is_unwritten(text, functions)]

    def save(self) -> None:
        """Add the minutes counted since the last save to the file, or keep them for the next save if that fails."""
        said = ""
        try:
            said = hours_file.add(self.path, self.lab, self.gained)
            self.gained = Hours()
        except Busy:
            pass
        except OSError as error:
            said = f"your hours are not kept: {error.strerror}: {self.path.name}"
        if said and said not in self._said:
            self._said.add(said)
            print(f"   {said}")


_keeper: Keeper | None = None  # of this notebook, if hours are kept


def keep(here: Path, is_wanted: bool) -> str:
    """Start or stop recording hours beside the lab's folder `here`; return a line for the student, or ""."""
    global _keeper
    shell = get_ipython()
    if not is_wanted or VALIDATING in os.environ:
        if _keeper is not None and shell is not None:
            _keeper.save()
            for event, call in zip(EVENTS, (_keeper.began, _keeper.ended), strict=True):
                shell.events.unregister(event, call)
        _keeper = None
        return ""
    if shell is None:
        return ""
    if _keeper is None or _keeper.path != here.parent / FILE:
        try:
            lab = lab_file.load(here)
        except (OSError, ValueError, TypeError, KeyError):
            return "your hours are not kept: lab.json, which came with this notebook, can't be read"
        _keeper = Keeper(here.parent / FILE, lab.id, _functions(lab))
        for event, call in zip(EVENTS, (_keeper.began, _keeper.ended), strict=True):
            shell.events.register(event, call)
    return f'your hours are kept in ../{FILE}, on this computer alone: progress("hours") shows them'


def touched(name: str, passed: bool = False) -> None:
    """Note that the current cell checks an exercise or document, if hours are recorded."""
    if _keeper is not None:
        _keeper.touched(name, passed)


def _functions(lab: Lab) -> dict[str, set[str]]:
    return {
        exercise.name: {f"{qualname}.{method}" for method in exercise.methods} or {qualname}
        for exercise in lab.exercises
        for qualname in [exercise.name.rpartition(".")[2]]
    }


def picture(here: Path, saved: Saved | None) -> Picture:
    """Return the picture of the hours worked in the lab in the folder `here`.

    Args:
        saved: the notebook, whose text says how long the lab is estimated to take.
    Raises:
        FileNotFoundError, ValueError: `lab.json`, which says what the lab asks, is missing or damaged.
    """
    lab, note = lab_file.load(here), ""
    if _keeper is None:
        note = "Hours are not kept now; resume(keep_hours=True) in the first cell keeps them."
    try:
        kept = hours_file.read(here.parent / FILE).get(lab.id, Hours())
    except (OSError, ValueError):
        kept, note = Hours(), f"../{FILE} can't be read."
    if _keeper is not None:
        kept = (kept + _keeper.gained).rounded()
    rows = [(name, *_row(kept.parts.get(name))) for name in [part.name for part in lab.checked]]
    return draw_hours(lab.id, rows, kept.between, _estimate(saved), note, lab.optional)


def _row(worked: Worked | None) -> tuple[str, float]:
    if worked is None:
        return NOT_OPENED, 0.0
    return (PASSED if worked.passed else NOT_PASSED), worked.minutes


def _estimate(saved: Saved | None) -> float | None:
    """Return the hours that the lab's text states for its core; None where it states none."""
    found = (ESTIMATE.search(text) for *_, text in saved.cells) if saved else ()
    return next((float(match[1]) for match in found if match), None)
