"""`x[i, :, j]` with tensors, read and written: index, index_put_.

Mirrors aten/src/ATen/native/TensorAdvancedIndexing.cpp.
"""

import warnings
from typing import Any

from ...dtypes import bool_
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..iterator import TensorIteratorBase
from ..memory_overlap import assert_no_internal_overlap, assert_no_overlap, is_expanded
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .indexing_utils import AdvancedIndex, Indices, check_mask, expanded_strides, make_info
from .masked import count_stub, masked_fill__Scalar, masked_select_stub, number_of

index_stub = DispatchStub("index_stub")
"""kernel(out, info): out = the elements that an `AdvancedIndex` names."""
index_put_stub = DispatchStub("index_put_stub")
"""kernel(info, values, accumulate): write or add `values`, of the sizes of `info.geometry`."""


def index_Tensor_meta(op: TensorIteratorBase, self: Tensor, indices: Indices) -> dict[str, Any]:
    """Make an output of the shape of `self[indices]`: the indices' broadcast shape replaces the indexed dimensions.

    Raises:
        IndexError: more indices than dimensions, and as `make_info`.
        RuntimeError: `out=` holds a cell twice or shares cells with an input; or has another dtype.
    """
    _require_few(self, indices)
    if not indices:
        raise IndexError("at least one index must be provided")
    if op.has_given_outputs:
        out = op.outputs[0]
        assert_no_internal_overlap(out._sizes, out._strides)
        for tensor in (self, *indices):
            if tensor is not None:
                assert_no_overlap(out, tensor)
    elif len(indices) == 1 and chooses_elements(self, indices[0]):
        mask = indices[0]
        device = self._storage.device
        count = count_stub.kernels[device.type](mask)
        op.set_output_raw_strided(0, (count,), (1,), self._dtype, device)
        op.operands = (mask,)  # type: ignore[assignment]
        return NOTHING_INDEXED
    info = make_info(self, indices)
    walk = info.geometry
    op.set_output_raw_strided(0, walk.sizes, walk.output_strides, self._dtype, self._storage.device)
    op.operands = (info,)  # type: ignore[assignment]
    return {"sizes": walk.indexed_sizes, "strides": walk.indexed_strides}


NOTHING_INDEXED: dict[str, Any] = {"sizes": (), "strides": ()}


def chooses_elements(self: Tensor, index: Tensor | None) -> bool:
    """Return True if `index` is a bool mask with the shape and device of `self`, so that it selects single elements."""
    return (
        index is not None
        and index._dtype is bool_
        and index._sizes == self._sizes
        and index._storage.device is self._storage.device
        and index._storage.device.type != "meta"
        and bool(index._sizes)
    )


def index_out(op: TensorIteratorBase, self: Tensor, sizes: Ints, strides: Ints, out: Tensor) -> None:
    """Compute out = self[indices]."""
    if isinstance(op.operands[0], Tensor):
        if out._sizes != (0,):
            masked_select_stub.kernels[op.device_type](self, op.operands[0], out)
        return
    index_stub.kernels[op.device_type](out, op.operands[0])


def index_put(self: Tensor, indices: Indices, values: Tensor, accumulate: bool) -> Tensor:
    """Return a copy of `self` with `values` written (if `accumulate`, added) to the elements that `indices` select."""
    return at.index_put_(at.clone(self), indices, values, accumulate)


def index_put_(self: Tensor, indices: Indices, values: Tensor, accumulate: bool) -> Tensor:
    """Compute `self[indices] = values`, or `+=` if `accumulate`, adding once for each time an element is indexed."""
    return at._index_put_impl_(self, indices, values, accumulate, False)


def _index_put_impl_(self: Tensor, indices: Indices, values: Tensor, accumulate: bool, unsafe: bool) -> Tensor:
    """Write or add `values`, which are expanded, to the elements of `self` that the indices name.

    Raises:
        IndexError: as `index`.
        RuntimeError: `values` have another dtype, don't broadcast, or share cells with `self`.
    """
    _require_few(self, indices)
    if is_expanded(self._sizes, self._strides):
        warnings.warn(
            "Use of index_put_ on expanded tensors is deprecated. Please clone() the tensor before performing this "
            "operation. This also applies to advanced indexing e.g. tensor[indices] = tensor",
            stacklevel=2,
        )
    if values._storage.device is not self._storage.device and values._sizes:
        values_on, self_on = values._storage.device, self._storage.device
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but got values on {values_on}, different from other "
            f"tensors on {self_on}; a tensor without dimensions may be on the CPU"
        )
    if not accumulate and values.numel() == 1:
        mask = as_masked_fill(self, indices)
        if mask is not None:
            return masked_fill__Scalar(self, mask, number_of(values, self))
    for tensor in (values, *indices):
        if tensor is not None and tensor._storage is self._storage:
            assert_no_overlap(self, tensor)
    info = make_info(self, indices)
    index_put_stub.kernels[self._storage.device.type](info, _expanded_values(info, values), accumulate)
    return self


def _index_put_impl_meta_(self: Tensor, indices: Indices, values: Tensor, accumulate: bool, unsafe: bool) -> Tensor:
    """Return a meta tensor unchanged; as in PyTorch, nothing is checked here.

    Source: meta__index_put_impl_ (torch/_meta_registrations.py).
    """
    return self


def _expanded_values(info: AdvancedIndex, values: Tensor) -> Tensor:
    shape, sizes = info.geometry.sizes, values._sizes
    if len(sizes) > len(shape) or any(a != b != 1 for a, b in zip(shape[::-1], sizes[::-1], strict=False)):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(sizes)} cannot be broadcast to indexing result of shape "
            f"{list(shape)}"
        )
    if values._dtype is not info.src._dtype:
        mine, theirs = SCALAR_TYPE_NAMES[info.src._dtype], SCALAR_TYPE_NAMES[values._dtype]
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {mine} for the destination and {theirs} "
            "for the source."
        )
    if sizes == shape:
        return values
    return values._alias(shape, expanded_strides(sizes, values._strides, shape), values._storage_offset)


def as_masked_fill(self: Tensor, indices: Indices) -> Tensor | None:
    """Return the mask, unsqueezed to broadcast to `self`, if the only index is a bool tensor, else None.

    Source: canDispatchToMaskedFill.
    """
    mask, consumed = None, 0
    for index in indices:
        if index is None:
            consumed += mask is None  # after the mask it is a dimension like those that no index names
            continue
        if index._dtype is not bool_ or mask is not None or index._storage.device is not self._storage.device:
            return None
        check_mask(self, index, consumed)
        mask, consumed = index, consumed + len(index._sizes)
    if mask is None:
        return None
    for _ in range(len(self._sizes) - consumed):
        mask = at.unsqueeze(mask, -1)
    return mask


def _require_few(self: Tensor, indices: Indices) -> None:
    if len(indices) > len(self._sizes):
        raise IndexError(f"too many indices for tensor of dimension {len(self._sizes)} (got {len(indices)})")
