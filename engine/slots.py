"""The functions that a lower layer calls and a higher one provides, each with the module that fills it.

A layer imports only what comes before it in `layers.py`. Where it must call what comes later, it calls a slot, and the
later module fills the slot when it is imported:

    slots.make_accumulator.fill(AccumulateGrad)     in autograd/accumulate_grad.py

PyTorch does the same with interfaces that libtorch registers (VariableHooksInterface, c10/core/impl).
"""

from collections.abc import Callable
from typing import Any


class Slot:
    """A function that another module provides later.

    Args:
        filled_by: the module below the package that fills it.
        about: what it does, with its arguments.
        otherwise: what is called until then; by default it is an error to call it.

    Attributes:
        function: what a call of the slot calls. Where each nanosecond counts, it is called itself.
    """

    def __init__(self, filled_by: str, about: str, otherwise: Callable[..., Any] | None = None):
        self.filled_by, self.about = filled_by, about
        self.function = otherwise or self._missing

    def fill(self, function: Callable[..., Any]) -> None:
        """Set the function that the slot calls; it must come from the module that the slot names."""
        module = function.__module__.partition(".")[2]
        if module != self.filled_by:
            raise ValueError(f"expected a function of {self.filled_by}, got one of {module}")
        self.function = function

    def _missing(self, *args: Any) -> Any:
        raise NotImplementedError(f"{self.filled_by} was not imported: it is to {self.about}")

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


def no_autograd_name(name: str) -> AttributeError:
    """Return the error for a name that `engine.autograd` does not have."""
    return AttributeError(f"module 'engine.autograd' has no attribute {name!r}")


def _find_no_autograd_name(name: str) -> Any:
    raise no_autograd_name(name)


autograd_name = Slot("profiler.public", "find a name that the profiler adds: (name)", _find_no_autograd_name)
autograd_fallback = Slot(
    "autograd.autograd_not_implemented_fallback",
    "call an operator that has no autograd kernel: (entry, keys below autograd, arguments)",
    lambda entry, key_set, arguments: entry.redispatch(key_set, *arguments),
)
is_grad_enabled = Slot("autograd.grad_mode", "say whether this thread records: ()", lambda: False)
is_inference_mode = Slot("autograd.inference", "say whether this thread is in inference mode: ()", lambda: False)
legacy_constructor = Slot("aten.legacy_constructors", "make a new tensor what Tensor(2, 3) is: (tensor, args, kwargs)")
make_accumulator = Slot("autograd.accumulate_grad", "make the AccumulateGrad of a leaf: (tensor)")
make_view_node = Slot("autograd.copy_slices", "make the node of a view whose base was written to: (tensor, meta)")
rebase_view = Slot("autograd.copy_slices", "give a base a new history after a write to its view: (tensor, meta, node)")
