"""The walk of an elementwise operation over its operands: computed from their geometry alone, once per geometry.

From sizes, strides and dtypes of the operands follow the sizes, strides and dtype of the output, which inputs are
cast, and the loop: the fewest dimensions, in the order of memory. All of it is in an `IteratorPlan`, which
holds no tensor, so calls of the same geometry share one. Mirrors TensorIteratorBase::build and what it calls
(aten/src/ATen/TensorIterator.cpp).
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .. import dtypes
from .. import strides as geometry
from ..strides import Ints
from .iterator_geometry import expand_strides, fast_setup_strides, loop_over, reorder_dimensions, strides_of_order
from .memory_overlap import assert_no_internal_overlap
from .type_promotion import SCALAR_TYPE_NAMES, Promotion, can_cast, result_type

Dtype = dtypes.dtype


@dataclass(frozen=True, eq=False)
class IteratorConfig:
    """The requirements of an operation on its operands. Mirrors at::TensorIteratorConfig, with its names and defaults.

    `static_dtype` is the dtype that the kernel writes, whatever it reads. `max_cpu_scalars` is how many inputs without
    dimensions may be on the CPU beside another device. `conditions` counts the first inputs that keep their dtype.
    PyTorch's `allow_cpu_scalars` means one, and its `where` moves and casts its inputs by itself.
    """

    check_mem_overlap: bool = True
    max_cpu_scalars: int = 0
    check_all_same_dtype: bool = True
    promote_inputs_to_common_dtype: bool = False
    promote_integer_inputs_to_float: bool = False
    cast_common_dtype_to_outputs: bool = False
    enforce_safe_casting_to_output: bool = False
    resize_outputs: bool = True
    static_dtype: Dtype | None = None
    conditions: int = 0


class Operand(NamedTuple):
    """A tensor as a plan sees it: sizes and strides in elements, dtype, and whether it was a Python number."""

    sizes: Ints
    strides: Ints
    dtype: Dtype
    is_wrapped_number: bool = False


@dataclass(frozen=True, eq=False)
class IteratorPlan:
    """The plan of a kernel's loop and output. Operands are numbered: 0 for the output, 1, 2, ... for the inputs.

    `loop_sizes` and `loop_strides` (of each operand, in elements) have at least one dimension, innermost last;
    a broadcast dimension has stride 0. The rest follows from them. A kernel runs flat over `numel` elements if
    `is_contiguous`; flat with one input held still if `cell` names it; else over `geometry`. Every operand begins at
    its own storage offset.
    """

    sizes: Ints  # of the output
    strides: Ints  # of the output
    dtype: Dtype  # that the kernel writes
    common_dtype: Dtype  # that the inputs have when the kernel reads them
    casts: tuple[bool, ...]  # for each input: it must be cast to common_dtype first
    needs_cast: bool  # any of these
    cast_output: bool  # the given output has another dtype: the kernel writes a new tensor, which is copied there
    loop_sizes: Ints
    loop_strides: tuple[Ints, ...]
    reduced: tuple[bool, ...] = ()  # for each loop dimension of a reduction: the output stays where it is

    numel: int = field(init=False)  # of the loop
    is_contiguous: bool = field(init=False)  # all operands are dense in one order: n = numel, each step 1
    cell: int = field(init=False)  # the one input that is a single cell while all others are such; 0: there is none
    geometry: np.ndarray = field(init=False)  # (1 + operands, ndim) int64: loop_sizes, then loop_strides

    def __post_init__(self) -> None:
        inner = [steps[-1] for steps in self.loop_strides]
        moving = len(self.loop_sizes) == 1 and inner[0] == 1 and set(inner) <= {0, 1}
        derived = {
            "numel": (numel := math.prod(self.loop_sizes)),
            "is_contiguous": not self.reduced and (numel <= 1 or (moving and 0 not in inner)),
            "cell": inner.index(0) if moving and inner.count(0) == 1 and numel > 1 else 0,
            "geometry": np.array((self.loop_sizes, *self.loop_strides), np.int64),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)


def compute_shape(
    config: IteratorConfig, output: Operand | None, is_read_write: bool, inputs: Sequence[Operand]
) -> Ints:
    """Return the shape that all inputs broadcast to. A given output that is not an input is resized if allowed.

    Raises:
        RuntimeError: the sizes do not broadcast, or the output has others and may not be resized.

    Source: TensorIteratorBase::compute_shape, mark_resize_outputs.
    """
    fixed = [output] if output and not config.resize_outputs else []
    shape = geometry.broadcast_shapes(*(operand.sizes for operand in (*fixed, *inputs)))
    if output and output.sizes != shape and (is_read_write or fixed):
        raise RuntimeError(f"output with shape {list(output.sizes)} doesn't match the broadcast shape {list(shape)}")
    return shape


def compute_common_dtype(
    config: IteratorConfig, default_dtype: Dtype, output: Operand | None, inputs: Sequence[Operand]
) -> Dtype:
    """Return the dtype that the operation computes in, and check that the output can take it.

    Raises:
        RuntimeError: dtypes differ that may not, or the result can't be cast to the output's dtype.

    Source: TensorIteratorBase::compute_types.
    """
    operands = (output, *inputs) if output else inputs
    common = (inputs or operands)[0].dtype
    if config.promote_inputs_to_common_dtype:
        promoted = inputs[config.conditions :]
        ranks = (Promotion(op.dtype, len(op.sizes), op.is_wrapped_number) for op in promoted)
        common = result_type(*ranks, default_dtype=default_dtype)
    elif config.check_all_same_dtype:
        for operand in operands:
            if operand.dtype is not common:
                found, expected = SCALAR_TYPE_NAMES[operand.dtype], SCALAR_TYPE_NAMES[common]
                raise RuntimeError(f"Found dtype {found} but expected {expected}")
    if config.promote_integer_inputs_to_float and not common.is_floating_point:
        common = default_dtype
    if config.enforce_safe_casting_to_output and output and not can_cast(common, output.dtype):
        raise RuntimeError(
            f"result type {SCALAR_TYPE_NAMES[common]} can't be cast to the desired output type "
            f"{SCALAR_TYPE_NAMES[output.dtype]}"
        )
    return common


def cast_operand(operand: Operand, scalar_type: Dtype) -> Operand:
    """Return the `Operand` of a copy in another dtype: dense, with the dimensions in the same order in memory."""
    if geometry.is_non_overlapping_and_dense(operand.sizes, operand.strides):
        return operand._replace(dtype=scalar_type)
    return operand._replace(dtype=scalar_type, strides=geometry.infer_dense_strides(operand.sizes, operand.strides))


def plan_iteration(
    config: IteratorConfig,
    default_dtype: Dtype,
    is_meta: bool,
    output: Operand | None,
    is_read_write: bool,
    *inputs: Operand,
) -> IteratorPlan:
    """Return the plan of an elementwise operation.

    Args:
        default_dtype: what Python floats and integers of floating-point operations become.
        is_meta: there is no memory, so nothing is cast.
        output: a given output, or None for a new one. If it has to be resized, the plan is the one for a new output.
        is_read_write: the output is one of the inputs as well.
    Raises:
        RuntimeError: the output holds a cell twice; and as `compute_shape` and `compute_common_dtype`.

    >>> x, y = Operand((2, 3), (3, 1), dtypes.float32), Operand((3,), (1,), dtypes.float32)
    >>> plan = plan_iteration(IteratorConfig(), dtypes.float32, False, None, False, x, y)
    >>> plan.sizes, plan.strides, plan.loop_sizes, plan.loop_strides
    ((2, 3), (3, 1), (2, 3), ((3, 1), (3, 1), (0, 1)))

    Source: TensorIteratorBase::build.
    """
    if output and config.check_mem_overlap:
        assert_no_internal_overlap(output.sizes, output.strides)
    shape = compute_shape(config, output, is_read_write, inputs)
    common = compute_common_dtype(config, default_dtype, output, inputs)
    written = config.static_dtype or common
    casts = [config.promote_inputs_to_common_dtype and operand.dtype is not common for operand in inputs]
    casts[: config.conditions] = [False] * config.conditions
    read = [cast_operand(op, common) if cast and not is_meta else op for op, cast in zip(inputs, casts, strict=True)]

    cast_output = output is not None and config.cast_common_dtype_to_outputs and output.dtype is not written
    kept = None if output is None or output.sizes != shape or cast_output else output
    strides, loop_sizes, loop_strides = lay_out(shape, kept, read)
    return IteratorPlan(
        sizes=shape,
        strides=strides,
        dtype=written if output is None or cast_output else output.dtype,
        common_dtype=common,
        casts=tuple(casts),
        needs_cast=any(casts) and not is_meta,
        cast_output=cast_output and not is_meta,
        loop_sizes=loop_sizes,
        loop_strides=loop_strides,
    )


def lay_out(shape: Ints, output: Operand | None, inputs: Sequence[Operand]) -> tuple[Ints, Ints, tuple[Ints, ...]]:
    """Return the strides of the output and the loop over all operands: its sizes and each operand's strides.

    Args:
        output: an output that keeps its geometry; None for one that is laid out as the inputs are.
    """
    walked = [output, *inputs] if output else list(inputs)
    if all(operand.sizes == shape for operand in walked):
        dense = fast_setup_strides(shape, [operand.strides for operand in walked])
        if dense is not None:
            return output.strides if output else dense, (math.prod(shape),), ((1,),) * (1 + len(inputs))
    steps = [expand_strides(operand.sizes, operand.strides, shape) for operand in walked]
    perm = reorder_dimensions(shape, steps)
    if output:
        return output.strides, *loop_over(shape, steps, perm)
    strides = strides_of_order(shape, perm)
    return strides, *loop_over(shape, [strides, *steps], perm)


@functools.lru_cache(maxsize=8192)
def memoized_plan(
    config: IteratorConfig, default_dtype: Dtype, is_meta: bool, has_output: bool, is_read_write: bool, *fields: Any
) -> IteratorPlan:
    """Return what `plan_iteration` returns, computed once for each geometry, since every operation needs a plan.

    Args:
        fields: the fields of the first `Operand` (the output if `has_output`), of the second, ...: one flat key
            is made and hashed faster than a key of keys.
    """
    operands = [Operand(*fields[first : first + 4]) for first in range(0, len(fields), 4)]
    output = operands.pop(0) if has_output else None
    return plan_iteration(config, default_dtype, is_meta, output, is_read_write, *operands)


class PlanMemos:
    """The dicts in which generated wrappers cache the plan of each geometry, so that later calls skip meta."""

    def __init__(self) -> None:
        self.memos: list[dict[Any, IteratorPlan]] = []

    def new(self) -> dict[Any, IteratorPlan]:
        self.memos.append({})
        return self.memos[-1]

    def cache_clear(self) -> None:
        """Clear all the dicts; the name is the one that functools.lru_cache uses."""
        for memo in self.memos:
            memo.clear()


PLAN_MEMOS = PlanMemos()
MOST_PLANS = 4096  # in one memo; a program that meets more geometries begins anew
