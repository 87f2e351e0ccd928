"""Probe of the kernels: two tensors in, a fresh one out."""

import math


def binary(engine, name, x, y):
    """Call the kernel `name` with two tensors, each (storage, sizes, strides), and describe the result.

    The elements are read through the result's own index, as floats, in reading order.
    """
    tiny = engine.tiny_tensor
    result = getattr(tiny, name)(*(tiny.Tensor(list(storage), sizes, strides) for storage, sizes, strides in (x, y)))
    if type(result) is not tiny.Tensor:
        return "no tensor"
    return {
        "sizes": tuple(result.sizes),
        "numbers in the storage": len(result.storage),
        "elements": _elements(tiny, result),
    }


def fresh(engine, name, x, y):
    """Call the kernel twice with tensors that have the key "Autograd", and return what is shared, kept or changed."""
    tiny, kernel = engine.tiny_tensor, getattr(engine.tiny_tensor, name)
    keys = {"CPU", "Autograd"}
    tensors = [tiny.Tensor(list(storage), sizes, strides, keys) for storage, sizes, strides in (x, y)]
    result = kernel(*tensors)
    elements, second = _elements(tiny, result), kernel(*tensors)
    if type(result) is not tiny.Tensor:
        return "no tensor"
    before = [storage for storage, *_ in (x, y)]
    return {
        "shares": any(result.storage is tensor.storage for tensor in (*tensors, second)),
        "arguments": [list(tensor.storage) for tensor in tensors] == [list(storage) for storage in before]
        and all(x.keys == keys for x in tensors),
        "keys": (sorted(result.keys), result.node is None),
        "again": elements == _elements(tiny, result) == _elements(tiny, second),
    }


def _elements(tiny, result):
    sizes = tuple(result.sizes)
    if len(result.storage) != math.prod(sizes):
        return "not read"
    return [float(result[index]) for index in tiny.indices(sizes)]
