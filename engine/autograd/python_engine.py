"""`backward` and `grad`: the arguments of a backward pass, checked. Mirrors torch/autograd/__init__.py."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from .. import slots
from ..aten.at import at
from ..dispatch.local import AutoDispatchBelowADInplaceOrView, in_transform
from ..dtypes import preserve_format
from ..tensor_impl import Size, Tensor
from . import variable
from .engine import execute
from .node import Edge, Node

Tensors = Tensor | Sequence[Tensor]

CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)
IN_TRANSFORM = (
    "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp "
    "instead or call backward() outside of functorch transforms."
)
NO_BATCH = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
    "tensor to a number"
)
BATCHED_MISMATCH = (  # PyTorch, too, leaves out two dimensions of the gradient's shape
    "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The "
    "sizes of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was "
    "detected: grad_output[{number}] has a shape of {grad} and output[{number}] has a shape of {output}. If you only "
    "want some tensors in `grad_output` to be considered batched, consider using vmap."
)
OTHER_MAPPING = "`inputs` argument to `grad()` must be a dict, not {}. Other Mapping types are not supported."
UNUSED = (
    "The differentiated Tensor at index {number} appears to not have been used in the graph. Set allow_unused=True if "
    "this is the desired behavior."
)


def backward(
    tensors: Tensors,
    grad_tensors: Tensors | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Tensors | None = None,
    inputs: Tensors | None = None,
) -> None:
    """Accumulate the gradients of `tensors` into the `.grad` of the leaves that they were computed from.

    Args:
        grad_tensors: for each tensor the gradient that comes in, of its sizes; None: 1, for a tensor of one element.
        retain_graph: keep what nodes saved, for another pass; by default as `create_graph`.
        create_graph: record the pass itself.
        inputs: tensors that accumulate; by default all leaves.
    Raises:
        RuntimeError: a tensor has no history, or no gradient was given where one is needed, or a pass was made before,
            or a transform is active.
    """
    if in_transform():
        raise RuntimeError(IN_TRANSFORM)
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only "
                "use `grad_tensors`."
            )
        grad_tensors = grad_variables
    asked = as_tuple(inputs) if inputs is not None else ()
    if inputs is not None and not asked:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots = as_tuple(tensors)
    grads = make_grads(roots, as_tuple(grad_tensors) if grad_tensors is not None else (None,) * len(roots))
    if create_graph:
        warnings.warn(CYCLE, UserWarning, stacklevel=2)
    run(roots, grads, retain_graph, create_graph, asked, accumulate_grad=True)


def grad(
    outputs: Tensors,
    inputs: Tensors | dict[str, Tensor],
    grad_outputs: Tensors | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """Compute and return the gradients of `outputs` with respect to `inputs`, leaving every `.grad` unchanged.

    Args:
        inputs: tensors; of a dict of tensors, the result is a dict with the same keys, and otherwise a tuple.
        grad_outputs: for each output the gradient that comes in; None: 1, for a tensor of one element.
        allow_unused: an input that the outputs were not made from gives None instead of an error.
        is_grads_batched: dimension 0 of each gradient in `grad_outputs` is a batch dimension, and so it is of the
            results: vmap runs all passes at once.
        materialize_grads: it gives zeros, which require grad if `create_graph` is True.
    Raises:
        ValueError: `materialize_grads` with `allow_unused=False`.
        TypeError: `inputs` is a mapping other than a dict.
        RuntimeError: an input was not used, or does not require grad; as `backward`.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if allow_unused is None:
        allow_unused = materialize_grads
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    names = inputs if type(inputs) is dict else None
    if names is None and not isinstance(inputs, (Tensor, tuple, list)) and isinstance(inputs, Mapping):
        raise TypeError(OTHER_MAPPING.format(type(inputs).__name__))
    roots, asked = as_tuple(outputs), as_tuple(inputs if names is None else names.values())
    if not asked:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    given = as_tuple(grad_outputs) if grad_outputs is not None else (None,) * len(roots)
    grads = make_grads(roots, given, is_grads_batched)

    def vjp(grads: Sequence[Tensor | None]) -> list[Tensor | None]:
        found = run(roots, grads, retain_graph, create_graph, asked, accumulate_grad=False)
        for number, one in enumerate(found):
            if one is None and not allow_unused:
                raise RuntimeError(UNUSED.format(number=number))
        return found

    found = slots.batched_gradients(vjp, grads) if is_grads_batched else vjp(grads)
    if materialize_grads:
        found = [
            _zeros_like(tensor, create_graph) if one is None else one for one, tensor in zip(found, asked, strict=True)
        ]
    return tuple(found) if names is None else dict(zip(names, found, strict=True))


def _zeros_like(tensor: Tensor, requires_grad: bool) -> Tensor:
    """Return zeros for an input that was not used: a leaf, which requires grad where the pass was recorded."""
    zeros = at.zeros_like(tensor)
    if requires_grad:
        variable.get_or_create_meta(zeros).requires_grad = True
    return zeros


def as_tuple(tensors: Any) -> tuple[Any, ...]:
    """Return a single tensor, or a sequence of tensors, as a tuple."""
    return (tensors,) if tensors is None or isinstance(tensors, Tensor) else tuple(tensors)


def edge_of_input(tensor: Tensor, accumulate_grad: bool) -> Edge:
    """Return the edge that receives the gradient of a requested input.

    Args:
        accumulate_grad: it will be the tensor's `.grad`.
    Raises:
        RuntimeError: it is not a tensor, or does not require grad.
    """
    if not isinstance(tensor, Tensor):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(tensor).__name__}")
    if accumulate_grad:
        tensor.retain_grad()
    edge = variable.gradient_edge(tensor)
    if edge is None and variable.requires_grad(tensor):  # a view from before its base did
        return Node(), 0
    if edge is None:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return edge


def make_grads(
    outputs: Sequence[Tensor], grads: Sequence[Tensor | None], is_batched: bool = False
) -> list[Tensor | None]:
    """Return the initial gradients: the given ones, or ones for one-element outputs. Surplus gradients are ignored.

    Args:
        is_batched: dimension 0 of the given ones is a batch dimension.
    Raises:
        RuntimeError: the number or the sizes differ, or an output of several elements has none.

    Source: _make_grads (torch/autograd/__init__.py).
    """
    made: list[Tensor | None] = []
    for number, (output, given) in enumerate(zip(outputs, grads, strict=False)):
        if isinstance(given, Tensor):
            if is_batched:
                _check_batched(number, given, output)
            elif given._sizes != output._sizes:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{number}] has a shape of {Size(given._sizes)} and "
                    f"output[{number}] has a shape of {Size(output._sizes)}."
                )
            made.append(given)
        elif given is not None:
            raise TypeError(f"gradients can be either Tensors or None, but got {type(given).__name__}")
        elif not variable.requires_grad(output):
            made.append(None)
        elif output.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        elif not output._dtype.is_floating_point:
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {output.dtype}")
        else:
            with AutoDispatchBelowADInplaceOrView():  # as in Python's `ones_like`: autograd has nothing to record
                made.append(at.ones_like(output, None, None, None, False, preserve_format))
    if len(outputs) != len(made):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(made)} gradients")
    return made


def _check_batched(number: int, grad: Tensor, output: Tensor) -> None:
    """Raise an error unless a gradient has the sizes of its output behind a batch dimension."""
    if not grad._sizes:
        raise IndexError(NO_BATCH)
    if grad._sizes[1:] != output._sizes:
        raise RuntimeError(
            BATCHED_MISMATCH.format(number=number, grad=Size(grad._sizes[2:]), output=Size(output._sizes))
        )


def run(
    tensors: Sequence[Tensor],
    grads: Sequence[Tensor | None],
    retain_graph: bool | None,
    create_graph: bool,
    inputs: Sequence[Tensor],
    accumulate_grad: bool,
) -> list[Tensor | None]:
    """Run a backward pass from `tensors`, for the gradients of `inputs`, or of all leaves if `inputs` is empty.

    Raises:
        RuntimeError: a tensor has no edge; and as `edge_of_input`.

    Source: THPEngine_run_backward (torch/csrc/autograd/python_engine.cpp).
    """
    roots: list[Edge] = []
    for number, tensor in enumerate(tensors):
        edge = variable.gradient_edge(tensor)
        if edge is None:
            raise RuntimeError(f"element {number} of tensors does not require grad and does not have a grad_fn")
        roots.append(edge)
    outputs = [edge_of_input(tensor, accumulate_grad) for tensor in inputs]
    keep = create_graph if retain_graph is None else retain_graph
    given = [grad for grad in grads if grad is not None]  # a root without one was refused above
    return execute(roots, given, keep, create_graph, outputs, accumulate_grad)
