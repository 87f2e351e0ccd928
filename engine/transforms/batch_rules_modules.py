"""Batching rules of products, convolutions, norms, pools and losses.

Mirrors aten/src/ATen/functorch/{BatchRulesLinearAlgebra,BatchRulesConvolution,BatchRulesNorm,BatchRulesModules,
BatchRulesLoss}.cpp.
"""

from typing import Any

from ..aten.at import at
from ..dispatch.registry import OperatorEntry
from ..tensor_impl import Tensor
from .batch_rules import Result, Values, base_name, each, pointwise, rank
from .batched import expanded, front, padded

RANKS = {"mm": (2, 2), "bmm": (3, 3), "mv": (2, 1)}
MISMATCH = (
    "Shape mismatch: Got incorrect dims for {}(a, b). a has dim {}and b has dim {}but expected them to have dim {} and "
    "dim {}"
)


def product(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """mm, bmm, mv and dot as a product of batches. A factor that all samples share is not expanded."""
    (a, b), (a_dim, b_dim), name = values, bdims, base_name(entry)
    ranks = rank(a, a_dim), rank(b, b_dim)
    if ranks != RANKS.get(name, (1, 1)):
        raise RuntimeError(MISMATCH.format(name, *ranks, *RANKS[name]) if name in RANKS else "Got wrong shapes for dot")
    if name in ("mm", "bmm"):
        return at.matmul(front(a, a_dim), front(b, b_dim)), 0
    if a_dim is None:  # [n, m] x [m, B]
        return at.matmul(a, at.movedim_int(b, b_dim, -1)), int(name == "mv")
    if b_dim is None:
        return at.matmul(front(a, a_dim), b), 0
    a, column = front(a, a_dim), at.unsqueeze(front(b, b_dim), 2)
    if name == "mv":
        return at.squeeze_dim(at.matmul(a, column), 2), 0
    return at.view(at.matmul(at.unsqueeze(a, 1), column), (layer.batch_size,)), 0


def merged(x: Tensor, bdim: int | None, size: int, dim: int) -> Tensor:
    """Return a tensor with the batch dimension joined to a sample's dimension `dim`."""
    x = expanded(x, bdim, size)
    sizes = x._sizes[1:]
    return at.reshape(at.movedim_int(x, 0, dim), (*sizes[:dim], size * sizes[dim], *sizes[dim + 1 :]))


def split(x: Tensor, dim: int, size: int) -> Tensor:
    """Return a tensor with the batch dimension taken out of `dim` again, in front of the rest of it."""
    rest = x._sizes[dim] // size if size else 0
    return at.reshape(x, (*x._sizes[:dim], size, rest, *x._sizes[dim + 1 :]))


def flattened(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """Operators on images whose first dimension may have any size: the batch is joined to it."""
    assert entry.schema is not None
    size, laid = layer.batch_size, list(values)
    for place, argument in enumerate(entry.schema.arguments):
        if isinstance(values[place], Tensor):
            laid[place] = merged(values[place], bdims[place], size, 0)
        elif argument.name == "input_size":
            laid[place] = (size * values[place][0], *values[place][1:])
    return each(lambda x: split(x, 0, size), entry.call(*laid)), 0


PER_CHANNEL = ("weight", "bias", "running_mean", "running_var", "save_mean", "save_invstd")
COUNTS = ("groups", "group", "C", "bias_sizes")


def by_channel(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """Convolutions and norms, forward and backward: each sample has its groups of channels of one image.

    [B, N, C, H, W] with weights [B, O, C, 3, 3] is [N, B * C, H, W] with [B * O, C, 3, 3], in B groups.
    """
    assert entry.schema is not None
    size, laid = layer.batch_size, list(values)
    for place, (argument, value) in enumerate(zip(entry.schema.arguments, values, strict=True)):
        if isinstance(value, Tensor):
            laid[place] = merged(value, bdims[place], size, 0 if argument.name in PER_CHANNEL else 1)
        elif argument.name in COUNTS and value is not None:
            laid[place] = tuple([size * count for count in value]) if isinstance(value, tuple) else size * value
    made = entry.call(*laid)
    if isinstance(made, Tensor):
        return split(made, 1, size), 1
    dims = (1, 1, 1) if base_name(entry) == "native_group_norm" else (1, 0, 0)
    return tuple([None if x is None else split(x, dim, size) for x, dim in zip(made, dims, strict=True)]), dims


def convolution(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """convolution: of more images if all samples have the same weights."""
    if bdims[1] is not None or bdims[2] is not None:
        return by_channel(layer, entry, values, bdims)
    images = merged(values[0], bdims[0], layer.batch_size, 0)
    return split(entry.call(images, *values[1:]), 0, layer.batch_size), 0


RUNNING_STATS = (
    "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, "
    "were not batched.\nIf you are using a module and do not need eval mode, please set `track_running_stats` to be "
    "False.If you are using a prebuilt module and do not need eval mode, please see the functorch website for "
    "resources on how to patch your module to work with vmap"
)


def batch_norm(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """native_batch_norm, whose training writes to the running statistics, so each sample needs its own."""
    is_shared = [stats is not None and bdim is None for stats, bdim in zip(values[3:5], bdims[3:5], strict=True)]
    if values[5] and bdims[0] is not None and any(is_shared):
        raise RuntimeError(RUNNING_STATS)
    return by_channel(layer, entry, values, bdims)


SHAPE = "Expected weight to be of same shape as normalized_shape, but got weight of shape {} and normalized_shape = {}"


def layer_norm(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """native_layer_norm: weight and bias are applied afterwards if samples have their own."""
    x, shape, weight, bias, eps = values
    if bdims[2] is None and bdims[3] is None:
        return entry.call(front(x, bdims[0]), *values[1:]), 0
    for one, bdim in ((weight, bdims[2]), (bias, bdims[3])):
        if one is not None and tuple(size for dim, size in enumerate(one._sizes) if dim != bdim) != tuple(shape):
            raise RuntimeError(SHAPE.format(list(one._sizes), list(shape)))
    made, mean, rstd = entry.call(expanded(x, bdims[0], layer.batch_size), shape, None, None, eps)
    ndim = len(made._sizes) - 1
    made = made if weight is None else at.mul_Tensor(made, padded(weight, bdims[2], ndim))
    return (made if bias is None else at.add_Tensor(made, padded(bias, bdims[3], ndim)), mean, rstd), 0


def layer_norm_backward(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """native_layer_norm_backward: the gradient of the input by the operator itself, to be differentiated again.

    Taken apart it would have no derivative through mean and rstd, which are saved.
    """
    grad, x, mean, rstd = [expanded(values[place], bdims[place], layer.batch_size) for place in (0, 1, 3, 4)]
    shape, weight, bias, mask = values[2], *values[5:8]
    ndim = len(x._sizes) - 1
    weighted = grad if weight is None else at.mul_Tensor(grad, padded(weight, bdims[5], ndim))
    outer = tuple(range(1, 1 + ndim - len(shape)))

    def over_samples(one: Tensor) -> Tensor:
        return at.sum_dim_IntList(one, outer, False) if outer else one

    return (
        entry.call(weighted, x, shape, mean, rstd, None, None, (True, False, False))[0] if mask[0] else None,
        over_samples(grad * (x - mean) * rstd) if mask[1] and weight is not None else None,
        over_samples(grad) if mask[2] and bias is not None else None,
    ), 0


def loss(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """Losses of pairs of elements: unreduced for the whole batch, then reduced over each sample."""
    assert entry.schema is not None
    place = [argument.name for argument in entry.schema.arguments].index("reduction")
    made, bdim = pointwise(layer, entry, [*values[:place], 0, *values[place + 1 :]], bdims)
    if not values[place] or len(made._sizes) == 1:
        return made, bdim
    reduce = at.mean_dim if values[place] == 1 else at.sum_dim_IntList
    return reduce(front(made, bdim), tuple(range(1, len(made._sizes))), False), 0
