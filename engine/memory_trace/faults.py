"""Accesses that a GPU makes without a word and that are wrong all the same: outside an array, or before any store.

compute-sanitizer looks for the same on a GPU (memcheck, initcheck).
"""

from collections.abc import Collection

from .trace import Access, Trace, accesses, cell_of


def out_of_bounds(trace: Trace) -> list[Access]:
    """Return the accesses with an index that is negative, or not below the size of its dimension.

    `a[i, -1]` may well be an element of the array, of the row before: it is outside all the same. numba counts a
    negative subscript from the end, as NumPy does; CUDA C++ does not, and a kernel that meets one has lost its way.
    """
    return [access for access in accesses(trace) if not access.inside]


def uninitialised_reads(trace: Trace, uninitialized: Collection[str] = ()) -> list[Access]:
    """Return the loads and atomics that read an element before any store to it.

    Shared and local memory hold nothing to begin with; an atomic reads before it writes.

    Args:
        uninitialized: names of the arguments that hold nothing either, such as outputs made by `empty`.
    """
    empty = {argument.array for argument in trace.arguments if argument.name in uninitialized}
    stored, found = set(), []
    for access in accesses(trace):
        if not access.inside or (access.space == "global" and access.array not in empty):
            continue
        if access.kind != "store" and access.space != "constant" and cell_of(access) not in stored:
            found.append(access)
        if access.kind != "load":
            stored.add(cell_of(access))
    return found
