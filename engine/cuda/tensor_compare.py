"""The kernels that choose between operands, and whether two are equal everywhere.

Mirrors aten/src/ATen/native/cuda/TensorCompare.cu, and cuda_equal of aten/src/ATen/native/cuda/Equal.cpp.
"""

from typing import Any

import numpy as np

from ..aten.at import at
from ..aten.native import tensor_compare
from ..cpu.tensor_compare import KERNELS
from ..dtypes import int32
from .driver import cuda
from .elementwise import flat_and_offset, register, walk_of
from .launch import grid_of, launch

register(KERNELS)


@cuda.jit
def find_difference(n, found, a, p, b, q, sizes, sa, sb):
    """Set found[0] = 1 if any pair of elements differs; all threads that write store the same value."""
    i = cuda.grid(1)
    while i < n and found[0] == 0:
        rest, of_a, of_b = type(sizes[0])(i), p, q
        for d in range(len(sizes) - 1, 0, -1):
            k = rest % sizes[d]
            rest = type(sizes[0])(rest // sizes[d])
            of_a += k * sa[d]
            of_b += k * sb[d]
        if a[np.uintp(of_a + rest * sa[0])] != b[np.uintp(of_b + rest * sb[0])]:
            found[0] = 1
        i += cuda.gridsize(1)


def equal(iter: Any) -> bool:
    """Return True if two operands of one dtype are equal everywhere; this waits for the device."""
    _, a, b = iter.operands
    if not a.numel():
        return True
    walk, found = walk_of(iter.plan), at.zeros((1,), int32, None, b._storage.device, None)
    grid, block = grid_of("elementwise", iter.plan.numel)
    cells = (*flat_and_offset(a), *flat_and_offset(b))
    launch(find_difference, grid, block, iter.plan.numel, found._flat(), *cells, walk.sizes, *walk.strides[1:])
    return not at.item(found)


tensor_compare.equal_stub.register("cuda", equal)
