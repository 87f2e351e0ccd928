"""The dispatch key Python: modes, and classes of tensors, that answer the calls of operators.

A mode is two keys, Python and PythonTLSSnapshot, in what its thread includes; a class with a `__torch_dispatch__` has
them in the key sets of its tensors. Both are below autograd and above the backends, so `__torch_dispatch__` sees
composite operators as what they consist of, views and factories included, and never a gradient.
Mirrors aten/src/ATen/core/PythonFallbackKernel.cpp, torch/csrc/utils/python_arg_parser.cpp
(handle_torch_function_no_python_arg_parser) and torch/utils/_python_dispatch.py.
"""

import contextlib
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from .. import slots
from .._C import _DisableTorchDispatch
from .._ops import overload_of
from ..dispatch import boxing
from ..dispatch.convert import NUMBERS_AS_TENSORS, results_of
from ..dispatch.keys import ABOVE_PYTHON, PYTHON
from ..dispatch.local import count_modes, local, state_of
from ..dispatch.registry import OperatorEntry
from ..slots import disabled_torch_dispatch
from ..tensor_impl import Tensor

UNRECORDED = ("detach", "lift_fresh")  # autograd does not take their results for views
SAME_AS_BASE = (
    "View operation returned a tensor that is the same as the input base tensor.  This is no longer allowed; you must "
    "explicitly create a new tensor (e.g., using .detach()). As a user, you could have made a mistake implementing "
    "__torch_dispatch__ or a Python operator decomposition or meta registration; if that's not the case, please report "
    "a bug to PyTorch or the backend you are using."
)


class Modes(threading.local):
    """The modes of the thread, the innermost last; and those whose `with` blocks it is in, left for a while or not."""

    def __init__(self) -> None:
        self.stack: tuple[Any, ...] = ()
        self.entered: deque[Any] = deque()


modes = Modes()


def set_modes(stack: tuple[Any, ...]) -> None:
    """Make these the thread's modes. While there is one, all calls of the thread have the Python keys."""
    before, modes.stack = modes.stack, stack
    if bool(before) != bool(stack):
        count_modes(1 if stack else -1)
        now = local.state
        local.state = state_of(now.included | PYTHON if stack else now.included & ~PYTHON, now.excluded)


class TorchDispatchMode:
    """A mode: within `with Mode():` all calls of the thread that are to reach a backend go to `__torch_dispatch__`.

    Calls inside `__torch_dispatch__` go to the next outer mode, and then on. A mode may be entered again.
    """

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Answer a call: return its result, or NotImplemented to leave it to the classes of the tensors.

        Args:
            func: the operator, as `torch.ops.aten.add.Tensor`.
            types: the classes with a `__torch_dispatch__` among the arguments.
            args, kwargs: without the arguments that have their default values at the end.
        """
        raise NotImplementedError

    def __enter__(self) -> Any:
        modes.entered.append(self)
        _push_mode(self)
        return self

    def __exit__(self, *_: Any) -> None:
        modes.entered.pop()
        _pop_mode()

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Return True if the mode belongs to the machinery, not to a program."""
        return False

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Return True if a compiler may leave the mode while it compiles."""
        return cls.is_infra_mode()


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that calls what it sees."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def _only(stack: tuple[Any, ...], given: Any) -> Iterator[Any]:
    """Make these the thread's modes inside the block, which gets `given`."""
    before = modes.stack
    set_modes(stack)
    try:
        yield given
    finally:
        set_modes(before)


def _disable_current_modes() -> contextlib.AbstractContextManager[list[Any]]:
    """Leave all modes of the thread inside the block, which gets them, the innermost first."""
    return _only((), [*reversed(modes.stack)])


def _pop_mode_temporarily() -> contextlib.AbstractContextManager[Any]:
    """Leave the innermost mode inside the block, which gets it."""
    return _only(modes.stack[:-1], modes.stack[-1])


def _push_mode(mode: Any) -> None:
    """Enter a mode."""
    set_modes((*modes.stack, mode))


def _pop_mode(key: Any = None) -> Any:
    """Leave the innermost mode, and return it."""
    mode = modes.stack[-1]
    set_modes(modes.stack[:-1])
    return mode


def _get_current_dispatch_mode() -> Any:
    """Return the innermost mode, or None."""
    return modes.stack[-1] if modes.stack else None


def _get_current_dispatch_mode_stack() -> list[Any]:
    """Return the modes of the thread, the innermost last."""
    return list(modes.stack)


def _len_torch_dispatch_stack() -> int:
    return len(modes.stack)


def _get_dispatch_stack_at(index: int) -> Any:
    return modes.stack[index]


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Return True in the block of a mode, even where the mode is left for a while."""
    return any(include_infra_modes or not mode.is_infra_mode() for mode in (*modes.entered, *modes.stack))


def all_same_mode(given: Sequence[Any]) -> bool:
    """Return True if all are the same mode."""
    return all(mode == given[0] for mode in given)


_push_on_torch_dispatch_stack, _pop_torch_dispatch_stack = _push_mode, _pop_mode
_disabled_torch_dispatch_impl, no_dispatch = disabled_torch_dispatch, _DisableTorchDispatch


def overridden(stack: Sequence[Any]) -> list[Tensor]:
    """Return the tensors whose classes answer a call: one of each class, a class before those that it is derived from.

    Args:
        stack: all arguments of the call; a list or tuple among them is looked into.

    Source: append_overloaded_arg (torch/csrc/utils/python_arg_parser.cpp).
    """
    found: list[Tensor] = []
    for value in stack:
        if isinstance(value, Tensor):
            if value._key_set & PYTHON and type(value) not in map(type, found):
                place = next((at for at, other in enumerate(found) if isinstance(value, type(other))), len(found))
                found.insert(place, value)
        elif isinstance(value, (list, tuple)):
            found = overridden([*found, *value])
    return found


def answering(stack: Sequence[Any]) -> str:
    """Return the names of the modes and classes that a call with these arguments goes to: "Log, then class Pair"."""
    names = [type(mode).__name__ for mode in reversed(modes.stack)]
    return ", then ".join([*names, *(f"class {type(tensor).__name__}" for tensor in overridden(stack))])


def python_fallback(entry: OperatorEntry, *arguments: Any) -> Any:
    """Call `__torch_dispatch__` of the innermost mode, then of the tensors' classes, until one answers the call.

    What is called has the keys above Python excluded, and a mode has itself and the modes inside it left. The thread
    is then as it was, whatever is raised.

    Returns:
        the answer, held against the operator's schema.
    Raises:
        TypeError: all return NotImplemented.
        RuntimeError: the answer is not what the schema says.

    Source: pythonFallback (aten/src/ATen/core/PythonFallbackKernel.cpp).
    """
    schema, func, stack = entry.schema, overload_of(entry), modes.stack
    assert schema is not None
    types = tuple([type(tensor) for tensor in overridden(arguments)])
    if schema.name.base in NUMBERS_AS_TENSORS:
        arguments = tuple(map(_number, arguments))
    args, kwargs = boxing.arguments_of(schema, arguments)
    before, result = local.state, NotImplemented
    try:
        local.state = state_of(before.included, before.excluded | ABOVE_PYTHON)
        if stack:
            set_modes(stack[:-1])
            try:
                result = stack[-1].__torch_dispatch__(func, types, tuple(args), kwargs)
            finally:
                set_modes(stack)
        for kind in types:
            if result is NotImplemented:
                result = kind.__torch_dispatch__(func, types, tuple(args), kwargs)
    finally:
        local.state = before
    if result is NotImplemented:
        raise TypeError(refusal(f"torch._ops.{func}", "__torch_dispatch__", stack[-1:], types))
    try:
        result = results_of(schema, result)
    except TypeError as error:
        raise RuntimeError(error) from None
    views = result if type(result) is tuple else (result,)
    if func.is_view and func._opname not in UNRECORDED and any(one is args[0] for one in views):
        raise RuntimeError(SAME_AS_BASE)  # a view of itself would have no end
    return result


def _number(value: Any) -> Any:
    """Return the Python number that an argument was given as, instead of the tensor that it became."""
    if isinstance(value, Tensor) and value._wrapped_number and not value._key_set & PYTHON:
        return value._flat()[value._storage_offset].item()
    return value


def refusal(called: str, handler: str, asked: Sequence[Any], types: Sequence[type]) -> str:
    """Return the text of the error for a call that nobody answered: none of the modes and classes that were asked."""
    lines = [f"  - mode object {mode!r}\n" for mode in asked]
    lines += [f"  - tensor subclass {kind!r}\n" for kind in types]
    return (
        f"Multiple dispatch failed for '{called}'; all {handler} handlers returned NotImplemented:\n\n"
        f"{''.join(lines)}\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


slots.answering.fill(answering)
slots.python_fallback.fill(python_fallback)
