"""Mutants that give the right answer and leave something behind that they should not: operators of a tree's node."""

import ast
import copy
from collections.abc import Callable, Iterator


def _clear_input(node):
    """Yield the function with 0 written to an element of a parameter after the first statement that reads it."""
    if not isinstance(node, ast.FunctionDef):
        return
    parameters = {argument.arg for argument in (*node.args.posonlyargs, *node.args.args)}
    elements = [one for one in ast.walk(node) if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name)]
    read = {one.value.id: one for one in elements[::-1] if isinstance(one.ctx, ast.Load)}
    stored = {one.value.id for one in elements if isinstance(one.ctx, ast.Store)}
    for name in sorted(parameters & read.keys() - stored):
        element = copy.deepcopy(read[name])
        if not isinstance(element.slice, ast.Slice):
            element.ctx = ast.Store()
            body = _innermost(node, read[name])
            at = next(at for at, one in enumerate(body) if read[name] in ast.walk(one))
            changed = [*body[: at + 1], ast.Assign([element], ast.Constant(0)), *body[at + 1 :]]
            if not isinstance(body[at], (ast.Return, ast.Raise)):
                yield _with_body(node, body, changed)


def _innermost(node, wanted):
    """Return the innermost list of statements that has a node."""
    inside = [one for one in ast.walk(node) if isinstance(getattr(one, "body", None), list)]
    bodies = [body for one in inside for body in (one.body, getattr(one, "orelse", [])) if isinstance(body, list)]
    return [body for body in bodies if any(wanted in ast.walk(statement) for statement in body)][-1]


def _with_body(node, body, changed):
    """Return a copy of the node in which one of its lists of statements is another."""
    before, body[:] = list(body), changed
    made = copy.deepcopy(node)
    body[:] = before
    return made


def _hold_back(node):
    """Hold back what is not an Exception, in an `__exit__` or in a `try` that has a `finally`."""
    if isinstance(node, ast.FunctionDef) and node.name == "__exit__":
        given = [argument.arg for argument in node.args.args[2:]]
        error = given[0] if given else f"{node.args.vararg.arg}[1]"
        holds = ast.parse(f"return {error} is not None and not isinstance({error}, Exception)")
        node.body = [one for one in node.body if not isinstance(one, ast.Return)] + holds.body
        yield node
    if isinstance(node, ast.Try) and node.finalbody:
        (held,) = ast.parse("try:\n pass\nexcept Exception:\n raise\nexcept BaseException:\n pass").body
        node.handlers += held.handlers
        yield node


def _refuse_late(node):
    """Yield the node with an `if` that raises moved behind the next statement that changes something."""
    for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
        for at, one in enumerate(body if isinstance(body, list) else ()):
            if isinstance(one, ast.If) and isinstance(one.body[-1], ast.Raise):
                after = next((place for place in range(at + 1, len(body)) if _changes(body[place])), None)
                if after is not None:
                    yield _with_body(node, body, [*body[:at], *body[at + 1 : after + 1], one, *body[after + 1 :]])


def _changes(statement):
    """Return whether a statement stores to a part of an object, or calls something for what it does."""
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    inside = [one for target in targets if target for one in ast.walk(target)]
    is_call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    return is_call or any(isinstance(one, ast.Attribute) for one in inside)


OF_STATE: dict[str, Callable[[ast.AST], Iterator[ast.AST]]] = {
    "ClearInput": _clear_input,
    "HoldBack": _hold_back,
    "RefuseLate": _refuse_late,
}
