"""Which modules run now: their names, in forward and in backward. Mirrors torch/utils/module_tracker.py."""

import weakref
from typing import Any

from ..autograd.graph import register_multi_grad_hook
from ..autograd.state import state
from ..nn.modules.hooks import register_module_forward_hook, register_module_forward_pre_hook
from ..utils.hooks import RemovableHandle
from .nested import tensors_in

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """Context manager that follows the calls of modules.

    The backward of a module begins when the gradients of its results are there, and ends when the gradients of its
    arguments are.

    Attributes:
        parents: "Global" and the names of the modules that run: "Class" if it is part of no other, or "Class.part".
    """

    def __init__(self) -> None:
        self.parents = {"Global"}
        self._names: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
        self._handles: list[RemovableHandle] = []

    @property
    def is_bw(self) -> bool:
        """True within a backward pass."""
        return state.graph_task is not None

    def __enter__(self) -> "ModuleTracker":
        self._handles += [
            register_module_forward_pre_hook(lambda module, args: self._change(module, args, begins=True)),
            register_module_forward_hook(lambda module, args, result: self._change(module, result, begins=False)),
        ]
        return self

    def __exit__(self, *_: Any) -> None:
        while self._handles:
            self._handles.pop().remove()

    def _change(self, module: Any, value: Any, begins: bool) -> None:
        """Note that a forward begins or ends; where it begins, its backward ends when `value` has its gradients."""
        name = self._name(module)
        (self.parents.add if begins else self.parents.discard)(name)
        if tensors := [tensor for tensor in tensors_in(value) if tensor.requires_grad]:
            self._handles.append(
                register_multi_grad_hook(tensors, lambda _: self._change_in_backward(name, not begins))
            )

    def _change_in_backward(self, name: str, begins: bool) -> None:
        if begins and self._after_pass not in state.graph_task.final_callbacks:
            state.graph_task.final_callbacks.append(self._after_pass)
        (self.parents.add if begins else self.parents.discard)(name)

    def _after_pass(self) -> None:
        self.parents = {"Global"}

    def _name(self, module: Any) -> str:
        """Return the name of a module; all of its parts have theirs then."""
        if module not in self._names:
            name = type(module).__name__
            self._names.update({part: f"{name}.{path}" if path else name for path, part in module.named_modules()})
        return self._names[module]
