"""Second names: `multiply` for `mul`, `greater` for `gt`, and so on. Each calls the operator that it is a name of.

Mirrors the aliases in aten/src/ATen/native/BinaryOps.cpp, and clip of TensorCompare.cpp.
"""

from collections.abc import Callable
from typing import Any

from ...tensor_impl import Tensor
from ..at import at
from .bitwise_ops import operand

Number = bool | int | float
Form = Callable[..., Any]


def second_name(functional: str, inplace: str, out: str) -> tuple[Form, Form, Form]:
    """The forms of a second name; each serves its overloads with a tensor and with a number on the right.

    Args:
        functional, inplace, out: the overloads with tensors that they call, such as "mul_Tensor".
    """

    def alias(self: Tensor, other: Tensor | Number, *rest: Any) -> Tensor:
        return getattr(at, functional)(self, operand(other), *rest)

    def alias_(self: Tensor, other: Tensor | Number, *rest: Any) -> Tensor:
        return getattr(at, inplace)(self, operand(other), *rest)

    def alias_out(self: Tensor, other: Tensor | Number, *rest: Any) -> Tensor:
        return getattr(at, out)(self, operand(other), *rest)

    return alias, alias_, alias_out


# fmt: off
multiply, multiply_, multiply_out = second_name("mul_Tensor", "mul__Tensor", "mul_out")
subtract, subtract_, subtract_out = second_name("sub_Tensor", "sub__Tensor", "sub_out")
true_divide, true_divide_, true_divide_out = second_name("div_Tensor", "div__Tensor", "div_out")
arctan2, arctan2_, arctan2_out = second_name("atan2", "atan2_", "atan2_out")
greater, greater_, greater_out = second_name("gt_Tensor", "gt__Tensor", "gt_Tensor_out")
greater_equal, greater_equal_, greater_equal_out = second_name("ge_Tensor", "ge__Tensor", "ge_Tensor_out")
less, less_, less_out = second_name("lt_Tensor", "lt__Tensor", "lt_Tensor_out")
less_equal, less_equal_, less_equal_out = second_name("le_Tensor", "le__Tensor", "le_Tensor_out")
not_equal, not_equal_, not_equal_out = second_name("ne_Tensor", "ne__Tensor", "ne_Tensor_out")
# fmt: on


def divide(self: Tensor, other: Tensor | Number, *rounding_mode: str | None) -> Tensor:
    """`div`, rounded if a mode is given."""
    return (at.div_Tensor_mode if rounding_mode else at.div_Tensor)(self, operand(other), *rounding_mode)


def divide_(self: Tensor, other: Tensor | Number, *rounding_mode: str | None) -> Tensor:
    """`div_`, rounded if a mode is given."""
    return (at.div__Tensor_mode if rounding_mode else at.div__Tensor)(self, operand(other), *rounding_mode)


def divide_out(self: Tensor, other: Tensor, *rest: Any) -> Tensor:
    """`div`, written into `out`, the last one of `rest`; before it comes the rounding mode, if any."""
    return (at.div_out_mode if len(rest) > 1 else at.div_out)(self, other, *rest)


def clip(self: Tensor, min: Any, max: Any) -> Tensor:
    """`clamp`"""
    return _clamp(at.clamp, at.clamp_Tensor, min, max)(self, min, max)


def clip_(self: Tensor, min: Any, max: Any) -> Tensor:
    """`clamp_`"""
    return _clamp(at.clamp_, at.clamp__Tensor, min, max)(self, min, max)


def clip_out(self: Tensor, min: Any, max: Any, out: Tensor) -> Tensor:
    """`clamp`, written into `out`."""
    return _clamp(at.clamp_out, at.clamp_Tensor_out, min, max)(self, min, max, out)


def _clamp(of_numbers: Form, of_tensors: Form, min: Any, max: Any) -> Form:
    return of_tensors if isinstance(min, Tensor) or isinstance(max, Tensor) else of_numbers
