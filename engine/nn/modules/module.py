"""Module: a function with parameters, built of other modules. Mirrors torch/nn/modules/module.py.

A module finds what it owns by what is assigned to its attributes: parameters, buffers and modules go into dicts of
their own, everything else stays an attribute. All walks over a network go through these dicts.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ...tensor_impl import Tensor
from ...utils.hooks import RemovableHandle
from ..parameter import Buffer, Parameter
from . import changes, traversal
from . import state_dict as states
from .hooks import GLOBAL, call_with_hooks
from .hooks import register_module_forward_hook as register_module_forward_hook
from .hooks import register_module_forward_pre_hook as register_module_forward_pre_hook
from .registration import check_initialised, check_name, take_out, typename

HOOKS = (
    "_backward_pre_hooks", "_backward_hooks",
    "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
    "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks",
)  # fmt: skip
MEMBERS = ("_parameters", "_buffers", "_modules")


class Module:
    """Base class of all layers and networks. A subclass calls `super().__init__()` first and defines `forward`."""

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Any]
    _version = 1  # of the names in the state dict

    def __init__(self) -> None:
        own = self.__dict__  # not through __setattr__, which looks for what is made here
        own["training"] = True
        own.update((name, {}) for name in MEMBERS)
        own.update((name, OrderedDict()) for name in HOOKS)
        own["_non_persistent_buffers_set"] = set()

    # ---- the call

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the module's result; a subclass defines this method."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if GLOBAL or self._forward_hooks or self._forward_pre_hooks or self._backward_hooks or self._backward_pre_hooks:
            return call_with_hooks(self, args, kwargs)
        return self.forward(*args, **kwargs)

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Register `hook(module, args)` to run before forward; a result other than None replaces the arguments."""
        handle = self._hooked("_forward_pre_hooks", hook, prepend, self._forward_pre_hooks_with_kwargs)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        return handle

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Register `hook(module, args, result)` to run after forward; a value other than None replaces the result.

        Args:
            prepend: before the hooks that are there.
            with_kwargs: `hook(module, args, kwargs, result)`.
            always_call: even if forward raises an error.
        """
        extra = self._forward_hooks_with_kwargs, self._forward_hooks_always_called
        handle = self._hooked("_forward_hooks", hook, prepend, *extra)
        for asked, entries in zip((with_kwargs, always_call), extra, strict=True):
            if asked:
                entries[handle.id] = True
        return handle

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Register `hook(module, grad_outputs)` to run before the backward pass; it may return other gradients."""
        return self._hooked("_backward_pre_hooks", hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Register `hook(module, grad_inputs, grad_outputs)` to run after the backward pass; it may return other
        gradients of the inputs."""
        return self._hooked("_backward_hooks", hook, prepend)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register `hook(module, prefix, keep_vars)` to run before the module's state is saved to a state dict."""
        return self._hooked("_state_dict_pre_hooks", hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register `hook(module, state_dict, prefix, local_metadata)` to run after saving; it may modify the dict."""
        return self._hooked("_state_dict_hooks", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register a hook to run before the module's state is loaded; it takes the arguments of `load_own`."""
        return self._hooked("_load_state_dict_pre_hooks", hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register `hook(module, incompatible_keys)` to run after loading; it may modify the lists of keys."""
        return self._hooked("_load_state_dict_post_hooks", hook)

    def _hooked(self, name: str, hook: Callable[..., Any], prepend: bool = False, *extra: Any) -> RemovableHandle:
        hooks = getattr(self, name)
        handle = RemovableHandle(hooks, *extra)
        hooks[handle.id] = hook
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    # ---- attributes

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for dict_name in MEMBERS:
            members = own.get(dict_name)
            if members is not None and name in members:
                return members[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        parameters, modules, buffers = (own.get(members, {}) for members in ("_parameters", "_modules", "_buffers"))
        if isinstance(value, Parameter):
            check_initialised(self, "_parameters", "parameters")
            take_out(self, name, "_parameters")
            self.register_parameter(name, value)
        elif name in parameters:
            if value is not None:
                raise TypeError(_unassignable(value, "parameter", name, "torch.nn.Parameter or None expected"))
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            check_initialised(self, "_modules", "module")
            take_out(self, name, "_modules")
            modules[name] = value
        elif name in modules:
            if value is not None:
                raise TypeError(_unassignable(value, "child module", name, "torch.nn.Module or None expected"))
            modules[name] = None
        elif isinstance(value, Buffer) or name in buffers:
            if value is not None and not isinstance(value, Tensor):
                expected = "torch.nn.Buffer, torch.Tensor or None expected"
                raise TypeError(_unassignable(value, "buffer", name, expected))
            persistent = value.persistent if isinstance(value, Buffer) else name not in self._non_persistent_buffers_set
            self.register_buffer(name, value, persistent)
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        for dict_name in MEMBERS:
            if name in self.__dict__[dict_name]:
                del self.__dict__[dict_name][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        names = [*object.__dir__(self), *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if not name[0].isdigit())

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name; None reserves the name.

        Raises:
            AttributeError, TypeError, KeyError: as `check_name`; or it is not a parameter.
            ValueError: an operator that was recorded has made it.
        """
        check_initialised(self, "_parameters", "parameter")
        check_name(self, "parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To "
                f"express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a buffer: a tensor that is not trained.

        Args:
            persistent: whether it is in the state dict.
        Raises:
            AttributeError, TypeError, KeyError: as `check_name`; or it is not a tensor.
        """
        check_initialised(self, "_buffers", "buffer")
        check_name(self, "buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def add_module(self, name: str, module: "Module | None") -> None:
        """Add a submodule under a name.

        Raises:
            TypeError, KeyError: as `check_name`; or it is not a module.
        """
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        check_name(self, "module", name, self._modules)
        self._modules[name] = module

    register_module = add_module

    # ---- members by path

    def get_submodule(self, target: str) -> "Module":
        """Return the module that a path leads to; raise AttributeError if there is none."""
        module: Any = self
        for name in target.split(".") if target else ():
            module = _member(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter that a path leads to; raise AttributeError if there is none."""
        path, _, name = target.rpartition(".")
        parameter = _member(self.get_submodule(path), name)
        if not isinstance(parameter, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return parameter

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer that a path leads to; raise AttributeError if there is none."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        buffer = _member(module, name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer

    # ---- methods of other files

    named_modules, modules = traversal.named_modules, traversal.modules
    named_children, children = traversal.named_children, traversal.children
    named_parameters, parameters = traversal.named_parameters, traversal.parameters
    named_buffers, buffers = traversal.named_buffers, traversal.buffers
    _named_members = traversal._named_members

    train, eval = changes.train, changes.eval
    apply, _apply = changes.apply, changes._apply
    to, type, cpu, cuda = changes.to, changes.type, changes.cpu, changes.cuda
    float, double = changes.float, changes.double
    requires_grad_, zero_grad = changes.requires_grad_, changes.zero_grad

    state_dict, load_state_dict = states.state_dict, states.load_state_dict
    get_extra_state, set_extra_state = states.get_extra_state, states.set_extra_state
    _save_to_state_dict, _load_from_state_dict = states.save_own, states.load_own

    # ---- how it prints

    def extra_repr(self) -> str:
        """Return the text in the parentheses after the module's name."""
        return ""

    def _get_name(self) -> str:
        return self.__class__.__name__

    def __repr__(self) -> str:
        """Return one line, or one for each line of `extra_repr` and for each submodule."""
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        if len(lines) == 1 and not self._modules:
            return f"{self._get_name()}({extra})"
        lines += [indented(f"({name}): {module!r}") for name, module in self._modules.items()]
        return f"{self._get_name()}({block(lines)})"


def _member(module: Module, name: str) -> Any:
    if not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    return getattr(module, name)


def _unassignable(value: Any, kind: str, name: str, expected: str) -> str:
    return f"cannot assign '{typename(value)}' as {kind} '{name}' ({expected})"


def indented(text: str) -> str:
    """Indent every line of a text except the first by two columns."""
    return text.replace("\n", "\n  ")


def block(lines: list[str]) -> str:
    """Return `lines` as the indented block between the parentheses of a module's repr."""
    return "\n  " + "\n  ".join(lines) + "\n" if lines else ""
