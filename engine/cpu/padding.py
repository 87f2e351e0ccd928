"""Images whose every element is one of another image: reflected and repeated borders.

The plain loop that the kernel replaces, `tables` having, for each index in a dimension, the cells from the first one:

    for index, to in zip(indices of out, offsets of out):
        out[to] = x[p + sum(tables[d][i] for d, i in enumerate(index))]

Mirrors aten/src/ATen/native/cpu/PaddingKernel.cpp.
"""

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numba import types

from ..aten.native import padding_modes
from ..dtypes import dtype, float32, float64, int8, int16, int32, int64, uint8
from ..strides import Ints
from ..tensor_impl import Tensor
from .loops import INDEX, NUMBA
from .ranges import Ranged

KINDS = (float32, float64, uint8, int8, int16, int32, int64)


def look_up(begin, end, out, o, x, p, table, sizes, strides, run):
    """Fill planes `begin` to `end` of the output by table lookup; a plane is all indices of its last two dimensions.

    Args:
        table: the lines of all dimensions, one after the other.
        sizes, strides: of the output, in elements; at least two dimensions.
        run: (2,) the range of indices of a line whose elements are adjacent, in the output and in `x`.
    """
    last = sizes.size - 1
    n, step, rows, low, high = sizes[last], np.uintp(strides[last]), sizes[last - 1], run[0], run[1]
    cells, lines = table[table.size - n :], table[table.size - n - rows : table.size - n]
    for plane in range(begin, end):
        first_to, first_of, rest, first = o, p, plane, table.size - n - rows
        for d in range(last - 2, -1, -1):
            first -= sizes[d]
            first_to += rest % sizes[d] * strides[d]
            first_of += table[first + rest % sizes[d]]
            rest //= sizes[d]
        for row in range(rows):
            to, of = first_to + row * strides[last - 1], first_of + lines[row]
            for i in range(low):
                out[np.uintp(to) + np.uintp(i) * step] = x[np.uintp(of + cells[i])]
            if high > low:
                target, source = out[to + low : to + high], x[of + cells[low] : of + cells[low] + high - low]
                for i in range(target.size):
                    target[i] = source[i]
            for i in range(high, n):
                out[np.uintp(to) + np.uintp(i) * step] = x[np.uintp(of + cells[i])]


class Lines(NamedTuple):
    """The arguments of `look_up` for a geometry, as int64 arrays."""

    table: np.ndarray
    sizes: np.ndarray
    strides: np.ndarray
    run: np.ndarray
    count: int  # type: ignore[assignment]
    cost: int


def lines_of(sizes: Ints, strides: Ints, tables: Sequence[Sequence[int]]) -> Lines:
    """Return the `Lines` of an output; the dimension with the smallest stride comes last.

    Args:
        sizes, strides: of the output, in elements.
        tables: for each of its dimensions, the cell of `x` for each index, counted from the first.
    """
    order = sorted(range(len(sizes)), key=lambda d: (-strides[d], sizes[d] != 1))
    last = order[-1]
    cells = tables[last]
    low, high = longest_run(cells) if strides[last] == 1 else (0, 0)
    count = 1
    for d in order[:-2]:
        count *= sizes[d]
    table = [cell for d in order for cell in tables[d]]
    made, lies = [sizes[d] for d in order], [strides[d] for d in order]
    arrays = [np.array(numbers, np.int64) for numbers in (table, made, lies, (low, high))]
    return Lines(arrays[0], arrays[1], arrays[2], arrays[3], count, made[-2] * made[-1])


def longest_run(cells: Sequence[int]) -> tuple[int, int]:
    """Return the longest range of indices whose cells are consecutive.

    >>> longest_run([2, 1, 0, 1, 2, 3, 2])
    (2, 6)
    """
    best, first = (0, 1), 0
    for i in range(1, len(cells) + 1):
        if i == len(cells) or cells[i] != cells[i - 1] + 1:
            best = max(best, (first, i), key=lambda run: run[1] - run[0])
            first = i
    return best


def ranged_look_up(name: str, kinds: tuple[dtype, ...] = KINDS) -> Ranged:
    """Build the kernel of `look_up`, under the name `name` in error messages."""

    def arguments(kind: dtype) -> tuple:
        return (*(NUMBA[kind][::1], INDEX) * 2, *(types.int64[::1],) * 4)

    return Ranged(name, kinds, lambda kind: look_up, arguments)


def run_look_up(loops: Ranged, lines: Lines, out: Tensor, self: Tensor) -> None:
    """Fill `out` with elements of `self` by a `look_up` kernel."""
    cells = (out._flat(), out._storage_offset, self._flat(), self._storage_offset)
    loops(self._dtype, lines.count, lines.cost, *cells, *lines[:4])


# ---- borders


def reflected(index: int, size: int) -> int:
    """Return `index` if it is in an image of `size` elements, else its reflection at the nearest border."""
    return -index if index < 0 else 2 * (size - 1) - index if index >= size else index


def replicated(index: int, size: int) -> int:
    """Return the index in an image of `size` elements that is closest to `index`."""
    return min(max(index, 0), size - 1)


def tables_of(
    padded: Ints, sizes: Ints, strides: Ints, padding: Ints, border: Callable[[int, int], int]
) -> list[list[int]]:
    """Return, for each dimension, the cell of the image that each index of the padded image reads.

    Args:
        border: the element of an image to use at an index outside of it.
    """
    before = (0,) * (len(sizes) - len(padding) // 2) + padding[-2::-2]
    return [
        [border(i - skipped, size) * stride for i in range(count)]
        for count, size, stride, skipped in zip(padded, sizes, strides, before, strict=True)
    ]


def padding_kernel(name: str, border: Callable[[int, int], int]) -> Callable[[Tensor, Tensor, Ints], None]:
    """Build kernel(out, self, padding); `border` maps an index outside an image to the element that pads it."""
    loops = [ranged_look_up(f"{name}{ndim}d") for ndim in (1, 2, 3)]

    @functools.lru_cache(maxsize=1024)
    def lines(out: tuple[Ints, Ints], self: tuple[Ints, Ints], padding: Ints) -> Lines:
        return lines_of(*out, tables_of(out[0], *self, padding, border))

    def kernel(out: Tensor, self: Tensor, padding: Ints) -> None:
        geometries = (out._sizes, out._strides), (self._sizes, self._strides)
        run_look_up(loops[len(padding) // 2 - 1], lines(*geometries, padding), out, self)

    return kernel


padding_modes.reflection_pad_stub.register("cpu", padding_kernel("reflection_pad", reflected))
padding_modes.replication_pad_stub.register("cpu", padding_kernel("replication_pad", replicated))
