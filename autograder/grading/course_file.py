"""`course.yaml` in the repository's root: when each lab is due, and what a late submission costs.

`make grade`, nbgrader's own commands, formgrader and the report all read it here. Times are kept as nbgrader's
gradebook keeps them, in UTC and without a time zone; they are written with the course's.
"""

import datetime as dt
import functools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from zoneinfo import ZoneInfo

import yaml

from autograder.author import lab_text

FILE = "course.yaml"
KEYS = ("timezone", "due", "late")
NONE = ("", "none", "null", "~")
UTC = ZoneInfo("UTC")
DAY = 86_400
MOMENT = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)(?:[ T]+(?P<time>\d\d?:\d\d(?::\d\d)?)(?P<fraction>\.\d+)?)?"
    r"(?:\s*(?P<zone>Z|[+-]\d\d:?\d\d)|\s+(?P<name>[A-Za-z][\w+/-]*))?"
)


class CourseFileError(ValueError):
    """course.yaml can't be read; the message begins with file and line."""


class BadTime(ValueError):
    """A text that is not a point in time; the message goes on after the name of what holds it."""


@dataclass(frozen=True)
class Policy:
    """The penalty for a late submission: a share of its score for each day begun, or all of it after some days."""

    percent_per_day: float = 0.0
    at_most_percent: float = 100.0
    grace_minutes: float = 0.0
    zero_after_days: float = math.inf

    def penalty(self, score: float, seconds_late: float) -> float:
        """Points to take off.

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
    """The file's contents.

    `due`: by lab, in UTC; None if the file does not decide. `late`: None if nbgrader's own method decides.
    """

    timezone: ZoneInfo = UTC
    due: Mapping[str, dt.datetime] | None = None
    late: Policy | None = None

    def shown(self, moment: dt.datetime | None) -> str:
        """A time of the gradebook's in the course's time zone, with the offset from UTC."""
        if moment is None:
            return ""
        local = moment.replace(tzinfo=dt.UTC).astimezone(self.timezone)
        return local.isoformat(" ", "seconds")


def load(root: Path) -> Course:
    """The course file of the repository `root`; without one nothing is ever late.

    Raises:
        CourseFileError: it can't be read.
    """
    path = root / FILE
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return Course()
    except (OSError, UnicodeDecodeError) as error:
        raise CourseFileError(f"{FILE} can't be read: {error}") from None
    return parse(text, lab_text.lab_ids(root))


def problem(root: Path) -> str:
    """The reason that the course file can't be read, "" if it can."""
    try:
        load(root)
    except CourseFileError as error:
        return str(error)
    return ""


@functools.lru_cache(maxsize=8)
def parse(text: str, known: tuple[str, ...]) -> Course:
    """The course that `text` describes; `known`: the existing labs.

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
    return Course(zone, due, late)


def read_moment(text: str, zone: dt.tzinfo = UTC, whole_day: bool = False) -> dt.datetime | None:
    """The time that `text` names, in UTC; None if the text is empty.

    Args:
        zone: of a time that names none.
        whole_day: a date without a time is allowed, and means the end of that day.
    Raises:
        BadTime: with what was found and what was expected.

    >>> read_moment("2026-10-12 23:59 Europe/Berlin"), read_moment("2026-10-12T23:59:30+02:00")
    (datetime.datetime(2026, 10, 12, 21, 59), datetime.datetime(2026, 10, 12, 21, 59, 30))
    """
    text = text.strip()
    if not text:
        return None
    match = MOMENT.fullmatch(text)
    example = "2026-11-23 18:05:00 UTC, or with +01:00 or Europe/Berlin instead of UTC"
    if match is None or not (match["time"] or whole_day):
        raise BadTime(f"holds {ascii(text[:40])}, expected a date and a time such as {example}: correct or remove it")
    try:
        if match["zone"] or match["name"]:
            zone = _zone_named(match["zone"] or match["name"])
        time = match["time"].zfill(5 if match["time"].count(":") == 1 else 8) if match["time"] else "00:00"
        local = dt.datetime.fromisoformat(f"{match['date']} {time}")
        local += dt.timedelta(
            days=0 if match["time"] else 1, microseconds=int(f"{match['fraction'] or '.0'}000000"[1:7])
        )
        # An hour that the clock shows twice, or not at all, means the later of its two readings.
        moments = (local.replace(tzinfo=zone, fold=fold).astimezone(dt.UTC) for fold in (0, 1))
        return max(moments).replace(tzinfo=None)
    except BadTime:
        raise
    except (ValueError, OverflowError) as error:
        raise BadTime(f"holds {ascii(text[:40])}: {error}; expected a time such as {example}") from None


def span(seconds: float) -> str:
    """A length of time for a reader, in its two largest units.

    >>> span(30), span(3 * DAY + 7200), span(3600)
    ('30 s', '3 d 2 h', '1 h')
    """
    left, parts = int(seconds), []
    for unit, size in (("d", DAY), ("h", 3600), ("min", 60), ("s", 1)):
        count, left = divmod(left, size)
        parts += [f"{count} {unit}"] if count else []
    return " ".join(parts[:2]) or "0 s"


# ---- nodes of the file


def _error(node: yaml.Node, said: str) -> CourseFileError:
    return CourseFileError(f"{FILE}, line {node.start_mark.line + 1}: {said}")


def _items(node: yaml.Node, allowed: tuple[str, ...] = ()) -> Iterator[tuple[str, yaml.Node]]:
    """Keys and values of a mapping; a key that is unknown, or there twice, is an error."""
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


def _zone_named(name: str) -> dt.tzinfo:
    if name == "Z" or name[0] in "+-":
        return dt.datetime.strptime(name, "%z").tzinfo or UTC
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, LookupError):
        raise BadTime(f"names the time zone {name!r}, expected UTC, +01:00 or one such as Europe/Berlin") from None


def _due(node: yaml.Node, zone: ZoneInfo) -> dt.datetime:
    try:
        moment = read_moment(_text(node), zone, whole_day=True)
    except BadTime as error:
        raise _error(node, f"the due date {error}") from None
    assert moment is not None  # empty was taken for none
    return moment


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
