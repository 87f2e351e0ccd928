"""TensorIterator: the operands of an elementwise operation, made ready for a kernel.

`build` checks overlaps and devices, finds the plan (`engine/aten/iterator_plan.py`), declares the output and casts the
inputs. A kernel then reads `iter.plan` and `iter.operands`. A structured operator is itself such an iterator; others
make a `TensorIterator`. Mirrors aten/src/ATen/TensorIterator.{h,cpp}.
"""

from collections.abc import Sequence
from dataclasses import replace
from operator import is_, or_
from typing import Any

import numpy as np

from .. import dtypes
from ..dtypes import CPU, HALVES, bool_
from ..strides import Ints
from ..tensor_impl import Tensor
from .at import at
from .empty_tensor import new_dense, new_tensor
from .halves import cast_half
from .iterator_plan import MOST_PLANS, IteratorConfig, IteratorPlan, memoized_plan
from .memory_overlap import assert_no_partial_overlap
from .structured import MetaBase, Out, resize_output

# fmt: off
UNARY_OP        = IteratorConfig()
BINARY_OP       = IteratorConfig(check_all_same_dtype=False, promote_inputs_to_common_dtype=True, max_cpu_scalars=1,
                                 cast_common_dtype_to_outputs=True, enforce_safe_casting_to_output=True)
BINARY_FLOAT_OP = replace(BINARY_OP, promote_integer_inputs_to_float=True)
COMPARISON_OP   = replace(BINARY_OP, enforce_safe_casting_to_output=False, static_dtype=bool_)
TERNARY_OP      = replace(BINARY_OP, max_cpu_scalars=0)
UNARY_FLOAT_OP  = replace(BINARY_FLOAT_OP, max_cpu_scalars=0)
UNARY_BOOL_OP   = IteratorConfig(check_all_same_dtype=False, static_dtype=bool_)
WHERE_OP        = replace(UNARY_BOOL_OP, static_dtype=None, promote_inputs_to_common_dtype=True, conditions=1,
                          max_cpu_scalars=2)
COPY_OP         = IteratorConfig(check_all_same_dtype=False, resize_outputs=False)
NULLARY_OP      = IteratorConfig(check_all_same_dtype=False, resize_outputs=False)
# fmt: on

SMALL = 2**30  # numbers that all dtypes hold, so NumPy takes them from Python as C would


class TensorIteratorBase(MetaBase):
    """The operands of a kernel, and the plan by which it iterates over them.

    `operands` is (output, *inputs cast to the common dtype); `plan` says how a kernel walks them. The output operand
    is a temporary if the given output has another dtype than the kernel writes; `copy_back` then fills the given one.
    """

    __slots__ = ("plan", "operands")
    plan: IteratorPlan
    operands: tuple[Tensor, ...]

    def build(self, config: IteratorConfig, *inputs: Tensor) -> None:
        """Prepare the output and the inputs for a kernel.

        Raises:
            RuntimeError: devices differ; the output overlaps itself or part of an input; and as `plan_iteration`.

        Source: TensorIteratorBase::build.
        """
        output = self.outputs[0] if self.has_given_outputs else None
        operands = inputs if output is None else (output, *inputs)
        fields: list[Any] = []
        is_read_write, device = False, CPU
        for tensor in operands:
            fields += (tensor._sizes, tensor._strides, tensor._dtype, tensor._wrapped_number)
            if tensor._storage.device is not CPU:
                device = common_device(config, operands, output)
        if output is not None:
            for tensor in inputs:
                if tensor is output:
                    is_read_write = True
                elif tensor._storage is output._storage and config.check_mem_overlap:
                    assert_no_partial_overlap(output, tensor)
        plan = self.plan = memoized_plan(
            config, dtypes._default, device.type == "meta", output is not None, is_read_write, *fields
        )
        if output is None:
            self.set_output_raw_strided(0, plan.sizes, plan.strides, plan.dtype, device)
            output = self.outputs[0]
        elif output._sizes != plan.sizes:
            self.set_output_raw_strided(0, plan.sizes, plan.strides, output._dtype, device)
        if plan.cast_output:
            output = new_output(plan, device)
            self.set_proxy_output(0, output)
        self.operands = (output, *(cast_inputs(plan, *inputs) if plan.needs_cast else inputs))

    def build_borrowing_binary_op(self, a: Tensor, b: Tensor, config: IteratorConfig = BINARY_OP) -> None:
        """Build for an output of the dtype that both inputs promote to; for `add`, `mul`, `maximum`.

        A new output of two inputs on the CPU is the hot path, and takes what `build` does in one step.
        """
        if self.has_given_outputs or a._storage.device is not CPU or b._storage.device is not CPU:
            return self.build(config, a, b)
        plan = self.plan = memoized_plan(
            config, dtypes._default, False, False, False,
            a._sizes, a._strides, a._dtype, a._wrapped_number, b._sizes, b._strides, b._dtype, b._wrapped_number,
        )  # fmt: skip
        if plan.needs_cast:
            a_cast, b_cast = plan.casts
            a = cast_input(a, plan.common_dtype) if a_cast else a
            b = cast_input(b, plan.common_dtype, True) if b_cast else b
        output = new_dense(plan.sizes, plan.strides, plan.numel, plan.dtype)
        self.outputs = [output]
        self.operands = (output, a, b)

    def build_borrowing_binary_float_op(self, a: Tensor, b: Tensor) -> None:
        """Build as `build_borrowing_binary_op` does, but with integers promoted to floating point; for `div`."""
        self.build_borrowing_binary_op(a, b, BINARY_FLOAT_OP)

    def build_comparison_op(self, a: Tensor, b: Tensor) -> None:
        """Build for a bool output, with both inputs read in the dtype that they promote to; for `eq`, `lt`."""
        self.build_borrowing_binary_op(a, b, COMPARISON_OP)

    build_borrowing_comparison_op = build_comparison_op

    def build_borrowing_unary_op(self, a: Tensor, config: IteratorConfig = UNARY_OP) -> None:
        """Build for an output of the input's dtype; for `neg`, `relu`."""
        if self.has_given_outputs or a._storage.device is not CPU:
            return self.build(config, a)
        plan = self.plan = memoized_plan(
            config, dtypes._default, False, False, False, a._sizes, a._strides, a._dtype, a._wrapped_number
        )
        if plan.needs_cast:
            a = cast_input(a, plan.common_dtype)
        output = new_dense(plan.sizes, plan.strides, plan.numel, plan.dtype)
        self.outputs = [output]
        self.operands = (output, a)

    build_unary_op = build_borrowing_unary_op

    def build_borrowing_unary_float_op(self, a: Tensor) -> None:
        """Build for a floating-point output, where integers become the default dtype; for `exp`, `sqrt`."""
        self.build_borrowing_unary_op(a, UNARY_FLOAT_OP)

    build_unary_float_op = build_borrowing_unary_float_op

    def build_borrowing_unary_force_boolean_op(self, a: Tensor) -> None:
        """Build for a bool output, whatever the input's dtype; for `isnan`, `logical_not`."""
        self.build_borrowing_unary_op(a, UNARY_BOOL_OP)

    def build_ternary_op(self, a: Tensor, b: Tensor, c: Tensor) -> None:
        """Build for an output of the dtype that all three inputs promote to; for `addcmul`."""
        self.build(TERNARY_OP, a, b, c)


class TensorIterator(Out, TensorIteratorBase):
    """An iterator for an operator that is not structured; it makes the output, or resizes the given one.

    iter = TensorIterator.binary_op(None, a, b)
    add_stub(iter, 1)
    iter.copy_back()
    return iter.output()
    """

    __slots__ = ("has_given_outputs",)
    has_given_outputs: bool

    def __init__(self, output: Tensor | None = None):
        self.outputs = [] if output is None else [output]
        self.proxy_outputs = None
        self.has_given_outputs = output is not None

    def set_output_raw_strided(
        self, index: int, sizes: Ints, strides: Ints, dtype: dtypes.dtype, device: dtypes.device
    ) -> None:
        if self.has_given_outputs:
            resize_output(self.outputs[index], sizes, strides)
        else:
            self.outputs.append(new_output(self.plan, device))

    @classmethod
    def make(cls, config: IteratorConfig, output: Tensor | None, *inputs: Tensor) -> "TensorIterator":
        """Return the iterator of a configuration, as TensorIteratorConfig::build; a None output means a new one."""
        iter = cls(output)
        iter.build(config, *inputs)
        return iter

    @classmethod
    def nullary_op(cls, output: Tensor) -> "TensorIterator":
        """Return an iterator that only writes the output; for `fill_`, `normal_`."""
        return cls.make(NULLARY_OP, output)

    @classmethod
    def unary_op(cls, output: Tensor | None, a: Tensor) -> "TensorIterator":
        iter = cls(output)
        iter.build_borrowing_unary_op(a)
        return iter

    @classmethod
    def unary_float_op(cls, output: Tensor | None, a: Tensor) -> "TensorIterator":
        iter = cls(output)
        iter.build_borrowing_unary_float_op(a)
        return iter

    @classmethod
    def binary_op(cls, output: Tensor | None, a: Tensor, b: Tensor) -> "TensorIterator":
        iter = cls(output)
        iter.build_borrowing_binary_op(a, b)
        return iter

    @classmethod
    def comparison_op(cls, output: Tensor | None, a: Tensor, b: Tensor) -> "TensorIterator":
        return cls.make(COMPARISON_OP, output, a, b)

    @classmethod
    def where_op(cls, output: Tensor | None, condition: Tensor, a: Tensor, b: Tensor) -> "TensorIterator":
        """Return the iterator of `where`: `condition` keeps its dtype; `a` and `b` promote to the output's dtype."""
        return cls.make(WHERE_OP, output, condition, a, b)

    @classmethod
    def copy_op(cls, output: Tensor, source: Tensor) -> "TensorIterator":
        """Return the iterator of `copy_`: each operand keeps its dtype, and the source broadcasts to the output."""
        return cls.make(COPY_OP, output, source)

    def output(self, index: int = 0) -> Tensor:
        """Return output `index`, given by the caller or new."""
        return self.outputs[index]


def new_output(plan: IteratorPlan, device: dtypes.device) -> Tensor:
    """Return the new output tensor that a plan describes; on the CPU in one step, since a planned output is dense."""
    if device is CPU:
        return new_dense(plan.sizes, plan.strides, plan.numel, plan.dtype)
    return new_tensor(plan.sizes, plan.strides, plan.dtype, device)


def common_device(config: IteratorConfig, operands: Sequence[Tensor], output: Tensor | None) -> dtypes.device:
    """Return the common device of all operands, apart from a few zero-dimensional inputs that may be on the CPU.

    Raises:
        RuntimeError: there are two devices, or too many such inputs.

    Source: TensorIteratorBase::compute_types.
    """
    common = operands[0]._storage.device
    for tensor in operands:
        if tensor._storage.device is not common:
            break
    else:
        return common
    common = next((device for tensor in operands if (device := tensor._storage.device).type != "cpu"), common)
    cpu_scalars = 0
    for tensor in operands:
        device = tensor._storage.device
        if device == common:
            continue
        if device.type != "cpu" or tensor._sizes or tensor is output or not config.max_cpu_scalars:
            raise RuntimeError(
                f"Expected all tensors to be on the same device, but found at least two devices, {common} and {device}!"
            )
        cpu_scalars += 1
    if cpu_scalars > config.max_cpu_scalars:
        raise RuntimeError("Trying to pass too many CPU scalars to non-CPU kernel!")
    return common


def cast_inputs(plan: IteratorPlan, *inputs: Tensor) -> list[Tensor]:
    """Return the inputs, cast where necessary to the dtype that the kernel computes in."""
    scalar_type = plan.common_dtype
    return [
        cast_input(tensor, scalar_type, len(inputs) == 2 and tensor is inputs[1]) if cast else tensor
        for tensor, cast in zip(inputs, plan.casts, strict=True)
    ]


def cast_input(tensor: Tensor, scalar_type: dtypes.dtype, is_second: bool = False) -> Tensor:
    """Return a copy in another dtype. A single element on the CPU, as the 2 of `x + 2`, is copied without a call.

    Args:
        is_second: of two inputs. Beside halves, such an element stays a float32: some kernels compute with it, some
            round it first.
    """
    if tensor._sizes or tensor._storage.device is not CPU:
        return at._to_copy(tensor, dtype=scalar_type)
    elements, offset = tensor._flat(), tensor._storage_offset
    if tensor._dtype in HALVES or scalar_type in HALVES:
        return cast_half(tensor, scalar_type, is_second)
    value = elements.item(offset)
    made = new_dense((), (), 1, scalar_type)
    if -SMALL <= value <= SMALL and scalar_type.itemsize > 2:
        made._flat()[0] = value
    else:
        with np.errstate(over="ignore"):
            made._flat()[:] = elements[offset : offset + 1]
    return made


def remember(memo: dict[Any, IteratorPlan], key: Any, op: TensorIteratorBase, *inputs: Tensor) -> None:
    """Cache a plan under a key, so that the next call with this key can skip meta.

    Only one that reads the inputs, as they are or cast, where no number became a tensor; and that writes the output,
    if it is given, as it came: its sizes are second in the key.
    """
    if len(op.operands) != 1 + len(inputs) or (op.has_given_outputs and (op.proxy_outputs or op.plan.sizes != key[1])):
        return
    if all(map(or_, map(is_, op.operands[1:], inputs), op.plan.casts)):
        if len(memo) >= MOST_PLANS:
            memo.clear()
        memo[key] = op.plan
