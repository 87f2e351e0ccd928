"""Documents that are handed in beside a notebook and checked: by lab, by file name. No student's code runs for them."""

import re
from importlib import import_module
from pathlib import Path

from autograder import labs
from autograder.documents.checked_document import Document
from autograder.documents.judging import EMPTY, judge, solved
from autograder.documents.reader import section, without_comments

__all__ = [
    "DOCUMENTS",
    "EMPTY",
    "Document",
    "has_prose",
    "is_document",
    "judge",
    "of_lab",
    "section",
    "solved",
    "without_comments",
    "write_solved",
]

DOCUMENTS: dict[str, dict[str, Document]] = {
    path.parent.name: {
        document.name: document for document in import_module(f"{labs.__name__}.{path.parent.name}.documents").DOCUMENTS
    }
    for path in sorted(labs.FOLDER.glob("*/documents.py"))
}
"""By folder of the lab below `autograder/labs/`, and by file name."""


def of_lab(lab: str) -> dict[str, Document]:
    """Return the documents of a lab, such as "02-dispatch", by file name."""
    return DOCUMENTS.get(labs.name_of(lab), {})


def is_document(name: str) -> bool:
    """Return True if a graded name names a document, not an exercise.

    >>> is_document("TRACE.md"), is_document("strides.permute")
    (True, False)
    """
    return name.endswith(".md")


def has_prose(document: Document, text: str) -> bool:
    """Return True if there is text under the heading for prose, or if the document has no such heading."""
    return not document.prose or bool(re.search(r"\w\w", section(text, document.prose)))


def write_solved(lab: str, folder: Path) -> None:
    """Fill in the templates of the lab's documents in the folder with the reference's answers."""
    for name, document in of_lab(lab).items():
        path = folder / name
        if path.is_file():
            path.write_text(solved(document, path.read_text(encoding="utf-8")), encoding="utf-8")
