"""A tensor backwards: a copy whose source is walked with negative strides.

Mirrors aten/src/ATen/native/cuda/TensorTransformations.cu.
"""

from ..aten.native import tensor_transformations
from ..tensor_impl import Tensor
from . import loops
from .copy import convert
from .index_rows import coalesced_walk
from .launch import grid_of, launch


def flip_kernel(out: Tensor, self: Tensor, flipped: tuple[bool, ...]) -> None:
    """Copy `self` into `out`, with the order of elements reversed along the dimensions that are flipped."""
    dims = [*zip(self._sizes, self._strides, flipped, strict=True)]
    first = self._storage_offset + sum((size - 1) * step for size, step, backwards in dims if backwards)
    strides = tuple([-step if backwards else step for _, step, backwards in dims])
    sizes, so, sx = coalesced_walk(self._sizes, out._strides, strides)
    cells, n = (out._flat(), out._storage_offset, self._flat(), first), self.numel()
    launch(loops.instantiate(loops.unary, convert).strided, *grid_of("elementwise", n), n, *cells, sizes, so, sx, ())


tensor_transformations.flip_stub.register("cuda", flip_kernel)
