"""Checks of the exercises that describe which cells the elements of a tensor are in (engine/strides.py)."""

import math
import random
from collections.abc import Iterable, Iterator

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation
from autograder.labs.strides.geometry import is_dense, packed, repeated, replaced, same_end, shuffled, strided, unequal
from autograder.labs.strides.mistakes import BEYOND, EXACT, ROUNDED, gives

Sizes = tuple[int, ...]


def _contiguous_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes in [(3,), (2, 3), (3, 2), (2, 3, 4), (4, 2, 3), (2, 2, 2)]:
        yield Case((sizes,), "order")
    for ndim in (2, 3, 4, 5) * 10:
        yield Case((unequal(rng, ndim),), "order")
    for ndim in (6, 7, 8):
        yield Case((repeated(rng, ndim, 2, 3),), "order")
    yield Case(((2, 0, 3),), "size 0")  # unlike in lab 0
    yield Case(((2**40, 2**30),), "large")  # than any array of NumPy


def _contiguous_edge(rng: random.Random) -> Iterator[Case]:
    yield Case(((),), "no dimensions")
    for sizes in [(0,), (2, 0), (0, 2), (2, 0, 3), (0, 0), (3, 0, 0, 2)]:
        yield Case((sizes,), "size 0")
    for sizes in [(1,), (1, 3), (3, 1), (2, 1, 3), (1, 1, 1)]:
        yield Case((sizes,), "size 1")
    for sizes in [(5, 2**53 + 1), (3, 2**31 + 1, 2**31 - 1)]:
        yield Case((sizes,), "large")
    for ndim in (2, 3, 4, 5) * 10:
        sizes = repeated(rng, ndim, 0, 3)
        yield Case((sizes,), "size 0" if 0 in sizes else "size 1" if 1 in sizes else "order")


def _products(sizes: Sizes, strides_of: int = 1, least: int = 1) -> Sizes:
    """Return the products of all sizes to the right, times `strides_of`; a size counts as `least` at least."""
    return tuple(strides_of * math.prod(max(size, least) for size in sizes[d + 1 :]) for d in range(len(sizes)))


def _wrong_strides(args: tuple, wanted: Sizes, got: Sizes) -> Iterable[str]:
    """Return the feature of the last wrong stride, or of the sizes to its right, as keys of the hints."""
    if len(wanted) != len(got):
        return ("length" if wanted else "no dimensions",)
    if max(wanted) > EXACT:
        return ("large",)
    at = max(d for d in range(len(wanted)) if wanted[d] != got[d])
    return ("size 0" if 0 in args[0][at + 1 :] else "size 1" if args[0][at] < 2 else "order",)


CONTIGUOUS_STRIDES = Check(
    "strides.contiguous_strides",
    ("sizes",),
    (Aspect("ordinary", 3, _contiguous_ordinary), Aspect("edge", 2, _contiguous_edge)),
    {
        "order": "the last dimension moves fastest: its stride is 1. One step of another dimension skips as many "
        "elements as the product of the sizes to its right",
        "length": "there is one stride for each size",
        "no dimensions": "a tensor without dimensions has as many strides as it has sizes: none",
        "size 0": "a size of 0 counts as 1 in the product of the sizes",
        "size 1": "a dimension of size 0 or 1 has a stride too: the product of the sizes to its right",
        "large": ROUNDED.says,
        "type": "return a tuple of ints",
        "returned None": "the function ends without `return`",
        "raised": "every tuple of sizes has contiguous strides, there is nothing to refuse",
    },
    mistakes=(
        gives("these are the right strides in reverse order", lambda sizes: _products(sizes)[::-1]),
        gives(
            "here the first dimension moves fastest; it has to be the last",
            lambda sizes: None if 0 in sizes else _products(sizes[::-1])[::-1],
        ),
        gives(
            "each stride has its own size in it, too; it is the product of the sizes to its right",
            lambda sizes: tuple(math.prod(max(size, 1) for size in sizes[d:]) for d in range(len(sizes))),
        ),
        gives(
            "a size of 0 counts as 1 here: the strides to its left must not become 0",
            lambda sizes: _products(sizes, least=0),
        ),
        gives("strides count elements, not bytes", lambda sizes: _products(sizes, 8)),
        gives("strides count elements, not bytes", lambda sizes: _products(sizes, 4)),
        gives(
            "one step skips all that is to its right: the product of all sizes there, not the next size alone",
            lambda sizes: None if 0 in sizes else (*sizes[1:], 1),
        ),
        gives(
            "the sizes are multiplied, not added",
            lambda sizes: tuple(1 + sum(max(size, 1) for size in sizes[d + 1 :]) for d in range(len(sizes))),
        ),
        ROUNDED,
    ),
    differs=_wrong_strides,
)


def _nbytes_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, itemsize, about in [
        ((3,), (1,), 1, "last"), ((3,), (1,), 4, "bytes"), ((2, 3), (3, 1), 4, "last"), ((3, 2), (1, 3), 8, "last"),
        ((3,), (2,), 1, "gaps"), ((2, 3), (6, 2), 2, "gaps"), ((2, 2), (4, 2), 4, "gaps"), ((2, 3), (3, 1), 3, "bytes"),
    ]:  # fmt: skip
        yield Case((sizes, strides, itemsize), about)
    for ndim in (*(1, 2, 3, 4) * 12, 5, 6):
        sizes = unequal(rng, ndim)
        strides = strided(rng, sizes)
        about = "expanded" if 0 in strides else "last" if is_dense(sizes, strides) else "gaps"
        yield Case((sizes, strides, rng.choice((1, 2, 4, 8, 16))), about)


def _nbytes_edge(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, itemsize, offset, about in [
        ((), (), 4, 0, "no dimensions"), ((), (), 4, 3, "no dimensions"), ((0,), (1,), 4, 0, "no elements"),
        ((0,), (1,), 4, 5, "no elements"), ((3, 0), (1, 1), 2, 1, "no elements"), ((3,), (0,), 4, 0, "expanded"),
        ((2, 3), (0, 1), 4, 0, "expanded"), ((1,), (9,), 4, 0, "size 1"), ((1, 2), (9, 1), 4, 1, "size 1"),
        ((3,), (1,), 4, 2, "offset"), ((2, 2), (4, 2), 4, 1, "offset"), ((3, 3), (1, 2), 4, 0, "overlap"),
        ((0, 2), (2, 1), 8, 1, "no elements"), ((1,), (0,), 2, 3, "offset"), ((2,), (2**53,), 1, 0, "large"),
        ((3, 2), (2**31, 2**53 + 1), 16, 0, "large"), ((1,), (1,), 2, 2**53 + 1, "large"),
    ]:  # fmt: skip
        yield Case((sizes, strides, itemsize, offset), about)
    for ndim in (1, 2, 3, 4) * 10:
        sizes = repeated(rng, ndim, 0, 4)
        args = (sizes, strided(rng, sizes), rng.choice((1, 2, 4, 8)), rng.randint(0, 9))
        yield Case(args, "no elements" if 0 in sizes else "offset" if args[3] else "size 1" if 1 in sizes else "last")


def _cells(sizes: Sizes, strides: Sizes, past: int = 0) -> int:
    """Count the cells from the first element to the one at indices `size - 1 + past`; raise if there is no element."""
    if not sizes or 0 in sizes:
        raise ValueError("a case of its own")
    return 1 + sum((size - 1 + past) * stride for size, stride in zip(sizes, strides, strict=True))


def _longest(sizes: Sizes, strides: Sizes) -> int:
    """Count the cells needed by the dimension that reaches furthest, taken alone."""
    return max(_cells((size,), (stride,)) for size, stride in zip(sizes, strides, strict=True))


def _about_bytes(args: tuple, wanted: int, got: int) -> Iterable[str]:
    return ("no elements",) if 0 in args[0] else ("no dimensions",) if not args[0] else ()


COMPUTE_STORAGE_NBYTES = Check(
    "strides.compute_storage_nbytes",
    ("sizes", "strides", "itemsize", "storage_offset"),
    (Aspect("ordinary", 5, _nbytes_ordinary), Aspect("edge", 3, _nbytes_edge)),
    {
        "last": "which element is furthest from the beginning? It needs a cell too",
        "bytes": "strides count elements, the answer counts bytes",
        "gaps": "the last index of a dimension is size - 1; a gap after the last element needs no cell",
        "large": ROUNDED.says,
        "no dimensions": "a tensor without dimensions has one element, in the cell of the offset",
        "no elements": "without elements nothing has to be in the storage: 0, whatever the offset is",
        "expanded": "with stride 0 all indices reach the same cell",
        "size 1": "a dimension of size 1 has only the index 0: its stride adds nothing",
        "offset": "bytes count from the beginning of the storage, so the cells before the offset count too",
        "overlap": "elements may share cells: look for the last cell, don't count elements",
        "type": "return an int",
        "returned None": "the function ends without `return`",
        "raised": "every geometry has an answer, there is nothing to refuse",
    },
    mistakes=(
        gives(
            "this counts the elements. With gaps they need more cells, and where they share cells fewer: look for the "
            "last cell",
            lambda sizes, strides, itemsize, offset=0: (
                _cells(sizes, strides) and (offset + math.prod(sizes)) * itemsize
            ),
        ),
        gives(
            "these are the bytes up to the last element, without its own cell: cells are counted from 0, so there is "
            "one more",
            lambda sizes, strides, itemsize, offset=0: (offset + _cells(sizes, strides) - 1) * itemsize,
        ),
        gives(
            "the last element needs a whole cell: add 1 before you multiply by the itemsize",
            lambda sizes, strides, itemsize, offset=0: (offset + _cells(sizes, strides) - 1) * itemsize + 1,
        ),
        gives(
            "this is the number of cells; the answer counts bytes",
            lambda sizes, strides, itemsize, offset=0: offset + _cells(sizes, strides),
        ),
        gives(
            "the cells before the offset count too: bytes are counted from the beginning of the storage",
            lambda sizes, strides, itemsize, offset=0: _cells(sizes, strides) * itemsize,
        ),
        gives(
            "the offset counts elements too: it is multiplied by the itemsize as the cells are",
            lambda sizes, strides, itemsize, offset=0: _cells(sizes, strides) * itemsize + offset,
        ),
        *(
            gives(
                "this is a step too far: the last index of a dimension is its size - 1",
                lambda sizes, strides, itemsize, offset=0, less=less: (
                    (offset + _cells(sizes, strides, past=1) - less) * itemsize
                ),
            )
            for less in (0, 1)
        ),
        gives(
            "the last element has the last index of every dimension: their steps are added",
            lambda sizes, strides, itemsize, offset=0: (offset + _longest(sizes, strides)) * itemsize,
        ),
        ROUNDED,
    ),
    differs=_about_bytes,
)


def _nearly_packed(rng: random.Random, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Draw row-major strides, as they are or with one fault: a gap, two dimensions swapped, an expanded one."""
    ndim = len(sizes)
    fault = rng.choice(("none", "none", "gap", "swap", "expanded"))
    if fault == "gap":
        return packed(sizes, gaps=replaced(rng, (1,) * ndim, rng.randint(2, 3)))
    if fault == "swap":
        return packed(sizes, shuffled(rng, ndim))
    return replaced(rng, packed(sizes), 0) if fault == "expanded" else packed(sizes)


def _about_walk(sizes: tuple[int, ...], strides: tuple[int, ...]) -> str:
    """Return the feature that decides whether this geometry is contiguous: a key of the hints."""
    if 0 in sizes or 1 in sizes:
        return "no elements" if 0 in sizes else "size 1"
    if strides == packed(sizes):
        return "packed"
    if 0 in strides:
        return "expanded"
    inner = [stride * size for stride, size in zip(strides[1:], sizes[1:], strict=True)]
    return "gap" if all(outer >= step for outer, step in zip(strides, inner, strict=False)) else "order"


def _is_contiguous_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, about in [
        ((3,), (1,), "packed"), ((3,), (2,), "gap"), ((2, 3), (3, 1), "packed"), ((3, 2), (1, 3), "order"),
        ((2, 3), (6, 2), "gap"), ((2, 3), (4, 1), "gap"), ((2, 3), (0, 1), "expanded"), ((3, 2), (2, 1), "packed"),
        ((2, 2), (1, 2), "order"), ((2, 2), (1, 1), "order"), ((2, 3), (2, 1), "order"), ((3,), (0,), "expanded"),
        ((2, 3, 4), (12, 4, 1), "packed"), ((2, 3, 4), (24, 4, 1), "gap"), ((2, 3, 4), (4, 8, 1), "order"),
        ((2, 3), (5, 0), "expanded"), ((2, 3), (4, 0), "expanded"), ((3, 2, 2), (4, 3, 0), "expanded"),
        ((2, 2, 2), (3, 3, 1), "order"), ((2, 2, 2), (5, 1, 1), "order"), ((2, 2, 3), (7, 3, 1), "gap"),
        ((3, 2), (2, 2), "gap"),
    ]:  # fmt: skip
        yield Case((sizes, strides), about)
    for ndim in (*(1, 2, 2, 3, 3, 4) * 12, 5, 6):
        sizes = repeated(rng, ndim, 2, 5)
        strides = _nearly_packed(rng, sizes)
        yield Case((sizes, strides), _about_walk(sizes, strides))
    for ndim in (1, 2, 3) * 4:
        sizes, strides = same_end(rng, repeated(rng, ndim, 2, 4))
        yield Case((sizes, strides), _about_walk(sizes, strides))
    for sizes in (unequal(rng, 3, 20, 40), unequal(rng, 3, 20, 40)):
        yield Case((sizes, packed(sizes)), "large")
    yield Case(((2, 3), (3 * BEYOND, BEYOND)), "gap")


def _is_contiguous_edge(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, about in [
        ((), (), "no dimensions"), ((1,), (1,), "size 1"), ((1,), (5,), "size 1"), ((1,), (0,), "size 1"),
        ((1, 3), (7, 1), "size 1"), ((3, 1), (1, 7), "size 1"), ((3, 1), (2, 1), "size 1"), ((1, 3), (3, 2), "size 1"),
        ((2, 1, 3), (3, 99, 1), "size 1"), ((0,), (3,), "no elements"), ((0, 2), (1, 9), "no elements"),
        ((2, 0), (7, 5), "no elements"), ((0,), (0,), "no elements"), ((2, 0, 3), (0, 0, 0), "no elements"),
        ((3, 1), (3, 1), "size 1"), ((1, 1), (4, 6), "size 1"), ((2, 1, 3), (1, 9, 2), "order"),
    ]:  # fmt: skip
        yield Case((sizes, strides), about)
    for ndim in (1, 2, 3, 3, 4) * 10:
        sizes = repeated(rng, ndim, 0 if rng.random() < 0.3 else 1, 3)
        strides = tuple(
            rng.randint(0, 9) if size == 1 else stride
            for size, stride in zip(sizes, _nearly_packed(rng, sizes), strict=True)
        )
        yield Case((sizes, strides), _about_walk(sizes, strides))


def _why_contiguous(args: tuple, wanted: bool, got: bool) -> Iterable[str]:
    """Return why the right answer is right, if it does not depend on dimensions of size 1, as keys of the hints."""
    sizes, strides = args
    if 0 in sizes or not sizes:
        return ("no elements" if sizes else "no dimensions",)
    real = [(size, stride) for size, stride in zip(sizes, strides, strict=True) if size != 1]
    if wanted and (len(real) < len(sizes) or max(strides) > 256):
        return ()
    return (_about_walk(tuple(size for size, _ in real), tuple(stride for _, stride in real)),)


def _compares_by_identity(args: tuple, wanted: Observation, got: Observation) -> bool:
    return wanted.value is True and got.value is False and 1 not in args[0] and max(args[1]) > 256


IS_CONTIGUOUS = Check(
    "strides.is_contiguous",
    ("sizes", "strides"),
    (Aspect("ordinary", 4, _is_contiguous_ordinary), Aspect("edge", 4, _is_contiguous_edge)),
    {
        "packed": "read the elements in order of their indices: every step is to the next cell",
        "gap": "read the elements in order of their indices: some step is longer than one cell",
        "order": "read the elements in order of their indices: some step goes back, or stays in its cell",
        "expanded": "with stride 0 a step stays where it is",
        "large": "compare numbers with == and !=, never with `is`",
        "no dimensions": "one element is read in one step: contiguous",
        "size 1": "a dimension of size 1 has no second element: its stride can't matter",
        "no elements": "nothing is read, so nothing is read out of order",
        "type": "return True or False",
        "returned None": "one path through the function ends without `return`",
        "raised": "every geometry has an answer, there is nothing to refuse",
    },
    mistakes=(Mistake("compare numbers with == and !=: `is` and `is not` fail for large ones", _compares_by_identity),),
    differs=_why_contiguous,
)


def _offsets_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes, strides, about in [
        ((3,), (1,), "strides"), ((3,), (2,), "strides"), ((2, 2), (2, 1), "order"), ((2, 3), (1, 2), "order"),
        ((2, 3), (0, 1), "expanded"), ((2, 2), (2, 3), "order"), ((2, 3, 2), (1, 4, 2), "order"),
        ((2, 3), (1, 1), "order"),
    ]:  # fmt: skip
        yield Case((sizes, strides), about)
        yield Case((sizes, strides, 5), "offset")
    for ndim in (1, 2, 3, 4) * 10:
        sizes = unequal(rng, ndim, 2, 5)
        yield Case((sizes, strided(rng, sizes), rng.randint(0, 9)), "order")
    for ndim in (5, 6):
        sizes = repeated(rng, ndim, 2, 3)
        yield Case((sizes, strided(rng, sizes), rng.randint(0, 9)), "order")


def _offsets_edge(rng: random.Random) -> Iterator[Case]:
    yield Case(((), ()), "no dimensions")
    yield Case(((), (), 4), "no dimensions")
    for sizes, strides, about in [
        ((1,), (1,), "size 1"), ((1,), (8,), "size 1"), ((1, 3), (9, 1), "size 1"), ((3, 1), (1, 9), "size 1"),
        ((0,), (1,), "size 0"), ((2, 0), (1, 1), "size 0"), ((0, 2), (2, 1), "size 0"),
        ((2, 0, 3), (3, 3, 1), "size 0"),
    ]:  # fmt: skip
        yield Case((sizes, strides, 2), about)
    yield Case(((2, 1, 3), (1, 9, 2), 2), "order")
    yield Case(((3, 1), (0, 9), 2), "expanded")
    yield Case(((2, 2), (2**53 + 1, 2**60 + 1)), "large")
    yield Case(((2,), (1,), 2**53), "large")
    for ndim in (1, 2, 3, 4) * 10:
        sizes = repeated(rng, ndim, 0, 3)
        about = "size 0" if 0 in sizes else "size 1" if 1 in sizes else "order"
        yield Case((sizes, strided(rng, sizes), rng.randint(0, 9)), about)


def _by_formula(sizes: Sizes, strides: Sizes, offset: int = 0) -> list[int]:
    """Return the offsets in the order of their indices."""
    offsets = [offset]
    for size, stride in zip(sizes, strides, strict=True):
        offsets = [first + i * stride for first in offsets for i in range(size)]
    return offsets


def _odometer(sizes: Sizes, strides: Sizes, offset: int, steps_back: int) -> list[int]:
    """Walk like an odometer whose wheels go back by their size less `steps_back` steps when they run over."""
    offsets, index = [], [0] * len(sizes)
    for _ in range(math.prod(sizes)):
        offsets.append(offset)
        for d in reversed(range(len(sizes))):
            index[d] += 1
            offset += strides[d]
            if index[d] < sizes[d]:
                break
            offset -= max(sizes[d] - steps_back, 0) * strides[d]
            index[d] = 0
    return offsets


def _about_offsets(args: tuple, wanted: list[int], got: list[int]) -> Iterable[str]:
    """Return the first thing that is wrong in a walk, as keys of the hints."""
    sizes = args[0]
    if not sizes or 0 in sizes:
        return ("size 0" if sizes else "no dimensions",)
    if max(wanted) > EXACT:
        return ("large",)
    if len(wanted) != len(got):
        return ("length",)
    return ("offset" if wanted[0] != got[0] else "strides" if len(sizes) == 1 else "order",)


STRIDED_OFFSETS = Check(
    "strides.strided_offsets",
    ("sizes", "strides", "storage_offset"),
    (Aspect("ordinary", 4, _offsets_ordinary), Aspect("edge", 2, _offsets_edge)),
    {
        "strides": "one step along a dimension moves by its stride",
        "order": "the last index moves fastest; when it runs over, it goes back to 0 and the one before it moves",
        "expanded": "with stride 0 the same cell is read again",
        "offset": "the first element is in the cell storage_offset",
        "length": "there is one offset for each element, math.prod(sizes) of them, also where elements share a cell",
        "large": ROUNDED.says,
        "no dimensions": "a tensor without dimensions has one element, in the cell storage_offset",
        "size 1": "the only index of a dimension of size 1 is 0",
        "size 0": "a size of 0 leaves no elements, whatever the other sizes are",
        "type": "return a list of ints",
        "returned None": "the function ends without `return`",
        "raised": "every geometry has an answer, there is nothing to refuse",
    },
    mistakes=(
        gives(
            "this is right except for storage_offset: add it to every offset",
            lambda sizes, strides, offset=0: _by_formula(sizes, strides),
        ),
        gives(
            "these are the right cells in the order of memory; return them in the order of the indices",
            lambda sizes, strides, offset=0: sorted(_by_formula(sizes, strides, offset)),
        ),
        gives(
            "here the first index moves fastest; it has to be the last",
            lambda sizes, strides, offset=0: _by_formula(sizes[::-1], strides[::-1], offset),
        ),
        gives(
            "these are neighboring cells; one step along a dimension moves by its stride",
            lambda sizes, strides, offset=0: list(range(offset, offset + math.prod(sizes))),
        ),
        *(
            gives(
                "an index that goes back to 0 takes away everything it had added: its size times its stride, including "
                "the step that ran over",
                lambda sizes, strides, offset=0, back=back: _odometer(sizes, strides, offset, back),
            )
            for back in (1, 99)
        ),
        ROUNDED,
    ),
    differs=_about_offsets,
)


CHECKS = (CONTIGUOUS_STRIDES, COMPUTE_STORAGE_NBYTES, IS_CONTIGUOUS, STRIDED_OFFSETS)
