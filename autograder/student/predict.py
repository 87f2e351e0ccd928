"""`predict` in a notebook: it takes a guess before the cell runs, and the guess is shown below the outcome.

The guess stays in its cell, `predict("(3, 1)")`, and nowhere else. Without a guess the cell runs as it always did.
"""

import os
from typing import Any

from IPython import get_ipython

from autograder.examine.guess import in_words

SAID = "you predicted: "
MOST_LINES, LONGEST = 8, 400  # of a guess that is shown
NUDGE = 'no guess: write one between the quotes of predict("") before you run a cell that asks for it'
VALIDATING = "NBGRADER_VALIDATING"  # set by nbgrader while it validates

_guesses: list[str] = []  # of the cell that runs
_nudged: list[bool] = []  # one entry once a student of this notebook was reminded


def predict(*guess: object) -> None:
    """Record your guess, of any type, before the rest of the cell runs, and show it again below the output."""
    shell = get_ipython()
    if shell is not None:
        _guesses.append(in_words(guess))
        shell.events.register("post_run_cell", _show)  # once, however often it is said


def _show(_: Any = None) -> None:
    """Show the guesses of the cell that has just run; once in a notebook, say that one is missing."""
    said = [guess for guess in _guesses if guess]
    is_open = len(said) < len(_guesses)
    _guesses.clear()
    for guess in said:
        print(shown(guess))
    if is_open and not said and not _nudged and VALIDATING not in os.environ:
        _nudged.append(True)
        print(NUDGE)


def shown(guess: str) -> str:
    """Return the line that shows a guess; its further lines are indented, and a very long guess is cut off.

    >>> shown("(3, 1)")
    'you predicted: (3, 1)'
    """
    lines = (guess if len(guess) <= LONGEST else f"{guess[:LONGEST]} ...").splitlines()
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], "..."]
    return SAID + f"\n{' ' * len(SAID)}".join(lines)
