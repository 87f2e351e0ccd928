"""Probe of engine/accessor.py: a program of reads and writes, and the trace of what each of them did."""

import numpy as np

from autograder.examine.error_data import type_name

NUMPY_INDICES = {
    "np.int64(1)": np.int64(1), "np.int32(0)": np.int32(0), "np.float64(1)": np.float64(1), "np.bool_(1)": np.bool_(1),
}  # fmt: skip
"""Indices that a program has as text, "np.int64(1)"."""


def trace(engine, data, sizes, strides, storage_offset, program):
    """Run `program` on one accessor `a` over a copy of `data`, and return the result of each step.

    Args:
        data: list or 1-D array; the cells.
        sizes, strides, storage_offset: geometry of the accessor, in elements.
        program: steps ("get", indices), ("set", indices, value), ("offset", indices), whose last index is given to
            `offset_of`, and ("row", indices), which keeps what it gets as `row`; the indices are applied one after the
            other, each to what the one before gave, and a text in `NUMPY_INDICES` is NumPy's number. "row get" and
            "row set" begin at `row` instead of `a`.
    Returns:
        dict: the number and the text of each step ("1: a[0][1] = 7") -> one of ("element", value), ("accessor", sizes),
        ("offset", cell), "written", ("raised", type name); if there was a "set", "data" -> the cells afterwards.
    Raises:
        NotImplementedError: a method is not written yet.
    """
    cells = data.copy()
    names = {"a": engine.accessor.TensorAccessor(cells, sizes, strides, storage_offset)}
    results = {f"{number}: {step_text(*step)}": _step(engine, names, *step) for number, step in enumerate(program, 1)}
    return results | ({"data": cells} if any("set" in step[0] for step in program) else {})


def step_text(kind, indices, *value):
    """Write a step as Python code."""
    indexed = "row" if kind.startswith("row ") else "a"
    *before, last = (index if _is_of_numpy(index) else repr(index) for index in indices)
    indexed += "".join(f"[{index}]" for index in (before if kind == "offset" else (*before, last)))
    if kind == "row":
        return f"row = {indexed}"
    return f"{indexed}.offset_of({last})" if kind == "offset" else " = ".join((indexed, *map(repr, value)))


def _is_of_numpy(index):
    return type(index) is str and index in NUMPY_INDICES


def _step(engine, names, kind, indices, *value):
    try:
        indices = [NUMPY_INDICES[index] if _is_of_numpy(index) else index for index in indices]
        accessor = names["row" if kind.startswith("row ") else "a"]
        for index in indices[:-1]:
            accessor = accessor[index]
        if kind == "offset":
            return ("offset", accessor.offset_of(indices[-1]))
        if value:
            accessor[indices[-1]] = value[0]
            return "written"
        got = accessor[indices[-1]]
        if kind == "row":
            names["row"] = got
        return _seen(engine, got)
    except (NotImplementedError, NameError):
        raise
    except Exception as error:
        return ("raised", type_name(error))


def _seen(engine, got):
    if type(got) is engine.accessor.TensorAccessor:
        return ("accessor", tuple(got.sizes))  # a list is indexed as a tuple is
    # An array's element is a NumPy scalar; which Python number it is read as is not the question.
    return ("element", got.item() if isinstance(got, np.generic) else got)
