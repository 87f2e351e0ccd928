"""conv1d, conv2d, transposed or not: what they demand of their inputs, and how they become one convolution of images.

All go to `convolution`, which PyTorch differentiates, and that to `_convolution`, which checks the shapes, makes an
image of what has one dimension, and calls the kernel. Mirrors aten/src/ATen/native/Convolution.cpp.
"""

import warnings

from ...dtypes import channels_last, contiguous_format
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import new_tensor
from ..structured import CPP_NAMES
from ..stubs import DispatchStub
from .convolution_checks import ConvParams, check_same_types, check_weight, convolution_plan, require_elements
from .resize import strides_of_format, suggested_format

convolution_stub = DispatchStub("convolution_stub")
convolution_transpose_stub = DispatchStub("convolution_transpose_stub")
"""kernel(out, input, weight, bias, params): images in any strides, none of them empty."""
convolution_weight_stub = DispatchStub("convolution_weight_stub")
"""kernel(grad_weight, grad, input, params): the gradient of a convolution by its weight."""


# ---- conv1d, conv2d: a batch or one image; padding in numbers or by name


def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Tensor:
    """Convolve `input` (n, c_in, l) or (c_in, l) with `weight` (c_out, c_in / groups, k).

    Raises:
        RuntimeError: the shapes or dtypes do not fit.
    """
    batch = batchify(input, bias, 1)
    output = at.convolution(batch, weight, bias, stride, padding, dilation, False, (0,), groups)
    return output if batch is input else at.squeeze_dim(output, 0)


def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Tensor:
    """Convolve `input` (n, c_in, h, w) or (c_in, h, w) with `weight` (c_out, c_in / groups, kh, kw).

    Raises:
        RuntimeError: the shapes or dtypes do not fit.
    """
    batch = batchify(input, bias, 2)
    output = at.convolution(batch, weight, bias, stride, padding, dilation, False, (0, 0), groups)
    return output if batch is input else at.squeeze_dim(output, 0)


def conv1d_padding(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Ints, padding: str, dilation: Ints, groups: int
) -> Tensor:
    """Compute `conv1d` with padding "valid" or "same"."""
    return _conv_of_mode(input, weight, bias, stride, padding, dilation, groups, 1)


def conv2d_padding(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Ints, padding: str, dilation: Ints, groups: int
) -> Tensor:
    """Compute `conv2d` with padding "valid" or "same"."""
    return _conv_of_mode(input, weight, bias, stride, padding, dilation, groups, 2)


def _conv_of_mode(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Ints, padding: str, dilation: Ints, groups: int,
    ndim: int,
) -> Tensor:  # fmt: skip
    batch = batchify(input, None, ndim)
    output = at._convolution_mode(batch, weight, bias, stride, padding, dilation, groups)
    return output if batch is input else at.squeeze_dim(output, 0)


def conv_transpose1d(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Ints, padding: Ints, output_padding: Ints, groups: int,
    dilation: Ints,
) -> Tensor:  # fmt: skip
    """Compute a transposed conv1d: `input` (n, c_in, l) or (c_in, l), `weight` (c_in, c_out / groups, k).

    Raises:
        RuntimeError: the shapes or dtypes do not fit.
    """
    batch = batchify(input, bias, 1, "conv_transpose1d")
    output = at.convolution(batch, weight, bias, stride, padding, dilation, True, output_padding, groups)
    return output if batch is input else at.squeeze_dim(output, 0)


def conv_transpose2d_input(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Ints, padding: Ints, output_padding: Ints, groups: int,
    dilation: Ints,
) -> Tensor:  # fmt: skip
    """Compute a transposed conv2d: `input` (n, c_in, h, w) or (c_in, h, w), `weight` (c_in, c_out / groups, kh, kw).

    Raises:
        RuntimeError: the shapes or dtypes do not fit.
    """
    batch = batchify(input, bias, 2, "conv_transpose2d")
    output = at.convolution(batch, weight, bias, stride, padding, dilation, True, output_padding, groups)
    return output if batch is input else at.squeeze_dim(output, 0)


def batchify(input: Tensor, bias: Tensor | None, ndim: int, name: str = "") -> Tensor:
    """Return `input` if it is a batch, else a batch that holds only `input`.

    Raises:
        RuntimeError: it is neither, or `bias` has another dtype.
    """
    if bias is not None and bias._dtype is not input._dtype:
        mine, theirs = CPP_NAMES[input._dtype], CPP_NAMES[bias._dtype]
        raise RuntimeError(f"Input type ({mine}) and bias type ({theirs}) should be the same")
    dims = len(input._sizes)
    if dims == ndim + 2:
        return input
    if dims != ndim + 1:
        raise RuntimeError(
            f"Expected {ndim + 1}D (unbatched) or {ndim + 2}D (batched) input to {name or f'conv{ndim}d'}, but got "
            f"input of size: {list(input._sizes)}"
        )
    return at.unsqueeze(input, 0)


# ---- padding by name


def _convolution_mode(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Ints, padding: str, dilation: Ints, groups: int
) -> Tensor:
    """Compute a convolution with padding "valid", which is none, or "same", which keeps the sizes of the image.

    Raises:
        RuntimeError: another name; "same" with a stride.
    """
    if padding == "same":
        return convolution_same(input, weight, bias, stride, dilation, groups)
    if padding == "valid":
        return at.convolution(input, weight, bias, stride, (0,), dilation, False, (0,), groups)
    raise RuntimeError(f"Invalid padding string: '{padding}'")


def convolution_same(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Ints, dilation: Ints, groups: int
) -> Tensor:
    """Compute a convolution that preserves the image size; if the padding is odd, the extra element is at the end.

    Raises:
        RuntimeError: there is a stride; the dimensions do not fit.

    Source: convolution_same (aten/src/ATen/native/Convolution.cpp).
    """
    dims, ndim = len(weight._sizes), len(weight._sizes) - 2
    check_weight(ndim, groups)
    if dims != len(input._sizes):
        raise RuntimeError(
            f"Expected {dims}-dimensional input for {dims}-dimensional weight{list(weight._sizes)}, but got "
            f"{len(input._sizes)}-dimensional input of size {list(input._sizes)} instead"
        )
    for name, given in (("stride", stride), ("dilation", dilation)):
        if len(given) not in (1, ndim):
            raise RuntimeError(f"{name} cannot broadcast to {ndim} dimensions")
    if any(step != 1 for step in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    spread = dilation * ndim if len(dilation) == 1 else dilation
    totals = [d * (k - 1) for d, k in zip(spread, weight._sizes[2:], strict=True)]
    if any(total % 2 for total in totals):
        warnings.warn(
            "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the "
            "input be created",
            stacklevel=2,
        )
        one_more = [number for total in reversed(totals) for number in (0, total % 2)]
        input = at.constant_pad_nd(input, tuple(one_more), 0)
    before = tuple([total // 2 for total in totals])
    return at.convolution(input, weight, bias, stride, before, dilation, False, (0,) * ndim, groups)


# ---- convolution


def convolution(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Ints, padding: Ints, dilation: Ints, transposed: bool,
    output_padding: Ints, groups: int,
) -> Tensor:  # fmt: skip
    """Convolve a batch: the operator behind all convolutions, for which autograd has a formula.

    PyTorch adds here what the user chose of cuDNN: whether to benchmark, to be deterministic, to use it, to use TF32.
    """
    return at._convolution(
        input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, False, False, True, True
    )


def _convolution(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Ints, padding: Ints, dilation: Ints, transposed: bool,
    output_padding: Ints, groups: int, *of_cudnn: bool,
) -> Tensor:  # fmt: skip
    """Check the shapes, and call the kernel on images: what has one dimension becomes an image of height 1.

    Args:
        of_cudnn: benchmark, deterministic, cudnn_enabled and allow_tf32, which no kernel here reads.
    Raises:
        RuntimeError: shapes, dtypes or parameters do not fit.
        NotImplementedError: three dimensions; a dtype without a kernel.
    """
    params, sizes = convolution_plan(
        input._sizes, weight._sizes, None if bias is None else bias._sizes,
        ConvParams(stride, padding, dilation, output_padding, transposed, groups),
    )  # fmt: skip
    device = weight._storage.device if input._storage.device.type == "cpu" else input._storage.device
    if device.type != "meta":
        check_same_types(input, weight, bias)
    is_line = len(weight._sizes) == 3
    if is_line:  # an image in one dimension is one of height 1
        contiguous = at.contiguous(input)
        input, weight = at.unsqueeze(contiguous, 2), at.unsqueeze(weight, 2)
    lies = contiguous_format if device.type == "meta" else output_format(input, weight)
    output = new_tensor(sizes, strides_of_format(sizes, lies), input._dtype, device)
    if 0 not in sizes:
        require_elements(input, weight)
        stub = convolution_transpose_stub if params.transposed else convolution_stub
        stub.kernels[device.type](output, input, weight, bias, params)
    return at.squeeze_dim(output, 2) if is_line else output


def output_format(input: Tensor, weight: Tensor) -> object:
    """Return channels_last if the input or the weight is channels_last, else contiguous_format.

    Source: determine_backend_memory_format, mkldnn_conv_use_channels_last (aten/src/ATen/native/ConvUtils.h).
    """
    for tensor in (input, weight):
        if suggested_format(tensor._sizes, tensor._strides) is channels_last:
            return channels_last
    return contiguous_format
