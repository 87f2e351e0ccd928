"""Probes of elementwise loops: the trace of a run in plain Python, or the cells after a compiled one.

An operand is (cells, offset): the numbers of a whole storage, and where its first element lies. An input may also be
"out", and the operand then uses the output's cells.
"""

import importlib

import numpy as np


def one(c):
    """The operation on one number; an array of several is none."""
    return lambda x, *scalars: c * float(x) + sum(scalars)


def two(c):
    """The operation on two numbers."""
    return lambda x, y, *scalars: float(x) - c * float(y) + sum(scalars)


def vectors_of_two(c):
    """The operation on two vectors; on numbers it is none."""

    def operation(x, y, *scalars):
        if not isinstance(x, np.ndarray) or not isinstance(y, np.ndarray):
            raise TypeError("g takes two vectors, as loadu gives them, and got a number")
        return x - c * y + sum(scalars)

    return operation


def for_numba(c, scalars):
    """`two` as numba compiles it, also for vectors: with a scalar, or with none."""
    factor = float(c)
    return (lambda x, y, scalar: x - factor * y + scalar) if scalars else lambda x, y: x - factor * y


def one_for_numba(c, scalars):
    """`one` as numba compiles it."""
    factor = float(c)
    return (lambda x, scalar: factor * x + scalar) if scalars else lambda x: factor * x


def storages(*operands):
    """The arrays of the operands, each with its offset; the same array where the cells are the output's."""
    arrays = []
    for cells, offset in operands:
        own = cells != "out"
        arrays += [np.array(cells, np.float64) if own else arrays[0], offset]
    return arrays


def binary(engine, observed, begin, end, out, a, b, scalars, c):
    """Return what the loop of `contiguous_binary` does to begin..end; f is x - c * y and the scalars."""
    make, args = engine.cpu.elementwise_loops.contiguous_binary, (begin, end, *storages(out, a, b))
    return _run(engine, observed, make, two(c), for_numba(c, scalars), args, scalars)


def unary(engine, observed, begin, end, out, a, geometry, scalars, c):
    """Return what the loop of `strided_unary` does to begin..end; f is c * x and the scalars."""
    make = engine.cpu.elementwise_loops.strided_unary
    args = (begin, end, *storages(out, a), np.array(geometry, np.int64))
    return _run(engine, observed, make, one(c), one_for_numba(c, scalars), args, scalars)


def by_vectors(engine, observed, lanes, begin, end, out, a, b, scalars, c):
    """Return what the loop of `contiguous_binary_vec` does to begin..end."""
    from numba.extending import register_jitable

    make = engine.cpu.elementwise_loops.contiguous_binary_vec
    args = (begin, end, *storages(out, a, b))
    if observed == "compiled":
        f, g = register_jitable(for_numba(c, scalars)), register_jitable(for_numba(c, scalars))
        return _compiled(make(f, g, lanes), args, scalars)
    vectorized = engine.cpu.vectorized
    instead = ((vectorized.loadu, vector_load), (vectorized.storeu, vector_store))
    return _traced(engine, make(two(c), vectors_of_two(c), lanes), (*args, scalars), instead)


def vector_load(array, index, lanes):
    """`loadu`, number by number."""
    numbers = np.zeros(lanes)
    for lane in range(lanes):
        numbers[lane] = array[index + lane]
    return numbers


def vector_store(array, index, value):
    """`storeu`, number by number."""
    for lane in range(len(value)):
        array[index + lane] = value[lane]


def _run(engine, observed, make, function, compiled, args, scalars):
    if observed == "compiled":
        from numba.extending import register_jitable

        return _compiled(make(register_jitable(compiled)), args, scalars)
    return _traced(engine, make(function), (*args, scalars))


def _traced(engine, loop, args, instead=()):
    recorder = importlib.import_module(f"{engine.__name__}.recorder")
    return recorder.to_columns(recorder.record_call(loop, *args, instead=instead, most_events=20_000))


def _compiled(loop, args, scalars):
    from numba import njit

    if hasattr(loop, "py_func"):
        raise SyntaxError("the maker returns the loop as it is, without @njit: the engine compiles it")
    njit(loop, error_model="numpy")(*args, tuple(map(float, scalars)))
    return args[2].tolist()
