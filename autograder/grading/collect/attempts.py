"""One student's submission to one lab: a notebook with its documents, once or several times."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from autograder.examine.answer_text import DEFINES, defined_by
from autograder.examine.handin import FILE, LARGEST_DOCUMENT, Refused, cells_of, parse
from autograder.grading.collect import claims
from autograder.grading.collect.archive import Budget, Entry, Unreadable, nested
from autograder.grading.collect.claims import COPY, Claim
from autograder.grading.collect.roster import Roster
from autograder.student.submit import ANSWER, MANIFEST

SMALL = 10_000  # bytes of a manifest
GIVEN = ("cases.json", "lab.json")  # files that came with the notebook


class Left(NamedTuple):
    """A file that was not collected, and the reason; its bytes, if it has any, are kept for the instructor.

    `is_work`: False of what nobody grades, beside a notebook that was taken.
    """

    path: str
    reason: str
    data: bytes | None
    is_work: bool = True


class Released(NamedTuple):
    """The names of a released lab's answer cells, and of the documents that students hand in."""

    answers: set[str]
    documents: set[str]


class Attempt(NamedTuple):
    """A student's attempt: the files, by the name that the grader expects; the newest attempt sorts last by `order`."""

    student: str
    lab: str
    files: Mapping[str, bytes]
    source: str
    order: tuple
    late: bool


class Claimed(NamedTuple):
    """A file, with the student its path names; a zip made by `submit` also names its student itself."""

    claim: Claim
    entry: Entry


class Loose(NamedTuple):
    """A file that belongs to a student, with its bytes."""

    claim: Claim
    entry: Entry
    data: bytes


@dataclass
class Found:
    """Everything found for one student: attempts, and files that are not graded."""

    attempts: list[Attempt] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def by_student(
    entries: Iterable[Entry], roster: Roster, labs: Iterable[str]
) -> tuple[dict[str, list[Claimed]], list[tuple[Claimed, str]]]:
    """Group the files by student, and list those that belong to nobody, with the reason; only manifests are read."""
    files: dict[str, list[Claimed]] = {}
    strangers: list[tuple[Claimed, str]] = []
    labs = tuple(labs)
    for entry in entries:
        if not entry.parts:
            continue
        claim = claims.read(entry.parts, labs)
        claimed = Claimed(claim._replace(said=_said(entry)) if is_zip(entry) else claim, entry)
        student, reason = claims.student(claimed.claim, roster)
        if student:
            files.setdefault(student, []).append(claimed)
        else:
            strangers.append((claimed, reason))
    return files, strangers


def find(
    student: str, files: Iterable[Claimed], roster: Roster, known: Mapping[str, Released], lab: str | None
) -> Found:
    """Find the attempts among one student's files.

    Args:
        lab: the lab that all of it is for; None: each notebook says by its cells which one it is of.
    """
    found, budget = Found(), Budget()
    loose: list[Loose] = []
    for claim, entry in files:
        try:
            data = entry.read(budget)
            if is_zip(entry):
                _in_zip(found, student, Loose(claim, entry, data), roster, known, lab, budget)
            else:
                loose.append(Loose(claim, entry, data))
        except Unreadable as error:
            found.left.append(Left(entry.path, f"{error}: it is still in the archive", None))
    _loose(found, student, loose, known, lab)
    return found


def stranger(claimed: Claimed, reason: str) -> Left:
    """Read a file that belongs to nobody, so that it can be kept for the instructor."""
    try:
        return Left(claimed.entry.path, reason, claimed.entry.read(Budget()))
    except Unreadable as error:
        return Left(claimed.entry.path, f"{reason}; {error}: it is still in the archive", None)


def is_zip(entry: Entry) -> bool:
    return entry.name.lower().endswith(".zip")


def _said(entry: Entry) -> str:
    """Return the id that a student's own zip states, "" if it states none."""
    try:
        inside = nested(entry.read(Budget()))
        manifest = next((inner for inner in inside if inner.name == MANIFEST), None)
        return _manifest(manifest.read(Budget(SMALL))).get("id", "") if manifest else ""
    except Unreadable:
        return ""  # said again where it is read


def released(course: Path) -> dict[str, Released]:
    """Return the released labs by id."""
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
    """Return the lab with the most answer cells in the notebook, by name or by the functions defined; "" for none."""
    try:
        cells = cells_of(parse(notebook))
    except Refused:
        return ""
    names = {cell.name for cell in cells}
    defined = {name for cell in cells if cell.kind == "code" for name in DEFINES.findall(cell.source)}
    shares = {
        lab: (len(of.answers & names), len(defined & set(map(defined_by, of.answers)))) for lab, of in known.items()
    }
    best = max(shares, key=shares.__getitem__, default="")
    return best if best and any(shares[best]) else ""


def _in_zip(
    found: Found, student: str, given: Loose, roster: Roster, known: Mapping[str, Released], lab: str | None,
    budget: Budget,
) -> None:  # fmt: skip
    """Add the attempts in a student's own zip, such as `submit` makes, to `found`; unpack only what is graded."""
    claim, entry, data = given
    documents = {name for of in known.values() for name in of.documents}
    try:
        inside = [Loose(claim._replace(file=inner.name), inner, b"") for inner in nested(data) if inner.parts]
        wanted = [file for file in inside if is_notebook(file) or _document(file, documents)]
        files = [file._replace(data=file.entry.read(budget)) for file in wanted]
    except Unreadable as error:
        found.left.append(Left(entry.path, f"{student}'s zip: {error}", data))
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
    wanted = {name for attempt in found.attempts for name in attempt.files}
    for file in files:
        if file not in notebooks and not (wanted and _document(file, wanted)) and file.entry.name not in GIVEN:
            why = "is nothing that is graded" if notebooks else "came without a notebook"
            found.left.append(Left(file.entry.path, f"{student}'s file {why}", file.data, not notebooks))


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
    """Return the documents that the lab requires; of several copies, the newest or the one beside the notebook."""
    beside = notebook.entry.parts[:-1]

    def nearest(file: Loose) -> tuple:
        return file.claim.order, file.entry.parts[:-1] == beside, file.entry.modified, file.entry.path

    sorted_files = sorted(files, key=nearest)
    named = ((_document(file, wanted), file.data) for file in sorted_files if len(file.data) <= LARGEST_DOCUMENT)
    return {name: data for name, data in named if name}


def _document(file: Loose, wanted: Iterable[str]) -> str:
    """Return the name that the lab knows the file by, "" if it knows none; a copy's number and case don't count."""
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
