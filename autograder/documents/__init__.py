"""Documents that are handed in beside a notebook and checked: by lab, by file name. No student's code runs for them."""

from pathlib import Path

from autograder.documents.judging import EMPTY, judge, solved
from autograder.documents.launches import LAUNCHES
from autograder.documents.model import Document
from autograder.documents.reader import section, without_comments
from autograder.documents.stack import STACK
from autograder.documents.trace import TRACE

__all__ = [
    "DOCUMENTS",
    "EMPTY",
    "Document",
    "is_document",
    "judge",
    "section",
    "solved",
    "without_comments",
    "write_solved",
]

DOCUMENTS: dict[str, dict[str, Document]] = {
    "02-dispatch": {TRACE.name: TRACE},
    "03-operators": {STACK.name: STACK},
    "06-cuda": {LAUNCHES.name: LAUNCHES},
}


def is_document(name: str) -> bool:
    """Return whether a graded name is the name of a document, and not of an exercise.

    >>> is_document("TRACE.md"), is_document("strides.permute")
    (True, False)
    """
    return name.endswith(".md")


def write_solved(lab: str, folder: Path) -> None:
    """Fill in the templates of the lab's documents in the folder, as the reference would."""
    for name, document in DOCUMENTS.get(lab, {}).items():
        path = folder / name
        if path.is_file():
            path.write_text(solved(document, path.read_text(encoding="utf-8")), encoding="utf-8")
