"""jacrev, jacfwd and hessian: all rows or columns of a Jacobian at once, by vmap over the basis vectors.

The outputs (for jacfwd, the inputs) may be trees of tensors. The basis is then one identity matrix whose columns are
split among them, and what comes out is split in the same way.
Mirrors torch/_functorch/eager_transforms.py.
"""

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..aten.at import at
from ..tensor_impl import Tensor
from .argnums import slice_argnums
from .eager_transforms import Argnums, vjp_with_argnums
from .forward_mode import jvp_with_argnums
from .pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten
from .vmap import vmap

__all__ = ["hessian", "jacfwd", "jacrev"]


def jacrev(
    func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:  # fmt: skip
    """Return a function that computes the Jacobian of `func`, by a vjp for each element of the outputs.

    Args:
        func: returns a tensor, or a tree of tensors; with `has_aux`, a tuple of it and a tree of other tensors.
        argnums: the positional arguments, trees of tensors, for which it is computed: one, or a tuple of them.
        has_aux: the function returns (jacobian, aux).
        chunk_size: number of rows that are computed at once; None: all. 1: without vmap.
    Returns:
        A function whose result is a tree as the output, with a tree as the arguments at each leaf: tensors of sizes
        (sizes of the output, sizes of the argument).
    Raises:
        ValueError: `chunk_size` is not positive.

    Source: jacrev (torch/_functorch/eager_transforms.py).
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper_fn(*args: Any) -> Any:
        output, vjp_fn, *aux = vjp_with_argnums(func, args, argnums, has_aux)
        outputs, output_spec = tree_flatten(output)
        primals, primals_spec = tree_flatten(slice_argnums(args, argnums))
        chunks = [
            tree_leaves(_rows(vjp_fn, tree_unflatten(basis, output_spec), chunk_size))
            for basis in standard_basis(outputs, chunk_size)
        ]
        columns = [at.cat(parts, 0) if len(parts) > 1 else parts[0] for parts in zip(*chunks, strict=True)]
        numels = [one.numel() for one in outputs]
        split = [
            [at.view(part, one._sizes + primal._sizes) for part, one in zip(parts, outputs, strict=True)]
            for parts, primal in zip([at.split_with_sizes(one, numels, 0) for one in columns], primals, strict=True)
        ]
        blocks = [tree_unflatten(row, primals_spec) for row in zip(*split, strict=True)]
        return with_aux(blocks, output_spec, argnums, aux)

    return wrapper_fn


def _rows(vjp_fn: Callable[..., Any], basis: Any, chunk_size: int | None) -> Any:
    """Return the vjps of some basis vectors, which are stacked in dimension 0, as the vjps are."""
    if chunk_size != 1:
        return vmap(vjp_fn)(basis)
    found = vjp_fn(tree_map(lambda one: at.squeeze_dim(one, 0), basis))
    return tree_map(lambda one: at.unsqueeze(one, 0), found)


def jacfwd(
    func: Callable[..., Any], argnums: Argnums | None = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of `func`, by a jvp for each element of the arguments.

    Args:
        randomness: of vmap.
        func, argnums, has_aux: as of `jacrev`; argnums=None: all arguments.
    Returns:
        A function with the same result as `jacrev`.

    Source: jacfwd (torch/_functorch/eager_transforms.py).
    """

    @functools.wraps(func)
    def wrapper_fn(*args: Any) -> Any:
        chosen = args if argnums is None else slice_argnums(args, argnums)
        primals, primals_spec = tree_flatten(chosen)

        def push_jvp(basis: Any) -> Any:
            _, *rest = jvp_with_argnums(func, args, basis, argnums, has_aux=has_aux)
            return tuple(rest)

        basis = tree_unflatten(next(standard_basis(primals)), primals_spec)
        columns, *aux = vmap(push_jvp, randomness=randomness)(basis)
        outputs, output_spec = tree_flatten(columns)
        numels = [one.numel() for one in primals]
        blocks = [
            tree_unflatten(
                [
                    at.reshape(part, part._sizes[:-1] + primal._sizes)
                    for part, primal in zip(_columns(one, numels), primals, strict=True)
                ],
                primals_spec,
            )
            for one in outputs
        ]
        return with_aux(blocks, output_spec, argnums, [tree_map(lambda one: at.select_int(one, 0, 0), a) for a in aux])

    return wrapper_fn


def _columns(jacobian: Tensor, numels: Sequence[int]) -> Any:
    """Return a Jacobian with its columns in the last dimension, instead of the first, split among the arguments."""
    return at.split_with_sizes(at.movedim_int(jacobian, 0, -1), numels, -1)


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Return a function that computes the Hessian of `func`: `jacfwd(jacrev(func, argnums), argnums)`.

    >>> import engine
    >>> engine.func.hessian(lambda x: (x**3).sum())(engine.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)


def with_aux(blocks: Sequence[Any], output_spec: Any, argnums: Any, aux: Sequence[Any]) -> Any:
    """Return the blocks of a Jacobian, one for each output, as the tree of the outputs; with aux if there is one."""
    if isinstance(argnums, int):
        blocks = [block[0] for block in blocks]
    jacobian = tree_unflatten(blocks, output_spec)
    return (jacobian, *aux) if aux else jacobian


def standard_basis(tensors: Sequence[Tensor], chunk_size: int | None = None) -> Iterator[tuple[Tensor, ...]]:
    """Yield the rows of an identity matrix, with its columns split among tensors, in chunks.

    Args:
        tensors: of n elements in sum. The parts have their dtypes and devices.
        chunk_size: number of rows in a chunk; None: all n.
    Yields:
        For each tensor, its columns of some rows: a tensor of sizes (rows, *sizes of the tensor). For two tensors, of
        2 and 1 elements, [[1, 0], [0, 1], [0, 0]] and [[0], [0], [1]].

    Source: _chunked_standard_basis_for_ (torch/_functorch/eager_transforms.py).
    """
    numels = [one.numel() for one in tensors]
    starts, total = list(itertools.accumulate(numels, initial=0)), sum(numels)
    chunk = min(chunk_size or total, total)
    for first in range(0, total, chunk) if total else (0,):
        rows = min(chunk, total - first)
        parts = [at.new_zeros(one, (rows, numel)) for one, numel in zip(tensors, numels, strict=True)]
        for part, start in zip(parts, starts, strict=False):
            at.fill__Scalar(at.diagonal(part, first - start), 1)
        yield tuple(at.view(part, (rows, *one._sizes)) for part, one in zip(parts, tensors, strict=True))
