"""Points in time as people write them in the course's files, and lengths of time as people read them.

Times are kept as nbgrader's gradebook keeps them, in UTC and without a time zone.
"""

import datetime as dt
import re
from zoneinfo import ZoneInfo

UTC = ZoneInfo("UTC")
DAY = 86_400
MOMENT = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)(?:[ T]+(?P<time>\d\d?:\d\d(?::\d\d)?)(?P<fraction>\.\d+)?)?"
    r"(?:\s*(?P<zone>Z|[+-]\d\d:?\d\d)|\s+(?P<name>[A-Za-z][\w+/-]*))?"
)


class BadTime(ValueError):
    """A text that is not a point in time; the message continues a sentence that begins with the name of its field."""


def read_moment(text: str, zone: dt.tzinfo = UTC, whole_day: bool = False) -> dt.datetime | None:
    """Parse the time in `text` and return it in UTC; return None if the text is empty.

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


def in_words(moment: dt.datetime | None, zone: dt.tzinfo) -> str:
    """Format a gradebook time in `zone`, with the offset from UTC; return "" for None.

    >>> in_words(dt.datetime(2026, 10, 12, 21, 59), ZoneInfo("Europe/Berlin"))
    '2026-10-12 23:59:00+02:00'
    """
    return moment.replace(tzinfo=dt.UTC).astimezone(zone).isoformat(" ", "seconds") if moment else ""


def span(seconds: float) -> str:
    """Format a duration in its two largest units, for display.

    >>> span(30), span(3 * DAY + 7200), span(3600)
    ('30 s', '3 d 2 h', '1 h')
    """
    left, parts = int(seconds), []
    for unit, size in (("d", DAY), ("h", 3600), ("min", 60), ("s", 1)):
        count, left = divmod(left, size)
        parts += [f"{count} {unit}"] if count else []
    return " ".join(parts[:2]) or "0 s"


def _zone_named(name: str) -> dt.tzinfo:
    if name == "Z" or name[0] in "+-":
        return dt.datetime.strptime(name, "%z").tzinfo or UTC
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, LookupError):
        raise BadTime(f"names the time zone {name!r}, expected UTC, +01:00 or one such as Europe/Berlin") from None
