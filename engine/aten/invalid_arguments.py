"""The text of the TypeError for a call that fits no signature. Mirrors torch/csrc/utils/invalid_arguments.cpp."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..dtypes import device, dtype, layout, memory_format
from ..tensor_impl import Size

# In PyTorch these are C types, whose names carry their module.
C_TYPES: dict[type, str] = {kind: f"torch.{kind.__name__}" for kind in (Size, dtype, device, layout, memory_format)}
HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class made by Python code, whose C name is without its module


def type_name(value: Any) -> str:
    """Return the C name (tp_name) of a value's type: `int`, `numpy.float64`, `Tensor`, `torch.dtype`."""
    kind = type(value)
    if kind in C_TYPES:
        return C_TYPES[kind]
    if kind.__name__ == "Generator" and not hasattr(kind, "send"):  # the engine's, not Python's
        return "torch._C.Generator"
    bare = kind.__flags__ & HEAP_TYPE or kind.__module__ == "builtins"
    return kind.__name__ if bare else f"{kind.__module__}.{kind.__name__}"


def format_invalid_args(name: str, args: Sequence[Any], kwargs: Mapping[str, Any], options: Sequence[str]) -> str:
    """Return the message for arguments that fit no signature: the given types, the expected ones, the mismatches.

    Args:
        name: of the function.
        options: its signatures as they are shown, `(Tensor input, int dim = 0)`.
    """
    message = f"{name}() received an invalid combination of arguments - "
    given = describe_arguments(args, kwargs)
    if len(options) != 1:
        shown = "".join(f" * {option}\n{_why_not(option, args, kwargs)}" for option in options)
        return f"{message}got {given}, but expected one of:\n{shown}"
    entries = _entries(options[0])
    unknown = _unknown_keywords(entries, kwargs)
    if unknown:
        return f"{message}got unrecognized keyword arguments: {', '.join(unknown)}"
    if len(args) + len(kwargs) == len(entries):
        given = _marked_arguments(entries, args, kwargs)
    return f"{message}got {given}, but expected {options[0]}"


def describe_arguments(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Return the types of a call's arguments: `(Tensor, dim=str)`.

    As in PyTorch the keywords come last one first, and there is a comma too many when all arguments have one.
    """
    shown = [type_name(value) for value in args]
    shown += [f"{key}={type_name(value)}" for key, value in [*kwargs.items()][::-1]]
    return f"({', '.join(shown)}{', ' if kwargs and not args else ''})"


def _why_not(option: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    entries = _entries(option)
    if len(args) + len(kwargs) != len(entries):
        return ""
    unknown = _unknown_keywords(entries, kwargs)
    if unknown:
        return f"      didn't match because some of the keywords were incorrect: {', '.join(unknown)}\n"
    marked = _marked_arguments(entries, args, kwargs)
    return f"      didn't match because some of the arguments have invalid types: {marked}\n"


def _entries(option: str) -> list[tuple[str, str]]:
    """Return type and name of each entry of a shown signature. As in PyTorch, `*` is an entry, and a default a name."""
    return [(kind, name) for kind, _, name in (entry.rpartition(" ") for entry in option[1:-1].split(", "))]


def _unknown_keywords(entries: list[tuple[str, str]], kwargs: Mapping[str, Any]) -> list[str]:
    names = [name for _, name in entries[max(0, len(entries) - len(kwargs)) :]]
    return [key for key in [*kwargs][::-1] if key not in names]


def _marked_arguments(entries: list[tuple[str, str]], args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Return the types of a call with as many arguments as the signature has, with `!` around types that don't fit."""
    given = [("", value) for value in args]
    given += [(f"{name}=", kwargs[name]) for _, name in entries[len(args) :]]
    shown = []
    for (kind, _), (keyword, value) in zip(entries, given, strict=True):
        fits = type_name(value) in {"float": ("float", "int"), "int": ("int",)}.get(kind, (kind,))
        text = keyword + (_described(value) if isinstance(value, (tuple, list)) else type_name(value))
        shown.append(text if fits else f"!{text}!")
    return f"({', '.join(shown)}{', ' if not args else ''})"


def _described(value: Sequence[Any]) -> str:
    inner = ", ".join(map(type_name, value))
    if isinstance(value, list):
        return f"list of [{inner}]"
    return f"{type_name(value)} of ({inner}{',' if len(value) == 1 else ''})"
