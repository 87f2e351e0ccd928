"""Documents that are handed in beside a notebook and checked: by lab, by file name. No student's code runs for them."""

from autograder.documents.judging import EMPTY, judge, solved
from autograder.documents.model import Document
from autograder.documents.reader import section
from autograder.documents.stack import STACK
from autograder.documents.trace import TRACE

__all__ = ["DOCUMENTS", "EMPTY", "Document", "is_document", "judge", "section", "solved"]

DOCUMENTS: dict[str, dict[str, Document]] = {
    "02-dispatch": {TRACE.name: TRACE},
    "03-operators": {STACK.name: STACK},
}


def is_document(name: str) -> bool:
    """Whether a name of what is graded is that of a document, and not of an exercise.

    >>> is_document("TRACE.md"), is_document("strides.permute")
    (True, False)
    """
    return name.endswith(".md")
