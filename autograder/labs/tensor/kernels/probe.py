"""Probe of the kernels: two tensors in, a fresh one out."""

import math


def binary(engine, name, x, y):
    """Call the kernel `name` with two tensors, each (storage, sizes, strides), and return what is in the result.

    The elements are read through the result's own index, as floats, in reading order.
    """
    tiny = engine.tiny_tensor
    tensors = [tiny.Tensor(list(storage), sizes, strides) for storage, sizes, strides in (x, y)]
    result = getattr(tiny, name)(*tensors)
    if type(result) is not tiny.Tensor:
        return "no tensor"
    before = [storage for storage, *_ in (x, y)]
    sizes, cells = tuple(result.sizes), len(result.storage)
    return {
        "sizes": sizes,
        "numbers in the storage": cells,
        "elements": [float(result[index]) for index in tiny.indices(sizes)]
        if cells == math.prod(sizes)
        else "not read",
        "shares": any(result.storage is tensor.storage for tensor in tensors),
        "arguments": [list(tensor.storage) for tensor in tensors] == [list(storage) for storage in before],
    }
