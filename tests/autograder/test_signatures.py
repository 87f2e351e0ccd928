"""Functions that an answer calls take their arguments by name, also where a check has put another in their place."""

import ast
import functools
import importlib
import inspect
import re

import pytest
from test_checks import judged

from autograder.examine.verdict import RIGHT
from autograder.labs import CHECKS
from autograder.overlay import source_of

INSTRUCTIONS = "engine.cpu.vectorized"  # compiled code takes their arguments by position alone
CALL = re.compile(r"`((?:\w+\.)*\w+)\(([^()`]*)\)`")


def namespace(name):
    """The names of the module of an exercise, and what the exercise itself is."""
    module, _, qualname = name.rpartition(".")
    there = vars(importlib.import_module(f"engine.{module}"))
    return there, there[qualname]


def function_of(node, there, owner, own_names):
    """The function of the engine, or the method of the exercise, that a call names; None for any other."""
    found = None
    if isinstance(node, ast.Name) and node.id not in own_names:
        found = there.get(node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        base = there.get(node.value.id)
        if node.value.id == "self" and isinstance(owner, type):
            method = vars(owner).get(node.attr)
            return method.__get__(object()) if inspect.isfunction(method) else None
        found = getattr(base, node.attr, None) if inspect.ismodule(base) else None
    is_function = inspect.isfunction(found) or isinstance(found, functools._lru_cache_wrapper)
    module = found.__module__ if is_function else ""
    return found if module.startswith("engine.") and module != INSTRUCTIONS else None


def with_named_arguments(name):
    """The reference of an exercise, with each argument by name that can be; "" if there is none."""
    there, owner = namespace(name)
    tree = ast.parse(source_of(name))
    nodes = list(ast.walk(tree))
    own_names = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    own_names |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    count = 0
    for call in (node for node in nodes if isinstance(node, ast.Call) and node.args):
        function = function_of(call.func, there, owner, own_names)
        parameters = list(inspect.signature(function).parameters.values())[: len(call.args)] if function else []
        is_plain = all(one.kind is one.POSITIONAL_OR_KEYWORD for one in parameters)
        if len(parameters) == len(call.args) and is_plain and not any(isinstance(a, ast.Starred) for a in call.args):
            named = [ast.keyword(one.name, value) for one, value in zip(parameters, call.args, strict=True)]
            call.args, call.keywords, count = [], named + call.keywords, count + 1
    return ast.unparse(tree) if count else ""


NAMED = {name: text for name in CHECKS if (text := with_named_arguments(name))}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMED)
def test_an_answer_may_name_all_arguments(name):
    result = judged(name, NAMED[name], 0)
    assert result.verdict == RIGHT, result


def stated(name):
    """The calls with three arguments or more that the docstrings of an exercise state, and the parameters."""
    there, owner = namespace(name)
    for node in ast.walk(ast.parse(source_of(name))):
        text = ast.get_docstring(node) if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else None
        for what, arguments in CALL.findall(text or ""):
            function = functools.reduce(
                lambda base, part: getattr(base, part, None), what.split("."), _Namespace(there)
            )
            function = function or (vars(owner).get(what) if isinstance(owner, type) else None)
            words = [word.strip() for word in arguments.split(",")]
            if callable(function) and len(words) > 2 and all(map(str.isidentifier, words)):
                yield f"{what}({arguments})", words, [*inspect.signature(function).parameters]


class _Namespace:
    def __init__(self, names):
        vars(self).update(names)


@pytest.mark.parametrize("name", CHECKS)
def test_a_signature_in_a_docstring_is_that_of_the_function(name):
    """A call that names most of its arguments as the parameters states a signature: then all are named so."""
    wrong = {
        text: parameters
        for text, words, parameters in stated(name)
        if 2 * len({*words} & {*parameters}) > len(words) and not {*words} <= {*parameters}
    }
    assert wrong == {}


def test_docstrings_state_signatures():
    assert sum(len([*stated(name)]) for name in CHECKS) >= 10
