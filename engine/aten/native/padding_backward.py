"""Gradients of reflected and repeated borders, and of images in other sizes: the sums over all copies of an element.

The operators differ in the number of dimensions only.
Mirrors aten/src/ATen/native/{ReflectionPad,ReplicationPadding}.cpp and UpSampleNearest{1,2,3}d.cpp.
"""

from collections.abc import Callable
from typing import Any

from ...dtypes import contiguous_format
from ...strides import Ints
from ...tensor_impl import Tensor
from ..empty_tensor import new_tensor
from ..structured import MetaBase, resize_impl
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .padding_modes import padded_sizes
from .resize import strides_of_format, suggested_format
from .upsample import upsample_sizes

reflection_pad_backward_stub = DispatchStub("reflection_pad_backward_stub")
replication_pad_backward_stub = DispatchStub("replication_pad_backward_stub")
"""kernel(grad_input, grad_output, padding): neither is empty; the last len(padding) / 2 dimensions were padded."""
upsample_nearest_backward_stub = DispatchStub("upsample_nearest_backward_kernel")
"""kernel(grad_input, grad_output, scales): neither is empty; scales are one for each dimension of an image, or None."""

AXES = ("width", "height", "depth")  # the last one first

# ---- borders


def check_grad(grad_output: Tensor, self: Tensor, padding: Ints, reflects: bool, called: str) -> None:
    """Check that `grad_output` is of the padded tensor's sizes and of the dtype of `self`.

    Args:
        called: the gradient's name in messages.
    Raises:
        RuntimeError: it is not, or has another dtype.
    """
    ndim = len(padding) // 2
    expected, found = padded_sizes(self._sizes, padding, ndim, reflects), grad_output._sizes
    if len(found) != len(expected):
        raise RuntimeError(f"Expected {called} of sizes {list(expected)}, but got: {list(found)}")
    names = (*AXES[:ndim], "channel", "batch")
    for name, mine, size in zip(names, reversed(expected), reversed(found), strict=False):
        if mine != size:
            raise RuntimeError(f"{called} {name} unexpected. Expected: {mine}, Got: {size}")
    if grad_output._dtype is not self._dtype:
        given, kept = SCALAR_TYPE_NAMES[grad_output._dtype], SCALAR_TYPE_NAMES[self._dtype]
        raise RuntimeError(f"expected scalar type {given} but found {kept}")


def _strides(self: Tensor) -> Ints:
    """Return the strides of the images' gradient: laid out as the images, contiguous in other dimensions than two."""
    lies = suggested_format(self._sizes, self._strides)
    return strides_of_format(self._sizes, lies)


def make_backward(stub: DispatchStub, reflects: bool, called: str) -> Callable[[Tensor, Tensor, Ints], Tensor]:
    """Build the backward function of a padding, which returns the gradient of the images.

    Raises:
        RuntimeError: the gradient doesn't have the sizes of the padded images.
    """

    def backward(grad_output: Tensor, self: Tensor, padding: Ints) -> Tensor:
        check_grad(grad_output, self, padding, reflects, called)
        device = grad_output._storage.device
        grad_input = new_tensor(self._sizes, _strides(self), self._dtype, device)
        if 0 not in self._sizes:
            stub.kernels[device.type](grad_input, grad_output, padding)
        return grad_input

    return backward


def make_backward_out(
    stub: DispatchStub, reflects: bool, called: str
) -> Callable[[Tensor, Tensor, Ints, Tensor], Tensor]:
    """Build a padding's backward function that writes the input's gradient into `grad_input`, resized to fit."""

    def backward(grad_output: Tensor, self: Tensor, padding: Ints, grad_input: Tensor) -> Tensor:
        check_grad(grad_output, self, padding, reflects, called)
        resize_impl(grad_input, self._sizes, _strides(self))
        if 0 not in self._sizes:
            stub.kernels[grad_output._storage.device.type](grad_input, grad_output, padding)
        return grad_input

    return backward


def make_meta(reflects: bool, called: str) -> Callable[[MetaBase, Tensor, Tensor, Ints], None]:
    """Build the meta function of a padding's structured backward operator."""

    def meta(op: MetaBase, grad_output: Tensor, self: Tensor, padding: Ints) -> None:
        check_grad(grad_output, self, padding, reflects, called)
        lies = strides_of_format(self._sizes, contiguous_format)
        op.set_output_raw_strided(0, self._sizes, lies, self._dtype, self._storage.device)

    return meta


def make_impl(stub: DispatchStub) -> Callable[[MetaBase, Tensor, Tensor, Ints, Tensor], None]:
    """Build the impl function of a padding's structured backward operator."""

    def impl(op: MetaBase, grad_output: Tensor, self: Tensor, padding: Ints, grad_input: Tensor) -> None:
        if 0 not in grad_input._sizes:
            stub.kernels[op.device_type](grad_input, grad_output, padding)

    return impl


reflection_pad1d_backward_meta = reflection_pad3d_backward_meta = make_meta(True, "grad_output")
replication_pad1d_backward_meta = make_meta(False, "gradOutput")
reflection_pad1d_backward_out_cpu = reflection_pad3d_backward_out_cpu = make_impl(reflection_pad_backward_stub)
replication_pad1d_backward_out_cpu = make_impl(replication_pad_backward_stub)
reflection_pad2d_backward_cpu = make_backward(reflection_pad_backward_stub, True, "gradOutput")
reflection_pad2d_backward_out_cpu = make_backward_out(reflection_pad_backward_stub, True, "gradOutput")
replication_pad2d_backward_cpu = make_backward(replication_pad_backward_stub, False, "gradOutput")
replication_pad2d_backward_out_cpu = make_backward_out(replication_pad_backward_stub, False, "gradOutput")
replication_pad3d_backward_cpu, replication_pad3d_backward_out_cpu = (
    replication_pad2d_backward_cpu,
    replication_pad2d_backward_out_cpu,
)

# ---- images in other sizes


def nearest_backward_meta(ndim: int) -> Callable[..., None]:
    """Build the meta function of the backward of nearest-neighbor upsampling in `ndim` dimensions."""

    def meta(op: MetaBase, grad_output: Tensor, output_size: Ints, input_size: Ints, *scales: float | None) -> None:
        expected, found = upsample_sizes(input_size, output_size, ndim), grad_output._sizes
        if len(found) != len(expected):
            raise RuntimeError(
                f"Expected grad_output to be a tensor of dimension {len(expected)} but got: dimension {len(found)}"
            )
        for dim, (mine, size) in enumerate(zip(expected, found, strict=True)):
            if mine != size:
                raise RuntimeError(
                    "Expected grad_output to have the same shape as output; "
                    f"output.size({dim}) = {mine} but got grad_output.size({dim}) = {size}"
                )
        lies = suggested_format(found, grad_output._strides) if ndim == 2 else contiguous_format
        strides = strides_of_format(input_size, lies)
        op.set_output_raw_strided(0, input_size, strides, grad_output._dtype, grad_output._storage.device)

    return meta


def nearest_backward_out(
    op: MetaBase, grad_output: Tensor, output_size: Ints, input_size: Ints, *scales_and_out: Any
) -> None:
    """Compute grad_input = for each element, the sum of the gradients of all output elements that copy it.

    Raises:
        NotImplementedError: not floating-point.
    """
    *scales, grad_input = scales_and_out
    if 0 not in grad_input._sizes:
        upsample_nearest_backward_stub.kernels[op.device_type](grad_input, grad_output, tuple(scales))


upsample_nearest1d_backward_meta, upsample_nearest2d_backward_meta, upsample_nearest3d_backward_meta = map(
    nearest_backward_meta, (1, 2, 3)
)
upsample_nearest1d_backward_out_cpu = upsample_nearest2d_backward_out_cpu = nearest_backward_out
upsample_nearest3d_backward_out_cpu = nearest_backward_out
