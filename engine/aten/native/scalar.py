"""The only element of a tensor as a Python number. Mirrors aten/src/ATen/native/Scalar.cpp."""

from ...dtypes import HALVES
from ...tensor_impl import Tensor
from ..at import at
from ..halves import number_of
from ..stubs import DispatchStub

Number = bool | int | float

local_scalar_dense_stub = DispatchStub("local_scalar_dense_stub")
"""kernel(self): the first element as a Python number, of a tensor in the memory of another device than the CPU."""


def item(self: Tensor) -> Number:
    """Return the single element of `self` as a Python number.

    Raises:
        RuntimeError: there are more elements than one, or none.
    """
    if self._sizes and self.numel() != 1:
        raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
    return at._local_scalar_dense(self)


def _local_scalar_dense_cpu(self: Tensor) -> Number:
    """Return the first element of a tensor in the CPU's memory."""
    element = self._flat().item(self._storage_offset)
    return number_of(element, self._dtype) if self._dtype in HALVES else element


def _local_scalar_dense_cuda(self: Tensor) -> Number:
    """Return the first element of a tensor in a GPU's memory, once all work before it is done."""
    return local_scalar_dense_stub.kernels["cuda"](self)


def _local_scalar_dense_meta(self: Tensor) -> Number:
    """Refuse to read an element, because a meta tensor has none.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("Tensor.item() cannot be called on meta tensors")


def is_nonzero(self: Tensor) -> bool:
    """Return True if the single element of `self` is not zero: `bool(x)`.

    Raises:
        RuntimeError: there are more elements than one, or none.
    """
    if self.numel() != 1:
        values = "no values" if not self.numel() else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {values} is ambiguous")
    return bool(at.item(self))
