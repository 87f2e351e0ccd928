"""Reductions: which dimensions go, what the result looks like, how a kernel walks the input.

Mirrors aten/src/ATen/native/ReduceOpsUtils.h and TensorIterator::reduce_op.
"""

import functools
from collections.abc import Sequence

from .. import dtypes
from .. import strides as geometry
from ..strides import Ints
from ..tensor_impl import Tensor
from .iterator import TensorIterator, cast_input
from .iterator_geometry import loop_over, reorder_dimensions
from .iterator_plan import IteratorPlan, Operand
from .structured import MetaBase

Mask = tuple[bool, ...]


def make_dim_mask(dims: Sequence[int] | None, ndim: int) -> Mask:
    """Return, for each of `ndim` dimensions, whether a reduction over `dims` reduces it.

    Of the errors below the first that applies is raised. Their texts are your own.

    Args:
        dims: a tuple of ints; negative ones count from the end. None or () means all dimensions. A tensor without
            dimensions takes 0 or -1, which removes nothing; together they name one dimension twice.
        ndim: number of dimensions of the input.
    Returns:
        tuple of `ndim` bools
    Raises:
        RuntimeError: dims are named and `ndim` is above 64 (PyTorch's mask has 64 bits).
        IndexError: a dim is out of range.
        RuntimeError: all are in range, but a dimension is named twice.

    >>> make_dim_mask((0, -1), 3)
    (True, False, True)

    Source: make_dim_mask (aten/src/ATen/native/ReduceOpsUtils.h), which calls at::dim_list_to_bitset.
    """
    if not dims:
        return (True,) * ndim
    if ndim > 64:
        raise RuntimeError("only tensors with up to 64 dims are supported")
    wrapped = [geometry.wrap_dim(dim, ndim) for dim in dims]
    for place, dim in enumerate(wrapped):
        if dim in wrapped[:place]:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return tuple(d in wrapped for d in range(ndim))


def resize_reduction(
    op: MetaBase, self: Tensor, dims: Sequence[int] | None, keepdim: bool, dtype: dtypes.dtype, index: int = 0
) -> None:
    """Declare output `index` of `op` without computing it: the meta function that reductions share.

    The output has the sizes of `self` without the dimensions that `dims` names; with `keepdim` these have size 1
    instead. Its strides are contiguous, and it is on the device of `self`. It is declared by one call of
    `op.set_output_raw_strided(index, sizes, strides, dtype, device)`, by position or by these names, sizes and strides
    as tuples.

    Args:
        self: the input. `self._sizes` and `self._storage.device` are what meta functions read.
        dims: what is reduced, as `make_dim_mask` takes it: None and () mean all dimensions.
        dtype: of the output, whatever the dtype of `self` is.
    Raises:
        IndexError, RuntimeError: as `make_dim_mask`, before anything is declared.

    Source: at::meta::resize_reduction (aten/src/ATen/native/ReduceOpsUtils.h).
    """
    sizes, strides = reduction_geometry(self._sizes, dims, keepdim)
    op.set_output_raw_strided(index, sizes, strides, dtype, self._storage.device)


@functools.lru_cache(maxsize=2048)
def reduction_geometry(sizes: Ints, dims: Sequence[int] | None, keepdim: bool) -> tuple[Ints, Ints]:
    """Return the sizes and strides of a reduction's result, computed once for each input."""
    mask = make_dim_mask(dims, len(sizes))
    pairs = zip(sizes, mask, strict=True)
    reduced = tuple(1 if is_reduced else size for size, is_reduced in pairs if keepdim or not is_reduced)
    return reduced, geometry.contiguous_strides(reduced)


def make_reduction(
    result: Tensor,
    self: Tensor,
    dims: Sequence[int] | None,
    keepdim: bool,
    dtype: dtypes.dtype | None = None,
) -> TensorIterator:
    """Return an iterator over (result, self); its `plan.reduced` marks the loop dimensions that don't advance `result`.

    Args:
        result: the output as `resize_reduction` declares it.
        dims: what is reduced; none or None is everything.
        dtype: `self` is cast to it first; None leaves that to the kernel.

    Source: make_reduction, TensorIterator::reduce_op.
    """
    iter = TensorIterator(result)
    if dtype is not None and self._dtype is not dtype:
        self = cast_input(self, dtype)
    iter.plan = memoized_reduction_plan(
        self._sizes, self._strides, self._dtype, dims, result._sizes, result._strides, result._dtype, keepdim
    )
    iter.operands = (result, self)
    return iter


def make_reductions(
    first: Tensor, second: Tensor, self: Tensor, dims: Sequence[int] | None, keepdim: bool
) -> TensorIterator:
    """Return an iterator over (first, second, self), as `make_reduction` does for one output."""
    iter = TensorIterator(first)
    iter.plan = memoized_reductions_plan(
        self._sizes, self._strides, self._dtype, dims, first._sizes, first._strides, first._dtype, keepdim,
        second._strides, second._dtype,
    )  # fmt: skip
    iter.operands = (first, second, self)
    return iter


@functools.lru_cache(maxsize=2048)
def memoized_reductions_plan(
    sizes: Ints, strides: Ints, scalar_type: dtypes.dtype, dims: Sequence[int] | None, result_sizes: Ints,
    first_strides: Ints, first_kind: dtypes.dtype, keepdim: bool, second_strides: Ints, second_kind: dtypes.dtype,
) -> IteratorPlan:  # fmt: skip
    """Return the plan of `plan_reduction` for two outputs, computed once for each geometry."""
    mask = make_dim_mask(dims, len(sizes))
    results = Operand(result_sizes, first_strides, first_kind), Operand(result_sizes, second_strides, second_kind)
    return plan_reduction(Operand(sizes, strides, scalar_type), mask, results[0], keepdim, results[1])


@functools.lru_cache(maxsize=2048)
def memoized_reduction_plan(
    sizes: Ints, strides: Ints, scalar_type: dtypes.dtype, dims: Sequence[int] | None, result_sizes: Ints,
    result_strides: Ints, result_kind: dtypes.dtype, keepdim: bool,
) -> IteratorPlan:  # fmt: skip
    """Return the plan of `plan_reduction`, computed once per geometry; a flat key is hashed faster than nested keys."""
    mask = make_dim_mask(dims, len(sizes))
    result = Operand(result_sizes, result_strides, result_kind)
    return plan_reduction(Operand(sizes, strides, scalar_type), mask, result, keepdim)


def plan_reduction(self: Operand, mask: Mask, result: Operand, keepdim: bool, *others: Operand) -> IteratorPlan:
    """Return the plan of a reduction: a loop over `self`, in which the output has stride 0 along reduced dimensions.

    Reduced dimensions are innermost, so the inputs of one output are found in the last loop dimensions.

    Args:
        others: outputs beside `result`, of the same sizes; they come before `self` in the loop.
    Raises:
        RuntimeError: the result is the input itself, which became smaller: a loop would leave its memory.

    Source: review_reduce_result.
    """
    pairs = zip(self.sizes, mask, strict=True)
    if result.sizes != tuple([1 if gone else size for size, gone in pairs if keepdim or not gone]):
        raise RuntimeError("unsupported operation: the output of a reduction is its input, and has taken other sizes")
    steps = tuple(steps_over(mask, output.strides, keepdim) for output in (result, *others))
    perm = reorder_dimensions(self.sizes, (*steps, self.strides), is_reduction=True)
    loop_sizes, loop_strides = loop_over(self.sizes, (*steps, self.strides), perm)
    return IteratorPlan(
        sizes=result.sizes,
        strides=result.strides,
        dtype=result.dtype,
        common_dtype=self.dtype,
        casts=(False,),
        needs_cast=False,
        cast_output=False,
        loop_sizes=loop_sizes,
        loop_strides=loop_strides,
        reduced=tuple(size != 1 and step == 0 for size, step in zip(loop_sizes, loop_strides[0], strict=True)),
    )


def steps_over(mask: Mask, strides: Ints, keepdim: bool) -> Ints:
    """Return the strides of a result over the dimensions of the input: 0 along reduced dimensions.

    >>> steps_over((True, False, True), (1,), keepdim=False)
    (0, 1, 0)
    """
    left = iter(strides)
    steps = [next(left) if keepdim or not is_reduced else 0 for is_reduced in mask]
    return tuple(0 if is_reduced else step for is_reduced, step in zip(mask, steps, strict=True))
