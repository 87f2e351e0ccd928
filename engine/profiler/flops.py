"""Number of floating-point operations of a call, by formula. Mirrors computeFlops (torch/csrc/profiler/util.cpp)."""

import math
from collections.abc import Callable, Sequence

from .events import Input

Sizes = Sequence[int]
Formula = Callable[[Sequence[Input]], int]

FORMULAS: dict[str, Formula] = {}
"""Operator -> function of its recorded arguments."""


def product_flops(one: Sizes, other: Sizes) -> int:
    """Return the FLOPs of a matrix product: a multiplication and an addition for each term of each result element.

    Args:
        one, other: sizes (n, k) and (k, m), or (b, n, k) and (b, k, m).

    >>> product_flops((2, 3), (3, 5))
    60
    """
    if 0 in one or not one:
        return 0
    return 2 * math.prod(one[:-1]) * math.prod(other[-2:])


def convolution_flops(one: Sizes, weight: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> int:
    """Return the FLOPs of a 2-D convolution: two for each result element and each weight that contributes to it.

    Args:
        one: sizes of the input, (batch, channels, height, width).
        weight: sizes, (channels of the result, channels / groups, height, width).
        stride, padding, dilation: two numbers each.
    Returns:
        PyTorch's number, which counts terms at the border that are padding. 0 if the sizes are not four.

    >>> convolution_flops((1, 3, 5, 5), (2, 3, 3, 3), (1, 1), (0, 0), (1, 1), 1)
    972
    """
    if len(one) != 4 or len(weight) != 4:
        return 0
    batch, channels, *extents = one
    results, _, *kernel = weight
    made = [
        (extent + 2 * pad - step * (width - 1) - 1) // jump + 1
        for extent, width, jump, pad, step in zip(extents, kernel, stride, padding, dilation, strict=True)
    ]
    return 2 * batch * math.prod(made) * math.prod(kernel) * channels * results // groups


def formula(*names: str) -> Callable[[Formula], Formula]:
    """Register a function of the recorded inputs as the FLOP formula of the operators `names` (a decorator)."""

    def enter(function: Formula) -> Formula:
        FORMULAS.update(dict.fromkeys(names, function))
        return function

    return enter


@formula("aten::mm", "aten::bmm")
def _product(inputs: Sequence[Input]) -> int:
    return product_flops(inputs[0].sizes, inputs[1].sizes)


@formula("aten::addmm", "aten::baddbmm")
def _product_and_sum(inputs: Sequence[Input]) -> int:
    return product_flops(inputs[1].sizes, inputs[2].sizes)


@formula("aten::add", "aten::mul")
def _elementwise(inputs: Sequence[Input]) -> int:
    return math.prod(inputs[0].sizes)


@formula("aten::conv2d")
def _convolution(inputs: Sequence[Input]) -> int:
    one, weight, _, *pairs, groups = inputs
    if not all(isinstance(pair.value, list) for pair in pairs):
        return 0  # padding may be a word
    stride, padding, dilation = (pair.value * (3 - len(pair.value)) for pair in pairs)
    return convolution_flops(one.sizes, weight.sizes, stride, padding, dilation, groups.value)


def flops_of(name: str, inputs: Sequence[Input]) -> int:
    """Return the FLOPs of a call, or 0 if its operator has no formula or its arguments were not recorded."""
    formula = FORMULAS.get(name)
    return formula(inputs) if formula is not None and inputs else 0
