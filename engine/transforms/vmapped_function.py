"""The Function on batches that `generate_vmap_rule` makes of one on samples.

Mirrors torch/_functorch/autograd_function.py.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..aten.at import at
from ..autograd.function import Function
from ..tensor_impl import Tensor
from . import batched
from .batched import BatchedTensor, VmapInterpreter
from .interpreters import layers
from .pytree import _broadcast_to_and_flatten, tree_flatten, tree_unflatten
from .vmap import vmap


def unwrap_batched(tree: Any, level: int) -> tuple[Any, Any]:
    """Return a tree with the values of the batched tensors of a level, and the tree of their batch dimensions."""
    leaves, spec = tree_flatten(tree)
    if not leaves:
        return tree, ()
    values, dims = zip(*[batched.unwrap(leaf, level) for leaf in leaves], strict=True)
    return tree_unflatten(values, spec), tree_unflatten(dims, spec)


def wrap_batched(tree: Any, dims: Any, level: int) -> Any:
    """Return a tree with the dimensions in `dims`, a prefix of the tree, hidden at a level."""
    leaves, spec = tree_flatten(tree)
    flat_dims = _broadcast_to_and_flatten(dims, spec)
    assert flat_dims is not None
    made = [
        leaf if dim is None else BatchedTensor(leaf, dim, level) for leaf, dim in zip(leaves, flat_dims, strict=True)
    ]
    return tree_unflatten(made, spec)


def vmapped(layer: VmapInterpreter, function: type[Function], in_dims: Any) -> type[Function]:
    """Return the Function on batches that calls the static methods of `function` under vmap.

    It returns one output more, the last: the batch dimensions of the others.

    Source: vmapify_autograd_function (torch/_functorch/autograd_function.py).
    """
    noted: dict[str, Any] = {}

    def mapped(inner: Callable[..., Any], dims: Any, *args: Any) -> tuple[Any, Any]:
        """Return (result, batch dimensions) of a function of batches with these dimensions."""
        with VmapInterpreter(layer.batch_size, layer.randomness) as vmap_layer:
            return unwrap_batched(inner(*wrap_batched(args, dims, vmap_layer.level)), vmap_layer.level)

    class Generated(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(*operands: Any) -> Any:
            outputs, noted["out_dims"] = mapped(function.forward, in_dims, *operands)
            return (*(outputs if isinstance(outputs, tuple) else (outputs,)), noted["out_dims"])

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            def inner(inputs: Any, output: Any) -> None:
                saving = SavingContext(ctx, layers.stack[-1].level)
                function.setup_context(saving, inputs, output)
                noted["saved_dims"] = saving._dims
                noted["shapes"] = [one._sizes if isinstance(one, Tensor) else None for one in inputs]

            dims = output[-1]
            mapped(inner, (in_dims, dims), inputs, output[:-1] if isinstance(dims, tuple) else output[0])

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            def inner(saved: Any, grads: Any) -> Any:
                return function.backward(SavedContext(ctx, saved), *grads)

            dims = noted["out_dims"] if isinstance(noted["out_dims"], tuple) else (noted["out_dims"],)
            dims = dims_of_present(grads[:-1], dims)
            found = mapped(inner, (noted["saved_dims"], dims), ctx.saved_tensors, grads[:-1])
            return reduced(*found, in_dims, layer.batch_size, noted["shapes"])

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            def inner(saved: Any, tangents: Any) -> Any:
                return function.jvp(SavedContext(ctx, saved), *tangents)

            dims = dims_of_present(tangents, in_dims)
            found = mapped(inner, (noted["saved_dims"], dims), ctx.saved_tensors, tangents)
            return (*reduced(*found, noted["out_dims"], layer.batch_size), None)

    if function.jvp is Function.jvp:
        Generated.jvp = Function.jvp  # type: ignore[method-assign]
    Generated._backward_cls.__name__ = f"Vmapped{function.__name__}Backward"
    Generated.__name__ = f"Vmapped{function.__name__}"
    return Generated


def dims_of_present(tensors: Sequence[Any], dims: Sequence[Any]) -> tuple[Any, ...]:
    """Return the batch dimensions of `tensors`, with None instead for a tensor that is None."""
    return tuple(dim if one is not None else None for one, dim in zip(tensors, dims, strict=True))


class SavedContext:
    """The context of a call with other `saved_tensors`; everything else is the context's own."""

    def __init__(self, ctx: Any, saved_tensors: Any):
        self.__dict__.update(_ctx=ctx, saved_tensors=saved_tensors)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_ctx"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["_ctx"], name, value)


class SavingContext(SavedContext):
    """The context of a call under vmap: it saves the values of batched tensors, and notes their batch dimensions."""

    def __init__(self, ctx: Any, level: int):
        self.__dict__.update(_ctx=ctx, _level=level, _dims=())

    def save_for_backward(self, *tensors: Any) -> None:
        values, self.__dict__["_dims"] = unwrap_batched(tensors, self._level)
        self._ctx.save_for_backward(*values)

    def save_for_forward(self, *tensors: Any) -> None:
        values, self.__dict__["_dims"] = unwrap_batched(tensors, self._level)
        self._ctx.save_for_forward(*values)


def reduced(grads: Any, dims: Any, in_dims: Any, size: int, shapes: Sequence[Any] | None = None) -> tuple[Any, ...]:
    """Return gradients with the batch dimensions of the inputs; of an input that has none, their sum over the batch.

    Args:
        dims, in_dims: batch dimensions of the gradients and of the inputs.
        shapes: sizes of the inputs without batch dimensions, to which broadcast gradients are summed.

    Source: reductify (torch/_functorch/autograd_function.py).
    """
    grads, dims, in_dims = (one if isinstance(one, tuple) else (one,) for one in (grads, dims, in_dims))
    shapes = shapes or (None,) * len(grads)
    return tuple(reduced_leaf(*of_one, size) for of_one in zip(grads, dims, in_dims, shapes, strict=False))


def reduced_leaf(grad: Any, dim: int | None, in_dim: int | None, shape: Any, size: int) -> Any:
    """Return `reduced` of one gradient."""
    if grad is None or (dim is None and in_dim is None):
        return grad
    if in_dim is None:
        return at.sum_dim_IntList(grad, (dim,))
    if dim is None:
        dim, grad = in_dim, at.unsqueeze(grad, in_dim)
        grad = at.expand(grad, (*grad._sizes[:dim], size, *grad._sizes[dim + 1 :]))
    if shape is not None:
        return vmap(lambda one: at.sum_to_size(one, shape), dim, in_dim)(grad)
    return at.movedim_int(grad, dim, in_dim)
