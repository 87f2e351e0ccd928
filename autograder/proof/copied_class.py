"""A graded class made large by copies, to measure what grows with its size without judging everybody.

    python -m autograder.proof.made_up_class 8 --lab 01 --root build/class       a small class
    python -m autograder.grading --root build/class --lab 01                     graded
    python -m autograder.proof.copied_class 1000 --root build/class              the same with 1,000 students
    python -m autograder.grading.feedback --root build/class                     the class page of all

Submissions, records, pages and entries in the gradebook are copied under new names. Two copies in three skip one of
the labs, if there are several. The copies' names and email addresses are made up. Never for a class of real students.
"""

import argparse
import os
import random
import sqlite3
import sys
import uuid
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from autograder.author.course_config import STEPS
from autograder.grading import database, intake, store

FOLDERS = ("submitted_directory", "autograded_directory", "feedback_directory")
FIRST = ("Ada", "Alan", "Barbara", "Chandra", "Dana", "Edsger", "Fatima", "Grace", "Ivan", "Kofi", "Lin", "Olga")
LAST = ("Allen", "Borg", "Conway", "Dijkstra", "Easley", "Floyd", "Hopper", "Iverson", "Kahn", "Lovelace", "Noether")
# Each table with the column that names its owner, and the table of the owner.
TABLES = (
    ("submitted_assignment", "student_id", "student"),
    ("submitted_notebook", "assignment_id", "submitted_assignment"),
    ("grade", "notebook_id", "submitted_notebook"),
    ("comment", "notebook_id", "submitted_notebook"),
    ("extra_earned", "grade", "grade"),
)


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m autograder.proof.copied_class", description=__doc__.split("\n")[0])
    parser.add_argument("count", type=int, help="of students in the end")
    parser.add_argument("--root", type=Path, required=True, help="the folder of a made-up class that is graded")
    options = parser.parse_args(arguments)
    copies = copy_class(options.root.resolve(), options.count)
    print(f"{len(copies)} students were copied below {options.root}")
    return 0


def copy_class(root: Path, count: int, seed: int = 0) -> list[str]:
    """Copy submissions until the class has `count` students; return the names of the copies.

    Raises:
        ValueError: nobody is graded in `root`.
    """
    draw = random.Random(seed)
    records = {path.stem for path in store.paths(root, "*")}
    originals = sorted(records & set(intake.folders(root / STEPS["submitted_directory"])))
    if not originals:
        raise ValueError(f"{root}: nobody is graded; grade a made-up class there first")
    width = len(str(count - 1))
    copies = {f"copy{number:0{width}}": draw.choice(originals) for number in range(len(originals), count)}
    labs = sorted({path.parent.name for path in store.paths(root, "*")})
    skipped = {name: draw.choice(labs) if len(labs) > 1 and draw.random() < 2 / 3 else "" for name in copies}
    jobs = [(name, of, lab) for name, of in copies.items() for lab in labs if lab != skipped[name]]
    for name, of, lab in jobs:
        _copy_files(root, lab, of, name)
    with closing(sqlite3.connect(root / database.FILE)) as book, book:
        _copy_students(book, copies, draw)
        _copy_entries(book, jobs)
    return list(copies)


def _copy_files(root: Path, lab: str, of: str, name: str) -> None:
    record = store.read(root, lab, of)
    if record is not None:
        store.write(root, record | {"student": name})
    for step in FOLDERS:
        source, target = (root / STEPS[step] / student / lab for student in (of, name))
        for path in source.rglob("*") if source.is_dir() else ():
            if path.is_file():
                copy = target / path.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                os.link(path, copy)  # a gigabyte less than copies of the bytes


def _copy_students(book: sqlite3.Connection, copies: Iterable[str], draw: random.Random) -> None:
    rows = ((name, draw.choice(FIRST), draw.choice(LAST), f"{name}@example.org") for name in copies)
    book.executemany("INSERT INTO student (id, first_name, last_name, email) VALUES (?, ?, ?, ?)", rows)


def _copy_entries(book: sqlite3.Connection, jobs: Sequence[tuple[str, str, str]]) -> None:
    """Copy the rows of submissions and of what belongs to them; each copy has a new id."""
    numbers = {lab: number for number, lab in book.execute("SELECT id, name FROM assignment")}
    entries = {(of, lab): _entry(book, of, numbers[lab]) for of, lab in {(of, lab) for _, of, lab in jobs}}
    for name, of, lab in jobs:
        ids = {of: name}
        for table, owner, rows in entries[of, lab]:
            new_ids = {row["id"]: uuid.uuid4().hex for row in rows if "id" in row}
            new = [row | {owner: ids[row[owner]]} | ({"id": new_ids[row["id"]]} if new_ids else {}) for row in rows]
            ids |= new_ids
            if new:
                marks = ", ".join(f":{column}" for column in new[0])
                book.executemany(f"INSERT INTO {table} ({', '.join(new[0])}) VALUES ({marks})", new)


def _entry(book: sqlite3.Connection, student: str, assignment: str) -> list[tuple[str, str, list[dict[str, str]]]]:
    """Return the rows of a student's submission by table, with the column that names their owner."""
    found, owners = [], {"student": [student]}
    for table, owner, above in TABLES:
        rows = _rows(book, table, owner, owners[above])
        if table == "submitted_assignment":
            rows = [row for row in rows if row["assignment_id"] == assignment]
        owners[table] = [row["id"] for row in rows if "id" in row]
        found.append((table, owner, rows))
    return found


def _rows(book: sqlite3.Connection, table: str, owner: str, owners: Sequence[str]) -> list[dict[str, str]]:
    if book.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [table]).fetchone() is None:
        return []
    marks = ", ".join("?" * len(owners))
    found = book.execute(f"SELECT * FROM {table} WHERE {owner} IN ({marks})", owners)
    names = [column[0] for column in found.description]
    return [dict(zip(names, row, strict=True)) for row in found]


if __name__ == "__main__":
    sys.exit(main())
