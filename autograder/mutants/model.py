"""A wrong answer and an equivalent mutant: plain data."""

from dataclasses import dataclass


@dataclass(frozen=True)
class WrongAnswer:
    """A mistake that students make.

    Args:
        exercise: "strides.view_strides".
        about: the mistake, in one line.
        loses: names of the aspects whose points it must lose; all others it must keep.
        source: text of the solution cell.
    """

    exercise: str
    about: str
    loses: tuple[str, ...]
    source: str


@dataclass(frozen=True)
class Equivalent:
    """A mutant that answers as the reference does, for every question that may be asked.

    Args:
        exercise: "strides.view_strides".
        before, after: the changed lines as `Mutant.change` gives them.
        reason: why no case can tell the two apart.
    """

    exercise: str
    before: str
    after: str
    reason: str
