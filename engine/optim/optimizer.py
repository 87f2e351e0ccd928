"""Optimizer: groups of parameters with their options, and what it remembers of each.

Mirrors torch/optim/optimizer.py.
"""

import copy
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..autograd.grad_mode import enable_grad, no_grad
from ..nn.modules.registration import typename
from ..nn.parameter import zero_gradient
from ..profiler.places import PLACES, Place, annotated
from ..tensor_impl import Tensor
from ..utils.hooks import RemovableHandle

Group = dict[str, Any]
StateDict = dict[str, Any]
UNSUPPORTED = ("fused", "capturable", "differentiable")


class Optimizer:
    """Base class of all optimizers: a subclass defines `_update`, which updates the parameters of one group.

    Args:
        params: tensors, or pairs of names and tensors; or dicts with such under "params" and options of their own.
        defaults: the options of groups that have none of their own.
    Raises:
        TypeError: something else than tensors or dicts.
        ValueError: no parameters; one that is not a leaf, or that two groups have.

    Attributes:
        param_groups: dicts of options, the parameters under "params".
        state: parameter -> values kept for it.
    """

    def __init__(self, params: Iterable[Any], defaults: Group):
        for option in UNSUPPORTED:
            if defaults.get(option):
                raise NotImplementedError(f"{type(self).__name__}: {option}=True is out of the engine's scope")
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + typename(params)
            )
        self.defaults = defaults
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[Group] = []
        self._step_pre_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self._step_post_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    # ---- steps

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or to zero."""
        for group in self.param_groups:
            for parameter in group["params"]:
                zero_gradient(parameter, set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update all parameters that have a gradient.

        Args:
            closure: computes the loss and the gradients anew.
        Returns:
            What it returns.
        """
        for hook in tuple(self._step_pre_hooks.values()):
            hook(self, (self,), {"closure": closure})
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                self._update(group)
        for hook in tuple(self._step_post_hooks.values()):
            hook(self, (self,), {"closure": closure})
        return loss

    def _update(self, group: Group) -> None:
        """Change the parameters of a group that have a gradient; it runs without recording."""
        raise NotImplementedError

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register `hook(optimizer, args, kwargs)` to be called before each step."""
        return self._hooked(self._step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register `hook(optimizer, args, kwargs)` to be called after each step."""
        return self._hooked(self._step_post_hooks, hook)

    def _hooked(self, hooks: dict[int, Callable[..., Any]], hook: Callable[..., Any]) -> RemovableHandle:
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        return handle

    # ---- groups

    def add_param_group(self, param_group: Group) -> None:
        """Add a group of parameters with options of its own.

        Raises:
            TypeError: no dict; parameters in a set, which has no order, or no tensors.
            ValueError: a parameter is not a leaf, or in another group already; some have names and others don't.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        _take_parameters(param_group)
        for parameter in param_group["params"]:
            if not isinstance(parameter, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {typename(parameter)}")
            if not (parameter.is_leaf or parameter.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        self._check_duplicates(param_group)
        self.param_groups.append(param_group)

    def _check_duplicates(self, param_group: Group) -> None:
        parameters = set(param_group["params"])
        if len(parameters) != len(param_group["params"]):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=4,
            )
        is_named = "param_names" in param_group
        if any(is_named != ("param_names" in group) for group in self.param_groups):
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{'with names' if is_named else 'without names'} to the optimizer"
            )
        if not parameters.isdisjoint(parameter for group in self.param_groups for parameter in group["params"]):
            raise ValueError("some parameters appear in more than one parameter group")

    # ---- the state dict

    def state_dict(self) -> StateDict:
        """Return the states of parameters under "state", options under "param_groups"; parameters become numbers."""
        numbers: dict[int, int] = {}
        for parameter in self._parameters():
            numbers.setdefault(id(parameter), len(numbers))
        groups = [
            {**{name: value for name, value in group.items() if name != "params"},
             "params": [numbers[id(parameter)] for parameter in group["params"]]}
            for group in self.param_groups
        ]  # fmt: skip
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Load the state dict of an optimizer with the same numbers of groups and of parameters in each group.

        Raises:
            ValueError: there are more or fewer.
        """
        groups = copy.deepcopy(state_dict["param_groups"])
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        for mine, given in zip(self.param_groups, groups, strict=True):
            if len(mine["params"]) != len(given["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
                )
        numbers = [number for group in groups for number in group["params"]]
        parameters = dict(zip(numbers, self._parameters(), strict=True))
        for mine, given in zip(self.param_groups, groups, strict=True):
            given["params"] = mine["params"]
            if "param_names" in mine:
                given.setdefault("param_names", mine["param_names"])
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            known = key in parameters
            state[parameters[key] if known else key] = _converted(value, parameters[key]) if known else value
        self.__setstate__({"state": state, "param_groups": groups})

    def _parameters(self) -> Iterator[Tensor]:
        return (parameter for group in self.param_groups for parameter in group["params"])

    def __getstate__(self) -> StateDict:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: StateDict) -> None:
        self.__dict__.update(state)
        for hooks in ("_step_pre_hooks", "_step_post_hooks"):
            self.__dict__.setdefault(hooks, OrderedDict())

    def __repr__(self) -> str:
        shown = f"{type(self).__name__} ("
        for number, group in enumerate(self.param_groups):
            options = [f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params"]
            shown += f"\nParameter Group {number}\n" + "".join(options)
        return shown + ")"


def _profiled(method: str) -> Place:
    """Return a method's place, where its calls become events of a profile: "Optimizer.step#SGD.step"."""
    return Place(Optimizer, method, annotated(lambda self, *_: f"Optimizer.{method}#{type(self).__name__}.{method}"))


PLACES += [_profiled("step"), _profiled("zero_grad")]


def _take_parameters(param_group: Group) -> None:
    """Make a list of the value under "params", and one of the parameters' names, if any, under "param_names"."""
    params = param_group["params"]
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
            "will change between runs. Please use a list instead."
        )
    entries = [params] if isinstance(params, Tensor) else list(params)
    names = [entry[0] for entry in entries if isinstance(entry, tuple)]
    param_group["params"] = [entry[1] if isinstance(entry, tuple) else entry for entry in entries]
    if names:
        if len(names) != len(entries):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        param_group["param_names"] = names


def _converted(value: Any, parameter: Tensor, key: Any = None) -> Any:
    """Return the stored value, its tensors with the dtype and on the device of the parameter; step counts are left
    as they are."""
    if isinstance(value, Tensor):
        if key == "step":
            return value
        return value.to(dtype=parameter.dtype if parameter.is_floating_point() else None, device=parameter.device)
    if isinstance(value, dict):
        return {name: _converted(entry, parameter, name) for name, entry in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(_converted(entry, parameter) for entry in value)  # type: ignore[call-arg]
    return value
