"""Plain data: what probes return and verdicts compare, by exact type, so that no answer can lie about itself.

Plain are None, bool, int, float, str, tuple, list, dict with str keys, NumPy arrays and NumPy scalars of
numbers. A subclass is not plain: its `__eq__` and `__repr__` belong to whoever wrote it, and nothing here
calls a method of an object before its type is known.
"""

import math
import os
import struct
from typing import Any

import numpy as np

SCALARS = (type(None), bool, int, float, str)
CONTAINERS = (tuple, list, dict)
NUMPY_NUMBERS = frozenset(kind for kind in np.sctypeDict.values() if np.dtype(kind).kind in "biufc")
DEEPEST = 32
MOST_ITEMS = 1 << 16  # of all tuples, lists and dicts together; larger things are arrays
LONGEST_INT = 8000  # bits; Python refuses to print integers of more than 4300 decimal digits
MOST_SHOWN = 10_000  # elements of an array whose text is made
CUT = 240  # characters of a value that a reader sees


class NotPlain:
    """A stand-in for a value that is not plain data; equal to nothing."""

    def __init__(self, what: str):
        self.what = what

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self.what}>"


def is_plain(value: Any) -> bool:
    """Return True if `value` and everything in it is plain data."""
    return not blemish(value)


def blemish(value: Any) -> str:
    """Return why `value` is not plain data ("generator, which is not plain data"), or "" if it is.

    >>> blemish((1, 2.0)), blemish([1, {2}])
    ('', 'set, which is not plain data')
    """
    return _blemish(value, 0, [MOST_ITEMS])


def _blemish(value: Any, depth: int, room: list[int]) -> str:
    """Say what is not plain in a value, "" if nothing; `room` holds how many items may still come."""
    kind = type(value)
    if kind is int and value.bit_length() > LONGEST_INT:
        return f"int of {value.bit_length()} bits, which is too large"
    if kind in SCALARS:
        return ""
    if kind not in CONTAINERS:
        return "" if _is_numeric(value) else value.what if kind is NotPlain else describe(value)
    if depth >= DEEPEST:
        return f"{kind.__name__} nested more than {DEEPEST} deep"
    if len(value) > MOST_ITEMS:
        return f"{kind.__name__} of {len(value):,} items, which is too large"
    room[0] -= len(value)
    if room[0] < 0:
        return f"more than {MOST_ITEMS:,} items in all, which is too large"
    if kind is dict:
        if any(type(key) is not str for key in value):
            return "dict with keys that are not str"
        value = value.values()
    for item in value:
        if reason := _blemish(item, depth + 1, room):
            return reason
    return ""


def equal(wanted: Any, got: Any) -> bool:
    """Return True for the same types and values; floats must have the same sign of zero, and nan equals nan.

    `wanted` is plain data that we made; `got` may be anything.

    >>> equal((1, 2), [1, 2]), equal(1, True), equal(float("nan"), float("nan"))
    (False, False, True)
    """
    if type(wanted) is not type(got):
        return False
    if type(wanted) is float:
        return _same_float(wanted, got)
    if type(wanted) is tuple or type(wanted) is list:
        return len(wanted) == len(got) and all(map(equal, wanted, got))
    if type(wanted) is dict:
        return (
            all(type(key) is str for key in got)
            and wanted.keys() == got.keys()
            and all(equal(value, got[key]) for key, value in wanted.items())
        )
    if _is_numeric(wanted):
        # NumPy's type does not say what the elements are: an array of objects would call their __eq__.
        return (
            _is_numeric(got)
            and wanted.dtype == got.dtype
            and wanted.shape == got.shape
            and wanted.tobytes() == got.tobytes()
        )
    return type(wanted) in SCALARS and wanted == got


def same_but_for_types(wanted: Any, got: Any) -> bool:
    """Return True if two values are equal once lists become tuples, and NumPy's numbers and bools become Python's.

    >>> same_but_for_types((1, 2), [1, True + 1]), same_but_for_types((1, 2), (2, 1))
    (True, False)
    """
    return is_plain(wanted) and is_plain(got) and equal(_typeless(wanted), _typeless(got))


def show(value: Any, limit: int = CUT) -> str:
    """Return `value` as one line of at most about `limit` characters; call no method of a value that is not plain data.

    >>> show((1, "a")), show([0] * 1000, limit=12)
    ("(1, 'a')", '[0, 0, 0, 0,... (3000 characters)')
    """
    return show_text(_repr(value, 0), limit)


def show_apart(wanted: Any, got: Any, limit: int = CUT) -> tuple[str, str]:
    """Return `show` of both values; of two dicts with the same keys, show only the entries that differ.

    Two long values that begin alike are shown from a little before the place where they differ.

    >>> show_apart([0] * 9 + [1], [0] * 9 + [2], limit=16)
    ('... 0, 0, 1]', '... 0, 0, 2]')
    >>> show_apart({"result": "right", "races": "none"}, {"result": "right", "races": "two"})
    ("{'races': 'none'}", "{'races': 'two'}")
    """
    if type(wanted) is dict and type(got) is dict and list(map(type, got)) == [str] * len(wanted):
        apart = [key for key, value in wanted.items() if key not in got or not equal(value, got[key])]
        if apart and wanted.keys() == got.keys():
            wanted, got = ({key: value[key] for key in apart} for value in (wanted, got))
    texts = _repr(wanted, 0), _repr(got, 0)
    same = len(os.path.commonprefix(texts))
    if same < 3 * limit // 4 or texts[0] == texts[1]:
        return show(wanted, limit), show(got, limit)
    begin = same - min(limit // 2, 40)
    return show_text("... " + texts[0][begin:], limit), show_text("... " + texts[1][begin:], limit)


def show_text(text: Any, limit: int = 2 * CUT) -> str:
    """Return `text` on one line, cut at `limit`, with characters escaped that are unprintable in UTF-8 or JSON."""
    if type(text) is not str:
        return "<not text>"
    cut = text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in cut)


def _repr(value: Any, depth: int) -> str:
    kind = type(value)
    if kind is int and value.bit_length() > LONGEST_INT:
        return f"<int of {value.bit_length()} bits>"
    if kind in SCALARS or kind is NotPlain:
        return repr(value)
    if depth >= DEEPEST:
        return "..."
    if kind is tuple:
        items = ", ".join(_repr(item, depth + 1) for item in value)
        return f"({items},)" if len(value) == 1 else f"({items})"
    if kind is list:
        return "[" + ", ".join(_repr(item, depth + 1) for item in value) + "]"
    if kind is dict:
        pairs = value.items()
        return "{" + ", ".join(f"{_repr(key, depth + 1)}: {_repr(item, depth + 1)}" for key, item in pairs) + "}"
    if _is_numeric(value):
        with np.printoptions(threshold=MOST_SHOWN):  # beyond NumPy's own, elements that differ would not be seen
            return " ".join(repr(value).split())
    return f"<{describe(value)}>"


def describe(value: Any) -> str:
    """Describe a value that is not plain data, by its type alone: "generator, which is not plain data"."""
    name = type.__getattribute__(type(value), "__name__")
    return f"{str.__str__(name)[:80]}, which is not plain data"


def _is_numeric(value: Any) -> bool:
    return type(value) in NUMPY_NUMBERS or (type(value) is np.ndarray and value.dtype.type in NUMPY_NUMBERS)


def _same_float(wanted: float, got: float) -> bool:
    return struct.pack("d", wanted) == struct.pack("d", got) or (math.isnan(wanted) and math.isnan(got))


def _typeless(value: Any) -> object:
    if isinstance(value, (tuple, list)):
        return tuple(_typeless(item) for item in value)
    if isinstance(value, dict):
        return {key: _typeless(item) for key, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return _typeless(value.tolist())
    return float(value) if isinstance(value, (bool, int, float)) and abs(value) < 2**53 else value
