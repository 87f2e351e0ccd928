"""A class of made-up students for each lab: what they hand in, and the automatic points that it deserves.

Each `<lab>/<student>.yaml` is a patch on the released notebook: right, mistaken, unfinished or hostile. The deserved
points are written by hand from what the exercises ask, so that `make grade` can be held against them.
"""

import copy
import functools
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import nbformat

from autograder import documents
from autograder.author.course_config import STEPS
from autograder.grading import database
from autograder.made_up import tamper
from autograder.made_up.student import ALL, GRADED, STUB, CohortError, Student, ancestry, load
from autograder.made_up.wrong_answer import WrongAnswer

__all__ = [
    "CohortError",
    "Deserved",
    "compare",
    "deserved",
    "hostile",
    "hand_in",
    "lay_out",
    "has_cohort",
    "lost_aspects",
    "make",
    "mistaken",
    "sample",
    "submitted_source",
]

ROOT = Path(__file__).resolve().parents[2]
CONFIG = "nbgrader_config.py"
APART = """
# Made-up students: they never enter the gradebook of the class.
c = get_config()  # noqa: F821
c.CourseDirectory.db_url = {url!r}
"""


class Deserved(NamedTuple):
    status: str
    points: int
    extra: int = 0

    def __str__(self) -> str:
        return f"{self.points} points, {f'extra {self.extra}, ' * bool(self.extra)}{self.status}"


def has_cohort(lab: str) -> bool:
    """Return whether the lab has made-up students."""
    return bool(load(lab))


def sample(lab: str) -> tuple[str, ...]:
    """Return the names of the made-up students that `make grade` grades if nobody has submitted anything."""
    return tuple(name for name, student in load(lab).items() if student.sample)


def hostile(names: Iterable[str], lab: str) -> tuple[str, ...]:
    """Return the students among `names` who attack the grader."""
    students = load(lab)
    return tuple(name for name in names if students[name].hostile)


def deserved(lab: str) -> dict[str, Deserved]:
    """Return each student's deserved outcome for the lab: graded or refused, and the automatic points."""
    return {name: Deserved(student.status, student.points, student.extra) for name, student in load(lab).items()}


def compare(lab: str, graded: Mapping[str, tuple[str, int, int]], only: Iterable[str] = ()) -> list[str]:
    """Compare the (status, points, extra points) given for the lab with the deserved ones; return the differences.

    Students who are not of the cohort are passed over; one of the cohort without a grade is a difference.

    Args:
        only: names of students; none means all.
    """
    lines, students = [], deserved(lab)
    for name in tuple(only) or students:
        wanted = students[name]
        given = graded.get(name)
        if given is None:
            lines.append(f"{name}: not graded at all; deserves {wanted}")
        elif tuple(given) != wanted:
            lines.append(f"{name}: {Deserved(*given)}; deserves {wanted}")
    return lines


def make(target: Path, lab: str, root: Path = ROOT, only: Iterable[str] = ()) -> list[Path]:
    """Write the cohort's submissions to `lab` as `target/<student>/<lab>/lab.ipynb`.

    Args:
        root: the course's folder, which holds the released notebook `course/<lab>/lab.ipynb`.
        only: names of students; none means all.
    Returns:
        the students' folders of this lab, in the order of their names.
    Raises:
        CohortError: a patch does not fit the released notebook; it names the student and the cell.
        FileExistsError: a student has handed in already.
    """
    students = load(lab)
    released = json.loads(nbformat.writes(nbformat.read(root / "course" / lab / "lab.ipynb", as_version=4)))
    for cell in released["cells"]:
        cell["source"] = "".join(cell["source"])
    templates = {path.name: path.read_text("utf-8") for path in (root / "course" / lab).glob("*.md")}
    written = []
    for name in sorted(only) or students:
        folder = target / name / lab
        folder.mkdir(parents=True)
        for document, template in templates.items():
            text = submitted_document(students[name], students, documents.of_lab(lab)[document], template)
            if text is not None:
                (folder / document).write_text(text, encoding="utf-8")
        _write(folder, students[name], submission(students[name], students, released))
        written.append(folder)
    return written


def lay_out(target: Path, lab_ids: Iterable[str], root: Path = ROOT) -> None:
    """Make `target` a separate course with the texts of these labs, for a class kept apart from the real one.

    Its gradebook is a file in `target`, whatever the environment or the real course's `nbgrader_config.py` says.

    Args:
        root: the course's folder, with the texts in `solutions/<lab>/`.
    """
    subconfig = Path("autograder/author/nbgrader_config.py")
    folders = [root / "solutions" / lab for lab in lab_ids]
    texts = [text.relative_to(root) for kind in ("*.md", "*.yaml") for folder in folders for text in folder.glob(kind)]
    for path in (*texts, *(path for path in [subconfig] if (root / path).is_file())):
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / path, target / path)
    own = root / CONFIG
    text = own.read_text("utf-8") if own.is_file() else ""
    text += APART.format(url=database.url_of(target.resolve() / database.FILE))
    target.mkdir(parents=True, exist_ok=True)
    (target / CONFIG).write_text(text, "utf-8")


def hand_in(target: Path, lab: str, only: Iterable[str] = ()) -> None:
    """Write the cohort's submissions to `lab` into the course `target`, replacing an earlier run's."""
    submitted = target / STEPS["submitted_directory"]
    submitted.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=submitted, prefix=".making-") as making:
        for made in make(Path(making), lab, target, only):
            place = submitted / made.parent.name / lab
            shutil.rmtree(place, ignore_errors=True)
            place.parent.mkdir(exist_ok=True)
            made.rename(place)


def submission(student: Student, students: Mapping[str, Student], released: dict) -> dict:
    """Return the notebook that the student submits, as JSON data derived from the `released` notebook."""
    notebook = copy.deepcopy(released)
    try:
        for cell in released["cells"]:
            exercise = _exercise_of(cell)
            if exercise:
                source = submitted_source(student, students, exercise)
                tamper.set_source(notebook, cell["id"], cell["source"] if source is None else source)
        for exercise in student.cells:
            tamper.cell_at(notebook, answer_id(exercise))
        for operation, arguments in student.tamper:
            if operation in tamper.NOTEBOOK:
                tamper.NOTEBOOK[operation](notebook, **arguments)
            elif operation not in tamper.FOLDER:
                raise CohortError(f"{student.name}: there is no operation {operation!r}")
    except tamper.NoSuchCell as error:
        raise CohortError(f"{student.name}: the released notebook has no cell {error}") from None
    return notebook


def submitted_source(student: Student, students: Mapping[str, Student], exercise: str) -> str | None:
    """Return the source of the student's solution cell before tampering, or None if the student leaves the stub."""
    line = ancestry(student, students)
    for ancestor in line:
        if exercise in ancestor.cells:
            return ancestor.cells[exercise]
    if line[-1].base == STUB:
        return None
    return _reference(exercise)


@functools.cache
def _reference(exercise: str) -> str:
    from autograder.overlay import source_of

    return source_of(exercise).rstrip("\n")


def submitted_document(
    student: Student, students: Mapping[str, Student], document: documents.Document, template: str
) -> str | None:
    """Return the text of the document that the student submits beside the notebook, or None if it is missing.

    Raises:
        CohortError: a change does not fit the text that it changes.
    """
    line = ancestry(student, students)
    text: str | None = template if line[-1].base == STUB else documents.solved(document, template)
    for ancestor in reversed(line):
        change = ancestor.documents.get(document.name, ())
        if change is None or isinstance(change, str):
            text = change
            continue
        for old, new in change:
            if text is None or old not in text:
                raise CohortError(f"{ancestor.name}: {document.name} has no {old!r} to be replaced")
            text = text.replace(old, new)
    return text


def lost_aspects(student: Student, students: Mapping[str, Student], exercise: str) -> tuple[str, ...]:
    """Return the names of the aspects of `exercise` that earn the student no points; ("all",) for all of them."""
    line = ancestry(student, students)
    for ancestor in line:
        if exercise in ancestor.wrong:
            return ancestor.wrong[exercise].aspects
        if exercise in ancestor.cells or exercise in ancestor.documents:
            return ()
    return (ALL,) if line[-1].base == STUB else ()


def mistaken(lab: str) -> Iterator[WrongAnswer]:
    """Yield the answers with which graded students of the lab lose some aspects of an exercise but not all."""
    students = load(lab)
    for student in students.values():
        for exercise, loss in student.wrong.items():
            source = student.cells.get(exercise)
            if student.status == GRADED and source is not None and loss.aspects != (ALL,):
                yield WrongAnswer(exercise, f"{student.name}: {loss.why}", loss.aspects, source)


def answer_id(exercise: str) -> str:
    """Return the id of an exercise's solution cell.

    >>> answer_id("strides.view_strides")
    'strides-view_strides-answer'
    """
    return f"{exercise.replace('.', '-')}-answer"


def _exercise_of(cell: dict) -> str:
    """Return the exercise that a released cell answers, or ""."""
    marks = cell["metadata"].get("nbgrader", {})
    grade_id = marks.get("grade_id", "")
    if cell["cell_type"] != "code" or not marks.get("solution") or not grade_id.endswith("-answer"):
        return ""
    return grade_id.removesuffix("-answer").replace("-", ".")


def _write(folder: Path, student: Student, notebook: dict) -> None:
    (folder / "lab.ipynb").write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for operation, arguments in student.tamper:
        if operation in tamper.FOLDER:
            tamper.FOLDER[operation](folder, **arguments)
