"""One student's submission to one lab: a notebook with its documents, once or several times."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from autograder.examine.handin import FILE, LARGEST_DOCUMENT, Refused, cells_of, parse
from autograder.grading.collect import claims
from autograder.grading.collect.archive import Budget, Entry, Unreadable, nested
from autograder.grading.collect.claims import COPY, Claim
from autograder.grading.collect.roster import Roster
from autograder.student.submit import ANSWER, MANIFEST

SMALL = 10_000  # bytes of a manifest
GIVEN = ("cases.json", "lab.json")  # files that came with the notebook


class Left(NamedTuple):
    """A file that is not taken, and why; its bytes are kept for the instructor, where it has any."""

    path: str
    reason: str
    data: bytes | None


class Released(NamedTuple):
    """Of a released lab: the names of its answer cells, and of the documents that are handed in."""

    answers: set[str]
    documents: set[str]


class Attempt(NamedTuple):
    """Files by the name that the grader reads them by. Newest last, sorted by `order`."""

    student: str
    lab: str
    files: Mapping[str, bytes]
    source: str
    order: tuple
    late: bool


class Loose(NamedTuple):
    """A file of a student's, not in a zip of his own."""

    claim: Claim
    entry: Entry
    data: bytes


@dataclass
class Found:
    """All that an archive holds: attempts, and what fits nobody or is nothing that is graded."""

    attempts: list[Attempt] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    nameless: list[str] = field(default_factory=list)


def find(entries: Iterable[Entry], roster: Roster, course: Path, lab: str | None, budget: Budget) -> Found:
    """The attempts among the files of an archive.

    Args:
        lab: the lab that all of it is for; None: each notebook says by its cells which one it is of.
    """
    found, known = Found(), released(course)
    loose: dict[str, list[Loose]] = {}
    for entry in entries:
        if not entry.parts:
            continue
        try:
            data = entry.read()
        except Unreadable as error:
            found.left.append(Left(entry.path, f"{error}: it is still in the archive", None))
            continue
        claim = claims.read(entry.parts, known)
        if entry.name.lower().endswith(".zip"):
            _in_zip(found, entry, claim, data, roster, known, lab, budget)
            continue
        student, reason = claims.student(claim, roster)
        if not student:
            _nobody(found, entry.path, claim, reason, data)
        else:
            loose.setdefault(student, []).append(Loose(claim, entry, data))
    for student, files in loose.items():
        _loose(found, student, files, known, lab)
    return found


def released(course: Path) -> dict[str, Released]:
    """The released labs by id."""
    paths = sorted(course.glob(f"*/{FILE}"))
    return {
        path.parent.name: Released(answers_of(path.read_bytes()), {file.name for file in path.parent.glob("*.md")})
        for path in paths
    }


def answers_of(notebook: bytes) -> set[str]:
    try:
        return {cell.name for cell in cells_of(parse(notebook)) if cell.name.endswith(ANSWER)}
    except Refused:
        return set()


def lab_of(notebook: bytes, known: Mapping[str, Released]) -> str:
    """The lab whose answer cells the notebook has most of, "" if it has none."""
    own = answers_of(notebook)
    best = max(known, key=lambda lab: len(own & known[lab].answers), default="")
    return best if best and own & known[best].answers else ""


def _nobody(found: Found, path: str, claim: Claim, reason: str, data: bytes) -> None:
    found.left.append(Left(path, reason, data))
    if claim.called and claim.called not in found.nameless:
        found.nameless.append(claim.called)


def _in_zip(
    found: Found, entry: Entry, claim: Claim, data: bytes, roster: Roster, known: Mapping[str, Released],
    lab: str | None, budget: Budget,
) -> None:  # fmt: skip
    """A student's own zip, such as `submit` makes."""
    try:
        inside = nested(entry._replace(read=lambda: data), budget)
        files = [Loose(claim._replace(file=inner.name), inner, inner.read()) for inner in inside if inner.parts]
    except Unreadable as error:
        found.left.append(Left(entry.path, str(error), data))
        return
    said = next((_manifest(file.data) for file in files if file.entry.name == MANIFEST), {})
    claim = claim._replace(said=said.get("id", ""))
    student, reason = claims.student(claim, roster)
    if not student:
        _nobody(found, entry.path, claim, reason, data)
        return
    if claim.said and roster.find("word", claim.said) - {student}:
        found.notes.append(f"{student}: {entry.path} says that it is {claim.said}'s; the archive's name counts")
    notebooks = [file for file in files if is_notebook(file)]
    if not notebooks:
        found.left.append(Left(entry.path, f"{student}'s zip has no notebook in it", data))
    for file in notebooks:
        order = (claim.order, entry.modified, file.entry.name == FILE, entry.path, file.entry.path)
        _attempt(found, student, file, files, known, lab, order, f"{entry.path} > {file.entry.path}", claim.late)


def _loose(found: Found, student: str, files: list[Loose], known: Mapping[str, Released], lab: str | None) -> None:
    notebooks = [file for file in files if is_notebook(file)]
    for file in notebooks:
        order = (file.claim.order, file.entry.modified, file.claim.file == FILE, file.entry.path, "")
        _attempt(found, student, file, files, known, lab, order, file.entry.path, file.claim.late)
    wanted = {name for attempt in found.attempts if attempt.student == student for name in attempt.files}
    for file in files:
        if file not in notebooks and not (wanted and _document(file, wanted)) and file.entry.name not in GIVEN:
            why = "is nothing that is graded" if notebooks else "came without a notebook"
            found.left.append(Left(file.entry.path, f"{student}'s file {why}", file.data))


def _attempt(
    found: Found, student: str, notebook: Loose, files: list[Loose], known: Mapping[str, Released],
    lab: str | None, order: tuple, source: str, late: bool,
) -> None:  # fmt: skip
    own = lab_of(notebook.data, known)
    if lab and own and own != lab:
        reason = f"{student}'s notebook is of {own}: collect it with LAB={own[:2]}"
        found.left.append(Left(source, reason, notebook.data))
    elif not (lab or own):
        found.left.append(Left(source, f"{student}'s notebook is of no lab: say which, LAB=01", notebook.data))
    else:
        texts = {FILE: notebook.data} | documents_of(notebook, files, known[lab or own].documents)
        found.attempts.append(Attempt(student, lab or own, texts, source, order, late))


def documents_of(notebook: Loose, files: list[Loose], wanted: set[str]) -> dict[str, bytes]:
    """The documents that the lab asks for: beside the notebook, or wherever the student put them; the newest."""
    beside = notebook.entry.parts[:-1]

    def nearest(file: Loose) -> tuple:
        return file.claim.order, file.entry.parts[:-1] == beside, file.entry.modified, file.entry.path

    sorted_files = sorted(files, key=nearest)
    named = ((_document(file, wanted), file.data) for file in sorted_files if len(file.data) <= LARGEST_DOCUMENT)
    return {name: data for name, data in named if name}


def _document(file: Loose, wanted: Iterable[str]) -> str:
    """The name that the lab knows the file by, "" if it asks for none such: a copy's number and case don't count."""
    stem, dot, kind = file.claim.file.rpartition(".")
    spelled = {f"{stem}{dot}{kind}".casefold(), f"{COPY.sub('', stem)}{dot}{kind}".casefold()}
    if file.claim.system == "canvas" and "-" in stem:  # a second upload of TRACE.md is TRACE-1.md
        spelled.add(f"{stem.rpartition('-')[0]}{dot}{kind}".casefold())
    return next((known for known in wanted if known.casefold() in spelled), "")


def is_notebook(file: Loose) -> bool:
    return file.entry.name.lower().endswith(".ipynb")


def _manifest(data: bytes) -> dict[str, str]:
    try:
        stored = json.loads(data) if len(data) <= SMALL else {}
    except (ValueError, RecursionError):
        return {}
    given = stored if type(stored) is dict else {}
    return {key: value for key, value in given.items() if type(key) is str and type(value) is str}
