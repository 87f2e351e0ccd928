"""New random tensors: an `empty`, then a draw in place.

Mirrors the random part of aten/src/ATen/native/TensorFactories.cpp. Overloads without a generator, which take the
default one, have the plain name; a generator comes before the options, as in the schemas.
"""

from typing import Any

from ...dtypes import contiguous_format, dtype, float32, float64, int32, int64
from ...strides import Ints, broadcast_shapes
from ...tensor_impl import Tensor
from ..at import at
from ..generator import Generator
from ..structured import resize_output
from ..stubs import DispatchStub
from .distributions import check_normal_std, is_on, normal_
from .tensor_factories import Device, Dtype, Layout

randperm_stub = DispatchStub("randperm_stub")
"""kernel(self, generator): shuffled integers into a tensor of any number of elements."""

# `options` in the signatures below: dtype, layout, device, pin_memory; for a tensor like another, memory_format too.

LARGEST_N = {float32: ("Float", 24), float64: ("Double", 53)}


# ---- uniform


def rand(size: Ints, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None) -> Tensor:
    """Return a new tensor of uniformly distributed random numbers in [0, 1)."""
    return at.uniform_(at.empty_memory_format(size, dtype, layout, device, pin_memory), 0.0, 1.0, None)


def rand_generator(size: Ints, generator: Generator | None, *options: Any) -> Tensor:
    """Return a new tensor of uniformly distributed random numbers in [0, 1)."""
    return at.uniform_(at.empty_memory_format(size, *options), 0.0, 1.0, generator)


def rand_out(size: Ints, out: Tensor) -> Tensor:
    """Resize `out` and fill it with uniformly distributed random numbers in [0, 1)."""
    return rand_generator_out(size, None, out)


def rand_generator_out(size: Ints, generator: Generator | None, out: Tensor) -> Tensor:
    """Resize `out` and fill it with uniformly distributed random numbers in [0, 1)."""
    return at.uniform_(at.resize_(out, size), 0.0, 1.0, generator)


def rand_like(self: Tensor, *options: Any) -> Tensor:
    """Return a tensor with the sizes of `self` and uniformly distributed random numbers in [0, 1)."""
    return rand_like_generator(self, None, *options)


def rand_like_generator(self: Tensor, generator: Generator | None, *options: Any) -> Tensor:
    """Return a tensor with the sizes of `self` and uniformly distributed random numbers in [0, 1)."""
    return at.uniform_(at.empty_like(self, *options), 0.0, 1.0, generator)


# ---- normal


def randn(size: Ints, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None) -> Tensor:
    """Return a new tensor of normally distributed random numbers with mean 0 and standard deviation 1."""
    return at.normal_(at.empty_memory_format(size, dtype, layout, device, pin_memory), 0.0, 1.0, None)


def randn_generator(size: Ints, generator: Generator | None, *options: Any) -> Tensor:
    """Return a new tensor of normally distributed random numbers with mean 0 and standard deviation 1."""
    return at.normal_(at.empty_memory_format(size, *options), 0.0, 1.0, generator)


def randn_out(size: Ints, out: Tensor) -> Tensor:
    """Resize `out` and fill it with normally distributed random numbers with mean 0 and standard deviation 1."""
    return randn_generator_out(size, None, out)


def randn_generator_out(size: Ints, generator: Generator | None, out: Tensor) -> Tensor:
    """Resize `out` and fill it with normally distributed random numbers with mean 0 and standard deviation 1."""
    return at.normal_(at.resize_(out, size), 0.0, 1.0, generator)


def randn_like(self: Tensor, *options: Any) -> Tensor:
    """Return a tensor with the sizes of `self` and normally distributed random numbers of mean 0 and variance 1."""
    return randn_like_generator(self, None, *options)


def randn_like_generator(self: Tensor, generator: Generator | None, *options: Any) -> Tensor:
    """Return a tensor with the sizes of `self` and normally distributed random numbers of mean 0 and variance 1."""
    return at.normal_(at.empty_like(self, *options), 0.0, 1.0, generator)


# ---- normal, of given means and standard deviations


def normal_float_float(mean: float, std: float, size: Ints, generator: Generator | None, *options: Any) -> Tensor:
    """Return a new tensor of normally distributed random numbers that share one mean and one standard deviation."""
    return at.normal_(at.empty_memory_format(size, *options), mean, std, generator)


def normal_float_float_out(mean: float, std: float, size: Ints, generator: Generator | None, out: Tensor) -> Tensor:
    """Resize `out` and fill it with normally distributed random numbers that share one mean and standard deviation."""
    return at.normal_(at.resize_(out, size), mean, std, generator)


def normal_Tensor_float(mean: Tensor, std: float, generator: Generator | None) -> Tensor:
    """Return normally distributed random numbers with a mean per element and one shared standard deviation."""
    check_normal_std(std)
    return normal_Tensor_float_out(mean, std, generator, at.empty_like(mean, memory_format=contiguous_format))


def normal_Tensor_float_out(mean: Tensor, std: float, generator: Generator | None, out: Tensor) -> Tensor:
    """Fill `out` with normally distributed random numbers with a mean per element and one shared standard deviation."""
    check_normal_std(std)
    resize_output(out, broadcast_shapes(mean._sizes, out._sizes))
    return at.add__Tensor(centred_normal(out, std, generator), mean)


def normal_float_Tensor(mean: float, std: Tensor, generator: Generator | None) -> Tensor:
    """Return normally distributed random numbers with one shared mean and a standard deviation per element."""
    return normal_float_Tensor_out(mean, std, generator, at.empty_like(std, memory_format=contiguous_format))


def normal_float_Tensor_out(mean: float, std: Tensor, generator: Generator | None, out: Tensor) -> Tensor:
    """Fill `out` with normally distributed random numbers with one shared mean and a standard deviation per element."""
    return normal_Tensor_Tensor_out(at.full((), mean, out._dtype), std, generator, out)


def normal_Tensor_Tensor(mean: Tensor, std: Tensor, generator: Generator | None) -> Tensor:
    """Return normally distributed random numbers with a mean and a standard deviation per element."""
    sizes = broadcast_shapes(mean._sizes, std._sizes)
    made = at.empty_memory_format(sizes, mean._dtype, device=mean._storage.device)
    return normal_Tensor_Tensor_out(mean, std, generator, made)


def normal_Tensor_Tensor_out(mean: Tensor, std: Tensor, generator: Generator | None, out: Tensor) -> Tensor:
    """Fill `out` with normally distributed random numbers with a mean and a standard deviation per element.

    Raises:
        RuntimeError: a standard deviation is negative or NaN, or the sizes do not broadcast.
    """
    if std.numel() and is_on(std) != "meta" and not at.item(at.amin(std)) >= 0:
        raise RuntimeError("normal expects all elements of std >= 0.0")
    resize_output(out, broadcast_shapes(mean._sizes, std._sizes))
    return at.add__Tensor(at.mul__Tensor(centred_normal(out, 1.0, generator), std), mean)


def centred_normal(out: Tensor, std: float, generator: Generator | None) -> Tensor:
    """Fill `out` with normally distributed random numbers of mean 0 and return it; leave a meta tensor as it is."""
    return out if is_on(out) == "meta" else normal_(out, 0.0, std, generator)


# ---- integers


def randint(high: int, size: Ints, *options: Any) -> Tensor:
    """Return a new tensor of random integers in [0, high)."""
    return randint_low_generator(0, high, size, None, *options)


def randint_generator(high: int, size: Ints, generator: Generator | None, *options: Any) -> Tensor:
    """Return a new tensor of random integers in [0, high)."""
    return randint_low_generator(0, high, size, generator, *options)


def randint_low(low: int, high: int, size: Ints, *options: Any) -> Tensor:
    """Return a new tensor of random integers in [low, high)."""
    return randint_low_generator(low, high, size, None, *options)


def randint_low_generator(low: int, high: int, size: Ints, generator: Generator | None, *options: Any) -> Tensor:
    """Return a new tensor of random integers in [low, high)."""
    return at.random__from(at.empty_memory_format(size, *options), low, high, generator)


def randint_out(high: int, size: Ints, out: Tensor) -> Tensor:
    """Resize `out` and fill it with random integers in [0, high)."""
    return randint_low_generator_out(0, high, size, None, out)


def randint_generator_out(high: int, size: Ints, generator: Generator | None, out: Tensor) -> Tensor:
    """Resize `out` and fill it with random integers in [0, high)."""
    return randint_low_generator_out(0, high, size, generator, out)


def randint_low_out(low: int, high: int, size: Ints, out: Tensor) -> Tensor:
    """Resize `out` and fill it with random integers in [low, high)."""
    return randint_low_generator_out(low, high, size, None, out)


def randint_low_generator_out(low: int, high: int, size: Ints, generator: Generator | None, out: Tensor) -> Tensor:
    """Resize `out` and fill it with random integers in [low, high)."""
    return at.random__from(at.resize_(out, size), low, high, generator)


def randint_like(self: Tensor, high: int, *options: Any) -> Tensor:
    """Return a tensor with the sizes of `self` and random integers in [0, high)."""
    return randint_like_low_generator_dtype(self, 0, high, None, *options)


def randint_like_generator(self: Tensor, high: int, generator: Generator | None, *options: Any) -> Tensor:
    """Return a tensor with the sizes of `self` and random integers in [0, high)."""
    return randint_like_low_generator_dtype(self, 0, high, generator, *options)


def randint_like_Tensor(self: Tensor, high: Tensor, *options: Any) -> Tensor:
    """Return a tensor with the sizes of `self` and random integers in [0, high), where `high` is a 0-dim tensor."""
    return randint_like_Tensor_generator(self, high, None, *options)


def randint_like_Tensor_generator(self: Tensor, high: Tensor, generator: Generator | None, *options: Any) -> Tensor:
    """Return a tensor with the sizes of `self` and random integers in [0, high), where `high` is a 0-dim tensor.

    Raises:
        RuntimeError: `high` has dimensions, or is not on the CPU.
    """
    if high._sizes or is_on(high) != "cpu":
        raise RuntimeError("high must be a scalar tensor and on CPU")
    return randint_like_low_generator_dtype(self, 0, int(at.item(high)), generator, *options)


def randint_like_low_dtype(self: Tensor, low: int, high: int, *options: Any) -> Tensor:
    """Return a tensor with the sizes of `self` and random integers in [low, high)."""
    return randint_like_low_generator_dtype(self, low, high, None, *options)


def randint_like_low_generator_dtype(
    self: Tensor, low: int, high: int, generator: Generator | None, *options: Any
) -> Tensor:
    """Return a tensor with the sizes of `self` and random integers in [low, high)."""
    return at.random__from(at.empty_like(self, *options), low, high, generator)


# ---- permutations


def randperm(n: int, *options: Any) -> Tensor:
    """Return the integers from 0 to n - 1 in a random order."""
    return randperm_generator(n, None, *options)


def randperm_generator(n: int, generator: Generator | None, *options: Any) -> Tensor:
    """Return the integers from 0 to n - 1 in a random order."""
    return at.randperm_generator_out(n, generator, at.empty_memory_format((n,), *options))


def randperm_out(n: int, out: Tensor) -> Tensor:
    """Resize `out` and fill it with the integers from 0 to n - 1 in a random order."""
    return at.randperm_generator_out(n, None, out)


def randperm_out_cpu(n: int, generator: Generator | None, out: Tensor) -> Tensor:
    """Resize `out` and fill it with the integers from 0 to n - 1 in a random order.

    Raises:
        RuntimeError: `n` is negative, or the dtype has not all of the integers.
        NotImplementedError: the dtype is bool.
    """
    if n < 0:
        raise RuntimeError(f"n must be non-negative, got{n}")
    check_supported_max_int_with_precision(n, out._dtype)
    at.resize_(out, (n,))
    randperm_stub.kernels[is_on(out)](out, generator)
    return out


def randperm_out_meta(n: int, generator: Generator | None, out: Tensor) -> Tensor:
    """Resize `out`, a meta tensor, to `n` elements."""
    return at.resize_(out, (n,))


def check_supported_max_int_with_precision(n: int, scalar_type: dtype) -> None:
    """Refuse an `n` so large that the dtype cannot represent all integers from 0 to n - 1 exactly.

    Source: aten/src/ATen/native/TensorFactories.h.
    """
    if scalar_type is int32 and n >= 2**31 or scalar_type is int64 and n >= 2**63:
        raise RuntimeError(
            f"value cannot be converted to type {'int' if scalar_type is int32 else 'int64_t'} without overflow"
        )
    if scalar_type in LARGEST_N:
        name, digits = LARGEST_N[scalar_type]
        if n > 2**digits + 1:
            raise RuntimeError(f"n cannot be greater than 2^{digits}+1 for {name} type.")
