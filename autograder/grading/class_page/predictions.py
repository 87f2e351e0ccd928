"""The guesses of a class, question by question: counted, and without names.

Two have to want it: the course, `count_predictions: true` in `course.yaml`, and the student, whose notebook as handed
in says `resume(share_predictions=True)`. Both guess and consent are read from the text of cells; nothing runs.

`autograder/records/predictions.json` keeps the guesses of those who share by the digest of their submission, without
a name, so that a run reads only what changed. It holds what is handed in now, and goes when nothing is counted.
"""

import ast
import json
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.author.course_config import STEPS
from autograder.author.lab_text import HEADING
from autograder.examine.answer_text import name_of
from autograder.examine.guess import guess_of
from autograder.examine.handin import CONTROL, Cell, Refused
from autograder.files import write_whole
from autograder.grading import intake, submission_record
from autograder.grading.rebuild import GIVEN, released
from autograder.grading.report import Classes, Row

FILE = "autograder/records/predictions.json"
FEWEST = 3  # students who gave a guess that is shown
MOST_SHOWN = 6  # guesses of a question
LONGEST = 80  # characters of a guess
MOST_GUESSES = 60  # of a notebook
CONSENT, LONGEST_CONSENT = "share_predictions", 20_000  # characters of a cell that is looked at
MINUTES = re.compile(r" \(about \d+ minutes\)$")
MARKER = "**Predict**"
LONGEST_QUESTION = 110  # characters

Guesses = dict[str, str]  # by the id of the question's cell
Kept = dict[str, Guesses]  # by the digest of a submission; {} where nothing is shared


class Question(NamedTuple):
    """A prediction question: section, first words, number of students who shared a guess, and the most common guesses.

    `guesses`: with the number of students, most frequent first. `other`: students whose guess is not among them.
    """

    section: str
    words: str
    shared: int
    guesses: list[tuple[str, int]]
    other: int


class Predictions(NamedTuple):
    """A lab's prediction questions, and the number of submissions that share guesses."""

    sharing: int
    questions: list[Question]


def of_classes(root: Path, classes: Classes) -> dict[str, Predictions]:
    """Return the predictions by lab; read the submissions that are not cached yet, and update the cache on disk.

    Raises:
        OSError: the file can't be written.
    """
    before, now, found = _read(root), {}, {}
    for lab, rows in classes:
        shared: list[Guesses] = []
        for row in rows:
            digest, guesses = _guesses_of(row, root, before)
            if guesses is not None:
                now[digest] = guesses
                shared += [guesses] if guesses else []
        found[lab.id] = Predictions(len(shared), [counted(*each, shared) for each in questions(root, lab.id)])
    if now != before:
        (root / FILE).parent.mkdir(parents=True, exist_ok=True)
        write_whole(root / FILE, json.dumps(now) + "\n")
    return found


def forget_all(root: Path) -> None:
    """Delete the cached guesses, for a course that does not count predictions."""
    (root / FILE).unlink(missing_ok=True)


def _read(root: Path) -> Kept:
    """Read the guesses that are kept; none where they can't be read."""
    try:
        kept = json.loads((root / FILE).read_text(encoding="ascii"))
    except (OSError, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) and all(map(_is_guesses, kept.values())) else {}


def _is_guesses(kept: object) -> bool:
    return isinstance(kept, dict) and all(isinstance(guess, str) for guess in kept.values())


def _guesses_of(row: Row, root: Path, before: Kept) -> tuple[str, Guesses | None]:
    """Return the digest of a submission and the guesses that it shares; None where it can't be read."""
    student, lab, digest = row.record["student"], row.record["lab"], row.record.get("submission")
    if not isinstance(digest, str):
        return "", None
    if digest in before:
        return digest, before[digest]
    try:
        documents = submission_record.names_of_documents(lab, root)
        submission = intake.admit(root / STEPS["submitted_directory"], student, lab, documents)
        return submission.digest, shared_by(submission.cells)
    except (Refused, OSError):  # its record says why
        return "", None


# ---- a notebook


def shared_by(cells: Iterable[Cell]) -> Guesses:
    """Return the guesses in the notebook of a student who shares them; {} for a student who does not."""
    code = [cell for cell in cells if cell.kind == "code"]
    said = [each for cell in code for each in _consent(cell.source)]
    if not said or not all(said):
        return {}
    guesses = ((cell.name, legible(guess_of(cell.source) or "")) for cell in code if cell.name.startswith(GIVEN))
    return dict([(name[:60], guess) for name, guess in guesses if guess][:MOST_GUESSES])


def _consent(source: str) -> list[bool]:
    """Return the values of `share_predictions` in the calls of `resume` that are statements; True only as written.

    >>> _consent("import x\\nresume(share_predictions=True)"), _consent("# resume(share_predictions=True)")
    ([True], [])
    """
    if CONSENT not in source or len(source) > LONGEST_CONSENT:
        return []
    plain = "\n".join(line for line in source.split("\n") if not line.lstrip().startswith(("%", "!")))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(plain).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    calls = [each.value for each in body if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)]
    ours = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "resume"]
    given = [keyword.value for call in ours for keyword in call.keywords if keyword.arg == CONSENT]
    return [isinstance(value, ast.Constant) and value.value is True for value in given]


def legible(guess: str) -> str:
    """Return a guess on one line, shortened if it is too long, with control characters replaced.

    >>> legible(" (3,\\n   1)\\u202e ")
    '(3, 1)\\ufffd'
    """
    text = " ".join(CONTROL.sub("\ufffd", guess.replace("\r", "\n")).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


# ---- a lab


def questions(root: Path, lab: str) -> list[tuple[str, str, str]]:
    """Return the cell id, section and first words of each question in a released lab."""
    section = text = ""
    found = []
    for cell in released(root / STEPS["release_directory"], lab).cells:
        if cell.cell_type == "markdown":
            section = MINUTES.sub("", next(reversed(HEADING.findall(cell.source)), section)).replace("`", "")
            text = cell.source
        elif guess_of(cell.source) is not None:
            found.append((name_of(cell), section, first_words(text)))
    return found


def first_words(text: str) -> str:
    """Return the first words of the paragraph that asks for a prediction, or of the last paragraph if none does.

    >>> first_words("Some text.\\n\\n**Predict** the strides\\nof `x`.")
    'the strides of x.'
    """
    paragraphs = [part for part in text.split("\n\n") if part.strip()] or [""]
    asking = next((part for part in reversed(paragraphs) if MARKER in part), paragraphs[-1])
    plain = " ".join(re.sub(r"[*`#]", "", asking.partition(MARKER)[2] or asking).split()).lstrip(" :,")
    if len(plain) <= LONGEST_QUESTION:
        return plain
    return plain[:LONGEST_QUESTION].rpartition(" ")[0] + " …"


def counted(cell: str, section: str, words: str, shared: Sequence[Mapping[str, str]]) -> Question:
    """Return a question with its most common guesses in their usual spelling; whitespace and case are ignored.

    Args:
        cell: the id of the question's cell.
        shared: by student, the guesses by the id of the cell.
    """
    spellings: dict[str, Counter[str]] = {}
    for guesses in shared:
        if guess := guesses.get(cell):
            spellings.setdefault("".join(guess.casefold().split()), Counter())[guess] += 1
    often = sorted(spellings.values(), key=lambda spelled: (-spelled.total(), min(spelled)))
    shown = [spelled for spelled in often if spelled.total() >= FEWEST][:MOST_SHOWN]
    usual = [(max(sorted(spelled), key=spelled.__getitem__), spelled.total()) for spelled in shown]
    total = sum(spelled.total() for spelled in often)
    return Question(section, words, total, usual, total - sum(count for _, count in usual))
