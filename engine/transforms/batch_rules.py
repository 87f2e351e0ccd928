"""Batching rules: an operator on batches, as one call of the same operator or of a few others.

A rule is a function of (layer, entry, values, bdims): the layer of vmap, the operator, its arguments with the batched
tensors unwrapped, and where each argument has its batch dimension, or None. It returns the result and where that has
it. `batch_rule_table.py` says which operator has which rule.
Mirrors aten/src/ATen/functorch/{BatchRulesHelper,BatchRulesBinaryOps,BatchRulesReduceOps,BatchRulesViews}.cpp.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from ..aten.at import at
from ..aten.type_promotion import Promotion, result_type
from ..dispatch import registry
from ..dispatch.registry import OperatorEntry
from ..dtypes import bool_
from ..strides import wrap_dim
from ..tensor_impl import Tensor
from .batched import expanded, front, padded

Result = tuple[Any, Any]
Values = list[Any]

INCOMPATIBLE_INPLACE = (
    "vmap: {0}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more "
    "elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over in a "
    "vmap. Please try to use out-of-place operators instead of {0}. If said operator is being called inside the "
    "PyTorch framework, please file a bug report instead."
)
FORMAT = (
    "NYI: Tensor.clone(memory_format) inside vmap is only supported with memory_format torch.preserve_format or "
    "torch.contiguous_format (got {})"
)


def base_name(entry: OperatorEntry) -> str:
    """Return the name of an operator without namespace and overload."""
    return entry.name.partition("::")[2].partition(".")[0]


def rank(x: Tensor, bdim: int | None) -> int:
    """Return the number of dimensions that the function under vmap sees."""
    return len(x._sizes) - (bdim is not None)


def each(function: Callable[[Tensor], Tensor], result: Any) -> Any:
    """Apply a function to the result of an operator, or to each of its results."""
    return tuple(map(function, result)) if isinstance(result, (tuple, list)) else function(result)


def require_batched(bdims: Values, name: str) -> None:
    """Raise an error if the tensor to write to has no batch dimension."""
    if bdims[0] is None:
        raise RuntimeError(INCOMPATIBLE_INPLACE.format(name))


# ---- elementwise


def pointwise(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """Elementwise operators: one call on tensors whose dimensions are lined up, [B, 3] + [2, 5, 3] as [B, 1, 1, 3]."""
    seen = [(len(v._sizes), b) for v, b in zip(values, bdims, strict=True) if isinstance(v, Tensor)]
    if seen.count(seen[0]) == len(seen):
        return entry.call(*values), seen[0][1]
    ndims = [ndim - (bdim is not None) for ndim, bdim in seen]
    if (1, 0) in seen and max(ndims):  # a batch of numbers
        values = promoted(values, bdims)
    return entry.call(*[v if b is None else padded(v, b, max(ndims)) for v, b in zip(values, bdims, strict=True)]), 0


def promoted(values: Values, bdims: Values) -> Values:
    """Return the arguments with batches of numbers cast, so that they promote others as little as a number does.

    Source: handleScalarTypePromotion (BatchRulesHelper.cpp).
    """
    pairs = list(zip(values, bdims, strict=True))
    dtype = result_type(
        *[Promotion(v._dtype, rank(v, b), v._wrapped_number) for v, b in pairs if isinstance(v, Tensor)]
    )
    return [v if b is None or rank(v, b) or v._dtype is bool_ else at.to_dtype(v, dtype) for v, b in pairs]


def arithmetic(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """In place and elementwise, with PyTorch's error for a tensor without a batch dimension."""
    require_batched(bdims, "inplace arithmetic")
    return pointwise(layer, entry, values, bdims)


def fill(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """fill_ with a tensor: copied if each sample has a value of its own."""
    if bdims[1] is None:
        return entry.call(*values), bdims[0]
    require_batched(bdims, "fill_")
    return pointwise(layer, registry.find("aten::copy_"), [*values, False], [*bdims, None])


def clone(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """Copies, in the memory format of a sample."""
    x, memory_format = values
    if memory_format is None or memory_format.name == "preserve_format":
        return entry.call(*values), bdims[0]
    if memory_format.name == "contiguous_format":
        return entry.call(front(x, bdims[0]), memory_format), 0
    raise RuntimeError(FORMAT.format(memory_format.name.title().replace("_", "")))


# ---- the batch in front, and the schema's dimensions and sizes moved by one


class Roles(NamedTuple):
    """The positions of an operator's arguments by what they are, as its schema names them."""

    tensors: list[int]
    dims: list[int]
    sizes: list[int]
    more: bool  # `dim` names one of more dimensions by one than the tensor has
    takes_number: bool  # and then `dim` may be 0 or -1


@cache
def roles_of(entry: OperatorEntry) -> Roles:
    """Return the roles of an operator's arguments."""
    assert entry.schema is not None
    arguments, name = list(enumerate(entry.schema.arguments)), base_name(entry)
    return Roles(
        [place for place, one in arguments if one.is_tensor_like],
        [place for place, one in arguments if one.name in ("dim", "dims", "dim0", "dim1", "dim2", "dimension")],
        [place for place, one in arguments if one.name in ("size", "input_sizes") and one.type.is_list],
        name in ("unsqueeze", "diag_embed"),
        name in ("transpose", "unfold")
        or not (entry.schema.is_view or name in ("unbind_copy", "split_with_sizes_copy")),
    )


def shifted(dims: Any, ndim: int) -> Any:
    """Return dimensions of a sample, one or several, as the batch has them."""
    return wrap_dim(dims, ndim) + 1 if isinstance(dims, int) else tuple([wrap_dim(dim, ndim) + 1 for dim in dims])


def by_schema(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """Operators along dimensions, or that take sizes. A number is a vector of one element while the operator runs."""
    tensors, dims, sizes, more, takes_number = roles_of(entry)
    laid = list(values)
    for place in tensors:
        laid[place] = expanded(values[place], bdims[place], layer.batch_size)
    ndim = len(laid[tensors[0]]._sizes) - 1
    is_number = bool(dims) and takes_number and not (ndim or sizes or more)
    for place in tensors if is_number else ():
        laid[place] = at.unsqueeze(laid[place], 1)
    for place in sizes:
        ndim, laid[place] = len(values[place]), (layer.batch_size, *values[place])
    for place in dims:
        laid[place] = shifted(values[place], ndim + more)
    result = entry.call(*laid)
    return each(lambda x: at.squeeze_dim(x, 1) if len(x._sizes) > 1 else x, result) if is_number else result, 0


def reduction(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """Reductions: along all of a sample's dimensions if none is named, or of all its elements in a row."""
    assert entry.schema is not None
    arguments, (dim,) = entry.schema.arguments, roles_of(entry).dims
    laid, ndim = list(values), rank(values[0], bdims[0])
    if values[dim] not in (None, ()):
        return by_schema(layer, entry, values, bdims)
    if arguments[dim].type.is_list:
        laid[dim] = tuple(range(max(ndim, 1)))
        return by_schema(layer, entry, laid, bdims)
    laid[0], laid[dim] = row(front(values[0], bdims[0])), 1
    result = entry.call(*laid)
    keeps = any(argument.name == "keepdim" and value for argument, value in zip(arguments, values, strict=True))
    return each(lambda x: at.view(x, (layer.batch_size, *(1,) * ndim)), result) if keeps else result, 0


def along(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """gather and scatter: every tensor with the batch in front, and numbers as vectors."""
    assert entry.schema is not None
    name, laid = base_name(entry), list(values)
    if entry.schema.is_inplace:
        require_batched(bdims, name)
    for place in roles_of(entry).tensors:
        x = expanded(values[place], bdims[place], layer.batch_size)
        laid[place] = x if len(x._sizes) > 1 else at.unsqueeze(x, 1)
    laid[1] = shifted(values[1], rank(values[0], bdims[0]))
    result, like = entry.call(*laid), 2 if name == "gather" else 0
    return result if rank(values[like], bdims[like]) else at.squeeze_dim(result, 1), 0


def cat(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """cat, which skips empty vectors among tensors of more dimensions, and stack."""
    pairs, is_stack = list(zip(values[0], bdims[0], strict=True)), base_name(entry) == "stack"
    ndim = max(rank(x, bdim) for x, bdim in pairs)
    kept = [(x, bdim) for x, bdim in pairs if is_stack or rank(x, bdim) == ndim or 0 not in x._sizes]
    tensors = tuple([expanded(x, bdim, layer.batch_size) for x, bdim in kept])
    return entry.call(tensors, shifted(values[1], ndim + is_stack)), 0


# ---- operators of one tensor


def row(x: Tensor) -> Tensor:
    """Return each sample's elements in a row."""
    return at.reshape(x, (x._sizes[0], math.prod(x._sizes[1:])))


def with_dims(x: Tensor) -> tuple[Tensor, tuple[int, ...]]:
    """Return the batch with all dimensions of a sample, to reduce over; a number gets one."""
    x = x if len(x._sizes) > 1 else at.unsqueeze(x, 1)
    return x, tuple(range(1, len(x._sizes)))


def squeezed(x: Tensor, size: int, dims: Any = None) -> Tensor:
    """Remove dimensions of size 1, the batch not among them."""
    ndim = len(x._sizes) - 1
    named = range(ndim) if dims is None else (dims,) if isinstance(dims, int) else dims
    moved = shifted(tuple(named), ndim)
    return at.squeeze_dims(x, moved if ndim else ())


def rolled(x: Tensor, size: int, shifts: Any, dims: Any) -> Tensor:
    """Roll along dimensions, or without them each sample's elements in a row."""
    if dims:
        return at.roll(x, shifts, shifted(dims, len(x._sizes) - 1))
    return at.reshape(at.roll(row(x), shifts, (1,)), x._sizes)


def transposed(x: Tensor, size: int) -> Tensor:
    """Transpose matrices; vectors stay as they are."""
    ndim = len(x._sizes) - 1
    if ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {ndim}D")
    return at.transpose_int(x, 1, 2) if ndim == 2 else at.alias(x)


def of_strides(x: Tensor, size: int, sizes: Any, strides: Any, offset: Any) -> Tensor:
    """View each sample, which is as far from the one before as it was."""
    offset = x._storage_offset if offset is None else offset
    return at.as_strided(x, (size, *sizes), (x._strides[0], *strides), offset)


def new_of_strides(x: Tensor, size: int, sizes: Any, strides: Any, *rest: Any) -> Tensor:
    """Allocate samples one after the other."""
    cells = 1 + sum((count - 1) * stride for count, stride in zip(sizes, strides, strict=True))
    return at.new_empty_strided(x, (size, *sizes), (max(cells, 1), *strides), *rest)


OF_FRONT: dict[str, Callable[..., Any]] = {
    "_reshape_alias": lambda x, size, sizes, strides: at.reshape(x, (size, *sizes)),
    "_unsafe_view": lambda x, size, sizes: at.reshape(x, (size, *sizes)),
    "all": lambda x, size: at.all_dim(row(x), 1),
    "any": lambda x, size: at.any_dim(row(x), 1),
    "as_strided": of_strides,
    "expand": lambda x, size, sizes, implicit: at.expand(padded(x, 0, len(sizes)), (size, *sizes)),
    "expand_copy": lambda x, size, sizes, implicit: at.expand_copy(padded(x, 0, len(sizes)), (size, *sizes)),
    "max": lambda x, size: at.max_dim(row(x), 1)[0],
    "mean": lambda x, size, dtype: at.mean_dim(*with_dims(x), False, dtype=dtype),
    "median": lambda x, size: at.median_dim(row(x), 1)[0],
    "min": lambda x, size: at.min_dim(row(x), 1)[0],
    "nanmedian": lambda x, size: at.nanmedian_dim(row(x), 1)[0],
    "new_empty_strided": new_of_strides,
    "norm": lambda x, size, p: at.norm_ScalarOpt_dim(row(x), p, (1,)),
    "permute": lambda x, size, dims: at.permute(x, (0, *shifted(dims, len(x._sizes) - 1))),
    "prod": lambda x, size, dtype: at.prod_dim_int(row(x), 1, False, dtype=dtype),
    "repeat": lambda x, size, repeats: at.repeat(padded(x, 0, len(repeats)), (1, *repeats)),
    "resize_": lambda x, size, sizes, memory_format: at.resize_(x, (size, *sizes), memory_format=memory_format),
    "roll": rolled,
    "squeeze": squeezed,
    "sum": lambda x, size, dtype: at.sum_dim_IntList(*with_dims(x), False, dtype=dtype),
    "t": transposed,
}
"""Operator -> a function of the batch, with the batch dimension in front, its size, and the other arguments."""


def of_front(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """Operators in OF_FRONT."""
    return OF_FRONT[base_name(entry)](front(values[0], bdims[0]), layer.batch_size, *values[1:]), 0


FUNCTIONAL = {"squeeze_": "squeeze", "t_": "t", "transpose_": "transpose.int", "unsqueeze_": "unsqueeze"}


def geometry(layer: Any, entry: OperatorEntry, values: Values, bdims: Values) -> Result:
    """Changes of geometry in place: the batched tensor takes what another operator returns as its new value."""
    name = base_name(entry)
    functional = registry.find(f"aten::{FUNCTIONAL.get(name, name)}")
    return (of_front if base_name(functional) in OF_FRONT else by_schema)(layer, functional, values, bdims)


geometry.replaces_self = True  # type: ignore[attr-defined]
