"""The actions that a schedule gives for steps."""

import warnings

from autograder.examine.raised import type_name
from autograder.labs.profiler.modules import module


def actions(engine, steps, numbers):
    """The name of the action of each step, in their order, or what raised instead; and the warnings that came.

    Args:
        numbers: arguments of `schedule`, by name.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gave = _actions(module(engine, "actions"), steps, numbers)
    return {"actions": gave, "warnings": [warning.category.__name__ for warning in caught]}


def _actions(kinds, steps, numbers):
    try:
        action = kinds.schedule(**numbers)
    except (AssertionError, ValueError) as error:
        return "schedule raised", type_name(error)
    gave = []
    for step in steps:
        try:
            gave.append(_name(kinds, action(step)))
        except (AssertionError, ValueError) as error:
            gave.append(f"raised {type_name(error)}")
    return gave


def _name(kinds, found):
    return found.name if isinstance(found, kinds.ProfilerAction) else f"a {type(found).__name__}"
