"""The largest and the smallest, and where they are.

Mirrors aten/src/ATen/native/{ReduceOps,ReduceAllOps,TensorCompare}.cpp.
"""

from collections.abc import Sequence

from ...dtypes import bool_, int64
from ...strides import wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..reduction import make_reduction, make_reductions, resize_reduction
from ..structured import MetaBase, resize_output
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES, can_cast
from .reduce_ops import given_output, new_reduction

Dims = Sequence[int] | None

amax_stub = DispatchStub("max_values_stub")
amin_stub = DispatchStub("min_values_stub")
max_stub = DispatchStub("max_stub")
min_stub = DispatchStub("min_stub")
"""kernel(iter): of `make_reductions`, whose operands are (values, indices, self)."""

# ---- amax, amin


def amax_meta(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool) -> None:
    """Declare an output of the reduced sizes and the dtype of the input.

    Raises:
        RuntimeError: `out=` has another dtype; there are no elements and no dims; a dim is named twice.
        IndexError: a dim is out of range, or has no elements.
    """
    _extremum_meta("amax()", op, self, dim, keepdim)


def amax_out(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool, out: Tensor) -> None:
    """Compute out = the largest element along `dim`, or NaN if any element is NaN; empty `dim` means all dims."""
    if 0 not in self._sizes:
        amax_stub.kernels[op.device_type](make_reduction(out, self, dim, keepdim))


def amin_meta(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool) -> None:
    """Declare the output like `amax_meta`."""
    _extremum_meta("amin()", op, self, dim, keepdim)


def amin_out(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool, out: Tensor) -> None:
    """Compute out = the smallest element along `dim`, or NaN if any element is NaN; empty `dim` means all dims."""
    if 0 not in self._sizes:
        amin_stub.kernels[op.device_type](make_reduction(out, self, dim, keepdim))


def _extremum_meta(name: str, op: MetaBase, self: Tensor, dim: Dims, keepdim: bool) -> None:
    given = given_output(op)
    if given is not None and given._dtype is not self._dtype:
        mine, theirs = SCALAR_TYPE_NAMES[self._dtype], SCALAR_TYPE_NAMES[given._dtype]
        raise RuntimeError(
            f"Expected the dtype for input and out to match, but got {mine} for input's dtype and {theirs} "
            "for out's dtype."
        )
    if 0 in self._sizes:
        zero_numel_check_dims(self, dim, name)
    resize_reduction(op, self, dim, keepdim, self._dtype)


def zero_numel_check_dims(self: Tensor, dim: Dims, name: str) -> None:
    """Check that there are dims to reduce and that none is empty, because a maximum of no elements is undefined.

    Raises:
        RuntimeError: no dims are given.
        IndexError: one of them is out of range or has size 0.

    Source: zero_numel_check_dims (aten/src/ATen/native/ReduceOpsUtils.h).
    """
    if not dim:
        raise RuntimeError(
            f"{name}: Expected reduction dim to be specified for input.numel() == 0. "
            "Specify the reduction dim with the 'dim' argument."
        )
    for d in dim:
        if self._sizes[wrap_dim(d, len(self._sizes))] == 0:
            raise IndexError(f"{name}: Expected reduction dim {d} to have non-zero size.")


# ---- max, min of all elements


def max(self: Tensor) -> Tensor:
    """Return the largest element, or NaN if any element is NaN.

    Raises:
        RuntimeError: there are no elements.
    """
    return _extremum_of_all("max()", amax_stub, new_reduction(self, None, False, self._dtype), self)


def min(self: Tensor) -> Tensor:
    """Return the smallest element, or NaN if any element is NaN; raise the same errors as `max`."""
    return _extremum_of_all("min()", amin_stub, new_reduction(self, None, False, self._dtype), self)


def max_unary_out(self: Tensor, out: Tensor) -> Tensor:
    """Write `max` into `out`.

    Raises:
        RuntimeError: as `max`; `out` can't take the dtype.
    """
    return _extremum_out("max()", amax_stub, self, out)


def min_unary_out(self: Tensor, out: Tensor) -> Tensor:
    """Write `min` into `out`; raise the same errors as `max_unary_out`."""
    return _extremum_out("min()", amin_stub, self, out)


def _extremum_out(name: str, stub: DispatchStub, self: Tensor, out: Tensor) -> Tensor:
    if not can_cast(self._dtype, out._dtype):
        raise RuntimeError(
            "Expected canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) to be true, but "
            "got false.  (Could this error message be improved?  If so, please report an enhancement request to "
            "PyTorch.)"
        )
    resize_output(out, ())
    return _extremum_of_all(name, stub, out, self)


def _extremum_of_all(name: str, stub: DispatchStub, out: Tensor, self: Tensor) -> Tensor:
    if 0 in self._sizes:
        zero_numel_check_dims(self, (), name)
    stub.kernels[self._storage.device.type](make_reduction(out, self, None, False, out._dtype))
    return out


# ---- max, min along a dimension, with indices


def max_dim_meta(op: MetaBase, self: Tensor, dim: int, keepdim: bool) -> dict[str, int]:
    """Declare values and indices of the reduced sizes.

    Returns:
        the dim, not negative.
    Raises:
        IndexError: the dim is out of range, or has no elements.
    """
    return _pair_meta("max()", op, self, dim, keepdim)


def max_out(op: MetaBase, self: Tensor, dim: int, keepdim: bool, values: Tensor, indices: Tensor) -> None:
    """Compute the largest element along `dim` and its first index; NaN counts as the largest."""
    if 0 not in self._sizes:
        max_stub.kernels[op.device_type](make_reductions(values, indices, self, (dim,), keepdim))


def min_dim_meta(op: MetaBase, self: Tensor, dim: int, keepdim: bool) -> dict[str, int]:
    """Declare the outputs like `max_dim_meta`."""
    return _pair_meta("min()", op, self, dim, keepdim)


def min_out(op: MetaBase, self: Tensor, dim: int, keepdim: bool, values: Tensor, indices: Tensor) -> None:
    """Compute the smallest element along `dim` and its first index; NaN counts as the smallest."""
    if 0 not in self._sizes:
        min_stub.kernels[op.device_type](make_reductions(values, indices, self, (dim,), keepdim))


def _pair_meta(name: str, op: MetaBase, self: Tensor, dim: int, keepdim: bool) -> dict[str, int]:
    dim = wrap_dim(dim, len(self._sizes))
    if 0 in self._sizes:
        zero_numel_check_dims(self, (dim,), name)
    resize_reduction(op, self, (dim,), keepdim, self._dtype, 0)
    resize_reduction(op, self, (dim,), keepdim, int64, 1)
    return {"dim": dim}


# ---- argmax, argmin


def argmax_meta(op: MetaBase, self: Tensor, dim: int | None, keepdim: bool) -> None:
    """Declare an output of indices with the reduced sizes.

    Raises:
        IndexError: the dim is out of range, or has no elements; there are no elements and no dim.
        RuntimeError: `self` holds bools.
    """
    _arg_meta("argmax()", op, self, dim, keepdim)


def argmax_out(op: MetaBase, self: Tensor, dim: int | None, keepdim: bool, out: Tensor) -> None:
    """Compute out = the first index of the largest element along `dim`; without `dim`, its index after flattening."""
    _arg(max_stub, op, self, dim, keepdim, out)


def argmin_meta(op: MetaBase, self: Tensor, dim: int | None, keepdim: bool) -> None:
    """Declare the output like `argmax_meta`."""
    _arg_meta("argmin()", op, self, dim, keepdim)


def argmin_out(op: MetaBase, self: Tensor, dim: int | None, keepdim: bool, out: Tensor) -> None:
    """Compute out = the first index of the smallest element along `dim`; without `dim`, its index after flattening."""
    _arg(min_stub, op, self, dim, keepdim, out)


def _arg_meta(name: str, op: MetaBase, self: Tensor, dim: int | None, keepdim: bool) -> None:
    if self._dtype is bool_:
        raise RuntimeError(f"{name}: does not support bool input")
    if 0 in self._sizes:
        if dim is None:
            raise IndexError(f"{name}: Expected reduction dim to be specified for input.numel() == 0.")
        zero_numel_check_dims(self, (wrap_dim(dim, len(self._sizes)),), name)
    resize_reduction(op, self, None if dim is None else (dim,), keepdim, int64)


def _arg(stub: DispatchStub, op: MetaBase, self: Tensor, dim: int | None, keepdim: bool, out: Tensor) -> None:
    if 0 in out._sizes:
        return
    dims = (dim or 0,)
    if dim is None:
        self = at.reshape(self, (-1,))
        out = at.as_strided(out, (), ())
        keepdim = False
    values = new_reduction(self, dims, keepdim, self._dtype)
    stub.kernels[op.device_type](make_reductions(values, out, self, dims, keepdim))


# ---- aminmax


def aminmax_meta(op: MetaBase, self: Tensor, dim: int | None, keepdim: bool) -> None:
    """Declare two outputs of the reduced sizes.

    Raises:
        RuntimeError: there are no elements and no dim.
        IndexError: the dim is out of range, or has no elements.
    """
    if 0 in self._sizes:
        if dim is None:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
            )
        zero_numel_check_dims(self, (dim,), "aminmax")
    for index in (0, 1):
        resize_reduction(op, self, None if dim is None else (dim,), keepdim, self._dtype, index)


def aminmax_out(op: MetaBase, self: Tensor, dim: int | None, keepdim: bool, min: Tensor, max: Tensor) -> None:
    """Compute the smallest and the largest element along `dim`, or NaN if any element is NaN."""
    if 0 in self._sizes:
        return
    dims = None if dim is None else (dim,)
    amin_stub.kernels[op.device_type](make_reduction(min, self, dims, keepdim))
    amax_stub.kernels[op.device_type](make_reduction(max, self, dims, keepdim))
