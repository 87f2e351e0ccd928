"""Batching rules: which operators have one, and which.

A rule: f(layer, entry, values, bdims) -> (result, bdim of the result).
"""

from typing import Any

from ..aten.at import at
from ..strides import wrap_dim
from .batched_fallback import INPLACE
from .plumbing import register
from ..tensor_impl import Tensor


def to_front(x: Tensor, bdim: int | None) -> Tensor:
    """With the batch dimension first; as it is without one."""
    return x if not bdim else at.movedim_int(x, bdim, 0)


def rank(x: Tensor, bdim: int | None) -> int:
    return len(x._sizes) - (bdim is not None)


def padded(x: Tensor, bdim: int | None, ndim: int) -> Tensor:
    """Batch first, then ones, so that a tensor of fewer dimensions broadcasts behind the batch."""
    if bdim is None:
        return x
    x = to_front(x, bdim)
    missing = ndim - (len(x._sizes) - 1)
    return at.view(x, (x._sizes[0], *(1,) * missing, *x._sizes[1:])) if missing > 0 and len(x._sizes) >= 1 and _viewable(x) else (
        x if missing <= 0 else at.reshape(x, (x._sizes[0], *(1,) * missing, *x._sizes[1:])))


def _viewable(x: Tensor) -> bool:
    return True


def of_size(x: Tensor, bdim: int | None, size: int) -> Tensor:
    """Batch first; expanded where there was none."""
    return to_front(x, bdim) if bdim is not None else at.expand(x, (size, *x._sizes))


def pointwise(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    """Elementwise operators of any number of tensors: batch first, ranks made equal."""
    tensors = [(v, b) for v, b in zip(values, bdims) if isinstance(v, Tensor)]
    if len(tensors) == 1:
        (bdim,) = (b for v, b in tensors)
        return entry.call(*values), bdim
    if entry.schema.arguments[0].is_write and bdims[0] is None:
        raise RuntimeError(INPLACE.format(name=entry.name.partition(".")[0], level=layer.level))
    ndim = max(rank(v, b) for v, b in tensors)
    laid = [padded(v, b, ndim) if isinstance(v, Tensor) else v for v, b in zip(values, bdims)]
    # a tensor of no dimensions promotes less, and would not any more
    return entry.call(*laid), 0


def reduction(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    """Operators with `dim`: shifted by the batch dimension in front."""
    x, bdim = values[0], bdims[0]
    names = [argument.name for argument in entry.schema.arguments]
    x = to_front(x, bdim)
    ndim = len(x._sizes) - 1
    at_dim = names.index("dim")
    dim = values[at_dim]
    if dim is None or dim == ():
        if ndim == 0:
            whole = ()
        dims: Any = tuple(range(1, ndim + 1))
        if not ndim:
            x, dims = at.unsqueeze(x, 1), (1,)
        if str(entry.schema.arguments[at_dim].type).startswith("int?"):  # one dimension: argmax
            x, dims = at.reshape(x, (x._sizes[0], -1)), 1
    elif isinstance(dim, tuple):
        if not ndim:
            x, dims = at.unsqueeze(x, 1), (1,)
        else:
            dims = tuple(wrap_dim(d, ndim) + 1 for d in dim)
    elif not ndim:
        x = at.unsqueeze(x, 1)
        made = entry.call(*[x if i == 0 else 1 if i == at_dim else v for i, v in enumerate(values)])
        keeps = "keepdim" in names and values[names.index("keepdim")]
        shrinks = "keepdim" in names and not keeps
        undo = lambda r: r if shrinks else at.squeeze_dim(r, 1)
        return (tuple(map(undo, made)) if isinstance(made, tuple) else undo(made)), 0
    else:
        dims = wrap_dim(dim, ndim) + 1
    values = [x if i == 0 else dims if i == at_dim else v for i, v in enumerate(values)]
    made = entry.call(*values)
    if not ndim and "keepdim" in names and values[names.index("keepdim")]:
        made = at.squeeze_dim(made, 1)
    return made, 0


def full_reduction(to: str) -> Any:
    """Operators that reduce everything: the same with dimensions."""

    def rule(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
        x = to_front(values[0], bdims[0])
        flat = at.reshape(x, (x._sizes[0], -1))
        made = getattr(at, to)(flat, *((1,) if to in ("max_dim", "min_dim", "prod_dim_int", "any_dim", "all_dim") else ((1,),)), False, *values[1:])
        return (made[0] if isinstance(made, tuple) else made), 0

    return rule


def dim_of(x: Tensor, dim: int) -> int:
    return wrap_dim(dim, len(x._sizes) - 1) + 1


def dims_view(*positions: int, extra: int = 0) -> Any:
    """Views with dimensions at these arguments."""

    def rule(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
        x = to_front(values[0], bdims[0])
        ndim = len(x._sizes) - 1 + extra

        def moved(d: Any) -> Any:
            return tuple(wrap_dim(one, max(ndim, 1)) + 1 for one in d) if isinstance(d, tuple) else wrap_dim(d, max(ndim, 1)) + 1

        return entry.call(x, *[moved(v) if i in positions else v for i, v in enumerate(values[1:], 1)]), 0

    return rule


def permute(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    x = to_front(values[0], bdims[0])
    ndim = len(x._sizes) - 1
    return at.permute(x, (0, *(wrap_dim(d, ndim) + 1 for d in values[1]))), 0


def expand(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    x = padded(values[0], bdims[0], len(values[1]))
    sizes = tuple(values[1])
    return at.expand(x, (x._sizes[0], *sizes), *values[2:]), 0


def sized(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    """view, reshape, _unsafe_view, new_zeros: sizes behind the batch."""
    x = to_front(values[0], bdims[0])
    return entry.call(x, (x._sizes[0], *values[1]), *values[2:]), 0


def t(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    x = to_front(values[0], bdims[0])
    return (at.transpose_int(x, 1, 2) if len(x._sizes) == 3 else x), 0


def same_place(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    """Operators of one tensor that leave dimensions alone: clone, _to_copy, zeros_like."""
    return entry.call(*values), bdims[0]


def squeeze(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    x = to_front(values[0], bdims[0])
    dims = tuple(d for d in range(1, len(x._sizes)) if x._sizes[d] == 1)
    return at.squeeze_dims(x, dims), 0


def inplace_view(functional: str) -> Any:
    """squeeze_, unsqueeze_, transpose_, t_: the wrapper's geometry follows its value's."""

    def rule(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
        made, bdim = RULE_OF[functional](layer, entry_of(functional), values, bdims)
        return made, bdim

    rule.replaces_self = True
    return rule


def mm(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    """mm, mv, dot, bmm as matmul, which knows batches."""
    (a, b), (a_dim, b_dim) = values, bdims
    kind = entry.schema.name.base
    if kind == "dot":
        a, b = of_size(a, a_dim, layer.batch_size), of_size(b, b_dim, layer.batch_size)
        return at.sum_dim_IntList(at.mul_Tensor(a, b), (1,), False), 0
    a, b = to_front(a, a_dim), to_front(b, b_dim)
    if kind == "mv":
        if b_dim is None:
            return at.matmul(a, b), 0
        return at.squeeze_dim(at.matmul(a, at.unsqueeze(b, 2)), 2), 0
    return at.matmul(a, b), 0


def addmm(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    bias, a, b, beta, alpha = values
    product, _ = mm(layer, _Named("mm"), [a, b], bdims[1:3]) if (bdims[1] is not None or bdims[2] is not None) else (at.mm(a, b), None)
    bias = padded(bias, bdims[0], 2)
    product = product if alpha == 1 else at.mul_Scalar(product, alpha)
    bias = bias if beta == 1 else at.mul_Scalar(bias, beta)
    return at.add_Tensor(product, bias), 0


class _Named:
    def __init__(self, base: str):
        self.schema = self
        self.name = self
        self.base = base


def cat(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    tensors = tuple(of_size(x, b, layer.batch_size) for x, b in zip(values[0], bdims[0]))
    ndim = len(tensors[0]._sizes) - 1 + (entry.schema.name.base == "stack")
    return entry.call(tensors, wrap_dim(values[1], ndim) + 1), 0


def index(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    x, indices = values
    size = layer.batch_size
    if all(b is None for b in bdims[1] or ()):
        x = to_front(x, bdims[0])
        places = [p for p, i in enumerate(indices) if i is not None]
        adjacent = places == list(range(places[0], places[-1] + 1))
        made = at.index_Tensor(x, (None, *indices))
        ranks = max(len(i._sizes) for i in indices if i is not None)
        return (made, 0) if adjacent else (made, ranks)
    x = of_size(x, bdims[0], size)
    dims = bdims[1]
    most = max(rank(i, b) for i, b in zip(indices, dims) if i is not None)
    laid = tuple(None if i is None else padded(i, b, most) for i, b in zip(indices, dims))
    batch = at.view(at.arange(size), (size, *(1,) * most))
    made = at.index_Tensor(x, (batch, *laid))
    places = [p for p, i in enumerate(indices) if i is not None]
    if places != list(range(places[0], places[-1] + 1)) or places[0] == 0:
        return made, 0
    ndim_before = places[0]
    order = (0, *range(most + 1, most + 1 + ndim_before), *range(1, most + 1), *range(most + 1 + ndim_before, len(made._sizes)))
    return at.permute(made, order), 0


def index_put(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    x, indices, source, *rest = values
    size = layer.batch_size
    x = of_size(x, bdims[0], size)
    dims = bdims[1] or (None,) * len(indices)
    most = max(rank(i, b) for i, b in zip(indices, dims) if i is not None)
    laid = tuple(None if i is None else padded(i, b, most) for i, b in zip(indices, dims))
    batch = at.view(at.arange(size), (size, *(1,) * most))
    value_rank = most + sum(i is None for i in indices) + (len(x._sizes) - 1 - len(indices))
    source = padded(source, bdims[2], value_rank)
    return entry.call(x, (batch, *laid), source, *rest), 0


def along(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    """gather, scatter, scatter_add: all tensors batched."""
    size = layer.batch_size
    laid = [of_size(v, b, size) if isinstance(v, Tensor) else v for v, b in zip(values, bdims)]
    laid[1] = wrap_dim(values[1], max(len(laid[0]._sizes) - 1, 1)) + 1
    return entry.call(*laid), 0


def softmax_backward(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    grad, output = (of_size(v, b, layer.batch_size) for v, b in zip(values[:2], bdims[:2]))
    return entry.call(grad, output, dim_of(output, values[2]), *values[3:]), 0


def flattened(*positions: int) -> Any:
    """Operators whose first dimension is a batch already: both as one (conv, pooling)."""

    def rule(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
        size = layer.batch_size
        laid = list(values)
        inner = None
        for p in positions:
            x = of_size(values[p], bdims[p], size)
            inner = x._sizes[1]
            laid[p] = at.reshape(x, (size * inner, *x._sizes[2:]))
        made = entry.call(*laid)
        split = lambda r: at.view(r, (size, inner, *r._sizes[1:]))
        return (tuple(map(split, made)) if isinstance(made, tuple) else split(made)), 0

    return rule


def convolution(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    x, w, b, stride, padding, dilation, transposed, output_padding, groups = values
    size = layer.batch_size
    if bdims[1] is None and bdims[2] is None:
        return flattened(0)(layer, entry, values, bdims)
    x, w = of_size(x, bdims[0], size), of_size(w, bdims[1], size)
    n, c = x._sizes[1:3]
    x = at.reshape(at.movedim_int(x, 0, 1), (n, size * c, *x._sizes[3:]))  # each sample's channels are a group
    o = w._sizes[1]
    w = at.reshape(w, (size * o, *w._sizes[2:]))
    made = at.convolution(x, w, None, stride, padding, dilation, transposed, output_padding, groups * size)
    o = made._sizes[1] // size
    made = at.view(made, (n, size, o, *made._sizes[2:]))
    if b is not None:
        b = of_size(b, bdims[2], size)
        made = at.add_Tensor(made, at.view(b, (size, o, *(1,) * (len(made._sizes) - 3))))
    return made, 1


def embedding(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    w, i, *rest = values
    if bdims[0] is None:
        return at.embedding(w, i, *rest), bdims[1]
    if bdims[1] is None:
        w = at.movedim_int(w, bdims[0], 1)
        made = at.embedding(at.reshape(w, (w._sizes[0], -1)), i, *rest)
        return at.view(made, (*i._sizes, w._sizes[1], w._sizes[2])), len(i._sizes)
    size = layer.batch_size
    w, i = to_front(w, bdims[0]), to_front(i, bdims[1])
    shift = at.view(at.mul_Scalar(at.arange(size), w._sizes[1]), (size, *(1,) * (len(i._sizes) - 1)))
    return at.embedding(at.reshape(w, (-1, w._sizes[-1])), at.add_Tensor(i, shift)), 0


def native_layer_norm(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    x, shape, w, b, eps = values
    x = of_size(x, bdims[0], layer.batch_size)
    made, mean, rstd = at.native_layer_norm(x, shape, None, None, eps)
    if w is not None:
        made = at.mul_Tensor(made, padded(w, bdims[2], len(made._sizes) - 1))
    if b is not None:
        made = at.add_Tensor(made, padded(b, bdims[3], len(made._sizes) - 1))
    return (made, mean, rstd), 0


def copy_(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    return pointwise(layer, entry, values, bdims)


def new_sized(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    size = layer.batch_size
    return entry.call(values[0], (size, *values[1]), *values[2:]), 0


def new_empty_strided(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    x, sizes, strides, *rest = values
    cells = 1 + sum((n - 1) * s for n, s in zip(sizes, strides)) if 0 not in sizes else 0
    return at.new_empty_strided(x, (layer.batch_size, *sizes), (cells, *strides), *rest), 0


def nll_loss_forward(layer: Any, entry: Any, values: list[Any], bdims: list[Any]) -> tuple[Any, Any]:
    x, target, weight, reduction_, ignore = values
    size = layer.batch_size
    x, target = of_size(x, bdims[0], size), of_size(target, bdims[1], size)
    one = len(x._sizes) == 2
    n = 1 if one else x._sizes[1]
    c = x._sizes[-1]
    flat, places = at.reshape(x, (size * n, c)), at.reshape(target, (size * n,))
    losses, _ = at.nll_loss_forward(flat, places, weight, 0, ignore)
    losses = at.view(losses, (size, n))
    counted = at.to_dtype(at.ne_Scalar(at.view(places, (size, n)), ignore), x._dtype)
    if weight is not None:
        counted = at.mul_Tensor(counted, at.view(at.index_select(weight, 0, at.clamp(places, 0)), (size, n)))
    total = at.sum_dim_IntList(counted, (1,), False)
    if reduction_ == 0:
        return ((losses if not one else at.squeeze_dim(losses, 1)), total), 0
    made = at.sum_dim_IntList(losses, (1,), False)
    return (at.div_Tensor(made, total) if reduction_ == 1 else made, total), 0


def entry_of(name: str) -> Any:
    from ..dispatch import registry

    return registry.find(f"aten::{name}")


RULE_OF: dict[str, Any] = {}
