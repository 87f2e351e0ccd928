"""Loops of lab 5 run in plain Python under the recorder, with functions in Python for what only compiled code can call.

A probe returns the raw trace; what follows from it is worked out elsewhere.
"""

import types

import numpy as np

MOST_EVENTS = 40_000


def traced(engine, function, *args):
    """The columns of the trace of `function(*args)`."""
    trace = engine.memory_trace.record_call(function, *args, instead=stand_ins(engine), most_events=MOST_EVENTS)
    return engine.memory_trace.to_columns(trace)


def compiled(function, *args):
    """Compile the function with numba and return its result."""
    return in_numba(function)(*args)


def in_numba(function):
    """numba's dispatcher of the function as it is now."""
    import numba

    code, closure = function.__code__, function.__closure__
    fresh = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    return numba.njit(fresh)


def storing(function):
    """A function call(out, x, y) that stores what `function(x, y)` returns to out[0]."""
    scope = {"__name__": "engine.call", "function": function}
    exec("def call(out, x, y):\n    out[0] = function(x, y)\n", scope)
    return scope["call"]


def stand_ins(engine):
    """Pairs of a function of compiled code and one that does the same in Python."""
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
    """A vector is an array of NumPy, but a value, as in compiled code: `s += x` does not change other holders of s."""

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
