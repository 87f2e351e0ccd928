"""Calls in a cell that reach an attribute by a name in a text, and say with it no more than `x.name` would say."""

import ast

from autograder.examine.refused_names import FORMATS, GETTERS, looks_into, refuses_attribute

ATTRIBUTE_CALLS = ("getattr", "setattr", "delattr")


def spelled_out(tree: ast.Module, takes_names: bool) -> set[ast.AST]:
    """Return the `getattr` of each call with a literal, permitted name, equivalent to `x.name`; also `"{}".format`.

    Of `attrgetter` and `methodcaller` any names do where the module's own code `takes_names` by getattr.
    """
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    is_rebound = any(map(_rebinds_operator, ast.walk(tree)))
    getters = {call.func for call in calls if not is_rebound and _is_getter(call, takes_names)}
    return {call.func for call in calls if _is_spelled_out(call)} | getters


def _rebinds_operator(node: ast.AST) -> bool:
    """Return True if after this node `operator` may be another module than Python's."""
    if isinstance(node, ast.ImportFrom):
        return any("operator" in (alias.asname, alias.name) for alias in node.names)
    if isinstance(node, ast.Import):
        return any(alias.asname == "operator" for alias in node.names)
    is_stored = isinstance(node, ast.Name) and node.id == "operator" and isinstance(node.ctx, ast.Store)
    return is_stored or (isinstance(node, ast.arg) and node.arg == "operator")


def _is_getter(call: ast.Call, takes_names: bool) -> bool:
    """Return True for `attrgetter("a")` and `operator.methodcaller("b", 1)` with names that may be used."""
    function = call.func
    origin = getattr(getattr(function, "value", None), "id", "") if isinstance(function, ast.Attribute) else "operator"
    if last_name(function) not in GETTERS or origin != "operator":
        return False
    names = call.args[:1] if last_name(function) == "methodcaller" else call.args
    texts = [name.value for name in names if isinstance(name, ast.Constant) and isinstance(name.value, str)]
    parts = [part for text in texts for part in text.split(".")]
    is_literal = len(texts) == len(names) and not any(part in FORMATS or refuses_attribute(part, ()) for part in parts)
    return bool(names) and (takes_names or is_literal)


def _is_spelled_out(call: ast.Call) -> bool:
    function, arguments = call.func, call.args
    if isinstance(function, ast.Attribute) and function.attr in FORMATS:
        text = function.value
        return isinstance(text, ast.Constant) and type(text.value) is str and not looks_into(text.value)
    if not isinstance(function, ast.Name) or function.id not in ATTRIBUTE_CALLS or len(arguments) < 2:
        return False
    name = arguments[1].value if isinstance(arguments[1], ast.Constant) else None
    is_sure = not any(isinstance(argument, ast.Starred) for argument in arguments)
    return is_sure and isinstance(name, str) and not refuses_attribute(name, ())


def last_name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
