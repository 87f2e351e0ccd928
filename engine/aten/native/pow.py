"""Powers: pow, float_power. Mirrors aten/src/ATen/native/Pow.cpp."""

from ... import dtypes
from ... import strides as geometry
from ...dtypes import float64
from ...tensor_impl import Tensor
from ..at import at
from ..iterator import BINARY_OP, TensorIterator, TensorIteratorBase
from ..scalar_ops import wrapped_scalar_tensor
from ..structured import MetaBase
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES, Promotion, result_type
from .copy import copy_stub
from .fill import fill_stub

Number = bool | int | float

pow_tensor_tensor_stub = DispatchStub("pow_tensor_tensor_stub")
pow_tensor_scalar_stub = DispatchStub("pow_tensor_scalar_stub")
"""kernel(iter, exponent): each element to the power of a number."""


def promoted(self: Tensor, other: Number) -> dtypes.dtype:
    """Return the dtype that a tensor and a Python number promote to."""
    number = Promotion(dtypes.OF_PYTHON[type(other)], 0, True)
    return result_type(Promotion(self._dtype, len(self._sizes), self._wrapped_number), number)


def converted(self: Tensor, scalar_type: dtypes.dtype) -> Tensor:
    """Return `self` if its dtype is `scalar_type`, else a copy in that dtype."""
    return self if self._dtype is scalar_type else at._to_copy(self, dtype=scalar_type)


# ---- pow


def pow_Tensor_Tensor_meta(op: TensorIteratorBase, self: Tensor, exponent: Tensor) -> None:
    """Make an output with the broadcast shape and the promoted dtype of the inputs."""
    op.build_borrowing_binary_op(self, exponent)


def pow_Tensor_Tensor_out(op: TensorIteratorBase, self: Tensor, exponent: Tensor, out: Tensor) -> None:
    """Compute out = self ** exponent."""
    pow_tensor_tensor_stub.kernels[op.device_type](op)


def pow_Tensor_Scalar_meta(op: TensorIteratorBase, self: Tensor, exponent: Number) -> None:
    """Make an output in the dtype that `self` and the exponent promote to.

    Raises:
        RuntimeError: an integer to a negative power; the result does not fit the dtype of a given output.
    """
    if not (self._dtype.is_floating_point or isinstance(exponent, float)) and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    op.build_borrowing_unary_op(converted(self, promoted(self, exponent)), BINARY_OP)


def pow_Tensor_Scalar_out(op: TensorIteratorBase, self: Tensor, exponent: Number, out: Tensor) -> None:
    """Compute out = self ** exponent for a number `exponent`; for 0 and 1, just fill or copy."""
    if exponent == 0:
        fill_stub.kernels[op.device_type](op.operands[0], 1)
    elif exponent == 1:
        copy_stub.kernels[op.device_type](*op.operands)
    else:
        pow_tensor_scalar_stub.kernels[op.device_type](op, exponent)


def pow_Scalar_meta(op: MetaBase, self: Number, exponent: Tensor) -> None:
    """Make an output with the shape of `exponent`, in the promoted dtype or in the dtype of a given output."""
    scalar_type = op.outputs[0]._dtype if op.has_given_outputs else promoted(exponent, self)
    sizes = exponent._sizes
    op.set_output_raw_strided(0, sizes, geometry.contiguous_strides(sizes), scalar_type, exponent._storage.device)


def pow_Scalar_out(op: MetaBase, self: Number, exponent: Tensor, out: Tensor) -> None:
    """Compute out = self ** exponent for a number `self`."""
    if self == 1 and self is not True:  # as in PyTorch, where True does not count as 1 here
        fill_stub.kernels[op.device_type](out, 1)
        return
    iter = TensorIterator.binary_op(out, wrapped_scalar_tensor(self), exponent)
    pow_tensor_tensor_stub(iter)
    iter.copy_back()


# ---- float_power: always in float64


def _double(operand: Tensor | Number) -> Tensor | float:
    return at.to_dtype(operand, float64) if isinstance(operand, Tensor) else float(operand)


def _require_double(what: str, given: Tensor) -> None:
    if given._dtype is not float64:
        raise RuntimeError(
            f"the {what} has dtype {SCALAR_TYPE_NAMES[given._dtype]} but the operation's result requires dtype Double"
        )


def float_power(self: Tensor | Number, exponent: Tensor | Number) -> Tensor:
    """Return self ** exponent in float64; either operand may be a number, but not both."""
    if not isinstance(self, Tensor):
        return at.pow_Scalar(_double(self), _double(exponent))
    power = at.pow_Tensor_Tensor if isinstance(exponent, Tensor) else at.pow_Tensor_Scalar
    return power(_double(self), _double(exponent))


def float_power_(self: Tensor, exponent: Tensor | Number) -> Tensor:
    """Compute self **= exponent.

    Raises:
        RuntimeError: `self` is not of float64.
    """
    _require_double("base given to float_power_", self)
    power = at.pow__Tensor if isinstance(exponent, Tensor) else at.pow__Scalar
    return power(self, _double(exponent))


def float_power_out(self: Tensor | Number, exponent: Tensor | Number, out: Tensor) -> Tensor:
    """Write the result of `float_power` into `out`.

    Raises:
        RuntimeError: `out` is not of float64.
    """
    _require_double("output given to float_power", out)
    if not isinstance(self, Tensor):
        return at.pow_Scalar_out(_double(self), _double(exponent), out=out)
    power = at.pow_Tensor_Tensor_out if isinstance(exponent, Tensor) else at.pow_Tensor_Scalar_out
    return power(_double(self), _double(exponent), out=out)
