"""How a tensor prints: as PyTorch prints it, to the character.

Mirrors torch/_tensor_str.py with its default options.
"""

import math

import numpy as np

from . import dtypes
from .aten.at import at
from .aten.tensor_list import tolist
from .aten.tensor_numpy import numpy
from .tensor_impl import Tensor

PRECISION = 4  # digits after the point
THRESHOLD = 1000  # elements; a tensor with more is summarised
EDGE_ITEMS = 3  # entries shown at either end of a summarised dimension
LINE_WIDTH = 80  # characters
PREFIX = "tensor("

Number = bool | int | float


class Formatter:
    """Formats the elements of a tensor to one width.

    Args:
        values: the elements that are shown, flat.

    Source: _Formatter (torch/_tensor_str.py).
    """

    def __init__(self, values: np.ndarray):
        self.spec = ""
        if values.dtype.kind == "f":
            values = values[np.isfinite(values) & (values != 0)].astype(np.float64)
            self.spec = _float_spec(values)
        self.width = max([1, *(len(self._text(value)) for value in values.tolist())])

    def _text(self, value: Number) -> str:
        text = f"{value:{self.spec}}" if self.spec else str(value)
        return text + "." if self.spec == ".0f" and math.isfinite(value) else text

    def __call__(self, value: Number) -> str:
        return self._text(value).rjust(self.width)


def _float_spec(values: np.ndarray) -> str:
    """Format of floats: whole numbers without digits, a wide range in scientific notation.

    Args:
        values: flat float64 array, finite, without zeros.
    """
    if not values.size:
        return ".0f"
    smallest, largest = np.abs(values).min(), np.abs(values).max()
    if largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4:
        return f".{PRECISION}e"
    return ".0f" if np.all(values == np.ceil(values)) else f".{PRECISION}f"


def tensor_repr(self: Tensor) -> str:
    """The tensor as PyTorch prints it."""
    suffixes = []
    if self.device.type != "cpu":
        suffixes.append(f"device='{self.device.type}'")
    if self.device.type == "meta":
        suffixes.append(f"size={tuple(self.shape)}")
        suffixes += [f"dtype={self.dtype}"] if self.dtype is not dtypes.get_default_dtype() else []
        return _with_suffixes(PREFIX + "...", suffixes)
    if not self.numel():
        if self.dim() != 1:
            suffixes.append(f"size={tuple(self.shape)}")
        if self.dtype is not dtypes.get_default_dtype():
            suffixes.append(f"dtype={self.dtype}")
        body = "[]"
    else:
        if self.dtype not in (dtypes.get_default_dtype(), dtypes.int64, dtypes.bool_):
            suffixes.append(f"dtype={self.dtype}")
        shown = _edges(numpy(self)) if self.numel() > THRESHOLD else numpy(self)
        body = _nested(self, len(PREFIX), self.numel() > THRESHOLD, Formatter(shown.ravel()))
    return _with_suffixes(PREFIX + body, suffixes)


def _with_suffixes(text: str, suffixes: list[str]) -> str:
    last_line = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if last_line + len(suffix) + 2 > LINE_WIDTH:
            text += ",\n" + " " * len(PREFIX) + suffix
            last_line = len(PREFIX) + len(suffix)
        else:
            text += ", " + suffix
            last_line += len(suffix) + 2
    return text + ")"


def _edges(values: np.ndarray) -> np.ndarray:
    """The part of the values that a summary shows."""
    for axis, size in enumerate(values.shape):
        if size > 2 * EDGE_ITEMS:
            values = np.take(values, [*range(EDGE_ITEMS), *range(size - EDGE_ITEMS, size)], axis)
    return values


def _nested(self: Tensor, indent: int, summarise: bool, formatter: Formatter) -> str:
    if not self.dim():
        return formatter(at.item(self))
    if self.dim() == 1:
        return _row(self, indent, summarise, formatter)
    size = self.shape[0]
    cut = summarise and size > 2 * EDGE_ITEMS
    indices = [*range(EDGE_ITEMS), *range(size - EDGE_ITEMS, size)] if cut else range(size)
    parts = [_nested(at.select_int(self, 0, index), indent + 1, summarise, formatter) for index in indices]
    if cut:
        parts.insert(EDGE_ITEMS, "...")
    return "[" + ("," + "\n" * (self.dim() - 1) + " " * (indent + 1)).join(parts) + "]"


def _row(self: Tensor, indent: int, summarise: bool, formatter: Formatter) -> str:
    if summarise and self.shape[0] > 2 * EDGE_ITEMS:
        head, tail = at.slice_Tensor(self, 0, 0, EDGE_ITEMS), at.slice_Tensor(self, 0, -EDGE_ITEMS)
        entries = [*map(formatter, tolist(head)), " ...", *map(formatter, tolist(tail))]
    else:
        entries = [formatter(value) for value in tolist(self)]
    per_line = max(1, (LINE_WIDTH - indent) // (formatter.width + 2))
    lines = [", ".join(entries[first : first + per_line]) for first in range(0, len(entries), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
