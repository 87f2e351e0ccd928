"""Random draws into a tensor: normal_, uniform_, random_, bernoulli_.

The numbers are PyTorch's from the same seed (see `engine/cpu/random.py`).
Mirrors aten/src/ATen/native/{Distributions.cpp,DistributionTemplates.h}.
"""

import warnings

from ... import dtypes
from ...dtypes import contiguous_format, dtype
from ...tensor_impl import Tensor
from ..at import at
from ..generator import Generator
from ..memory_overlap import assert_no_internal_overlap
from ..scalar_ops import INTEGERS
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES

# Kernels: kernel(self, ..., generator) fills `self`, which has elements; None means the default generator.
normal_stub = DispatchStub("normal_stub")  # (self, mean, std, generator)
uniform_stub = DispatchStub("uniform_stub")  # (self, from, to, generator)
random_from_to_stub = DispatchStub("random_from_to_stub")  # (self, range, base, generator)
random_full_64_bits_range_stub = DispatchStub("random_full_64_bits_range_stub")  # (self, generator)
random_stub = DispatchStub("random_stub")  # (self, generator)
bernoulli_scalar_stub = DispatchStub("bernoulli_scalar_stub")  # (self, p, generator)
bernoulli_tensor_stub = DispatchStub("bernoulli_tensor_stub")  # (self, p, generator)

INT64_MIN = -(2**63)
LAST_INTEGER = {dtypes.bool_: 1, **{kind: 2**kind.digits for kind in dtypes.DTYPES.values() if kind.is_floating_point}}
LAST_INTEGER |= {kind: values[-1] for kind, values in INTEGERS.items()}
FIRST_INTEGER = {dtypes.bool_: 0, **{kind: values[0] for kind, values in INTEGERS.items()}}


def c_name(scalar_type: dtype) -> str:
    """Return the name of a dtype in errors of bounds: "long", where other errors say "long int"."""
    return scalar_type.cpp_name.removesuffix(" int")


def is_on(self: Tensor) -> str:
    """Return the device type of a tensor's storage."""
    return self._storage.device.type


# ---- normal


def normal_(self: Tensor, mean: float, std: float, generator: Generator | None) -> Tensor:
    """Fill `self` with samples from a normal distribution.

    Raises:
        RuntimeError: `std` is negative or NaN.
        NotImplementedError: the dtype is not floating-point.
    """
    if not std >= 0:  # without a frame
        check_normal_std(std)
    if 0 not in self._sizes:
        normal_stub.kernels[self._storage.device.type](self, mean, std, generator)
    return self


def check_normal_std(std: float) -> None:
    """Refuse a standard deviation that is negative or NaN."""
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")


def normal_meta_(self: Tensor, mean: float, std: float, generator: Generator | None) -> Tensor:
    """Check the arguments of `normal_` for a meta tensor, and return `self`.

    Raises:
        RuntimeError: `std` is negative or NaN, or the dtype is not floating-point.
    """
    check_normal_std(std)
    if not self._dtype.is_floating_point:
        raise RuntimeError(f"expected a floating-point or complex dtype, but got dtype={self._dtype}")
    return self


# ---- uniform


def uniform_(self: Tensor, from_: float, to: float, generator: Generator | None) -> Tensor:
    """Fill `self` with samples from the uniform distribution over [from, to).

    Raises:
        RuntimeError: `from` > `to`, or a bound or their difference is not a number of the dtype.
        NotImplementedError: the dtype is not floating-point.
    """
    check_uniform_bounds(from_, to, self._dtype)
    if 0 not in self._sizes:
        uniform_stub.kernels[self._storage.device.type](self, from_, to, generator)
    return self


def check_uniform_bounds(from_: float, to: float, scalar_type: dtype) -> None:
    """Refuse bounds of `uniform_` that are out of order or out of the dtype's range; raise like `uniform_`."""
    if not scalar_type.is_floating_point:
        raise NotImplementedError(f"\"check_uniform_bounds\" not implemented for '{SCALAR_TYPE_NAMES[scalar_type]}'")
    largest = scalar_type.largest
    if -largest <= from_ <= to <= largest and to - from_ <= largest:
        return
    for name, bound in (("from", from_), ("to", to)):
        if not -largest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {c_name(scalar_type)}")
    if from_ > to:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={from_:g} > to={to:g}")
    if to - from_ > largest:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{SCALAR_TYPE_NAMES[scalar_type]}>::max(), but found "
            f"to={to:g} and from={from_:g} which result in to-from to exceed the limit"
        )


def uniform_meta_(self: Tensor, from_: float, to: float, generator: Generator | None) -> Tensor:
    """Return a meta tensor unchanged; as in PyTorch, `uniform_` does not check its arguments here."""
    return self


# ---- random integers


def random_(self: Tensor, generator: Generator | None) -> Tensor:
    """Fill `self` with random integers from 0 to the dtype's maximum, or to 2**24 for float32 and 2**53 for float64."""
    if self.numel():
        assert_no_internal_overlap(self._sizes, self._strides)
        random_stub.kernels[is_on(self)](self, generator)
    return self


def random__to(self: Tensor, to: int, generator: Generator | None) -> Tensor:
    """Fill `self` with random integers in [0, to)."""
    return random__from(self, 0, to, generator)


def random__from(self: Tensor, from_: int, to: int | None, generator: Generator | None) -> Tensor:
    """Fill `self` with random integers in [from, to), or from `from` to the maximum of `random_` if `to` is None.

    Raises:
        RuntimeError: the range is empty, or has numbers that the dtype has not.
    """
    assert_no_internal_overlap(self._sizes, self._strides)
    if to is None and from_ == INT64_MIN:
        if self.numel():
            random_full_64_bits_range_stub.kernels[is_on(self)](self, generator)
        return self
    base, last = random_range(from_, to, self._dtype)
    if self.numel():
        random_from_to_stub.kernels[is_on(self)](self, last - base + 1, base, generator)
    return self


def random_range(from_: int, to: int | None, scalar_type: dtype) -> tuple[int, int]:
    """Return the smallest and the largest integer that `random_` can draw in a dtype.

    Raises:
        RuntimeError: there is none, or the dtype does not have them.

    Source: random_from_to_impl (aten/src/ATen/native/DistributionTemplates.h).
    """
    first, last = from_, LAST_INTEGER[scalar_type] if to is None else to - 1
    if to is not None and first > last:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={from_} >= to={to}")
    if scalar_type.is_floating_point:
        first = next_representable(first, scalar_type)
        if to is None:
            if first >= last:
                raise RuntimeError(
                    "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, "
                    f"but got from={first} > to_inc={last}"
                )
        else:
            last = previous_representable(to, scalar_type) - 1
            if first > last:
                raise RuntimeError(
                    "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, "
                    f"but got from={first} >= to={last + 1}"
                )
    check_from_to_in_range(first, last, scalar_type)
    return first, last


def as_float_and_back(number: int, scalar_type: dtype) -> int:
    """Return an int64 cast to a floating-point dtype and back; on overflow, the lowest int64, as on x86."""
    rounded = int(scalar_type.numpy.type(number))
    return rounded if rounded < 2**63 else INT64_MIN


def next_representable(from_: int, scalar_type: dtype) -> int:
    """Return `from_`, raised if rounding to the dtype could produce a number below it (PyTorch's `update_from`)."""
    rounded = as_float_and_back(from_ + 1, scalar_type)
    if rounded >= from_:
        return from_
    return rounded + (1 << (abs(from_ + 1).bit_length() - scalar_type.digits))


def previous_representable(to: int, scalar_type: dtype) -> int:
    """Return `to`, lowered if rounding to the dtype could produce a number not below it (PyTorch's `update_to`)."""
    rounded = as_float_and_back(to - 1, scalar_type)
    if rounded < to:
        return to
    return rounded - (1 << (abs(to - 1).bit_length() - scalar_type.digits))


def check_from_to_in_range(first: int, last: int, scalar_type: dtype) -> None:
    """Refuse bounds outside an integer dtype; warn of bounds beyond a floating-point dtype's exact integers.

    Raises:
        RuntimeError: an integer dtype does not have `first` or `last`.
    """
    for name, bound in (("from", first), ("to - 1", last)):
        if not scalar_type.is_floating_point:
            if not FIRST_INTEGER[scalar_type] <= bound <= LAST_INTEGER[scalar_type]:
                raise RuntimeError(f"{name} is out of bounds for {c_name(scalar_type)}")
        elif abs(bound) > LAST_INTEGER[scalar_type]:
            digits = scalar_type.digits
            warnings.warn(
                f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                f"{c_name(scalar_type)} can support discrete uniform distribution only within this range. This "
                "warning will become an error in version 1.7 release, please fix the code in advance",
                stacklevel=2,
            )


def random__meta(self: Tensor, generator: Generator | None) -> Tensor:
    """Return `self` unchanged: a meta tensor has no memory for `random_` to fill."""
    return self


def random__to_meta(self: Tensor, to: int, generator: Generator | None) -> Tensor:
    """Return a meta tensor unchanged; as in PyTorch, `random_` does not check its upper bound here."""
    return self


def random__from_meta(self: Tensor, from_: int, to: int | None, generator: Generator | None) -> Tensor:
    """Return a meta tensor unchanged; as in PyTorch, `random_` does not check its bounds here."""
    return self


# ---- bernoulli


def bernoulli__float(self: Tensor, p: float, generator: Generator | None) -> Tensor:
    """Set each element to 1 with probability `p`, else to 0.

    Raises:
        RuntimeError: `p` is outside [0, 1].
    """
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    if self.numel():
        assert_no_internal_overlap(self._sizes, self._strides)
        bernoulli_scalar_stub.kernels[is_on(self)](self, p, generator)
    return self


def bernoulli__Tensor(self: Tensor, p: Tensor, generator: Generator | None) -> Tensor:
    """Set each element to 1 with the probability at its position in `p`, broadcast to `self`, else to 0.

    Raises:
        RuntimeError: a probability is outside [0, 1], or the sizes do not broadcast.
        NotImplementedError: `p` is not floating-point.
    """
    if self.numel():
        assert_no_internal_overlap(self._sizes, self._strides)
        bernoulli_tensor_stub.kernels[is_on(self)](self, p, generator)
    return self


def bernoulli__float_meta(self: Tensor, p: float, generator: Generator | None) -> Tensor:
    """Return a meta tensor unchanged; as in PyTorch, `bernoulli_` does not check its arguments here."""
    return self


def bernoulli__Tensor_meta(self: Tensor, p: Tensor, generator: Generator | None) -> Tensor:
    """Return a meta tensor unchanged; as in PyTorch, `bernoulli_` does not check its arguments here."""
    return self


def bernoulli(self: Tensor, generator: Generator | None) -> Tensor:
    """Return a new contiguous tensor of samples: 1 with the probability at that position in `self`, else 0."""
    return at.bernoulli__Tensor(at.empty_like(self, memory_format=contiguous_format), self, generator)


def bernoulli_p(self: Tensor, p: float, generator: Generator | None) -> Tensor:
    """Return a new contiguous tensor of the shape of `self`, each element 1 with probability `p`, else 0."""
    return at.bernoulli__float(at.empty_like(self, memory_format=contiguous_format), p, generator)


def bernoulli_out(self: Tensor, generator: Generator | None, out: Tensor) -> Tensor:
    """Write the result of `bernoulli` into `out`, which is resized to fit."""
    at.resize_(out, self._sizes)
    return bernoulli__Tensor(out, self, generator)
