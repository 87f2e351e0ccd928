"""The gradients of a convolution, which are convolutions again.

What a convolution takes from an element of its input, with a weight, it gives its gradient back to: the gradient by
the input is a transposed convolution, and for a transposed one it is plain. The gradient by the weight pairs the
images with the gradients; whichever of the two is the larger one is the one that the kernel slides over.
Mirrors convolution_backward and _convolution_double_backward (aten/src/ATen/native/Convolution.cpp).
"""

import functools

from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import new_tensor
from .convolution import (
    convolution_stub,
    convolution_transpose_stub,
    convolution_weight_stub,
    output_format,
)
from .convolution_checks import ConvParams, check_same_types, convolution_plan
from .fill import fill_stub
from .resize import strides_of_format

Three = tuple[Tensor | None, Tensor | None, Tensor | None]


def convolution_backward(
    grad_output: Tensor, input: Tensor, weight: Tensor, bias_sizes: Ints | None, stride: Ints, padding: Ints,
    dilation: Ints, transposed: bool, output_padding: Ints, groups: int, output_mask: tuple[bool, bool, bool],
) -> Three:  # fmt: skip
    """Return the gradients of input, weight and bias, with None for each one not requested.

    Raises:
        RuntimeError: shapes or parameters do not fit.
        NotImplementedError: three dimensions; a dtype without a kernel.
    """
    given = ConvParams(stride, padding, dilation, output_padding, transposed, groups)
    params, sizes = convolution_plan(input._sizes, weight._sizes, None, given)
    check_grad_output(grad_output, input, weight, params, sizes)
    if 0 in input._sizes[:2]:
        of_bias = (sizes[1],) if bias_sizes is None else bias_sizes
        zeros = (at.zeros_like(input), at.zeros_like(weight), at.new_zeros(weight, of_bias))
        by_input, by_weight, by_bias = (grad if asked else None for grad, asked in zip(zeros, output_mask, strict=True))
        return by_input, by_weight, by_bias
    is_line = len(weight._sizes) == 3
    if is_line:  # an image of height 1
        grad, image = (at.unsqueeze(at.contiguous(tensor), 2) for tensor in (grad_output, input))
        made = gradients(grad, image, at.unsqueeze(weight, 2), params, output_mask)
    else:
        made = gradients(grad_output, input, weight, params, output_mask)
    by_input, by_weight = (at.squeeze_dim(grad, 2) if is_line and grad is not None else grad for grad in made)
    of_each = (0, *range(2, len(weight._sizes)))
    return by_input, by_weight, at.sum_dim_IntList(grad_output, of_each) if output_mask[2] else None


def check_grad_output(grad_output: Tensor, input: Tensor, weight: Tensor, params: ConvParams, sizes: Ints) -> None:
    """Raise RuntimeError for a `grad_output` that does not fit the convolution.

    Args:
        sizes: of the output, as an image.
    """
    if len(input._sizes) != len(grad_output._sizes):
        raise RuntimeError(
            "Expected input and grad_output to have the same number of dimensions, but got: "
            f"{len(input._sizes)} and {len(grad_output._sizes)}"
        )
    if not params.transposed and any(params.output_padding):
        raise RuntimeError(
            "output_padding is not supported for non-transposed convolutions; got: "
            + " ".join(map(str, params.output_padding[4 - len(input._sizes) :]))
        )
    expected = sizes if len(input._sizes) == 4 else (*sizes[:2], *sizes[3:])
    if grad_output._sizes != expected and 0 not in input._sizes[:2]:
        raise RuntimeError(f"Expected grad_output of size {list(expected)}, but got {list(grad_output._sizes)}")
    check_same_types(input, weight, None)
    check_same_types(input, grad_output, None)


def gradients(
    grad_output: Tensor, input: Tensor, weight: Tensor, params: ConvParams, asked: tuple[bool, ...]
) -> tuple[Tensor | None, Tensor | None]:
    """Return the gradients of the input and the weight of a 2-D convolution, None for each one not requested."""
    device, lies = grad_output._storage.device, output_format(input, weight)
    is_empty = any(0 in tensor._sizes for tensor in (grad_output, input, weight))
    by_input, by_weight = (
        new_tensor(like._sizes, strides_of_format(like._sizes, lies), like._dtype, device) if wanted else None
        for like, wanted in zip((input, weight), asked, strict=False)
    )
    for grad in (by_input, by_weight):
        if is_empty and grad is not None:
            fill_stub.kernels[device.type](grad, 0)
    if by_input is not None and not is_empty:
        stub = convolution_stub if params.transposed else convolution_transpose_stub
        stub.kernels[device.type](by_input, grad_output, weight, None, params)
    if by_weight is not None and not is_empty:
        large, small = (grad_output, input) if params.transposed else (input, grad_output)
        convolution_weight_stub.kernels[device.type](by_weight, small, large, params)
    return by_input, by_weight


def _convolution_double_backward(
    ggI: Tensor | None, ggW: Tensor | None, ggb: Tensor | None, gO: Tensor, weight: Tensor, self: Tensor, stride: Ints,
    padding: Ints, dilation: Ints, transposed: bool, output_padding: Ints, groups: int,
    output_mask: tuple[bool, bool, bool],
) -> Three:  # fmt: skip
    """Return the gradients of grad_output, input and weight of `convolution_backward`; None for each one not requested.

    With C the convolution, which is linear in both its arguments, `convolution_backward` makes the gradients of
    sum(gO * C(self, weight)). What is differentiated now, sum(ggI * gI) + sum(ggW * gW) + sum(ggb * gb), is therefore

        sum(gO * (C(ggI, weight) + C(self, ggW) + ggb))

    whose gradient by gO is written beside it; `convolution_backward` gives the other gradients. PyTorch writes these
    as convolutions with the dimensions of images and channels swapped.

    Args:
        ggI, ggW, ggb: the gradients of the three results; None for zeros.
    """
    moves = (stride, padding, dilation, transposed, output_padding, groups)
    by_grad = by_self = by_weight = None
    if output_mask[0]:
        terms = []
        if ggI is not None:
            terms.append(at.convolution(ggI, weight, None, *moves))
        if ggW is not None:
            terms.append(at.convolution(self, ggW, None, *moves))
        if ggb is not None:
            terms.append(at.expand(at.view(ggb, (1, -1, *(1 for _ in gO.shape[2:]))), gO.shape))
        by_grad = functools.reduce(at.add_Tensor, terms)
    if output_mask[1] and ggW is not None:
        by_self = at.convolution_backward(gO, self, ggW, None, *moves, (True, False, False))[0]
    if output_mask[2] and ggI is not None:
        by_weight = at.convolution_backward(gO, ggI, weight, None, *moves, (False, True, False))[1]
    return by_grad, by_self, by_weight
