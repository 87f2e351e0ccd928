"""Wrong answers that the checks must find: written by hand, and made by changing one thing in the reference.

The packages, named as in `autograder/checks/`, hold the hand-written ones and the register of mutants that are not
mistakes; `operators` makes the others. `python -m autograder.verify` judges them all.
"""

from autograder.mutants import aten, autograd, cpu, cuda, dispatch, profiler, strides
from autograder.mutants.model import Equivalent, WrongAnswer

__all__ = ["EQUIVALENT", "WRONG_ANSWERS", "Equivalent", "WrongAnswer"]

_MODULES = [module for lab in (strides, dispatch, aten, autograd, cpu, cuda, profiler) for module in lab.MODULES]
WRONG_ANSWERS: tuple[WrongAnswer, ...] = tuple(
    wrong for module in _MODULES for wrong in getattr(module, "WRONG_ANSWERS", ())
)
EQUIVALENT: tuple[Equivalent, ...] = tuple(
    equivalent for module in _MODULES for equivalent in getattr(module, "EQUIVALENT", ())
)
