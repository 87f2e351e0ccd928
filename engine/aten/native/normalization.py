"""batch_norm and instance_norm: each channel by its own mean and spread.

Mirrors aten/src/ATen/native/Normalization.cpp.
"""

from collections.abc import Sequence

from ...dtypes import HALVES, contiguous_format, dtype, float32, strided, uint8
from ...strides import Ints, wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides, new_tensor
from ..structured import resize_output
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .copy import copy_stub
from .resize import strides_of_format, suggested_format

Three = tuple[Tensor, Tensor, Tensor]

batch_norm_stub = DispatchStub("batch_norm_cpu_stub")
"""kernel(out, mean, invstd, self, weight, bias, running_mean, running_var, training, centered, momentum, eps): all
contiguous, `out` and `self` in one memory format; in training mean and invstd are written, the running ones updated.
`centered`: the mean is subtracted from each element, which is exact where they are equal."""

batch_norm_backward_stub = DispatchStub("batch_norm_cpu_backward_stub")
"""kernel(dx, dweight, dbias, g, x, weight, mean, invstd, training): all contiguous, dx, g and x in one memory format;
the first three and the weight may be None."""

# ---- checks of inputs


def parameter_dtype(input: Tensor, *parameters: Tensor | None) -> dtype:
    """Return the dtype that the input and the parameters have, or float32 for a half with parameters of float32.

    Means, variances and the gradients of parameters have it.

    Raises:
        RuntimeError: they have other dtypes.

    Source: check_mixed_data_type, param_scalar_type (aten/src/ATen/native/cpu/mixed_data_type.h).
    """
    others = {parameter._dtype for parameter in parameters if parameter is not None}
    if others <= {input._dtype}:
        return input._dtype
    if others != {float32}:
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    if input._dtype not in HALVES:
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
    return float32


def check_dims_match_num_input_features(name: str, expected: int, actual: int) -> None:
    """Check that a parameter has one element for each channel.

    Raises:
        RuntimeError: it has not.
    """
    if actual != expected:
        raise RuntimeError(f"{name} should contain {expected} elements not {actual}")


def expect_contiguous(tensor: Tensor | None) -> Tensor | None:
    """Return `tensor` made contiguous, or None for None; call the dispatcher only if a copy is needed.

    Source: TensorBase::expect_contiguous.
    """
    if tensor is None or tensor._strides == contiguous_strides(tensor._sizes):
        return tensor
    return at.contiguous(tensor)


# ---- batch_norm


def batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    training: bool, momentum: float, eps: float, cudnn_enabled: bool,
) -> Tensor:  # fmt: skip
    """Return (input - mean) / sqrt(variance + eps) * weight + bias per channel; raise like `_batch_norm_impl_index`."""
    return at._batch_norm_impl_index(
        input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled
    )[0]


def _batch_norm_impl_index(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    training: bool, momentum: float, eps: float, cudnn_enabled: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, int]:  # fmt: skip
    """Return `native_batch_norm` after its checks, then a tensor and a number that say which backend computed it.

    Raises:
        RuntimeError: a parameter has another size; in evaluation there are no running statistics.
        ValueError: there is one running statistic without the other.
    """
    channels = input._sizes[1] if len(input._sizes) > 1 else 0
    reserve = at.empty_memory_format((0,), dtype=uint8, layout=strided, device=input.device)
    if 0 in input._sizes:
        return (*_batch_norm_of_nothing(input, weight, bias, channels), reserve, 0)
    for name, running in (("running_mean", running_mean), ("running_var", running_var)):
        if running is not None:
            check_dims_match_num_input_features(name, channels, running.numel())
        elif not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is not None:
            check_dims_match_num_input_features(name, channels, parameter.numel())
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    outputs = at.native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)
    return (*outputs, reserve, 0)


def _batch_norm_of_nothing(input: Tensor, weight: Tensor | None, bias: Tensor | None, channels: int) -> Three:
    out = at.clone(input)
    if weight is not None:
        out = at.mul_Tensor(out, at.select_int(weight, 0, 0))
    if bias is not None:
        out = at.add_Tensor(out, at.select_int(bias, 0, 0))
    mean, invstd = (new_tensor((channels,), (1,), input._dtype, input._storage.device) for _ in range(2))
    return out, mean, invstd


def batch_norm_cpu(
    self: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    training: bool, momentum: float, eps: float,
) -> Three:  # fmt: skip
    """Normalize each channel by its own mean and variance in training, else by the running mean and variance.

    Args:
        self: (batch, channels, *)
        weight, bias, running_mean, running_var: (channels,); the running ones are updated in training.
        momentum: the part that the new mean and variance have in the running ones.
    Returns:
        the output; in training mean and 1 / sqrt(variance + eps) of each channel, else two empty tensors.
    Raises:
        RuntimeError: there are no elements; dtypes differ.
        NotImplementedError: `self` is not floating-point.
    """
    wrap_dim(1, len(self._sizes))  # there are channels
    if not self._dtype.is_floating_point:
        raise NotImplementedError(f"\"batch_norm\" not implemented for '{SCALAR_TYPE_NAMES[self._dtype]}'")
    if 0 in self._sizes:
        raise RuntimeError(f"input tensor must have at least one element, but got input_sizes = {list(self._sizes)}")
    parameters_have = parameter_dtype(self, weight, bias, running_mean, running_var)
    format, device = suggested_format(self._sizes, self._strides), self._storage.device
    out = new_tensor(self._sizes, strides_of_format(self._sizes, format), self._dtype, device)
    saved: Ints = (self._sizes[1] if training else 0,)
    mean, invstd = (new_tensor(saved, (1,), parameters_have, device) for _ in range(2))
    given = (weight, bias, running_mean, running_var)
    dense = [expect_contiguous(tensor) for tensor in given]
    input = self if out._strides == self._strides else at.contiguous(self, memory_format=format)
    batch_norm_stub.kernels[device.type](out, mean, invstd, input, *dense, training, input is not self, momentum, eps)
    if training:
        for running, copy in zip(given[2:], dense[2:], strict=True):
            if running is not None and running is not copy:
                copy_stub.kernels[device.type](running, copy)  # the schema does not say it, so no version counts
    return out, mean, invstd


def batch_norm_backward_cpu(
    grad_out: Tensor, input: Tensor, weight: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    save_mean: Tensor | None, save_invstd: Tensor | None, train: bool, eps: float, output_mask: Sequence[bool],
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:  # fmt: skip
    """Return the gradients of input, weight and bias of `native_batch_norm`, each None if `output_mask` excludes it.

    Args:
        grad_out: of the sizes of `input`.
        save_mean, save_invstd: (channels,), as `native_batch_norm` returns them; read in training only.
    Returns:
        the first in the memory format of `input`.
    Raises:
        RuntimeError: dtypes differ.
        NotImplementedError: `input` is not floating-point.
    """
    parameters_have = parameter_dtype(input, weight)
    sizes, scalar_type, device = input._sizes, input._dtype, input._storage.device
    format = suggested_format(sizes, input._strides)
    strides = strides_of_format(sizes, format)
    mean, invstd = save_mean, save_invstd
    if not train:
        mean, invstd = running_mean, at.rsqrt(at.add_Scalar(running_var, eps))
    dx = new_tensor(sizes, strides, scalar_type, device) if output_mask[0] else None
    dweight, dbias = (
        new_tensor(sizes[1:2], (1,), parameters_have, device) if wanted else None for wanted in output_mask[1:]
    )
    g, x = (
        tensor if tensor._strides == strides else at.contiguous(tensor, memory_format=format)
        for tensor in (grad_out, input)
    )
    dense = (expect_contiguous(tensor) for tensor in (weight, mean, invstd))
    batch_norm_backward_stub.kernels[device.type](dx, dweight, dbias, g, x, *dense, train)
    return dx, dweight, dbias


def batch_norm_cpu_out(
    self: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    training: bool, momentum: float, eps: float, out: Tensor, save_mean: Tensor, save_invstd: Tensor,
) -> Three:  # fmt: skip
    """Write the results of `batch_norm_cpu` into `out`, `save_mean` and `save_invstd`."""
    made = batch_norm_cpu(self, weight, bias, running_mean, running_var, training, momentum, eps)
    for given, result in zip((out, save_mean, save_invstd), made, strict=True):
        resize_output(given, result._sizes)
        at.copy_(given, result)
    return out, save_mean, save_invstd


def _batch_norm_legit_cpu(
    self: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor, running_var: Tensor,
    training: bool, momentum: float, eps: float,
) -> Three:  # fmt: skip
    """Do as `batch_norm_cpu`, with a schema that says that the running statistics are written."""
    return batch_norm_cpu(self, weight, bias, running_mean, running_var, training, momentum, eps)


def _batch_norm_legit_no_stats_cpu(
    self: Tensor, weight: Tensor | None, bias: Tensor | None, training: bool, momentum: float, eps: float
) -> Three:
    """Do as `batch_norm_cpu`, without running statistics."""
    return batch_norm_cpu(self, weight, bias, None, None, training, momentum, eps)


# ---- instance_norm


def instance_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None,
    use_input_stats: bool, momentum: float, eps: float, cudnn_enabled: bool,
) -> Tensor:  # fmt: skip
    """Return `batch_norm` with each channel of each sample treated as a separate channel.

    Raises:
        RuntimeError: neither the input's nor the running statistics are there to be used.
    """
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    batch, channels, *rest = input._sizes
    given = (weight, bias, running_mean, running_var)
    repeated = [None if tensor is None else at.repeat(tensor, (batch,)) for tensor in given]
    dense = at.contiguous(input, memory_format=contiguous_format)
    out = at.batch_norm(
        at.view(dense, (1, batch * channels, *rest)), *repeated, use_input_stats, momentum, eps, cudnn_enabled
    )
    for running, copy in zip(given[2:], repeated[2:], strict=True):
        if running is not None:
            at.copy_(at.alias(running), at.mean_dim(at.view(copy, (batch, channels)), (0,), False))
    return at.view(out, input._sizes)
