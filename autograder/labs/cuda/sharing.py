"""Findings of several kernels of lab 6: why a result is wrong, who does how much, what becomes of memory."""

import numpy as np

from autograder.examine import counting
from engine import memory_trace

STARTS = "reads before a store"
SOUND = {"barriers": "reached by all threads", "races": "none", STARTS: "none"}
OF_PRODUCT = {  # hints
    "loads of c": "`c` is loaded once for an element, and not at all where beta is 0: sums stay in a register",
    "stores": "one for each element, when its sum is whole, however few threads there are: t, t + T, ... of T",
    "atomic additions to c": "an element is one thread's from beginning to end: its sum stays in a register",
}


def reasons(trace: counting.Trace, result: str) -> dict[str, str]:
    """The faults that explain a wrong result, listed before it: of several findings the first is explained.

    Args:
        result: as `counting.judged_result` says it. Where it is right, it is another aspect that asks for races.
    """
    found = SOUND if result == "right" else {
        "barriers": counting.barriers(trace), "races": counting.races(trace),
        STARTS: counting.uninitialised_reads(trace),
    }  # fmt: skip
    return {"out of bounds": counting.out_of_bounds(trace), **found}


def most_of_a_thread(trace: counting.Trace, name: str, most: int, space: str = "global", kind: str = "load") -> str:
    """Count the accesses of the busiest thread to an array, or with the name "" to all of a space."""
    return counting.within(max(memory_trace.by_thread(trace, space, kind, name).values()), 0, most)


def of_product(trace: counting.Trace, made: int, beta: int) -> dict[str, str]:
    """Find whether each element of a product `c` is stored once, and loaded only if beta requires it."""
    before = made if beta else 0
    return {
        "loads of c": counting.loads(trace, "c", before, before),
        "stores": counting.stores(trace, "c", made, made),
        "atomic additions to c": counting.atomics(trace, "c", 0, 0),
    }


def shared_cells(trace: counting.Trace, dtype: str, low: int, high: int) -> str:
    """Count the cells of shared memory that a block has, all of one dtype."""
    arrays = [array for array in trace.arrays if array.space == "shared"]
    found = sum(array.size for array in arrays)
    kinds = sorted({array.dtype for array in arrays}) or [dtype]
    wanted = f"{low} to {high} of {dtype}" if low else f"at most {high} of {dtype}"
    return wanted if low <= found <= high and kinds == [np.dtype(dtype).name] else f"{found} of {' and '.join(kinds)}"
