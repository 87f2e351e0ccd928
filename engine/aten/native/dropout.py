"""dropout: elements, or whole channels, become zero by chance, and the others larger so that the mean stays.

The noise is drawn as PyTorch draws it, so the same seed drops the same elements.
Mirrors aten/src/ATen/native/Dropout.cpp.
"""

import math
from collections.abc import Callable

from ...dtypes import bool_
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from .distributions import bernoulli_scalar_stub, is_on

ALPHA = 1.7580993408473766  # what selu tends to for small numbers, without the sign


def written_noise(input: Tensor, is_feature: bool, kept: float) -> Tensor:
    """Return a tensor of ones with probability `kept`, else zeros, for each element or each channel of `input`."""
    noise = at.new_empty(input, sizes_of_channels(input)) if is_feature else at.empty_like(input)
    return at.bernoulli__float(noise, kept)


def make_dropout(
    is_feature: bool,
    is_alpha: bool,
    is_inplace: bool,
    noise_of: Callable[[Tensor, bool, float], Tensor] = written_noise,
) -> Callable[[Tensor, float, bool], Tensor]:
    """Build a dropout function (input, p, train): `is_feature` drops whole channels, `is_alpha` preserves mean and
    variance, `is_inplace` writes into `input`."""

    def multiply(input: Tensor, noise: Tensor) -> Tensor:
        return at.mul__Tensor(input, noise) if is_inplace else at.mul_Tensor(input, noise)

    def dropout(input: Tensor, p: float, train: bool) -> Tensor:
        if not 0 <= p <= 1:
            raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
        if p == 0 or not train or 0 in input._sizes:
            return input
        if p == 1:
            return multiply(input, at.zeros((), dtype=input._dtype, device=input._storage.device))
        noise = noise_of(input, is_feature, 1 - p)
        if not is_alpha:
            return multiply(input, at.div__Scalar(noise, 1 - p))
        a = 1 / math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
        shift = at.add__Scalar(at.mul__Scalar(at.add_Scalar(noise, -1), ALPHA * a), ALPHA * a * p)
        return at.add__Tensor(multiply(input, at.mul__Scalar(noise, a)), shift)

    return dropout


def sizes_of_channels(input: Tensor) -> Ints:
    """Return the sizes of a tensor with one element per channel of each sample, which broadcasts to `input`.

    Raises:
        RuntimeError: `input` has no channels.
    """
    if len(input._sizes) < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return (*input._sizes[:2], *(1 for _ in input._sizes[2:]))


dropout, dropout_ = make_dropout(False, False, False), make_dropout(False, False, True)
feature_dropout, feature_dropout_ = make_dropout(True, False, False), make_dropout(True, False, True)
alpha_dropout, alpha_dropout_ = make_dropout(False, True, False), make_dropout(False, True, True)
feature_alpha_dropout, feature_alpha_dropout_ = make_dropout(True, True, False), make_dropout(True, True, True)


def native_dropout_cpu(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """Return the output of dropout and its bool mask, which is True for each element kept."""
    if 0 in input._sizes:
        return input, at.empty_like(input)
    if train is not None and not train:
        return at.clone(input), at.ones_like(input, dtype=bool_)
    mask = at.empty_like(input, dtype=bool_)
    bernoulli_scalar_stub.kernels[is_on(mask)](mask, 1 - p, None)
    return at.mul_Scalar(at.mul_Tensor(input, mask), 1 / (1 - p) if p != 1 else 0.0), mask


def native_dropout_backward(grad_output: Tensor, mask: Tensor, scale: float) -> Tensor:
    """Return grad_output * scale where the mask is set, else 0."""
    return at.mul_Scalar(at.mul_Tensor(grad_output, mask), scale)
