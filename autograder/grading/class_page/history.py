"""Each lab's distribution of points after the last regrades, so that the page can show how it moved.

`autograder/records/history.json` keeps by lab a list, oldest first, that gains an entry whenever a run changes the
distribution, and holds the last `MOST`:

    {"date": "2026-10-13T08:00:00Z", "graded": 212, "median": 71, "mean": 66.4, "most": 80, "counts": [0, 3, ...]}

Points are the machine's, without extra credit. No entry names a student.
"""

import json
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.author import backups
from autograder.files import write_whole
from autograder.grading.report import Classes
from autograder.grading.submission_record import GRADED

FILE = "autograder/records/history.json"
MOST = 20  # entries of a lab
TENTHS = 10
Entry = dict[str, Any]
NUMBER = (int, float)
FIELDS: dict[str, Any] = {
    "date": str, "graded": int, "median": NUMBER, "mean": NUMBER, "most": int, "counts": list,
}  # fmt: skip


def distribution(points: Sequence[int], most: int) -> list[int]:
    """Return the number of submissions in each tenth of the maximum `most`, and the number that earned all points.

    >>> distribution([0, 7, 8, 79, 80], 80)
    [2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    """
    counts = [0] * (TENTHS + 1)
    for each in points:
        counts[min(TENTHS, max(0, each) * TENTHS // most) if most else TENTHS] += 1
    return counts


def entry_of(points: Sequence[int], most: int) -> Entry:
    """Return a history entry (without a date) for a nonempty list of points."""
    return {
        "graded": len(points), "median": statistics.median(points), "mean": round(statistics.fmean(points), 1),
        "most": most, "counts": distribution(points, most),
    }  # fmt: skip


def read(root: Path) -> dict[str, list[Entry]]:
    """Read the history entries of each lab, oldest first; none if there is no file yet.

    Raises:
        ValueError: the file is not as `updated` wrote it.
    """
    try:
        kept = json.loads((root / FILE).read_text(encoding="ascii"))
    except FileNotFoundError:
        return {}
    except RecursionError:
        raise ValueError("lists are nested too deeply") from None
    if not isinstance(kept, dict) or not all(isinstance(entries, list) for entries in kept.values()):
        raise ValueError("expected a list of entries for each lab")
    if bad := [entry for entries in kept.values() for entry in entries if not _is_entry(entry)]:
        raise ValueError(f"expected an entry with {', '.join(FIELDS)}, got {json.dumps(bad[0])[:80]}")
    return kept


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict) or not all(isinstance(entry.get(name), kind) for name, kind in FIELDS.items()):
        return False
    counts = entry["counts"]
    return len(counts) == TENTHS + 1 and all(isinstance(count, int) for count in counts)


def updated(root: Path, classes: Classes, failures: list[str]) -> dict[str, list[Entry]]:
    """Return the entries by lab, with a new one for each lab whose distribution has changed, and save them to disk.

    Args:
        failures: gains a sentence if the file could not be read: it is copied to the backups, and begun anew.
    Raises:
        OSError: it can't be written.
    """
    try:
        kept = read(root)
    except (ValueError, OSError) as error:
        copy = backups.keep(root, FILE).relative_to(root)
        failures.append(f"{FILE} can't be read ({error}): a copy is in {copy}, and the history begins anew")
        kept = {}
    now = dict(kept)
    for lab, rows in classes:
        earned, before = [row.record["points"] for row in rows if row.record["status"] == GRADED], kept.get(lab.id, [])
        date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        entry = {"date": date, **entry_of(earned, lab.checked_points)} if earned else {}
        if entry and (not before or before[-1] | {"date": date} != entry):
            now[lab.id] = [*before, entry][-MOST:]
    if now != kept:
        (root / FILE).parent.mkdir(parents=True, exist_ok=True)
        write_whole(root / FILE, json.dumps(now, indent=1) + "\n")
    return now
