"""The wrong and the right answers of all labs, as their authors wrote them beside the checks."""

from importlib import import_module

from autograder.labs import modules
from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

_WRONG = [import_module(name) for name in modules("wrong")]
WRONG_ANSWERS: tuple[WrongAnswer, ...] = tuple(wrong for module in _WRONG for wrong in module.WRONG_ANSWERS)
EQUIVALENT: tuple[Equivalent, ...] = tuple(
    equivalent for module in _WRONG for equivalent in getattr(module, "EQUIVALENT", ())
)
RIGHT_ANSWERS: dict[str, tuple[str, ...]] = {
    exercise: (texts,) if isinstance(texts, str) else tuple(texts)
    for name in modules("right")
    for exercise, texts in import_module(name).RIGHT_ANSWERS.items()
}
"""Right answers in other words than the reference's, by exercise: in `right.py` a text, or a tuple of texts. The
cohorts have more of them."""
