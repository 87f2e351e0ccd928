"""The changes of a graft: the code of an existing function, the methods of a class, and the parts that are refused.

Only code moves. So a closure is refused, because the code would lose its cells, and a part must take every call that
the reference takes.
"""

import inspect
import types
from typing import Any, NamedTuple

PACKAGE = "engine"  # whose functions are grafted
ABSENT = object()
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_KEPT_ATTRIBUTES = frozenset(
    (
        *("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__slots__", "__type_params__"),
        *("__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__"),
        *("__firstlineno__", "__static_attributes__"),
    )
)


class PartError(Exception):
    """Raised for source that can't become a part of the engine; the message says why and what to do instead."""


class Change(NamedTuple):
    """One attribute before and after a graft; `ABSENT` if missing."""

    owner: Any
    attribute: str
    old: Any
    new: Any


def changes_of(qualname: str, target: Any, made: Any, filename: str) -> list[Change]:
    """Return the changes that make `target`, a function or class of the engine, run `made`'s code from cell `filename`.

    Raises:
        PartError: `made` can't be grafted there.
    """
    if isinstance(target, type):
        return _class_changes(qualname, target, made, filename)
    function = inspect.unwrap(target)
    part = made if isinstance(made, types.FunctionType) else inspect.unwrap(made)
    if not isinstance(part, types.FunctionType) or part.__code__.co_filename != filename:
        raise PartError(f"{qualname} must be a function that the cell defines with `def`, got {made!r}")
    return _function_changes(qualname, function, part)


def _function_changes(label: str, function: types.FunctionType, part: types.FunctionType) -> list[Change]:
    _refuse_closure(label, part)
    if function.__code__.co_freevars:
        raise PartError(f"{label} of the engine is a closure and can't take a part")
    wanted, got = inspect.signature(function), inspect.signature(part)
    if not (_accepts(got, wanted) or (part.__name__ == "__exit__" and _takes(got, 4))):
        raise PartError(f"{label} must take {wanted}, the part takes {got}: keep the names and the order")
    attributes = ("__code__", "__defaults__", "__kwdefaults__")
    return [Change(function, name, getattr(function, name), getattr(part, name)) for name in attributes]


def _class_changes(qualname: str, target: type, made: Any, filename: str) -> list[Change]:
    if not isinstance(made, type) or made.__bases__ != target.__bases__:
        bases = ", ".join(base.__name__ for base in target.__bases__)
        raise PartError(f"{qualname} must be a class with the bases of the reference ({bases})")
    changes: list[Change] = []
    for attribute, new in vars(made).items():
        old = vars(target).get(attribute, ABSENT)
        label = f"{qualname}.{attribute}"
        if isinstance(new, types.MemberDescriptorType) and old is ABSENT and not target.__dictoffset__:
            raise PartError(f"{label}: a part can't add a slot to a class whose objects exist; keep __slots__")
        if attribute in _KEPT_ATTRIBUTES or isinstance(new, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            continue
        parts, functions = _functions(new), _functions(old)
        written_here = [part for part in parts if part.__code__.co_filename == filename]
        for part in written_here:
            _refuse_closure(label, part)
        if parts and old is not ABSENT and not written_here:
            continue  # made by a decorator, such as dataclass; the reference has its own
        if parts and type(old) is type(new) and len(functions) == len(parts):
            for function, part in zip(functions, parts, strict=True):
                changes += _function_changes(label, function, part)
        else:
            changes.append(Change(target, attribute, old, new))
    return changes


def _functions(value: Any) -> list[types.FunctionType]:
    """Return the plain functions of a class attribute: a method, a static or class method, or a property."""
    held = (value.fget, value.fset, value.fdel) if isinstance(value, property) else (getattr(value, "__func__", value),)
    return [function for function in held if isinstance(function, types.FunctionType)]


def _refuse_closure(label: str, part: types.FunctionType) -> None:
    free = part.__code__.co_freevars
    if "__class__" in free:
        raise PartError(
            f"{label} uses __class__, which belongs to the class of the cell: "
            "name the class instead, or write `type(self)`"
        )
    if free:
        raise PartError(
            f"{label} is a closure over {', '.join(free)}: only its code can be grafted. Define it at the top level "
            "of the cell, without a decorator that wraps it, and pass what it needs as arguments or use top-level names"
        )


def _accepts(got: inspect.Signature, wanted: inspect.Signature) -> bool:
    """Return True if each call that fits `wanted` fits `got`: the same names and order, further ones have defaults."""
    positional = [parameter for parameter in got.parameters.values() if not _by_name(parameter)]
    named = {_label(parameter): parameter for parameter in got.parameters.values() if _by_name(parameter)}
    taken = set()
    for position, parameter in enumerate(wanted.parameters.values()):
        match = named.get(_label(parameter)) if _by_name(parameter) else dict(enumerate(positional)).get(position)
        if match is None or match.kind != parameter.kind:
            return False
        if match.name != parameter.name and parameter.kind not in _VARIADIC:
            return False
        if parameter.default is not parameter.empty and match.default is match.empty:
            return False
        taken.add(match.name)
    further = (parameter for name, parameter in got.parameters.items() if name not in taken)
    return all(parameter.kind in _VARIADIC or parameter.default is not parameter.empty for parameter in further)


def _label(parameter: inspect.Parameter) -> Any:
    """Return a parameter's identity to callers: its name; for `*args` and `**kwargs`, which no call names, its kind."""
    return parameter.kind if parameter.kind in _VARIADIC else parameter.name


def _takes(got: inspect.Signature, count: int) -> bool:
    """Return True if `count` arguments by position fit the signature, as `with` calls `__exit__`."""
    try:
        got.bind(*range(count))
    except TypeError:
        return False
    return True


def _by_name(parameter: inspect.Parameter) -> bool:
    return parameter.kind == inspect.Parameter.KEYWORD_ONLY or parameter.kind in _VARIADIC
