"""Checks of the first two pieces of solutions/00-tensor/tiny_tensor.py: strides, and a tensor that walks by them."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation
from autograder.labs.strides.mistakes import gives
from autograder.labs.tensor.memory.probe import ITSELF

Tensor = tuple[list[int], tuple[int, ...], tuple[int, ...]]
TABLE: Tensor = ([40, 41, 42, 43, 44, 45], (2, 3), (3, 1))
COLUMNS: Tensor = ([40, 41, 42, 43, 44, 45], (3, 2), (1, 3))
REPEATED: Tensor = ([40, 41, 42], (4, 3), (0, 1))
GAPS: Tensor = ([40, 41, 42, 43, 44, 45, 46], (2, 2), (4, 2))
NUMBER: Tensor = ([40], (), ())


def _sizes(rng: random.Random, ndim: int) -> tuple[int, ...]:
    return tuple(rng.sample(range(1, 9), ndim))


def _strides_of(sizes: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for size in reversed(sizes):
        strides.insert(0, step)
        step *= size
    return tuple(strides)


def _rows(rng: random.Random) -> Iterator[Case]:
    for sizes, about in [((3,), "last"), ((2, 3), "row"), ((3, 2), "row"), ((4, 4), "row"), ((1, 1), "row")]:
        yield Case((sizes,), about)
    for _ in range(14):
        yield Case((_sizes(rng, 1),), "last")
        yield Case((_sizes(rng, 2),), "row")


def _blocks(rng: random.Random) -> Iterator[Case]:
    for sizes in [(2, 3, 4), (5, 1, 2), (2, 2, 2), (1, 1, 1), (2, 3, 2, 3), (3, 2, 2, 3, 1, 2)]:
        yield Case((sizes,), "product")
    yield Case(((),), "none")
    for ndim in (3, 4, 5) * 8:
        yield Case((_sizes(rng, ndim),), "product")


CONTIGUOUS_STRIDES = Check(
    "tiny_tensor.contiguous_strides",
    ("sizes",),
    (Aspect("rows", 4, _rows), Aspect("blocks", 4, _blocks)),
    {
        "last": "one step along the last dimension moves one cell",
        "row": "one step down moves over a whole row: the size of the last dimension",
        "product": "the stride of a dimension is the product of all sizes to its right",
        "none": "a tensor without dimensions has no strides: an empty tuple",
        "type": "return a tuple of ints",
        "returned None": "the function ends without `return`",
    },
    mistakes=(
        gives("these are the strides in the wrong order", lambda sizes: _strides_of(sizes)[::-1]),
        gives(
            "here the first index moves fastest; in a fresh tensor the last one does",
            lambda sizes: _strides_of(sizes[::-1])[::-1],
        ),
        gives(
            "a stride is the product of the sizes to its right; its own size does not count",
            lambda sizes: tuple(size * stride for size, stride in zip(sizes, _strides_of(sizes), strict=True)),
        ),
        gives("the right numbers, in a list: return a tuple", lambda sizes: list(_strides_of(sizes))),
    ),
)


def _reads(rng: random.Random) -> Iterator[Case]:
    index: tuple[int, ...]
    for index in [(0, 0), (0, 2), (1, 0), (1, 2)]:
        yield Case((*TABLE, [("read", index)]), "read")
        yield Case((*TABLE, [("offset", index)]), "offset")
    for tensor in (COLUMNS, REPEATED, GAPS):
        yield Case((*tensor, [("read", (1, 1)), ("offset", (1, 0))]), "offset")
    yield Case((*NUMBER, [("read", ()), ("offset", ())]), "none")
    for ndim in (1, 2, 3, 4) * 5:
        sizes = _sizes(rng, ndim)
        strides = tuple(rng.sample(range(1, 12), ndim))
        cells = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
        index = tuple(rng.randrange(size) for size in sizes)
        yield Case((rng.sample(range(100, 1000 + cells), cells), sizes, strides, [("offset", index)]), "offset")


def _made(rng: random.Random) -> Iterator[Case]:
    yield Case((*TABLE, [("write", 4, 7), ("read", (1, 1)), ("shares",)]), "shares")
    yield Case((*TABLE, [("read", (1, 1)), ("write", 4, 7), ("read", (1, 1))]), "shares")
    for sizes in [(2, 3), (4,), (2, 1, 3)]:
        yield Case((list(range(12)), sizes, None, [("sizes",), ("strides",), ("node and grad",)]), "made")
    yield Case((list(range(12)), [2, 3], None, [("sizes",), ("strides",)]), "made")
    yield Case((list(range(12)), [2, 3], [3, 1], [("sizes",), ("strides",), ("offset", (1, 1))]), "made")
    yield Case((*TABLE, [("keys",)]), "usual keys")
    yield Case((*TABLE, [("add key",), ("keys",), ("new", None), ("keys",)]), "new set")
    for number in range(30):
        keys = rng.sample(("CPU", "Autograd", "Trace", "Log"), number % 4)
        program = [("keys",), ("add key",), ("keys",), ("keys given",)] if number % 3 else [("keys",)]
        yield Case((*TABLE, [("new", keys), *program]), "new set" if number % 3 else "own keys")


def _transposes(rng: random.Random) -> Iterator[Case]:
    for tensor in (TABLE, COLUMNS, GAPS):
        yield Case((*tensor, [("t",), ("sizes",), ("strides",)]), "t")
        yield Case((*tensor, [("t",), ("read", (0, 1)), ("read", (1, 0))]), "t")
        yield Case((*tensor, [("t",), ("shares",)]), "shares")
        yield Case((*tensor, [("add key",), ("t",), ("keys",)]), "keys")
        yield Case((*tensor, [("add node",), ("t",), ("node and grad",)]), "node")
        yield Case((*tensor, [("t",), ("t",), ("read", (0, 1))]), "t")
        yield Case((*tensor, [("t aside",), ("sizes",), ("strides",), ("read", (1, 0))]), "stays")
    yield Case((*TABLE, [("t",), ("write", 4, 7), ("read", (1, 1))]), "shares")
    yield Case((*TABLE, [("new", ["CPU", "Autograd"]), ("t",), ("keys",)]), "keys")
    yield Case(([7, 8, 9], (3,), (1,), [("add key",), ("t",), ("keys",), ("sizes",), ("read", (2,))]), "keys")
    for ndim in (1, 2, 3, 4) * 5:
        sizes = _sizes(rng, ndim)
        strides = tuple(rng.sample(range(1, 12), ndim))
        turned = tuple(rng.randrange(size) for size in reversed(sizes))
        cells = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
        yield Case((list(range(cells)), sizes, strides, [("t",), ("sizes",), ("strides",), ("offset", turned)]), "t")


def _refusals(rng: random.Random) -> Iterator[Case]:
    index: tuple[int, ...]
    for index in [(0, 3), (0, 4), (2, 0), (5, 1), (-1, 0), (0, -1)]:
        yield Case((*TABLE, [("offset", index)]), "out of range")
        yield Case((*TABLE, [("read", index)]), "out of range")
    for tensor, index in [(TABLE, (0,)), (TABLE, (0, 0, 0)), (TABLE, ()), (NUMBER, (0,))]:
        yield Case((*tensor, [("offset", index)]), "length")
    for ndim in (1, 2, 3) * 6:
        sizes, at = _sizes(rng, ndim), rng.randrange(ndim)
        index = tuple(size if d == at else rng.randrange(size) for d, size in enumerate(sizes))
        yield Case((list(range(9**ndim)), sizes, None, [("offset", index)]), "out of range")


IN_PYTHON = {  # a step as a line of Python
    "offset": "print(x.offset_of({0!r}))",
    "read": "print(x[{0!r}])",
    "write": "storage[{0}] = {1}",
    "t": "x = x.t()",
    "t aside": "x.t()",
    "add node": "x.node, x.grad = ('total', ()), x",
    "add key": "x.keys.add('Autograd')",
    "sizes": "print(x.sizes)",
    "strides": "print(x.strides)",
    "keys": "print(x.keys)",
    "node and grad": "print(x.node, x.grad)",
    "shares": "print(x.storage is storage)",
    "keys given": "print(keys)",
}


def _call(args: tuple) -> str:
    """Write the program as one line of Python."""
    storage, sizes, strides, program = args
    made = f"storage = {storage}; x = Tensor(storage, {sizes}, {strides})"
    lines = [_new(*more) if kind == "new" else IN_PYTHON[kind].format(*more) for kind, *more in program]
    return "; ".join([made, *lines])


def _new(keys: list[str] | None) -> str:
    made = "Tensor(storage, x.sizes, x.strides"
    return f"x = {made})" if keys is None else f"keys = set({sorted(keys)}); x = {made}, keys)"


def _t_changes_itself(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if the transpose is the tensor itself, or a call of t() has changed the tensor."""
    return ITSELF in got.value.values() or ("t aside",) in args[3]  # type: ignore[union-attr]


def _what_differs(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    """Return the topic of the first step that differs."""
    kinds = [kind for kind, *_ in args[3]]
    step = next(name for name in wanted if wanted[name] != got[name])
    asked = kinds[int(step.partition(".")[0]) - 1]
    if asked in ("read", "offset") and type(wanted[step]) is tuple:
        _, index = args[3][int(step.partition(".")[0]) - 1]
        yield "out of range" if len(index) == len(args[1]) else "length"
    elif asked == "keys" and "t" not in kinds:
        yield "new set" if "add key" in kinds else "own keys" if "new" in kinds else "usual keys"
    elif asked in ("sizes", "strides"):
        yield "t" if "t" in kinds else "made"
    else:
        yield {"node and grad": "node", "keys given": "new set"}.get(asked, asked)


TENSOR = Check(
    "tiny_tensor.Tensor",
    ("storage", "sizes", "strides", "program"),
    (
        Aspect("made", 3, _made),
        Aspect("walk", 4, _reads),
        Aspect("transpose", 4, _transposes, needs="walk"),
        Aspect("refusals", 3, _refusals, needs="walk"),
    ),
    {
        "read": "`x[index]` is the number in the cell of the storage that `offset_of(index)` gives",
        "offset": "add up, for every dimension, its index times its stride",
        "none": "a tensor without dimensions has one element, in cell 0, at the index ()",
        "shares": "a tensor keeps the very list it was given: no copy, or it misses what is written there later",
        "made": "sizes and strides are kept as tuples; without strides, they are `contiguous_strides(sizes)`",
        "node": "`node` and `grad` are None at first",
        "usual keys": "without keys, `keys` is the set {'CPU'}",
        "own keys": "`keys` is a set of the keys that are given",
        "new set": "each tensor has a set of its own: a key that is added to one belongs to no other tensor, nor to "
        "the keys that were given",
        "stays": "`t` makes a new tensor; the tensor itself keeps its sizes and strides",
        "keys": "the transpose has the keys of a new tensor, whatever keys the tensor has",
        "t": "the transpose has sizes and strides in reverse order, over the same storage",
        "raised another": "an index that does not fit is refused with an IndexError",
        "out of range": "an index is at least 0 and below the size of its dimension: else raise IndexError, even if "
        "the storage has such a cell",
        "length": "there must be one index for each dimension: else raise IndexError",
    },
    probe="tensor.memory.walk",
    call=_call,
    differs=_what_differs,
    words={
        "program": "what is done with the tensor, step by step; after t, the steps are done with its transpose, and "
        "after new with a new tensor of the same storage"
    },
    mistakes=(Mistake("`t` makes a new tensor; the tensor itself keeps its sizes and strides", _t_changes_itself),),
)

CHECKS = (CONTIGUOUS_STRIDES, TENSOR)
