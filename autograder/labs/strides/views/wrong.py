"""Wrong answers to strides.permute, strides.slice_dim, strides.unfold."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

PERMUTE = "strides.permute"
SLICE = "strides.slice_dim"
UNFOLD = "strides.unfold"
START = "start = {} if start is None else start + size if start < 0 else start"
NO_DIMENSIONS = "without dimensions, `wrap_dim` or `sizes[dim]` raises the same IndexError a line later"

WRONG_ANSWERS = (
    WrongAnswer(PERMUTE, "sends dimension d to dims[d]", ("ordinary", "negative", "refusals"), """
def permute(sizes, strides, dims):
    if len(dims) != len(sizes):
        raise RuntimeError("length")
    order = [wrap_dim(dim, len(sizes)) for dim in dims]
    if len(set(order)) != len(order):
        raise RuntimeError("twice")
    new_sizes, new_strides = [0] * len(sizes), [0] * len(sizes)
    for d, to in enumerate(order):
        new_sizes[to], new_strides[to] = sizes[d], strides[d]
    return tuple(new_sizes), tuple(new_strides)
"""),
    WrongAnswer(PERMUTE, "looks for duplicates before the names are one", ("refusals",), """
def permute(sizes, strides, dims):
    if len(dims) != len(sizes) or len(set(dims)) != len(dims):
        raise RuntimeError("not a permutation")
    return tuple(sizes[d] for d in dims), tuple(strides[d] for d in dims)
"""),
    WrongAnswer(PERMUTE, "a remainder makes every dim fit", ("refusals",), """
def permute(sizes, strides, dims):
    if len(dims) != len(sizes):
        raise RuntimeError("length")
    order = [dim % len(sizes) for dim in dims]
    if len(set(order)) != len(order):
        raise RuntimeError("twice")
    return tuple(sizes[d] for d in order), tuple(strides[d] for d in order)
"""),
    WrongAnswer(PERMUTE, "new strides are contiguous", ("ordinary", "negative", "refusals"), """
def permute(sizes, strides, dims):
    if len(dims) != len(sizes):
        raise RuntimeError("length")
    order = [wrap_dim(dim, len(sizes)) for dim in dims]
    if len(set(order)) != len(order):
        raise RuntimeError("twice")
    new_sizes = tuple(sizes[d] for d in order)
    return new_sizes, contiguous_strides(new_sizes)
"""),
    WrongAnswer(PERMUTE, "refuses with ValueError", ("refusals",), """
def permute(sizes, strides, dims):
    order = [wrap_dim(dim, len(sizes)) for dim in dims]
    if sorted(order) != list(range(len(sizes))):
        raise ValueError("not a permutation")
    return tuple(sizes[d] for d in order), tuple(strides[d] for d in order)
"""),
    WrongAnswer(PERMUTE, "finds a dimension by its size", ("ordinary", "negative", "refusals"), """
def permute(sizes, strides, dims):
    order = [wrap_dim(dim, len(sizes)) for dim in dims]
    if sorted(order) != list(range(len(sizes))):
        raise RuntimeError("no permutation")
    new_sizes = tuple(sizes[d] for d in order)
    return new_sizes, tuple(strides[sizes.index(size)] for size in new_sizes)
"""),
    WrongAnswer(PERMUTE, "takes dims for a permutation if they add up to one", ("refusals",), """
def permute(sizes, strides, dims):
    order = [wrap_dim(dim, len(sizes)) for dim in dims]
    if len(dims) != len(sizes) or sum(order) != sum(range(len(sizes))):
        raise RuntimeError("no permutation")
    return tuple(sizes[d] for d in order), tuple(strides[d] for d in order)
"""),
    WrongAnswer(PERMUTE, "takes dims for a permutation if all sizes are still there", ("refusals",), """
def permute(sizes, strides, dims):
    if len(dims) != len(sizes):
        raise RuntimeError("length")
    order = [wrap_dim(dim, len(sizes)) for dim in dims]
    new_sizes = tuple(sizes[d] for d in order)
    if sorted(new_sizes) != sorted(sizes):
        raise RuntimeError("twice")
    return new_sizes, tuple(strides[d] for d in order)
"""),
    WrongAnswer(PERMUTE, "looks at the dims before their number", ("refusals",), """
def permute(sizes, strides, dims):
    order = [wrap_dim(dim, len(sizes)) for dim in dims]
    if sorted(order) != list(range(len(sizes))):
        raise RuntimeError("no permutation")
    return tuple(sizes[d] for d in order), tuple(strides[d] for d in order)
"""),
    WrongAnswer(SLICE, "divides with /, and rounds up", ("edge",), (
        "length = (end - start + step - 1) // step",
        "length = math.ceil((end - start) / step)",
    )),
    WrongAnswer(SLICE, "a stride is longer only if there is a second element", ("ordinary", "edge", "refusals"), (
        "strides[:dim] + (strides[dim] * step,) + strides[dim + 1 :],",
        "strides[:dim] + (strides[dim] * (step if length > 1 else 1),) + strides[dim + 1 :],",
    )),
    WrongAnswer(SLICE, "an empty range does not move the offset", ("edge",), (
        "storage_offset + start * strides[dim],",
        "storage_offset + (start * strides[dim] if length else 0),",
    )),
    WrongAnswer(SLICE, "a bound beyond the beginning is taken for 0 before it is translated", ("edge",), (
        """
start = 0 if start is None else start + size if start < 0 else start
end = size if end is None else end + size if end < 0 else end
""",
        """
start = 0 if start is None else start
end = size if end is None else end
""",
    )),
    WrongAnswer(SLICE, "the offset is taken before start is clamped", ("edge",), """
def slice_dim(sizes, strides, storage_offset, dim, start=None, end=None, step=1):
    if not sizes:
        raise IndexError("no dimensions")
    dim = wrap_dim(dim, len(sizes))
    if step <= 0:
        raise RuntimeError("step")
    size = sizes[dim]
    start = 0 if start is None else start + size if start < 0 else start
    end = size if end is None else end + size if end < 0 else end
    offset = storage_offset + start * strides[dim]
    start = min(max(start, 0), size)
    length = max((min(end, size) - start + step - 1) // step, 0)
    new_strides = strides[:dim] + (strides[dim] * step,) + strides[dim + 1 :]
    return sizes[:dim] + (length,) + sizes[dim + 1 :], new_strides, offset
"""),
    WrongAnswer(SLICE, "the last, shorter stretch is dropped", ("ordinary", "edge", "refusals"), """
def slice_dim(sizes, strides, storage_offset, dim, start=None, end=None, step=1):
    if not sizes:
        raise IndexError("no dimensions")
    dim = wrap_dim(dim, len(sizes))
    if step <= 0:
        raise RuntimeError("step")
    start, end, _ = slice(start, end).indices(sizes[dim])
    length = max(end - start, 0) // step
    new_strides = strides[:dim] + (strides[dim] * step,) + strides[dim + 1 :]
    return sizes[:dim] + (length,) + sizes[dim + 1 :], new_strides, storage_offset + start * strides[dim]
"""),
    WrongAnswer(SLICE, "the stride stays", ("ordinary", "edge", "refusals"), """
def slice_dim(sizes, strides, storage_offset, dim, start=None, end=None, step=1):
    if not sizes:
        raise IndexError("no dimensions")
    dim = wrap_dim(dim, len(sizes))
    if step <= 0:
        raise RuntimeError("step")
    start, end, _ = slice(start, end).indices(sizes[dim])
    length = len(range(start, end, step))
    return sizes[:dim] + (length,) + sizes[dim + 1 :], strides, storage_offset + start * strides[dim]
"""),
    WrongAnswer(SLICE, "lets Python slice, with its negative steps and its ValueError", ("refusals",), """
def slice_dim(sizes, strides, storage_offset, dim, start=None, end=None, step=1):
    dim = wrap_dim(dim, len(sizes))
    taken = range(sizes[dim])[start:end:step]
    new_strides = strides[:dim] + (strides[dim] * step,) + strides[dim + 1 :]
    return sizes[:dim] + (len(taken),) + sizes[dim + 1 :], new_strides, storage_offset + taken.start * strides[dim]
"""),
    WrongAnswer(SLICE, "an end before the start gives a negative size", ("edge",), """
def slice_dim(sizes, strides, storage_offset, dim, start=None, end=None, step=1):
    if not sizes:
        raise IndexError("no dimensions")
    dim = wrap_dim(dim, len(sizes))
    if step <= 0:
        raise RuntimeError("step")
    start, end, _ = slice(start, end).indices(sizes[dim])
    length = (end - start + step - 1) // step
    new_strides = strides[:dim] + (strides[dim] * step,) + strides[dim + 1 :]
    return sizes[:dim] + (length,) + sizes[dim + 1 :], new_strides, storage_offset + start * strides[dim]
"""),
    WrongAnswer(SLICE, "an end of 0 is taken for none", ("edge",), """
def slice_dim(sizes, strides, storage_offset, dim, start=None, end=None, step=1):
    if not sizes:
        raise IndexError("no dimensions")
    dim = wrap_dim(dim, len(sizes))
    if step <= 0:
        raise RuntimeError("step")
    start, end, _ = slice(start or 0, end or sizes[dim]).indices(sizes[dim])
    length = len(range(start, end, step))
    new_strides = strides[:dim] + (strides[dim] * step,) + strides[dim + 1 :]
    return sizes[:dim] + (length,) + sizes[dim + 1 :], new_strides, storage_offset + start * strides[dim]
"""),
    WrongAnswer(SLICE, "looks at the step only if there is something to step over", ("refusals",), """
def slice_dim(sizes, strides, storage_offset, dim, start=None, end=None, step=1):
    if not sizes:
        raise IndexError("no dimensions")
    dim = wrap_dim(dim, len(sizes))
    start, end, _ = slice(start, end).indices(sizes[dim])
    if step <= 0 and start < end:
        raise RuntimeError("step")
    length = len(range(start, end, step)) if start < end else 0
    new_strides = strides[:dim] + (strides[dim] * step,) + strides[dim + 1 :]
    return sizes[:dim] + (length,) + sizes[dim + 1 :], new_strides, storage_offset + start * strides[dim]
"""),
    WrongAnswer(UNFOLD, "divides with /, and rounds down", ("edge",), (
        "windows = (longest - size) // step + 1",
        "windows = int((longest - size) / step) + 1",
    )),
    WrongAnswer(UNFOLD, "the last window may end outside", ("ordinary", "edge", "refusals"), (
        "windows = (longest - size) // step + 1",
        "windows = -((size - longest) // step) + 1",
    )),
    WrongAnswer(UNFOLD, "one window in a dimension needs no longer stride", ("ordinary", "edge", "refusals"), (
        "strides[:dimension] + (strides[dimension] * step,) + strides[dimension + 1 :] + (strides[dimension],),",
        "strides[:dimension] + (strides[dimension] * (step if windows > 1 else 1),) + strides[dimension + 1 :]"
        " + (strides[dimension],),",
    )),
    WrongAnswer(UNFOLD, "one window too few", ("ordinary", "edge", "refusals"), """
def unfold(sizes, strides, dimension, size, step):
    dimension = wrap_dim(dimension, len(sizes))
    longest = sizes[dimension] if sizes else 1
    if not 0 <= size <= longest or step <= 0:
        raise RuntimeError("size or step")
    if not sizes:
        return (size,), (1,)
    new_sizes = sizes[:dimension] + ((longest - size) // step,) + sizes[dimension + 1 :] + (size,)
    new_strides = strides[:dimension] + (strides[dimension] * step,) + strides[dimension + 1 :]
    return new_sizes, new_strides + (strides[dimension],)
"""),
    WrongAnswer(UNFOLD, "windows counted as if they did not overlap", ("ordinary", "edge", "refusals"), """
def unfold(sizes, strides, dimension, size, step):
    dimension = wrap_dim(dimension, len(sizes))
    longest = sizes[dimension] if sizes else 1
    if not 0 <= size <= longest or step <= 0:
        raise RuntimeError("size or step")
    if not sizes:
        return (size,), (1,)
    new_sizes = sizes[:dimension] + (longest // step,) + sizes[dimension + 1 :] + (size,)
    new_strides = strides[:dimension] + (strides[dimension] * step,) + strides[dimension + 1 :]
    return new_sizes, new_strides + (strides[dimension],)
"""),
    WrongAnswer(UNFOLD, "the window stands beside its dimension, not last", ("ordinary", "edge", "refusals"), """
def unfold(sizes, strides, dimension, size, step):
    dimension = wrap_dim(dimension, len(sizes))
    longest = sizes[dimension] if sizes else 1
    if not 0 <= size <= longest or step <= 0:
        raise RuntimeError("size or step")
    if not sizes:
        return (size,), (1,)
    windows, stride = (longest - size) // step + 1, strides[dimension]
    new_sizes = sizes[:dimension] + (windows, size) + sizes[dimension + 1 :]
    return new_sizes, strides[:dimension] + (stride * step, stride) + strides[dimension + 1 :]
"""),
    WrongAnswer(UNFOLD, "within a window, steps of `step`", ("ordinary", "edge", "refusals"), """
def unfold(sizes, strides, dimension, size, step):
    dimension = wrap_dim(dimension, len(sizes))
    longest = sizes[dimension] if sizes else 1
    if not 0 <= size <= longest or step <= 0:
        raise RuntimeError("size or step")
    if not sizes:
        return (size,), (1,)
    windows, stride = (longest - size) // step + 1, strides[dimension] * step
    new_sizes = sizes[:dimension] + (windows,) + sizes[dimension + 1 :] + (size,)
    return new_sizes, strides[:dimension] + (stride,) + strides[dimension + 1 :] + (stride,)
"""),
    WrongAnswer(UNFOLD, "a tensor without dimensions gets two", ("edge",), """
def unfold(sizes, strides, dimension, size, step):
    dimension = wrap_dim(dimension, len(sizes))
    sizes, strides = sizes or (1,), strides or (1,)
    if not 0 <= size <= sizes[dimension] or step <= 0:
        raise RuntimeError("size or step")
    windows, stride = (sizes[dimension] - size) // step + 1, strides[dimension]
    new_sizes = sizes[:dimension] + (windows,) + sizes[dimension + 1 :] + (size,)
    return new_sizes, strides[:dimension] + (stride * step,) + strides[dimension + 1 :] + (stride,)
"""),
    WrongAnswer(UNFOLD, "a window of size 0 is refused", ("edge",), """
def unfold(sizes, strides, dimension, size, step):
    dimension = wrap_dim(dimension, len(sizes))
    longest = sizes[dimension] if sizes else 1
    if not 0 < size <= longest or step <= 0:
        raise RuntimeError("size or step")
    if not sizes:
        return (size,), (1,)
    windows, stride = (longest - size) // step + 1, strides[dimension]
    new_sizes = sizes[:dimension] + (windows,) + sizes[dimension + 1 :] + (size,)
    return new_sizes, strides[:dimension] + (stride * step,) + strides[dimension + 1 :] + (stride,)
"""),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(SLICE, START.format("0"), START.format("-1"), "the next lines clamp -1 to 0"),
    Equivalent(SLICE, "if not sizes:\nraise IndexError()", "pass", NO_DIMENSIONS),
    Equivalent(SLICE, "raise IndexError()", "pass", NO_DIMENSIONS),
)  # fmt: skip
