"""Wrong answers that the checks must find: written by hand, and made by changing one thing in the reference.

The modules named as those of `autograder/checks/` hold the hand-written ones, `operators` makes the others,
`equivalent` is the register of those that are no mistake. `python -m autograder.verify` judges them all.
"""

from autograder.mutants import accessor, layout, order, shapes, views
from autograder.mutants.equivalent import EQUIVALENT
from autograder.mutants.model import Equivalent, WrongAnswer

__all__ = ["EQUIVALENT", "WRONG_ANSWERS", "Equivalent", "WrongAnswer"]

WRONG_ANSWERS: tuple[WrongAnswer, ...] = tuple(
    wrong for module in (accessor, layout, order, shapes, views) for wrong in module.WRONG_ANSWERS
)
