"""all, any: whether all elements are true, or one is. Mirrors aten/src/ATen/native/ReduceOps.cpp."""

from collections.abc import Sequence

from ...dtypes import bool_, uint8
from ...strides import contiguous_strides
from ...tensor_impl import Tensor
from ..at import at
from ..reduction import make_reduction, resize_reduction
from ..structured import MetaBase
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .fill import fill_stub
from .reduce_ops import given_output

Dims = Sequence[int] | None

and_stub = DispatchStub("and_stub")
or_stub = DispatchStub("or_stub")


def all_meta(op: MetaBase, self: Tensor) -> None:
    """Declare an output of one bool, or one uint8 where `self` or `out=` has that dtype.

    Raises:
        RuntimeError: `out=` has another dtype.
    """
    _truth_meta("all", op, self, None, False)


def all_dim_meta(op: MetaBase, self: Tensor, dim: int, keepdim: bool) -> None:
    """Declare a bool output of the reduced sizes; raise like `all_meta`, and IndexError for a dim out of range."""
    _truth_meta("all", op, self, (dim,), keepdim)


def all_dims_meta(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool) -> None:
    """Declare the output like `all_dim_meta`, for several dims; `()` means no dims, None means all dims."""
    _truth_meta("all", op, self, dim, keepdim)


def any_meta(op: MetaBase, self: Tensor) -> None:
    """Declare the output like `all_meta`."""
    _truth_meta("any", op, self, None, False)


def any_dim_meta(op: MetaBase, self: Tensor, dim: int, keepdim: bool) -> None:
    """Declare the output like `all_dim_meta`."""
    _truth_meta("any", op, self, (dim,), keepdim)


def any_dims_meta(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool) -> None:
    """Declare the output like `all_dims_meta`."""
    _truth_meta("any", op, self, dim, keepdim)


def all_all_out(op: MetaBase, self: Tensor, out: Tensor) -> None:
    """Compute out = True if all elements are nonzero or there are none, else False."""
    _truth(and_stub, True, op, self, None, False, out)


def all_out(op: MetaBase, self: Tensor, dim: int, keepdim: bool, out: Tensor) -> None:
    """Compute out = True if all elements along `dim` are nonzero, else False."""
    _truth(and_stub, True, op, self, (dim,), keepdim, out)


def all_dims_out(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool, out: Tensor) -> None:
    """Compute out = True if all elements along several dims are nonzero, else False."""
    _truth(and_stub, True, op, self, dim, keepdim, out)


def any_all_out(op: MetaBase, self: Tensor, out: Tensor) -> None:
    """Compute out = True if any element is nonzero, else False; False if there are no elements."""
    _truth(or_stub, False, op, self, None, False, out)


def any_out(op: MetaBase, self: Tensor, dim: int, keepdim: bool, out: Tensor) -> None:
    """Compute out = True if any element along `dim` is nonzero, else False."""
    _truth(or_stub, False, op, self, (dim,), keepdim, out)


def any_dims_out(op: MetaBase, self: Tensor, dim: Dims, keepdim: bool, out: Tensor) -> None:
    """Compute out = True if any element along several dims is nonzero, else False."""
    _truth(or_stub, False, op, self, dim, keepdim, out)


def _truth_meta(name: str, op: MetaBase, self: Tensor, dim: Dims, keepdim: bool) -> None:
    given = given_output(op)
    result = given._dtype if given is not None else uint8 if self._dtype is uint8 else bool_
    if result is not bool_ and result is not uint8:
        raise RuntimeError(f"{name} only supports bool tensor for result, got: {SCALAR_TYPE_NAMES[result]}")
    if dim == ():
        op.set_output_raw_strided(0, self._sizes, contiguous_strides(self._sizes), result, self._storage.device)
    else:
        resize_reduction(op, self, dim, keepdim, result)


def _truth(
    stub: DispatchStub, of_none: bool, op: MetaBase, self: Tensor, dim: Dims, keepdim: bool, out: Tensor
) -> None:
    if 0 in self._sizes:
        fill_stub.kernels[op.device_type](out, of_none)
    elif dim == ():
        at.ne_Scalar_out(self, 0, out=out)
    else:
        truths = at.ne_Scalar(self, 0) if out._dtype is uint8 else self  # which bool makes of any number by itself
        stub.kernels[op.device_type](make_reduction(out, truths, dim, keepdim))
