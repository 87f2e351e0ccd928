"""`my_hours.json` beside `my_engine/`: the time that a student has worked at each exercise, for the student alone.

    {"format": 1, "labs": {"01-strides": {"between": 12.5, "parts": {
        "strides.permute": {"opened": "2026-10-12T18:03:00+02:00", "passed": null, "minutes": 8.6}}}}}

`between` counts the minutes that belong to no exercise. The file is never handed in, and deleting it loses nothing
else. Several notebooks may add to it: each adds what it has gained, under a lock, to what is there now.
"""

import contextlib
import itertools
import json
import math
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from autograder.files import write_whole

FILE = "my_hours.json"
FORMAT = 1


class Busy(Exception):
    """The error raised if another notebook is writing the file; the hours can be added later."""


@dataclass
class Worked:
    """Work on an exercise or document: when it was first opened and passed, "" if not yet, and the minutes."""

    opened: str = ""
    passed: str = ""
    minutes: float = 0.0


@dataclass
class Hours:
    """Work on a lab; `between` is the minutes that belong to no exercise. In hours to be added they may be negative."""

    between: float = 0.0
    parts: dict[str, Worked] = field(default_factory=dict)

    def __add__(self, gained: "Hours") -> "Hours":
        both = {name: _joined(self.parts.get(name), gained.parts.get(name)) for name in {**self.parts, **gained.parts}}
        return Hours(self.between + gained.between, both)

    def rounded(self) -> "Hours":
        """Return the hours with all minutes rounded to thousandths, and at least 0."""
        parts = {name: Worked(of.opened, of.passed, _rounded(of.minutes)) for name, of in self.parts.items()}
        return Hours(_rounded(self.between), parts)


def _joined(first: Worked | None, second: Worked | None) -> Worked:
    known = [each for each in (first, second) if each]
    opened = min((each.opened for each in known if each.opened), default="")
    passed = next((each.passed for each in known if each.passed), "")
    return Worked(opened, passed, sum(each.minutes for each in known))


def _rounded(minutes: float) -> float:
    return max(0.0, round(minutes, 3))


def read(path: Path) -> dict[str, Hours]:
    """Return the hours by lab, or {} if there is no file.

    Raises:
        ValueError: the file is damaged.
        OSError: it can't be read.
    """
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["format"] != FORMAT:
            raise ValueError(f"expected format {FORMAT}, got {stored['format']!r}")
        return {str(lab): _hours(**kept) for lab, kept in stored["labs"].items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None


def _hours(between: float, parts: dict[str, dict[str, Any]]) -> Hours:
    found = {name: Worked(of["opened"] or "", of["passed"] or "", float(of["minutes"])) for name, of in parts.items()}
    times = [float(between), *(each.minutes for each in found.values())]
    if not all(math.isfinite(time) for time in times):
        raise ValueError("expected numbers of minutes")
    if not all(isinstance(text, str) for each in found.values() for text in (each.opened, each.passed)):
        raise ValueError("expected times as text")
    return Hours(times[0], found)


def add(path: Path, lab: str, gained: Hours) -> str:
    """Add hours worked in a lab to the file, atomically; a damaged file is kept under another name.

    Returns:
        a sentence about a damaged file, else "".
    Raises:
        Busy: another notebook is writing now.
        OSError: it can't be written.
    """
    with _alone(path.parent):
        said = ""
        try:
            kept = read(path)
        except ValueError:
            names = (path.with_name(f"{path.stem}.damaged-{number}{path.suffix}") for number in itertools.count(1))
            copy = next(name for name in names if not name.exists())
            path.rename(copy)
            kept, said = {}, f"{path.name} could not be read: it is kept as {copy.name}, and a new one is begun"
        kept[lab] = (kept.get(lab, Hours()) + gained).rounded()
        write_whole(path, _text(kept))
        return said


def _text(kept: dict[str, Hours]) -> str:
    labs = {lab: asdict(hours) for lab, hours in sorted(kept.items())}
    for hours in labs.values():
        for part in hours["parts"].values():
            part["passed"] = part["passed"] or None
    return json.dumps({"format": FORMAT, "labs": labs}, indent=1) + "\n"


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other notebooks from writing meanwhile, by a lock on the folder; Windows locks no folder.

    Raises:
        Busy: another notebook has the lock.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy from None
        except OSError:
            pass  # a file system without locks: each write is still whole
        yield
    finally:
        os.close(descriptor)
