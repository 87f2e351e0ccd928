"""Tensors one after the other along a dimension: cat, and along a new one: stack.

Mirrors cat and stack of aten/src/ATen/native/TensorShape.cpp.
"""

from typing import Any

from ... import strides as geometry
from ...dtypes import channels_last, contiguous_format, dtype, memory_format
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..memory_overlap import assert_no_internal_overlap, assert_no_overlap
from ..structured import MetaBase
from ..type_promotion import SCALAR_TYPE_NAMES, Promotion, can_cast, result_type
from .copy import copy_stub
from .resize import strides_of_format

Tensors = tuple[Tensor, ...]


def cat_meta(op: MetaBase, tensors: Tensors, dim: int) -> dict[str, Any]:
    """Declare the tensors one after the other along `dim`, in their promoted dtype and, if they agree, their layout.

    Tensors of sizes (0,) are skipped whatever the others' sizes are, as they were in PyTorch's beginnings.

    Returns:
        what the kernel gets in place of `dim`; `valid` is the first tensor that is not skipped.
    Raises:
        ValueError: no tensors.
        IndexError: `dim` is out of range.
        RuntimeError: a tensor without dimensions, sizes that differ elsewhere than in `dim`, or `out=` is one of the
            tensors.
        TypeError: `out=` can't hold the dtype.
    """
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    device = tensors[0].device
    for position, tensor in enumerate(tensors):
        if tensor.device != device:
            raise RuntimeError(f"Tensor on device {tensor.device} is not on the expected device {device}!")
        if not tensor._sizes:
            raise RuntimeError(f"zero-dimensional tensor (at position {position}) cannot be concatenated")
    valid = next((position for position, tensor in enumerate(tensors) if not is_skipped(tensor)), len(tensors))
    promoted = _common_dtype(op, tensors)
    sizes: Ints = (0,)
    format_of_all = contiguous_format
    if valid < len(tensors):
        dim = geometry.wrap_dim(dim, len(tensors[valid]._sizes))
        sizes = concatenated_sizes(tensors, valid, dim)
        format_of_all = _common_format(tensors)
    op.set_output_raw_strided(0, sizes, strides_of_format(sizes, format_of_all), promoted, device)
    if op.has_given_outputs:
        assert_no_internal_overlap(op.outputs[0]._sizes, op.outputs[0]._strides)
        for tensor in tensors:
            assert_no_overlap(op.outputs[0], tensor)
    first = tensors[min(valid, len(tensors) - 1)]
    return {
        "dim": dim,
        "valid": valid,
        "all_contiguous": all(tensor.is_contiguous(format_of_all) for tensor in tensors if not is_skipped(tensor)),
        "all_same_dtype": all(tensor._dtype is promoted for tensor in tensors),
        "all_same_sizes_and_stride": all(
            (tensor._sizes, tensor._strides) == (first._sizes, first._strides) for tensor in tensors
        ),
        "memory_format": format_of_all,
    }


def is_skipped(tensor: Tensor) -> bool:
    """Whether `cat` leaves the tensor out: it has the sizes (0,)."""
    return tensor._sizes == (0,)


def concatenated_sizes(tensors: Tensors, valid: int, dim: int) -> Ints:
    """Sizes of the result: the tensors' own, but for `dim`, where they add up.

    Args:
        valid: number of the first tensor that is not skipped; all others must fit it.
        dim: in [0, number of its dimensions).
    Raises:
        RuntimeError: a tensor does not fit.
    """
    wanted, total = tensors[valid]._sizes, 0
    for position, tensor in enumerate(tensors):
        if is_skipped(tensor):
            continue
        sizes = tensor._sizes
        if len(sizes) != len(wanted):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(wanted)} and {len(sizes)}")
        for d, (expected, got) in enumerate(zip(wanted, sizes, strict=True)):
            if d != dim and expected != got:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {expected} but got size "
                    f"{got} for tensor number {position} in the list."
                )
        total += sizes[dim]
    return (*wanted[:dim], total, *wanted[dim + 1 :])


def _common_dtype(op: MetaBase, tensors: Tensors) -> dtype:
    promoted = result_type(*(Promotion(tensor._dtype, len(tensor._sizes)) for tensor in tensors))
    given = op.maybe_get_output(0)
    if given is None:
        return promoted
    if not can_cast(promoted, given._dtype):
        name = SCALAR_TYPE_NAMES[given._dtype]
        raise TypeError(f"torch.cat(): input types can't be cast to the desired output type {name}")
    return given._dtype


def _common_format(tensors: Tensors) -> memory_format:
    lies_so = all(suggests_channels_last(tensor._sizes, tensor._strides) for tensor in tensors)
    return channels_last if lies_so else contiguous_format


def suggests_channels_last(sizes: Ints, strides: Ints) -> bool:
    """Whether the dimensions of a geometry, with or without gaps, lie in the order of channels_last.

    Where sizes of 1 leave both orders open, the contiguous one is meant.

    >>> suggests_channels_last((2, 3, 4, 5), (60, 1, 15, 3)), suggests_channels_last((2, 1, 4, 5), (20, 20, 5, 1))
    (True, False)

    Source: is_channels_last_strides_2d (c10/core/MemoryFormat.h).
    """
    if len(sizes) != 4 or not strides[1]:
        return False
    least = 0
    for d in (1, 3, 2, 0):
        if not sizes[d] or strides[d] < least or (d == 0 and least == strides[1]):
            return False
        least = strides[d] * sizes[d]
    return True


def cat_out_cpu(
    op: MetaBase, tensors: Tensors, dim: int, valid: int, all_contiguous: bool, all_same_dtype: bool,
    all_same_sizes_and_stride: bool, memory_format: memory_format, out: Tensor,
) -> None:  # fmt: skip
    """Copy each tensor into its part of `out`. PyTorch copies runs of bytes where `all_...` allow it; here the copy
    kernel finds them itself."""
    kernel, begin = copy_stub.kernels["cpu"], 0
    for tensor in tensors:
        if 0 not in tensor._sizes:
            length = tensor._sizes[dim]
            sizes = (*out._sizes[:dim], length, *out._sizes[dim + 1 :])
            kernel(out._alias(sizes, out._strides, out._storage_offset + begin * out._strides[dim]), tensor)
            begin += length


def concat(tensors: Tensors, dim: int) -> Tensor:
    """`cat` under another name."""
    return at.cat(tensors, dim)


def concat_out(tensors: Tensors, dim: int, out: Tensor) -> Tensor:
    """`cat` into `out` under another name."""
    return at.cat_out(tensors, dim, out=out)


def concatenate(tensors: Tensors, dim: int) -> Tensor:
    """`cat` under its NumPy name."""
    return at.cat(tensors, dim)


def concatenate_out(tensors: Tensors, dim: int, out: Tensor) -> Tensor:
    """`cat` into `out` under its NumPy name."""
    return at.cat_out(tensors, dim, out=out)


# ---- along a new dimension


def stack(tensors: Tensors, dim: int) -> Tensor:
    """The tensors, all of the same sizes, as the entries of a new dimension `dim`.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: no tensors, or their sizes differ.
    """
    dim = _dim_to_stack(tensors, dim)
    return at.cat(tuple(at.unsqueeze(tensor, dim) for tensor in tensors), dim)


def stack_out(tensors: Tensors, dim: int, out: Tensor) -> Tensor:
    """`stack` into `out`, which takes the sizes."""
    dim = _dim_to_stack(tensors, dim)
    return at.cat_out(tuple(at.unsqueeze(tensor, dim) for tensor in tensors), dim, out=out)


def _dim_to_stack(tensors: Tensors, dim: int) -> int:
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0]._sizes
    dim = geometry.wrap_dim(dim, len(first) + 1)
    for position, tensor in enumerate(tensors):
        if tensor._sizes != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(tensor._sizes)} at entry {position}"
            )
    return dim
