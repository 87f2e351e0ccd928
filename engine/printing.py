"""Printing of tensors: character for character as PyTorch prints them.

Mirrors torch/_tensor_str.py.
"""

import contextlib
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from . import dtypes, slots
from .aten.at import at
from .aten.tensor_list import tolist
from .aten.tensor_numpy import numpy
from .dispatch.keys import LAYERS, PYTHON
from .dispatch.local import DispatchKeyGuard
from .tensor_impl import Tensor

PLAIN: set[type] = {Tensor}
"""The classes whose tensors are printed as `tensor(...)`; other tensors begin with the name of their class."""


@dataclass
class PrinterOptions:
    """Options for printing tensors.

    Args:
        precision: digits after the point.
        threshold: elements; a tensor with more is summarized.
        edgeitems: entries shown at either end of a summarized dimension.
        linewidth: characters.
        sci_mode: True to write floats in scientific notation; None to decide by the range of the elements.
    """

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PRINT_OPTS = PrinterOptions()
PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set options for printing tensors: see `PrinterOptions`. Options other than `sci_mode` stay as they are if None.

    Args:
        profile: "default", "short" or "full", whose options are set first.
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    chosen = PROFILES.get(profile or "", {}) | {name: value for name, value in given.items() if value is not None}
    for name, value in chosen.items():
        setattr(PRINT_OPTS, name, value)
    PRINT_OPTS.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """Return the options in the form that `set_printoptions` takes."""
    return asdict(PRINT_OPTS)


@contextlib.contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Set options of `set_printoptions` inside a `with` block."""
    before = get_printoptions()
    set_printoptions(**options)
    try:
        yield
    finally:
        set_printoptions(**before)


Number = bool | int | float


class Formatter:
    """A formatter that prints the elements of a tensor at one common width.

    Args:
        values: the elements that are shown, flat.

    Source: _Formatter (torch/_tensor_str.py).
    """

    def __init__(self, values: np.ndarray):
        self.spec, self.is_whole = "", False
        if values.dtype.kind == "f":
            values = values[np.isfinite(values) & (values != 0)].astype(np.float64)
            self.spec, self.is_whole = _float_spec(values)
        self.width = max([1, *(len(self._text(value)) for value in values.tolist())])

    def _text(self, value: Number) -> str:
        text = f"{value:{self.spec}}" if self.spec else str(value)
        return text + "." if self.is_whole and math.isfinite(value) else text

    def __call__(self, value: Number) -> str:
        return self._text(value).rjust(self.width)


def _float_spec(values: np.ndarray) -> tuple[str, bool]:
    """Return the format of floats, and whether they are whole numbers with a point behind; a wide range is scientific.

    Args:
        values: flat float64 array, finite, without zeros.
    """
    if not values.size:
        return ".0f", True
    smallest, largest = np.abs(values).min(), np.abs(values).max()
    scientific = PRINT_OPTS.sci_mode
    if scientific is None:
        scientific = bool(largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4)
    if scientific:
        return f".{PRINT_OPTS.precision}e", False
    is_whole = bool(np.all(values == np.ceil(values)))
    return ".0f" if is_whole else f".{PRINT_OPTS.precision}f", is_whole


def tensor_repr(self: Tensor, *, tensor_contents: str | None = None) -> str:
    """Return the tensor as PyTorch prints it.

    Raises:
        TypeError: floating-point numbers of a class that answers calls: each is formatted as a tensor of this class.
        RecursionError, RuntimeError: integers and bools of such a class: PyTorch formats each, which formats each, ...
    """
    if self._key_set & PYTHON and self.numel() and self.device.type != "meta":
        if self.is_floating_point():
            raise TypeError(f"unsupported format string passed to {type(self).__name__}.__format__")
        if type(self).__repr__ is Tensor.__repr__:
            raise RecursionError("maximum recursion depth exceeded")
        tolist(self)  # raises
    with DispatchKeyGuard(excluded=PYTHON | LAYERS):
        if type(self) in PLAIN:
            return _repr(self, "tensor(")
        text = _repr(self, f"{type(self).__name__}(")
        return f"Parameter({text})" if slots.is_parameter(self) else text


def _repr(self: Tensor, prefix: str) -> str:
    if self.device.type == "meta":
        return without_elements(self, prefix)
    suffixes = _device(self)
    if not self.numel():
        if self.dim() != 1:
            suffixes.append(f"size={tuple(self.shape)}")
        if self.dtype is not dtypes.get_default_dtype():
            suffixes.append(f"dtype={self.dtype}")
        body = "[]"
    else:
        if not PRINT_OPTS.edgeitems:
            suffixes.append(f"size={tuple(self.shape)}")
        if self.dtype not in (dtypes.get_default_dtype(), dtypes.int64, dtypes.bool_):
            suffixes.append(f"dtype={self.dtype}")
        numbers = dtypes.float32 if self.dtype in dtypes.HALVES else self.dtype
        is_shown = self.device.type == "cpu" and numbers is self.dtype
        shown_from = self if is_shown else at.to_device(self, dtypes.CPU, numbers)
        shown = numpy(shown_from)
        shown = _edges(shown) if self.numel() > PRINT_OPTS.threshold else shown
        body = _nested(shown_from, len(prefix), self.numel() > PRINT_OPTS.threshold, Formatter(shown.ravel()))
    return _with_suffixes(prefix, body, suffixes + _history(self))


def without_elements(self: Tensor, prefix: str) -> str:
    """Return what can be printed of a tensor that has no elements, after a prefix like "tensor("."""
    suffixes = [*_device(self), f"size={tuple(self.shape)}"]
    suffixes += [f"dtype={self.dtype}"] if self.dtype is not dtypes.get_default_dtype() else []
    return _with_suffixes(prefix, "...", suffixes + _history(self))


def _device(self: Tensor) -> list[str]:
    return [] if self.device.type == "cpu" else [f"device='{self.device}'"]


def _history(self: Tensor) -> list[str]:
    """Return the suffix with the node that made the tensor, or with requires_grad for a leaf."""
    if self.grad_fn is not None:
        return [f"grad_fn=<{type(self.grad_fn).__name__}>"]
    return ["requires_grad=True"] if self.requires_grad else []


def _with_suffixes(prefix: str, body: str, suffixes: list[str]) -> str:
    text = prefix + body
    last_line = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if last_line + len(suffix) + 2 > PRINT_OPTS.linewidth:
            text += ",\n" + " " * len(prefix) + suffix
            last_line = len(prefix) + len(suffix)
        else:
            text += ", " + suffix
            last_line += len(suffix) + 2
    return text + ")"


def _edges(values: np.ndarray) -> np.ndarray:
    """Return the part of the values that a summary shows."""
    edge = PRINT_OPTS.edgeitems
    if not edge:
        return values if values.ndim <= 1 else values[:0]
    for axis, size in enumerate(values.shape):
        if size > 2 * edge:
            values = np.take(values, [*range(edge), *range(size - edge, size)], axis)
    return values


def _nested(self: Tensor, indent: int, summarise: bool, formatter: Formatter) -> str:
    if not self.dim():
        return formatter(at.item(self))
    if self.dim() == 1:
        return _row(self, indent, summarise, formatter)
    size, edge = self.shape[0], PRINT_OPTS.edgeitems
    cut = summarise and size > 2 * edge
    indices = [*range(edge), *range(size - edge, size)] if cut else range(size)
    parts = [_nested(at.select_int(self, 0, index), indent + 1, summarise, formatter) for index in indices]
    if cut:
        parts.insert(edge, "...")
    return "[" + ("," + "\n" * (self.dim() - 1) + " " * (indent + 1)).join(parts) + "]"


def _row(self: Tensor, indent: int, summarise: bool, formatter: Formatter) -> str:
    edge = PRINT_OPTS.edgeitems
    if summarise and not edge:
        entries = ["..."]
    elif summarise and self.shape[0] > 2 * edge:
        head, tail = at.slice_Tensor(self, 0, 0, edge), at.slice_Tensor(self, 0, -edge)
        entries = [*map(formatter, tolist(head)), " ...", *map(formatter, tolist(tail))]
    else:
        entries = [formatter(value) for value in tolist(self)]
    per_line = max(1, (PRINT_OPTS.linewidth - indent) // (formatter.width + 2))
    lines = [", ".join(entries[first : first + per_line]) for first in range(0, len(entries), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
