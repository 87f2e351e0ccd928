"""`__torch_function__`: how a class or a mode takes over a call of a public function, before anything is parsed.

`overridable.py` gives the public functions the code that comes here, while there is such a class or mode. Mirrors
torch/csrc/utils/python_arg_parser.cpp and torch/csrc/utils/disable_torch_function.cpp.
"""

import functools
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from .. import slots
from ..tensor_impl import Tensor, _disabled_torch_function_impl
from .python_dispatch import refusal
from .wrapper_subclass import as_subclass


class _Thread(threading.local):
    modes: tuple[Any, ...] = ()  # the TorchFunctionModes that are entered, the innermost last
    no_classes, no_modes = False, False
    skip = False  # the next function that looks for classes and modes finds none


thread = _Thread()


@contextmanager
def set_in_thread(**values: Any) -> Iterator[None]:
    """Set attributes of `thread` within a block."""
    before = {name: getattr(thread, name) for name in values}
    vars(thread).update(values)
    try:
        yield
    finally:
        vars(thread).update(before)


DisableTorchFunctionSubclass = functools.partial(set_in_thread, no_classes=True)
DisableTorchFunction = functools.partial(set_in_thread, no_classes=True, no_modes=True)


def _is_torch_function_enabled() -> bool:
    return not thread.no_classes


def _is_torch_function_all_disabled() -> bool:
    return thread.no_modes


def _is_torch_function_mode_enabled() -> bool:
    return bool(thread.modes) and not thread.no_modes


def _len_torch_function_stack() -> int:
    return len(thread.modes)


def overloaded(args: Iterable[Any], kwargs: dict[str, Any], plain: bool = False) -> list[Any]:
    """Return who takes a call over: the innermost mode, then one argument of each class, derived classes first.

    Args:
        plain: also an argument of the class Tensor, whose `__torch_function__` just calls.

    Source: append_overloaded_arg (torch/csrc/utils/python_arg_parser.cpp).
    """
    found: list[Any] = []
    if thread.skip:
        thread.skip = False
        return found
    if not thread.no_classes:
        for value in (*args, *kwargs.values()) if kwargs else args:
            for one in value if type(value) in (tuple, list) else (value,):
                kind = type(one)
                if kind is Tensor and not plain:
                    continue
                own = getattr(kind, "__torch_function__", None)
                if own is not None and own is not _disabled_torch_function_impl and kind not in map(type, found):
                    bases = (place for place, other in enumerate(found) if issubclass(kind, type(other)))
                    found.insert(next(bases, len(found)), one)
    return [thread.modes[-1], *found] if thread.modes and not thread.no_modes else found


def handled(found: list[Any], public: Any, label: str, style: str, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Return the answer to a call of the first in `found` that has one.

    Args:
        found: of `overloaded`, not empty.
        public: the function that was called, for the handlers.
        label: its name in the error.
        style: tells which types and arguments PyTorch passes. "parsed": those that its parser finds, Tensor itself left
            out. "self": the type of `self`, for a method without a parser. "python": all types, Tensor too, and always
            kwargs, as Python functions do. "operator": types as its parser finds them, and always kwargs.
    Raises:
        TypeError: all return NotImplemented.
    """
    if style == "python":
        found = overloaded(args, kwargs, plain=True)
    if style == "self":
        found = [*found[: _is_torch_function_mode_enabled()], args[0]]
    return answer(found, public, label, style, args, kwargs)


def answer(found: list[Any], public: Any, label: str, style: str, args: tuple, kwargs: dict[str, Any]) -> Any:
    """As `handled`, of those that are in `found`."""
    mode = found[0] if _is_torch_function_mode_enabled() else None
    others = found if mode is None else found[1:]
    types = tuple(map(type, others))
    call = (public, types, args, kwargs) if kwargs or style in ("python", "operator") else (public, types, args)
    if mode is not None:
        handler = mode.__torch_function__
        if getattr(handler, "__self__", mode) is not mode:
            about = "as a classmethod is not supported, please make it a plain method"
            raise RuntimeError(f"Defining your mode's `__torch_function__` {about}")
        stack, thread.modes = thread.modes, thread.modes[:-1]
        try:
            result = handler(*call)
        finally:
            thread.modes = stack
        if result is not NotImplemented:
            return result
    for one in others:
        result = _handler(one)(*call)
        if result is not NotImplemented:
            return result
    raise TypeError(_refusal(label, style, types, mode))


def _handler(one: Any) -> Callable[..., Any]:
    handler = one.__torch_function__
    if getattr(handler, "__self__", None) is one:
        warnings.warn(
            "Defining your `__torch_function__` as a plain method is deprecated and will be an error in future, "
            "please define it as a classmethod.",
            stacklevel=5,
        )
    return handler


def _refusal(label: str, style: str, types: tuple[type, ...], mode: Any) -> str:
    if style == "python":
        nor = "" if mode is None else f" nor in mode {mode!r}"
        return f"no implementation found for '{label}' on types that implement __torch_function__: {[*types]}{nor}"
    return refusal(label, "__torch_function__", [] if mode is None else [mode], types)


# ---- tensors of a subclass


def default_torch_function(cls: type, func: Any, types: Any, args: tuple = (), kwargs: Any = None) -> Any:
    """Call a function with classes off, and convert its results to `cls`; NotImplemented for types of other classes.

    Source: Tensor.__torch_function__ (torch/_tensor.py).
    """
    if not all(issubclass(cls, kind) for kind in types):
        return NotImplemented
    before, thread.no_classes = thread.no_classes, True
    try:
        made = func(*args, **(kwargs or {}))
        return made if cls is Tensor or func in get_default_nowrap_functions() else _converted(made, cls)
    finally:
        thread.no_classes = before


@functools.cache
def get_default_nowrap_functions() -> frozenset[Any]:
    """Return the functions whose results the default `__torch_function__` doesn't convert."""
    return frozenset(getattr(Tensor, name).__get__ for name in ("_base", "grad"))


def _converted(made: Any, cls: type) -> Any:
    if isinstance(made, Tensor) and not isinstance(made, cls):
        return as_subclass(made, cls)
    if isinstance(made, (tuple, list)):
        return type(made)(_converted(one, cls) for one in made)
    return made


slots.default_torch_function.fill(default_torch_function)
