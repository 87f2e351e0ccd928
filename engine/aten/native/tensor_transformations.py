"""flip, roll and rot90. Mirrors aten/src/ATen/native/TensorTransformations.cpp."""

from ...dtypes import contiguous_format
from ...strides import Ints, wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..reduction import make_dim_mask
from ..stubs import DispatchStub

flip_stub = DispatchStub("flip_stub")
"""kernel(out, self, flipped): out = `self` backwards along the dimensions for which `flipped` is True."""


def flip(self: Tensor, dims: Ints) -> Tensor:
    """Return a copy of `self` reversed along `dims`, in the memory layout of `self`.

    Raises:
        IndexError: a dim is out of range.
        RuntimeError: one is named twice.
    """
    flipped = make_dim_mask(dims, len(self._sizes)) if dims else (False,) * len(self._sizes)
    out = at.empty_like(self)
    if self.numel():
        flip_stub.kernels[self._storage.device.type](out, self, flipped)
    return out


def fliplr(self: Tensor) -> Tensor:
    """Flip `self` along dimension 1.

    Raises:
        RuntimeError: there is none.
    """
    if len(self._sizes) < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return at.flip(self, (1,))


def flipud(self: Tensor) -> Tensor:
    """Flip `self` along dimension 0.

    Raises:
        RuntimeError: there is none.
    """
    if not self._sizes:
        raise RuntimeError("Input must be >= 1-d.")
    return at.flip(self, (0,))


def roll(self: Tensor, shifts: Ints, dims: Ints) -> Tensor:
    """Return a copy with the elements shifted along `dims`; elements shifted past one end reenter at the other.

    Raises:
        RuntimeError: no shifts, or not as many as dims.
        IndexError: a dim is out of range.
    """
    if len(dims) != 1 or len(shifts) != 1:
        return _roll_common(self, shifts, dims)
    if not self.numel():
        return at.clone(self)
    (dim,) = dims
    if not self._sizes:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    size = self._sizes[wrap_dim(dim, len(self._sizes))]
    start = (size - shifts[0]) % size
    return at.cat((at.narrow(self, dim, start, size - start), at.narrow(self, dim, 0, start)), dim)


def _roll_common(self: Tensor, shifts: Ints, dims: Ints) -> Tensor:
    if not shifts:
        raise RuntimeError("`shifts` required")
    if not dims and len(shifts) == 1:
        flattened = at.view(at.contiguous(self), (self.numel(),))
        return at._unsafe_view(at.roll(flattened, shifts, (0,)), self._sizes)
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    return at.roll(at.roll(self, shifts[:1], dims[:1]), shifts[1:], dims[1:])


def rot90(self: Tensor, k: int, dims: Ints) -> Tensor:
    """Return a copy rotated k times by 90 degrees in the plane of two dims, from the first toward the second.

    Raises:
        RuntimeError: not two dims, or the same one twice.
        IndexError: a dim is out of range.
    """
    ndim = len(self._sizes)
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {ndim}")
    first, second = (wrap_dim(dim, ndim) for dim in dims)
    if first == second:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    if k % 4 == 2:
        return at.flip(self, dims)
    if k % 4 == 0:
        return at.clone(self, memory_format=contiguous_format)
    return at.transpose_(at.flip(self, (second if k % 4 == 1 else first,)), first, second)
