"""Counts: bincount.

Mirrors aten/src/ATen/native/SummaryOps.cpp and cuda/SummaryOps.cu.
"""

from ...dtypes import bool_, float32, float64, int64
from ...tensor_impl import Tensor
from ..at import at
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES

histogram_stub = DispatchStub("histogram_stub")
"""kernel(self, out): out[b], int64, becomes larger by how many elements of `self`, a vector, are b."""


def _bincount_cpu(self: Tensor, weights: Tensor | None, minlength: int) -> Tensor:
    """Count how often 0, 1, 2, ... occur in a vector; with weights, sum the weights at these places.

    Raises:
        RuntimeError: `self` is not a vector of integers that are not negative, or the sizes differ.
    """
    out = empty_counts(self, weights, minlength)
    if not self.numel():
        return out
    what = at.ones_like(self, dtype=int64) if weights is None else at.to_dtype(weights, out._dtype)
    return at.scatter_add_(out, 0, at.to_dtype(self, int64), what)


def _bincount_cuda(self: Tensor, weights: Tensor | None, minlength: int) -> Tensor:
    """Count as `_bincount_cpu` does; without weights, use a kernel that counts in shared memory."""
    if weights is not None:
        return _bincount_cpu(self, weights, minlength)
    out = empty_counts(self, weights, minlength)
    if self.numel():
        histogram_stub.kernels["cuda"](at.to_dtype(self, int64), out)
    return out


def empty_counts(self: Tensor, weights: Tensor | None, minlength: int) -> Tensor:
    """Return zeros for the result of bincount: float32 for float32 weights, float64 for other weights, int64 for none.

    Raises:
        RuntimeError: as of `_bincount_cpu`.
    """
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if self._dtype.is_floating_point or self._dtype is bool_:
        name = f"bincount_{self._storage.device.type}"
        raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE_NAMES[self._dtype]}'")
    size, scalar_type = minlength, int64
    if self.numel() or len(self._sizes) != 1:
        if len(self._sizes) != 1 or at.item(at.min(self)) < 0:
            raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
        size = max(size, int(at.item(at.max(self))) + 1)
        if weights is not None:
            if weights._sizes != self._sizes:
                raise RuntimeError("weights should be 1-d and have the same length as input")
            scalar_type = float32 if weights._dtype is float32 else float64
    return at.zeros((size,), scalar_type, device=self._storage.device)
