"""Elementwise kernels of halves: the float32 loop of a kernel, run over blocks that are widened and narrowed.

    for first in range(begin, end, BLOCK):
        x = float32 of a[first : first + BLOCK]
        loop(0, BLOCK, z, 0, x, 0, scalars)         # the kernel's own, of float32
        out[first : first + BLOCK] = halves of z

So a result is rounded once, and no kernel has a loop for halves. PyTorch widens and narrows each vector between its
load and its store (Vectorized<BFloat16>, aten/src/ATen/cpu/vec). An operand that is neither half, such as the bools
that a comparison writes, is copied.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from ..dtypes import BESIDE, HALVES, dtype, float32, int64, uint8
from . import half_steps
from .elementwise_loops import Loops, plane_of, walk
from .half_bits import NARROW, NARROWED, WIDEN
from .loops import named
from .vectorized import loadu, storeu

BLOCK = 1024  # elements: scratch arrays of 2,048 are 8 KiB apart, and collide in the first cache
LANES = 8

OF_BESIDE = {beside: half for half, beside in BESIDE.items()}
KEPT = frozenset(("mul_cpu", "div_cpu", "div_trunc_cpu", "div_floor_cpu"))
"""Kernels that compute with a number as it is. The others round it to the half first, as PyTorch's do."""
ROUND_SCALARS = frozenset(("add_stub", "pow"))
"""Kernels that round also the numbers that follow their operands: alpha, an exponent."""
AS_BITS = frozenset(("where_cpu", "masked_fill"))
"""Kernels that move elements and don't look at them."""
REFUSED = frozenset(("nextafter_cpu",))
"""Kernels whose result in float32 is not what they are for."""


class Way(NamedTuple):
    """The functions by which blocks of an operand come and go: `read(block, array, of, step, n)`, `write` likewise."""

    read: Callable
    write: Callable
    scratch: np.dtype


def way_of_half(kind: dtype) -> Way:
    """Return how blocks of a half are widened and narrowed, a vector at a time where neighbors are adjacent."""
    widen, narrow = WIDEN[kind], NARROW[kind]

    @register_jitable
    def read(block, array, of, step, n):
        i = 0
        if step == 1:
            while i + LANES <= n:
                storeu(block, i, widen(loadu(array, of + i, LANES)))
                i += LANES
        elif step == 0:
            block[:n] = widen(array[np.uintp(of)])
            i = n
        while i < n:
            block[np.uintp(i)] = widen(array[np.uintp(of + i * step)])
            i += 1

    @register_jitable
    def write(block, array, to, step, n):
        i = 0
        if step == 1:
            while i + LANES <= n:
                storeu(array, to + i, narrow(loadu(block, i, LANES)))
                i += LANES
        while i < n:
            array[np.uintp(to + i * step)] = narrow(block[np.uintp(i)])
            i += 1

    return Way(named(read, widen), named(write, narrow), float32.storage)


@register_jitable
def read_as_it_is(block, array, of, step, n):
    """Copy n elements, `step` apart, into a block."""
    for i in range(n):
        block[np.uintp(i)] = array[np.uintp(of + i * step)]


@register_jitable
def write_as_it_is(block, array, to, step, n):
    """Copy a block to n elements that are `step` apart."""
    for i in range(n):
        array[np.uintp(to + i * step)] = block[np.uintp(i)]


def rounding(kind: dtype) -> Callable:
    """Return the function that rounds a float32 to a half and widens it again."""
    widen, narrowed = WIDEN[kind], NARROWED[kind]

    @register_jitable
    def rounded(number):
        return widen(narrowed(number))

    return rounded


def way_of_number(kind: dtype) -> Way:
    """Return how a number beside a half is read by a kernel that rounds it first."""
    rounded = rounding(kind)

    @register_jitable
    def read(block, array, of, step, n):
        block[:n] = rounded(array[np.uintp(of)])

    return Way(read, write_as_it_is, float32.storage)


WAYS = {kind: way_of_half(kind) for kind in HALVES}
ROUNDED = {kind: way_of_number(kind) for kind in HALVES}
ROUND = {kind: rounding(kind) for kind in HALVES}


def half_of(kind: dtype) -> dtype | None:
    """Return the half that a kernel of a dtype computes for; None if it is one for another dtype."""
    return kind if kind in HALVES else OF_BESIDE.get(kind)


def kinds_of(name: str, functions: Mapping[dtype, Any], operands: tuple[dtype | None, ...]) -> tuple[dtype, ...]:
    """Return the dtypes of a kernel whose table has these: with float32 also the halves."""
    if float32 not in functions or name in REFUSED:
        return tuple(functions)
    return (*functions, *HALVES, *(BESIDE.values() if len(operands) == 3 else ()))


def computed_in(kind: dtype) -> dtype:
    """Return the dtype whose function a kernel uses."""
    return kind if half_of(kind) is None else float32


def is_in_blocks(name: str, kind: dtype) -> bool:
    """Return True if the kernel of a dtype is made of blocks."""
    return half_of(kind) is not None and name not in AS_BITS


def operands_of(name: str, kind: dtype, operands: tuple[dtype | None, ...]) -> list[dtype]:
    """Return the dtypes of a kernel's operands in memory; a number beside halves is the last one."""
    half = half_of(kind) or kind
    return [*(operand or half for operand in operands[:-1]), operands[-1] or kind]


def scalar_of(name: str, kind: dtype) -> dtype:
    """Return the dtype of the numbers that follow a kernel's operands."""
    if kind is uint8:  # a kernel subtracts by adding -1 times
        return int64
    return float32 if is_in_blocks(name, kind) else kind


def way_of(name: str, kind: dtype, operand: dtype | None, is_last: bool) -> Way:
    """Return how a kernel's operand is read and written.

    Args:
        name: of the kernel.
        kind: that the kernel is for, a half or one of `BESIDE`.
        operand: its dtype if the kernel's table fixes it.
        is_last: whether it is the operand that may be a number.
    """
    half = kind if kind in HALVES else OF_BESIDE[kind]
    if operand is not None:
        return Way(read_as_it_is, write_as_it_is, operand.storage)
    if is_last and kind is not half:
        return Way(read_as_it_is, write_as_it_is, float32.storage) if name in KEPT else ROUNDED[half]
    return WAYS[half]


def in_blocks(name: str, kind: dtype, operands: tuple[dtype | None, ...], loop: Callable) -> Loops:
    """Return the contiguous and the strided loop of a kernel for halves.

    Args:
        name: of the kernel, in messages.
        operands: dtypes of output and inputs, as in a row of `elementwise.register`.
        loop: the contiguous loop of the kernel for float32.
    """
    last = len(operands) - 1
    ways = [way_of(name, kind, operand, k == last) for k, operand in enumerate(operands)]
    if kind in HALVES:  # with a number, PyTorch's computes in float32
        loop = half_steps.loop_of(name, last, ROUND[kind]) or loop
    numbers = ROUND[OF_BESIDE.get(kind, kind)] if name in ROUND_SCALARS else None
    return MAKERS[last](register_jitable(loop), converting_scalars(numbers), *ways)


@register_jitable
def scalars_as_they_are(scalars):
    """Return the numbers that follow a kernel's operands."""
    return scalars


def converting_scalars(rounded: Callable | None) -> Callable:
    """Return the function that rounds the one number that follows a kernel's operands; or that leaves all alone."""
    if rounded is None:
        return scalars_as_they_are

    @register_jitable
    def rounded_scalars(scalars):
        return (rounded(scalars[0]),) if len(scalars) else scalars

    return rounded_scalars


def unary(loop: Callable, convert: Callable, to: Way, one: Way) -> Loops:
    """Return the loops of out = f(a, *scalars) in blocks."""
    write, read, of_out, of_one = to.write, one.read, to.scratch, one.scratch

    def contiguous(begin, end, out, o, a, p, scalars):
        z, x, numbers = np.empty(BLOCK, of_out), np.empty(BLOCK, of_one), convert(scalars)
        for first in range(begin, end, BLOCK):
            n = min(BLOCK, end - first)
            read(x, a, p + first, 1, n)
            loop(0, n, z, 0, x, 0, numbers)
            write(z, out, o + first, 1, n)

    def strided(begin, end, out, o, a, p, geometry, scalars):
        z, x, numbers = np.empty(BLOCK, of_out), np.empty(BLOCK, of_one), convert(scalars)
        rows, columns, _ = walk(geometry, begin, end)
        steps, cells = geometry[1:, geometry.shape[1] - 1], np.empty(2, np.int64)
        for row in range(rows[0], rows[1]):
            cells[0], cells[1] = o, p
            plane_of(cells, geometry, row, row + 1)
            for first in range(columns[0], columns[1], BLOCK):
                n = min(BLOCK, columns[1] - first)
                read(x, a, cells[1] + first * steps[1], steps[1], n)
                loop(0, n, z, 0, x, 0, numbers)
                write(z, out, cells[0] + first * steps[0], steps[0], n)

    return contiguous, strided


def binary(loop: Callable, convert: Callable, to: Way, one: Way, two: Way) -> Loops:
    """Return the loops of out = f(a, b, *scalars) in blocks."""
    write, read_a, read_b = to.write, one.read, two.read
    of_out, of_a, of_b = to.scratch, one.scratch, two.scratch

    def contiguous(begin, end, out, o, a, p, b, q, scalars):
        z, x, y = np.empty(BLOCK, of_out), np.empty(BLOCK, of_a), np.empty(BLOCK, of_b)
        numbers = convert(scalars)
        for first in range(begin, end, BLOCK):
            n = min(BLOCK, end - first)
            read_a(x, a, p + first, 1, n)
            read_b(y, b, q + first, 1, n)
            loop(0, n, z, 0, x, 0, y, 0, numbers)
            write(z, out, o + first, 1, n)

    def strided(begin, end, out, o, a, p, b, q, geometry, scalars):
        z, x, y = np.empty(BLOCK, of_out), np.empty(BLOCK, of_a), np.empty(BLOCK, of_b)
        rows, columns, _ = walk(geometry, begin, end)
        numbers = convert(scalars)
        steps, cells = geometry[1:, geometry.shape[1] - 1], np.empty(3, np.int64)
        for row in range(rows[0], rows[1]):
            cells[0], cells[1], cells[2] = o, p, q
            plane_of(cells, geometry, row, row + 1)
            for first in range(columns[0], columns[1], BLOCK):
                n = min(BLOCK, columns[1] - first)
                read_a(x, a, cells[1] + first * steps[1], steps[1], n)
                read_b(y, b, cells[2] + first * steps[2], steps[2], n)
                loop(0, n, z, 0, x, 0, y, 0, numbers)
                write(z, out, cells[0] + first * steps[0], steps[0], n)

    return contiguous, strided


def ternary(loop: Callable, convert: Callable, to: Way, one: Way, two: Way, three: Way) -> Loops:
    """Return the loops of out = f(a, b, c, *scalars) in blocks."""
    write, read_a, read_b, read_c = to.write, one.read, two.read, three.read
    of_out, of_a, of_b, of_c = to.scratch, one.scratch, two.scratch, three.scratch

    def contiguous(begin, end, out, o, a, p, b, q, c, r, scalars):
        z, x, y, w = np.empty(BLOCK, of_out), np.empty(BLOCK, of_a), np.empty(BLOCK, of_b), np.empty(BLOCK, of_c)
        numbers = convert(scalars)
        for first in range(begin, end, BLOCK):
            n = min(BLOCK, end - first)
            read_a(x, a, p + first, 1, n)
            read_b(y, b, q + first, 1, n)
            read_c(w, c, r + first, 1, n)
            loop(0, n, z, 0, x, 0, y, 0, w, 0, numbers)
            write(z, out, o + first, 1, n)

    def strided(begin, end, out, o, a, p, b, q, c, r, geometry, scalars):
        z, x, y, w = np.empty(BLOCK, of_out), np.empty(BLOCK, of_a), np.empty(BLOCK, of_b), np.empty(BLOCK, of_c)
        rows, columns, _ = walk(geometry, begin, end)
        numbers = convert(scalars)
        steps, cells = geometry[1:, geometry.shape[1] - 1], np.empty(4, np.int64)
        for row in range(rows[0], rows[1]):
            cells[0], cells[1], cells[2], cells[3] = o, p, q, r
            plane_of(cells, geometry, row, row + 1)
            for first in range(columns[0], columns[1], BLOCK):
                n = min(BLOCK, columns[1] - first)
                read_a(x, a, cells[1] + first * steps[1], steps[1], n)
                read_b(y, b, cells[2] + first * steps[2], steps[2], n)
                read_c(w, c, cells[3] + first * steps[3], steps[3], n)
                loop(0, n, z, 0, x, 0, y, 0, w, 0, numbers)
                write(z, out, cells[0] + first * steps[0], steps[0], n)

    return contiguous, strided


MAKERS: dict[int, Callable[..., Loops]] = {1: unary, 2: binary, 3: ternary}
