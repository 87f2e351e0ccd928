"""Mistakes that a wrong answer gives away: the answer is what the mistake makes of the same arguments."""

from collections.abc import Callable

from autograder.examine.model import Mistake
from autograder.examine.plain_data import equal
from autograder.examine.questions import Observation

EXACT = 2**53  # up to here a float holds every whole number
BEYOND = 2**63  # larger than any stride or size of a NumPy array, to which the whole task could be handed


def gives(says: str, mistaken: Callable[..., object]) -> Mistake:
    """Build a `Mistake` that recognizes answers equal to `mistaken(*args)`; a value of None never matches."""

    def shows(args: tuple, wanted: Observation, got: Observation) -> bool:
        return None not in (wanted.value, got.value) and equal(mistaken(*args), got.value)

    return Mistake(says, shows)


def _is_rounded(args: tuple, wanted: Observation, got: Observation) -> bool:
    pairs = list(zip(_numbers(wanted.value), _numbers(got.value), strict=True))
    rounded = [(right, number) for right, number in pairs if right != number]
    return bool(rounded) and all(right > EXACT and abs(right - number) <= right >> 50 for right, number in rounded)


def _numbers(value: object) -> list[int]:
    if isinstance(value, (tuple, list)):
        return [number for item in value for number in _numbers(item)]
    return [value] if type(value) is int else []


ROUNDED = Mistake("a float can't hold every large number: count in ints, with // instead of /", _is_rounded)
"""Large numbers are nearly right."""
