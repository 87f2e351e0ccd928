"""The notebook and the documents among the files that a student uploaded: one notebook, under whatever name.

The file that `python -m autograder.submit` makes may be uploaded as it is, or unpacked by the system. Of files that
nobody grades only the names are looked at.
"""

import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path

from autograder.examine.handin import FILE, Refused
from autograder.grading.collect import attempts
from autograder.grading.collect.archive import Budget, Entry, Unreadable, nested, opened
from autograder.grading.collect.attempts import Loose
from autograder.grading.collect.claims import Claim
from autograder.grading.intake import MOST_ENTRIES

LARGEST_IN_ALL = 50_000_000  # bytes read
READ = (".ipynb", ".md", ".zip")
SHOWN = 5  # names of files in a message


def files_of(folder: Path, lab: str, course: Path) -> Mapping[str, bytes]:
    """Return the files to grade, under the names that the grader expects.

    Args:
        folder: where the system put what was uploaded.
        course: the folder of the released lab's folder.
    Raises:
        Refused: there is no notebook, or more than one, or not this lab's.
    """
    files, names = _read(folder)
    notebooks = [file for file in files if attempts.is_notebook(file)]
    if not notebooks:
        raise Refused(f"expected the notebook {FILE}, found {_listed(names)}: upload it, or the zip that submit makes")
    if len(notebooks) > 1:
        found = _listed(file.entry.path for file in notebooks)
        raise Refused(f"expected one notebook, found {len(notebooks)}: {found}: upload the one to be graded")
    (notebook,) = notebooks
    released = attempts.released(course)[lab]
    own = attempts.answers_of(notebook.data)
    if own and not own & released.answers:
        raise Refused(f"{ascii(notebook.entry.path)} is the notebook of another lab: upload the one of {lab}")
    return {FILE: notebook.data} | attempts.documents_of(notebook, files, released.documents)


def _read(folder: Path) -> tuple[list[Loose], list[str]]:
    """Return the files that may be graded, and the names of all."""
    budget, files, names = Budget(LARGEST_IN_ALL), [], []
    try:
        with opened(folder) as entries:
            for entry in _all(itertools.islice(entries, MOST_ENTRIES), budget):
                names.append(entry.path)
                if entry.name.lower().endswith(READ):
                    files.append(Loose(Claim("plain", (), entry.name), entry, entry.read(budget)))
    except Unreadable as error:
        raise Refused(f"the upload can't be read: {error}") from None
    return files, names


def _all(entries: Iterable[Entry], budget: Budget) -> Iterable[Entry]:
    """Yield the files, and the files in a zip; a zip within a zip stays closed."""
    for entry in entries:
        if not entry.name.lower().endswith(".zip"):
            yield entry
            continue
        for inner in nested(entry.read(budget)):
            if not inner.name.lower().endswith(".zip"):
                yield inner


def _listed(names: Iterable[str]) -> str:
    shown = sorted(map(ascii, names))
    more = f" and {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
    return ", ".join(shown[:SHOWN]) + more if shown else "nothing"
