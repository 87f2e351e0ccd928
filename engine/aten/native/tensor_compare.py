"""where: a choice between two tensors, element by element. Mirrors aten/src/ATen/native/TensorCompare.cpp."""

from ...dtypes import bool_
from ...tensor_impl import Tensor
from ..at import at
from ..iterator import TensorIterator
from ..scalar_ops import wrapped_scalar_tensor
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES

Number = bool | int | float

where_stub = DispatchStub("where_stub")


def where_self(condition: Tensor, self: Tensor, other: Tensor) -> Tensor:
    """`self` where the condition holds, else `other`: all three broadcast, the last two promote.

    Raises:
        RuntimeError: the condition is no bool tensor.
    """
    return _where(None, condition, self, other)


def where_self_out(condition: Tensor, self: Tensor, other: Tensor, out: Tensor) -> Tensor:
    """`where_self`, written into `out`.

    Raises:
        RuntimeError: as `where_self`; `out` has another dtype than the result.
    """
    return _where(out, condition, self, other)


def _where(out: Tensor | None, condition: Tensor, self: Tensor, other: Tensor) -> Tensor:
    if condition._dtype is not bool_:
        name = SCALAR_TYPE_NAMES[condition._dtype]
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got a tensor with dtype {name}")
    iter = TensorIterator.where_op(out, condition, self, other)
    if out is not None and iter.plan.common_dtype is not out._dtype:
        expected, got = SCALAR_TYPE_NAMES[iter.plan.common_dtype], SCALAR_TYPE_NAMES[out._dtype]
        raise RuntimeError(f"Expected out type to be {expected} but got {got}")
    where_stub(iter)
    return iter.output()


def where_ScalarSelf(condition: Tensor, self: Number, other: Tensor) -> Tensor:
    """`where_self` with a number where the condition holds."""
    return at.where_self(condition, wrapped_scalar_tensor(self), other)


def where_ScalarOther(condition: Tensor, self: Tensor, other: Number) -> Tensor:
    """`where_self` with a number where the condition does not hold."""
    return at.where_self(condition, self, wrapped_scalar_tensor(other))


def where_Scalar(condition: Tensor, self: Number, other: Number) -> Tensor:
    """`where_self` of two numbers."""
    return at.where_self(condition, wrapped_scalar_tensor(self), wrapped_scalar_tensor(other))
