"""`course.yaml` in the repository's root: due dates, what lateness costs, which cluster judges, what is counted.

`make grade`, nbgrader's own commands, formgrader and the report all read it here, and with it the students who have
more time (`extensions.csv`). Times are kept as nbgrader's gradebook keeps them, in UTC and without a time zone; they
are written with the course's.
"""

import contextlib
import datetime as dt
import functools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from zoneinfo import ZoneInfo

import yaml

from autograder.author import lab_text
from autograder.grading import extensions, scheduler_address
from autograder.grading.extensions import BadExtension, Extensions
from autograder.grading.timestamps import DAY, UTC, BadTime, in_words, read_moment

FILE = "course.yaml"
KEYS = ("timezone", "due", "late", "scheduler", "count_predictions")
NONE = ("", "none", "null", "~")
SCHEDULER = re.compile(rb"^[\"']?scheduler\b", re.MULTILINE)  # a line that may name one


class CourseFileError(ValueError):
    """course.yaml or extensions.csv can't be read; the message begins with the file and line."""


@dataclass(frozen=True)
class Policy:
    """The penalty for a late submission: a percentage of its score per day begun, or the whole score after a limit."""

    percent_per_day: float = 0.0
    at_most_percent: float = 100.0
    grace_minutes: float = 0.0
    zero_after_days: float = math.inf

    def penalty(self, score: float, seconds_late: float) -> float:
        """Return the points to deduct.

        >>> Policy(percent_per_day=10, at_most_percent=50).penalty(80.0, 1.5 * DAY)
        16.0
        """
        if seconds_late <= self.grace_minutes * 60:
            return 0.0
        if seconds_late > self.zero_after_days * DAY:
            return score
        percent = min(self.percent_per_day * math.ceil(seconds_late / DAY), self.at_most_percent)
        return round(score * percent / 100, 2)


@dataclass(frozen=True)
class Course:
    """The contents of `course.yaml` and `extensions.csv`.

    `due`: by lab, in UTC; None if the file does not decide. `late`: None if nbgrader's own method decides.
    `scheduler`: the address of dask's, whose workers judge; "" to judge here.
    `extensions`: None without that file, so that the gradebook's count.
    `count_predictions`: the class page counts the guesses of the students who share them.
    """

    timezone: ZoneInfo = UTC
    due: Mapping[str, dt.datetime] | None = None
    late: Policy | None = None
    scheduler: str = ""
    extensions: Extensions | None = None
    count_predictions: bool = False

    def shown(self, moment: dt.datetime | None) -> str:
        """Format a gradebook time in the course's time zone, with the offset from UTC."""
        return in_words(moment, self.timezone)


def load(root: Path) -> Course:
    """Load `course.yaml` and `extensions.csv` from the repository `root`; without them nothing is ever late.

    Raises:
        CourseFileError: one of them can't be read.
    """
    text, known = _read(root / FILE) or "", lab_text.lab_ids(root)
    table = _read(root / extensions.FILE)
    return parse(text, known) if table is None else _with_extensions(text, table, known)


def _read(path: Path) -> str | None:
    """Read the text of a file, None without one."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise CourseFileError(f"{path.name} can't be read: {error}: save it as UTF-8") from None


@functools.lru_cache(maxsize=8)
def _with_extensions(text: str, table: str, known: tuple[str, ...]) -> Course:
    course = parse(text, known)
    try:
        return replace(course, extensions=extensions.parse(table, course.timezone, course.due, known))
    except BadExtension as error:
        raise CourseFileError(str(error)) from None


def problem(root: Path) -> str:
    """Return the reason that one of the two files can't be read, or "" if both can."""
    try:
        load(root)
    except CourseFileError as error:
        return str(error)
    return ""


def scheduler(root: Path) -> str:
    """Return the dask scheduler's address; "" to judge locally, and for an unreadable file that does not name one.

    Raises:
        CourseFileError: it names one and can't be read.
    """
    try:
        return load(root).scheduler
    except CourseFileError:
        with contextlib.suppress(OSError):
            if SCHEDULER.search((root / FILE).read_bytes()):
                raise
        return ""


def counts_predictions(root: Path) -> bool:
    """Return whether the course counts the guesses that students share; False if the course file can't be read."""
    try:
        return load(root).count_predictions
    except CourseFileError:
        return False


@functools.lru_cache(maxsize=8)
def parse(text: str, known: tuple[str, ...]) -> Course:
    """Parse the text of `course.yaml`; `known` lists the existing labs.

    Raises:
        CourseFileError: with the line and what was expected there.
    """
    try:
        top = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise CourseFileError(f"{FILE}{where}: {getattr(error, 'problem', None) or error}") from None
    given = {} if top is None or _is_none(top) else dict(_items(top, KEYS))
    zone = _zone(given["timezone"]) if "timezone" in given else UTC
    due = late = None
    if "due" in given and not _is_none(given["due"]):
        due = {}
        for name, node in _items(given["due"]):
            try:
                lab = lab_text.find(name, known)
            except lab_text.LabError as error:
                raise _error(node, str(error)) from None
            if not _is_none(node):
                due[lab] = _due(node, zone)
    if "late" in given and not _is_none(given["late"], but="none"):
        late = _policy(given["late"])
    scheduler = _scheduler(given["scheduler"]) if "scheduler" in given else ""
    counts = "count_predictions" in given and _is_true(given["count_predictions"])
    return Course(zone, due, late, scheduler, count_predictions=counts)


# ---- nodes of the file


def _error(node: yaml.Node, said: str) -> CourseFileError:
    return CourseFileError(f"{FILE}, line {node.start_mark.line + 1}: {said}")


def _items(node: yaml.Node, allowed: tuple[str, ...] = ()) -> Iterator[tuple[str, yaml.Node]]:
    """Yield keys and values of a mapping; raise an error for a key that is unknown, or there twice."""
    if not isinstance(node, yaml.MappingNode):
        raise _error(node, f"expected lines such as {allowed[0] if allowed else 'NN-name'}: ..., got {_text(node)!r}")
    seen = set()
    for key, value in node.value:
        name = _text(key)
        if name in seen:
            raise _error(key, f"{name} is there twice")
        if allowed and name not in allowed:
            raise _error(key, f"unknown key {name!r}, expected one of {', '.join(allowed)}")
        seen.add(name)
        yield name, value


def _text(node: yaml.Node) -> str:
    return node.value.strip() if isinstance(node, yaml.ScalarNode) else "several lines"


def _is_none(node: yaml.Node, but: str = "") -> bool:
    text = _text(node).lower()
    return isinstance(node, yaml.ScalarNode) and text in NONE and text != but


def _zone(node: yaml.Node) -> ZoneInfo:
    try:
        return ZoneInfo(_text(node))
    except (OSError, ValueError, LookupError):
        raise _error(node, f"unknown time zone {_text(node)!r}, expected one such as Europe/Berlin or UTC") from None


def _due(node: yaml.Node, zone: ZoneInfo) -> dt.datetime:
    try:
        moment = read_moment(_text(node), zone, whole_day=True)
    except BadTime as error:
        raise _error(node, f"the due date {error}") from None
    assert moment is not None  # empty was taken for none
    return moment


def _scheduler(node: yaml.Node) -> str:
    if _is_none(node):
        return ""
    if said := scheduler_address.problem(_text(node)):
        raise _error(node, f"scheduler: {said}")
    return _text(node)


def _is_true(node: yaml.Node) -> bool:
    text = _text(node).lower()
    if text not in ("true", "false", *NONE):
        raise _error(node, f"count_predictions: {_text(node)!r}, expected true or false")
    return text == "true"


def _policy(node: yaml.Node) -> Policy:
    names = {"none": Policy(), "zero": Policy(zero_after_days=0)}
    if isinstance(node, yaml.ScalarNode):
        if _text(node) not in names:
            raise _error(node, f"late: {_text(node)!r}, expected none, zero, or lines such as percent_per_day: 10")
        return names[_text(node)]
    return Policy(**{name: _number(value, name) for name, value in _items(node, _NUMBERS)})


_NUMBERS = tuple(field.name for field in fields(Policy))


def _number(node: yaml.Node, name: str) -> float:
    most = 100 if "percent" in name else math.inf
    try:
        number = float(_text(node).removesuffix("%"))
    except ValueError:
        number = math.nan
    if not 0 <= number <= most or math.isinf(number):
        raise _error(
            node, f"{name}: {_text(node)!r}, expected a number from 0{f' to {most}' if most == 100 else ' up'}"
        )
    return number
