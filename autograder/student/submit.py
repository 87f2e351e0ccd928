"""Make the one file to upload: `python -m autograder.submit 02-dispatch [--id ada]` writes `02-dispatch-ada.zip`.

Checks first what the grader would refuse or miss, runs nothing, and says for each exercise what is known of it. The
same notebook and documents give the same bytes; an earlier file that differs is kept under another name.
"""

import argparse
import datetime as dt
import io
import itertools
import json
import re
import sys
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from autograder.examine import lab_file
from autograder.examine.answer_text import IN_DOCUMENT, answer_id, cells_of_answers, is_unwritten, joined, parts_of
from autograder.examine.handin import (
    CLEAR,
    FILE,
    LARGEST_DOCUMENT,
    LARGEST_FILE,
    STUDENT,
    STUDENT_MEANS,
    Cell,
    Refused,
    parse,
)
from autograder.examine.handin import cells_of as read_cells

MANIFEST = "submission.json"
REMEMBERED = ".submit-id"
EPOCH = (1980, 1, 1, 0, 0, 0)
OPEN = "YOUR ANSWER HERE"
ELSEWHERE = IN_DOCUMENT.partition("{")[0]  # begins the stub of a reflection that a document answers
DOCUMENT = re.compile(r"^check\(\"([A-Z][A-Z0-9_-]*\.md)\"\)", re.M)
NO_PROSE = re.compile(r"<!--[\s\S]*?(?:-->|\Z)|^\s{0,3}[#|].*$", re.M)  # comments, headings and tables
EMPTY_ROW = re.compile(r"^\|(\s*\|)+\s*$", re.M)
ANSWER, REFLECT = "-answer", "reflect-"
NO_ID = "say who you are: --id, followed by the name that your course knows you by ({})"


class Problem(Exception):
    """The error raised if nothing can be submitted; the message says why and what to do."""


class Part(NamedTuple):
    """One graded part of a lab, with its state: "open", "right", "changed", "unchecked", "missing", ..."""

    name: str
    state: str
    optional: bool = False


class Submission(NamedTuple):
    """The contents of a submission: files by name, the graded parts, and problems that the student should fix first."""

    lab: str
    files: Mapping[str, bytes]
    parts: tuple[Part, ...]
    problems: tuple[str, ...]


STATES = {
    "open": "not written yet",
    "right": "right at its last check",
    "changed": "changed since its check was right: run the check again",
    "unchecked": "written; its check has not been right yet",
    "missing": "its cell is missing",
    "written": "written",
    "not there": "not handed in",
}


def gather(folder: Path) -> Submission:
    """Read and check the lab in `folder`: lab.ipynb, lab.json, documents.

    Raises:
        Problem: the notebook can't be read, or is not this lab's.
    """
    lab, exercises, optional = _lab_of(folder)
    data = _read(folder / FILE, LARGEST_FILE, CLEAR)
    try:
        cells = read_cells(parse(data))
    except Refused as refused:
        raise Problem(refused.reason) from None
    my_engine = folder.parent / "my_engine"
    sources = _sources(cells)
    places = cells_of_answers([(cell.name, cell.source) for cell in cells], map(answer_id, exercises))
    answers = {name: [cells[place].source for place in places[answer_id(name)]] for name in exercises}
    if not any(answers.values()):
        others = sum(cell.name.endswith(ANSWER) for cell in cells)
        found = "the answers of another lab" if others else "no answer cells"
        raise Problem(f"{folder / FILE} is not the notebook of {lab}: it has {found}. Open {lab}/{FILE}.")
    parts = [
        Part(name, _state(name, functions, answers[name], my_engine), name in optional)
        for name, functions in exercises.items()
    ]
    parts += [
        Part(cell, "open" if all(OPEN in text for text in texts) else "written")
        for cell, texts in sources.items()
        if cell.startswith(REFLECT) and not all(text.startswith(ELSEWHERE) for text in texts)
    ]
    files, problems = {FILE: data}, []
    for name in sorted(_documents(cells)):
        try:
            data = _read(folder / name, LARGEST_DOCUMENT, "shorten it")
            text = data.decode("utf-8-sig")
            parts.append(Part(name, "open" if EMPTY_ROW.search(text) else "written"))
            parts += [Part(cell, _state_of_prose(text)) for cell in _answered_in(name, sources)]
            files[name] = data
        except UnicodeDecodeError:
            problems.append(f"{folder / name} is no text: save it as UTF-8")
        except Problem as problem:
            problems.append(str(problem))
        if name not in files:
            parts.append(Part(name, "not there"))
    lost = [part.name for part in parts if part.state == "missing"]
    if lost:
        problems.append(f"the cells of {', '.join(lost)} are missing: they were deleted, or their ids changed")
    return Submission(lab, files, tuple(parts), tuple(problems))


def archive(submission: Submission, student: str) -> bytes:
    """Return the zip file to upload, byte for byte the same for the same files."""
    about = json.dumps({"format": 1, "lab": submission.lab, "id": student}).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as opened:
        for name, data in sorted({**submission.files, MANIFEST: about}.items()):
            entry = zipfile.ZipInfo(f"{submission.lab}/{name}", EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            opened.writestr(entry, data)
    return out.getvalue()


def write(target: Path, data: bytes) -> str:
    """Write the zip, and keep an earlier one that differs. Returns a line for the student."""
    if target.is_file():
        if target.read_bytes() == data:
            return f"{target} is as it was: nothing has changed since you made it"
        names = (target.with_name(f"{target.stem}.{number}.zip") for number in itertools.count(1))
        kept = next(path for path in names if not path.exists())
        target.rename(kept)
        target.write_bytes(data)
        return f"wrote {target}; the earlier one is kept as {kept.name}"
    target.write_bytes(data)
    return f"wrote {target}"


def student_id(given: str | None, remembered: Path) -> str:
    """Return the student's id: `given`, else the remembered one, else asked for at the terminal.

    Raises:
        Problem: there is none, or it holds a character that no file's name should.
    """
    if given is None and remembered.is_file():
        given = remembered.read_text(encoding="utf-8").strip()
    if given is None and sys.stdin.isatty():
        given = input("Your id, as your course knows you (a login or student number): ").strip()
    if given is None:
        raise Problem(NO_ID.format(STUDENT_MEANS))
    if not STUDENT.fullmatch(given):
        raise Problem(f"the id is {ascii(given)}, expected {STUDENT_MEANS}: {NO_ID.format('as in --id ada')}")
    return given


# ---- the lab's folder


def find(name: str, here: Path) -> Path:
    """Return the folder of the lab `name` ("02-dispatch", "02", or a path), at or below `here` or its `work/`.

    Raises:
        Problem: there is none.
    """
    own = Path(name) if Path(name).is_absolute() else here / name
    if (own / FILE).is_file():
        return own.resolve()
    places = [here, *sorted(path for base in (here, here / "work") for path in base.glob("[0-9][0-9]-*"))]
    for path in places:
        number = path.resolve().name.split("-")[0]
        same = path.resolve().name == name or (name.isdigit() and number.isdigit() and int(number) == int(name))
        if same and (path / FILE).is_file():
            return path.resolve()
    found = ", ".join(path.name for path in places if (path / FILE).is_file()) or "none"
    raise Problem(f"no lab {name!r} here, found {found}: start this in the folder that holds {name}/{FILE}")


def _lab_of(folder: Path) -> tuple[str, dict[str, set[str]], frozenset[str]]:
    """Return the lab's id, by exercise the functions to be written, and the optional exercises, as its file says."""
    path = folder / lab_file.FILE
    try:
        lab = lab_file.load(folder)
        functions = {exercise.name: _functions(exercise.name, exercise.methods) for exercise in lab.exercises}
        return lab.id, functions, lab.optional
    except FileNotFoundError:
        raise Problem(f"{path} is missing: it came with the notebook, put it back beside it") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Problem(f"{path} can't be read: take the file that came with the notebook") from None


def _documents(cells: Iterable[Cell]) -> set[str]:
    """Return the files that the notebook checks, besides its answers."""
    return {name for cell in cells for name in DOCUMENT.findall(cell.source) if cell.kind == "code"}


def _read(path: Path, largest: int, remedy: str) -> bytes:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise Problem(f"{path} is missing") from None
    except OSError as error:
        raise Problem(f"{path} can't be read: {error.strerror}") from None
    if len(data) > largest:
        raise Problem(f"{path} has {len(data):,} bytes, {largest:,} are allowed: {remedy}")
    return data


def _functions(exercise: str, methods: Iterable[str]) -> set[str]:
    name = exercise.rpartition(".")[2]
    return {f"{name}.{method}" for method in methods} or {name}


def _answered_in(document: str, sources: Mapping[str, list[str]]) -> list[str]:
    """Return the names of the questions whose answers are the text of a document."""
    stub = IN_DOCUMENT.format(document=document)
    return [cell for cell, texts in sources.items() if cell.startswith(REFLECT) and stub in texts]


def _state_of_prose(text: str) -> str:
    """Return the state of what a person reads in a document: that beside its tables, headings and comments.

    >>> _state_of_prose("## In words\\n<!-- here -->\\n1.\\n"), _state_of_prose("## In words\\n1. It checks.\\n")
    ('open', 'written')
    """
    return "written" if re.search(r"\w\w", NO_PROSE.sub("", text)) else "open"


def _sources(cells: Iterable[Cell]) -> dict[str, list[str]]:
    """Return the texts of all cells by name."""
    texts: dict[str, list[str]] = {}
    for cell in cells:
        if cell.name:
            texts.setdefault(cell.name, []).append(cell.source)
    return texts


def _state(name: str, functions: set[str], texts: list[str], my_engine: Path) -> str:
    """Return the state of an exercise whose cells hold `texts`, by the part that `check` saved when it was right."""
    if not texts:
        return "missing"
    places = parts_of(texts, lambda text: is_unwritten(text, functions))
    if not places:
        return "open"
    answer = joined(texts[place] for place in places)
    module, _, qualname = name.rpartition(".")
    saved = my_engine.joinpath(*module.split("."), f"{qualname}.py")
    try:
        return "right" if saved.read_text(encoding="utf-8").strip() == answer.strip() else "changed"
    except (OSError, UnicodeDecodeError):
        return "unchecked"


# ---- said


def summary(submission: Submission, saved: dt.datetime, now: dt.datetime) -> str:
    """Return a table of the submission, part by part, and the age of the saved notebook."""
    width = max(len(part.name) for part in submission.parts)
    lines = [f"{submission.lab}   {FILE}, saved {saved:%Y-%m-%d %H:%M} ({_ago((now - saved).total_seconds())})"]
    lines += [
        f"   {part.name:<{width}}   {STATES[part.state]}{' (optional)' * part.optional}" for part in submission.parts
    ]
    extra = [part for part in submission.parts if part.optional]
    more = f", extra {_written(extra)}" if extra else ""
    lines.append(f"{_written([part for part in submission.parts if not part.optional])} parts are written{more}")
    return "\n".join([*lines, *(f"!  {problem}" for problem in submission.problems)])


def _written(parts: list[Part]) -> str:
    return f"{sum(part.state not in ('open', 'missing', 'not there') for part in parts)} of {len(parts)}"


def _ago(seconds: float) -> str:
    minutes = max(0, int(seconds // 60))
    return "just now" if minutes < 1 else f"{minutes} min ago" if minutes < 180 else f"{minutes // 60} h ago"


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0 if the file to upload was written."""
    parser = argparse.ArgumentParser(prog="python -m autograder.submit", description="Make the file to upload.")
    parser.add_argument("lab", nargs="?", default=".", help="02-dispatch, or 02; default: the lab of this folder")
    parser.add_argument("--id", help="the name that your course knows you by; asked for, and remembered")
    parser.add_argument("--anyway", action="store_true", help="make the file even though something is missing")
    options = parser.parse_args(arguments)
    try:
        folder = find(options.lab, Path.cwd())
        submission = gather(folder)
        saved = dt.datetime.fromtimestamp((folder / FILE).stat().st_mtime)
        print(summary(submission, saved, dt.datetime.now()))
        if submission.problems and not options.anyway:
            raise Problem("nothing was written: correct this first, or add --anyway to hand in what there is")
        student = student_id(options.id, folder.parent / REMEMBERED)
        (folder.parent / REMEMBERED).write_text(student + "\n", encoding="utf-8")
        print(write(folder.parent / f"{submission.lab}-{student}.zip", archive(submission, student)))
        print("Upload this one file. It holds what was saved: after a change, save the notebook and start this again.")
    except (Problem, EOFError) as error:
        print(f"x  {error or 'no id was given'}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
