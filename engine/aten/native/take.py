"""Elements of a tensor as if it had one dimension: take, put.

Mirrors aten/src/ATen/native/TensorAdvancedIndexing.cpp.
"""

import math
from collections.abc import Callable
from functools import partial

from ...dtypes import int64
from ...strides import is_contiguous
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides, new_tensor
from ..memory_overlap import assert_no_internal_overlap, assert_no_overlap
from ..structured import resize_output
from ..type_promotion import SCALAR_TYPE_NAMES
from .advanced_indexing import index_put_stub, index_stub
from .indexing_utils import AdvancedIndex, make_info


def take(self: Tensor, index: Tensor) -> Tensor:
    """Return the elements of `self` at the flat indices in `index`, with the sizes of `index`.

    Raises:
        RuntimeError: `index` is not an int64 tensor.
        IndexError: a position is out of range, or there are no elements.
    """
    out = new_tensor(index._sizes, contiguous_strides(index._sizes), self._dtype, self._storage.device)
    return take_out(self, index, out)


def take_out(self: Tensor, index: Tensor, out: Tensor) -> Tensor:
    """Write `take` into `out`."""
    if index._dtype is not int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {SCALAR_TYPE_NAMES[index._dtype]}")
    if not self.numel() and index.numel():
        raise IndexError("take(): tried to take from an empty tensor")
    if out._dtype is not self._dtype:
        mine, theirs = SCALAR_TYPE_NAMES[self._dtype], SCALAR_TYPE_NAMES[out._dtype]
        raise RuntimeError(f"take(): self and out expected to have the same dtype, but got self.dtype = {mine} and "
                           f"out.dtype = {theirs}")  # fmt: skip
    assert_no_internal_overlap(out._sizes, out._strides)
    assert_no_overlap(out, index)
    assert_no_overlap(out, self)
    resize_output(out, index._sizes)
    if index.numel():
        _on_elements(partial(_take, out), self, index)
    return out


def _take(out: Tensor, info: AdvancedIndex) -> None:
    index_stub.kernels[out._storage.device.type](out, info)


def put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    """Return a copy of `self` with `source` written to, or added to, the elements at the flat indices in `index`."""
    return at.put_(at.clone(self), index, source, accumulate)


def put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool) -> Tensor:
    """Write the elements of `source` to `self` at the flat indices in `index`, or add them if `accumulate`.

    Raises:
        RuntimeError: `index` is not an int64 tensor, or dtypes differ.
        IndexError: a position is out of range; `source` has another number of elements.
    """
    if index._dtype is not int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {SCALAR_TYPE_NAMES[index._dtype]}")
    if self._dtype is not source._dtype:
        mine, theirs = SCALAR_TYPE_NAMES[self._dtype], SCALAR_TYPE_NAMES[source._dtype]
        raise RuntimeError(f"put_(): self and source expected to have the same dtype, but got self.dtype = {mine} and "
                           f"source.dtype = {theirs}")  # fmt: skip
    if source.numel() != index.numel():
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.numel()}, index.numel() = {index.numel()}"
        )
    if not self.numel() and index.numel():
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    assert_no_internal_overlap(self._sizes, self._strides)
    assert_no_overlap(self, index)
    assert_no_overlap(self, source)
    if not index.numel():
        return self
    whole = at.contiguous(self)
    values = source if source._sizes == index._sizes else at.reshape(source, index._sizes)
    _on_elements(partial(_put, values, accumulate), whole, index)
    return self if whole is self else at.copy_(self, whole)


def _put(values: Tensor, accumulate: bool, info: AdvancedIndex) -> None:
    index_put_stub.kernels[values._storage.device.type](info, values, accumulate)


def _on_elements(kernel: Callable[[AdvancedIndex], None], self: Tensor, index: Tensor) -> None:
    """Run a kernel for `self` in one dimension; name positions out of range as `take` and `put_` do."""
    whole = self if is_contiguous(self._sizes, self._strides) else at.contiguous(self)
    flat = whole._alias((math.prod(self._sizes),), (1,), whole._storage_offset)
    try:
        kernel(make_info(flat, (index,)))
    except IndexError as error:
        position = str(error).split()[1]
        raise IndexError(
            f"out of range: tried to access index {position} on a tensor of {self.numel()} elements."
        ) from None
