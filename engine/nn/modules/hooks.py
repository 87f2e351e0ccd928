"""A module's call with hooks around it, first the hooks of all modules, then its own. Mirrors Module._call_impl."""

import warnings
from collections.abc import Callable
from typing import Any

from ...utils.hooks import RemovableHandle
from .backward_hook import BackwardHook

_global_forward_pre_hooks: dict[int, Callable[..., Any]] = {}
_global_forward_hooks: dict[int, Callable[..., Any]] = {}
GLOBAL: dict[int, bool] = {}
"""Has the numbers of all hooks of both, so that a call looks at one dict."""


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Register `hook(module, args)` to run before forward of every module; it may return other arguments."""
    return _added(_global_forward_pre_hooks, hook)


def register_module_forward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Register `hook(module, args, result)` to run after forward of every module; it may return another result."""
    return _added(_global_forward_hooks, hook)


def _added(hooks: dict[int, Callable[..., Any]], hook: Callable[..., Any]) -> RemovableHandle:
    handle = RemovableHandle(hooks, GLOBAL)
    hooks[handle.id], GLOBAL[handle.id] = hook, True
    return handle


def call_with_hooks(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call `module.forward(*args, **kwargs)` and let the module's hooks change the arguments and the result.

    Raises:
        RuntimeError: a hook gives back what it should not.
    """
    called: set[int] = set()
    result = None
    try:
        args, kwargs = run_forward_pre_hooks(module, args, kwargs)
        around = None
        if module._backward_hooks or module._backward_pre_hooks:
            around = BackwardHook(module)
            args = around.setup_input_hook(args)
        result = module.forward(*args, **kwargs)
        for number, hook in (*_global_forward_hooks.items(), *module._forward_hooks.items()):
            called.add(number)
            changed = call_forward_hook(module, number, hook, args, kwargs, result)
            result = result if changed is None else changed
        return result if around is None else around.setup_output_hook(result)
    except Exception:
        for number in module._forward_hooks_always_called:
            if number not in called:
                _call_in_spite_of_error(module, number, args, kwargs, result)
        raise


def run_forward_pre_hooks(
    module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Run the forward pre-hooks and return the arguments, including any changes by the hooks."""
    for number, hook in (*_global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()):
        if number in module._forward_pre_hooks_with_kwargs:
            changed = hook(module, args, kwargs)
            if changed is None:
                continue
            if not isinstance(changed, tuple) or len(changed) != 2:
                raise RuntimeError(
                    f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                )
            args, kwargs = changed
        else:
            changed = hook(module, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
    return args, kwargs


def call_forward_hook(
    module: Any, number: int, hook: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
) -> Any:
    """Call a forward hook and return its result."""
    if number in module._forward_hooks_with_kwargs:
        return hook(module, args, kwargs, result)
    return hook(module, args, result)


def _call_in_spite_of_error(
    module: Any, number: int, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
) -> None:
    try:
        call_forward_hook(module, number, module._forward_hooks[number], args, kwargs, result)
    except Exception as error:
        warnings.warn(
            "module forward hook with ``always_call=True`` raised an exception that was silenced as another error was "
            f"raised in forward: {error}",
            stacklevel=2,
        )
