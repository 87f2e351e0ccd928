"""The loops of elementwise kernels: a thread computes element `cuda.grid(1)`, then goes on in steps of the grid.

The plain loop that `binary(f)` replaces, `out`, `a`, `b` being the flat arrays of three storages:

    for to, of_a, of_b in zip(offsets of out, offsets of a, offsets of b):
        out[to] = f(a[of_a], b[of_b], *scalars)

`contiguous` is for operands that are one run each: neighbouring threads touch neighbouring elements, so that a warp's
accesses are few transactions. `strided` finds its places from sizes and strides, innermost dimension last; what is left
after the others is the place in the first, so one dimension costs no division.
Mirrors gpu_kernel of aten/src/ATen/native/cuda/{Loops,CUDALoops}.cuh.
"""

from collections.abc import Callable
from typing import Any

from .driver import cuda, is_simulated

Loops = tuple[Any, Any]  # kernels for contiguous operands, for any others


def device_function(f: Callable) -> Any:
    """A plain Python function, as kernels call it; it may not use the name `cuda` itself."""
    return f if is_simulated() else cuda.jit(device=True)(f)


def nullary(function: Callable) -> Loops:
    """out = f(index, *scalars)"""
    f = device_function(function)

    def contiguous(n, out, o, scalars):
        i = cuda.grid(1)
        while i < n:
            out[o + i] = f(i, *scalars)
            i += cuda.gridsize(1)

    def strided(n, out, o, sizes, so, scalars):
        i = cuda.grid(1)
        while i < n:
            rest, to = i, o
            for d in range(len(sizes) - 1, 0, -1):
                to += rest % sizes[d] * so[d]
                rest //= sizes[d]
            out[to + rest * so[0]] = f(i, *scalars)
            i += cuda.gridsize(1)

    return jitted(function, contiguous, strided)


def unary(function: Callable) -> Loops:
    """out = f(a, *scalars)"""
    f = device_function(function)

    def contiguous(n, out, o, a, p, scalars):
        i = cuda.grid(1)
        while i < n:
            out[o + i] = f(a[p + i], *scalars)
            i += cuda.gridsize(1)

    def strided(n, out, o, a, p, sizes, so, sa, scalars):
        i = cuda.grid(1)
        while i < n:
            rest, to, of_a = i, o, p
            for d in range(len(sizes) - 1, 0, -1):
                k = rest % sizes[d]
                rest //= sizes[d]
                to += k * so[d]
                of_a += k * sa[d]
            out[to + rest * so[0]] = f(a[of_a + rest * sa[0]], *scalars)
            i += cuda.gridsize(1)

    return jitted(function, contiguous, strided)


def binary(function: Callable) -> Loops:
    """out = f(a, b, *scalars)"""
    f = device_function(function)

    def contiguous(n, out, o, a, p, b, q, scalars):
        i = cuda.grid(1)
        while i < n:
            out[o + i] = f(a[p + i], b[q + i], *scalars)
            i += cuda.gridsize(1)

    def strided(n, out, o, a, p, b, q, sizes, so, sa, sb, scalars):
        i = cuda.grid(1)
        while i < n:
            rest, to, of_a, of_b = i, o, p, q
            for d in range(len(sizes) - 1, 0, -1):
                k = rest % sizes[d]
                rest //= sizes[d]
                to += k * so[d]
                of_a += k * sa[d]
                of_b += k * sb[d]
            x, y = a[of_a + rest * sa[0]], b[of_b + rest * sb[0]]
            out[to + rest * so[0]] = f(x, y, *scalars)
            i += cuda.gridsize(1)

    return jitted(function, contiguous, strided)


def ternary(function: Callable) -> Loops:
    """out = f(a, b, c, *scalars)"""
    f = device_function(function)

    def contiguous(n, out, o, a, p, b, q, c, r, scalars):
        i = cuda.grid(1)
        while i < n:
            out[o + i] = f(a[p + i], b[q + i], c[r + i], *scalars)
            i += cuda.gridsize(1)

    def strided(n, out, o, a, p, b, q, c, r, sizes, so, sa, sb, sc, scalars):
        i = cuda.grid(1)
        while i < n:
            rest, to, of_a, of_b, of_c = i, o, p, q, r
            for d in range(len(sizes) - 1, 0, -1):
                k = rest % sizes[d]
                rest //= sizes[d]
                to += k * so[d]
                of_a += k * sa[d]
                of_b += k * sb[d]
                of_c += k * sc[d]
            x, y, z = a[of_a + rest * sa[0]], b[of_b + rest * sb[0]], c[of_c + rest * sc[0]]
            out[to + rest * so[0]] = f(x, y, z, *scalars)
            i += cuda.gridsize(1)

    return jitted(function, contiguous, strided)


def jitted(function: Callable, *kernels: Callable) -> tuple[Any, ...]:
    """Kernels under `@cuda.jit`, each under the name of the function that it computes."""
    for kernel in kernels:
        kernel.__name__ = kernel.__qualname__ = f"{function.__name__}_{kernel.__name__}"
    return tuple(cuda.jit(kernel) for kernel in kernels)
