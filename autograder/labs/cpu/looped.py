"""Loops of lab 5 run in plain Python under the recorder, with functions in Python for what only compiled code can call.

A probe returns the raw trace; what follows from it is worked out elsewhere.
"""

import contextlib
import types

import numpy as np

MOST_EVENTS = 40_000


def traced(engine, function, *args, instead=(), most_events=MOST_EVENTS):
    """Record `function(*args)` and return the columns of its trace.

    Args:
        instead: pairs of a function of compiled code and one in Python, besides the `stand_ins`.
    """
    require_loop(function)
    own = {id(function) for function, _ in instead}
    pairs = (*instead, *(pair for pair in stand_ins(engine) if id(pair[0]) not in own))
    trace = engine.memory_trace.record_call(function, *args, instead=pairs, most_events=most_events)
    # np.uintp(-1) is a huge cell: a negative one, beside its array
    events = (one._replace(index=one.index - 2**64) if one.index >= 2**63 else one for one in trace.events)
    return engine.memory_trace.to_columns(trace._replace(events=tuple(events)))


def require_loop(function):
    """Check that a maker has returned a function.

    Raises:
        TypeError: it has returned something else.
    """
    if not callable(function):
        raise TypeError(f"expected a function that the maker returns, got {function!r}")


def options_of(engine, kernel):
    """Return the numba options with which the engine compiles a kernel, without the disk cache.

    Args:
        kernel: "elementwise", "by_rows" (a matrix times a vector, and dot), "loop_products", "products" (packed
            matrices), "columns" (softmax down columns), "lines" (scatter), "job" (of a pool of threads).
    """
    cpu = engine.cpu
    plain = cpu.loops.Compiled("", (), str, str)
    options = {
        "elementwise": plain.options,
        "by_rows": cpu.matmul.BY_ROWS.compiled.options,
        "loop_products": cpu.matmul.LOOP_PRODUCTS.compiled.options,
        "products": cpu.matmul.PRODUCTS.compiled.options,
        "columns": plain.options,
        "lines": cpu.scatter_gather.SCATTER["add"][0].compiled.options,
        "job": cpu.parallel.run_job.targetoptions,
    }[kernel]
    return {name: value for name, value in options.items() if name not in ("cache", "nopython", "boundscheck")}


def in_numba(engine, kernel, function, *captured):
    """Return a numba dispatcher for the current code of `function`, with the options of the engine's kernel.

    Args:
        captured: what a maker was given that made the function; with the code it says what is compiled.
    """
    import numba

    require_loop(function)

    def compiled():
        code, closure = function.__code__, function.__closure__
        fresh = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
        return numba.njit(**options_of(engine, kernel), no_cfunc_wrapper=True)(fresh)

    if captured or function.__closure__:
        return of_reference(compiled, kernel, function.__qualname__, *captured)
    if _latest.get("code") is not function.__code__:  # the cases of one answer share what is compiled
        _latest.update(code=function.__code__, compiled=of_reference(compiled, kernel, function.__qualname__))
    return _latest["compiled"]


@contextlib.contextmanager
def optimized():
    """Turn on LLVM's optimizations inside the block; in the sandbox they are off elsewhere (quick_compiler.py)."""
    from numba.core import config

    before = config.OPT
    config.OPT = type(before)(3)
    try:
        yield
    finally:
        config.OPT = before


_latest: dict = {}
_of_reference: dict = {}


def of_reference(make, *key):
    """Call `make()`; on the reference engine, whose code never changes, cache its result under `key`."""
    from engine.compiled import replaced

    if replaced():
        return make()
    if key not in _of_reference:
        _of_reference[key] = make()
    return _of_reference[key]


def storing(function):
    """Build a function call(out, x, y) that stores the result of `function(x, y)` in out[0], unless it is None."""
    scope = {"__name__": "engine.call", "function": function}
    exec("def call(out, x, y):\n    found = function(x, y)\n    if found is not None:\n        out[0] = found\n", scope)
    return scope["call"]


def stand_ins(engine):
    """Return pairs of a function for compiled code and its Python equivalent."""
    cpu = engine.cpu
    return (
        (cpu.vectorized.loadu, loadu),
        (cpu.vectorized.storeu, storeu),
        (cpu.vectorized.broadcast, broadcast),
        (cpu.vectorized.fmadd, fmadd),
        (cpu.soft_max.larger, np.fmax),
        (cpu.reduce_functions.plus, plus),
        (cpu.float_bits.fma, fmadd),
    )


class Vector(np.ndarray):
    """A NumPy array with value semantics, as in compiled code: `s += x` does not change other references to `s`."""

    __iadd__ = np.ndarray.__add__  # type: ignore[assignment]
    __isub__ = np.ndarray.__sub__  # type: ignore[assignment]
    __imul__ = np.ndarray.__mul__  # type: ignore[assignment]


def loadu(array, index, lanes):
    numbers = np.empty(lanes, array.dtype).view(Vector)
    for lane in range(lanes):
        numbers[lane] = array[index + lane]
    return numbers


def storeu(array, index, value):
    for lane in range(len(value)):
        array[index + lane] = value[lane]


def broadcast(value, lanes):
    return np.full(lanes, value).view(Vector)


def fmadd(a, b, c):
    return a * b + c


def plus(a, b):
    return a + b
