"""cumsum, cumprod, cummax, cummin, logcumsumexp: every element with those before it along a dimension.

Mirrors aten/src/ATen/native/ReduceOps.cpp.
"""

from collections.abc import Callable

from ...dtypes import contiguous_format, int64
from ...dtypes import dtype as Dtype
from ...strides import contiguous_strides, wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import new_tensor
from ..memory_overlap import assert_no_internal_overlap
from ..structured import MetaBase, resize_output
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .fill import fill_stub
from .reduce_ops import given_output

Pair = tuple[Tensor, Tensor]

cumsum_stub = DispatchStub("cumsum_stub")
cumprod_stub = DispatchStub("cumprod_stub")
logcumsumexp_stub = DispatchStub("logcumsumexp_stub")
"""kernel(out, self, dim): of the same sizes and dtype, with elements and dimensions; dim is not negative."""
cummax_helper_stub = DispatchStub("cummax_helper_stub")
cummin_helper_stub = DispatchStub("cummin_helper_stub")
"""kernel(values, indices, self, dim): as above; indices are int64."""

# ---- cumsum, cumprod


def cumsum_meta(op: MetaBase, self: Tensor, dim: int, dtype: Dtype | None) -> None:
    """Declare an output of the input's sizes; by default, sum integers and bools in int64 unless `out=` is given.

    Raises:
        IndexError: the dim is out of range.
        RuntimeError: a given output has another dtype than the requested one.
    """
    _scan_meta(op, self, dim, dtype)


def cumsum_out(op: MetaBase, self: Tensor, dim: int, dtype: Dtype | None, out: Tensor) -> None:
    """Compute out[i] = self[0] + ... + self[i] along `dim`.

    Raises:
        NotImplementedError: the dtype is bool.
        RuntimeError: elements of `out` share a cell.
    """
    assert_no_internal_overlap(out._sizes, out._strides)
    _scan(cumsum_stub, op.device_type, self, dim, out)


def cumprod_meta(op: MetaBase, self: Tensor, dim: int, dtype: Dtype | None) -> None:
    """Declare the output like `cumsum_meta`."""
    _scan_meta(op, self, dim, dtype)


def cumprod_out(op: MetaBase, self: Tensor, dim: int, dtype: Dtype | None, out: Tensor) -> None:
    """Compute out[i] = self[0] * ... * self[i] along `dim`.

    Raises:
        NotImplementedError: the dtype is bool.
        RuntimeError: elements of `out` share a cell.
    """
    assert_no_internal_overlap(out._sizes, out._strides)
    _scan(cumprod_stub, op.device_type, self, dim, out)


def _scan_meta(op: MetaBase, self: Tensor, dim: int, dtype: Dtype | None) -> None:
    wrap_dim(dim, len(self._sizes))
    given = given_output(op)
    scalar_type = dtype or (
        given._dtype if given is not None else self._dtype if self._dtype.is_floating_point else int64
    )
    op.set_output_raw_strided(0, self._sizes, contiguous_strides(self._sizes), scalar_type, self._storage.device)


def _scan(stub: DispatchStub, device: str, self: Tensor, dim: int, out: Tensor) -> None:
    converted = self if self._dtype is out._dtype else at._to_copy(self, dtype=out._dtype)
    if not self._sizes:
        fill_stub.kernels[device](out, at.item(converted))
    elif 0 not in self._sizes:
        stub.kernels[device](out, converted, wrap_dim(dim, len(self._sizes)))


# ---- logcumsumexp


def logcumsumexp(self: Tensor, dim: int) -> Tensor:
    """Return log(e ** self[0] + ... + e ** self[i]) along `dim`.

    Raises:
        IndexError: the dim is out of range.
        NotImplementedError: `self` is not floating-point.
    """
    return at._logcumsumexp(self, wrap_dim(dim, len(self._sizes)))


def logcumsumexp_out(self: Tensor, dim: int, out: Tensor) -> Tensor:
    """Write `logcumsumexp` into `out`.

    Raises:
        RuntimeError: `out` has another dtype.
    """
    return at._logcumsumexp_out(self, wrap_dim(dim, len(self._sizes)), out=out)


def _logcumsumexp_cpu(self: Tensor, dim: int) -> Tensor:
    """Return `logcumsumexp` on the CPU."""
    return _logcumsumexp_out_cpu(self, dim, at.empty_like(self, memory_format=contiguous_format))


def _logcumsumexp_out_cpu(self: Tensor, dim: int, out: Tensor) -> Tensor:
    """Write `logcumsumexp` on the CPU into `out`."""
    resize_output(out, self._sizes)
    _require_scalar_type(out, self._dtype)
    logcumsumexp_stub.kernels[self._storage.device.type](out, self, dim)
    return out


# ---- cummax, cummin


def cummax(self: Tensor, dim: int) -> Pair:
    """Return the running maximum along `dim` and its index, the last one for ties; NaN counts as the largest.

    Raises:
        IndexError: the dim is out of range.
    """
    return at.cummax_out(self, dim, values=_like(self, self._dtype), indices=_like(self, int64))


def cummax_out(self: Tensor, dim: int, values: Tensor, indices: Tensor) -> Pair:
    """Write `cummax` into `values` and `indices`.

    Raises:
        RuntimeError: one has another dtype.
    """
    return _cummax(at._cummax_helper, self, dim, values, indices)


def cummin(self: Tensor, dim: int) -> Pair:
    """Return the running minimum along `dim` and its index, the last one for ties; raise the errors of `cummax`."""
    return at.cummin_out(self, dim, values=_like(self, self._dtype), indices=_like(self, int64))


def cummin_out(self: Tensor, dim: int, values: Tensor, indices: Tensor) -> Pair:
    """Write `cummin` into `values` and `indices`; raise the same errors as `cummax_out`."""
    return _cummax(at._cummin_helper, self, dim, values, indices)


def _cummax(helper: Callable[..., None], self: Tensor, dim: int, values: Tensor, indices: Tensor) -> Pair:
    dim = dim if 0 in self._sizes else wrap_dim(dim, len(self._sizes))
    resize_output(values, self._sizes)
    resize_output(indices, self._sizes)
    if not self._sizes:
        at.copy_(values, self)
        at.zero_(indices)
    elif 0 not in self._sizes:
        helper(self, values, indices, dim)
    return values, indices


def cummax_helper_cpu(self: Tensor, values: Tensor, indices: Tensor, dim: int) -> None:
    """Run the kernel of `cummax`."""
    _helper(cummax_helper_stub, self, values, indices, dim)


def cummin_helper_cpu(self: Tensor, values: Tensor, indices: Tensor, dim: int) -> None:
    """Run the kernel of `cummin`."""
    _helper(cummin_helper_stub, self, values, indices, dim)


def _helper(stub: DispatchStub, self: Tensor, values: Tensor, indices: Tensor, dim: int) -> None:
    _require_scalar_type(values, self._dtype)
    _require_scalar_type(indices, int64)
    stub.kernels[self._storage.device.type](values, indices, self, dim)


def _like(self: Tensor, scalar_type: Dtype) -> Tensor:
    return new_tensor(self._sizes, contiguous_strides(self._sizes), scalar_type, self._storage.device)


def _require_scalar_type(tensor: Tensor, scalar_type: Dtype) -> None:
    if tensor._dtype is not scalar_type:
        expected, found = SCALAR_TYPE_NAMES[scalar_type], SCALAR_TYPE_NAMES[tensor._dtype]
        raise RuntimeError(f"expected scalar_type {expected} but found {found}")
