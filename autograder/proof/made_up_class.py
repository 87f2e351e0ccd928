"""A class of any size, no two of whose notebooks are alike, and what each student deserves.

    python -m autograder.proof.made_up_class 1000 --lab 01 --root build/class      write the class, as if handed in
    python -m autograder.grading --root build/class --lab 01                       grade it
    python -m autograder.proof.made_up_class --compare --lab 01 --root build/class compare the points with the deserved

Each answer is the reference, one of `right.py` or `wrong.py` beside the check, or the stub. A student of some ability
draws them; the draw depends on nothing but `--seed` and the student's number. A comment with the student's name makes
each cell the only one of its text.
"""

import argparse
import copy
import functools
import json
import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder import documents
from autograder.author import lab_text
from autograder.author.course_config import STEPS
from autograder.examine import lab_file
from autograder.examine.answer_text import answer_id
from autograder.examine.handin import FILE
from autograder.examine.lab_file import Lab
from autograder.grading import store
from autograder.labs import CHECKS
from autograder.made_up import cohort, tamper
from autograder.made_up.answers import RIGHT_ANSWERS, WRONG_ANSWERS
from autograder.overlay import source_of

RELEASED = lab_text.ROOT / "course"
ABILITY = 0.5, 1.0  # the share of right answers of the weakest and of the strongest student
MISSING = 0.2  # the share of what is not right for which nothing is written
WORDS = (
    "stride",
    "size",
    "offset",
    "storage",
    "view",
    "copy",
    "memory",
    "index",
    "step",
    "cell",
    "because",
    "so",
    "then",
)
Choice = tuple[str | None, tuple[str, ...]]  # an answer (None: the stub), and the aspects that it loses


def main(arguments: list[str] | None = None) -> int:
    """Write the class, or compare its grades with the deserved ones; return 1 if they differ."""
    parser = argparse.ArgumentParser(
        prog="python -m autograder.proof.made_up_class", description=__doc__.split("\n")[0]
    )
    parser.add_argument("count", type=int, nargs="?", default=1000, help="of students (default: %(default)s)")
    parser.add_argument("--lab", default="01", help="01-strides, or 01 (default)")
    parser.add_argument("--root", type=Path, required=True, help="the folder of the class, a course of its own")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--compare", action="store_true", help="compare the points given with the deserved ones")
    options = parser.parse_args(arguments)
    lab = lab_text.find(options.lab)
    if options.compare:
        differences = list(compare(options.root, lab))
        print("\n".join(differences) or "every score is the deserved one")
        return 1 if differences else 0
    write(options.root, lab, options.count, options.seed)
    print(f"{options.count} students of {lab} have handed in below {options.root}")
    return 0


def write(root: Path, lab: str, count: int, seed: int = 0) -> None:
    """Write `count` submissions, and the points they deserve, into the course `root`, which is created if necessary."""
    cohort.lay_out(root, [lab])
    released = nbformat.read(RELEASED / lab / "lab.ipynb", as_version=4)
    points = {}
    for number in range(count):
        name = f"student{number:0{len(str(count - 1))}}"
        folder = root / STEPS["submitted_directory"] / name / lab
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        points[name] = hand_in(folder, name, lab_file.load(RELEASED / lab), released, random.Random(f"{seed} {number}"))
    deserved_file(root, lab).write_text(json.dumps(points, indent=1) + "\n", "ascii")


def hand_in(folder: Path, name: str, lab: Lab, released: NotebookNode, draw: random.Random) -> tuple[int, int]:
    """Write one submission; return the automatic points that it deserves: core points and extra credit."""
    notebook = copy.deepcopy(released)
    ability, lost = draw.uniform(*ABILITY), dict.fromkeys((False, True), 0)
    for exercise in lab.exercises:
        source, aspects = chosen(exercise.name, ability, draw)
        cell = answer_id(exercise.name)
        stub = released.cells[tamper.cell_at(released, cell)].source
        tamper.set_source(notebook, cell, f"{(stub if source is None else source).strip()}\n# {name}")
        lost[exercise.optional] += sum(exercise.aspects[aspect] for aspect in aspects)
    for reflection in lab.reflections:
        if not reflection.document:
            said = " ".join(draw.choices(WORDS, k=60))
            tamper.set_source(notebook, f"reflect-{reflection.name}", f"{name}: {said}.")
    for document in lab.documents:
        template = (RELEASED / lab.id / document.name).read_text("utf-8")
        solved = documents.solved(documents.of_lab(lab.id)[document.name], template)
        (folder / document.name).write_text(solved, "utf-8")
    nbformat.write(notebook, folder / FILE)
    return lab.checked_points - lost[False], lab.extra - lost[True]


def chosen(exercise: str, ability: float, draw: random.Random) -> Choice:
    """Return a random answer to an exercise, right with probability `ability`, and the aspects that it loses."""
    right, wrong = answers(exercise)
    if draw.random() < ability:
        return draw.choice(right)
    every = tuple(aspect.name for aspect in CHECKS[exercise].aspects)
    return (None, every) if draw.random() < MISSING else draw.choice(wrong)


@functools.cache
def answers(exercise: str) -> tuple[list[Choice], list[Choice]]:
    """Return the right answers to an exercise, and the known wrong ones."""
    right = [source_of(exercise), *RIGHT_ANSWERS.get(exercise, ())]
    wrong: list[Choice] = [(answer.source, answer.loses) for answer in WRONG_ANSWERS if answer.exercise == exercise]
    return [(source, ()) for source in right], wrong


def compare(root: Path, lab: str) -> Iterator[str]:
    """Yield a line for each student who did not get the deserved points."""
    for name, wanted in json.loads(deserved_file(root, lab).read_text("ascii")).items():
        record = store.read(root, lab, name)
        given = record and [record["points"], record["extra"]]
        if given != wanted:
            yield f"{name}: (points, extra) {given}, deserves {wanted}"


def deserved_file(root: Path, lab: str) -> Path:
    """Return the path of the file with everybody's deserved points, `<root>/<lab>.deserved.json`."""
    return root / f"{lab}.deserved.json"


if __name__ == "__main__":
    sys.exit(main())
