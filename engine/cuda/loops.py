"""The loops of elementwise kernels: threads take vectors of four elements, or single ones, in steps of the grid.

The plain loop that `binary(f)` replaces, `out`, `a`, `b` being the flat arrays of three storages:

    for to, of_a, of_b in zip(offsets of out, offsets of a, offsets of b):
        out[to] = f(a[of_a], b[of_b], *scalars)

`vectors` is for operands that are one run each, or a single cell, as the 2 of `x + 2`: neighboring threads load and
store neighboring vectors, so that a warp's accesses are few transactions. A vector must begin at a multiple of four
elements, so `x[1:] - x[:-1]` runs `flat`: single elements, with no geometry. `strided` finds its places from sizes and
strides, innermost dimension last; what is left after the others is the place in the first, so one dimension costs no
division.
Sizes are unsigned, of 32 bits where they can be: a GPU divides those several times faster. Indices are unsigned because
numba would test others for being negative. Mirrors gpu_kernel of aten/src/ATen/native/cuda/{Loops,CUDALoops}.cuh.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..compiled import memo
from .driver import cuda
from .libdevice import device_function
from .vectors import FOUR, load_four, store_four


class Loops(NamedTuple):
    """The compiled kernels of one elementwise function.

    Args:
        vectors: which inputs have stride 0 -> a kernel over vectors of the others.
        strided: the kernel for any geometry.
        flat: the kernel for operands that are one run each, wherever they begin.
    """

    vectors: Callable[[tuple[bool, ...]], Any]
    strided: Any
    flat: Any = None


# ---- how a loop over vectors reads an operand: four elements, or one


def _four(cells, first, i):
    return load_four(cells, first + i)


def _one(cells, first, i):
    return cells[np.uintp(first + i)]


def _four_still(cells, first, i):
    x = cells[first]
    return x, x, x, x


def _one_still(cells, first, i):
    return cells[first]


MOVING = device_function(_four), device_function(_one)
STILL = device_function(_four_still), device_function(_one_still)


def loops_of(function: Callable, vectors: Callable, strided: Callable, *flat: Callable) -> Loops:
    """Return the kernels of a function, compiled at first launch; `flat` is one kernel or none."""

    @memo
    def vectors_of(still: tuple[bool, ...]) -> Any:
        return jitted(function, vectors(*(STILL if is_still else MOVING for is_still in still)))[0]

    return Loops(vectors_of, *jitted(function, strided, *flat))


@memo
def instantiate(make: Callable[[Callable], Loops], function: Callable) -> Loops:
    """Return the kernels that `make`, such as `binary`, builds for a function, cached."""
    return make(function)


def jitted(function: Callable, *kernels: Callable) -> tuple[Any, ...]:
    """Compile kernels with `@cuda.jit`, each under the name of the function that it computes."""
    for kernel in kernels:
        kernel.__name__ = kernel.__qualname__ = f"{function.__name__}_{kernel.__name__}"
    return tuple(cuda.jit(kernel) for kernel in kernels)


# ---- the loops, by the number of inputs


def nullary(function: Callable) -> Loops:
    """Return the kernels of out = f(index, *scalars)."""
    f = device_function(function)

    def vectors():
        def contiguous(n, out, o, scalars):
            i = FOUR * cuda.grid(1)
            while i + FOUR <= n:
                store_four(out, o + i, (f(i, *scalars), f(i + 1, *scalars), f(i + 2, *scalars), f(i + 3, *scalars)))
                i += FOUR * cuda.gridsize(1)
            while i < n:
                out[np.uintp(o + i)] = f(i, *scalars)
                i += 1

        return contiguous

    def strided(n, out, o, sizes, so, scalars):
        i = cuda.grid(1)
        while i < n:
            rest, to = type(sizes[0])(i), o
            for d in range(len(sizes) - 1, 0, -1):
                to += rest % sizes[d] * so[d]
                rest = type(sizes[0])(rest // sizes[d])
            out[np.uintp(to + rest * so[0])] = f(i, *scalars)
            i += cuda.gridsize(1)

    return loops_of(function, vectors, strided)


def unary(function: Callable) -> Loops:
    """Return the kernels of out = f(a, *scalars)."""
    f = device_function(function)

    def vectors(a_reader):
        four, one = a_reader

        def contiguous(n, out, o, a, p, scalars):
            i = FOUR * cuda.grid(1)
            while i + FOUR <= n:
                x = four(a, p, i)
                store_four(out, o + i, (f(x[0], *scalars), f(x[1], *scalars), f(x[2], *scalars), f(x[3], *scalars)))
                i += FOUR * cuda.gridsize(1)
            while i < n:
                out[np.uintp(o + i)] = f(one(a, p, i), *scalars)
                i += 1

        return contiguous

    def strided(n, out, o, a, p, sizes, so, sa, scalars):
        i = cuda.grid(1)
        while i < n:
            rest, to, of_a = type(sizes[0])(i), o, p
            for d in range(len(sizes) - 1, 0, -1):
                k = rest % sizes[d]
                rest = type(sizes[0])(rest // sizes[d])
                to += k * so[d]
                of_a += k * sa[d]
            out[np.uintp(to + rest * so[0])] = f(a[np.uintp(of_a + rest * sa[0])], *scalars)
            i += cuda.gridsize(1)

    return loops_of(function, vectors, strided)


def binary_flat(f: Callable) -> Callable:
    """Return the kernel of `binary` for contiguous operands: out = f(a, b), element by element.

    Of n elements thread t of T takes t, t + T, t + 2T, ... below n, however many threads there are. For each it loads
    one element of `a` and one of `b`, and stores one of `out`, which it does not load.

    Args:
        f: a device function of (element of a, element of b, *scalars).
    Returns:
        A function that becomes a kernel under `@cuda.jit`, for a grid and blocks of one dimension, with the arguments
        n: number of elements, 0 or more.
        out, o, a, p, b, q: three flat arrays, each with the cell of its first element. The arrays may have more
            elements before and after the n; the kernel touches none of them.
        scalars: tuple of the further arguments of `f`.

    Source: unrolled_elementwise_kernel (aten/src/ATen/native/cuda/CUDALoops.cuh).
    """

    def flat(n, out, o, a, p, b, q, scalars):
        i = cuda.grid(1)
        while i < n:
            out[np.uintp(o + i)] = f(a[np.uintp(p + i)], b[np.uintp(q + i)], *scalars)
            i += cuda.gridsize(1)

    return flat


def binary_strided(f: Callable) -> Callable:
    """Return the kernel of `binary` for operands of any strides: out = f(a, b), element by element.

    Element i of the result, in reading order, has a place in each array: the array's first cell, plus index times
    stride in each dimension. Of n elements thread t of T takes t, t + T, t + 2T, ... below n, however many threads
    there are. For each it loads one element of `a` and one of `b`, and stores one of `out`, which it does not load.

    Args:
        f: a device function of (element of a, element of b, *scalars).
    Returns:
        A function that becomes a kernel under `@cuda.jit`, for a grid and blocks of one dimension, with the arguments
        n: number of elements of the result, the product of `sizes`.
        out, o, a, p, b, q: three flat arrays, each with the cell of its first element.
        sizes: sizes of the result, innermost dimension last; at least one, none of them 0.
        so, sa, sb: strides of the three arrays in elements, one for each size; 0 where an input is broadcast.
        scalars: tuple of the further arguments of `f`.

    Source: gpu_kernel_impl (aten/src/ATen/native/cuda/CUDALoops.cuh), OffsetCalculator.cuh.
    """

    def strided(n, out, o, a, p, b, q, sizes, so, sa, sb, scalars):
        i = cuda.grid(1)
        while i < n:
            rest, to, of_a, of_b = type(sizes[0])(i), o, p, q
            for d in range(len(sizes) - 1, 0, -1):
                k = rest % sizes[d]
                rest = type(sizes[0])(rest // sizes[d])
                to += k * so[d]
                of_a += k * sa[d]
                of_b += k * sb[d]
            x, y = a[np.uintp(of_a + rest * sa[0])], b[np.uintp(of_b + rest * sb[0])]
            out[np.uintp(to + rest * so[0])] = f(x, y, *scalars)
            i += cuda.gridsize(1)

    return strided


def binary(function: Callable) -> Loops:
    """Return the kernels of out = f(a, b, *scalars)."""
    f = device_function(function)

    def vectors(a_reader, b_reader):
        four_a, one_a = a_reader
        four_b, one_b = b_reader

        def contiguous(n, out, o, a, p, b, q, scalars):
            i = FOUR * cuda.grid(1)
            while i + FOUR <= n:
                x, y = four_a(a, p, i), four_b(b, q, i)
                z0, z1 = f(x[0], y[0], *scalars), f(x[1], y[1], *scalars)
                z2, z3 = f(x[2], y[2], *scalars), f(x[3], y[3], *scalars)
                store_four(out, o + i, (z0, z1, z2, z3))
                i += FOUR * cuda.gridsize(1)
            while i < n:
                out[np.uintp(o + i)] = f(one_a(a, p, i), one_b(b, q, i), *scalars)
                i += 1

        return contiguous

    return loops_of(function, vectors, binary_strided(f), binary_flat(f))


def ternary(function: Callable) -> Loops:
    """Return the kernels of out = f(a, b, c, *scalars)."""
    f = device_function(function)

    def vectors(a_reader, b_reader, c_reader):
        four_a, one_a = a_reader
        four_b, one_b = b_reader
        four_c, one_c = c_reader

        def contiguous(n, out, o, a, p, b, q, c, r, scalars):
            i = FOUR * cuda.grid(1)
            while i + FOUR <= n:
                x, y, z = four_a(a, p, i), four_b(b, q, i), four_c(c, r, i)
                w0, w1 = f(x[0], y[0], z[0], *scalars), f(x[1], y[1], z[1], *scalars)
                w2, w3 = f(x[2], y[2], z[2], *scalars), f(x[3], y[3], z[3], *scalars)
                store_four(out, o + i, (w0, w1, w2, w3))
                i += FOUR * cuda.gridsize(1)
            while i < n:
                out[np.uintp(o + i)] = f(one_a(a, p, i), one_b(b, q, i), one_c(c, r, i), *scalars)
                i += 1

        return contiguous

    # No record, though the arguments are fifteen: it is launched as the kernel of `binary_strided`, an exercise.
    def strided(n, out, o, a, p, b, q, c, r, sizes, so, sa, sb, sc, scalars):
        i = cuda.grid(1)
        while i < n:
            rest, to, of_a, of_b, of_c = type(sizes[0])(i), o, p, q, r
            for d in range(len(sizes) - 1, 0, -1):
                k = rest % sizes[d]
                rest = type(sizes[0])(rest // sizes[d])
                to += k * so[d]
                of_a += k * sa[d]
                of_b += k * sb[d]
                of_c += k * sc[d]
            x, y, z = (
                a[np.uintp(of_a + rest * sa[0])],
                b[np.uintp(of_b + rest * sb[0])],
                c[np.uintp(of_c + rest * sc[0])],
            )
            out[np.uintp(to + rest * so[0])] = f(x, y, z, *scalars)
            i += cuda.gridsize(1)

    return loops_of(function, vectors, strided)
