"""Probe of scatter's loop over lines: a trace for each range of lines, all on the same arrays; or compiled code."""

import numpy as np

from autograder.labs.cpu.looped import in_numba, traced


def storages(x, index, y, walk):
    """Make the arrays of x, index and y from their (cells, offset), and the arrays of the walk and the report."""
    return {
        "x": np.array(x[0], np.float64),
        "index": np.array(index[0], np.int64),
        "y": np.array(y[0], np.float64),
        "walk": np.array(walk, np.int64),
        "report": np.zeros(2, np.int64),
    }


def lines(engine, observed, kind, ranges, x, index, y, walk, way):
    """Run the loop of `lines` on ranges of lines, one after the other, and return what it does.

    Args:
        observed: "trace" or "compiled".
        kind: "scatter" or "add".
        ranges: (begin, end) of each.
        x, index, y: (cells, offset).
        walk, way: as of `lines`.
    """
    module = engine.cpu.scatter_gather
    arrays = storages(x, index, y, walk)
    given = (arrays["x"], x[1], arrays["index"], index[1], arrays["y"], y[1], arrays["walk"], tuple(way))
    report = arrays["report"]
    if observed == "compiled":
        from numba.extending import register_jitable

        loop = in_numba(engine, "lines", module.lines(register_jitable(getattr(module, kind))), kind)
        returned = [loop(begin, end, *given, report) for begin, end in ranges]
        return {"x": arrays["x"].tolist(), "report": report.tolist(), "returned": returned}
    loop = module.lines(getattr(module, kind))
    module.lines(module.multiply)  # another kernel's, which the first one knows nothing of
    return [traced(engine, loop, begin, end, *given, report, most_events=20_000) for begin, end in ranges]
