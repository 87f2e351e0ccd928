"""Work with which nothing is left to do: a second run passes it over without opening one notebook.

`autograder/records/settled.json` keeps a digest by name:

    01-strides               a lab that is released: its texts, what was released of them, the checks, the engine
    01-strides/ada           a submission that is judged, entered and shown: the same, the times and sizes of what was
                             handed in and of what was made of it, its record, its entry in the gradebook
    report                   the report: every record and every entry in the gradebook that it shows

A file that is lost, or says something else, costs time and nothing more: a submission then takes the long way, on
which its record is found again.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.author.course_config import OWN_CONFIG, STEPS
from autograder.examine.verdict import OUR_FAULT
from autograder.files import write_whole
from autograder.grading import code_digest, course_file, extensions, gradebook, intake, submission_record
from autograder.grading.course_file import CourseFileError
from autograder.grading.report import Row
from autograder.grading.standings import Standing
from autograder.grading.submission_record import Record, Settings

FILE = "autograder/records/settled.json"
Submission = tuple[str, str]  # lab and student


class Settled:
    """The digests that earlier runs saved for a course; `--force` ignores them."""

    def __init__(self, settings: Settings):
        self._settings = settings
        self._kept = {} if settings.force else read(settings.root)

    def holds(self, name: str, digest: str) -> bool:
        """Return True if `digest` is the saved digest of `name`."""
        return self._kept.get(name) == digest

    def keep(self, digests: Mapping[str, str | None]) -> None:
        """Save these digests, and remove those that are None."""
        before = self._kept
        self._kept = {name: digest for name, digest in {**before, **digests}.items() if digest is not None}
        if self._kept == before:
            return
        path = self._settings.root / FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(self._kept, indent=0) + "\n")


def read(root: Path) -> dict[str, str]:
    """Read the saved digests by name; return none if the file can't be read."""
    try:
        kept = json.loads((root / FILE).read_text(encoding="ascii"))
    except (OSError, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}


def of_lab(settings: Settings, lab: str) -> str:
    """Return the digest of everything that determines a lab's grades and their display, except the submissions."""
    root = settings.root
    folders = (root / STEPS[step] / lab for step in ("source_directory", "release_directory"))
    files = [
        root / course_file.FILE,
        root / OWN_CONFIG,
        *(path for each in folders for path in each.rglob("*")),
    ]
    texts = {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(files) if path.is_file()}
    options = [settings.isolation, settings.accept_no_isolation, settings.seed]
    book = gradebook.cells_of(root, lab)  # not these of another gradebook or release
    return _digest([submission_record.key_of(lab, {}, settings.limits), options, texts, book, code_digest.of_grader()])


def handed_in(settings: Settings, jobs: Iterable[Submission]) -> dict[Submission, list]:
    """Return the modification times and sizes of all submitted files, by submission."""
    found = {}
    for lab, student in jobs:
        folder = settings.submitted / student / lab
        found[lab, student] = [[str(folder), *_state(folder)], *sorted(_below(folder))]
    return found


class Seen(NamedTuple):
    """A snapshot of the records by submission and of the gradebook's entries by lab."""

    records: dict[Submission, Record | None]
    standings: dict[str, dict[str, Standing] | None]


def seen_now(root: Path, jobs: Iterable[Submission]) -> Seen:
    """Read the records of these submissions, and the gradebook's entries for their labs."""
    kept = {(lab, student): submission_record.read(root, lab, student) for lab, student in jobs}
    return Seen(kept, {lab: gradebook.standings_if_whole(root, lab) for lab in {lab for lab, _ in kept}})


def of_submissions(settings: Settings, given: Mapping[Submission, list], seen: Seen) -> dict[str, str]:
    """Return the digests of the given submissions that are judged, entered and shown.

    Args:
        given: by submission, its `handed_in` of before it was judged.
        seen: of these submissions.
    """
    root = settings.root
    common, dates = {lab: of_lab(settings, lab) for lab in {lab for lab, _ in given}}, _dates(root)
    found = {}
    for (lab, student), files in given.items():
        entries = seen.standings[lab]
        if entries is None:
            continue
        record, standing = seen.records[lab, student], entries.get(student)
        if record is None or record["status"] == OUR_FAULT or not gradebook.is_shown(root, record, standing):
            continue
        made = (root / STEPS["autograded_directory"] / student / lab / intake.FILE, gradebook.page_of(root, record))
        entry = standing and standing.digest
        found[f"{lab}/{student}"] = _digest(
            [common[lab], dates(lab, student), files, [_state(path) for path in made], gradebook.stamp(record), entry]
        )
    return found


def _dates(root: Path) -> Callable[[str, str], str]:
    """Return a function of lab and student that gives what decides about an extension: another student's does not."""
    try:
        given = course_file.load(root).extensions
    except CourseFileError as error:
        said = str(error)
        return lambda lab, student: said
    if given is None:
        return lambda lab, student: ""
    return lambda lab, student: str([given.get((each, student)) for each in (lab, extensions.ALL)])


def of_report(root: Path, classes: Sequence[tuple[object, Sequence[Row]]], *shown: object) -> str:
    """Return the digest of the report's files and of the data that they show."""
    files = [_state(root / "autograder" / name) for name in ("report.html", "grades.csv")]
    rows = [[row.record, row.standing] for _, rows in classes for row in rows]
    return _digest([files, rows, [str(each) for each in shown], code_digest.of_grader()])


def _below(folder: Path) -> Iterator[list]:
    """Yield path and state of everything below; no link is followed, and no file is opened."""
    try:
        with os.scandir(folder) as entries:
            found = list(entries)
    except OSError:
        return
    for entry in found[: intake.MOST_ENTRIES + 1]:
        yield [entry.path, *_state(Path(entry.path))]
        if entry.is_dir(follow_symlinks=False):
            yield from _below(Path(entry.path))


def _state(path: Path) -> list[int]:
    """Return times of change, size, inode and mode; the second of the times is the system's, which nobody can set."""
    try:
        now = os.lstat(path)
    except OSError:
        return []
    return [now.st_mtime_ns, now.st_ctime_ns, now.st_size, now.st_ino, now.st_mode]


def _digest(data: object) -> str:
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()
