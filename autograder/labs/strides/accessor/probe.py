"""Probe of engine/accessor.py: a program of reads and writes, and the trace of what each of them did."""

import numpy as np

from autograder.examine.raised import type_name


def trace(engine, data, sizes, strides, storage_offset, program):
    """Return the result of each step of `program`, on one accessor over a copy of `data`.

    Args:
        data: list or 1-D array; the cells.
        sizes, strides, storage_offset: geometry of the accessor, in elements.
        program: steps ("get", indices) and ("set", indices, value); the indices are applied one after the
            other, each to what the one before gave.
    Returns:
        list, for each step one of ("element", value), ("accessor", sizes), "written", ("raised", type name);
        then ("data", the cells afterwards), if there was a "set".
    Raises:
        NotImplementedError: a method is not written yet.
    """
    cells = data.copy()
    accessor = engine.accessor.TensorAccessor(cells, sizes, strides, storage_offset)
    steps = [_step(engine, accessor, *step) for step in program]
    return [*steps, ("data", cells)] if any(step[0] == "set" for step in program) else steps


def _step(engine, accessor, kind, indices, *value):
    try:
        for index in indices[:-1]:
            accessor = accessor[index]
        if kind == "set":
            accessor[indices[-1]] = value[0]
            return "written"
        return _seen(engine, accessor[indices[-1]])
    except (NotImplementedError, NameError):
        raise
    except Exception as error:
        return ("raised", type_name(error))


def _seen(engine, got):
    if type(got) is engine.accessor.TensorAccessor:
        return ("accessor", tuple(got.sizes))  # a list is indexed as a tuple is
    # An array's element is a NumPy scalar; which Python number it is read as is not the question.
    return ("element", got.item() if isinstance(got, np.generic) else got)
