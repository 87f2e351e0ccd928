"""Records as they are kept: `autograder/records/<lab>/<student>.json`, written as a whole or not at all.

Each is signed (`signature.py`): one that is damaged, or was changed by hand, counts as none, and is judged again.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from autograder.files import write_whole
from autograder.grading import intake, signature

FORMAT = 3
EARLIER = "the record that was kept is of an earlier version of the grader: judged again"
CHANGED = (
    "the record that was kept is not as the grader wrote it (changed by hand or damaged, or the key "
    f"{signature.FILE} is another): judged again"
)
Record = dict[str, Any]


def path_of(root: Path, lab: str, student: str) -> Path:
    """Return the path of a student's record; an invalid name is not used as a file name."""
    valid = intake.STUDENT.fullmatch(student) is not None
    name = student if valid else "refused " + hashlib.sha256(os.fsencode(student)).hexdigest()[:16]
    return root / "autograder" / "records" / lab / f"{name}.json"


def write(root: Path, record: Record) -> None:
    """Save a signed record atomically: if the process dies, the file has the old contents or the new ones."""
    path = path_of(root, record["lab"], record["student"])
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(signature.signed(root, record), indent=1), durable=True)


def remove_drafts(root: Path) -> None:
    """Delete the temporary files of runs that were killed while writing; the caller must hold the course's lock."""
    for draft in (root / "autograder" / "records").glob("*/*.tmp"):
        draft.unlink(missing_ok=True)


def read(root: Path, lab: str, student: str) -> Record | None:
    """Read the student's record, or return None if there is no valid one."""
    return look(root, lab, student)[0]


def look(root: Path, lab: str, student: str) -> tuple[Record | None, str]:
    """Return the record and "", or None and the reason that the saved record is invalid ("" if there is none)."""
    record, problem = look_at(root, path_of(root, lab, student))
    if record is not None and (record["lab"], record["student"]) != (lab, student):
        return None, CHANGED  # signed, but for somebody else
    return record, problem


def look_at(root: Path, path: Path) -> tuple[Record | None, str]:
    """Return the record in a file and "", or None and the reason that it is invalid."""
    try:
        record = json.loads(path.read_text(encoding="ascii"))
    except FileNotFoundError:
        return None, ""
    except (OSError, ValueError, RecursionError):
        return None, CHANGED
    if type(record) is not dict or not signature.is_signed(root, record):
        is_earlier = type(record) is dict and record.get("format") == 1 and signature.FIELD not in record
        return None, EARLIER if is_earlier else CHANGED
    del record[signature.FIELD]
    return (record, "") if record["format"] == FORMAT else (None, EARLIER)


def paths(root: Path, lab: str) -> list[Path]:
    """Return the paths of a lab's records, or of all labs' records for "*"."""
    return sorted((root / "autograder" / "records").glob(f"{lab}/*.json"))
