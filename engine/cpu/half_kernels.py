"""The kernels that no block serves, on halves: as 16-bit integers if they only move elements, else in float32.

The first half of a process loads this file, which puts a function before each kernel of two tables. It hands other
tensors to the kernel if there is a half among those given, and the kernel itself, which knows no half, is as it was. A
result is rounded once, as PyTorch's are: sums, means and products accumulate in float32 there, too.
"""

import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .. import slots
from ..aten.empty_tensor import new_tensor
from ..aten.halves import as_integers
from ..aten.iterator import TensorIteratorBase
from ..aten.iterator_plan import IteratorPlan
from ..aten.native import (
    adaptive_pooling,
    addmm_activation,
    advanced_indexing,
    attention,
    binary_math,
    binary_ops,
    blas,
    convolution,
    distributions,
    group_norm,
    im2col,
    index_along_dim,
    layer_norm,
    linear_algebra,
    loss_backward,
    loss_nll,
    masked,
    normalization,
    padding_backward,
    padding_modes,
    pooling,
    pooling_backward,
    pow,
    random_factories,
    range_factories,
    reduce_extremes,
    reduce_moments,
    reduce_norms,
    reduce_ops,
    reduce_truth,
    scan_ops,
    scatter_gather,
    soft_max,
    sorting,
    tensor_compare,
    tensor_transformations,
    triangular_ops,
    unary_ops,
    upsample,
    view_backward,
)
from ..aten.native.copy import copy_stub
from ..aten.native.indexing_utils import AdvancedIndex
from ..aten.stubs import DispatchStub, Kernel
from ..dispatch.observers import kernels_changed
from ..dispatch.resolved import lock
from ..dtypes import BESIDE, HALVES, float32, int16
from ..tensor_impl import Tensor, is_contiguous
from . import elementwise

Convert = Callable[[Tensor], Tensor]


class Operands(NamedTuple):
    """The plan and the operands of an iterator, which is all that a kernel reads of it."""

    plan: IteratorPlan
    operands: tuple[Tensor, ...]


def tensors_in(argument: Any) -> list[Tensor]:
    """Return the tensors of a kernel's argument: itself, or all in a tuple, an iterator or a prepared index."""
    if isinstance(argument, Tensor):
        return [argument]
    if isinstance(argument, (TensorIteratorBase, Operands)):
        return list(argument.operands)
    if isinstance(argument, AdvancedIndex):
        return [argument.src]
    return [found for entry in argument for found in tensors_in(entry)] if isinstance(argument, (tuple, list)) else []


def has_half(arguments: Any) -> bool:
    """Return True if there is a half among the tensors of a kernel's arguments."""
    return any(tensor._dtype in HALVES for tensor in tensors_in(arguments))


def replaced(argument: Any, convert: Convert, plan_of: Callable[[IteratorPlan], IteratorPlan]) -> Any:
    """Return a kernel's argument with all halves in it converted."""
    if isinstance(argument, Tensor):
        if argument._dtype in BESIDE.values():
            return Tensor(argument._storage, (), (), 0, float32, argument._key_set)
        return convert(argument) if argument._dtype in HALVES else argument
    if isinstance(argument, (TensorIteratorBase, Operands)):
        return Operands(plan_of(argument.plan), tuple(replaced(x, convert, plan_of) for x in argument.operands))
    if isinstance(argument, AdvancedIndex):
        return argument._replace(src=replaced(argument.src, convert, plan_of))
    if isinstance(argument, (tuple, list)) and any(isinstance(entry, Tensor) for entry in argument):
        return tuple(replaced(entry, convert, plan_of) for entry in argument)
    return argument


# ---- as 16-bit integers


as_int16 = functools.partial(as_integers, kind=int16)


def as_bits(kernel: Kernel) -> Kernel:
    """Return a kernel that only moves elements, for halves, too."""

    @functools.wraps(kernel)
    def run(*arguments: Any) -> Any:
        if has_half(arguments):
            arguments = tuple(replaced(argument, as_int16, lambda plan: plan) for argument in arguments)
        return kernel(*arguments)

    return run


# ---- in float32


@functools.lru_cache(maxsize=2048)
def plan_in_float32(plan: IteratorPlan) -> IteratorPlan:
    """Return the plan of the same walk with float32 for halves."""
    written, common = (float32 if kind in HALVES else kind for kind in (plan.dtype, plan.common_dtype))
    return dataclasses.replace(plan, dtype=written, common_dtype=common)


def in_float32(kernel: Kernel, written: int | tuple[int, ...]) -> Kernel:
    """Return a kernel that computes in float32, for halves, too: they are widened, and what was written is narrowed.

    A wide tensor has the sizes and strides of the half, so the kernel's walk is the same; the same half is widened
    once, as in a call in place.

    Args:
        written: how many of the tensors in the arguments the kernel writes, from the first on; or which they are.
    """
    places = range(written) if isinstance(written, int) else written

    @functools.wraps(kernel)
    def run(*arguments: Any) -> Any:
        if not has_half(arguments):
            return kernel(*arguments)
        wide: dict[Any, Tensor] = {}

        def widened(tensor: Tensor) -> Tensor:
            key = id(tensor._storage), tensor._storage_offset, tensor._sizes, tensor._strides
            if key not in wide:
                wide[key] = made = new_tensor(tensor._sizes, tensor._strides, float32, tensor._storage.device)
                copy_stub.kernels[tensor._storage.device.type](made, tensor)
            return wide[key]

        result = kernel(*(replaced(argument, widened, plan_in_float32) for argument in arguments))
        given = tensors_of_places(arguments)
        for place in places:
            half = given[place] if place < len(given) else None
            if half is not None and half._dtype in HALVES:
                copy_stub.kernels[half._storage.device.type](half, widened(half))
        return result

    return run


def tensors_of_places(arguments: tuple[Any, ...]) -> list[Tensor | None]:
    """Return the tensors of a kernel's arguments by place, None for one that is left out."""
    placed: list[Tensor | None] = []
    for argument in arguments:
        placed += [None] if argument is None else tensors_in(argument)
    return placed


# ---- which

AS_BITS: tuple[DispatchStub, ...] = (
    advanced_indexing.index_stub, index_along_dim.index_select_stub, index_along_dim.index_copy_stub,
    scatter_gather.gather_stub, masked.masked_select_stub, masked.masked_scatter_stub,
    tensor_transformations.flip_stub, triangular_ops.triangle_stub, padding_modes.reflection_pad_stub,
    padding_modes.replication_pad_stub,
)  # fmt: skip
"""Kernels that move elements. Two more do as long as they don't add: see `load_half_kernels`."""

IN_FLOAT32: dict[Any, tuple[DispatchStub, ...]] = {
    0: (masked.count_stub, masked.nonzero_stub, tensor_compare.equal_stub),
    1: (
        reduce_ops.sum_stub, reduce_ops.mean_stub, reduce_ops.nansum_stub, reduce_ops.prod_stub,
        reduce_ops.count_nonzero_stub, reduce_extremes.amax_stub, reduce_extremes.amin_stub, reduce_truth.and_stub,
        reduce_truth.or_stub, reduce_norms.norm_stub, reduce_moments.std_var_stub, scan_ops.cumsum_stub,
        scan_ops.cumprod_stub, scan_ops.logcumsumexp_stub, soft_max.softmax_stub, soft_max.log_softmax_stub,
        soft_max.softmax_backward_stub, soft_max.log_softmax_backward_stub, linear_algebra.mm_stub,
        linear_algebra.bmm_stub, linear_algebra.baddbmm_stub, blas.addmv_stub, blas.dot_stub,
        convolution.convolution_stub, convolution.convolution_transpose_stub, convolution.convolution_weight_stub,
        im2col.im2col_stub, im2col.col2im_stub, adaptive_pooling.adaptive_avg_pool2d_stub, pooling.avg_pool2d_stub,
        pooling_backward.max_pool2d_backward_stub, pooling_backward.avg_pool2d_backward_stub,
        pooling_backward.adaptive_avg_pool2d_backward_stub, padding_backward.reflection_pad_backward_stub,
        padding_backward.replication_pad_backward_stub, padding_backward.upsample_nearest_backward_stub,
        view_backward.unfold_backward_stub, index_along_dim.index_add_stub, loss_backward.nll_loss_backward_stub,
        distributions.uniform_stub, distributions.random_from_to_stub,
        distributions.bernoulli_scalar_stub, distributions.bernoulli_tensor_stub, random_factories.randperm_stub,
        range_factories.arange_stub, range_factories.linspace_stub, upsample.upsample_nearest_stub,
    ),
    2: (
        reduce_extremes.max_stub, reduce_extremes.min_stub, reduce_moments.std_var_mean_stub, sorting.sort_stub,
        sorting.topk_stub, sorting.kthvalue_stub, sorting.median_stub, scan_ops.cummax_helper_stub,
        scan_ops.cummin_helper_stub, adaptive_pooling.adaptive_max_pool2d_stub, pooling.max_pool2d_stub,
        loss_nll.nll_loss_stub, attention.flash_attention_stub,
    ),
    3: (
        layer_norm.layer_norm_stub, layer_norm.layer_norm_backward_stub, group_norm.group_norm_stub,
        group_norm.group_norm_backward_stub, normalization.batch_norm_backward_stub,
        attention.flash_attention_backward_stub,
    ),
    (0, 1, 2, 6, 7): (normalization.batch_norm_stub,),
}  # fmt: skip
"""The number of tensors that a kernel writes, or the places of these -> the kernels."""


def adding(kernel: Kernel, adds: Callable[..., bool], written: int) -> Kernel:
    """Return a kernel that moves elements, or adds them up: which, the arguments say."""
    moved, added = as_bits(kernel), in_float32(kernel, written)

    @functools.wraps(kernel)
    def run(*arguments: Any) -> Any:
        return (added if adds(*arguments) else moved)(*arguments)

    return run


def random_half(kernel: Kernel, of_range: DispatchStub) -> Kernel:
    """Return the kernel of `random_`, which draws as many integers of a half as it has all of."""

    @functools.wraps(kernel)
    def run(self: Tensor, generator: Any) -> None:
        if self._dtype in HALVES:
            of_range.kernels[self._storage.device.type](self, 2**self._dtype.digits + 1, 0, generator)
        else:
            kernel(self, generator)

    return run


def normal_half(kernel: Kernel) -> Kernel:
    """Return the kernel of `normal_`, which for halves makes the last 16 elements apart.

    PyTorch draws words for each 16 when it comes to them, and for float32 all words first.
    """
    wide = in_float32(kernel, 1)

    @functools.wraps(kernel)
    def run(self: Tensor, *arguments: Any) -> None:
        count = self.numel()
        whole = count - count % 16
        if self._dtype not in HALVES or not 0 < whole < count or not is_contiguous(self._sizes, self._strides):
            return wide(self, *arguments)
        for first, size in ((0, whole), (count - 16, 16)):
            wide(self._alias((size,), (1,), self._storage_offset + first), *arguments)

    return run


preceded: set[tuple[DispatchStub, str]] = set()
"""Stubs and devices whose kernel has its function for halves."""


def load_for(device_type: str) -> None:
    """Put the functions for halves before the kernels of a device, as far as it has them."""

    def put_before(stub: DispatchStub, wrapped: Callable[[Kernel], Kernel]) -> None:
        if device_type in stub.kernels and (stub, device_type) not in preceded:
            preceded.add((stub, device_type))
            stub.kernels[device_type] = wrapped(stub.kernels[device_type])

    if device_type != "cpu":
        for stub in elementwise_stubs():
            put_before(stub, lambda kernel: in_float32(kernel, 1))
        put_before(masked.masked_fill_stub, filling_bits)
    for stub in AS_BITS:
        put_before(stub, as_bits)
    for written, stubs in IN_FLOAT32.items():
        for stub in stubs:
            put_before(stub, functools.partial(in_float32, written=written))
    put_before(advanced_indexing.index_put_stub, lambda kernel: adding(kernel, lambda info, values, add: add, 1))
    put_before(scatter_gather.scatter_stub, lambda kernel: adding(kernel, lambda *given: given[-1] is not None, 1))
    put_before(distributions.normal_stub, normal_half if device_type == "cpu" else lambda kernel: in_float32(kernel, 1))
    put_before(distributions.random_stub, lambda kernel: random_half(kernel, distributions.random_from_to_stub))


def elementwise_stubs() -> Iterator[DispatchStub]:
    """Yield the stubs whose kernels on the CPU work in blocks."""
    of_tables = [stub for stub, _ in elementwise._entered]
    special = [pow.pow_tensor_scalar_stub, addmm_activation.bias_activation_stub]
    divisions = [
        binary_ops.div_trunc_stub,
        binary_ops.div_floor_stub,
        binary_math.fmod_stub,
        binary_math.remainder_stub,
    ]
    angles = [unary_ops.sin_stub, unary_ops.cos_stub, unary_ops.tan_stub, unary_ops.sinc_stub]
    yield from (stub for stub in (*of_tables, *special, *divisions, *angles) if stub is not masked.masked_fill_stub)


def filling_bits(kernel: Kernel) -> Kernel:
    """Return the kernel of `masked_fill`, which is given a half's bits as a number from 0 to 65,535."""
    moved = as_bits(kernel)

    @functools.wraps(kernel)
    def run(iter: Any, value: Any) -> None:
        moved(iter, value - 65536 if has_half(iter) and value > 32767 else value)

    return run


def load_half_kernels() -> None:
    """Put the functions for halves before the kernels of all devices that have any; CUDA's `initialize` does for it.

    Each half asks for it, perhaps in two threads at once: a kernel gets one function before it.
    """
    with lock:
        for device_type in [*copy_stub.kernels]:
            load_for(device_type)
        kernels_changed()


slots.load_half_kernels.fill(load_half_kernels)
