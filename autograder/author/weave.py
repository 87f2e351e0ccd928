"""From a lab's text to its notebooks: `python -m autograder.author.weave [--check] [LAB ...]`.

    solutions/01-strides/lab.md      the text (see lab_text.py)
    solutions/01-strides/lab.ipynb   the instructor's notebook, solutions pulled from engine/
    course/01-strides/lab.ipynb      the student's, made from it by nbgrader's generate_assignment
    course/01-strides/cases.json     the recorded public cases of its checks
    course/01-strides/lab.json       what the lab asks: order, titles, points (examine/lab_file.py)
    course/02-dispatch/TRACE.md      the template of a document that is handed in, where the lab has one

Weaving twice gives the same bytes: ids come from names and text, and nothing is executed.
"""

import argparse
import ast
import contextlib
import hashlib
import logging
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autograder.progress_bar import ProgressBar, begin

if __name__ == "__main__":
    begin("loading the labs and their checks", interrupted="`make course` again weaves what is missing")

import nbformat

from autograder.author import backups, lab_text
from autograder.author.course_config import STEPS, config
from autograder.author.lab_text import Cell, LabError, LabText
from autograder.author.stated_points import with_points
from autograder.author.stated_times import with_times
from autograder.examine import lab_file
from autograder.examine.answer_text import answer_id, grade_id
from autograder.examine.guess import with_open_guess
from autograder.examine.lab_file import EXTRA_POINTS, Attached, Exercise
from autograder.examine.model import Check
from autograder.overlay import PartError, source_of
from autograder.student import recorded

TOTAL_POINTS = 100
SCRATCH = "build"  # the folder in which a lab is woven
WEAVING = "weaving-"  # begins the name of the folder in it
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
PREDICT = "predict"  # the tag of a cell that answers a prediction
END, EMPTY = "### END SOLUTION", ", in an empty cell"
DIRECTIVES = {"solution", "reflect", "document", "points", "optional", "empty"}


def weave(lab: LabText, checks: Mapping[str, Check], root: Path = lab_text.ROOT) -> Path:
    """Write the instructor's and the student's notebook of `lab`, and its recorded cases, below `root`.

    Returns:
        the folder of the student's notebook.
    Raises:
        LabError: the text and the checks disagree, named by file and line.
    """
    with woven(lab, checks, root):
        return root / STEPS["release_directory"] / lab.id


@contextlib.contextmanager
def woven(lab: LabText, checks: Mapping[str, Check], root: Path = lab_text.ROOT) -> Iterator[Path]:
    """Weave into a scratch folder and yield it; move its files to `root` when the context ends.

    After an error in the context everything is as it was. See `backups.put` for what a person changed.

    Raises:
        LabError: the text and the checks disagree, named by file and line.
    """
    validate(lab)
    folders = tuple(f"{STEPS[step]}/{lab.id}" for step in ("source_directory", "release_directory"))
    (root / SCRATCH).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root / SCRATCH, prefix=WEAVING) as scratch:
        fresh = Path(scratch)
        source = fresh / folders[0]
        source.mkdir(parents=True)
        notebook = nbformat.writes(instructor_notebook(lab)) + "\n"
        (source / f"{lab_text.NOTEBOOK}.ipynb").write_text(notebook, encoding="utf-8")
        cases = recorded.record(lab.id, (checks[exercise.name] for exercise in lab.exercises))
        (source / "cases.json").write_text(cases, encoding="utf-8")
        (source / lab_file.FILE).write_text(lab_file.dump(lab), encoding="utf-8")
        for document in lab.documents:
            shutil.copyfile(lab.path.with_name(document.name), source / document.name)
        release(lab.id, fresh)
        for document in lab.documents:
            (source / document.name).unlink()  # a text of the author's, which no weave may replace or remove
        yield fresh
        backups.put(fresh, root, folders)


def remove_scratch(root: Path) -> None:
    """Delete the scratch folders of weaves that were killed; the caller must hold the course's lock."""
    for folder in (root / SCRATCH).glob(f"{WEAVING}*"):
        shutil.rmtree(folder, ignore_errors=True)


def release(lab: str, root: Path) -> None:
    """Run nbgrader's generate_assignment on the instructor's notebook of `lab`; the gradebook is not modified."""
    from nbgrader.converters import GenerateAssignment
    from nbgrader.coursedir import CourseDirectory

    course = config(root)
    course.CourseDirectory.assignment_id = lab
    course.GenerateAssignment.no_database = True
    course.SaveCells.enabled = False
    log = logging.getLogger("autograder.author.weave")
    log.setLevel(logging.ERROR)
    directory = CourseDirectory(config=course, log=log)
    GenerateAssignment(coursedir=directory, config=course, log=log).start()


def validate(lab: LabText) -> None:
    """Raise LabError unless all points except extra credit add up to 100."""
    if lab.points != TOTAL_POINTS:
        raise LabError(f"{lab.path}:1: the points add up to {lab.points}, expected {TOTAL_POINTS}")


def instructor_notebook(lab: LabText) -> nbformat.NotebookNode:
    """Return the lab as a notebook with its solutions filled in and with nbgrader's metadata."""
    notebook = nbformat.v4.new_notebook(metadata=METADATA)
    exercises = {exercise.line: exercise for exercise in lab.exercises}
    used: dict[str, int] = {}
    for cell in with_times(lab, with_points(lab)):
        if cell.line in exercises and "solution" in cell.metadata:
            notebook.cells += exercise_cells(lab, exercises[cell.line], cell)
        elif "document" in cell.metadata and cell.kind == "code":
            notebook.cells.append(document_cell(next(part for part in lab.documents if part.line == cell.line)))
        elif "reflect" in cell.metadata:
            notebook.cells.append(reflection_cell(cell))
        else:
            stands_on_answers = lab.is_from_scratch and bool(notebook.cells)
            notebook.cells.append(given_cell(cell, used, may_raise=stands_on_answers))
    nbformat.validate(notebook)
    return notebook


def exercise_cells(lab: LabText, exercise: Exercise, cell: Cell) -> list[nbformat.NotebookNode]:
    """Return the solution cell and the check cell of one exercise."""
    given = cell.source.strip()
    try:
        solution = marked_solution(exercise, bool(cell.metadata.get("empty")))
    except (LookupError, PartError) as error:
        raise LabError(f"{lab.path}:{exercise.line}: {error}") from None
    answer = _cell("code", f"{given}\n\n\n{solution}" if given else solution, answer_id(exercise.name), solution=True)
    return [answer, check_cell(exercise)]


def check_cell(part: Exercise | Attached) -> nbformat.NotebookNode:
    """Return the cell that runs the check of an exercise or a document."""
    source = f'check("{part.name}")'
    extra = part.points if isinstance(part, Exercise) and part.optional else 0
    check = _cell("code", source, grade_id(part.name), grade=True, locked=True, points=part.points - extra)
    check.metadata.tags = ["raises-exception"]
    if extra:
        check.metadata[EXTRA_POINTS] = extra  # nbgrader's maximum is 0: what is earned is extra credit
    return check


def document_cell(document: Attached) -> nbformat.NotebookNode:
    """Return a document's check cell, whose metadata names the file so that the graded notebook can show its text."""
    check = check_cell(document)
    check.metadata["document"] = document.name
    return check


def reflection_cell(cell: Cell) -> nbformat.NotebookNode:
    """Return the cell of a reflection with its model answer and rubric, which the student's notebook leaves out."""
    name = f"reflect-{cell.metadata['reflect']}"
    reflection = _cell("markdown", cell.source, name, grade=True, solution=True, points=cell.metadata["points"])
    if "document" in cell.metadata:
        reflection.metadata["document"] = cell.metadata["document"]
    return reflection


def given_cell(cell: Cell, used: dict[str, int], may_raise: bool = False) -> nbformat.NotebookNode:
    """Return a prose or code cell unchanged, with an id made from its text; `used` counts repeated texts.

    A prediction's cell gets a first line for the guess, which its id does not depend on. With `may_raise`, Run All goes
    on after an error in a code cell: the student's part that it uses may be open.
    """
    digest = hashlib.sha256(f"{cell.kind}\n{cell.source}".encode()).hexdigest()[:10]
    used[digest] = used.get(digest, 0) + 1
    name = f"given-{digest}" + (f"-{used[digest]}" if used[digest] > 1 else "")
    metadata = {key: value for key, value in cell.metadata.items() if key not in DIRECTIVES}
    if cell.kind == "code" and (may_raise or cell.source.startswith("check(")):
        metadata["tags"] = sorted({*metadata.get("tags", []), "raises-exception"})
    source = with_open_guess(cell.source) if PREDICT in metadata.get("tags", ()) else cell.source
    make = getattr(nbformat.v4, f"new_{cell.kind}_cell")
    return make(source, id=name, metadata=metadata)


def _cell(kind: str, source: str, name: str, points: int | None = None, **flags: bool) -> nbformat.NotebookNode:
    """Return a cell that nbgrader knows as `name`; `flags` of grade, locked, solution are False unless given."""
    marks: dict = {"grade_id": name, "schema_version": 3, "task": False, "grade": False, "locked": False}
    marks |= {"solution": False, **flags} | ({} if points is None else {"points": points})
    return getattr(nbformat.v4, f"new_{kind}_cell")(source, id=name, metadata={"nbgrader": marks})


def marked_solution(exercise: Exercise, is_empty: bool = False) -> str:
    """Return an exercise's reference source, with BEGIN and END SOLUTION around the part that the student writes.

    Args:
        is_empty: whether the student begins with an empty cell: signature and docstring are to be written, too.
    Raises:
        LookupError, PartError: the engine has no such function, class or method.
    """
    source = textwrap.dedent(source_of(exercise.name)).rstrip("\n")
    lines = source.split("\n")
    tree = ast.parse(source).body[0]
    if is_empty:
        return "\n".join([_begin("", exercise.name.rpartition(".")[2] + EMPTY, undocumented(source)), *lines, END])
    for function in reversed(_blanked(tree, exercise)):
        qualname = f"{tree.name}.{function.name}" if exercise.methods else function.name  # type: ignore[attr-defined]
        lines = _mark(lines, function, qualname)
    return "\n".join(lines)


def _blanked(tree: ast.stmt, exercise: Exercise) -> list[ast.FunctionDef]:
    """Return the functions whose bodies the student writes, in the order of the source."""
    if isinstance(tree, ast.FunctionDef) and not exercise.methods:
        return [tree]
    if not isinstance(tree, ast.ClassDef):
        raise LookupError(f"{exercise.name}: expected a function, or a class with [methods]")
    methods = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in exercise.methods]
    missing = set(exercise.methods) - {node.name for node in methods}
    if missing or not methods:
        raise LookupError(f"{exercise.name} has no method {', '.join(sorted(missing)) or 'named in [...]'}")
    return methods


def _mark(lines: list[str], function: ast.FunctionDef, qualname: str) -> list[str]:
    """Return `lines` with the body of `function`, after its docstring, between BEGIN and END SOLUTION."""
    documented = ast.get_docstring(function) is not None
    body = function.body[documented:]
    if not body:
        raise LookupError(f"{qualname} has a docstring and no body")
    start = (function.body[0].end_lineno if documented else body[0].lineno - 1) or 0
    end = body[-1].end_lineno
    indent = " " * body[0].col_offset
    begin = _begin(indent, qualname, lines[start:end])
    return [*lines[:start], begin, *lines[start:end], indent + END, *lines[end:]]


def undocumented(source: str) -> list[str]:
    """Return the lines of a source text, with the lines of all docstrings emptied."""
    lines = source.split("\n")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
            first, last = node.body[0].lineno, node.body[0].end_lineno or 0
            lines[first - 1 : last] = [""] * (last - first + 1)
    return lines


def _begin(indent: str, qualname: str, lines: Sequence[str]) -> str:
    """Return the line before a solution, which says how many lines of code it has."""
    count = sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in lines)
    return f"{indent}### BEGIN SOLUTION {qualname}, about {count} line{'s' * (count != 1)}"


def stale(lab: LabText, checks: Mapping[str, Check], root: Path = lab_text.ROOT) -> list[str]:
    """Return the released files of `lab` below `root` that differ from the current result of weaving."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = weave(lab, checks, Path(folder))
        committed = root / "course" / lab.id
        names = {path.name for path in fresh.iterdir()}
        names |= {path.name for path in committed.iterdir()} if committed.is_dir() else set()
        return [
            f"course/{lab.id}/{name}"
            for name in sorted(names - {".ipynb_checkpoints"})
            if _bytes(fresh / name) != _bytes(committed / name)
        ]


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def main(arguments: list[str] | None = None) -> int:
    """Run the command: weave all labs, or the named ones; with --check only report outdated notebooks."""
    from autograder.labs import CHECKS

    parser = argparse.ArgumentParser(prog="python -m autograder.author.weave", description=__doc__.split("\n")[0])
    parser.add_argument("labs", nargs="*", metavar="LAB", help="01-strides, or 01; default: all")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if course/ is stale")
    options = parser.parse_args(arguments)
    try:
        names = [lab_text.find(name) for name in options.labs] or lab_text.LABS
        with ProgressBar("weave", len(names)) as bar:
            for name in names:
                bar.step(name)
                lab = lab_text.load(name)
                if not options.check:
                    print(f"wove {weave(lab, CHECKS).relative_to(lab_text.ROOT)}: {lab.title}, {lab.points} points")
                elif different := stale(lab, CHECKS):
                    print(f"stale: {', '.join(different)}; run `make course` and commit what changed", file=sys.stderr)
                    return 1
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
