"""Words and pictures that help with a failing case, besides the verdict."""

import ast
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType

from IPython import get_ipython
from IPython.display import display

from autograder.examine.cell_rules import importable
from autograder.examine.student_error import NOWHERE, place_of_name
from autograder.student import failing_case, replay
from autograder.student.recorded_check import Asked


def explain(name: str, asked: Sequence[Asked], namespace: Mapping[str, object], source: str) -> None:
    """Print or draw what helps with the first failing case in `asked`, if there is one, and keep it for `replay`."""
    failing = next((question for question in asked if not question.is_right), None)
    if failing is None:
        return
    replay.remember(name, failing)
    if not failing.is_dead:
        print(f'   to look inside: replay("{name}"), then %debug')
    if failing.printed:
        print(failing.printed)
    if explain_missing(name, failing.got.message, namespace, source):
        return
    shell = get_ipython()
    picture = failing_case.picture(name, failing.case.args, failing.wanted, failing.got) if shell else None
    if picture is not None:
        display(failing_case.themed(picture))


def explain_missing(name: str, message: str, namespace: Mapping[str, object], source: str = "") -> bool:
    """Return True if `message` reports as undefined a name that the notebook has; print why the engine lacks it."""
    missing = re.search(r"name '(\w+)' is not defined$", message)
    if not missing or missing[1] not in namespace:
        return False
    if source and place_of_name(source, missing[1]) == NOWHERE:
        return False  # a text that the cell makes has the name
    module, _, qualname = name.rpartition(".")
    found = namespace[missing[1]]
    if missing[1] in ("check", "engine", "progress", "replay") and _is_tried(source, missing[1]):
        print(f"   -> the cell of `{qualname}` becomes a part of the engine: try it out in a cell of its own")
    elif isinstance(found, ModuleType):
        how = "do it without" if missing[1] != "engine" else "the names that the text gives are enough for this answer"
        if found.__name__ in importable(name):
            how = f"write `import {missing[1]}` into the cell"
        elif short := _imported(f"engine.{module}", re.findall(rf"\b{missing[1]}\.(\w+)", source)):
            how = f"`{short}` is, so write `{short}` and not `{missing[1]}.{short}`"
        print(f"   -> `{missing[1]}` is not at hand in engine.{module}: {how}")
    elif (origin := str(getattr(namespace[missing[1]], "__module__", ""))).startswith("engine."):
        print(f"   -> `{missing[1]}` is not at hand in engine.{module}: it is a name of {origin}")
    else:
        print(f"   -> `{missing[1]}` is defined in another cell: put it into the cell of `{qualname}`")
    return True


def _is_tried(source: str, name: str) -> bool:
    """Return True if the cell uses the name outside its functions, to try them out; without a text, too."""
    line, *_ = place_of_name(source, name)
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    nodes = ast.parse(source).body if line else ()
    return not any(node.lineno <= line <= (node.end_lineno or 0) for node in nodes if isinstance(node, functions))


def _imported(module: str, names: Sequence[str]) -> str:
    """Return the first of the names that the module imports, or ""."""
    there = vars(import_module(module))
    return next((one for one in names if one in there and getattr(there[one], "__module__", "") != module), "")
