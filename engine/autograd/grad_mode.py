"""`no_grad` and its relatives: context managers that are decorators too. Mirrors torch/autograd/grad_mode.py."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from .. import slots
from . import inference
from .state import state


def is_grad_enabled() -> bool:
    """Return True if operators record when an input requires grad."""
    return state.grad_mode


def is_inference_mode_enabled() -> bool:
    """Return True if new tensors are inference tensors."""
    return state.inference_mode


class ContextDecorator:
    """A context manager that also works as a decorator: functions and the steps of generators run inside it."""

    def clone(self) -> "ContextDecorator":
        """Return a new context manager with the same settings; each call of a decorated function uses its own."""
        return self.__class__()

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, *error: object) -> None:
        raise NotImplementedError

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(function):
            function.__init__ = self(function.__init__)  # type: ignore[misc, method-assign]
            return function
        if inspect.isgeneratorfunction(function):
            return _wrapped_generator(self.clone, function)

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return inside


def _wrapped_generator(context: Callable[[], Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a generator function so that its steps run inside the context, and its caller does not.

    Source: torch/utils/_contextlib.py.
    """

    @functools.wraps(function)
    def generator(*args: Any, **kwargs: Any) -> Any:
        steps = function(*args, **kwargs)
        try:
            with context():
                response = steps.send(None)
            while True:
                try:
                    request = yield response
                except GeneratorExit:
                    with context():
                        steps.close()
                    raise
                except BaseException as error:
                    with context():
                        response = steps.throw(error)
                else:
                    with context():
                        response = steps.send(request)
        except StopIteration as end:
            return end.value

    return generator


class _GradMode(ContextDecorator):
    """Sets grad mode inside; outside it is as before, after an exception too."""

    mode: bool

    def __init__(self, function: Callable[..., Any] | None = None):
        self.before = True

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        made = super().__new__(cls)
        if function is None:
            return made
        made.__init__()  # type: ignore[misc]  # `@no_grad` without brackets
        return made(function)

    def __enter__(self) -> None:
        self.before = state.grad_mode
        state.grad_mode = self.mode

    def __exit__(self, *error: object) -> None:
        state.grad_mode = self.before


class no_grad(_GradMode):
    """Context manager and decorator that disables recording: results do not require grad."""

    mode = False


class enable_grad(_GradMode):
    """Context manager and decorator that enables recording, even within a `no_grad` block."""

    mode = True


class set_grad_enabled(ContextDecorator):
    """Sets the grad mode: immediately, for a block, or as a decorator for each call of a function.

    The grad mode of this thread is `state.grad_mode`, a bool.

    Args:
        mode: whether operators record; anything that is true or false.

    Source: torch/autograd/grad_mode.py, set_grad_enabled.
    """

    def __init__(self, mode: Any):
        """Remember `mode`, as `self.mode`, and the grad mode of before; set the new one at once, as a bool."""
        self.before, self.mode = state.grad_mode, mode
        state.grad_mode = bool(mode)

    def __enter__(self) -> None:
        """Set `mode` again: between the call and the block others may have changed it."""
        state.grad_mode = bool(self.mode)

    def __exit__(self, *error: object) -> None:
        """Put back the grad mode from before the call, after any error, too; an exception goes on its way.

        Each object remembers its own: blocks may begin and end in any order, and the same object may have several.
        """
        state.grad_mode = self.before

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Put back the grad mode from before the call, as nothing is set yet when this is a decorator.

        Then `ContextDecorator.__call__(self, function)` (or `super().__call__(function)`) makes the function that runs
        inside a `clone`; it knows what to do with a generator function, whose every step is in the mode, and with a
        class, whose objects are made in it.
        """
        state.grad_mode = self.before
        return ContextDecorator.__call__(self, function)

    def clone(self) -> "set_grad_enabled":
        return self.__class__(self.mode)


class inference_mode(ContextDecorator):
    """Context manager and decorator that disables recording, version counting and view tracking for new tensors.

    Args:
        mode: False: a normal mode inside an inference mode.
    """

    def __init__(self, mode: Any = True):
        self.mode = mode
        self.before: tuple[Any, ...] = ()

    def __new__(cls, mode: Any = True) -> Any:
        made = super().__new__(cls)
        if isinstance(mode, bool):
            return made
        made.__init__()  # type: ignore[misc]
        return made(mode)

    def clone(self) -> "inference_mode":
        return self.__class__(self.mode)

    def __enter__(self) -> None:
        self.before = inference.enter(self.mode)

    def __exit__(self, *error: object) -> None:
        inference.leave(self.before)


slots.is_grad_enabled.fill(is_grad_enabled)
