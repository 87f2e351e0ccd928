"""The way that a command runs: alone on the course, a known error as one sentence."""

import sys
from collections.abc import Callable
from pathlib import Path

from autograder.grading import disk, lock


def on_course(root: Path, doing: str, known: tuple[type[Exception], ...], action: Callable[[], int]) -> int:
    """Run `action` while this process has locked the course, and return its exit status, or 1 after a known error.

    Args:
        doing: the command, for whoever is told that it runs.
        known: errors whose text says all that a reader needs. A disk that can't be written to is known, too.
    """
    said_in_full: tuple[type[Exception], ...] = (*known, lock.InUse)
    try:
        with lock.only_run(root, doing):
            return action()
    except said_in_full as error:
        said = str(error)
    except Exception as error:
        said = disk.sentence(error, root)
        if not said:
            raise
    print(printable(said), file=sys.stderr)
    return 1


def printable(text: str) -> str:
    """Return `text` with unprintable characters escaped, so that it cannot control a terminal."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
