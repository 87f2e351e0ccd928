"""Probes of elementwise loops: the trace of a run in plain Python, or the cells after a compiled one.

An operand is (cells, offset): the numbers of a whole storage, or how many there are, and where its first element lies.
An input may also be "out" or "a", and the operand then uses that operand's cells.
"""

import copy

import numpy as np

from autograder.labs.cpu.looped import in_numba, traced

MOST_EVENTS = 20_000
SHARED = ("out", "a")


def one(c):
    """Build an operation on one number that fails on an array of several numbers."""
    return lambda x, *scalars: c * _number(x) + sum(scalars)


def two(c):
    """Build an operation on two numbers that fails on arrays of several numbers."""
    return lambda x, y, *scalars: _number(x) - c * _number(y) + sum(scalars)


def _number(x):
    if np.ndim(x):
        raise TypeError("f takes single numbers, and got a slice or a vector")
    return float(x)


def vectors_of_two(c):
    """Build an operation on two vectors that raises a TypeError for numbers."""

    def operation(x, y, *scalars):
        if not isinstance(x, np.ndarray) or not isinstance(y, np.ndarray):
            raise TypeError("g takes two vectors, as loadu gives them, and got a number")
        return x - c * y + sum(scalars)

    return operation


def for_numba(c, scalars, kind=float):
    """Build a version of `two` that numba can compile, for numbers and vectors, with one scalar or none."""
    factor = kind(c)
    return (lambda x, y, scalar: x - factor * y + scalar) if scalars else lambda x, y: x - factor * y


def one_for_numba(c, scalars, kind=float):
    """Build a version of `one` that numba can compile, with one scalar or none."""
    factor = kind(c)
    return (lambda x, scalar: factor * x + scalar) if scalars else lambda x: factor * x


def storages(*operands):
    """Make the arrays of the operands, each followed by its offset; an operand may share another operand's array."""
    arrays = []
    for cells, offset in operands:
        if type(cells) is int:
            array = np.arange(cells, dtype=np.float64)
        else:
            array = arrays[2 * SHARED.index(cells)] if cells in SHARED else np.array(cells, _dtype(cells))
        arrays += [array, offset]
    return arrays


def _dtype(cells):
    """Return float64, or int64 if a number is an int that a float64 can't hold."""
    return np.int64 if any(type(cell) is int and abs(cell) > 2**53 for cell in cells) else np.float64


def binary(engine, observed, begin, end, out, a, b, scalars, c):
    """Run the loop of `contiguous_binary` with f = x - c * y + scalars over begin..end; return trace or cells."""
    make, args = engine.cpu.elementwise_loops.contiguous_binary, (begin, end, *storages(out, a, b))
    return _run(engine, observed, make, two, for_numba, c, args, scalars)


def unary(engine, observed, begin, end, out, a, geometry, scalars, c):
    """Run the loop of `strided_unary` with f = c * x + scalars over begin..end; return trace or cells."""
    make = engine.cpu.elementwise_loops.strided_unary
    args = (begin, end, *storages(out, a), np.array(geometry, np.int64))
    return _run(engine, observed, make, one, one_for_numba, c, args, scalars)


def by_vectors(engine, observed, lanes, begin, end, out, a, b, scalars, c):
    """Run the loop of `contiguous_binary_vec` over begin..end, and return its trace or, if compiled, the cells."""
    from numba.extending import register_jitable

    make = engine.cpu.elementwise_loops.contiguous_binary_vec
    args = (begin, end, *storages(out, a, b))
    if observed == "compiled":
        f, g = register_jitable(for_numba(c, scalars)), register_jitable(for_numba(c, scalars))
        return _compiled(engine, make(f, g, lanes), args, scalars, make.__name__, c, lanes)
    vectorized = engine.cpu.vectorized
    instead = ((vectorized.loadu, vector_load), (vectorized.storeu, vector_store))
    loop = make(two(c), vectors_of_two(c), lanes)
    make(two(c + 1), vectors_of_two(c + 1), lanes + 1)  # another kernel's, which the first one knows nothing of
    return traced(engine, loop, *args, scalars, instead=instead, most_events=MOST_EVENTS)


def vector_load(array, index, lanes):
    """Load `lanes` numbers one by one, as a stand-in for `loadu`."""
    numbers = np.zeros(lanes)
    for lane in range(lanes):
        numbers[lane] = array[index + lane]
    return numbers


def vector_store(array, index, value):
    """Store the numbers of a vector one by one, as a stand-in for `storeu`."""
    for lane in range(len(value)):
        array[index + lane] = value[lane]


def _run(engine, observed, make, function_of, numba_function_of, c, args, scalars):
    if observed in ("compiled", "pasted"):
        from numba.extending import register_jitable

        kind = _kind(args)
        function = numba_function_of(c, scalars, kind)
        loop = _plain(make(register_jitable(function)))
        if observed == "compiled":
            return _compiled(engine, loop, args, scalars, make.__name__, c)
        alone = make(function)(*copy.deepcopy(args), tuple(map(kind, scalars)))
        loop = engine.cpu.elementwise_loops.in_place_or(loop)  # as the engine does; what the text returns is lost there
        return _compiled(engine, loop, args, scalars, make.__name__, c, observed) | _returned(alone)
    loop = make(function_of(c))
    make(function_of(c + 1))  # another kernel's, which the first one knows nothing of
    return traced(engine, loop, *args, scalars, most_events=MOST_EVENTS)


def _compiled(engine, loop, args, scalars, *captured):
    kind = _kind(args)
    dispatcher = in_numba(engine, "elementwise", _plain(loop), *captured, bool(scalars), kind)
    returned = dispatcher(*args, tuple(map(kind, scalars)))
    return {"out": args[2].tolist()} | _returned(returned)


def _kind(args):
    return int if args[2].dtype == np.int64 else float


def _plain(loop):
    if hasattr(loop, "py_func"):
        raise SyntaxError("the maker returns the loop as it is, without @njit: the engine compiles it")
    return loop


def _returned(value):
    return {"returned": value if value is None else type(value).__name__}
