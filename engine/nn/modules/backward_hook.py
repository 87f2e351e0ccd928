"""Hooks around a module's part of the backward pass. Mirrors torch.utils.hooks.BackwardHook."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ...autograd.function import Function
from ...autograd.grad_mode import is_grad_enabled
from ...tensor_impl import Tensor

Gradients = tuple[Any, ...]


class BackwardHookFunction(Function):
    """An identity whose graph node exposes the gradients of a module's inputs or outputs."""

    @staticmethod
    def forward(ctx: Any, *inputs: Tensor) -> tuple[Tensor, ...]:
        ctx.mark_non_differentiable(*[entry for entry in inputs if not entry.requires_grad])
        return inputs

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Gradients:
        return grads


class BackwardHook:
    """Runner of a module's backward hooks, called once the gradients of its outputs and of its inputs are known.

    The inputs go through one identity, the outputs through another. The hook of the second runs first and keeps the
    gradients of the outputs for the hook of the first.

    Attributes:
        grad_outputs: gradients of the outputs, while the pass is within the module.
        inputs, outputs: how many there are.
        input_places, output_places: which of them are tensors; None if nothing is recorded.
    """

    def __init__(self, module: Any):
        self.module = module
        self.hooks = tuple(module._backward_hooks.values())
        self.pre_hooks = tuple(module._backward_pre_hooks.values())
        self.grad_outputs: Gradients | None = None
        self.inputs = self.outputs = -1
        self.input_places: Sequence[int] | None = None
        self.output_places: Sequence[int] | None = None

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Pass the arguments of forward through an identity node that has a hook, and return them."""
        changed, self.input_places = _through_identity(args, self._inputs_are_there)
        self.inputs = len(args)
        return changed

    def setup_output_hook(self, result: Any) -> Any:
        """Pass the result of forward through an identity node that has a hook, and return it."""
        if not isinstance(result, (Tensor, tuple)):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(result)}",
                stacklevel=4,
            )
        outputs = result if isinstance(result, tuple) else (result,)
        changed, self.output_places = _through_identity(outputs, self._outputs_are_there)
        self.outputs = len(outputs)
        return changed if isinstance(result, tuple) else changed[0]

    def _outputs_are_there(self, grads: Gradients, grad_outputs: Gradients) -> Gradients | None:
        assert self.output_places is not None
        self.grad_outputs = _spread(self.output_places, grad_outputs, self.outputs)
        for hook in self.pre_hooks:
            changed = hook(self.module, self.grad_outputs)
            if changed is not None:
                _check_count("Backward pre hook", "grad_output", changed, self.grad_outputs)
                self.grad_outputs = changed
        passed_on = self.grad_outputs
        if self.input_places is None:
            self._no_input_needs_gradient()
        return tuple(passed_on[place] for place in self.output_places)

    def _no_input_needs_gradient(self) -> None:
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients. See "
            "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook"
            " for more details.",
            stacklevel=5,
        )
        for hook in self.hooks:
            changed = hook(self.module, (None,) * self.inputs, self.grad_outputs)
            if changed is not None and not (isinstance(changed, tuple) and all(entry is None for entry in changed)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for "
                    "all gradients."
                )
        self.grad_outputs = None

    def _inputs_are_there(self, grad_inputs: Gradients, _: Gradients) -> Gradients | None:
        if self.grad_outputs is None:  # the pass came to the inputs on another way than through the outputs
            return None
        assert self.input_places is not None
        grads = _spread(self.input_places, grad_inputs, self.inputs)
        for hook in self.hooks:
            changed = hook(self.module, grads, self.grad_outputs)
            if changed is not None:
                _check_count("Backward hook", "grad_input", changed, grads)
                grads = changed
        self.grad_outputs = None
        return tuple(grads[place] for place in self.input_places)


def _through_identity(
    values: tuple[Any, ...], hook: Callable[[Gradients, Gradients], Gradients | None]
) -> tuple[tuple[Any, ...], Sequence[int] | None]:
    """Pass the tensors among the values through a node that has this hook; return the values and the tensor places."""
    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    tensors = [values[place] for place in places]
    if not is_grad_enabled() or not any(tensor.requires_grad for tensor in tensors):
        return values, None
    passed = BackwardHookFunction.apply(*tensors)
    node = next(tensor.grad_fn for tensor in passed if tensor.grad_fn is not None)
    node.register_hook(hook)
    changed = list(values)
    for place, tensor in zip(places, passed, strict=True):
        changed[place] = tensor
    return tuple(changed), places


def _spread(places: Sequence[int], values: Sequence[Any], size: int) -> Gradients:
    """Return the values at their places, None elsewhere."""
    spread = [None] * size
    for place, value in zip(places, values, strict=True):
        spread[place] = value
    return tuple(spread)


def _check_count(who: str, what: str, given: Sequence[Any], expected: Sequence[Any]) -> None:
    if len(given) != len(expected):
        raise RuntimeError(
            f"{who} returned an invalid number of {what}, got {len(given)}, but expected {len(expected)}"
        )
