"""Elements along a dimension, each place with a position of its own: gather, scatter and its reductions.

Mirrors aten/src/ATen/native/TensorAdvancedIndexing.cpp and ScatterGatherChecks.h.
"""

import functools
import warnings

from ... import strides as geometry
from ...dispatch.local import AutoDispatchBelowADInplaceOrView
from ...dtypes import bool_, dtype, int32, int64
from ...strides import Ints, wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides
from ..memory_overlap import assert_no_internal_overlap, assert_no_overlap
from ..scalar_ops import scalar_to_tensor
from ..structured import MetaBase
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .copy import copy_stub
from .index_along_dim import index_select_stub

Number = bool | int | float

gather_stub = DispatchStub("gather_stub")
"""kernel(out, self, dim, index): out[i][j] = self[index[i][j]][j], for dim 0 of two."""
scatter_stub = DispatchStub("scatter_stub")
"""kernel(self, dim, index, src, reduce): self[index[i][j]][j] = src[i][j], or reduced with it: one of REDUCTIONS. Both
raise RuntimeError if a position is out of range."""

REDUCTIONS = {"sum": "add", "mean": "add", "prod": "multiply", "amax": "amax", "amin": "amin"}

# ---- checks


def _require_index(method: str, index: Tensor) -> None:
    if index._dtype not in (int64, int32) and index.numel():
        raise RuntimeError(f"{method}(): Expected dtype int32/int64 for index")


@functools.lru_cache(4096)
def gather_shape_check(self: Ints, dim: int, index: Ints) -> None:
    """Check that `index` is no larger than `self` in any dimension except `dim`. All arguments except `dim` are sizes.

    Raises:
        RuntimeError: it is not.
    """
    sizes, wanted = self or (1,), index or (1,)
    if len(sizes) != len(wanted):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for d, size in enumerate(wanted):
        if d != dim and size > sizes[d]:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index)} to be no larger than self "
                f"{list(self)} apart from dimension {dim}"
            )


@functools.lru_cache(4096)
def scatter_shape_check(self: Ints, dim: int, index: Ints, src: Ints | None) -> None:
    """Check that `index` is no larger than `self` except along `dim`, nor larger than `src`. All but `dim` are sizes.

    Raises:
        RuntimeError: it is not.
    """
    if 0 in index:
        return
    sizes, wanted = self or (1,), index or (1,)
    if len(sizes) != len(wanted):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    fits = all(d == dim or size <= sizes[d] for d, size in enumerate(wanted))
    theirs = ""
    if src is not None:
        given = src or (1,)
        if src and len(given) < len(wanted):
            wrap_dim(len(given), len(src))
        if len(given) != len(wanted):
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
        fits = fits and all(size <= most for size, most in zip(wanted, given, strict=True))
        theirs = f" and to be no larger size than src {list(src)}"
    if not fits:
        raise RuntimeError(
            f"Expected index {list(index)} to be no larger than self {list(self)} apart from dimension {dim}{theirs}"
        )


# ---- gather


def gather_meta(op: MetaBase, self: Tensor, dim: int, index: Tensor, sparse_grad: bool) -> None:
    """Declare an output with the sizes of `index`.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: `index` is not a tensor of integers or too large; `out=` shares cells with an input.
    """
    dim = wrap_dim(dim, len(self._sizes))
    if op.has_given_outputs:
        out = op.outputs[0]
        assert_no_internal_overlap(out._sizes, out._strides)
        assert_no_overlap(out, self)
        assert_no_overlap(out, index)
    if 0 not in index._sizes:
        _require_index("gather", index)
        gather_shape_check(self._sizes, dim, index._sizes)
    op.set_output_raw_strided(0, index._sizes, contiguous_strides(index._sizes), self._dtype, self._storage.device)


def gather_out(op: MetaBase, self: Tensor, dim: int, index: Tensor, sparse_grad: bool, out: Tensor) -> None:
    """Compute out[i][j] = self[index[i][j]][j] if `dim` is 0, and likewise for other dims and numbers of dimensions."""
    dim = wrap_dim(dim, len(self._sizes))
    if 0 in index._sizes:
        return
    if dim == 0 and names_rows(self._sizes, index):
        rows = index._alias(index._sizes[:1], index._strides[:1], index._storage_offset)
        if index_select_stub.kernels[op.device_type](self, 0, rows, out) is None:
            return
    gather_stub.kernels[op.device_type](out, self, dim, index)


def names_rows(self: Ints, index: Tensor) -> bool:
    """Return True if `index` is an expanded column, which gathers whole rows.

    Source: can_use_expanded_index_path (aten/src/ATen/native/TensorAdvancedIndexing.cpp).
    """
    return len(self) > 1 and index._sizes[1:] == self[1:] and not any(index._strides[1:])


def take_along_dim(self: Tensor, indices: Tensor, dim: int | None) -> Tensor:
    """Call `gather` with `self` and `indices` broadcast in all dimensions except `dim`; without `dim`, flatten both.

    Raises:
        RuntimeError: `indices` is not an int64 tensor, has another number of dimensions, or does not broadcast.
    """
    if dim is None:
        return at.gather(at.view(self, (-1,)), 0, at.view(indices, (-1,)))
    return at.gather(*_broadcast_but_for(self, indices, dim))


def take_along_dim_out(self: Tensor, indices: Tensor, dim: int | None, out: Tensor) -> Tensor:
    """Write `take_along_dim` into `out`."""
    if dim is None:
        return at.gather_out(at.view(self, (-1,)), 0, at.view(indices, (-1,)), out=out)
    return at.gather_out(*_broadcast_but_for(self, indices, dim), out=out)


def _broadcast_but_for(self: Tensor, indices: Tensor, dim: int) -> tuple[Tensor, int, Tensor]:
    if len(self._sizes) != len(indices._sizes):
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{len(self._sizes)} dimensions for input, and {len(indices._sizes)} dimensions for indices"
        )
    if indices._dtype is not int64:
        name = SCALAR_TYPE_NAMES[indices._dtype]
        raise RuntimeError(f"torch.take_along_dim(): dtype of indices should be Long but got {name}")
    dim = wrap_dim(dim, len(self._sizes))
    if not self._sizes:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    self_sizes, index_sizes = _shapes_but_for(self._sizes, indices._sizes, dim)
    positions, expanded = at.expand(indices, index_sizes), at.expand(self, self_sizes)
    return expanded, dim, at.remainder_Scalar(positions, self._sizes[dim])  # negative ones are from the end


@functools.lru_cache(4096)
def _shapes_but_for(sizes: Ints, indices: Ints, dim: int) -> tuple[Ints, Ints]:
    """Return both sizes, broadcast in all dimensions but `dim`."""
    of_indices = (*indices[:dim], sizes[dim], *indices[dim + 1 :])
    of_self = (*sizes[:dim], indices[dim], *sizes[dim + 1 :])
    return geometry.broadcast_shapes(sizes, of_indices), geometry.broadcast_shapes(of_self, indices)


# ---- scatter


def _scatter_meta(op: MetaBase, method: str, self: Tensor, dim: int, index: Tensor, src: Tensor | None) -> None:
    dim = wrap_dim(dim, len(self._sizes))
    _require_index(method, index)
    if src is not None and self._dtype is not src._dtype:
        raise RuntimeError(f"{method}(): Expected self.dtype to be equal to src.dtype")
    scatter_shape_check(self._sizes, dim, index._sizes, None if src is None else src._sizes)
    if op.has_given_outputs:
        out = op.outputs[0]
        assert_no_internal_overlap(out._sizes, out._strides)
        for tensor in (index,) if src is None else (index, src):
            assert_no_overlap(out, tensor)
        if out is not self:
            assert_no_overlap(out, self)
    op.set_output_raw_strided(0, self._sizes, contiguous_strides(self._sizes), self._dtype, self._storage.device)


def scatter_src_meta(op: MetaBase, self: Tensor, dim: int, index: Tensor, src: Tensor) -> None:
    """Declare an output like `self`.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: `index` is not a tensor of integers or too large, dtypes differ, or the output shares cells.
    """
    _scatter_meta(op, "scatter", self, dim, index, src)


def scatter_value_meta(op: MetaBase, self: Tensor, dim: int, index: Tensor, value: Number) -> None:
    """Declare the output like `scatter_src_meta`."""
    _scatter_meta(op, "scatter", self, dim, index, None)


def scatter_reduce_meta(op: MetaBase, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str) -> None:
    """Declare the output like `scatter_src_meta`; raise RuntimeError if `reduce` is neither "add" nor "multiply"."""
    warnings.warn(
        "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch "
        "release. Use torch.scatter_reduce instead for more reduction options.",
        stacklevel=2,
    )
    _require_old_reduction(reduce)
    _scatter_meta(op, "scatter", self, dim, index, src)


def scatter_value_reduce_meta(op: MetaBase, self: Tensor, dim: int, index: Tensor, value: Number, reduce: str) -> None:
    """Declare the output like `scatter_reduce_meta`."""
    _require_old_reduction(reduce)
    _scatter_meta(op, "scatter", self, dim, index, None)


def scatter_add_meta(op: MetaBase, self: Tensor, dim: int, index: Tensor, src: Tensor) -> None:
    """Declare the output like `scatter_src_meta`."""
    _scatter_meta(op, "scatter", self, dim, index, src)


def scatter_reduce_two_meta(
    op: MetaBase, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool
) -> None:
    """Declare the output like `scatter_src_meta`; raise RuntimeError if `reduce` is not in `REDUCTIONS`."""
    if reduce not in REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    _scatter_meta(op, "scatter", self, dim, index, src)


def _require_old_reduction(reduce: str) -> None:
    if reduce not in ("add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")


def _scatter(self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str | None, out: Tensor) -> None:
    device = out._storage.device.type
    if out is not self:
        copy_stub.kernels[device](out, self)
    if 0 not in index._sizes:
        scatter_stub.kernels[device](out, wrap_dim(dim, len(self._sizes)), index, src, reduce)


def _as_src(value: Number, self: Tensor, index: Tensor) -> Tensor:
    cell = scalar_to_tensor(value, self._dtype)
    return cell._alias(index._sizes, (0,) * len(index._sizes), 0)


def scatter_src_out(op: MetaBase, self: Tensor, dim: int, index: Tensor, src: Tensor, out: Tensor) -> None:
    """Compute out = `self` with `src` written to the positions in `index` along `dim`; the last duplicate wins."""
    _scatter(self, dim, index, src, None, out)


def scatter_value_out(op: MetaBase, self: Tensor, dim: int, index: Tensor, value: Number, out: Tensor) -> None:
    """Compute out = `self` with one number written to the positions in `index` along `dim`."""
    _scatter(self, dim, index, _as_src(value, self, index), None, out)


def scatter_reduce_out(
    op: MetaBase, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, out: Tensor
) -> None:
    """Compute out = `self` with `src` added to, or multiplied into, the elements that `index` selects along `dim`."""
    _scatter(self, dim, index, src, reduce, out)


def scatter_value_reduce_out(
    op: MetaBase, self: Tensor, dim: int, index: Tensor, value: Number, reduce: str, out: Tensor
) -> None:
    """Compute out = `self` with a number added to, or multiplied into, elements that `index` selects along `dim`."""
    _scatter(self, dim, index, _as_src(value, self, index), reduce, out)


def scatter_add(op: MetaBase, self: Tensor, dim: int, index: Tensor, src: Tensor, out: Tensor) -> None:
    """Compute out = `self` with `src` added, in order, to the elements that `index` selects along `dim`."""
    _scatter(self, dim, index, src, "add", out)


def scatter_reduce_two(
    op: MetaBase, self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include_self: bool, out: Tensor
) -> None:
    """Compute out = `self` with each element that `index` selects reduced with the elements of `src` scattered to it.

    Args:
        include_self: the element that was there counts as one of them.
    Raises:
        NotImplementedError: the mean of bools.
    """
    if reduce == "mean" and self._dtype is bool_ and index.numel():
        raise NotImplementedError("\"scatter_gather_tensor_cpu_reduce_mean\" not implemented for 'Bool'")
    with AutoDispatchBelowADInplaceOrView():
        if not include_self:
            start = _as_src(initial_value(reduce, self._dtype), self, index)
            _scatter(self, dim, index, start, None, out)
            self = out
        _scatter(self, dim, index, src, REDUCTIONS[reduce], out)
        if reduce == "mean":
            count = at.ones_like(out) if include_self else at.zeros_like(out)
            at.scatter_add_(count, dim, index, at.ones_like(src))
            at.masked_fill__Scalar(count, at.eq_Scalar(count, 0), 1)
            at.div__Tensor_mode(out, count, rounding_mode=None if out._dtype.is_floating_point else "floor")


def initial_value(reduce: str, scalar_type: dtype) -> Number:
    """Return the initial value of a reduction, which does not change its result.

    Source: the init_val of include_self_or_default in aten/src/ATen/native/cpu/ScatterGatherKernel.cpp.
    """
    if reduce in ("sum", "mean"):
        return 0
    if reduce == "prod":
        return 1
    if scalar_type is bool_:
        return reduce == "amin"
    bits = 31 if scalar_type is int32 else 63
    lowest, highest = (-float("inf"), float("inf")) if scalar_type.is_floating_point else (-(2**bits), 2**bits - 1)
    return lowest if reduce == "amax" else highest
