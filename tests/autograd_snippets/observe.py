"""The visible state of autograd, as plain values that are equal where two engines behave alike.

A snippet is a function of `T` that returns what it saw. Tensors become `Seen`, nodes their names; an error that a
snippet lets through is its result. Warnings are part of what is seen.
"""

import math
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

DIGITS = 5  # of a number: what the last operations before it may differ in is not autograd's


@dataclass(frozen=True)
class Seen:
    """The visible state of a tensor. `node` is the name of its grad_fn, with the number of the output it is."""

    values: Any
    dtype: str
    sizes: tuple
    strides: tuple
    requires_grad: bool
    is_leaf: bool
    retains_grad: bool
    is_view: bool
    version: Any
    node: str | None


def outcome(T: Any, snippet: Callable[[Any], Any]) -> tuple[Any, list[str]]:
    """Return what `snippet(T)` returned or raised, and the first lines of its warnings."""
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        try:
            result = plain(T, snippet(T))
        except Exception as error:
            result = first_line(error)
    return result, [f"{warning.category.__name__}: {_line(str(warning.message))}" for warning in record]


def plain(T: Any, value: Any) -> Any:
    """`value` with tensors, nodes, dtypes and errors in it replaced by plain data."""
    if isinstance(value, T.Tensor):
        return _seen(T, value)
    if isinstance(value, (list, tuple)):
        return [plain(T, entry) for entry in value]
    if isinstance(value, dict):
        return {str(key): plain(T, entry) for key, entry in value.items()}
    if isinstance(value, str):
        return _without_addresses(value)
    if isinstance(value, bool | int | None):
        return value
    if isinstance(value, float):
        return _rounded(value)
    if isinstance(value, Exception):
        return first_line(value)
    return value.name() if hasattr(value, "next_functions") else repr(value)


def _seen(T: Any, tensor: Any) -> Seen:
    return Seen(
        values=plain(T, tensor.detach().tolist()),
        dtype=str(tensor.dtype),
        sizes=tuple(tensor.shape),
        strides=tuple(tensor.stride()),
        requires_grad=tensor.requires_grad,
        is_leaf=tensor.is_leaf,
        retains_grad=tensor.retains_grad,
        is_view=tensor._is_view(),
        version=None if tensor.is_inference() else tensor._version,
        node=f"{tensor.grad_fn.name()} {tensor.output_nr}" if tensor.grad_fn is not None else None,
    )


def _rounded(number: float) -> str:
    return repr(float(f"{number:.{DIGITS}g}")) if math.isfinite(number) else repr(number)


def first_line(error: BaseException) -> str:
    """The exact type of an error and the first line of its message."""
    return f"{type(error).__name__}: {_line(str(error))}"


def _line(text: str) -> str:
    """The first line, without the place in PyTorch's C++ and without addresses."""
    line = re.sub(r" \(Triggered internally at .*", "", text.split("\n")[0])
    return _without_addresses(line).rstrip()


def _without_addresses(text: str) -> str:
    return re.sub(r"0x[0-9a-f]+", "0x...", text)


def raised(call: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """The error of a call that must fail, as `first_line` says it; "nothing" if it did not."""
    try:
        call(*args, **kwargs)
    except Exception as error:
        return first_line(error)
    return "nothing"


def graph(node: Any) -> Any:
    """The nodes that can be reached: (name, [the node of each input, with the number of its output])."""
    if node is None:
        return None
    return (node.name(), [(graph(following), number) for following, number in node.next_functions])


def shares_memory(one: Any, other: Any) -> bool:
    """Return whether two tensors begin at the same address."""
    return one.data_ptr() == other.data_ptr()
