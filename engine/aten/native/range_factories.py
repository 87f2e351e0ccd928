"""New tensors of numbers in a row: arange, linspace, eye.

Mirrors aten/src/ATen/native/RangeFactories.cpp, and eye of aten/src/ATen/native/TensorFactories.cpp.
"""

import math
import warnings

from ... import dtypes
from ...dtypes import bool_, float64, int64  # noqa: F401 (float64 for the example)
from ...tensor_impl import Tensor
from ..at import at
from ..stubs import DispatchStub
from ..type_promotion import PROMOTION_ORDER
from .tensor_factories import dtype_of_number, empty_on

Number = bool | int | float
Dtype = dtypes.dtype | None
Layout = dtypes.layout | None
Device = dtypes.device | None

arange_stub = DispatchStub("arange_stub")
"""kernel(out, start, step): element i of a contiguous tensor becomes start + i * step."""

linspace_stub = DispatchStub("linspace_stub")
"""kernel(out, start, end): the elements of a contiguous tensor become evenly spaced, start and end included."""


def arange(end: Number, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None) -> Tensor:
    """Return the numbers 0, 1, ... up to `end` (exclusive)."""
    return arange_start_step(0, end, 1, dtype, layout, device, pin_memory)


def arange_start(
    start: Number, end: Number, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None
) -> Tensor:
    """Return the numbers start, start + 1, ... up to `end` (exclusive)."""
    return arange_start_step(start, end, 1, dtype, layout, device, pin_memory)


def arange_start_step(
    start: Number, end: Number, step: Number, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None
) -> Tensor:
    """Return the numbers start, start + step, ... up to `end` (exclusive); `dtype` defaults to the widest of the three.

    Raises:
        RuntimeError, ValueError, NotImplementedError: as `range_length`.
    """
    scalar_type = _range_dtype(dtype, start, end, step)
    # At once: to grow a storage is slow.
    count = 0 if scalar_type is bool_ else range_length(start, end, step, scalar_type)
    return at.arange_start_out(start, end, step, empty_on(device)((count,), scalar_type, layout, device, pin_memory))


def arange_out(end: Number, out: Tensor) -> Tensor:
    """Write the numbers 0, 1, ... up to `end` (exclusive) into `out`."""
    return at.arange_start_out(0, end, 1, out=out)


def arange_start_out(start: Number, end: Number, step: Number, out: Tensor) -> Tensor:
    """Write the numbers start, start + step, ... up to `end` (exclusive) into `out`, resized if its length differs.

    PyTorch's floats depend in the last bit on the width of the CPU's vectors; here element i is
    `start + i * step` in float64, rounded once, because that is the same everywhere.

    Raises:
        RuntimeError, ValueError, NotImplementedError: as `range_length`.
    """
    scalar_type = out._dtype
    if scalar_type is bool_ and out._storage.device.type != "meta":
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
    count = range_length(start, end, step, scalar_type)
    if out.numel() != count:
        if out.numel():
            warnings.warn(
                f"The number of elements in the out tensor of shape {list(out._sizes)} is {out.numel()} which does "
                f"not match the computed number of elements {count}. Note that this may occur as a result of rounding "
                f"error. The out tensor will be resized to a tensor of shape ({count},).",
                stacklevel=2,
            )
        at.resize_(out, (count,))
    convert = float if scalar_type.is_floating_point else int
    return _written(out, arange_stub, convert(start), convert(step))


def range_length(start: Number, end: Number, step: Number, scalar_type: dtypes.dtype) -> int:
    """Count the numbers start, start + step, ... up to `end` (exclusive).

    An integer dtype takes the whole part of `start` and `step`; int64 also of `end`, before it counts.

    Raises:
        RuntimeError: `step` is 0, or leads away from `end`; a bound is infinite or nan.
        ValueError: `step` is 0 as an int64.

    >>> range_length(0, 1, 0.25, float64), range_length(5, 0, -2, int64)
    (4, 3)
    """
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if step == 0:
        raise RuntimeError("step must be nonzero")
    start, end, step = map(int if scalar_type is int64 else float, (start, end, step))
    if step == 0:
        raise ValueError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    return int(-(-(end - start) // step)) if scalar_type is int64 else math.ceil((end - start) / step)


def _range_dtype(dtype: Dtype, *numbers: Number) -> dtypes.dtype:
    if dtype is not None:
        return dtype
    if set(map(type, numbers)) == {int}:
        return int64
    widest = max(map(dtype_of_number, numbers), key=PROMOTION_ORDER.index)
    return int64 if widest is bool_ else widest


# ---- evenly spaced


def linspace(
    start: Number, end: Number, steps: int, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None
) -> Tensor:
    """Return `steps` numbers evenly spaced from `start` to `end`, both included.

    Raises:
        RuntimeError: `steps` is negative.
        NotImplementedError: dtype bool.
    """
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    return at.linspace_out(start, end, steps, out=at.empty_memory_format((steps,), dtype, layout, device, pin_memory))


def linspace_out(start: Number, end: Number, steps: int, out: Tensor) -> Tensor:
    """Write `linspace` into `out`, resized if its number of elements is not `steps`.

    Raises:
        RuntimeError: `steps` is negative.
        NotImplementedError: dtype bool.
    """
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if out.numel() != steps:
        at.resize_(out, (steps,))
    if out._dtype is bool_ and steps > 1 and out._storage.device.type != "meta":
        raise NotImplementedError("\"linspace_cpu\" not implemented for 'Bool'")
    return _written(out, linspace_stub, start, end)


def linspace_Tensor_Tensor(
    start: Tensor, end: Tensor, steps: int, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None
) -> Tensor:
    """Return `linspace` between the values of two 0-dim tensors.

    Raises:
        RuntimeError: one has dimensions; and as `linspace`.
    """
    _require_no_dimensions(start=start, end=end)
    return at.linspace(_value_of(start, device), _value_of(end, device), steps, dtype, layout, device, pin_memory)


def linspace_Tensor_Scalar(
    start: Tensor, end: Number, steps: int, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None
) -> Tensor:
    """Return `linspace` from the value of a 0-dim tensor; raise the same errors as `linspace_Tensor_Tensor`."""
    _require_no_dimensions(start=start)
    return at.linspace(_value_of(start, device), end, steps, dtype, layout, device, pin_memory)


def linspace_Scalar_Tensor(
    start: Number, end: Tensor, steps: int, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None
) -> Tensor:
    """Return `linspace` to the value of a 0-dim tensor; raise the same errors as `linspace_Tensor_Tensor`."""
    _require_no_dimensions(end=end)
    return at.linspace(start, _value_of(end, device), steps, dtype, layout, device, pin_memory)


def _value_of(bound: Tensor, device: Device) -> Number:
    """Return the number in a bound; 0 if the result has no memory, so that the bound may have none either."""
    return 0 if device is not None and device.type == "meta" else at.item(bound)


def _require_no_dimensions(**bounds: Tensor) -> None:
    if any(bound._sizes for bound in bounds.values()):
        told = " and ".join(f"{name} with {len(bound._sizes)} dimension(s)" for name, bound in bounds.items())
        raise RuntimeError(f"linspace only supports 0-dimensional start and end tensors, but got {told}.")


def _written(out: Tensor, stub: DispatchStub, *numbers: Number) -> Tensor:
    """Return `out`, filled with the elements that a kernel writes into a contiguous tensor."""
    device = out._storage.device.type
    if device == "meta":
        return out
    dense = at.contiguous(out)
    stub.kernels[device](dense, *numbers)
    return out if dense is out else at.copy_(out, dense)


# ---- the identity


def eye(n: int, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None) -> Tensor:
    """Return the n x n identity matrix."""
    return eye_m(n, n, dtype, layout, device, pin_memory)


def eye_m(n: int, m: int, dtype: Dtype, layout: Layout, device: Device, pin_memory: bool | None) -> Tensor:
    """Return an n x m matrix with ones on the diagonal and zeros elsewhere.

    Raises:
        RuntimeError: a negative size.
    """
    sizes = (n, m) if min(n, m) >= 0 else (0,)  # at once: to grow a storage is slow
    return at.eye_m_out(n, m, out=at.empty_memory_format(sizes, dtype, layout, device, pin_memory))


def eye_out(n: int, out: Tensor) -> Tensor:
    """Write the n x n identity matrix into `out`."""
    return at.eye_m_out(n, n, out=out)


def eye_m_out(n: int, m: int, out: Tensor) -> Tensor:
    """Resize `out` to n x m and write ones on the diagonal, zeros elsewhere.

    Raises:
        RuntimeError: a negative size.
    """
    for name, count in (("n", n), ("m", m)):
        if count < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {count}")
    at.zero_(at.resize_(out, (n, m)))
    at.fill__Scalar(at.diagonal(out), 1)
    return out
