"""Operators that each layer takes apart before its own kernels see them, since their usual parts write in place.

A part that writes to a fresh tensor fails where what is written has a batch dimension and the fresh tensor has none.
Mirrors aten/src/ATen/functorch/PyTorchOperatorHacks.cpp.
"""

from typing import Any

from ..aten import registration
from ..aten.at import at
from ..aten.native.dropout import make_dropout, sizes_of_channels
from ..aten.native.loss import apply_loss_reduction
from ..dispatch import registry
from ..dispatch.keys import DispatchKey
from ..dispatch.table import Kernel
from ..strides import Ints
from ..tensor_impl import Tensor
from .batched import VmapInterpreter
from .interpreters import layers


def drawn_noise(input: Tensor, is_feature: bool, kept: float) -> Tensor:
    """Return ones with probability `kept`, else zeros, one for each element or each channel of `input`.

    They are drawn into a new tensor that the samples of vmap share or not, whatever `input` is.
    """
    dtype, device = input._dtype, input._storage.device
    if is_feature:
        sizes = sizes_of_channels(input)
        return at.bernoulli_p(at.empty_memory_format(sizes, dtype, None, device), kept)
    return at.bernoulli_p(at.expand(at.empty_memory_format((), dtype, input.layout, device), input._sizes), kept)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return input @ weight.T + bias, as the operator does, but with no write under vmap."""
    is_fused = len(input._sizes) == 2 or (len(input._sizes) == 3 and input.is_contiguous())
    if bias is None or is_fused or not any(isinstance(layer, VmapInterpreter) for layer in layers.stack):
        return registration.NATIVE_KERNELS["linear"](input, weight, bias)
    return at.add_Tensor(at.matmul(input, at.t(weight)), bias)


def binary_cross_entropy_with_logits(
    self: Tensor, target: Tensor, weight: Tensor | None, pos_weight: Tensor | None, reduction: int
) -> Tensor:
    """Return the binary cross entropy of sigmoid(self), computed stably, without the exponential of a large number."""
    most = at.clamp_min(at.neg(self), 0)
    if pos_weight is not None:
        factor = at.add__Scalar(at.mul_Tensor(at.sub_Scalar(pos_weight, 1), target), 1)
    loss = at.mul_Tensor(at.sub__Tensor(at.fill__Scalar(at.empty_like(target), 1), target), self)  # (1 - target) * self
    if pos_weight is None:
        loss = at.add__Tensor(loss, most)
    both = at.add_Tensor(at.exp_(at.neg(most)), at.exp_(at.sub_Tensor(at.neg(self), most)))
    if pos_weight is None:
        loss = at.add__Tensor(loss, at.log_(both))
    else:
        loss = at.add_Tensor(loss, at.mul_Tensor(factor, at.add__Tensor(at.log_(both), most)))
    return apply_loss_reduction(loss if weight is None else at.mul_Tensor(loss, weight), reduction)


def index_select_backward(grad: Tensor, self_sizes: Ints, dim: int, index: Tensor) -> Tensor:
    """Return zeros of sizes `self_sizes` with the slices of `grad` added at the positions in `index`."""
    zeros = at.zeros(self_sizes, grad._dtype, None, grad._storage.device)
    return at.index_add(zeros, dim, index, grad)


def trace_backward(grad: Tensor, sizes: Ints) -> Tensor:
    """Return the gradient of trace: `grad` on the diagonal of a matrix of zeros.

    Raises:
        RuntimeError: `sizes` are not a matrix's.
    """
    if len(sizes) != 2:
        raise RuntimeError("expected matrix input")
    device = grad._storage.device
    zeros = at.zeros((sizes[0] * sizes[1],), grad._dtype, None, device)
    diagonal = at.arange_start_step(0, sizes[0] * sizes[1], sizes[1] + 1, device=device)
    return at.view(at.index_put(zeros, (diagonal,), grad), sizes)


KERNELS: dict[str, Any] = {
    "binary_cross_entropy_with_logits": binary_cross_entropy_with_logits,
    "index_select_backward": index_select_backward,
    "linear": linear,
    "trace_backward": trace_backward,
    **{
        f"{'feature_' * is_feature}{'alpha_' * is_alpha}dropout{'_' * is_inplace}": make_dropout(
            is_feature, is_alpha, is_inplace, drawn_noise
        )
        for is_feature in (False, True)
        for is_alpha in (False, True)
        for is_inplace in (False, True)
    },
}
"""The operators that are taken apart -> what they are made of."""


def register_all() -> None:
    """Register KERNELS at the front mode."""
    for name, function in KERNELS.items():
        place = f"registered at {function.__code__.co_filename}:{function.__code__.co_firstlineno}"
        kernel = Kernel(function, function, debug=place)
        registry.register(f"aten::{name}", DispatchKey.FuncTorchDynamicLayerFrontMode, kernel)


register_all()
