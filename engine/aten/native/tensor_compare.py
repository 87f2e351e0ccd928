"""where: a choice between two tensors, element by element. Mirrors aten/src/ATen/native/TensorCompare.cpp."""

from ...dtypes import bool_, dtype
from ...tensor_impl import Tensor
from ..at import at
from ..iterator import TensorIterator
from ..scalar_ops import checked_convert, wrapped_scalar_tensor
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES, Promotion, result_type

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
    """`where_self` with a number where the condition holds.

    Raises:
        RuntimeError: the number is outside the range of the dtype that it promotes to with `other`.
    """
    number = wrapped_scalar_tensor(self)
    checked_convert(self, promoted(number, other))
    return at.where_self(condition, number, other)


def where_ScalarOther(condition: Tensor, self: Tensor, other: Number) -> Tensor:
    """`where_self` with a number where the condition does not hold; raises as `where_ScalarSelf`."""
    number = wrapped_scalar_tensor(other)
    checked_convert(other, promoted(self, number))
    return at.where_self(condition, self, number)


def where_Scalar(condition: Tensor, self: Number, other: Number) -> Tensor:
    """`where_self` of two numbers; raises as `where_ScalarSelf`."""
    one, two = wrapped_scalar_tensor(self), wrapped_scalar_tensor(other)
    kind = promoted(one, two)
    checked_convert(self, kind), checked_convert(other, kind)
    return at.where_self(condition, one, two)


def promoted(a: Tensor, b: Tensor) -> dtype:
    """The dtype that two tensors promote to. Source: at::result_type (aten/src/ATen/native/TypeProperties.cpp)."""
    return result_type(*(Promotion(x._dtype, len(x._sizes), x._wrapped_number) for x in (a, b)))
