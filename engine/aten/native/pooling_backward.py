"""The gradients of poolings: back to the element that was the largest, or to all elements of a window in equal shares.

Mirrors aten/src/ATen/native/{DilatedMaxPool2d,AveragePool2d,AdaptiveAveragePooling,AdaptiveMaxPooling2d}.cpp.
"""

from typing import Any

from ...dtypes import channels_last
from ...strides import Ints
from ...tensor_impl import Tensor
from ..empty_tensor import new_tensor
from ..structured import MetaBase
from ..stubs import DispatchStub
from .pooling import max_pool2d_windows
from .pooling_shapes import Windows, declare_pooled, pair, pooled_sizes
from .resize import strides_of_format, suggested_format

max_pool2d_backward_stub = DispatchStub("max_pool2d_backward_kernel")
"""kernel(grad_input, grad_output, indices): images in any strides, with elements."""
avg_pool2d_backward_stub = DispatchStub("avg_pool2d_backward_kernel")
"""kernel(grad_input, grad_output, windows, count_include_pad, divisor_override)"""
adaptive_avg_pool2d_backward_stub = DispatchStub("adaptive_avg_pool2d_backward_kernel")
"""kernel(grad_input, grad_output)"""

# ---- what is refused


def check_dtype(self: Tensor, grad_output: Tensor, name: str) -> None:
    """Check that the gradient has the dtype of the pooled tensor.

    Raises:
        RuntimeError: it has another.
    """
    if grad_output._dtype is not self._dtype:
        mine, theirs = (str(tensor._dtype).removeprefix("torch.") for tensor in (self, grad_output))
        names = {"float32": "float", "float64": "double", "int64": "long", "int32": "int"}
        raise RuntimeError(
            f"expected dtype {names.get(mine, mine)} for `{name}` but got dtype {names.get(theirs, theirs)}"
        )


def check_dim_sizes(tensor: Tensor, sizes: Ints) -> None:
    """Check that a tensor is of the given sizes.

    Raises:
        RuntimeError: it is not.

    Source: check_dim_size (aten/src/ATen/native/Pool.h).
    """
    dims = len(sizes)
    for dim in (dims - 3, dims - 2, dims - 1, *range(dims - 3)):
        if len(tensor._sizes) != dims or tensor._sizes[dim] != sizes[dim]:
            found = tensor._sizes[dim] if dim < len(tensor._sizes) else None
            raise RuntimeError(
                f"Expected a tensor of dimension {dims} and tensor.size[{dim}] == {sizes[dim]} but got: dimension "
                f"{len(tensor._sizes)} and tensor.size[{dim}] = {found}"
            )


# ---- maxima


def max_pool2d_with_indices_backward_meta(
    op: MetaBase, grad_output: Tensor, self: Tensor, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints,
    ceil_mode: bool, indices: Tensor,
) -> None:  # fmt: skip
    """Make an output for the gradient of the input, in the memory format of `self`.

    Raises:
        RuntimeError: parameters out of range, no images, or a gradient of other sizes or dtype.
    """
    windows = max_pool2d_windows(kernel_size, stride, padding, dilation)
    check_dtype(self, grad_output, "gradOutput")
    if len(self._sizes) not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    is_channels_last = suggested_format(self._sizes, self._strides) is channels_last
    sizes = pooled_sizes(self._sizes, windows, ceil_mode, is_channels_last)
    check_dim_sizes(grad_output, sizes)
    check_dim_sizes(indices, sizes)
    declare_pooled(op, self, self._sizes, self._dtype)


def max_pool2d_with_indices_backward_out_cpu(
    op: MetaBase, grad_output: Tensor, self: Tensor, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints,
    ceil_mode: bool, indices: Tensor, grad_input: Tensor,
) -> None:  # fmt: skip
    """Compute grad_input = for each element, the sum of the gradients of all windows whose maximum it is.

    Raises:
        NotImplementedError: not floating-point.
    """
    _of_indices(op, grad_input, grad_output, indices)


def adaptive_max_pool2d_backward_meta(op: MetaBase, grad_output: Tensor, self: Tensor, indices: Tensor) -> None:
    """Make an output for the gradient of the input, in the memory format of `self`.

    Raises:
        RuntimeError: no images, or a gradient of other sizes or dtype.
    """
    sizes = grad_output._sizes
    if len(sizes) not in (3, 4):
        raise RuntimeError(f"adaptive_max_pooling2d_backward(): Expected 3D or 4D grad_output, but got: {list(sizes)}")
    _require_elements("adaptive_max_pool2d_backward", sizes)
    check_dtype(self, grad_output, "grad_output")
    expected = (*self._sizes[:-2], *indices._sizes[-2:])
    for given in (grad_output, indices):
        if given._sizes != expected:
            raise RuntimeError(f"expected sizes {list(expected)} for `grad_output` but got sizes {list(given._sizes)}")
    declare_pooled(op, self, self._sizes, self._dtype)


def adaptive_max_pool2d_backward_out_cpu(
    op: MetaBase, grad_output: Tensor, self: Tensor, indices: Tensor, grad_input: Tensor
) -> None:
    """Compute grad_input = for each element, the sum of the gradients of all windows whose maximum it is.

    Raises:
        NotImplementedError: not floating-point.
    """
    _of_indices(op, grad_input, grad_output, indices)


def _of_indices(op: MetaBase, grad_input: Tensor, grad_output: Tensor, indices: Tensor) -> None:
    if 0 not in grad_input._sizes:
        max_pool2d_backward_stub.kernels[op.device_type](grad_input, grad_output, indices)


def _require_elements(name: str, sizes: Ints) -> None:
    """Check that no dimension but the batch is empty."""
    for dim, size in enumerate(sizes):
        if dim and not size:
            raise RuntimeError(
                f"{name}(): Expected grad_output to have non-zero size for non-batch dimensions, but grad_output has "
                f"sizes {list(sizes)} with dimension {dim} being empty"
            )


# ---- means


def avg_pool2d_backward_meta(
    op: MetaBase, grad_output: Tensor, self: Tensor, kernel_size: Ints, stride: Ints, padding: Ints, ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None,
) -> None:  # fmt: skip
    """Make an output for the gradient of the input, in the memory format of `self`.

    Raises:
        RuntimeError: parameters out of range, no images, or a gradient of other sizes or dtype.
    """
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    check_dtype(self, grad_output, "gradOutput")
    is_channels_last = suggested_format(self._sizes, self._strides) is channels_last
    windows = _avg_pool2d_windows(kernel_size, stride, padding)
    check_dim_sizes(grad_output, pooled_sizes(self._sizes, windows, ceil_mode, is_channels_last))
    declare_pooled(op, self, self._sizes, self._dtype)


def _avg_pool2d_windows(kernel_size: Ints, stride: Ints, padding: Ints) -> Windows:
    kernel = pair("avg_pool2d", "kernel_size", kernel_size)
    return Windows(kernel, pair("avg_pool2d", "stride", stride, kernel), pair("avg_pool2d", "padding", padding))


def avg_pool2d_backward_out_cpu(
    op: MetaBase, grad_output: Tensor, self: Tensor, kernel_size: Ints, stride: Ints, padding: Ints, ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None, grad_input: Tensor,
) -> None:  # fmt: skip
    """Compute grad_input = for each element, the sum of its shares of the gradients of all windows that contain it.

    Raises:
        NotImplementedError: not floating-point.
    """
    if 0 not in grad_input._sizes:
        more: tuple[Any, ...] = (count_include_pad, divisor_override)
        windows = _avg_pool2d_windows(kernel_size, stride, padding)
        avg_pool2d_backward_stub.kernels[op.device_type](grad_input, grad_output, windows, *more)


def adaptive_avg_pool2d_backward_cpu(grad_output: Tensor, self: Tensor) -> Tensor:
    """Return for each element the sum of its shares of the gradients of all windows that contain it.

    Raises:
        RuntimeError: no images, or a gradient of other sizes or dtype.
        NotImplementedError: not floating-point.
    """
    sizes = grad_output._sizes
    _require_elements("adaptive_avg_pool2d_backward", sizes)
    if len(sizes) not in (3, 4):
        raise RuntimeError(f"adaptive_avg_pool2d_backward(): Expected 3D or 4D tensor, but got {list(self._sizes)}")
    check_dtype(self, grad_output, "grad_output")
    if sizes[:-2] != self._sizes[:-2]:
        raise RuntimeError(f"expected a gradient of {list(self._sizes[:-2])} images, but got sizes {list(sizes)}")
    lies = strides_of_format(self._sizes, suggested_format(self._sizes, self._strides))
    device = grad_output._storage.device
    grad_input = new_tensor(self._sizes, lies, self._dtype, device)
    if 0 not in self._sizes:
        adaptive_avg_pool2d_backward_stub.kernels[device.type](grad_input, grad_output)
    return grad_input
