"""The arrays of a case, which the probe fills and the trusted side makes again; and how a kernel is recorded.

Numbers are multiples of 1/4 that repeat only after 1,009, so that sums and products of a few are exact in float32.
"""

import importlib
import warnings
from types import FunctionType

import numpy as np

from autograder.labs.cuda.compilable import require

SPARE = 3  # cells behind the last one that is used


def numbers(count, seed, kind="float32"):
    """Make `count` numbers between -126 and 126, different for each seed."""
    return (((np.arange(count) * 331 + seed * 97) % 1009 - 504) / 4).astype(kind)


def cells(first, sizes, strides, seed, kind="float32"):
    """Make a flat array that covers the elements of a geometry, plus a few spare cells."""
    last = first + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    return numbers(last + 1 + SPARE, seed, kind)


def module(engine, path):
    """Import the engine's module at the dotted `path`, if it is not imported yet, and return it."""
    return importlib.import_module(f"{engine.__name__}.{path}")


def loaded(engine):
    """Load the engine's CUDA kernels and memory recorder, and return the engine."""
    module(engine, "memory_trace")
    module(engine, "cuda").initialize()
    return engine


def recorded(engine, kernel, grid, block, *arguments, compiled_for=(), **limits):
    """Record a launch of a kernel and return its trace as plain data; raise an error if no GPU could run the kernel.

    Args:
        compiled_for: arguments to compile it for, where types other than the launch's ask more of a compiler.
    """
    if kernel is None:
        raise TypeError("expected a kernel, got None: is a `return` missing?")
    memory_trace = module(engine, "memory_trace")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # inf and nan come without a word on a GPU
        trace = memory_trace.record(kernel, grid, block, *arguments, **limits)
    require(module(engine, "cuda.driver"), kernel.py_func, compiled_for or arguments)
    return memory_trace.to_columns(trace)


def compiled(engine, function):
    """Compile a plain function into a kernel with `cuda.jit`; return None for None."""
    return None if function is None else module(engine, "cuda.driver").cuda.jit(function)


def device(engine, function):
    """Compile a plain function into a device function; return anything else unchanged."""
    is_plain = isinstance(function, FunctionType)
    return module(engine, "cuda.driver").cuda.jit(device=True)(function) if is_plain else function
