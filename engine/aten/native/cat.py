"""Tensors one after the other along a dimension: cat, and along a new one: stack.

Mirrors cat and stack of aten/src/ATen/native/TensorShape.cpp.
"""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from ... import strides as geometry
from ...dtypes import channels_last, contiguous_format, dtype, memory_format
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..memory_overlap import assert_no_internal_overlap, assert_no_overlap
from ..structured import MetaBase
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES, Promotion, can_cast, result_type
from .copy import copy_stub
from .resize import strides_of_format, suggested_format

cat_serial_stub = DispatchStub("cat_serial_stub")
"""kernel(out, tensors): write all elements of each tensor, one tensor after the other; all contiguous, of one dtype."""

MEMORY = 4096  # number of plans that are cached
SKIPPED: Ints = (0,)  # the sizes of a tensor that `cat` leaves out

Tensors = tuple[Tensor, ...]


Geometry = tuple[Ints, Ints, dtype]
"""Of one tensor: sizes, strides in elements, dtype."""


class CatPlan(NamedTuple):
    """The sizes, strides and dtype of a concatenation, and the arguments of the kernel that fills it.

    Args:
        sizes, strides, dtype: of the result, in elements.
        precomputed: what the kernel gets instead of `dim`, as native_functions.yaml names it; `valid` is the number
            of the first tensor that is not skipped.
    """

    sizes: Ints
    strides: Ints
    dtype: dtype
    precomputed: dict[str, Any]


def cat_meta(op: MetaBase, tensors: Tensors, dim: int) -> dict[str, Any]:
    """Declare the concatenation along `dim`, in the tensors' promoted dtype, and channels_last if all tensors are.

    Returns:
        what the kernel gets instead of `dim`.
    Raises:
        ValueError: no tensors.
        IndexError, RuntimeError: as `cat_plan`.
        RuntimeError: `out=` holds a cell twice, or shares cells with one of the tensors.
        TypeError: `out=` can't hold the dtype.
    """
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    out_dtype = op.outputs[0]._dtype if op.has_given_outputs else None
    plan = cat_plan(tuple([(tensor._sizes, tensor._strides, tensor._dtype) for tensor in tensors]), dim, out_dtype)
    if not op.has_given_outputs:
        op.set_output_raw_strided(0, plan.sizes, plan.strides, plan.dtype, tensors[0]._storage.device)
        return plan.precomputed
    out = op.outputs[0]
    op.set_output_raw_strided(0, plan.sizes, plan.strides, out._dtype, tensors[0]._storage.device)
    assert_no_internal_overlap(out._sizes, out._strides)
    for tensor in tensors if any(tensor._sizes != (0,) for tensor in tensors) else ():
        assert_no_overlap(out, tensor)
    precomputed = dict(plan.precomputed)
    precomputed["all_same_dtype"] &= out._dtype is plan.dtype
    precomputed["all_contiguous"] &= out.is_contiguous(memory_format=precomputed["memory_format"])
    return precomputed


@functools.lru_cache(MEMORY)
def cat_plan(tensors: tuple[Geometry, ...], dim: int, out_dtype: dtype | None = None) -> CatPlan:
    """Return the plan for concatenating tensors along `dim`.

    Tensors of sizes (0,) are skipped whatever the others' sizes are, as they were in PyTorch's beginnings. The result
    is channels_last if all tensors are.

    Args:
        tensors: geometry of each, at least one.
        dim: negative dims count from the end; of no account if all tensors are skipped.
        out_dtype: of the tensor to write to, if it is given.
    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: a tensor without dimensions, or sizes that differ elsewhere than in `dim`.
        TypeError: `out_dtype` can't hold the result.

    Source: the meta function of cat (aten/src/ATen/native/TensorShape.cpp).
    """
    all_sizes = [sizes for sizes, _, _ in tensors]
    for position, sizes in enumerate(all_sizes):
        if not sizes:
            raise RuntimeError(f"zero-dimensional tensor (at position {position}) cannot be concatenated")
    promoted = result_type(*(Promotion(scalar_type, len(sizes)) for sizes, _, scalar_type in tensors))
    valid = next((position for position, sizes in enumerate(all_sizes) if sizes != SKIPPED), len(tensors))
    made, lies = SKIPPED, contiguous_format
    dim = geometry.wrap_dim(dim, len(all_sizes[valid])) if valid < len(tensors) else 0
    if out_dtype and not can_cast(promoted, out_dtype):
        name = SCALAR_TYPE_NAMES[out_dtype]
        raise TypeError(f"torch.cat(): input types can't be cast to the desired output type {name}")
    if valid < len(tensors):
        made = concatenated_sizes(all_sizes, valid, dim)
        if all(suggested_format(sizes, strides) is channels_last for sizes, strides, _ in tensors):
            lies = channels_last
    contains_runs = geometry.is_channels_last if lies is channels_last else geometry.is_contiguous
    precomputed = {
        "dim": dim,
        "valid": valid,
        "all_contiguous": all(contains_runs(sizes, strides) for sizes, strides, _ in tensors if sizes != SKIPPED),
        "all_same_dtype": all(scalar_type is promoted for _, _, scalar_type in tensors),
        "all_same_sizes_and_stride": len({(sizes, strides) for sizes, strides, _ in tensors}) == 1,
        "memory_format": lies,
    }
    return CatPlan(made, strides_of_format(made, lies), promoted, precomputed)


def concatenated_sizes(all_sizes: Sequence[Ints], valid: int, dim: int) -> Ints:
    """Return the sizes of the concatenation: the sizes in `dim` add up, all others must be equal.

    Args:
        all_sizes: of each tensor; those that are (0,) are skipped.
        valid: number of the first tensor that is not skipped; all others must fit it.
        dim: in [0, number of its dimensions).
    Raises:
        RuntimeError: a tensor does not fit.

    >>> concatenated_sizes([(2, 3), (0,), (4, 3)], 0, 0)
    (6, 3)
    """
    wanted, total = all_sizes[valid], 0
    for position, sizes in enumerate(all_sizes):
        if sizes == SKIPPED:
            continue
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


def cat_out_cpu(
    op: MetaBase, tensors: Tensors, dim: int, valid: int, all_contiguous: bool, all_same_dtype: bool,
    all_same_sizes_and_stride: bool, memory_format: memory_format, out: Tensor,
) -> None:  # fmt: skip
    """Copy each tensor into its slice of `out`; contiguous tensors along dimension 0 take one serial kernel."""
    is_serial = all_contiguous and all_same_dtype and memory_format is contiguous_format
    if is_serial and dim == 0 and op.device_type == "cpu":
        cat_serial_stub.kernels["cpu"](out, tensors)
        return
    out._flat()  # made once here, the parts below share it
    copy, before, after = copy_stub.kernels[op.device_type], out._sizes[:dim], out._sizes[dim + 1 :]
    part = out._alias(out._sizes, out._strides, out._storage_offset)
    step = out._strides[dim]
    for tensor in tensors:
        sizes = tensor._sizes
        if 0 not in sizes:
            part._sizes = (*before, sizes[dim], *after)
            copy(part, tensor)
            part._storage_offset += sizes[dim] * step


# ---- along a new dimension


def stack(tensors: Tensors, dim: int) -> Tensor:
    """Concatenate tensors of equal sizes along a new dimension `dim`.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: no tensors, or their sizes differ.
    """
    dim = _dim_to_stack(tensors, dim)
    return at.cat(tuple(at.unsqueeze(tensor, dim) for tensor in tensors), dim)


def stack_out(tensors: Tensors, dim: int, out: Tensor) -> Tensor:
    """Write the result of `stack` into `out`, which is resized to fit."""
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
