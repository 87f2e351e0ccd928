"""The wrong and the right answers of all labs, as their authors wrote them beside the checks."""

from importlib import import_module

from autograder.labs import modules
from autograder.proof.model import Equivalent, WrongAnswer

_WRONG = [import_module(name) for name in modules("wrong")]
WRONG_ANSWERS: tuple[WrongAnswer, ...] = tuple(wrong for module in _WRONG for wrong in module.WRONG_ANSWERS)
EQUIVALENT: tuple[Equivalent, ...] = tuple(
    equivalent for module in _WRONG for equivalent in getattr(module, "EQUIVALENT", ())
)
RIGHT_ANSWERS: dict[str, str] = {
    exercise: source for name in modules("right") for exercise, source in import_module(name).RIGHT_ANSWERS.items()
}
"""Right answers in other words than the reference's, by exercise. The cohorts have more of them."""
