"""vmap: a function of one sample as a function of a batch of them.

Mirrors torch/_functorch/vmap.py and the vmap of torch/_functorch/apis.py.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..api import PUBLIC
from ..aten import generator
from ..aten.at import at
from ..tensor_impl import Tensor
from . import batch_rule_table as batch_rule_table  # it registers the rules
from . import batched_randomness as batched_randomness
from . import front_decompositions as front_decompositions
from .batched import BatchedTensor, VmapInterpreter, unwrap
from .pytree import TreeSpec, _broadcast_to_and_flatten, tree_flatten, tree_map_, tree_structure, tree_unflatten

__all__ = ["vmap"]

IN = "vmap({name}, in_dims={dims}, ...)(<inputs>): "
NOT_DIMS = IN + (
    "expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: {kind}."
)
NO_INPUTS = (
    "vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function "
    "with no inputs. The latter is unsupported."
)
OTHER_INPUTS = IN + (
    "in_dims is not compatible with the structure of `inputs`. in_dims has structure {given} but inputs has structure "
    "{found}."
)
NOT_INT = IN + "Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
NOT_TENSOR = IN + (
    "Got in_dim={dim} for an input but the input is of type {kind}. We cannot vmap over non-Tensor arguments, please "
    "use None as the respective in_dim"
)
OUT_OF_RANGE = IN + (
    "Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {rank} so expected in_dim to "
    "satisfy -{rank} <= in_dim < {rank}."
)
NO_TENSOR = "vmap: Expected at least one Tensor to vmap over"
SIZES = (
    "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {} for the mapped dimension"
)
NOT_OUT_DIMS = (
    "vmap({name}, ..., out_dims={dims}): `out_dims` must be an int, None or a python collection of ints representing "
    "where in the outputs the vmapped dimension should appear."
)
OTHER_OUTPUTS = (
    "vmap({name}, ..., out_dims={dims})(<inputs>): out_dims is not compatible with the structure of `outputs`. "
    "out_dims has structure {given} but outputs has structure {found}."
)
BATCHED_OUTPUT = "vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
NOT_TENSOR_OUTPUT = (
    "vmap({name}, ...): `{name}` must only return Tensors, got type {kind}. Did you mean to set out_dims= to None for "
    "output?"
)
RANDOMNESS = "Only allowed values for randomness are 'error', 'different', or 'same'. Got {}"
CHUNK_SIZE = "vmap: chunk_size should be None or greater than 0. (got {})"


def vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that maps `func` over a dimension of its arguments: one call of it computes a whole batch.

    Inside, a batched tensor hides that dimension, and each operator runs once for all samples.

    Args:
        func: takes and returns tensors, also in nested tuples, lists and dicts.
        in_dims: dimension of each input to map over, in a structure that the inputs have; None: all samples share the
            input. One for all inputs is enough.
        out_dims: dimension of each output where the batch is to be; None: the output is the same for all samples.
        randomness: "error": random operators raise; "different": each sample gets its own numbers; "same": all samples
            get the same.
        chunk_size: largest number of samples that are computed at once; None: all.
    Returns:
        A function of the inputs of `func`, with the batch in `in_dims`. Keyword arguments are not mapped.
    Raises:
        ValueError: `chunk_size` is not positive; and from the function: inputs or outputs don't fit the dimensions.
        RuntimeError: another word for `randomness`.

    >>> import engine as torch
    >>> vmap(torch.dot)(torch.ones(2, 3), torch.ones(2, 3))
    tensor([3., 3.])

    Source: torch/_functorch/apis.py.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(RANDOMNESS.format(randomness))
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(CHUNK_SIZE.format(chunk_size))

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        check_out_dims(out_dims, func)
        batch_size, dims, flat, spec = batched_inputs(in_dims, args, func)
        if chunk_size is not None:
            chunks = split_into_chunks(flat, dims, batch_size, chunk_size)
            return in_chunks(func, dims, chunks, spec, out_dims, randomness, kwargs)
        return at_once(func, batch_size, dims, flat, spec, out_dims, randomness, kwargs)

    return mapped


def name_of(func: Callable[..., Any]) -> str:
    """Return the name of a function as errors have it."""
    if hasattr(func, "__name__"):
        return func.__name__
    if isinstance(func, functools.partial):
        return f"functools.partial({name_of(func.func)}, ...)"
    return repr(func)


# ---- inputs


def batched_inputs(
    in_dims: Any, args: tuple[Any, ...], func: Callable[..., Any]
) -> tuple[int, list[int | None], list[Any], TreeSpec]:
    """Return the batch size, the dimension of each input, not negative, the inputs in a list, and their structure.

    Raises:
        ValueError: the dimensions don't fit the inputs.
    """
    words: dict[str, Any] = {"name": name_of(func), "dims": in_dims}
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(NOT_DIMS.format(kind=type(in_dims), **words))
    if not args:
        raise ValueError(NO_INPUTS.format(**words))
    flat, spec = tree_flatten(args)
    dims = _broadcast_to_and_flatten(in_dims, spec)
    if dims is None:
        raise ValueError(OTHER_INPUTS.format(given=tree_structure(in_dims), found=spec, **words))
    dims = [checked_in_dim(value, dim, words) for value, dim in zip(flat, dims, strict=True)]
    return batch_size_of(dims, flat), dims, flat, spec


def checked_in_dim(value: Any, dim: Any, words: dict[str, Any]) -> int | None:
    """Return the dimension to map an input over, not negative; raise a ValueError if the input has no such one."""
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(NOT_INT.format(dim=dim, **words))
    if not isinstance(value, Tensor):
        raise ValueError(NOT_TENSOR.format(dim=dim, kind=type(value), **words))
    rank = value.dim()
    if not -rank <= dim < rank:
        raise ValueError(OUT_OF_RANGE.format(dim=dim, rank=rank, **words))
    return dim % rank


def batch_size_of(dims: Sequence[int | None], flat: Sequence[Any]) -> int:
    """Return the size that all inputs have in their mapped dimensions; raise a ValueError if there is none."""
    sizes = [value.size(dim) for dim, value in zip(dims, flat, strict=True) if dim is not None]
    if not sizes:
        raise ValueError(NO_TENSOR)
    if any(size != sizes[0] for size in sizes):
        raise ValueError(SIZES.format(sizes))
    return sizes[0]


# ---- the call


def at_once(
    func: Callable[..., Any], batch_size: int, dims: Sequence[int | None], flat: Sequence[Any], spec: TreeSpec,
    out_dims: Any, randomness: str, kwargs: dict[str, Any],
) -> Any:  # fmt: skip
    """Call a function under a layer of vmap, and return its outputs with the batch where `out_dims` says."""
    with VmapInterpreter(batch_size, randomness) as layer:
        inputs = [
            value if dim is None else BatchedTensor(value, dim, layer.level)
            for value, dim in zip(flat, dims, strict=True)
        ]
        outputs = func(*tree_unflatten(inputs, spec), **kwargs)
        return unbatched(outputs, out_dims, layer, func)


def split_into_chunks(
    flat: Sequence[Any], dims: Sequence[int | None], batch_size: int, chunk_size: int
) -> list[tuple[Any, ...]]:
    """Return the inputs of each chunk."""
    ends = tuple(range(chunk_size, batch_size, chunk_size))
    parts = [
        [value] * (len(ends) + 1) if dim is None else at.tensor_split_indices(value, ends, dim)
        for value, dim in zip(flat, dims, strict=True)
    ]
    return list(zip(*parts, strict=True))


def in_chunks(
    func: Callable[..., Any], dims: Sequence[int | None], chunks: Sequence[tuple[Any, ...]], spec: TreeSpec,
    out_dims: Any, randomness: str, kwargs: dict[str, Any],
) -> Any:  # fmt: skip
    """Call a function for one chunk after the other, and return the outputs of all, joined in the batch dimension."""
    state = generator.get_rng_state() if randomness == "same" else None
    made: list[list[Any]] = []
    for flat in chunks:
        if state is not None:
            generator.set_rng_state(state)
        size = batch_size_of(dims, flat)
        outputs, out_spec = tree_flatten(at_once(func, size, dims, flat, spec, out_dims, randomness, kwargs))
        made.append(outputs)
    places = _broadcast_to_and_flatten(out_dims, out_spec)
    assert places is not None
    columns = zip(zip(*made, strict=True), places, strict=True)
    return tree_unflatten([PUBLIC["cat"](column, dim=dim) for column, dim in columns], out_spec)


# ---- outputs


def check_out_dims(out_dims: Any, func: Callable[..., Any]) -> None:
    """Raise a ValueError if `out_dims` is anything else than an int, None, or a collection of them."""

    def check(dim: Any) -> None:
        if not isinstance(dim, int) and dim is not None:
            raise ValueError(NOT_OUT_DIMS.format(name=name_of(func), dims=out_dims))

    if not isinstance(out_dims, int):
        tree_map_(check, out_dims)


def unbatched(outputs: Any, out_dims: Any, layer: VmapInterpreter, func: Callable[..., Any]) -> Any:
    """Return the outputs of a function with the batch dimensions that the layer hides.

    Raises:
        ValueError: the dimensions don't fit the outputs, or an output is not a tensor.
    """
    flat, spec = tree_flatten(outputs)
    if isinstance(outputs, Tensor):
        is_one = isinstance(out_dims, tuple) and len(out_dims) == 1
        dims = list(out_dims) if is_one else [out_dims] if isinstance(out_dims, int) or out_dims is None else None
    else:
        dims = _broadcast_to_and_flatten(out_dims, spec)
    if dims is None:
        given = tree_structure(out_dims)
        raise ValueError(OTHER_OUTPUTS.format(name=name_of(func), dims=out_dims, given=given, found=spec))
    made = [with_batch_dim(value, dim, layer, func) for value, dim in zip(flat, dims, strict=True)]
    return tree_unflatten(made, spec)


def with_batch_dim(output: Any, dim: int | None, layer: VmapInterpreter, func: Callable[..., Any]) -> Any:
    """Return an output with its batch dimension at `dim`; one that is the same for all samples is expanded.

    Source: _remove_batch_dim (torch/csrc/functorch/init.cpp).
    """
    if dim is None:
        if type(output) is BatchedTensor:
            raise ValueError(BATCHED_OUTPUT.format(name=name_of(func)))
        return output
    if not isinstance(output, Tensor):
        raise ValueError(NOT_TENSOR_OUTPUT.format(name=name_of(func), kind=type(output)))
    value, bdim = unwrap(output, layer.level)
    if bdim is not None:
        return value if bdim == dim else at.movedim_int(value, bdim, dim)
    sizes = output._sizes
    return at.expand(output, (*sizes[:dim], layer.batch_size, *sizes[dim:]))
