"""The public functions whose calls can be taken over, and the switch that lets them be.

While no class has a `__torch_function__` and no mode is entered, nothing looks for them: the functions have their usual
code. With the first, each gets other code, and with the last it gets its own back; the function objects stay. Generated
functions are generated again with a line more (`Names.set_overridable`); the code of the handwritten ones, which are in
the tables here, calls an `Override`.
"""

import functools
import inspect
import threading
import weakref
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from .. import _ops, api, slots
from ..aten.python_bindings import NAMES
from ..autograd import grad_mode, python_engine
from ..nn import functional, init, parameter
from ..tensor_impl import Tensor
from .torch_function import DisableTorchFunction, handled, overloaded

# ---- on and off


class Switch:
    """Counts the classes and modes that are there; with the first, calls can be taken over."""

    def __init__(self) -> None:
        self.users = 0
        self.lock = threading.RLock()  # a class may go in a garbage collection that begins within `use`

    def use(self, change: int) -> None:
        """Count a class or a mode that has come (1) or gone (-1)."""
        with self.lock:
            before, self.users = self.users, self.users + change
            if bool(before) == bool(self.users):
                return
            for names in NAMES:
                names.namespace.update(overloaded=overloaded, handled=handled)
                names.set_overridable(bool(self.users))
            for override in self.overrides:
                override.set(bool(self.users))

    @functools.cached_property  # and no memo: the code that functions get back must not be forgotten
    def overrides(self) -> "tuple[Override, ...]":
        """The overrides of all handwritten functions, methods and properties."""
        return make_overrides()


switch = Switch()
types_in_use: "weakref.WeakSet[type]" = weakref.WeakSet()


def overridable_type(kind: type) -> bool:
    """Let a class take calls over while it exists; return False if it does already."""
    if kind in types_in_use:
        return False
    types_in_use.add(kind)
    weakref.finalize(kind, switch.use, -1).atexit = False
    switch.use(1)
    return True


# ---- one handwritten function


class Override:
    """Finds out who takes over a call of a handwritten function.

    Args:
        function: the function whose code is replaced.
        public: what handlers get: itself, or `__get__` or `__set__` of its property.
        label, style: as `handled`.
    """

    def __init__(self, function: Any, public: Any, label: str, style: str):
        self.function, self.public, self.label, self.style = function, public, label, style
        parts = function.__globals__, function.__name__, function.__defaults__, function.__closure__
        self.work = FunctionType(function.__code__, *parts)
        self.work.__kwdefaults__ = function.__kwdefaults__
        self.work.__dict__.update(function.__dict__)  # `__wrapped__`, for the signature
        code = _stand_in.__code__
        constants = tuple(self if constant == "OVERRIDE" else constant for constant in code.co_consts)
        cells = function.__code__.co_freevars  # of which a function can't have more or fewer than before
        self.code = code.replace(co_name=function.__name__, co_freevars=cells, co_consts=constants)

    def set(self, on: bool) -> None:
        """Give the function the code that calls this object, or its own."""
        if on:
            self.work.__code__ = self.function.__code__
        self.function.__code__ = self.code if on else self.work.__code__

    def __call__(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        found = self._overloaded(args, kwargs)
        if not found:
            return self.work(*args, **kwargs)
        if self.style == "python":
            args, kwargs = self._as_python_passes(args, kwargs)
        answer = handled(found, self.public, self.label, self.style, args, kwargs)
        return None if self.label == "torch.Tensor.__setitem__" else answer

    def _overloaded(self, args: tuple, kwargs: dict[str, Any]) -> list[Any]:
        return overloaded((), {}) if self.label in FOR_MODES_ONLY else overloaded(args, kwargs)

    @functools.cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.work)

    def _as_python_passes(self, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        """Return all arguments: those with a default by keyword, as PyTorch's Python functions pass them."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        parameters = self._signature.parameters.values()
        of_init = self.label.startswith("torch.nn.init.")
        optional = [one.name for one in parameters if of_init or one.default is not one.empty]
        by_keyword = {name: bound.arguments.pop(name) for name in optional}
        return bound.args, by_keyword


class OfOperator(Override):
    """Finds out who takes over the call of `torch.ops.aten.add` or of one of its overloads."""

    def __call__(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        operator, *given = args
        found = overloaded(given, kwargs)
        if not found:
            return self.work(*args, **kwargs)
        packet = getattr(operator, "overloadpacket", operator)
        return handled(found, operator, f"torch.ops{packet}", "operator", tuple(given), kwargs)


class OfGradMode(Override):
    """Shows modes what a block of `no_grad` sets."""

    def __call__(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        self.work(*args, **kwargs)
        if found := overloaded((), {}):
            handled(found, _set_grad_enabled, "torch._C._set_grad_enabled", "parsed", (grad_mode.state.grad_mode,), {})


def _set_grad_enabled(enabled: bool) -> None:
    grad_mode.state.grad_mode = enabled


class OfNobody(Override):
    """Calls a function with classes and modes off: what it calls is not seen in PyTorch."""

    def __call__(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        with DisableTorchFunction():
            return self.work(*args, **kwargs)


def _stand_in(*args: Any, **kwargs: Any) -> Any:
    override: Any = "OVERRIDE"
    return override(args, kwargs)


def _iterate(self: Tensor) -> Iterator[Tensor]:  # as torch/_tensor.py, by calls that can be taken over
    if self.dim() == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


# ---- the handwritten functions

words = str.split
FUNCTIONS = words("tensor as_tensor numel is_floating_point nonzero result_type promote_types can_cast")
FOR_MODES_ONLY = ("torch.tensor", "torch.as_tensor")  # data of any class is copied
FUNCTIONS_IN_PYTHON = words("broadcast_tensors chain_matmul einsum meshgrid norm split tensordot")  # torch.functional
# In torch.nn.functional: those that PyTorch writes in C; those that only call a method.
NN_IN_C = words(
    "bilinear gelu hardshrink linear logsigmoid one_hot prelu scaled_dot_product_attention softplus softshrink"
)
NN_BY_METHOD = ("sigmoid", "tanh")
INIT = words("uniform_ normal_ constant_ kaiming_uniform_")
METHODS_IN_PYTHON = words(
    "split norm backward register_hook register_post_accumulate_grad_hook "
    "__len__ __contains__ __reversed__ __format__ __repr__ __deepcopy__ __reduce_ex__"
)
METHODS_PARSED = words(
    "size stride is_contiguous to cpu cuda contiguous copy_ requires_grad_ numpy nonzero type new "
    "float double half bfloat16 int long short char byte bool __getitem__ __setitem__"
)
METHODS_OF_SELF = words("__bool__ __int__ __float__ __complex__ __index__ __invert__ __iter__ _version _base _is_view")
UNDERSCORED = {*METHODS_IN_PYTHON, *METHODS_PARSED, *METHODS_OF_SELF}


def make_overrides() -> tuple[Override, ...]:
    """Make the overrides of all handwritten functions, methods and properties."""
    functions = api.PUBLIC
    made = [Override(functions[name], functions[name], f"torch.{name}", "parsed") for name in FUNCTIONS]
    python = {f"torch.functional.{name}": functions[name] for name in FUNCTIONS_IN_PYTHON}
    python |= {f"torch.nn.init.{name}": getattr(init, name) for name in INIT}
    python["torch.autograd.grad"] = python_engine.grad
    generated = {function for names in NAMES for function in names.bound.values()}
    for name in functional.__all__:
        function = getattr(functional, name)
        if name in NN_IN_C:
            made.append(Override(function, function, f"torch.nn.{name}", "parsed"))
        elif name not in NN_BY_METHOD and function not in generated:
            python[f"torch.nn.functional.{name}"] = function
    made += [Override(function, function, label, "python") for label, function in python.items()]
    made += [OfOperator(kind.__call__, None, "", "") for kind in (_ops.OpOverload, _ops.OpOverloadPacket)]
    blocks = grad_mode._GradMode, grad_mode.set_grad_enabled
    steps = [getattr(block, step) for block in blocks for step in ("__enter__", "__exit__")]
    made += [OfGradMode(step, None, "", "") for step in (*steps, grad_mode.set_grad_enabled.__init__)]
    made += [OfNobody(function, None, "", "") for function in (vars(Tensor)["as_subclass"], parameter.share)]
    made += [one for name, member in vars(Tensor).items() if _is_public(name) for one in _of_member(name, member)]
    unique = {override.function: override for override in reversed(made) if override.function not in generated}
    unique[vars(Tensor)["__iter__"]].code = _iterate.__code__
    return tuple(unique.values())


def _is_public(name: str) -> bool:
    return name in UNDERSCORED if name.startswith("_") else name not in ("as_subclass", "accessor")


def _of_member(name: str, member: Any) -> Iterator[Override]:
    if isinstance(member, property):
        for function, slot in ((member.fget, "__get__"), (member.fset, "__set__")):
            if function is not None:
                yield Override(function, getattr(member, slot), f"torch.Tensor.{name}.{slot}", "self")
    elif isinstance(member, FunctionType):
        if name in METHODS_IN_PYTHON:
            label, style = f"torch._tensor.{name}", "python"
        else:
            label, style = f"torch.Tensor.{name}", "parsed" if name in METHODS_PARSED else "self"
        if name in UNDERSCORED:
            member.__name__ = name
        yield Override(member, member, label, style)


slots.overridable_type.fill(overridable_type)
