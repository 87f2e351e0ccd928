"""The functions that a lower layer calls and a higher one provides, each with the module that fills it.

A layer imports only what comes before it in `layers.py`. Where it must call what comes later, it calls a slot, and the
later module fills the slot when it is imported:

    slots.make_accumulator.fill(AccumulateGrad)     in autograd/accumulate_grad.py

PyTorch does the same with interfaces that libtorch registers (VariableHooksInterface, c10/core/impl).
"""

import importlib
from collections.abc import Callable
from typing import Any


class Slot:
    """A function that another module provides later.

    Args:
        filled_by: the module below the package that fills it.
        about: what it does, with its arguments.
        otherwise: what is called until then; by default the module is imported, which fills the slot.

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

    def _missing(self, *args: Any, **kwargs: Any) -> Any:
        try:
            importlib.import_module(f"{__package__}.{self.filled_by}")
        except ModuleNotFoundError as error:  # a copy of the first layers
            raise NotImplementedError(f"{self.filled_by} is missing: it is to {self.about}") from error
        if self.function == self._missing:
            raise NotImplementedError(f"{self.filled_by} did not fill the slot that is to {self.about}")
        return self.function(*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


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
load_half_kernels = Slot("cpu.half_kernels", "make kernels take halves: ()")
make_accumulator = Slot("autograd.accumulate_grad", "make the AccumulateGrad of a leaf: (tensor)")
make_view_node = Slot("autograd.copy_slices", "make the node of a view whose base was written to: (tensor, meta)")
python_fallback = Slot(
    "transforms.python_dispatch", "let modes and tensor classes answer a call of an operator: (entry, *arguments)"
)
front_fallback = Slot(
    "transforms.interpreters", "let the innermost transform take a call: (entry, key set, *arguments)"
)
back_fallback = Slot("transforms.interpreters", "pass a call to the next transform: (entry, key set, *arguments)")
unwrap_if_dead = Slot("transforms.grad_wrapper", "return the value of what outlived its transform: (tensor)")
dead_wrapper_fallback = Slot("transforms.grad_wrapper", "unwrap what outlived its transform: (entry, *arguments)")
batched_fallback = Slot(
    "transforms.batched_fallback", "call an operator for each slice of a batch: (entry, *arguments)"
)
batched_gradients = Slot("transforms.eager_transforms", "run backward passes at once: (pass, gradients)")
custom_function_call = Slot("transforms.autograd_function", "call a Function inside transforms: (function, inputs)")
unwrap_dead_wrappers = Slot(
    "transforms.grad_wrapper", "unwrap those that outlived their transform: (values)", lambda values: values
)
functionalize_fallback = Slot("transforms.functional_kernels", "call without writes: (entry, key set, *arguments)")
take_data = Slot("transforms.functional_tensor", "make a tensor of a layer what another one is: (tensor, data)")
layer_names = Slot("transforms.interpreters", "name the layers of the thread, the innermost last: ()")
picture_of_levels = Slot("draw.levels", "draw a call under transforms: (name, schema, arguments)")
answering = Slot("transforms.python_dispatch", "name who answers a call at the key Python, in order: (arguments)")
add_keys = Slot("transforms.wrapper_subclass", "give a tensor the keys of its class: (tensor)")
as_subclass = Slot("transforms.wrapper_subclass", "give a tensor a class: (tensor, class)")
disabled_torch_dispatch = Slot("transforms.wrapper_subclass", "call an operator without classes: (func, types, ...)")
make_subclass = Slot("transforms.wrapper_subclass", "give data a class: (class, data, requires_grad)")
make_wrapper_subclass = Slot("transforms.wrapper_subclass", "make a tensor without memory: (class, sizes, ...)")
wrapped_scalar_tensor = Slot("aten.scalar_ops", "make a tensor of a Python number: (number)")
shallow_copy_and_detach = Slot("autograd.variable", "alias a tensor without its history: (tensor)")
overridable_type = Slot("transforms.overridable", "let a class take calls over while it exists: (class)")
default_torch_function = Slot("transforms.torch_function", "call a function: (class, func, types, args, kwargs)")
is_parameter = Slot("nn.parameter", "say whether a tensor is a Parameter: (tensor)", lambda tensor: False)
rebase_view = Slot("autograd.copy_slices", "give a base a new history after a write to its view: (tensor, meta, node)")
