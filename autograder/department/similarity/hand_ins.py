"""The answers of a class and of earlier years, taken from what was handed in exactly as the grader takes them.

Intake refuses here what it refuses there: links, broken notebooks, too many bytes. Such a submission is listed with
the reason, and so is an answer too long to be compared.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from autograder.author.course_config import STEPS
from autograder.department.similarity import SimilarityError
from autograder.examine.handin import CONTROL, FILE, Refused
from autograder.grading import intake, rebuild, submission_record

LONGEST = 20_000  # characters of an answer that is compared
INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")  # would split a word for us and for no reader


class Hand(NamedTuple):
    """A student, and the year of the submission: the label of its folder, or "" for this class."""

    student: str
    year: str

    @property
    def name(self) -> str:
        """The student's name and the year, for display."""
        return f"{intake.shown(self.student)} ({self.year})" if self.year else intake.shown(self.student)


class Answer(NamedTuple):
    """The text of one answer, without invisible characters, and with control characters replaced."""

    hand: Hand
    text: str


class Folder(NamedTuple):
    """A folder of submissions, `<path>/<student>/<lab>/lab.ipynb`, and the folder of its course, if that is known."""

    path: Path
    year: str
    course: Path | None


class Collected(NamedTuple):
    """The answers by cell name, and a list of what could not be compared: the student, and the reason or the part."""

    answers: dict[str, list[Answer]]
    unread: list[tuple[Hand, str]]


def this_class(root: Path, lab: str) -> Folder:
    """Return the folder of the class that is being graded.

    Raises:
        SimilarityError: nobody has handed in the lab.
    """
    folder = Folder(root / STEPS["submitted_directory"], "", root)
    _require_some(folder.path, lab, "`make collect ZIP=...` puts submissions there")
    return folder


def earlier(paths: Sequence[Path], root: Path, lab: str) -> list[Folder]:
    """Return the folders of earlier years: a whole course, or a folder laid out like `autograder/submitted/`.

    Raises:
        SimilarityError: a folder is none, is this class's own, is named twice, or nobody in it has handed in the lab.
    """
    found: list[Folder] = []
    for path in paths:
        if not path.is_dir():
            raise SimilarityError(
                f"{path}: expected the folder of an earlier year, found {'a file' if path.exists() else 'nothing'}"
            )
        inner = path / STEPS["submitted_directory"]
        folder = Folder(inner, _label(path), path) if inner.is_dir() else Folder(path, _label(path), None)
        known = [root / STEPS["submitted_directory"], *(each.path for each in found)]
        if any(folder.path.samefile(each) for each in known if each.exists()):
            raise SimilarityError(f"{path}: expected another folder: this one is compared already")
        _require_some(folder.path, lab, "give a course's folder, or one laid out as autograder/submitted/")
        same = sum(each.year.partition(" #")[0] == folder.year for each in found)
        found.append(folder._replace(year=f"{folder.year} #{same + 1}") if same else folder)
    return found


def _label(path: Path) -> str:
    """Return the last name of the path that says something.

    >>> _label(Path("/old/2025/autograder/submitted"))
    '2025'
    """
    names = [name for name in path.resolve().parts if name not in ("autograder", "submitted", "/")]
    return names[-1] if names else "earlier"


def _require_some(submitted: Path, lab: str, remedy: str) -> None:
    students = intake.students(submitted, lab)
    if not any((submitted / student / lab).is_dir() for student in students):
        found = ", ".join(ascii(name)[1:-1] for name in intake.folders(submitted)[:5]) or "nothing"
        raise SimilarityError(
            f"Nobody has handed in {lab} in {submitted}: expected <student>/{lab}/{FILE} there, found {found}: "
            f"{remedy}."
        )


def collect(folders: Iterable[Folder], lab: str, root: Path, step: Callable[[str], object]) -> Collected:
    """Read all submissions for the lab.

    Args:
        root: of this course, whose release says which cells are answers.
        step: called with the student's name before each.
    """
    stubs = solution_cells(root, lab)
    collected = Collected({name: [] for name in stubs}, [])
    for folder in folders:
        for student in intake.students(folder.path, lab):
            hand = Hand(student, folder.year)
            step(hand.name)
            try:
                texts = _answers(folder.path, student, lab, root)
            except Refused as refused:
                collected.unread.append((hand, refused.reason))
            except Exception as error:  # this submission's alone
                collected.unread.append((hand, f"it can't be read: {type(error).__name__}: {error}"))
            else:
                _sort(hand, texts, stubs, collected)
    return collected


def _answers(submitted: Path, student: str, lab: str, root: Path) -> Mapping[str, str | None]:
    submission = intake.admit(submitted, student, lab, submission_record.names_of_documents(lab, root))
    return submission_record.rebuilt_from(submission, root).answers


def _sort(hand: Hand, texts: Mapping[str, str | None], stubs: Mapping[str, NotebookNode], into: Collected) -> None:
    """Keep each answer that is written and short enough."""
    for name, text in texts.items():
        if text is None or rebuild.is_stub(stubs[name], text):
            continue
        if len(text) > LONGEST:
            said = f"the answer {name} has {len(text):,} characters, {LONGEST:,} are compared: look at it yourself"
            into.unread.append((hand, said))
        else:
            into.answers[name].append(Answer(hand, legible(text)))


def legible(text: str) -> str:
    """Return the text with LF line endings, invisible characters removed, and control characters replaced.

    >>> legible("a\\r\\nb\\u202ec")
    'a\\nb\\ufffdc'
    """
    return CONTROL.sub("\ufffd", INVISIBLE.sub("", text.replace("\r\n", "\n")))


def solution_cells(root: Path, lab: str) -> dict[str, NotebookNode]:
    """Return the released cells that students fill in, by name."""
    release = rebuild.released(root / STEPS["release_directory"], lab)
    return {rebuild.name_of(cell): cell for cell in release.cells if rebuild.is_solution(cell)}
