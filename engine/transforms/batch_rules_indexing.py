"""Batching rules of indices, which put dimensions in other places once there is one more of them.

Mirrors aten/src/ATen/functorch/BatchRulesScatterOps.cpp.
"""

from typing import Any

from ..aten.at import at
from ..dispatch import registry
from ..dispatch.registry import OperatorEntry
from ..dtypes import bool_
from ..strides import wrap_dim
from ..tensor_impl import Tensor
from .batch_rules import Result, Values, base_name, rank, require_batched
from .batched import expanded, front, padded

MASKED = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with "
    "a boolean mask."
)
MASKED_SELECT = (
    "vmap: Attempted to vmap over `mask` in torch.{}(self, mask) We cannot support this because for each batch this "
    "would return a differently shaped Tensor. Please file an issue at https://github.com/pytorch/pytorch/issues if "
    "you need this feature."
)


COUNTS = "{}_(): Number of indices ({}) should be equal to source.size(dim): ({}), for dim: {}"


def without_masks(indices: Any, bdims: Any) -> list[tuple[Any, Any]]:
    """Return pairs of indices and their batch dimensions, with a mask as the positions of its True elements.

    Raises:
        RuntimeError: a mask is batched, so that each sample would have another number of elements.
    """
    found: list[tuple[Any, Any]] = []
    for index, bdim in zip(indices, bdims, strict=True):
        if index is None or index._dtype is not bool_:
            found.append((index, bdim))
        elif bdim is not None:
            raise RuntimeError(MASKED)
        else:
            found += [(positions, None) for positions in at.unbind_int(at.nonzero(index), 1)]
    return found


def laid_out(x: Tensor, pairs: list[tuple[Any, Any]]) -> tuple[tuple[Any, ...], int, int]:
    """Return indices of a batch, with one for the batch dimension in front.

    Returns:
        (indices, number of dimensions that they have, number of a sample's dimensions before them). With an index in
        front, their dimensions come right after the batch dimension instead.
    """
    size, ndim = x._sizes[0], max(rank(*pair) for pair in pairs if pair[0] is not None)
    batch = at.view(at.arange(size, device=x._storage.device), (size, *(1,) * ndim))
    laid = [None if index is None else padded(index, bdim, ndim) for index, bdim in pairs]
    places = [place for place, (index, _) in enumerate(pairs) if index is not None]
    is_adjacent = places[-1] - places[0] == len(places) - 1
    return (batch, *laid), ndim, places[0] if is_adjacent else 0


def moved(x: Tensor, start: int, count: int, to: int) -> Tensor:
    """Return a tensor with `count` of its dimensions from `start` on moved to the place `to`."""
    return at.movedim_intlist(x, tuple(range(start, start + count)), tuple(range(to, to + count))) if count else x


def index(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """x[indices], each with the places of its samples in the batch."""
    x = expanded(values[0], bdims[0], layer.batch_size)
    laid, ndim, before = laid_out(x, without_masks(values[1], bdims[1]))
    return moved(entry.call(x, laid), 1, ndim, 1 + before), 0


def index_put(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """x[indices] = source, and its functional form."""
    if entry.name.endswith("_"):
        require_batched(bdims, base_name(entry))
    x, _, source, *rest = values
    x = expanded(x, bdims[0], layer.batch_size)
    pairs = without_masks(values[1], bdims[1])
    laid, ndim, before = laid_out(x, pairs)
    ndim_of_rows = len(x._sizes) - 1 - sum(index is not None for index, _ in pairs)
    source = padded(expanded(source, bdims[2], layer.batch_size), 0, ndim + ndim_of_rows)
    return entry.call(x, laid, moved(source, 1 + before, ndim, 1), *rest), 0


def index_rows(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """index_select, index_add, index_copy, index_fill: as x[:, positions], as a value or as a target."""
    name, (x, dim, positions, *rest) = base_name(entry), values
    is_inplace, ndim = name.endswith("_"), rank(values[0], bdims[0])
    if is_inplace:
        require_batched(bdims, name)
    x = expanded(x, bdims[0], layer.batch_size)
    x = x if ndim else at.unsqueeze(x, 1)
    positions = positions if rank(positions, bdims[2]) else at.unsqueeze(positions, -1)
    others = (None,) * wrap_dim(dim, ndim)
    laid, places = [x, (*others, positions)], [0, (*others, bdims[2])]
    if name == "index_select":
        result, _ = index(layer, registry.find("aten::index.Tensor"), laid, places)
    else:
        source, *alpha = rest
        if not name.startswith("index_fill") and (ndim_of_source := rank(source, bdims[3])):
            count, given = front(positions, bdims[2])._sizes[-1], expanded(source, bdims[3], 1)._sizes[1:]
            along = wrap_dim(dim, ndim_of_source)
            if given[along] != count:
                raise RuntimeError(COUNTS.format(name.rstrip("_"), count, given[along], along + (bdims[2] is None)))
        if not isinstance(source, Tensor):
            source = at.scalar_tensor(source, dtype=x._dtype, device=x._storage.device)
        source = at.mul_Scalar(source, alpha[0]) if alpha and alpha[0] != 1 else source
        put = registry.find("aten::index_put_" if is_inplace else "aten::index_put")
        result, _ = index_put(layer, put, [*laid, source, name.startswith("index_add")], [*places, bdims[3]])
    return result if ndim else at.squeeze_dim(result, 1), 0


def masked(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """masked_select, and its backward, with one mask for all samples."""
    if bdims[-1] is not None:
        raise RuntimeError(MASKED_SELECT.format(base_name(entry)))
    size, mask = layer.batch_size, values[-1]
    tensors = [expanded(x, bdim, size) for x, bdim in zip(values[:-1], bdims[:-1], strict=True)]
    x = at.contiguous(padded(tensors[-1], 0, len(mask._sizes)))
    result = entry.call(*tensors[:-1], x, mask)
    return result if tensors[:-1] else at.view(result, (size, -1)), 0
