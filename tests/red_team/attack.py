"""The model of an attack: hostile cells in one submission, and the points that each of them deserves."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from autograder.labs import CHECKS


@dataclass(frozen=True)
class Attack:
    """One hostile submission.

    Args:
        about: what it tries, in a few words; unique in its category.
        cells: by exercise the source of the answer cell, judged in this order in one sandbox. All exercises are of
            one lab.
        earns: by exercise the points that the cell deserves; 0 where it is not named.
        inspected: False sends the cells past the filter of their text (`cell.inspect_cell`), as if it did not exist:
            the walls have to hold without it.
        fenced: of cells that go past the filter, whether they run behind the fence that refuses the same names where
            they run (`sandbox/restricted_builtins.py`). False: the walls have to hold without that, too.
    """

    about: str
    cells: Mapping[str, str]
    earns: Mapping[str, int] = field(default_factory=dict)
    inspected: bool = True
    fenced: bool = False


def points_without(exercise: str, *aspects: str) -> int:
    """Points of an exercise whose answer is wrong in these aspects."""
    return sum(one.points for one in CHECKS[exercise].aspects if one.name not in aspects)


# What no attack may exceed beyond the submission's own budget: CPU seconds, and bytes in all processes together.
MOST_CPU_SECONDS = 60.0
MOST_MEMORY = int(2.5 * (1 << 30))
