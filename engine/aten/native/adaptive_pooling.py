"""Poolings with a given number of windows: adaptive_avg_pool2d, adaptive_max_pool2d; the same along lines.

Window i of n in a dimension of size s goes from floor(i * s / n) to ceil((i + 1) * s / n).
Mirrors aten/src/ATen/native/{AdaptiveAveragePooling,AdaptiveMaxPooling2d,Pooling}.cpp.
"""

from ...dtypes import channels_last, int64
from ...strides import Ints
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import new_tensor
from ..structured import MetaBase, resize_impl
from ..stubs import DispatchStub
from .pooling_shapes import check1d, check_dim_range, declare_pooled
from .resize import strides_of_format, suggested_format

adaptive_avg_pool2d_stub = DispatchStub("adaptive_avg_pool2d_kernel")
"""kernel(out, self): images with elements."""
adaptive_max_pool2d_stub = DispatchStub("adaptive_max_pool2d_kernel")
"""kernel(out, indices, self)"""

# ---- means


def adaptive_avg_pool2d(self: Tensor, output_size: Ints) -> Tensor:
    """Return the mean of each window; for output size (1, 1), take one mean over the last two dimensions.

    Raises:
        RuntimeError: no two sizes, or negative ones; no images.
    """
    if len(output_size) != 2:
        raise RuntimeError("adaptive_avg_pool2d: output_size must be 2")
    if min(output_size) < 0:
        raise RuntimeError(
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received "
            f"{{{output_size[0]}, {output_size[1]}}}"
        )
    if output_size != (1, 1):
        return at._adaptive_avg_pool2d(self, output_size)
    out = at.mean_dim(self, (-1, -2), True)
    if suggested_format(self._sizes, self._strides) is channels_last:
        n, c = self._sizes[:2]
        return at.as_strided(out, (n, c, 1, 1), (c, 1, c, c))
    return out


def _adaptive_pool_sizes(self: Tensor, output_size: Ints) -> Ints:
    """Return the sizes of the means.

    Raises:
        RuntimeError: `self` is not an image with elements, or there are no two sizes.
    """
    if len(output_size) != 2:
        raise RuntimeError("adaptive_avg_pool2d: output_size must be 2")
    sizes = self._sizes
    if len(sizes) not in (3, 4):
        raise RuntimeError(f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(sizes)}")
    for dim in (len(sizes) - 2, len(sizes) - 1):
        if not sizes[dim]:
            raise RuntimeError(
                "adaptive_avg_pool2d(): Expected input to have non-zero size for non-batch dimensions, but input has "
                f"sizes {list(sizes)} with dimension {dim} being empty"
            )
    return (*sizes[:-2], *output_size)


def adaptive_avg_pool2d_cpu(self: Tensor, output_size: Ints) -> Tensor:
    """Return the mean of each window, in the memory format of `self`."""
    sizes = _adaptive_pool_sizes(self, output_size)
    lies = strides_of_format(sizes, suggested_format(self._sizes, self._strides))
    out = new_tensor(sizes, lies, self._dtype, self._storage.device)
    if 0 not in sizes:
        adaptive_avg_pool2d_stub.kernels[out._storage.device.type](out, self)
    return out


def adaptive_avg_pool2d_out_cpu(self: Tensor, output_size: Ints, out: Tensor) -> Tensor:
    """Write the result of `adaptive_avg_pool2d` into `out`, which gets the memory format of `self`.

    Raises:
        RuntimeError: `out` has another dtype.
    """
    sizes = _adaptive_pool_sizes(self, output_size)
    if out._dtype is not self._dtype:
        mine, theirs = (str(tensor._dtype).removeprefix("torch.") for tensor in (self, out))
        raise RuntimeError(f"expected dtype {mine} for `output` but got dtype {theirs}")
    if out._sizes != sizes or len(sizes) == 4:
        resize_impl(out, sizes, strides_of_format(sizes, suggested_format(self._sizes, self._strides)))
    if 0 not in sizes:
        adaptive_avg_pool2d_stub.kernels[out._storage.device.type](out, self)
    return out


def adaptive_avg_pool1d(self: Tensor, output_size: Ints) -> Tensor:
    """Return the mean of each window of 1-D signals (n, c, l) or (c, l).

    Raises:
        RuntimeError: `self` has another shape, or there is not one size.
    """
    check_dim_range("adaptive_avg_pool1d", self)
    check1d("adaptive_avg_pool1d", "output_size", output_size)
    return at.squeeze_dim(at.adaptive_avg_pool2d(at.unsqueeze(self, -2), (1, *output_size)), -2)


# ---- maxima


def adaptive_max_pool2d_meta(op: MetaBase, self: Tensor, output_size: Ints) -> None:
    """Make two outputs: the maxima, and for each one its int64 index into the image flattened over height and width.

    Raises:
        RuntimeError: `self` is not an image with elements, or there are no two sizes.
    """
    sizes = self._sizes
    if len(sizes) not in (3, 4):
        raise RuntimeError(f"adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: {list(sizes)}")
    for dim, size in enumerate(sizes):
        if dim and not size:
            raise RuntimeError(
                "adaptive_max_pool2d(): Expected input to have non-zero size for non-batch dimensions, but input has "
                f"sizes {list(sizes)} with dimension {dim} being empty"
            )
    if len(output_size) != 2:
        raise RuntimeError("adaptive_max_pool2d(): internal error: output_size.size() must be 2")
    declare_pooled(op, self, (*sizes[:-2], *output_size), self._dtype, int64)


def adaptive_max_pool2d_out_cpu(op: MetaBase, self: Tensor, output_size: Ints, out: Tensor, indices: Tensor) -> None:
    """Compute out = the maximum of each window (NaN if it contains NaN), and indices = its index in the flat image."""
    if 0 not in out._sizes:
        adaptive_max_pool2d_stub.kernels[op.device_type](out, indices, self)


def adaptive_max_pool1d(self: Tensor, output_size: Ints) -> tuple[Tensor, Tensor]:
    """Return the maximum of each window of 1-D signals (n, c, l) or (c, l), and its index.

    Raises:
        RuntimeError: `self` has another shape, or there is not one size.
    """
    check_dim_range("adaptive_max_pool1d", self)
    check1d("adaptive_max_pool1d", "output_size", output_size)
    output, indices = at.adaptive_max_pool2d(at.unsqueeze(self, -2), (1, *output_size))
    return at.squeeze_dim(output, -2), at.squeeze_dim(indices, -2)
