"""group_norm: each group of channels of each sample by its own mean and spread.

Mirrors aten/src/ATen/native/group_norm.cpp.
"""

import math
from collections.abc import Sequence

from ...dtypes import contiguous_format
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides, new_tensor
from ..stubs import DispatchStub
from .normalization import expect_contiguous, parameter_dtype
from .resize import suggested_format

group_norm_stub = DispatchStub("GroupNormKernel")
"""kernel(out, mean, rstd, self, weight, bias, N, C, HxW, group, eps): everything is contiguous."""

group_norm_backward_stub = DispatchStub("GroupNormBackwardKernel")
"""kernel(dx, dgammas, dbetas, g, x, mean, rstd, gamma, N, C, HxW, group): everything is contiguous, dx may be None; the
gradients of gamma and beta are of (N, C), one for each sample."""


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None, bias: Tensor | None, eps: float, cudnn_enabled: bool
) -> Tensor:
    """Return (input - mean) / sqrt(variance + eps) * weight + bias, for each group of channels of each sample.

    Args:
        input: (batch, channels, *)
        weight, bias: (channels,)
    Raises:
        RuntimeError: the channels can't be divided into this number of groups; a parameter has another size.
        IndexError: `input` has no channels.
    """
    input.size(1)  # there are channels
    batch, channels, *rest = input._sizes
    check_group_norm_inputs(input, weight, bias, channels, num_groups)
    format = suggested_format(input._sizes, input._strides)
    dense = at.contiguous(input, memory_format=format)
    parameters = [expect_contiguous(parameter) for parameter in (weight, bias)]
    size = math.prod(rest)
    return at.native_group_norm(dense, *parameters, batch, channels, size, num_groups, eps)[0]


def check_group_norm_inputs(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, channels: int, groups: int
) -> None:
    """Check that the groups divide the channels and that each parameter has one element per channel.

    Raises:
        RuntimeError: they do not.
    """
    if groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {groups}")
    if channels % groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(input._sizes)} and num_groups={groups}"
        )
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is not None and parameter._sizes != (channels,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(parameter._sizes)} and input of shape {list(input._sizes)}"
            )


def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the result of `group_norm`, and the mean and 1 / sqrt(variance + eps) of each group of each sample.

    Returns:
        the output, in the memory format of the input; mean and rstd, (N, group).
    Raises:
        RuntimeError: as `group_norm`; dtypes differ; `input` has gaps, or not N * C * HxW elements.
        NotImplementedError: `input` is not floating-point.
    """
    check_group_norm_inputs(input, weight, bias, C, group)
    format = suggested_format(input._sizes, input._strides)
    _check(input.numel() == N * C * HxW, "X.numel() == N * C * HxW")
    _check(input.is_contiguous(memory_format=format), "X.is_contiguous(memory_format)")
    parameters_have = parameter_dtype(input, weight, bias)
    scalar_type, device = input._dtype, input._storage.device
    dense = at.contiguous(input, memory_format=contiguous_format)
    out = new_tensor(input._sizes, contiguous_strides(input._sizes), scalar_type, device)
    mean, rstd = (new_tensor((N, group), (group, 1), parameters_have, device) for _ in range(2))
    parameters = [expect_contiguous(parameter) for parameter in (weight, bias)]
    group_norm_stub.kernels[device.type](out, mean, rstd, dense, *parameters, N, C, HxW, group, eps)
    return at.contiguous(out, memory_format=format), mean, rstd


def native_group_norm_backward(
    grad_out: Tensor, input: Tensor, mean: Tensor, rstd: Tensor, weight: Tensor | None, N: int, C: int, HxW: int,
    group: int, output_mask: Sequence[bool],
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:  # fmt: skip
    """Return the gradients of input, weight and bias of `native_group_norm`, each None if `output_mask` excludes it.

    Args:
        grad_out: of the sizes of `input`.
        mean, rstd: (N, group), as `native_group_norm` returns them.
    Raises:
        RuntimeError: dtypes differ.
        NotImplementedError: `input` is not floating-point.
    """
    parameters_have = parameter_dtype(input, weight)
    sizes, scalar_type, device = input._sizes, input._dtype, input._storage.device
    format = suggested_format(sizes, input._strides)
    dx = new_tensor(sizes, contiguous_strides(sizes), scalar_type, device) if output_mask[0] else None
    dgammas, dbetas = (new_tensor((N, C), (C, 1), parameters_have, device) for _ in range(2))
    dense = (expect_contiguous(tensor) for tensor in (grad_out, input, mean, rstd, weight))
    group_norm_backward_stub.kernels[device.type](dx, dgammas, dbetas, *dense, N, C, HxW, group)
    dx = None if dx is None else at.contiguous(dx, memory_format=format)
    dweight, dbias = (
        at.sum_dim_IntList(parts, (0,)) if wanted else None
        for parts, wanted in zip((dgammas, dbetas), output_mask[1:], strict=True)
    )
    return dx, dweight, dbias


def _check(holds: bool, condition: str) -> None:
    if not holds:
        raise RuntimeError(
            f"Expected {condition} to be true, but got false.  (Could this error message be improved?  If so, "
            "please report an enhancement request to PyTorch.)"
        )
