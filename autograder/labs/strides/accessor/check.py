"""Check of the bounds-checked accessor (engine/accessor.py): programs of reads and writes."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from autograder.examine.case_call import python_text
from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.plain_data import equal
from autograder.examine.questions import Observation
from autograder.labs.strides.accessor.probe import NUMPY_INDICES, step_text
from autograder.labs.strides.geometry import repeated, strided, unequal

Tensor = tuple[list[Any] | np.ndarray, tuple[int, ...], tuple[int, ...], int]
LINE: Tensor = ([40, 41, 42], (3,), (1,), 0)
TABLE: Tensor = ([40, 41, 42, 43, 44, 45], (2, 3), (3, 1), 0)
COLUMNS: Tensor = ([40, 41, 42, 43, 44, 45], (3, 2), (1, 3), 0)
STEPPED: Tensor = ([40, 41, 42, 43, 44], (2,), (2,), 2)
LATER: Tensor = ([40, 41, 42, 43, 44, 45], (2, 2), (3, 1), 1)
EXPANDED: Tensor = ([40, 41, 42, 43, 44, 45], (2, 2), (0, 1), 0)
EMPTY: Tensor = ([40, 41], (2, 0), (1, 1), 0)
HALVES: Tensor = ([0.5, 1.5, 2.5], (3,), (1,), 0)
EXACT: Tensor = ([2**53 + 1, None, "a", True], (4,), (1,), 0)


def _tensor(rng: random.Random, sizes: Sequence[int]) -> Tensor:
    """Make a view over different values, some of them before its first element and after its last."""
    strides = strided(rng, sizes, gap=2)
    offset = rng.randint(0, 3)
    cells = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True)) + rng.randint(1, 3)
    values = rng.sample(range(100, 1000 + cells), cells)
    return (np.array(values, dtype=np.int64) if rng.random() < 0.3 else values), tuple(sizes), strides, offset


def _index(rng: random.Random, sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(rng.randrange(-size, size) for size in sizes)


def _read(tensor: Tensor, *paths: tuple) -> tuple:
    return (*tensor, [("get", path) for path in paths])


def _reads(rng: random.Random) -> Iterator[Case]:
    for path in [(0,), (2,), (-1,), (-3,)]:
        yield Case(_read(LINE, path), "negative" if path[0] < 0 else "element")
    yield Case(_read(STEPPED, (1,)), "element")
    yield Case(_read(HALVES, (1,)), "element")
    yield Case(_read(TABLE, (1,)), "accessor")
    for tensor in (TABLE, COLUMNS, LATER, EXPANDED):
        yield Case(_read(tensor, (1, 0)), "element")
        yield Case(_read(tensor, (0, 1)), "element")
        yield Case(_read(tensor, (-1, -2)), "negative")
        yield Case(_read(tensor, (1, 1), (0, 1), (1, 1)), "again")
    yield Case(_read(EMPTY, (1,)), "accessor")
    for index in range(4):
        yield Case(_read(EXACT, (index,)), "element")
    for tensor in (LINE, TABLE, COLUMNS, LATER, EXPANDED):
        for index in (1, -1):
            yield Case((*tensor, [("offset", (index,))]), "offset")
    yield Case((*LATER, [("offset", (1, -1))]), "offset")
    yield Case((*EMPTY, [("offset", (1,))]), "offset")
    for tensor in (TABLE, COLUMNS, LATER):
        yield Case((*tensor, [("row", (1,)), ("get", (0, 1)), ("row get", (0,)), ("get", (1, 0))]), "again")
    for ndim in (*(1, 2, 3, 4) * 12, 5, 6):
        sizes = unequal(rng, ndim, 1, 6)
        paths = [_index(rng, sizes) for _ in range(3)]
        paths.append(paths[0][: rng.randint(1, ndim)])
        yield Case(_read(_tensor(rng, sizes), *paths), "again")
    for ndim in (1, 2, 3, 4) * 3:
        sizes = unequal(rng, ndim, 1, 6)
        whole = _index(rng, sizes)
        yield Case((*_tensor(rng, sizes), [("offset", whole[:depth]) for depth in range(1, ndim + 1)]), "offset")


def _writes(rng: random.Random) -> Iterator[Case]:
    for tensor, path in [
        (LINE, (0,)), (LINE, (2,)), (LINE, (-1,)), (STEPPED, (1,)), (TABLE, (1, 0)), (TABLE, (0, -1)),
        (COLUMNS, (1, 0)), (COLUMNS, (-1, -1)), (LATER, (0, 1)), (LATER, (1, 0)), (EXPANDED, (1, 1)),
    ]:  # fmt: skip
        yield Case((*tensor, [("set", path, 7)]), "negative" if min(path) < 0 else "write")
        yield Case((*tensor, [("set", path, 7), ("get", path)]), "write")
    for value in (0.25, 0.0):
        yield Case((*HALVES, [("set", (1,), value)]), "write")
    for exact in (0, None, "a", True, 2**53 + 1):
        yield Case((*LINE, [("set", (1,), exact)]), "write")
    for tensor in (TABLE, COLUMNS, LATER):
        yield Case((*tensor, [("row", (1,)), ("set", (1, 0), 7), ("row get", (0,))]), "write")
        yield Case((*tensor, [("row", (1,)), ("row set", (-1,), 7), ("get", (1, -1)), ("get", (0, 0))]), "write")
    for ndim in (1, 2, 3, 4) * 12:
        sizes = unequal(rng, ndim, 1, 5)
        steps: list[tuple] = [("set", _index(rng, sizes), rng.randint(1, 9)) for _ in range(3)]
        yield Case((*_tensor(rng, sizes), [*steps, ("get", steps[0][1])]), "write")


def _refusals(rng: random.Random) -> Iterator[Case]:
    for index in (3, -4, 9, 2**63, -(2**63) - 1):
        yield Case(_read(LINE, (index,)), "out of range")
        yield Case((*LINE, [("offset", (index,))]), "out of range")
        yield Case((*LINE, [("set", (index,), 7)]), "out of range")
    for path in [(2,), (-3,), (0, 3), (1, -4), (-3, 0), (0, -4)]:
        yield Case(_read(TABLE, path), "out of range")
        if len(path) == 2:
            yield Case((*TABLE, [("set", path, 7)]), "out of range")
    for path in [(2,), (0, 0), (1, -1)]:
        yield Case(_read(EMPTY, path), "out of range")
    yield Case((*EMPTY, [("set", (0, 0), 7)]), "out of range")
    refused: tuple = (1.0, "0", None, (0,), True, False, *NUMPY_INDICES)
    for index in refused:
        yield Case((*LINE, [("offset", (index,))]), "not an int")
        yield Case(_read(LINE, (index,)), "not an int")
        yield Case(_read(TABLE, (0, index)), "not an int")
        yield Case(_read(TABLE, (index,)), "not an int")
        yield Case((*LINE, [("set", (index,), 7)]), "not an int")
    yield Case(_read(TABLE, ((1, 2),)), "not an int")
    yield Case((*TABLE, [("set", ((1, 2),), 7)]), "not an int")
    for path in [(0,), (-1,)]:
        yield Case((*TABLE, [("set", path, 7)]), "a whole row")
    yield Case((*EXPANDED, [("set", (0,), 7)]), "a whole row")
    yield Case(_read(([40], (), (), 0), (0,)), "no dimensions")
    yield Case(_read(([40, 41], (), (), 1), (-1,)), "no dimensions")
    yield Case(([40], (), (), 0, [("set", (0,), 7)]), "no dimensions")
    yield Case(([40], (), (), 0, [("offset", (0,))]), "no dimensions")
    for ndim in (1, 2, 3) * 5:
        sizes = repeated(rng, ndim, 1, 4)
        tensor, path, at = _tensor(rng, sizes), _index(rng, sizes), rng.randrange(ndim)
        far = path[:at] + (rng.choice((sizes[at], -sizes[at] - 1)),) + path[at + 1 :]
        yield Case(_read(tensor, path, far, path), "out of range")
        yield Case((*tensor, [("set", far, 7), ("get", path)]), "out of range")
        if ndim > 1:
            yield Case((*tensor, [("set", path[:-1], 7), ("get", path)]), "a whole row")


def _first_wrong(args: tuple, wanted: dict, got: dict) -> tuple[int, tuple, Any, Any] | None:
    """Return number, step, right and given answer of the first wrong step, or None if only the cells are wrong."""
    for number, (name, step) in enumerate(zip(wanted, args[4], strict=False)):
        if not equal(wanted[name], got[name]):
            return number, step, wanted[name], got[name]
    return None


def _what_differs(args: tuple, wanted: dict, got: dict) -> Iterable[str]:
    """Return the first thing that goes wrong, as keys of the hints."""
    found = _first_wrong(args, wanted, got)
    if found is None:
        return ("write",)
    number, (kind, path, *_), right, given = found
    if right == "written":
        return ("write",)
    if right[0] == "raised":
        return (_refused(args, kind, path, right[1]),)
    if right[0] != given[0]:
        return (right[0],)
    if right[0] == "element" and "written" in list(wanted.values())[:number]:
        return ("write",)
    return ("again" if number and right[0] == "element" and not _explained_by(args, wanted, got) else right[0],)


def _refused(args: tuple, kind: str, path: tuple, error: str) -> str:
    """Return the reason to refuse a step, as a key of the hints."""
    if error == "TypeError":
        return "a whole row" if kind == "set" and type(path[-1]) is int else "not an int"
    return "out of range" if args[1] else "no dimensions"


def _is_another_error(args: tuple, wanted: Observation, got: Observation) -> bool:
    _, _, right, given = _first_wrong(args, wanted.value, got.value) or (0, (), "", "")  # type: ignore[arg-type]
    return right[0] == given[0] == "raised"


def _walk(offset: int, sizes: tuple, strides: tuple, path: tuple) -> int:
    """Return the cell of an index, counting negative parts from the end; raise IndexError if a part is out of range."""
    return offset + sum(range(size)[index] * stride for index, size, stride in zip(path, sizes, strides, strict=False))


def _steps_are_lost(offset: int, sizes: tuple, strides: tuple, path: tuple) -> int:
    """Return the cell to which a path leads if only its last index counts."""
    last = len(path) - 1
    return _walk(offset, sizes[last:], strides[last:], path[last:])


WALKS: dict[str, Callable[[int, tuple, tuple, tuple], int]] = {
    "a negative index counts from the end of its dimension, not from the end of `data`: add the size to it": (
        lambda offset, sizes, strides, path: (
            offset + sum(index * stride for index, stride in zip(path, strides, strict=False))
        )
    ),
    "this is right if the tensor starts at cell 0; it starts at storage_offset": (
        lambda offset, sizes, strides, path: _walk(0, sizes, strides, path)
    ),
    "only the step of the last index counts here: the accessor of `a[index]` starts at the cell that "
    "`a.offset_of(index)` gives": _steps_are_lost,
    "here an index steps with the stride of another dimension; it is for the first dimension that is left": (
        lambda offset, sizes, strides, path: _walk(offset, sizes[::-1], strides[::-1], path)
    ),
    "the offset counts twice here: `data` has to stay whole if the offset moves": (
        lambda offset, sizes, strides, path: (
            _walk(offset, sizes, strides, path) + _walk(offset, sizes, strides, path[:-1])
        )
    ),
    "the index is multiplied by the stride of its dimension": (
        lambda offset, sizes, strides, path: _walk(offset, sizes, (1,) * len(sizes), path)
    ),
}
"""Mistakes, and the cell to which each leads: of the offset, the sizes, the strides and the indices of a step."""


def _leads_to(cell: Callable[[int, tuple, tuple, tuple], int], args: tuple, wanted: dict, got: dict) -> bool:
    """Return True if the first wrong step leads to the cell that `cell` gives, or if all writes do."""
    data, sizes, strides, offset, program = args
    found = _first_wrong(args, wanted, got)
    if found is None:
        cells = data.copy()
        for _, path, value in (step for step in program if step[0] == "set"):
            cells[cell(offset, sizes, strides, path)] = value
        return equal(got["data"], cells)
    _, (kind, path, *_), right, given = found
    if kind not in ("get", "offset") or right[0] != given[0] or right[0] == "raised":
        return False
    mistaken = cell(offset, sizes, strides, path)
    return equal(given[1], mistaken if kind == "offset" else np.asarray(data)[mistaken].item())


def _explained_by(args: tuple, wanted: dict, got: dict) -> list[str]:
    """Return the mistakes of `WALKS` that lead to what is seen. If there are two, neither is sure."""
    explaining = []
    for says, cell in WALKS.items():
        with suppress(IndexError):  # this mistake leads to no cell
            explaining += [says] * _leads_to(cell, args, wanted, got)
    return explaining


def _walks_astray(says: str) -> Mistake:
    """Build the mistake of `WALKS` that `says` names, shown if no other mistake explains the answer."""

    def shows(args: tuple, wanted: Observation, got: Observation) -> bool:
        return _explained_by(args, wanted.value, got.value) == [says]  # type: ignore[arg-type]

    return Mistake(says, shows)


def _is_changed(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if two steps that ask for the same element, with no write between them, are answered differently."""
    before: dict[tuple, object] = {}
    for right, given, (kind, path, *_) in zip(wanted.value.values(), got.value.values(), args[4], strict=False):  # type: ignore[attr-defined]
        if "set" in kind:
            before = {}
        elif kind == "get" and not equal(right, given) and equal(before.get(path), right):
            return True
        elif kind == "get" and equal(right, given):
            before[path] = given
    return False


def _call(args: tuple) -> str:
    """Write the program as one line of Python, on the class as the cell has defined it; each read is printed."""
    *tensor, program = args
    steps = [f"a = TensorAccessor({', '.join(map(python_text, tensor))})"]
    for step in program:
        text = step_text(*step)
        is_accessor = step[0] == "get" and len(step[1]) < len(args[1])
        steps.append(f"print({text}{'.sizes' * is_accessor})" if step[0] in ("get", "row get", "offset") else text)
    steps += ["print(a.data)"] if "set" in program[-1][0] else []
    text = "; ".join(steps)
    return f"import numpy as np; {text}" if "np." in text else text


TENSOR_ACCESSOR = Check(
    "accessor.TensorAccessor",
    ("data", "sizes", "strides", "storage_offset", "program"),
    (
        Aspect("ordinary", 2, _reads),
        Aspect("writes", 2, _writes),
        Aspect("refusals", 2, _refusals, needs="ordinary"),
    ),
    {
        "element": "with one dimension left, an index leads to a cell of `data`, which is read. The offset counts too",
        "accessor": "with more than one dimension left, an index gives another accessor: one dimension fewer, "
        "over the same data",
        "offset": "`offset_of` gives the cell where `a[index]` begins: the old offset plus index times stride",
        "negative": "a negative index counts from the end of its dimension, not from the end of `data`",
        "again": "an accessor can be used again: indexing must not change it",
        "write": "writing puts the value, as it is, into the cell of `data` that `offset_of` gives: every "
        "accessor over `data` sees it there",
        "out of range": "compare the index with the size of its dimension: there may be a cell of `data`, but not "
        "one of this tensor",
        "not an int": "only an int is an index: refuse a bool, a NumPy number and a tuple",
        "a whole row": "only a single element can be written: with more than one dimension left, refuse",
        "no dimensions": "there is no dimension to index",
    },
    probe="strides.accessor.trace",
    mistakes=(
        Mistake(
            "it is right to refuse this step, but not with this error: see Raises in the docstrings", _is_another_error
        ),
        Mistake("this worked in a step before: indexing an accessor must not change it", _is_changed),
        *map(_walks_astray, WALKS),
    ),
    differs=_what_differs,
    words={
        "get": "a is the accessor; ('get', (1, 0)) reads a[1][0]",
        "set": "('set', (1, 0), 7) is a[1][0] = 7",
        "offset": "('offset', (1, 0)) is a[1].offset_of(0)",
        "row": "('row', (1,)) is row = a[1]",
        "row get": "('row get', (0,)) reads row[0]",
        "row set": "('row set', (0,), 7) is row[0] = 7",
    },
    call=_call,
)  # fmt: skip

CHECKS = (TENSOR_ACCESSOR,)
