"""A module's parameters and buffers as a dict of tensors, and back. Methods of `Module`.

Mirrors Module.state_dict, Module.load_state_dict and their kin.
"""

import warnings
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...autograd.grad_mode import no_grad
from ...tensor_impl import Tensor
from ..parameter import Parameter

Module = Any  # the class in module.py; some of these functions are its methods

EXTRA_STATE = "_extra_state"
"""Name of what a module's `get_extra_state` gives, behind the module's path."""


class IncompatibleKeys(NamedTuple):
    """The keys that a state dict lacks, and the keys that the module does not have."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class Report(NamedTuple):
    """The problems found so far while loading a state dict."""

    missing_keys: list[str]
    unexpected_keys: list[str]
    error_msgs: list[str]


def own_state(module: Module) -> dict[str, Tensor]:
    """Return the parameters and persistent buffers of a module, without its submodules'."""
    transient = module._non_persistent_buffers_set
    buffers = {name: buffer for name, buffer in module._buffers.items() if name not in transient}
    members = {**module._parameters, **buffers}
    return {name: member for name, member in members.items() if member is not None}


# ---- saving


def get_extra_state(self: Module) -> Any:
    """Return the module's extra state; a subclass that has any overrides this method and `set_extra_state`."""
    raise RuntimeError("get_extra_state() is not defined")


def set_extra_state(self: Module, state: Any) -> None:
    """Restore the extra state that `get_extra_state` returned."""
    raise RuntimeError("set_extra_state() is not defined")


def state_dict(
    self: Module, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
) -> dict[str, Any]:
    """Return a dict from path to tensor for all parameters and persistent buffers.

    Args:
        destination: a dict to write into.
        prefix: of all names.
        keep_vars: the tensors themselves, not detached from them.
    """
    if args:
        warnings.warn(
            "Positional args are being deprecated, use kwargs instead. Refer to "
            "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
            FutureWarning,
            stacklevel=2,
        )
        given = [*args, *(destination, prefix, keep_vars)[len(args) :]]
        destination, prefix, keep_vars = given
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    metadata = {"version": self._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = metadata
    for hook in self._state_dict_pre_hooks.values():
        hook(self, prefix, keep_vars)
    self._save_to_state_dict(destination, prefix, keep_vars)
    for name, module in self._modules.items():
        if module is not None:
            module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    for hook in self._state_dict_hooks.values():
        if hook(self, destination, prefix, metadata) is not None:
            raise RuntimeError("state_dict post-hook must return None")
    return destination


def save_own(self: Module, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
    """Write the module's own tensors into a state dict; a subclass may write more."""
    for name, member in own_state(self).items():
        destination[prefix + name] = member if keep_vars else member.detach()
    if type(self).get_extra_state is not get_extra_state:
        destination[prefix + EXTRA_STATE] = self.get_extra_state()


# ---- loading


def load_state_dict(
    self: Module, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
) -> IncompatibleKeys:
    """Copy the tensors of a state dict into the module and its descendants.

    Args:
        strict: the names must be the same.
        assign: the tensors themselves take the places of the module's.
    Returns:
        The names that one has and the other does not.

    Raises:
        TypeError: `state_dict` is not a dict.
        RuntimeError: names, when `strict`, or sizes don't fit; all that don't are in the message.
    """
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
    metadata = getattr(state_dict, "_metadata", None)
    copied = OrderedDict(state_dict)  # hooks and modules may write to it
    if metadata is not None:
        copied._metadata = metadata  # type: ignore[attr-defined]
    report = Report([], [], [])
    _load_below(self, copied, "", metadata or {}, assign, report)
    errors = report.error_msgs
    if strict:
        for begin, keys in (("Unexpected", report.unexpected_keys), ("Missing", report.missing_keys)):
            if keys:
                names = ", ".join(f'"{key}"' for key in keys)
                errors.insert(0, f"{begin} key(s) in state_dict: {names}. ")
    if errors:
        listed = "\n\t".join(errors)
        raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
    return IncompatibleKeys(report.missing_keys, report.unexpected_keys)


def _load_below(
    module: Module, state: dict[str, Any], prefix: str, metadata: Mapping[str, Any], assign: bool, report: Report
) -> None:
    local_metadata = metadata.get(prefix[:-1], {})
    if assign:
        local_metadata["assign_to_params_buffers"] = assign
    module._load_from_state_dict(state, prefix, local_metadata, True, *report)
    for name, child in module._modules.items():
        if child is not None:
            below = f"{prefix}{name}."
            part = {key: value for key, value in state.items() if key.startswith(below)}
            _load_below(child, part, below, metadata, assign, report)
    keys = IncompatibleKeys(report.missing_keys, report.unexpected_keys)
    for hook in module._load_state_dict_post_hooks.values():
        assert hook(module, keys) is None, (
            "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if "
            "incompatible_keys need to be modified, it should be done inplace."
        )


def load_own(
    self: Module, state_dict: dict[str, Any], prefix: str, local_metadata: Mapping[str, Any], strict: bool,
    missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str],
) -> None:  # fmt: skip
    """Load the module's own tensors from a state dict, in which their names begin with `prefix`.

    Args:
        local_metadata: of this module: the version that wrote the state dict.
        missing_keys, unexpected_keys, error_msgs: what is found is appended to them.
    """
    for hook in self._load_state_dict_pre_hooks.values():
        hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
    expected = own_state(self)
    assign = local_metadata.get("assign_to_params_buffers", False)
    for name, member in expected.items():
        key = prefix + name
        if key in state_dict:
            _load_one(self, name, member, key, state_dict[key], assign, error_msgs)
        elif strict:
            missing_keys.append(key)
    extra = prefix + EXTRA_STATE
    if type(self).set_extra_state is not set_extra_state:
        if extra in state_dict:
            self.set_extra_state(state_dict[extra])
        elif strict:
            missing_keys.append(extra)
    elif strict and extra in state_dict:
        unexpected_keys.append(extra)
    for key in state_dict if strict else ():
        if key.startswith(prefix) and key != extra:
            first, *below = key[len(prefix) :].split(".", 1)
            if first not in (self._modules if below else expected):
                unexpected_keys.append(key)


def _load_one(
    module: Module, name: str, member: Tensor, key: str, given: Any, assign: bool, error_msgs: list[str]
) -> None:
    if not isinstance(given, Tensor):
        error_msgs.append(
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received {type(given)}"
        )
        return
    if not member.shape and given.shape == (1,):
        given = given[0]
    if given.shape != member.shape:
        error_msgs.append(
            f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in current "
            f"model is {member.shape}."
        )
        return
    if member.is_meta and not given.is_meta and not assign:
        warnings.warn(
            f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, "
            "which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their "
            "corresponding key in the module instead of copying them in place?)",
            stacklevel=2,
        )
    try:
        with no_grad():
            if assign:
                setattr(module, name, _as_member(given, member))
            else:
                member.copy_(given)
    except Exception as error:
        error_msgs.append(
            f'While copying the parameter named "{key}", whose dimensions in the model are {member.size()} and whose '
            f"dimensions in the checkpoint are {given.size()}, an exception occurred : {error.args}."
        )


def _as_member(given: Tensor, member: Tensor) -> Tensor:
    """Return the tensor as what it replaces: a parameter with the same `requires_grad`, or a buffer."""
    if not isinstance(member, Parameter):
        return given
    if isinstance(given, Parameter):
        return given.requires_grad_(member.requires_grad)
    return Parameter(given, requires_grad=member.requires_grad)
