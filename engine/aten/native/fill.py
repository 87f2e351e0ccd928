"""One number into every element: fill_, zero_.

Mirrors aten/src/ATen/native/Fill.cpp.
"""

from ...tensor_impl import Tensor
from ..at import at
from ..stubs import DispatchStub

Number = bool | int | float

fill_stub = DispatchStub("fill_stub")
"""kernel(self, value): write one Python number into every element.

Raises RuntimeError if it does not fit the dtype.
"""


def fill__Scalar(self: Tensor, value: Number) -> Tensor:
    """Write one number into every element; the elements of `self` may overlap in memory.

    Raises:
        RuntimeError: the value does not fit the dtype.
    """
    fill_stub.kernels[self._storage.device.type](self, value)
    return self


def fill__Tensor(self: Tensor, value: Tensor) -> Tensor:
    """Write the value of a 0-dimensional tensor into every element.

    PyTorch writes nothing if `value` is on the meta device; here that is refused, as `copy_` refuses it.

    Raises:
        RuntimeError: `value` has dimensions.
        NotImplementedError: `value` is on the meta device.
    """
    _require_no_dimensions(value)
    return at.copy_(self, at.clone(value) if value._storage is self._storage else value)


def fill__Scalar_meta(self: Tensor, value: Number) -> Tensor:
    """Return `self` unchanged: a meta tensor has no memory for `fill_` to fill."""
    return self


def fill__Tensor_meta(self: Tensor, value: Tensor) -> Tensor:
    """Return a meta tensor unchanged, after checking that `value` is 0-dimensional."""
    _require_no_dimensions(value)
    return self


def fill_Scalar(self: Tensor, value: Number) -> Tensor:
    """Return a tensor like `self` with every element set to one number."""
    return at.fill__Scalar(at.empty_like(self), value)


def fill_Tensor(self: Tensor, value: Tensor) -> Tensor:
    """Return a tensor like `self` with every element set to the value of a 0-dimensional tensor."""
    return at.fill__Tensor(at.empty_like(self), value)


def zero(self: Tensor) -> Tensor:
    """Return a tensor like `self` with every element set to 0."""
    return at.zero_(at.empty_like(self))


def zero_(self: Tensor) -> Tensor:
    """Write 0 into every element."""
    fill_stub.kernels[self._storage.device.type](self, 0)
    return self


def zero_meta_(self: Tensor) -> Tensor:
    """Return `self` unchanged: a meta tensor has no memory for `zero_` to fill."""
    return self


def _require_no_dimensions(value: Tensor) -> None:
    if value._sizes:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {len(value._sizes)} dimensions."
        )
