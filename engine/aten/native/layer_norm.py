"""layer_norm and rms_norm: each row, the elements of the last dimensions, by its own mean and spread.

Mirrors aten/src/ATen/native/layer_norm.cpp.
"""

import math
from collections.abc import Sequence

from ...dtypes import HALVES, dtype, float32
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides, new_tensor
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .normalization import expect_contiguous, parameter_dtype
from .resize import suggested_format

layer_norm_stub = DispatchStub("LayerNormKernel")
"""kernel(out, mean, rstd, self, weight, bias, count, n, eps): `count` rows of n elements, everything contiguous."""

layer_norm_backward_stub = DispatchStub("LayerNormBackwardKernel")
"""kernel(dx, dgammas, dbetas, g, x, mean, rstd, gamma, rows, per, n): everything contiguous; the first three may be
None. Each of the chunks of `per` rows has a row of dgammas and dbetas of its own."""

CHUNKS, CHUNK = 32, 1 << 14  # maximum number of chunks of rows, and about the minimum number of elements in each


def layer_norm_symint(
    input: Tensor, normalized_shape: Ints, weight: Tensor | None, bias: Tensor | None, eps: float, cudnn_enable: bool
) -> Tensor:
    """Return (input - mean) / sqrt(variance + eps) * weight + bias over the last dims; raise like `layer_norm_cpu`."""
    return at.native_layer_norm(input, normalized_shape, weight, bias, eps)[0]


def layer_norm_cpu(
    input: Tensor, normalized_shape: Ints, weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the result of `layer_norm`, and the mean and 1 / sqrt(variance + eps) of each row.

    Args:
        input: (*, *normalized_shape)
        weight, bias: of sizes `normalized_shape`.
    Returns:
        the output, contiguous; mean and rstd, (*, 1, ..., 1).
    Raises:
        RuntimeError: sizes or dtypes do not fit.
        NotImplementedError: `input` is not floating-point.
    """
    axis = check_layer_norm_inputs(input, normalized_shape, ", ", weight=weight, bias=bias)
    parameters_have = parameter_dtype(input, weight, bias)
    sizes, scalar_type, device = input._sizes, input._dtype, input._storage.device
    outer = (*sizes[:axis], *(1 for _ in normalized_shape))
    out = new_tensor(sizes, contiguous_strides(sizes), scalar_type, device)
    mean, rstd = (new_tensor(outer, contiguous_strides(outer), parameters_have, device) for _ in range(2))
    parameters = (expect_contiguous(parameter) for parameter in (weight, bias))
    layer_norm_stub.kernels[device.type](
        out,
        mean,
        rstd,
        expect_contiguous(input),
        *parameters,
        math.prod(sizes[:axis]),
        math.prod(normalized_shape),
        eps,
    )
    return out, mean, rstd


def layer_norm_backward_cpu(
    grad_out: Tensor, input: Tensor, normalized_shape: Ints, mean: Tensor, rstd: Tensor, weight: Tensor | None,
    bias: Tensor | None, output_mask: Sequence[bool],
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:  # fmt: skip
    """Return the gradients of input, weight and bias of `native_layer_norm`, each None if `output_mask` excludes it.

    Args:
        grad_out: of the sizes of `input`.
        mean, rstd: (*, 1, ..., 1), as `native_layer_norm` returns them.
    Raises:
        RuntimeError: sizes do not fit.
        NotImplementedError: `input` is not floating-point.
    """
    axis = check_layer_norm_inputs(input, normalized_shape, ", ", weight=weight, bias=bias)
    sizes, scalar_type, device = input._sizes, input._dtype, input._storage.device
    rows, n = math.prod(sizes[:axis]), math.prod(sizes[axis:])
    per = max(1, -(-rows // CHUNKS), CHUNK // max(1, n))
    chunks = -(-rows // per)
    shape = sizes[axis:] if chunks == 1 else (chunks, *sizes[axis:])
    made = [
        new_tensor(of, contiguous_strides(of), kind, device) if wanted else None
        for of, kind, wanted in zip((sizes, shape, shape), (scalar_type, *[mean._dtype] * 2), output_mask, strict=True)
    ]
    if 0 not in sizes:
        dense = (expect_contiguous(tensor) for tensor in (grad_out, input, mean, rstd, weight))
        layer_norm_backward_stub.kernels[device.type](*made, *dense, rows, per, n)
    dx, dweight, dbias = made
    if chunks != 1:
        dweight, dbias = (None if parts is None else at.sum_dim_IntList(parts, (0,)) for parts in (dweight, dbias))
    return dx, dweight, dbias


def check_layer_norm_inputs(input: Tensor, normalized_shape: Ints, star: str, **parameters: Tensor | None) -> int:
    """Check the inputs of `layer_norm` or `rms_norm`, and return the first normalized dimension.

    Args:
        star: the text after the * in a message.
        parameters: by name.
    Raises:
        RuntimeError: there is none; the input does not end with `normalized_shape`; a parameter has other sizes.

    Source: _check_layer_norm_inputs, _check_rms_norm_inputs_symint.
    """
    shape, sizes = list(normalized_shape), list(input._sizes)
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, "
            f"but got normalized_shape = {shape}"
        )
    for name, parameter in parameters.items():
        if parameter is not None and list(parameter._sizes) != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(parameter._sizes)} and normalized_shape = {shape}"
            )
    axis = len(sizes) - len(shape)
    if axis < 0 or sizes[axis:] != shape:
        expected = ", ".join(map(str, shape))
        raise RuntimeError(
            f"Given normalized_shape={shape}, expected input with shape [*{star}{expected}], "
            f"but got input of size{sizes}"
        )
    return axis


# ---- rms_norm


def rms_norm_symint(input: Tensor, normalized_shape: Ints, weight: Tensor | None, eps: float | None) -> Tensor:
    """Return input / sqrt(mean of the squares + eps) * weight, where the mean is over the dims of `normalized_shape`.

    Args:
        eps: None for the distance from 1 to the next number of the dtype.
    Raises:
        RuntimeError: sizes do not fit.
        NotImplementedError: `input` is not floating-point.
    """
    axis = check_layer_norm_inputs(input, normalized_shape, "", weight=weight)
    if not input._dtype.is_floating_point:
        raise NotImplementedError(f"\"rms_norm\" not implemented for '{SCALAR_TYPE_NAMES[input._dtype]}'")
    input = at.contiguous(input, memory_format=suggested_format(input._sizes, input._strides))
    wide = at.to_dtype(input, float32) if input._dtype in HALVES else input
    made = rms_norm_composite(wide, len(input._sizes) - axis, weight, eps)
    return at.to_dtype(made, input._dtype) if input._dtype in HALVES else made


def rms_norm_composite(input: Tensor, ndim: int, weight: Tensor | None, eps: float | None) -> Tensor:
    """Return input / sqrt(mean of the squares + eps) * weight, where the mean is over the last `ndim` dimensions.

    Made of other operators, each called through the dispatcher, so that autograd knows its derivative, and the second
    one as well. `at` has them all, by name and overload; what has a default may be left out. Enough are
    `at.mul_Tensor(a, b)`, `at.mean_dim(a, dims, keepdim)` (dims: a tuple of ints), `at.add_Scalar(a, number)`,
    `at.rsqrt(a)`, `at.sqrt(a)`, `at.div_Tensor(a, b)`. `a * b` and `a.mean(dims, True)` reach the same operators, and
    a tensor of your own making may be written in place (`at.mul__Tensor(a, b)`), unless autograd has saved it, as it
    saves the result of `rsqrt`.

    Args:
        input: (d0, ..., dn-1), floating-point, perhaps without elements.
        ndim: from 1 to n: how many dimensions are normalized together.
        weight: of the dtype of `input` and the sizes of its last `ndim` dimensions; None for no weight.
        eps: added to the mean; None for `epsilon(input._dtype)`. 0 is a number, not None.
    Returns:
        a new tensor of the sizes and dtype of `input`, with memory of its own; `input` and `weight` are not changed. Of
        [3.0, 4.0], with eps 0: both divided by the root of 12.5.

    Source: rms_norm_composite (aten/src/ATen/native/layer_norm.cpp).
    """
    squares = at.mean_dim(at.mul_Tensor(input, input), (*range(-ndim, 0),), True)
    if eps is None:
        eps = epsilon(input._dtype)
    result = input
    for factor in (at.rsqrt(at.add_Scalar(squares, eps)), weight):
        if factor is not None:
            result = at.mul_Tensor(result, factor)
    return result


def epsilon(scalar_type: dtype) -> float:
    """Return the machine epsilon of a floating-point dtype: the distance from 1 to the next number."""
    return 2.0 ** (1 - scalar_type.digits)
