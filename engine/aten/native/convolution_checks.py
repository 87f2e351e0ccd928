"""The parameters of a convolution, and the checks of its arguments.

Mirrors ConvParams and check_shape_forward of aten/src/ATen/native/Convolution.cpp.
"""

import functools
import math
from typing import Any, NamedTuple

from ...dtypes import float32
from ...strides import Ints
from ...tensor_impl import Tensor
from ..type_promotion import SCALAR_TYPE_NAMES


class ConvParams(NamedTuple):
    """The parameters of a convolution: one number per image dimension, except for `transposed` and `groups`."""

    stride: Ints
    padding: Ints
    dilation: Ints
    output_padding: Ints
    transposed: bool
    groups: int


@functools.lru_cache(maxsize=4096)
def convolution_plan(input: Ints, weight: Ints, bias: Ints | None, given: ConvParams) -> tuple[ConvParams, Ints]:
    """Return the parameters expanded to two image dimensions, and the sizes of the output as an image.

    Args:
        input, weight, bias: sizes.
    Raises:
        RuntimeError: they do not fit.
        NotImplementedError: three dimensions.
    """
    ndim = len(weight) - 2
    check_weight(ndim, given.groups)
    params = expanded(given, ndim)
    check_shape_forward(input, weight, bias, params)
    if ndim > 2:
        raise NotImplementedError(f"convolution: the engine convolves in 1 and 2 dimensions, not in {ndim}")
    if given.transposed:
        _check_output_padding(view1d_as_2d(params))
    size_of = conv_input_size if given.transposed else conv_output_size
    image = size_of(input[2:], weight[2:], params)
    channels = weight[1] * given.groups if given.transposed else weight[0]
    sizes = (input[0], channels if input[1] else 0, *(1 for _ in range(2 - ndim)), *image)
    return view1d_as_2d(params), sizes


def expanded(given: ConvParams, ndim: int) -> ConvParams:
    """Return the parameters with one number for each image dimension.

    Raises:
        RuntimeError: neither one is given nor all.
    """
    numbers: dict[str, Any] = {
        name: expand_param_if_needed(getattr(given, name), name, ndim) for name in ConvParams._fields[:4]
    }
    return given._replace(**numbers)


def view1d_as_2d(params: ConvParams) -> ConvParams:
    """Return the parameters for two image dimensions; a 1-D signal is treated as an image of height 1."""
    if len(params.stride) > 1:
        return params
    return params._replace(
        stride=(1, *params.stride), padding=(0, *params.padding), dilation=(1, *params.dilation),
        output_padding=(0, *params.output_padding),
    )  # fmt: skip


def check_weight(ndim: int, groups: int) -> None:
    """Raise RuntimeError for a weight without image dimensions, or a number of groups that is not positive."""
    if ndim <= 0:
        raise RuntimeError("weight should have at least three dimensions")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")


def expand_param_if_needed(numbers: Ints, name: str, ndim: int) -> Ints:
    """Return `numbers` with one number for each image dimension, repeating a single number.

    Raises:
        RuntimeError: neither one is given nor all.
    """
    if len(numbers) == 1:
        return numbers * ndim
    if len(numbers) != ndim:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {ndim} values to match the convolution "
            f"dimensions, but got {name}={list(numbers)}"
        )
    return numbers


def conv_output_size(image: Ints, kernel: Ints, params: ConvParams) -> Ints:
    """Return the output size of a convolution in each image dimension.

    >>> conv_output_size((5, 6), (3, 3), ConvParams((1, 2), (1, 0), (1, 1), (0, 0), False, 1))
    (5, 2)
    """
    return tuple(
        [
            (size + 2 * pad - (spread * (k - 1) + 1)) // step + 1
            for size, k, step, pad, spread in zip(
                image, kernel, params.stride, params.padding, params.dilation, strict=True
            )
        ]
    )


def conv_input_size(image: Ints, kernel: Ints, params: ConvParams) -> Ints:
    """Return the image sizes that a convolution reduces to `image`: the output sizes of a transposed convolution.

    Raises:
        RuntimeError: there is no such image.
    """
    of_each = zip(
        image, kernel, params.stride, params.padding, params.dilation, params.output_padding, strict=True
    )  # fmt: skip
    sizes = [(size - 1) * step - 2 * pad + d * (k - 1) + more + 1 for size, k, step, pad, d, more in of_each]
    if min(sizes) < 1:
        line = (1,) * (2 - len(image))  # an image of height 1
        given, made = (" x ".join(map(str, (*line, *shape))) for shape in (image, sizes))
        raise RuntimeError(
            f"Given input size per channel: ({given}). Calculated output size per channel: ({made}). Output size is "
            "too small"
        )
    return tuple(sizes)


# ---- what is refused


def check_shape_forward(input: Ints, weight: Ints, bias: Ints | None, params: ConvParams) -> None:
    """Refuse parameters and sizes that are not valid for a convolution.

    Args:
        input, weight, bias: sizes.
    Raises:
        RuntimeError: a parameter is out of range, or sizes do not fit one another.
    """
    dims, groups = len(weight), params.groups
    for is_refused, message in (
        (any(pad < 0 for pad in params.padding), "negative padding is not supported"),
        (any(pad < 0 for pad in params.output_padding), "negative output_padding is not supported"),
        (any(step <= 0 for step in params.stride), "non-positive stride is not supported"),
        (any(spread < 0 for spread in params.dilation), "dilation should be greater than zero"),
        (any(spread == 0 for spread in params.dilation), "non-positive dilation is not supported"),
    ):
        if is_refused:
            raise RuntimeError(message)
    if dims != len(input):
        raise RuntimeError(
            f"Expected {dims}-dimensional input for {dims}-dimensional weight {list(weight)}, but got "
            f"{len(input)}-dimensional input of size {list(input)} instead"
        )
    if weight[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{list(weight)} instead"
        )
    if weight[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{list(weight)}] instead"
        )
    channels = weight[0] if params.transposed else weight[1] * groups
    if input[1] != channels:
        given = "transposed=1" if params.transposed else f"groups={groups}"
        raise RuntimeError(
            f"Given {given}, weight of size {list(weight)}, expected input{list(input)} to have {channels} "
            f"channels, but got {input[1]} channels instead"
        )
    made = weight[1] * groups if params.transposed else weight[0]
    if bias is not None and bias != (made,):
        given = "transposed=1, " if params.transposed else ""
        raise RuntimeError(
            f"Given {given}weight of size {list(weight)}, expected bias to be 1-dimensional with {made} elements, but "
            f"got bias of size {list(bias)} instead"
        )
    if not params.transposed:
        _check_kernel_size(input[2:], weight[2:], params)


def _check_output_padding(params: ConvParams) -> None:
    for more, step, spread in zip(params.output_padding, params.stride, params.dilation, strict=True):
        if more >= max(step, spread):
            shown = " ".join(
                f"{name}_{axis}: {number}"
                for name in ("output_padding", "stride", "dilation")
                for axis, number in zip(("height", "width"), getattr(params, name), strict=True)
            )
            raise RuntimeError(f"output padding must be smaller than either stride or dilation, but got {shown}")


def _check_kernel_size(image: Ints, kernel: Ints, params: ConvParams) -> None:
    padded = [size + 2 * pad for size, pad in zip(image, params.padding, strict=True)]
    spread = [d * (k - 1) + 1 for k, d in zip(kernel, params.dilation, strict=True)]
    if any(size < k for size, k in zip(padded, spread, strict=True)):
        shown = [" x ".join(map(str, sizes)) for sizes in (padded, spread)]
        raise RuntimeError(
            f"Calculated padded input size per channel: ({shown[0]}). Kernel size: ({shown[1]}). "
            "Kernel size can't be greater than actual input size"
        )


def check_same_types(input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    """Check that all tensors have the same dtype; for float32, raise the message of PyTorch's oneDNN path.

    Raises:
        RuntimeError: they are not.

    Source: check_input_same_type_as_parameters (aten/src/ATen/native/Convolution.cpp).
    """
    scalar_type = input._dtype
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is None or tensor._dtype is scalar_type:
            continue
        mine, theirs = SCALAR_TYPE_NAMES[scalar_type], SCALAR_TYPE_NAMES[tensor._dtype]
        if scalar_type is not float32:
            raise RuntimeError(f"expected scalar type {mine} but found {theirs}")
        raise RuntimeError(
            f"Input type (torch.{mine}Tensor) and {name} type (torch.{theirs}Tensor) should be the same or input "
            f"should be a MKLDNN tensor and {name} is a dense tensor"
        )


def require_elements(input: Tensor, weight: Tensor) -> None:
    """Check that the image and the kernel have elements, which a nonempty output requires.

    Raises:
        RuntimeError: one has none.
    """
    if not math.prod(input._sizes):
        raise RuntimeError(
            "Only zero batch or zero channel inputs are supported, but got input shape: " + str(list(input._sizes))
        )
    if not math.prod(weight._sizes):
        raise RuntimeError(f"kernel size should be greater than zero, but got weight of size {list(weight._sizes)}")
