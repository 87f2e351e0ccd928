"""Hooks are called, and what they return is checked. Mirrors torch/csrc/autograd/python_hook.cpp."""

from collections.abc import Callable, Mapping
from typing import Any

from ..tensor_impl import Tensor
from .saved_variable import TYPE_NAMES

Hooks = Mapping[int, Callable[..., Any]]
"""Handle's number -> hook, in the order of registration."""


def call_hooks(hooks: Hooks, value: Tensor | None) -> Tensor | None:
    """Call the hooks one after the other on a value, which each hook may replace by returning another.

    Raises:
        TypeError, RuntimeError: a hook returned a value that can't replace its argument.
    """
    for hook in tuple(hooks.values()):
        result = hook(value)
        if result is not None:
            check_single_result(value, result, hook)
            value = result
    return value


def call_pre_hooks(hooks: Hooks, grads: list[Tensor | None]) -> list[Tensor | None]:
    """Call the pre-hooks of a node, each of which may replace the gradients of the outputs by as many others."""
    values = tuple(grads)
    for hook in tuple(hooks.values()):
        result = hook(values)
        if result is not None:
            check_result(values, result, hook)
            values = result
    return list(values)


def call_post_hooks(hooks: Hooks, results: Any, grads: list[Tensor | None]) -> tuple[Tensor | None, ...]:
    """Call the post-hooks of a node, each of which may replace the gradients of the inputs by as many others."""
    values, incoming = tuple(results), tuple(grads)
    for hook in tuple(hooks.values()):
        result = hook(values, incoming)
        if result is not None:
            check_result(values, result, hook)
            values = result
    return values


def hook_name(hook: Callable[..., Any]) -> str:
    """Return the name of a hook for messages."""
    name = getattr(hook, "__name__", None)
    return name if isinstance(name, str) else "<unknown>"


def check_result(values: tuple[Tensor | None, ...], result: Any, hook: Callable[..., Any]) -> None:
    """Raise an error if the values that a hook returned cannot replace a node's gradients.

    Raises:
        TypeError: it is not a tuple, or something in it is not a tensor.
        RuntimeError: there are too many or too few, or one has other sizes or another dtype.
    """
    if not isinstance(result, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(result).__name__}'")
    if len(result) != len(values):
        raise RuntimeError(
            f"hook '{hook_name(hook)}' has returned an incorrect number of values (got {len(result)}, but expected "
            f"{len(values)})"
        )
    for value, replacement in zip(values, result, strict=True):
        if replacement is not None:
            check_single_result(value, replacement, hook)


def check_single_result(value: Tensor | None, result: Any, hook: Callable[..., Any]) -> None:
    """Raise an error if the value that a hook returned cannot replace a gradient.

    Raises:
        TypeError: it is not a tensor.
        RuntimeError: there was no gradient, or it has other sizes, another dtype or device.
    """
    if value is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(result, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    if result._dtype is not value._dtype or result.device.type != value.device.type:
        raise RuntimeError(
            f"hook '{hook_name(hook)}' has changed the type of value (was {TYPE_NAMES[value._dtype]} got "
            f"{TYPE_NAMES[result._dtype]})"
        )
    if result._sizes != value._sizes:
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the size of value")
