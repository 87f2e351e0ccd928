"""grad and vjp: derivatives of a function as functions, by one backward pass.

Each opens a layer of grad, in which autograd records what the function does to its wrapped arguments, runs the backward
pass, and unwraps what comes out. Mirrors torch/_functorch/eager_transforms.py.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import slots
from ..aten.at import at
from ..autograd import inference, python_engine, variable
from ..autograd.graph import disable_saved_tensors_hooks
from ..autograd.python_variable import require_grad
from ..autograd.state import state as autograd
from ..tensor_impl import Tensor
from .argnums import slice_argnums
from .grad_wrapper import GradInterpreter
from .pytree import tree_flatten, tree_leaves, tree_map, tree_map_only, tree_unflatten
from .pytree_text import treespec_pprint
from .vmap import vmap

__all__ = ["grad", "grad_and_value", "vjp"]

Argnums = int | tuple[int, ...]

NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use "
    "case."
)
NO_AUX = "output of function f should be a tuple: (output, aux) if has_aux is True"


# ---- a layer, its arguments and its results


@contextlib.contextmanager
def recording() -> Iterator[GradInterpreter]:
    """Open a layer of grad inside the block, where autograd records, whatever mode it is in outside."""
    with without_inference_mode(), GradInterpreter() as layer:
        before, autograd.grad_mode = autograd.grad_mode, True
        try:
            yield layer
        finally:
            autograd.grad_mode = before


@contextlib.contextmanager
def without_inference_mode() -> Iterator[None]:
    """Leave inference mode inside the block, and keep the grad mode."""
    if not autograd.inference_mode:
        yield
        return
    mode, before = autograd.grad_mode, inference.enter(False)
    autograd.grad_mode = mode
    try:
        yield
    finally:
        inference.leave(before)


def create_differentiable(tree: Any) -> None:
    """Make the wrapped tensors of a tree require grad.

    Raises:
        ValueError: one of its leaves is not a tensor.
        RuntimeError: one is not of a floating-point dtype.
    """
    for leaf in tree_leaves(tree):
        if not isinstance(leaf, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(leaf)}")
        require_grad(leaf)


def unwrap_all(tree: Any, layer: GradInterpreter) -> Any:
    """Return a tree with the values of the tensors of a layer; a RuntimeError if a leaf is not a tensor."""

    def unwrap(leaf: Any) -> Tensor:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(leaf)}")
        return layer.unwrap(leaf)

    return tree_map(unwrap, tree)


def output_and_aux(result: Any, has_aux: bool, api: str) -> tuple[Any, Any]:
    """Return what a function returned as (output, aux); aux is None without `has_aux`."""
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f"{api}: {NO_AUX}")
    return result


def check_outputs(outputs: Sequence[Any], api: str) -> None:
    """Raise a RuntimeError unless a function returned tensors, at least one."""
    if not outputs or (len(outputs) == 1 and outputs[0] is None):
        raise RuntimeError(f"{api}: Expected f to be a function that has non-empty output (got output = {[*outputs]})")
    for output in outputs:
        if not isinstance(output, Tensor):
            raise RuntimeError(
                f"{api}: expected f(*primals) to return only tensors, got unsupported type {type(output)}"
            )


def gradients(
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    grad_outputs: Sequence[Tensor | None],
    retain_graph: bool | None = None,
    create_graph: bool = True,
) -> tuple[Tensor, ...]:
    """Return `autograd.grad`, with zeros for the inputs that the outputs were not computed from."""
    used = [pair for pair in zip(outputs, grad_outputs, strict=True) if variable.requires_grad(pair[0])]
    if not used:
        return tuple(at.zeros_like(one) for one in inputs)
    roots, grads = zip(*used, strict=True)
    found = python_engine.grad(roots, inputs, grads, retain_graph, create_graph, allow_unused=True)
    return tuple(at.zeros_like(one) if grad is None else grad for grad, one in zip(found, inputs, strict=True))


# ---- the functions


def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that computes the gradient of `func`, and its value: (grads, output).

    Args:
        func: returns a tensor without dimensions; with `has_aux`, a tuple of it and a tree of other tensors.
        argnums: the positional arguments, trees of tensors, for which gradients are computed: one, or a tuple of them.
        has_aux: the function returns (grads, (output, aux)).
    Raises:
        RuntimeError: when called: `func` returned something else, or there are no such arguments.
        ValueError: when called: an argument has a leaf that is not a tensor.

    Source: grad_and_value_impl (torch/_functorch/eager_transforms.py).
    """
    api = "grad_and_value(f)(*args)"

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with disable_saved_tensors_hooks(NO_HOOKS), recording() as layer:
            args, kwargs = tree_map_only(Tensor, layer.wrap, (args, kwargs))
            chosen = slice_argnums(args, argnums, as_tuple=False)
            create_differentiable(chosen)
            output, aux = output_and_aux(func(*args, **kwargs), has_aux, api)
            if not isinstance(output, Tensor):
                raise RuntimeError(f"{api}: Expected f(*args) to return a Tensor, got {type(output)}")
            if output.dim() != 0:
                raise RuntimeError(
                    f"{api}: Expected f(*args) to return a scalar Tensor, got tensor with {output.dim()} dims. Maybe "
                    "you wanted to use the vjp or jacrev APIs instead?"
                )
            inputs, spec = tree_flatten(chosen)
            grads = tree_unflatten(gradients((output,), inputs, (None,)), spec)
            grads, output = unwrap_all((grads, output), layer)
            return (grads, (output, unwrap_all(aux, layer))) if has_aux else (grads, output)

    return wrapper


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that computes the gradient of `func`: grads, or (grads, aux). As `grad_and_value`.

    >>> import engine
    >>> engine.func.grad(lambda x: x**3)(engine.tensor(2.0))
    tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        grads, value = both(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return wrapper


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Return `func(*primals)` and a function that multiplies a cotangent by the Jacobian there: (output, vjp_fn).

    Args:
        primals: trees of tensors.
        has_aux: `func` returns (output, aux), and `vjp` (output, vjp_fn, aux).
    Returns:
        The output, a tree of tensors, and `vjp_fn(cotangents)`: it takes a tree as the output, and returns a tuple with
        a tree for each primal. It may be called often.
    Raises:
        RuntimeError: `func` returned something that is not a tensor of a floating-point dtype; or, of `vjp_fn`, the
            cotangents have another structure.

    Source: _vjp_with_argnums (torch/_functorch/eager_transforms.py).
    """
    return vjp_with_argnums(func, primals, None, has_aux)


def vjp_with_argnums(func: Callable[..., Any], primals: tuple[Any, ...], argnums: Any, has_aux: bool) -> Any:
    """Return `vjp`, whose function is for the primals that `argnums` says; None: for all."""
    api = "vjp(f, *primals)"
    with disable_saved_tensors_hooks(NO_HOOKS), recording() as layer:
        primals = tree_map_only(Tensor, layer.wrap, primals)
        chosen = primals if argnums is None else slice_argnums(primals, argnums, as_tuple=False)
        create_differentiable(chosen)
        output, aux = output_and_aux(func(*primals), has_aux, api)
        if has_aux:
            aux = unwrap_all(aux, layer)
        outputs, output_spec = tree_flatten(output)
        check_outputs(outputs, api)
        inputs, input_spec = tree_flatten(chosen)
        result = unwrap_all(output, layer)
        for one in outputs:
            if not one.is_floating_point():
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                    f"{one.dtype}"
                )

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        given, spec = tree_flatten(cotangents)
        if spec != output_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {treespec_pprint(spec)}, primal output: {treespec_pprint(output_spec)}"
            )
        create_graph = autograd.grad_mode if create_graph is None else create_graph
        with without_inference_mode():
            return tree_unflatten(gradients(outputs, inputs, given, retain_graph, create_graph), input_spec)

    return (result, vjp_fn, aux) if has_aux else (result, vjp_fn)


def batched_gradients(vjp: Callable[..., Any], grads: Sequence[Tensor]) -> list[Tensor | None]:
    """Return what `vjp` returns for gradients that have a batch dimension, the first one; its results have it, too.

    None among the results stays None.
    """
    found: list[bool] = []

    @functools.wraps(vjp)
    def present(grads: Sequence[Tensor]) -> tuple[Tensor, ...]:
        results = vjp(grads)
        found.extend(one is not None for one in results)
        return tuple(one for one in results if one is not None)

    results = iter(vmap(present)(tuple(grads)))
    return [next(results) if is_present else None for is_present in found]


slots.batched_gradients.fill(batched_gradients)
