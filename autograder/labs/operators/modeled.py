"""Mistakes that a wrong answer gives away: a model of the mistake gives the same value in this case."""

from collections.abc import Callable

from autograder.examine.model import Mistake
from autograder.examine.plain_data import equal


def gives(says: str, model: Callable) -> Mistake:
    """Build a `Mistake` that recognizes a wrong answer whose value equals `model(*args)`.

    Args:
        says: a sentence that is true of this value, whatever the answer does.
    """
    return Mistake(says, lambda args, wanted, got: not got.raised and equal(model(*args), got.value))


def is_raised(value: object, kind: str = "") -> bool:
    """Return True if a probe's value reports that an error was raised, of type `kind` if one is given."""
    return isinstance(value, tuple) and value[:1] == ("raised",) and kind in ("", value[1])
