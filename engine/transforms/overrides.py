"""torch.overrides: modes, what functions of one's own ask, the overridable functions. Mirrors torch/overrides.py."""

import contextlib
import functools
import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .. import _ops, api, linalg
from .. import functional as functional_of_torch
from ..aten.python_bindings import NAMES
from ..dispatch.keys import ABOVE_PYTHON
from ..dispatch.local import local, state_of
from ..nn import functional, init
from ..tensor_impl import Tensor
from .overridable import FUNCTIONS_IN_PYTHON, switch
from .torch_function import DisableTorchFunction, answer, overloaded, set_in_thread, thread
from .torch_function import get_default_nowrap_functions as get_default_nowrap_functions

__all__ = [
    "get_ignored_functions", "get_overridable_functions", "get_testing_overrides", "handle_torch_function",
    "has_torch_function", "resolve_name", "is_tensor_like", "is_tensor_method_or_property", "wrap_torch_function",
    "enable_reentrant_dispatch", "redispatch_function",
]  # fmt: skip

# ---- modes


class TorchFunctionMode:
    """While it is entered, its `__torch_function__` gets all calls of public functions in this thread.

    Inside of that it is not entered: calls go to the mode around it. Several modes nest, the innermost comes first.
    """

    def __init__(self) -> None:
        pass

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None) -> Any:
        """Return the result of a call of `func`, or NotImplemented; `types` could take it over, too."""
        raise NotImplementedError

    def __enter__(self) -> Any:
        _push_mode(self)
        return self

    def __exit__(self, *_: Any) -> None:
        _pop_mode()


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that just calls."""

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None) -> Any:
        return func(*args, **(kwargs or {}))


def _push_mode(mode: Any) -> None:
    switch.use(1)
    thread.modes = (*thread.modes, mode)


def _pop_mode() -> Any:
    if not thread.modes:
        raise RuntimeError("trying to pop from empty mode stack")
    thread.modes, mode = thread.modes[:-1], thread.modes[-1]
    switch.use(-1)
    return mode


@contextlib.contextmanager
def _pop_mode_temporarily() -> Iterator[Any]:
    mode = _pop_mode()
    try:
        yield mode
    finally:
        _push_mode(mode)


def _get_current_function_mode() -> Any:
    return thread.modes[-1] if thread.modes else None


def _get_current_function_mode_stack() -> list[Any]:
    return [*thread.modes]


@contextlib.contextmanager
def enable_reentrant_dispatch() -> Iterator[None]:
    """Let the calls of a `__torch_dispatch__` within the block be recorded, and reach modes, as calls outside do."""
    before = local.state
    if before.excluded & ABOVE_PYTHON != ABOVE_PYTHON:
        raise RuntimeError("Accessing torch dispatch state outside of '__torch_dispatch__' is not allowed.")
    local.state = state_of(before.included, before.excluded & ~ABOVE_PYTHON)
    try:
        yield
    finally:
        local.state = before


# ---- functions of one's own


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Return True if one of the arguments, or a mode, takes calls over."""
    if not isinstance(relevant_args, (tuple, list)):
        raise TypeError("expected a sequence")
    return any(overloaded(() if isinstance(arg, (tuple, list)) else (arg,), {}) for arg in relevant_args)


def has_torch_function_unary(arg: Any) -> bool:
    """Return `has_torch_function((arg,))`."""
    return has_torch_function((arg,))


def has_torch_function_variadic(*args: Any) -> bool:
    """Return `has_torch_function(args)`."""
    return has_torch_function(args)


def handle_torch_function(public_api: Any, relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """Return the answer of a mode or of one of `relevant_args` to a call; a TypeError if none has one."""
    found = overloaded(relevant_args, {}, plain=True)
    return answer(found, public_api, f"{public_api.__module__}.{public_api.__name__}", "python", args, kwargs)


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[[Callable], Callable]:
    """Return a decorator that lets the arguments that `dispatcher` returns take a function's calls over."""

    def inner(func: Callable) -> Callable:
        @functools.wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped

    return inner


def redispatch_function(func: Callable[..., Any], types: Any, args: tuple, kwargs: dict[str, Any] | None) -> Any:
    """Call a function so that not its own call is taken over, but the calls that it makes are, if PyTorch's are."""
    in_python = resolve_name(func) is None or any(it.public is func for it in switch.overrides if it.style == "python")
    with set_in_thread(skip=True) if in_python else DisableTorchFunction():
        return func(*args, **(kwargs or {}))


def is_tensor_like(inp: Any) -> bool:
    """Return True for a tensor, and for what has a `__torch_function__`."""
    return hasattr(inp, "__torch_function__")


# ---- which functions can be taken over

IGNORED = str.split(
    "fill normal linspace promote_types result_type can_cast tensor as_tensor as_strided hardswish hardsigmoid stride "
    "unflatten __iter__"
)
SPACES = {
    "torch": importlib.import_module(__name__.partition(".")[0]), "torch.functional": functional_of_torch,
    "torch.nn.functional": functional, "torch.nn.init": init, "torch.Tensor": Tensor, "torch.linalg": linalg,
}  # fmt: skip


@functools.cache
def _functions() -> tuple[dict[Any, list[Any]], dict[Any, str], set[Any]]:
    """Return the overridable functions by space, the names of all functions, and the functions that can't be.

    PyTorch counts functions that get no tensor, which only a mode can take over, with the last.
    """
    overridable: dict[Any, list[Any]] = defaultdict(list)
    index: dict[Any, str] = {}
    ignored = set()
    taken = {override.public for override in switch.overrides}
    for names in NAMES:
        taken |= {function for name, function in names.bound.items() if _gets_a_tensor(name, names.schemas)}
    for label, space in SPACES.items():
        for name, member in _members(label, space).items():
            for slot in ("__get__", "__set__") if isinstance(member, property) else ("",):
                function = getattr(member, slot) if slot else member
                if index.get(function, "").startswith(label) and function.__name__ != name:
                    continue  # another name of the same function
                index[function] = f"{label}.{name}.{slot}" if slot else f"{label}.{name}"
                if space is not Tensor and (not name[0].islower() or name[-1] == "_"):
                    continue
                if function not in taken or name in IGNORED or name.startswith("new"):
                    ignored.add(function)
                elif slot != "__set__":
                    overridable[member if slot else space].append(function)
    return overridable, index, ignored


def _members(label: str, space: Any) -> dict[str, Any]:
    found = {name: api.PUBLIC[name] for name in FUNCTIONS_IN_PYTHON} if label == "torch.functional" else vars(space)
    if space is functional:
        found = {name: found[name] for name in functional.__all__}
    own = {
        name: it for name, it in found.items() if space is not init or getattr(it, "__module__", "") == init.__name__
    }
    return {name: member for name, member in own.items() if callable(member) or isinstance(member, property)}


def _gets_a_tensor(name: str, schemas: Any) -> bool:
    """Return False for `zeros` and `rand_like`: no argument is a tensor but for out=, or only its sizes matter."""
    arguments = [str(schema).partition("->")[0] for schema in schemas.get(name, ("Tensor ",))]
    return not name.startswith("rand") and any(re.search(r"Tensor\S* (?!out\b)", given) for given in arguments)


def get_overridable_functions() -> dict[Any, list[Any]]:
    """Return the functions that can be taken over: module or Tensor -> functions; a property -> its `__get__`."""
    return _functions()[0]


def get_ignored_functions() -> set[Any]:
    """Return the public functions that can't be taken over."""
    return _functions()[2]


def get_testing_overrides() -> dict[Any, Callable[..., int]]:
    """Return for each function that can be taken over one of the same signature that returns -1."""

    def stand_in(function: Any) -> Callable[..., int]:
        made = lambda *args, **kwargs: -1  # noqa: E731
        with contextlib.suppress(ValueError):
            made.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
        return made

    return {function: stand_in(function) for functions in _functions()[0].values() for function in functions}


def resolve_name(f: Any) -> str | None:
    """Return the name of a function that a handler got: `torch.Tensor.add`, `torch.Tensor.shape.__get__`."""
    return str(f) if isinstance(f, (_ops.OpOverload, _ops.OpOverloadPacket)) else _functions()[1].get(f)


def is_tensor_method_or_property(func: Any) -> bool:
    """Return True if a function that a handler got is a method of Tensor, or gets one of its properties."""
    name = str(resolve_name(func))
    return func.__name__ == "__get__" or (name.startswith("torch.Tensor.") and not name.endswith("__set__"))
