"""Overloads that take a Python number instead of a tensor, of operators that are written for two tensors.

`remainder.Scalar(x, 3)` is `remainder.Tensor(x, wrapped)`, where the wrapped number gives way in type promotion.
Mirrors the functions over at::Scalar in aten/src/ATen/native/BinaryOps.cpp.
"""

from collections.abc import Callable
from typing import Any

from ...tensor_impl import Tensor
from ..at import at
from ..scalar_ops import wrapped_scalar_tensor

Number = bool | int | float
Form = Callable[..., Any]


def number_forms(operator: str, out: str = "Tensor_out") -> tuple[Form, Form, Form, Form]:
    """The forms of an operator in which one side is a number.

    Args:
        operator: "fmod", whose overloads Tensor of `fmod` and `fmod_` are called.
        out: the overload that writes into a given tensor.
    Returns:
        functional, in-place, out=, and functional with the number on the left.
    """

    def functional(self: Tensor, other: Number) -> Tensor:
        return getattr(at, f"{operator}_Tensor")(self, wrapped_scalar_tensor(other))

    def inplace(self: Tensor, other: Number) -> Tensor:
        return getattr(at, f"{operator}__Tensor")(self, wrapped_scalar_tensor(other))

    def with_out(self: Tensor, other: Number, out: Tensor) -> Tensor:
        return getattr(at, out_name)(self, wrapped_scalar_tensor(other), out=out)

    def reflected(self: Number, other: Tensor) -> Tensor:
        return getattr(at, f"{operator}_Tensor")(wrapped_scalar_tensor(self), other)

    out_name = f"{operator}_{out}"
    return functional, inplace, with_out, reflected


# fmt: off
bitwise_and_Scalar, bitwise_and__Scalar, bitwise_and_Scalar_out, bitwise_and_Scalar_Tensor = number_forms("bitwise_and")
bitwise_or_Scalar, bitwise_or__Scalar, bitwise_or_Scalar_out, bitwise_or_Scalar_Tensor = number_forms("bitwise_or")
bitwise_xor_Scalar, bitwise_xor__Scalar, bitwise_xor_Scalar_out, bitwise_xor_Scalar_Tensor = number_forms("bitwise_xor")
(bitwise_left_shift_Tensor_Scalar, bitwise_left_shift__Tensor_Scalar,
 bitwise_left_shift_Tensor_Scalar_out, bitwise_left_shift_Scalar_Tensor) = number_forms("bitwise_left_shift")
(bitwise_right_shift_Tensor_Scalar, bitwise_right_shift__Tensor_Scalar,
 bitwise_right_shift_Tensor_Scalar_out, bitwise_right_shift_Scalar_Tensor) = number_forms("bitwise_right_shift")
remainder_Scalar, remainder__Scalar, remainder_Scalar_out, remainder_Scalar_Tensor = number_forms("remainder")
fmod_Scalar, fmod__Scalar, fmod_Scalar_out, _ = number_forms("fmod")
copysign_Scalar, copysign__Scalar, copysign_Scalar_out, _ = number_forms("copysign", "out")
xlogy_Scalar_Other, xlogy__Scalar_Other, xlogy_OutScalar_Other, xlogy_Scalar_Self = number_forms("xlogy", "OutTensor")
# fmt: on


def xlogy_OutScalar_Self(self: Number, other: Tensor, out: Tensor) -> Tensor:
    """self * log(other), of a number and a tensor, written into `out`."""
    return at.xlogy_OutTensor(wrapped_scalar_tensor(self), other, out=out)
