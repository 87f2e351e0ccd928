"""Probes of the elementwise kernels, with one of three functions of two elements and scalars."""

from collections.abc import Callable

from autograder.labs.cuda.arrays import cells, compiled, device, module, recorded


def difference(x, y, scale):
    return scale * x - y


def product(x, y):
    return x * y


def combination(x, y, alpha, beta):
    return alpha * x + beta * y


FUNCTIONS: dict[str, Callable] = {"s * a - b": difference, "a * b": product, "s * a + t * b": combination}


def operands(sizes, out, a, b, seed):
    """Make the flat arrays of `out`, `a` and `b`, each given as (first cell, strides)."""
    return [cells(first, sizes, strides, seed + at) for at, (first, strides) in enumerate((out, a, b))]


def flat(engine, grid, block, n, o, p, q, function, scalars, seed):
    """Return the trace of the kernel of `binary_flat` over n elements, which begin at the cells o, p and q."""
    out, a, b = operands((n,), *((first, (1,)) for first in (o, p, q)), seed)
    made = module(engine, "cuda.loops").binary_flat(device(engine, FUNCTIONS[function]))
    return recorded(engine, compiled(engine, made), grid, block, n, out, o, a, p, b, q, scalars)


def strided(engine, grid, block, sizes, out, a, b, function, scalars, seed):
    """Return the trace of the kernel of `binary_strided` over `sizes`; `function` is a name in FUNCTIONS."""
    arrays = operands(sizes, out, a, b, seed)
    count = 1
    for size in sizes:
        count *= size
    as_numpy = module(engine, "cuda.elementwise").as_numpy
    flat = [part for values, (first, _) in zip(arrays, (out, a, b), strict=True) for part in (values, first)]

    def given(more):
        """Return the kernel's arguments; with `more` dimensions of one element they are of other types."""
        loop_sizes, loop_strides = as_numpy((*sizes, *more), [(*place[1], *more) for place in (out, a, b)])
        return count, *flat, loop_sizes, *loop_strides, scalars

    made = module(engine, "cuda.loops").binary_strided(device(engine, FUNCTIONS[function]))
    return recorded(engine, compiled(engine, made), grid, block, *given(()), compiled_for=given((1, 1)))
