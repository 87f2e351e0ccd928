"""Initial values of parameters: random, with a spread that fits the layer. Mirrors torch/nn/init.py.

Each function fills a tensor in place, without a trace for autograd, and returns it. `generator` is where the random
numbers come from; None is the default one.
"""

import math
import warnings
from collections.abc import Sequence

from ..api import PUBLIC
from ..aten.generator import Generator
from ..autograd.grad_mode import no_grad
from ..tensor_impl import Tensor

where, empty_like, eye = PUBLIC["where"], PUBLIC["empty_like"], PUBLIC["eye"]

GAINS = {
    "linear": 1, "sigmoid": 1, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4,
    **{f"conv{transposed}{dims}d": 1 for transposed in ("", "_transpose") for dims in (1, 2, 3)},
}  # fmt: skip


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the recommended gain for a nonlinearity: the factor that preserves the spread of values through layers.

    Args:
        param: the slope of "leaky_relu" where numbers are negative; None is 0.01.
    Raises:
        ValueError: no such function, or a slope that is not a number.
    """
    if nonlinearity in GAINS:
        return GAINS[nonlinearity]
    if nonlinearity != "leaky_relu":
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    if param is not None and (isinstance(param, bool) or not isinstance(param, (int, float))):
        raise ValueError(f"negative_slope {param} not a valid number")
    return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))


@no_grad()
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill `tensor` with uniformly distributed random numbers between a and b."""
    return tensor.uniform_(a, b, generator=generator)


@no_grad()
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill `tensor` with normally distributed random numbers."""
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill `tensor` with one number."""
    return tensor.fill_(val)


@no_grad()
def ones_(tensor: Tensor) -> Tensor:
    """Fill `tensor` with ones."""
    return tensor.fill_(1.0)


@no_grad()
def zeros_(tensor: Tensor) -> Tensor:
    """Fill `tensor` with zeros."""
    return tensor.zero_()


@no_grad()
def eye_(tensor: Tensor) -> Tensor:
    """Fill `tensor` with the identity matrix.

    Raises:
        ValueError: not two dimensions.
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return tensor.copy_(eye(*tensor.shape, dtype=tensor.dtype))


@no_grad()
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the weight of a convolution so that it copies each input channel to an output channel unchanged.

    Raises:
        ValueError: not 3, 4 or 5 dimensions; channels that the groups don't divide.
    """
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    channels, inputs, *kernel = tensor.shape
    if channels % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    middle = tuple(size // 2 for size in kernel)
    tensor.zero_()
    for group in range(groups):
        for channel in range(min(channels // groups, inputs)):
            tensor[(group * (channels // groups) + channel, channel, *middle)] = 1
    return tensor


def calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return fan_in and fan_out: the numbers of inputs of each output of the layer, and of outputs of each input.

    Args:
        tensor: (out, in, *kernel)
    Raises:
        ValueError: there are fewer than two dimensions.
    """
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    inputs, outputs = tensor.size(1), tensor.size(0)
    field = math.prod(tensor.shape[2:]) if tensor.dim() > 2 else 1
    return inputs * field, outputs * field


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill `tensor` with uniform values of variance gain**2 * 2 / (fan_in + fan_out). Source: Glorot & Bengio 2010."""
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill `tensor` with normal values of variance gain**2 * 2 / (fan_in + fan_out). Source: Glorot & Bengio 2010."""
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def _xavier_std(tensor: Tensor, gain: float) -> float:
    fan_in, fan_out = calculate_fan_in_and_fan_out(tensor)
    return gain * math.sqrt(2.0 / float(fan_in + fan_out))


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:  # fmt: skip
    """Fill `tensor` with uniform values of variance gain**2 / fan. Source: He et al. 2015.

    Args:
        tensor: (out, in, *kernel)
        a: the slope of "leaky_relu" where numbers are negative.
        mode: "fan_in" keeps the spread of numbers in forward, "fan_out" the spread of gradients in backward.
    Raises:
        ValueError: another mode or nonlinearity; fewer than two dimensions.
    """
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:  # fmt: skip
    """Fill `tensor` with normal values of variance gain**2 / fan; same arguments and errors as `kaiming_uniform_`."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    return normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    modes: Sequence[str] = ["fan_in", "fan_out"]
    mode = mode.lower()
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    fan = calculate_fan_in_and_fan_out(tensor)[modes.index(mode)]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


@no_grad()
def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:  # fmt: skip
    """Fill `tensor` with normally distributed random numbers, redrawn until they are between a and b."""
    if tensor.is_meta:
        return tensor
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    inside = _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std)
    if inside > 0.3:
        return _drawn_until_inside(tensor, mean, std, a, b, generator)
    return _drawn_until_accepted(tensor, mean, std, a, b, generator)


def _normal_cdf(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _drawn_until_inside(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None
) -> Tensor:
    """Draw normal numbers, and draw again those outside. For bounds with most of the distribution between them."""
    low, high = (tensor.new_tensor(bound).item() for bound in (a, b))  # as its dtype has them
    drawn = tensor.normal_(mean, std, generator=generator)
    outside = (drawn < low) | (drawn > high)
    while outside.any():
        again = empty_like(drawn).normal_(mean, std, generator=generator)
        drawn = where(outside, again, drawn)
        outside = (drawn < low) | (drawn > high)
    return tensor if drawn is tensor else tensor.copy_(drawn)


def _drawn_until_accepted(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None
) -> Tensor:
    """Draw uniform numbers, accept each with its density over the highest one, and draw the others again."""
    nearest = max(a, min(mean, b))
    log_peak = -0.5 * ((nearest - mean) / std) ** 2
    candidates, chances = empty_like(tensor), empty_like(tensor)

    def is_refused() -> Tensor:
        """Write the logarithms of densities over `candidates`; return True where a candidate is refused."""
        candidates.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(log_peak)
        return chances.uniform_(generator=generator).log_().gt(candidates)

    candidates.copy_(tensor.uniform_(a, b, generator=generator))
    pending, drawn = is_refused(), tensor
    while pending.any():
        candidates.uniform_(a, b, generator=generator)
        drawn = where(pending, candidates, drawn)
        pending = where(pending, is_refused(), pending)
    return tensor if drawn is tensor else tensor.copy_(drawn)
