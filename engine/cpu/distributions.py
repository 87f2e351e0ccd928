"""Random fills of tensors: words from the generator, values from the words, cells in the order of memory.

Mirrors aten/src/ATen/native/cpu/DistributionKernels.cpp.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import strides as geometry
from ..aten.generator import Generator, default_generator
from ..aten.iterator_plan import loop_over, reorder_dimensions
from ..aten.memory_overlap import assert_no_internal_overlap
from ..aten.native import distributions, random_factories
from ..aten.stubs import DispatchStub
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..dtypes import bool_, dtype, float32, float64, int8, int16, int32, int64, uint8
from ..strides import Ints
from ..tensor_impl import Tensor, is_contiguous
from . import random
from .copy import strided_copy
from .random import CHUNK


def draw_words(generator: Generator | None, count: int) -> np.ndarray:
    """Return the next `count` random words of a generator; None means the default generator."""
    generator = generator or default_generator
    words = np.empty(count, np.uint32)
    with generator.lock:
        random.random_words(generator.state, words)
    return words


def draw(
    cells: np.ndarray, generator: Generator | None, width: int, kernel: Callable, *scalars: Any, extra: int = 0
) -> None:
    """Fill `cells` chunk by chunk, calling `kernel(words, cells, *scalars)` with random words.

    Args:
        cells: flat and dense. The last chunk takes what is left over besides its own, so that it has at least 16
            cells if there are 16.
        width: words a cell.
        extra: words that the last chunk gets besides.
    """
    generator = generator or default_generator
    count = cells.size
    starts = range(0, max(count - CHUNK + 1, 1), CHUNK)
    words = np.empty(width * min(count, 2 * CHUNK) + extra, np.uint32)
    with generator.lock:
        for first in starts:
            is_last = first == starts[-1]
            part = cells[first:] if is_last else cells[first : first + CHUNK]
            drawn = words[: width * part.size + is_last * extra]
            random.random_words(generator.state, drawn)
            kernel(drawn, part, *scalars)


def in_cells(self: Tensor, fill: Callable[..., Any], *arguments: Any) -> Any:
    """Return `fill(cells, *arguments)`, which fills `self` through `cells`, a flat, dense array in memory order."""
    if is_contiguous(self._sizes, self._strides):
        cells, first, count = self._flat(), self._storage_offset, math.prod(self._sizes)
        return fill(cells if count == cells.size else cells[first : first + count], *arguments)
    assert_no_internal_overlap(self._sizes, self._strides)
    cells = np.empty(self.numel(), self._dtype.numpy)
    result = fill(cells, *arguments)
    sizes, (strides,) = in_memory_order(self._sizes, self._strides)
    strided_copy(sizes, self._flat(), self._storage_offset, strides, cells, 0, geometry.contiguous_strides(sizes))
    return result


def in_memory_order(sizes: Ints, *strides: Ints) -> tuple[Ints, tuple[Ints, ...]]:
    """Return the sizes and strides of operands, with the dimensions sorted as TensorIterator sorts them."""
    return loop_over(sizes, strides, reorder_dimensions(sizes, strides))


def kernel_of(kernels: dict, name: str, kind: dtype) -> Any:
    """Return the kernel for a dtype from `kernels`.

    Raises:
        NotImplementedError: there is none; in the words of AT_DISPATCH, which knows the kernel as `name`.
    """
    if kind not in kernels:
        raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
    return kernels[kind]


NORMAL_FILL = {float32: (random.normal_fill_float32, 1), float64: (random.normal_fill_float64, 2)}  # words a cell
BERNOULLI = {float32: (random.bernoulli_float32, 1), float64: (random.bernoulli_float64, 2)}
RANDOM = {
    float32: (2**24 + 1, 1), float64: (2**53 + 1, 2), int64: (2**63, 2), int32: (2**31, 1), int16: (2**15, 1),
    int8: (2**7, 1), uint8: (2**8, 1), bool_: (2, 1),
}  # fmt: skip
FULL_RANGE = {int64: 2, float64: 2, float32: 2, int32: 0, int16: 0, int8: 0, uint8: 0}


def uniform_kernel(self: Tensor, low: float, high: float, generator: Generator | None) -> None:
    """Fill `self` with uniform values in [low, high)."""
    kernel, generator = random.UNIFORM[self._dtype], generator or default_generator
    with generator.lock:
        in_cells(self, kernel, generator.state, low, high)


def normal_kernel(self: Tensor, mean: float, std: float, generator: Generator | None) -> None:
    """Fill `self` with normal values: 16 at a time if it has at least 16 contiguous elements, else singly in float64.

    The two ways give different numbers, in PyTorch too. One after the other, the generator keeps the one of a pair that
    is left over.
    """
    count, is_dense = math.prod(self._sizes), is_contiguous(self._sizes, self._strides)
    if is_dense and count >= 16:
        return normal_fill_kernel(self, mean, std, generator)
    kernel, cells, generator = random.NORMAL_SERIAL[self._dtype], self._elements, generator or default_generator
    with generator.lock:
        if is_dense and cells is not None and cells.size == count:  # the usual call, without the frame of `in_cells`
            generator.spare_normal = kernel(cells, generator.state, mean, std, generator.spare_normal)
        else:
            generator.spare_normal = in_cells(self, kernel, generator.state, mean, std, generator.spare_normal)


def normal_fill_kernel(self: Tensor, mean: float, std: float, generator: Generator | None) -> None:
    """Fill `self`, whose elements are contiguous, with normal values, 16 at a time."""
    kernel, width = kernel_of(NORMAL_FILL, "normal_kernel_cpu", self._dtype)
    tail = 16 * width if math.prod(self._sizes) % 16 else 0
    scalar = self._dtype.numpy.type
    in_cells(self, lambda cells: draw(cells, generator, width, kernel, scalar(mean), scalar(std), extra=tail))


def random_from_to_kernel(self: Tensor, span: int, base: int, generator: Generator | None) -> None:
    """Fill `self` with random integers in [base, base + span)."""
    width = 2 if span >= 1 << 28 else 1
    kernel = random.integers_from_to
    in_cells(self, draw, generator, width, kernel, np.uint64(span), np.int64(base))


def random_full_64_bits_range_kernel(self: Tensor, generator: Generator | None) -> None:
    """Fill `self` with random 64-bit integers, converted to its dtype."""
    name = "random_full_64_bits_range_kernel_cpu"
    width = kernel_of(FULL_RANGE, name, self._dtype)
    if not width:
        raise RuntimeError(f"{name} handles only int64, double, float and bfloat16")
    in_cells(self, draw, generator, width, random.integers_of_64_bits)


def random_kernel(self: Tensor, generator: Generator | None) -> None:
    """Fill `self` with random integers from 0 to its dtype's largest, or for floats to 2**24 or 2**53, all exact."""
    span, width = RANDOM[self._dtype]
    kernel = random.integers_of_dtype
    in_cells(self, draw, generator, width, kernel, np.uint64(span), width == 2)


def bernoulli_scalar_kernel(self: Tensor, p: float, generator: Generator | None) -> None:
    """Write 1 into each element with probability p, else 0.

    PyTorch takes these from MKL on processors of Intel, and as here on all others; here the numbers are the same
    everywhere, because there is no MKL.
    """
    in_cells(self, draw, generator, 2, random.bernoulli_scalar, float(p))


def bernoulli_tensor_kernel(self: Tensor, p: Tensor, generator: Generator | None) -> None:
    """Write 1 into each element with the probability in `p`, which is broadcast to `self`, else 0.

    PyTorch finds a p outside [0, 1] when it comes to it; here all are looked at before anything is drawn or written.
    """
    p_sizes, p_strides = geometry.expand(p._sizes, p._strides, self._sizes)
    kernel, width = kernel_of(BERNOULLI, "bernoulli_tensor_cpu_p_", p._dtype)
    sizes, (_, p_strides) = in_memory_order(self._sizes, self._strides, p_strides)
    chances = np.empty(self.numel(), p._dtype.numpy)
    strided_copy(sizes, chances, 0, geometry.contiguous_strides(sizes), p._flat(), p._storage_offset, p_strides)
    if not np.all((chances >= 0) & (chances <= 1)):
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    in_cells(self, lambda cells: kernel(draw_words(generator, width * cells.size), cells, chances))


def randperm_kernel(self: Tensor, generator: Generator | None) -> None:
    """Write the numbers 0, ..., n - 1 in a random order into `self`, a tensor of n elements."""
    if self._dtype is bool_:
        raise NotImplementedError("\"randperm\" not implemented for 'Bool'")
    n = self.numel()
    width = 1 if n < (2**32 - 1) // 20 else 2
    words = draw_words(generator, width * max(n - 1, 0))
    in_cells(self, lambda cells: random.shuffled_integers(words, cells, width == 2))


KERNELS: dict[DispatchStub, Callable[..., None]] = {
    distributions.uniform_stub: uniform_kernel,
    distributions.normal_stub: normal_kernel,
    distributions.random_from_to_stub: random_from_to_kernel,
    distributions.random_full_64_bits_range_stub: random_full_64_bits_range_kernel,
    distributions.random_stub: random_kernel,
    distributions.bernoulli_scalar_stub: bernoulli_scalar_kernel,
    distributions.bernoulli_tensor_stub: bernoulli_tensor_kernel,
    random_factories.randperm_stub: randperm_kernel,
}
for stub, kernel in KERNELS.items():
    stub.register("cpu", kernel)
