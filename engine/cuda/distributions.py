"""Random fills: each element draws from a generator of its own, made of the fill's key and its index.

Mirrors aten/src/ATen/native/cuda/{DistributionTemplates.h,Distributions.cu}.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .. import strides as geometry
from ..aten.at import at
from ..aten.generator import Generator
from ..aten.iterator import TensorIterator
from ..aten.native import distributions, random_factories
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..dtypes import bool_, dtype, float32, float64, int32, int64
from ..tensor_impl import Tensor
from . import loops
from .elementwise import run
from .generator import default_generator
from .libdevice import cos, log, sqrt
from .xoroshiro import state_of, unit_float32, unit_float64, xoroshiro128p_next

TWO_PI = np.float64(2 * math.pi)
ZERO = np.uint64(0)


def uniform_float(i, key, low, span):
    """Draw a float32 uniformly from [low, low + span)."""
    s0, s1 = state_of(key, i)
    number, s0, s1 = xoroshiro128p_next(s0, s1)
    return unit_float32(number) * span + low


def uniform_double(i, key, low, span):
    """Draw a float64 uniformly from [low, low + span)."""
    s0, s1 = state_of(key, i)
    number, s0, s1 = xoroshiro128p_next(s0, s1)
    return unit_float64(number) * span + low


def normal(i, key, mean, std):
    """Draw a normally distributed number by the Box-Muller transform of two uniform numbers, the first in (0, 1]."""
    s0, s1 = state_of(key, i)
    first, s0, s1 = xoroshiro128p_next(s0, s1)
    second, s0, s1 = xoroshiro128p_next(s0, s1)
    radius = sqrt(-2.0 * log(1.0 - unit_float64(first)))
    return radius * cos(TWO_PI * unit_float64(second)) * std + mean


def integer(i, key, span, base):
    """Draw an integer from [base, base + span), or from all integers of 64 bits if span is 0."""
    s0, s1 = state_of(key, i)
    number, s0, s1 = xoroshiro128p_next(s0, s1)
    if span != ZERO:
        number = number % span
    return np.int64(number) + base


def coin(i, key, p):
    """Return 1 with probability p, else 0."""
    s0, s1 = state_of(key, i)
    number, s0, s1 = xoroshiro128p_next(s0, s1)
    return unit_float64(number) < p


UNIFORM = {float32: uniform_float, float64: uniform_double}
OF_DTYPE = {float32: 2**24 + 1, float64: 2**53 + 1, int32: 2**31, int64: 2**63, bool_: 2}
"""Number of integers that `random_` draws from, by dtype: from 0 up, all of them exact in the dtype."""


def fill(self: Tensor, f: Callable, generator: Generator | None, *scalars: Any) -> None:
    """Fill a tensor with random numbers drawn by `f`, all from one key of the generator."""
    iter, key = TensorIterator.nullary_op(self), (generator or default_generator).next_key()  # type: ignore[attr-defined]
    run(iter.plan, iter.operands, loops.instantiate(loops.nullary, f), (key, *scalars))


def of_floats(functions: Mapping[dtype, Callable], name: str, kind: dtype) -> Callable:
    """Return the function for the floating-point dtype `kind`.

    Raises:
        NotImplementedError: the dtype is not a floating-point one.
    """
    if kind not in functions:
        raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
    return functions[kind]


def uniform_kernel(self: Tensor, low: float, high: float, generator: Generator | None) -> None:
    """Fill a tensor with numbers drawn uniformly from [low, high)."""
    number = self._dtype.numpy.type
    f = of_floats(UNIFORM, "uniform_kernel_cuda", self._dtype)
    fill(self, f, generator, number(low), number(high - low))


def normal_kernel(self: Tensor, mean: float, std: float, generator: Generator | None) -> None:
    """Fill a tensor with normally distributed numbers, computed in float64."""
    f = of_floats(dict.fromkeys(UNIFORM, normal), "normal_kernel_cuda", self._dtype)
    fill(self, f, generator, np.float64(mean), np.float64(std))


def random_from_to_kernel(self: Tensor, span: int, base: int, generator: Generator | None) -> None:
    """Fill a tensor with integers in [base, base + span)."""
    fill(self, integer, generator, np.uint64(span), np.int64(base))


def random_full_64_bits_range_kernel(self: Tensor, generator: Generator | None) -> None:
    """Fill a tensor with random 64-bit integers, converted to its dtype."""
    if self._dtype not in (int64, float32, float64):
        raise RuntimeError("random_full_64_bits_range_kernel_cuda handles only int64, double, float and bfloat16")
    fill(self, integer, generator, ZERO, np.int64(0))


def random_kernel(self: Tensor, generator: Generator | None) -> None:
    """Fill a tensor with integers from 0 to its dtype's largest; for floats, as far as all integers are exact."""
    fill(self, integer, generator, np.uint64(OF_DTYPE[self._dtype]), np.int64(0))


def bernoulli_scalar_kernel(self: Tensor, p: float, generator: Generator | None) -> None:
    """Fill a tensor with ones, each with probability p, and zeros."""
    fill(self, coin, generator, np.float64(p))


def bernoulli_tensor_kernel(self: Tensor, p: Tensor, generator: Generator | None) -> None:
    """Fill a tensor with ones and zeros, each a 1 with the probability at its index in `p`, broadcast.

    PyTorch finds a p outside [0, 1] on the device, which ends the program; here it is looked for first.
    """
    if p._dtype not in UNIFORM:
        raise NotImplementedError(f"\"bernoulli_tensor_cuda_p_\" not implemented for '{SCALAR_TYPE_NAMES[p._dtype]}'")
    geometry.expand(p._sizes, p._strides, self._sizes)
    if p.numel() and not (at.item(at.ge_Scalar(at.amin(p), 0)) and at.item(at.le_Scalar(at.amax(p), 1))):
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    numbers = at.empty_memory_format(self._sizes, float64, device=self._storage.device)
    uniform_kernel(numbers, 0.0, 1.0, generator)
    at.copy_(self, at.lt_Tensor(numbers, p))


def randperm_kernel(self: Tensor, generator: Generator | None) -> None:
    """Fill a vector with a random permutation of 0, ..., n - 1: sort random 63-bit keys, of which two may be equal."""
    if self._dtype is bool_:
        raise NotImplementedError("\"randperm\" not implemented for 'Bool'")
    keys = at.empty_memory_format(self._sizes, int64, device=self._storage.device)
    if keys.numel():
        random_kernel(keys, generator)
        at.copy_(self, at.sort(keys)[1])


KERNELS: dict[Any, Callable[..., None]] = {
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
    stub.register("cuda", kernel)
