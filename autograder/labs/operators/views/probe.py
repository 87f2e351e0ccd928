"""Probe of a native view operator (engine/aten/native/tensor_transpose.py): the view, and what it shares."""


def permute(engine, sizes, strides, storage_offset, dims, writes, dtype="int64"):
    """Permute a tensor whose elements are their storage indices; return the view, or which tensor sees which writes.

    Args:
        writes: who writes, one after the other: "self" and "result" fill all of theirs with a number, "row" the first
            entry of the result's first dimension.
        dtype: of the tensor.
    Returns:
        without writes, from the native function itself: {"result": geometry and dtype of the result, "elements" of it,
        "self": geometry and dtype of the tensor afterwards, "is new": whether the result is another tensor}; with
        writes, from the operator: [whether storage and first address are the same, then for each write (who, elements
        of self, elements of the result, version of self, version of the result)].
    """
    cells = 1 + storage_offset + sum(max(size - 1, 0) * stride for size, stride in zip(sizes, strides, strict=True))
    x = engine.arange(cells).to(engine.dtypes.DTYPES[dtype]).as_strided(sizes, strides, storage_offset)
    if not writes:
        y = engine.aten.native.tensor_transpose.permute(x, dims)
        return {
            "result": _seen(engine, y),
            "elements": y.tolist() if _is_inside(engine, y) else "outside of the storage",
            "self": _seen(engine, x),
            "is new": y is not x,
        }
    y = engine.permute(x, dims)
    if not _is_inside(engine, y):
        return [_seen(engine, y)]
    seen = [("same storage", y.untyped_storage() is x.untyped_storage(), "same address", x.data_ptr() == y.data_ptr())]
    for number, who in enumerate(writes):
        target = x if who == "self" else y if who == "result" else y[0]
        target.fill_(-1 - number)
        seen.append((who, "self", x.tolist(), "result", y.tolist(), "versions", x._version, y._version))
    return seen


def _is_inside(engine, tensor):
    """Return whether all elements are inside the storage: elements outside are not touched."""
    if type(tensor) is not engine.Tensor:
        return False
    sizes, strides, offset = tuple(tensor.size()), tuple(tensor.stride()), tensor.storage_offset()
    if len(sizes) != len(strides) or any(type(n) is not int or n < 0 for n in (*sizes, *strides, offset)):
        return False
    last = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    return 0 in sizes or (last + 1) * tensor.element_size() <= tensor.untyped_storage().nbytes()


def _seen(engine, tensor):
    if type(tensor) is not engine.Tensor:
        return ("no tensor", type(tensor).__name__)
    return (tuple(tensor.size()), tensor.stride(), tensor.storage_offset(), str(tensor.dtype))
