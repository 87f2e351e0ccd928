"""Probes of elementwise loops: the trace of a run in plain Python, or the cells after a compiled one.

An operand is (cells, offset): the numbers of a whole storage, and where its first element lies. An input may also be
"out", and the operand's cells are then those of the output.
"""

import importlib

import numpy as np


def one(x, *scalars):
    """The operation on one number; an array of several is none."""
    return 2.0 * float(x) + sum(scalars)


def two(x, y, *scalars):
    """The operation on two numbers."""
    return float(x) - 3.0 * float(y) + sum(scalars)


def vectors_of_two(x, y, *scalars):
    """The operation on two vectors; on numbers it is none."""
    if not isinstance(x, np.ndarray) or not isinstance(y, np.ndarray):
        raise TypeError("g takes two vectors, as loadu gives them, and got a number")
    return x - 3.0 * y + sum(scalars)


def for_numba(x, y, scalar):
    """`two` as numba compiles it, also for vectors."""
    return x - 3.0 * y + scalar


def one_for_numba(x, scalar):
    """`one` as numba compiles it."""
    return 2.0 * x + scalar


def storages(*operands):
    """The arrays of the operands, each with its offset; the same array where the cells are those of the output."""
    arrays = []
    for cells, offset in operands:
        own = cells != "out"
        arrays += [np.array(cells, np.float64) if own else arrays[0], offset]
    return arrays


def binary(engine, observed, begin, end, out, a, b, scalars):
    """What the loop of `contiguous_binary` does to begin..end."""
    make = engine.cpu.elementwise_loops.contiguous_binary
    return _run(engine, observed, make, two, for_numba, (begin, end, *storages(out, a, b)), scalars)


def unary(engine, observed, begin, end, out, a, geometry, scalars):
    """What the loop of `strided_unary` does to begin..end."""
    make = engine.cpu.elementwise_loops.strided_unary
    args = (begin, end, *storages(out, a), np.array(geometry, np.int64))
    return _run(engine, observed, make, one, one_for_numba, args, scalars)


def by_vectors(engine, observed, lanes, begin, end, out, a, b, scalars):
    """What the loop of `contiguous_binary_vec` does to begin..end."""
    from numba.extending import register_jitable

    make = engine.cpu.elementwise_loops.contiguous_binary_vec
    args = (begin, end, *storages(out, a, b))
    if observed == "compiled":
        f, g = register_jitable(for_numba), register_jitable(lambda x, y, scalar: x - 3.0 * y + scalar)
        return _compiled(make(f, g, lanes), args, scalars)
    vectorized = engine.cpu.vectorized
    instead = ((vectorized.loadu, vector_load), (vectorized.storeu, vector_store))
    return _traced(engine, make(two, vectors_of_two, lanes), (*args, scalars), instead)


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

    njit(loop, error_model="numpy")(*args, tuple(map(float, scalars)))
    return args[2].tolist()
