"""Elements and rows that positions name: index, index_put_, index_select, index_add, index_copy, index_fill, take, put.

Mirrors aten/src/ATen/native/cuda/{IndexKernel,Indexing}.cu.
"""

import functools
from typing import Any

from ..aten.native import advanced_indexing, index_along_dim
from ..aten.native.indexing_utils import AdvancedIndex
from ..dtypes import bool_
from ..tensor_impl import Tensor
from .index_rows import ADD, ADD_BOOL, READ, WRITE, Named, start


def adding(x: Tensor) -> Any:
    """Return the kernel that adds to elements of `x`, chosen by its dtype."""
    return ADD_BOOL if x._dtype is bool_ else ADD


def run(kernel: Any, info: AdvancedIndex, y: Tensor) -> None:
    """Run a kernel over the indexed elements and the elements of `y`, which has the sizes of the index.

    Raises:
        IndexError: a position is out of bounds.
    """
    src, indices, walk = info
    before, after = (0,) * walk.before, (0,) * (len(walk.sizes) - walk.before - len(walk.shape))
    index_strides = tuple([(*before, *strides, *after) for strides in walk.index_strides])
    named = Named(walk.strides, indices, index_strides, walk.indexed_sizes, walk.indexed_strides, True)
    outside = start(kernel, src, named, y)
    if outside is not None:
        k, position = outside
        raise IndexError(f"index {position} is out of bounds for dimension {k} with size {walk.indexed_sizes[k]}")


def index_kernel(out: Tensor, info: AdvancedIndex) -> None:
    """Copy the indexed elements into `out`."""
    run(READ, info, out)


def index_put_kernel(info: AdvancedIndex, values: Tensor, accumulate: bool) -> None:
    """Write values into the indexed elements, or add them if `accumulate`."""
    run(adding(info.src) if accumulate else WRITE, info, values)


def along_dim(kernel: Any, x: Tensor, dim: int, index: Tensor, y: Tensor, alpha: Any = 1) -> int | None:
    """Run a kernel over the rows of `x` along `dim` and the rows of `y`, one for each element of the vector `index`.

    Returns:
        a position that is outside of [0, size), None if there is none.
    """
    strides = (*x._strides[:dim], 0, *x._strides[dim + 1 :])
    along = (*(0,) * dim, *index._strides, *(0,) * (len(strides) - dim - 1))
    named = Named(strides, (index,), (along,), (x._sizes[dim],), (x._strides[dim],), False)
    outside = start(kernel, x, named, y, alpha)
    return None if outside is None else outside[1]


def index_add_kernel(x: Tensor, dim: int, index: Tensor, y: Tensor, alpha: Any = 1) -> int | None:
    """Add alpha * the rows of `y` to the rows of `x` that `index` selects."""
    return along_dim(adding(x), x, dim, index, y, alpha)


advanced_indexing.index_stub.register("cuda", index_kernel)
advanced_indexing.index_put_stub.register("cuda", index_put_kernel)
index_along_dim.index_select_stub.register("cuda", functools.partial(along_dim, READ))
index_along_dim.index_copy_stub.register("cuda", functools.partial(along_dim, WRITE))
index_along_dim.index_add_stub.register("cuda", index_add_kernel)
