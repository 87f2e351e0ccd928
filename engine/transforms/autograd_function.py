"""Functions of one's own inside transforms: a call goes from layer to layer, as the call of an operator does.

A layer of grad records the Function on its wrappers, with the call at the next outer layer as `forward`. A layer of
vmap calls the static method `vmap`; or, with `generate_vmap_rule`, a Function that calls `forward` and `backward` of
the given one under vmap. Mirrors torch/_functorch/autograd_function.py.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import slots
from ..aten.at import at
from ..autograd.function import Function, record
from ..autograd.grad_mode import enable_grad
from ..tensor_impl import Tensor
from .batched import BatchedTensor, VmapInterpreter
from .grad_wrapper import GradInterpreter, JvpInterpreter
from .interpreters import layers
from .pytree import _broadcast_to_and_flatten, arg_tree_leaves, tree_flatten, tree_map_only, tree_unflatten
from .vmapped_function import SavedContext, unwrap_batched, vmapped, wrap_batched

MORE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
NO_RULE = (
    "You tried to vmap over {}, but it does not have vmap support. Please override and implement the vmap staticmethod "
    f"or set generate_vmap_rule=True. {MORE}"
)
TWO_RULES = (
    "You tried to vmap over {}, but it has both generate_vmap_rule=True and an overridden vmap staticmethod. Please "
    f"set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity. {MORE}"
)
TWO_RETURNS = (
    "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible with "
    "the output. Got {} instead"
)
INCOMPATIBLE = (
    "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
    "out_dims={dims} to be compatible with the structure of `output`. out_dims has structure {dims_spec} but output "
    f"has structure {{spec}}. {MORE}"
)


class VmapInfo(NamedTuple):
    """The first argument of the static method `vmap`: the transform that it is for."""

    batch_size: int
    randomness: str


def custom_function_call(function: type[Function], operands: Sequence[Any]) -> Any:
    """Call a Function at the thread's innermost layer; outside of all layers, record it as always.

    Raises:
        RuntimeError: it has no rule for vmap, or two, or one with a wrong result; or the layer is of functionalize.
        NotImplementedError: the layer is of jvp, and the Function has no `jvp`.
    """
    given: tuple[Any, ...] = slots.unwrap_dead_wrappers(operands)
    if not layers.stack:
        return record(function, given)
    layer = layers.stack[-1]
    if isinstance(layer, GradInterpreter):
        return record(single_level(layer, function), given)
    if isinstance(layer, VmapInterpreter):
        return vmap_call(layer, function, given)
    raise RuntimeError("NYI: Functionalize rule for custom_function_call")


# ---- grad and jvp


def single_level(layer: GradInterpreter, function: type[Function]) -> type[Function]:
    """Return the Function that a layer of grad records: its `forward` calls `function` at the next outer layer."""

    class Generated(Function):
        @staticmethod
        def forward(*operands: Any) -> Any:
            values = tree_map_only(Tensor, layer.unwrap, operands)
            with enable_grad(), layer.lowered():
                output = custom_function_call(function, values)
            return with_identity(output, values, operands, lambda one, _: layer.wrap(one))

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            if isinstance(layer, JvpInterpreter) and any(ctx.needs_input_grad) and function.jvp is Function.jvp:
                function.jvp(ctx)  # which raises
            function.setup_context(ctx, inputs, output)
            ctx.input_info = [
                (one._sizes, one._dtype, None, one.device) if isinstance(one, Tensor) else None for one in inputs
            ]

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            if isinstance(layer, JvpInterpreter):
                return record(transposed_jvp(ctx, function), grads)
            return function.backward(ctx, *grads)

    Generated._backward_cls.__name__ = f"{function.__name__}GeneratedBackward"
    return Generated


def transposed_jvp(ctx: Any, function: type[Function]) -> type[Function]:
    """Return the linear Function that replaces `backward` in a jvp; its own `backward` is the `jvp` of `function`.

    What it returns forward is not used, as a jvp is what comes out of its second backward pass. Hence it is ones.
    """

    class Transposed(Function):
        @staticmethod
        def forward(_: Any, *grads: Any) -> Any:
            return tuple(at.ones(*info) if info else None for info in ctx.input_info)

        @staticmethod
        def backward(_: Any, *tangents: Any) -> Any:
            for_forward = ctx.saved_for_forward
            return function.jvp(ctx if for_forward is None else SavedContext(ctx, for_forward), *tangents)

    return Transposed


def with_identity(output: Any, values: Any, operands: Any, wrap: Callable[[Tensor, Any], Any], dims: Any = None) -> Any:
    """Return the outputs of a call, wrapped; an output that is one of the call's inputs gives what that was wrapped as.

    Args:
        values, operands: the inputs of the call, and what they are the values of.
        wrap: f(tensor, its element of `dims`).
        dims: a tree as the output, or a prefix of it.
    """
    given = {id(value): one for value, one in zip(arg_tree_leaves(*values), arg_tree_leaves(*operands), strict=True)}
    outputs, spec = tree_flatten(output)
    flat_dims = _broadcast_to_and_flatten(dims, spec)
    if flat_dims is None:
        raise RuntimeError(INCOMPATIBLE.format(dims=dims, dims_spec=tree_flatten(dims)[1], spec=spec))
    wrapped = [
        given[id(one)] if id(one) in given else wrap(one, dim) if isinstance(one, Tensor) else one
        for one, dim in zip(outputs, flat_dims, strict=True)
    ]
    return tree_unflatten(wrapped, spec)


# ---- vmap


def vmap_call(layer: VmapInterpreter, function: type[Function], operands: tuple[Any, ...]) -> Any:
    """Call a Function at a layer of vmap."""
    has_rule = function.vmap is not Function.vmap
    if function.generate_vmap_rule == has_rule:
        raise RuntimeError((TWO_RULES if has_rule else NO_RULE).format(function.__name__))
    values, in_dims = unwrap_batched(operands, layer.level)
    if function.generate_vmap_rule:
        with layer.lowered():
            *outputs, dims = custom_function_call(vmapped(layer, function, in_dims), values)
        output = tuple(outputs) if isinstance(dims, tuple) else outputs[0]
        return wrap_batched(output, dims, layer.level)
    with layer.lowered():
        if not any(dim is not None for dim in arg_tree_leaves(*in_dims)):
            return custom_function_call(function, values)
        result = function.vmap(VmapInfo(layer.batch_size, layer.randomness), in_dims, *values)
    if not isinstance(result, tuple):
        raise RuntimeError(TWO_RETURNS.format(f"a {type(result)}"))
    if len(result) != 2:
        raise RuntimeError(TWO_RETURNS.format(f"{len(result)} returns"))
    output, dims = result

    def wrap(one: Tensor, dim: int | None) -> Tensor:
        return one if dim is None else BatchedTensor(one, dim % len(one._sizes), layer.level)

    return with_identity(output, values, operands, wrap, dims)


slots.custom_function_call.fill(custom_function_call)
