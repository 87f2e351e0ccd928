"""Probe of node_source: the class that the text defines, at work on numbers instead of tensors."""

import operator
import traceback

from autograder.examine import error_data

FILE = "<node>"


def built(engine, entry, observed, saved=(), grads=(), needs=()):
    """Build the class that `node_source` writes for an entry, and return its fields or what its nodes do.

    Args:
        entry: text in the form of derivatives.yaml, with one entry.
        observed: "class": its name and fields, "gradients": what `apply` returns, and
            where no gradient comes in, which saved tensors it unpacks all the same; "freed": what `release_variables`
            lets go of.
        saved: pairs (name, value) that the node has saved. A float is a saved tensor, a list of floats a list of saved
            tensors, an int a plain value, None a tensor that was not saved.
        grads, needs: of `apply`.

    A text that does not compile or stops gives ("does not compile" or "stops", the error, its line of the text).
    """
    (info,) = engine.autograd.derivatives.parse(entry).values()
    source = engine.autograd.gen_autograd_functions.node_source(info)
    if type(source) is not str:
        return type(source).__name__
    error_data.leave(source)
    try:
        code = compile(source, FILE, "exec")
    except (SyntaxError, ValueError) as error:
        return ("does not compile", _named(error, getattr(error, "msg", "")), _line(source, error))
    try:
        return _observed(engine, code, info.node, observed, saved, grads, needs)
    except Exception as error:
        if not (line := _line(source, error)):
            raise
        return ("stops", _named(error), line)


def _named(error, text=""):
    return f"{type(error).__name__}: {text or error_data.message(error)}"


def _line(source, error):
    """Return the source line that raised the error, or ""."""
    numbers = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    number = getattr(error, "lineno", None) or (numbers[-1] if numbers else 0)
    lines = source.split("\n")
    return f"line {number}: {lines[number - 1].strip()}" if 1 <= number <= len(lines) else ""


def _observed(engine, code, name, observed, saved, grads, needs):
    """Return what is observed of the class `name` that the code defines."""
    registration = engine.autograd.registration
    scope = {**registration.IN_SCOPE, "at": OnNumbers}
    exec(code, scope)
    cls = scope.get(name)
    base = engine.autograd.node.Node
    if not (isinstance(cls, type) and issubclass(cls, base)):
        return "no subclass of Node with the entry's name"
    if observed == "class":
        return _described(cls, base)
    node = cls()
    for name, value in saved:
        setattr(node, f"saved_{name}", _kept(value))
    if observed == "gradients":
        SavedVariable.unpacked.clear()
        returned = list(node.apply(list(grads), tuple(needs)))
        is_nothing = all(grad is None for grad in grads)
        return {"returned": returned, "unpacked": len(SavedVariable.unpacked)} if is_nothing else returned
    node.release_variables()
    return {
        "defines release_variables": cls.release_variables is not base.release_variables,
        **{name: _left(registration, getattr(node, f"saved_{name}")) for name, _ in saved},
    }


def _described(cls, base):
    slots = vars(cls).get("__slots__", "missing")
    return {
        "name": cls.name(),
        "slots": sorted([slots] if isinstance(slots, str) else slots),
        "saved_fields": cls.saved_fields if isinstance(cls.saved_fields, tuple) else type(cls.saved_fields).__name__,
    }


class OnNumbers:
    """A stand-in for `at`: a formula calls these operators for a tensor and a number, which are two numbers here."""

    add_Scalar, sub_Scalar, mul_Scalar, div_Scalar = operator.add, operator.sub, operator.mul, operator.truediv


class SavedVariable:
    """A stand-in for the engine's SavedVariable that holds a number and records when it is unpacked."""

    unpacked: list = []

    def __init__(self, value):
        self.value = value

    def unpack(self, node):
        self.unpacked.append(self.value)
        return self.value


def _kept(value):
    if isinstance(value, list):
        return tuple(SavedVariable(one) for one in value)
    return SavedVariable(value) if isinstance(value, float) else value


def _left(registration, value):
    if value is registration.FREED_VARIABLE:
        return "freed"
    return value if value is None or isinstance(value, int) else "kept"
