"""Copies beside each other, and tensors put together: repeat, tile, repeat_interleave, hstack and its kin, meshgrid.

Mirrors aten/src/ATen/native/{Repeat,TensorShape}.cpp.
"""

from collections.abc import Callable

from ...dispatch.keys import PYTHON
from ...dispatch.local import is_subclass_like
from ...dtypes import contiguous_format, int32, int64, strided
from ...strides import wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides, new_tensor
from ..stubs import DispatchStub

Ints = tuple[int, ...]
Tensors = tuple[Tensor, ...]

repeat_interleave_stub = DispatchStub("repeat_interleave_stub")
"""kernel(out, repeats): out = number k `repeats[k]` times, for each k in turn."""
summary_stub = DispatchStub("summary_stub")
"""kernel(x): the smallest and the largest number of a contiguous tensor of integers, and the sum of all."""


def repeat(self: Tensor, repeats: Ints) -> Tensor:
    """Repeat `self` `repeats[d]` times along each dimension d; extra entries of `repeats` add leading dimensions.

    Raises:
        RuntimeError: fewer repeats than dimensions, or a negative one.
    """
    missing = len(repeats) - len(self._sizes)
    if missing < 0:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    padded = (1,) * missing + self._sizes
    sizes = tuple(size * count for size, count in zip(padded, repeats, strict=True))
    made = new_tensor(sizes, contiguous_strides(sizes), self._dtype, self._storage.device)
    if 0 in sizes:
        return made
    pairs = tuple(zip(repeats, padded, strict=True))
    every = at.view(made, tuple(number for pair in pairs for number in pair))
    once = at.reshape(self, tuple(number for size in padded for number in (1, size)))
    at.copy_(every, once)
    return made


def tile(self: Tensor, dims: Ints) -> Tensor:
    """Repeat `self` along its last dimensions; leading dimensions that `dims` does not cover stay as they are."""
    return at.repeat(self, (1,) * (len(self._sizes) - len(dims)) + dims)


def repeat_interleave_cpu(repeats: Tensor, output_size: int | None) -> Tensor:
    """Return the indices 0, 1, ..., with index i repeated `repeats[i]` times.

    Raises:
        RuntimeError: `repeats` is not a vector of integers, or has a negative one; `output_size` is not their sum.
    """
    if len(repeats._sizes) != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if repeats._dtype not in (int64, int32):
        raise RuntimeError("repeats has to be Long or Int tensor")
    total = 0
    if repeats._sizes[0]:
        smallest, _, total = summary_stub.kernels[repeats._storage.device.type](at.contiguous(repeats))
        if smallest < 0:
            raise RuntimeError("repeats can not be negative")
    if output_size is not None and output_size != total:
        raise RuntimeError(f"allocated size does not match required size: {output_size} != {total}")
    out = new_tensor((total,), (1,), repeats._dtype, repeats._storage.device)
    if total:
        repeat_interleave_stub.kernels[repeats._storage.device.type](out, repeats)
    return out


def repeat_interleave_meta(repeats: Tensor, output_size: int | None) -> Tensor:
    """Return an uninitialized result of `repeat_interleave_cpu`, whose size only the caller can know.

    Raises:
        RuntimeError: there is no `output_size`.

    Source: meta_repeat_interleave_Tensor (torch/_meta_registrations.py).
    """
    if output_size is None:
        raise RuntimeError("cannot repeat_interleave a meta tensor without output_size")
    return at.new_empty(repeats, (output_size,))


def repeat_interleave_self_Tensor(self: Tensor, repeats: Tensor, dim: int | None, output_size: int | None) -> Tensor:
    """Repeat entry i of a dimension `repeats[i]` times; without `dim`, flatten `self` first.

    Raises:
        RuntimeError: `repeats` has more than one dimension or not as many numbers as there are entries.
    """
    dim, self = _dim_of(self, dim)
    length = self._sizes[dim]
    if not repeats._sizes or repeats._sizes == (1,):
        repeats = at.expand(at.reshape(repeats, (1,)), (length,))
    elif len(repeats._sizes) > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    elif repeats._sizes[0] != length:
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {repeats._sizes[0]} and "
            f"input.size({dim}) = {length}"
        )
    return at.index_select(self, dim, at.repeat_interleave_Tensor(repeats, output_size=output_size))


def repeat_interleave_self_int(self: Tensor, repeats: int, dim: int | None, output_size: int | None) -> Tensor:
    """Repeat each entry of a dimension `repeats` times; without `dim`, flatten `self` first.

    Raises:
        RuntimeError: `repeats` is negative; `output_size` is not the size that the dimension gets.
    """
    dim, self = _dim_of(self, dim)
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    if output_size is not None and output_size != repeats * self._sizes[dim]:
        raise RuntimeError("repeat_interleave: Invalid output_size, expected ")
    sizes = (*self._sizes[: dim + 1], repeats, *self._sizes[dim + 1 :])
    many = at.clone(at.expand(at.unsqueeze(self, dim + 1), sizes), memory_format=contiguous_format)
    return at.flatten_using_ints(many, dim, dim + 1)


def _dim_of(self: Tensor, dim: int | None) -> tuple[int, Tensor]:
    """Return the dimension to repeat, and the tensor; without `dim`, dimension 0 of the flattened tensor."""
    if dim is None:
        return 0, at.flatten_using_ints(self, 0, -1)
    wrapped = wrap_dim(dim, len(self._sizes))
    if not self._sizes:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrapped, self


# ---- hstack, vstack, dstack, column_stack


def _at_least(ndim: int) -> Callable[[Tensor], Tensor]:
    """Return the function that adds sizes of 1 to a tensor as `atleast_1d`, `atleast_2d` or `atleast_3d` does."""

    def raised(x: Tensor) -> Tensor:
        if not x._sizes:
            return at.reshape(x, (1,) * ndim)
        if len(x._sizes) == 1 < ndim:
            x = at.unsqueeze(x, 0)
        return at.unsqueeze(x, -1) if len(x._sizes) == 2 < ndim else x

    return raised


def _as_column(x: Tensor) -> Tensor:
    return x if len(x._sizes) > 1 else at.reshape(x, (x.numel(), 1))


def _require_tensors(name: str, tensors: Tensors) -> None:
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")


def _prepared(name: str, tensors: Tensors) -> tuple[Tensors, int]:
    _require_tensors(name, tensors)
    as_wanted, dim = STACKS[name]
    prepared = tuple(map(as_wanted, tensors))
    if name == "hstack" and len(prepared[0]._sizes) == 1:
        dim = 0
    return prepared, dim


STACKS: dict[str, tuple[Callable[[Tensor], Tensor], int]] = {
    "hstack": (_at_least(1), 1),
    "vstack": (_at_least(2), 0),
    "dstack": (_at_least(3), 2),
    "column_stack": (_as_column, 1),
}
"""Preparation of the tensors for each operator, and its dimension of `cat`."""


def hstack(tensors: Tensors) -> Tensor:
    """Join the tensors horizontally: along dimension 1, or along dimension 0 if they are vectors."""
    return at.cat(*_prepared("hstack", tensors))


def hstack_out(tensors: Tensors, out: Tensor) -> Tensor:
    """Write `hstack` into `out`."""
    return at.cat_out(*_prepared("hstack", tensors), out=out)


def vstack(tensors: Tensors) -> Tensor:
    """Join the tensors vertically: along dimension 0, with vectors as rows."""
    return at.cat(*_prepared("vstack", tensors))


def vstack_out(tensors: Tensors, out: Tensor) -> Tensor:
    """Write `vstack` into `out`."""
    return at.cat_out(*_prepared("vstack", tensors), out=out)


row_stack, row_stack_out = vstack, vstack_out


def dstack(tensors: Tensors) -> Tensor:
    """Join the tensors depthwise: along dimension 2."""
    return at.cat(*_prepared("dstack", tensors))


def dstack_out(tensors: Tensors, out: Tensor) -> Tensor:
    """Write `dstack` into `out`."""
    return at.cat_out(*_prepared("dstack", tensors), out=out)


def column_stack(tensors: Tensors) -> Tensor:
    """Join the tensors horizontally, with vectors as columns."""
    return at.cat(*_prepared("column_stack", tensors))


def column_stack_out(tensors: Tensors, out: Tensor) -> Tensor:
    """Write `column_stack` into `out`."""
    return at.cat_out(*_prepared("column_stack", tensors), out=out)


# ---- meshgrid


def meshgrid(tensors: Tensors) -> Tensors:
    """Return, for each vector, a view expanded to the grid of all vectors, in which it varies along its own dimension.

    Raises:
        RuntimeError: no tensors, one of more than a dimension, or dtypes that differ.
    """
    return at.meshgrid_indexing(tensors, indexing="ij")


def meshgrid_indexing(tensors: Tensors, indexing: str) -> Tensors:
    """Return `meshgrid`; with indexing "xy", swap the first two dimensions."""
    _require_tensors("meshgrid", tensors)
    for tensor in tensors:
        if tensor._dtype is not tensors[0]._dtype:
            raise RuntimeError("torch.meshgrid expects all tensors to have the same dtype")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    for tensor in tensors:
        if len(tensor._sizes) > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {list(tensor._sizes)}"
            )
    swaps = indexing == "xy" and len(tensors) >= 2
    if swaps:
        tensors = (tensors[1], tensors[0], *tensors[2:])
    shape = tuple(tensor.numel() for tensor in tensors)
    grids = []
    for d, tensor in enumerate(tensors):
        own = (1,) * d + (shape[d],) + (1,) * (len(shape) - d - 1)
        grids.append(at.expand(at.view(tensor, own), shape))
    if swaps:
        grids[:2] = grids[1], grids[0]
    return tuple(grids)


# ---- one_hot


def one_hot(self: Tensor, num_classes: int) -> Tensor:
    """Return a tensor with a new last dimension of size `num_classes`: 1 at the index given by each number, else 0.

    Raises:
        RuntimeError: no int64 tensor, or numbers outside of [0, num_classes).
    """
    if self._dtype is not int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    options = (int64, strided, self._storage.device, None)
    if not self.numel():
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return at.empty_memory_format((*self._sizes, num_classes), *options)
    if self._storage.device.type == "meta" or self._key_set & PYTHON:
        classes = at.arange(at.item(at.max(self)) + 1 if num_classes == -1 else num_classes, *options)
        return at.to_dtype(at.eq_Tensor(at.unsqueeze(self, -1), classes), int64)
    if is_subclass_like(self):
        smallest, largest = map(at.item, at.aminmax(self))
    else:
        smallest, largest, _ = summary_stub.kernels[self._storage.device.type](at.contiguous(self))
    if smallest < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = largest + 1
    elif num_classes <= largest:
        raise RuntimeError("Class values must be smaller than num_classes.")
    made = at.zeros((*self._sizes, num_classes), *options)
    return at.scatter__value(made, -1, at.unsqueeze(self, -1), 1)
