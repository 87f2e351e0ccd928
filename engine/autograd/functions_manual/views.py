"""Gradients of views, and of operators that repeat, join and cut tensors."""

from collections.abc import Sequence

from ...aten.at import at
from ...dtypes import int64
from ...strides import Ints, wrap_dim
from ...tensor_impl import Tensor

Gradients = Sequence[Tensor | None]

# ---- sizes


def unsqueeze_to(grad: Tensor, sizes: Ints, dims: Ints | None = None) -> Tensor:
    """Restore in `grad` the dimensions of size 1 that `squeeze` removed: those in `dims`, or all if it is None."""
    ndim = len(sizes)
    chosen = range(ndim) if dims is None else {wrap_dim(dim, ndim) for dim in dims}
    for d, size in enumerate(sizes):
        if size == 1 and d in chosen:
            grad = grad.unsqueeze(d)
    return grad


def permute_backwards(grad: Tensor, dims: Ints) -> Tensor:
    """Undo `permute(dims)` on `grad`."""
    ndim = len(dims)
    back = [0] * ndim
    for d, dim in enumerate(dims):
        back[wrap_dim(dim, ndim)] = d
    return grad.permute(tuple(back))


# ---- parts and wholes


def slice_backward_wrapper(
    grad: Tensor, input_sizes: Ints, dim: int, start: int | None, end: int | None, step: int
) -> Tensor:
    """Compute `slice_backward`, with the default bounds if the slice omits them."""
    return at.slice_backward(grad, input_sizes, dim, start or 0, input_sizes[dim] if end is None else end, step)


def split_backward(grads: Gradients, split_size: int, dim: int, sizes: Ints) -> Tensor:
    """Concatenate the gradients of the chunks made by `split`, of which the last may be smaller."""
    dim = wrap_dim(dim, len(sizes))
    last = sizes[dim] - split_size * (len(grads) - 1)
    return split_with_sizes_backward(grads, (split_size,) * (len(grads) - 1) + (last,), dim, sizes)


def split_with_sizes_backward(grads: Gradients, split_sizes: Ints, dim: int, sizes: Ints) -> Tensor:
    """Concatenate the gradients of the chunks made by `split_with_sizes`, with zeros for a missing gradient."""
    dim = wrap_dim(dim, len(sizes))
    some = _any(grads)
    parts = tuple(
        some.new_zeros((*sizes[:dim], size, *sizes[dim + 1 :])) if grad is None else grad
        for grad, size in zip(grads, split_sizes, strict=True)
    )
    return at.cat(parts, dim)


def unbind_backward(grads: Gradients, dim: int) -> Tensor:
    """Stack the gradients of the slices made by `unbind`, with zeros for a missing gradient."""
    some = _any(grads)
    return at.stack(tuple(some.new_zeros(some.shape) if grad is None else grad for grad in grads), dim)


def _any(grads: Gradients) -> Tensor:
    return next(grad for grad in grads if grad is not None)


def cat_tensors_backward(grad: Tensor, sizes: Sequence[Ints], dim: int) -> tuple[Tensor, ...]:
    """Split `grad` into the gradients of the tensors that `cat` concatenated, which had the given sizes."""
    parts, start = [], 0
    ndim = next((len(shape) for shape in sizes if tuple(shape) != (0,)), 0)
    dim = wrap_dim(dim, ndim) if ndim else dim  # `cat` skips tensors of sizes (0,), and then asks for no dim
    for shape in sizes:
        if tuple(shape) == (0,):
            parts.append(grad.new_zeros((0,)))
        else:
            parts.append(grad.narrow(dim, start, shape[dim]))
            start += shape[dim]
    return tuple(parts)


def stack_tensors_backward(grad: Tensor, dim: int) -> tuple[Tensor, ...]:
    """Split `grad` into the gradients of the tensors that `stack` stacked."""
    return tuple(at.select_int(grad, dim, i) for i in range(grad.shape[dim]))


# ---- copies


def repeat_backward(grad: Tensor, repeats: Ints, input_sizes: Ints) -> Tensor:
    """Sum `grad` over all copies that `repeat` made."""
    if 0 in repeats:
        return grad.new_zeros(input_sizes)
    new = len(repeats) - len(input_sizes)
    if new:
        grad = grad.sum(tuple(range(new)))
    split: list[int] = []
    of_copies: list[int] = []
    for count, size in zip(repeats[new:], input_sizes, strict=True):
        if count != 1:
            of_copies.append(len(split))
            split.append(count)
        split.append(size)
    return grad.reshape(tuple(split)).sum(tuple(of_copies)) if of_copies else grad


def roll_backward(grad: Tensor, shifts: Ints, dims: Ints) -> Tensor:
    """Roll `grad` back by `shifts`."""
    return grad.roll(tuple(-shift for shift in reversed(shifts)), tuple(reversed(dims)))


def constant_pad_nd_backward(grad: Tensor, pad: Ints) -> Tensor:
    """Crop the padding from `grad`, and fill with zeros where a negative pad cropped the input."""
    return at.constant_pad_nd(grad, tuple(-count for count in pad), 0)


# ---- any geometry


def as_strided_backward(
    grad: Tensor, sizes: Ints, strides: Ints, offset: int, size: Ints, stride: Ints, storage_offset: int | None
) -> Tensor:
    """Compute the gradient of the input of `as_strided`: write `grad` into a new storage, and read it as the input.

    Cells that the result names several times add up; a cell that the input has several times gives each place its
    share.

    Args:
        sizes, strides, offset: the geometry of the input.
        size, stride, storage_offset: what `as_strided` was given.
    Source: as_strided_backward (torch/csrc/autograd/FunctionsManual.cpp).
    """
    if 0 in size or 0 in sizes:
        return grad.new_zeros(sizes)
    out_offset = offset if storage_offset is None else storage_offset
    for d in reversed(range(len(size))):
        if size[d] == 1:
            grad = grad.squeeze(d)
        elif stride[d] == 0:
            grad = grad.sum(d)
    out = _geometry(size, stride, expanded=False)
    given = _geometry(sizes, strides, expanded=True)
    shared = min(offset, out_offset)
    out_offset, offset = out_offset - shared, offset - shared
    cells = max(_last_cell(*out, out_offset), _last_cell(*given, offset)) + 1
    storage = grad.new_zeros((cells,))
    if _may_overlap(*out):
        storage.index_add_(0, _places(storage, *out, out_offset), grad.reshape(-1))
    else:
        storage.as_strided(*out, out_offset).copy_(grad)
    if _may_overlap(*given):
        places = _places(storage, *given, offset)
        storage.div_(storage.new_zeros((cells,)).index_add_(0, places, grad.new_ones(places.shape)))
    return storage.as_strided(sizes, strides, offset)


def as_strided_scatter_backward(
    grad: Tensor, sizes: Ints, strides: Ints, written: Ints, size: Ints, stride: Ints, storage_offset: int | None
) -> Tensor:
    """Compute the gradient of the input of `as_strided_scatter`: `grad` with zeros where the input was replaced.

    Args:
        sizes, strides: the geometry of the input.
        written: sizes of what replaced a part of it.
        size, stride, storage_offset: what `as_strided_scatter` was given.
    Source: as_strided_scatter_backward (torch/csrc/autograd/FunctionsManual.cpp).
    """
    restrided = grad.new_empty_strided(sizes, strides).copy_(grad)
    return restrided.as_strided_scatter(grad.new_zeros(written), size, stride, storage_offset)


def _geometry(sizes: Ints, strides: Ints, expanded: bool) -> tuple[Ints, Ints]:
    """Drop dimensions of size 1 and, unless `expanded`, dimensions of stride 0."""
    kept = [d for d, size in enumerate(sizes) if size != 1 and (expanded or strides[d])]
    return tuple(sizes[d] for d in kept), tuple(strides[d] for d in kept)


def _places(storage: Tensor, sizes: Ints, strides: Ints, offset: int) -> Tensor:
    """Return the cell of each element of a geometry over a flat tensor, in one dimension."""
    cells = at.arange(storage.numel(), int64, device=storage.device)
    return at.as_strided(cells, sizes, strides, offset).reshape(-1)


def _last_cell(sizes: Ints, strides: Ints, offset: int) -> int:
    return offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))


def _may_overlap(sizes: Ints, strides: Ints) -> bool:
    """Return True if two indices may refer to one cell; False is certain. Source: _maybe_overlapping_memory."""
    reach = 0
    for stride, size in sorted(zip(strides, sizes, strict=True)):
        if stride <= reach:
            return True
        reach += stride * (size - 1)
    return False
