"""Of the errors that a probe has caught, the one that a wrong answer shows where the right one has something else."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from autograder.examine.plain_data import DEEPEST, show
from autograder.examine.questions import Observation
from autograder.examine.student_error import Place

LONGEST_SEARCHED = 50_000  # characters of a value that are searched for errors


class Caught(NamedTuple):
    """An unexpected error: its text and place, and the name of the error expected there, or ""."""

    message: str
    place: Place
    expected: str

    @property
    def is_another(self) -> bool:
        """True if another error was expected."""
        return bool(self.expected)


def unexpected(wanted: Observation, got: Observation) -> Caught | None:
    """Return the first error that a value records and the right value does not, or None.

    A probe notes in its value that one was "raised", with the name of its type; the nth of a type is the nth that the
    probe has caught.
    """
    if got.raised or "raised" not in show(got.value, LONGEST_SEARCHED):
        return None
    errors = [*got.earlier, (got.message, got.place)]
    kinds = {message.partition(":")[0] for message, _ in errors} - {""}
    seen: Counter[str] = Counter()
    for text, right in _texts(wanted.value, got.value):
        for kind in (kind for kind in kinds if kind in text.split()):
            seen[kind] += 1
            if text != right:
                of_kind = [each for each in errors if each[0].partition(":")[0] == kind]
                message, place = of_kind[min(seen[kind], len(of_kind)) - 1]
                return Caught(message, place, next((word for word in right.split() if word.endswith("Error")), ""))
    return None


def _texts(right: object, given: object, depth: int = DEEPEST) -> Iterator[tuple[str, str]]:
    """Yield the texts in a value, each with the text in its place in the right value, or ""."""
    kind, is_same = type(given), type(given) is type(right)
    if kind is str:
        yield given, right if is_same else ""  # type: ignore[misc]
    elif kind is dict and depth:
        for key, value in given.items():  # type: ignore[attr-defined]
            yield from _texts(right.get(key) if is_same else None, value, depth - 1)  # type: ignore[attr-defined]
    elif kind in (tuple, list) and depth:
        for at, value in enumerate(given):  # type: ignore[arg-type, var-annotated]
            other = right[at] if is_same and at < len(right) else None  # type: ignore[index, arg-type]
            yield from _texts(other, value, depth - 1)
