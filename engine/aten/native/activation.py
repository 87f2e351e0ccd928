"""relu. Mirrors aten/src/ATen/native/Activation.cpp."""

from ...dtypes import bool_
from ...tensor_impl import Tensor
from ..iterator import TensorIterator
from ..stubs import DispatchStub

clamp_min_stub = DispatchStub("clamp_min_stub")
"""kernel(iter, least): the larger of each element and a number; NaN stays NaN."""


def relu(self: Tensor) -> Tensor:
    """Zero in place of what is negative.

    Raises:
        RuntimeError: `self` is a bool tensor.
    """
    return _relu(None, self)


def relu_(self: Tensor) -> Tensor:
    """`relu`, written into `self`."""
    return _relu(self, self)


def _relu(out: Tensor | None, self: Tensor) -> Tensor:
    if self._dtype is bool_:
        raise RuntimeError("Boolean inputs not supported for relu")
    iter = TensorIterator.unary_op(out, self)
    clamp_min_stub(iter, 0)
    return iter.output()
