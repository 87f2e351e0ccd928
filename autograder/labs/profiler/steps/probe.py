"""The actions that a schedule gives for steps."""

import warnings

from autograder.examine.error_data import type_name
from autograder.labs.profiler.modules import module


def actions(engine, steps, numbers):
    """Return the name of each step's action, in order, or what raised instead, and the warnings that were issued.

    Args:
        numbers: arguments of `schedule`, by name.
    Returns:
        "actions", and "warnings", where `schedule` refuses nothing: the warnings of `schedule` itself and of the
        function.
    """
    kinds = module(engine, "actions")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            action = kinds.schedule(**numbers)
        except (AssertionError, ValueError) as error:
            return {"actions": ["schedule raised", type_name(error)]}
        if not callable(action):
            return f"{type(action).__name__}, which can't be called"
        at_first = [warning.category.__name__ for warning in caught]
        gave = [_action(kinds, action, step) for step in steps]
        later = [warning.category.__name__ for warning in caught[len(at_first) :]]
    return {"actions": gave, "warnings": {"schedule": at_first, "function": later}}


def _action(kinds, action, step):
    try:
        return _name(kinds, action(step))
    except (AssertionError, ValueError) as error:
        return f"raised {type_name(error)}"


def _name(kinds, found):
    return found.name if isinstance(found, kinds.ProfilerAction) else f"a {type(found).__name__}"
