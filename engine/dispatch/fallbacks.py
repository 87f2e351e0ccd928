"""The backend fallbacks that are there from the start.

Mirrors aten/src/ATen/core/{BackendSelect,VariableFallback,MetaFallback}Kernel.cpp and the fallbacks of autocast,
functorch and functionalization. What belongs to layers that this engine does not have yet refuses by name.
"""

from typing import Any

from .. import slots
from . import registry
from .keys import AFTER_AUTOGRAD, AUTOGRAD_KEYS, DispatchKey
from .registry import OperatorEntry
from .table import Kernel, fallthrough_kernel
from .tracer import general_trace_function

K = DispatchKey


def autograd_fallback(entry: OperatorEntry, key_set: int, *arguments: Any) -> Any:
    """Redispatch below autograd, for an operator without an autograd kernel."""
    return slots.autograd_fallback(entry, key_set & AFTER_AUTOGRAD, arguments)


def functionalize_fallback(entry: OperatorEntry, key_set: int, *arguments: Any) -> Any:
    """Let functional tensors answer the call, without a write."""
    return slots.functionalize_fallback(entry, key_set, *arguments)


def meta_fallback(entry: OperatorEntry, key_set: int, *arguments: Any) -> Any:
    """Raise an error: a meta tensor has no elements that a kernel of another backend could read."""
    raise NotImplementedError(
        f"{entry.name}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel "
        "registered. Register one: Library(...).impl(op, fn, 'Meta')"
    )


def python_fallback(entry: OperatorEntry, key_set: int, *arguments: Any) -> Any:
    """Hand the call to the thread's innermost mode, or to the classes of the tensors."""
    return slots.python_fallback(entry, *arguments)


def front_fallback(entry: OperatorEntry, key_set: int, *arguments: Any) -> Any:
    """Hand the call to the thread's innermost transform."""
    return slots.front_fallback(entry, key_set, *arguments)


def back_fallback(entry: OperatorEntry, key_set: int, *arguments: Any) -> Any:
    """Hand the call to the next outer transform."""
    return slots.back_fallback(entry, key_set, *arguments)


def batched_fallback(entry: OperatorEntry, key_set: int, *arguments: Any) -> Any:
    """Call the operator for each slice of a batch, since it has no batching rule."""
    return slots.batched_fallback(entry, *arguments)


def dead_wrapper_fallback(entry: OperatorEntry, key_set: int, *arguments: Any) -> Any:
    """Repeat the call with unwrapped tensors, where the transform that wrapped them has ended."""
    return slots.dead_wrapper_fallback(entry, *arguments)


FALLBACKS = {
    K.BackendSelect: fallthrough_kernel,
    K.Python: python_fallback,
    K.FuncTorchDynamicLayerBackMode: back_fallback,
    K.Functionalize: functionalize_fallback,
    K.ADInplaceOrView: fallthrough_kernel,
    K.Tracer: general_trace_function,
    K.AutocastCPU: fallthrough_kernel,
    K.AutocastCUDA: fallthrough_kernel,
    K.FuncTorchBatched: batched_fallback,
    K.FuncTorchVmapMode: fallthrough_kernel,
    K.FuncTorchGradWrapper: dead_wrapper_fallback,
    K.PythonTLSSnapshot: fallthrough_kernel,
    K.FuncTorchDynamicLayerFrontMode: front_fallback,
    K.Meta: meta_fallback,
    **dict.fromkeys(AUTOGRAD_KEYS, autograd_fallback),
}


def register_all() -> None:
    """Register all fallbacks; called once, at startup."""
    for key, function in FALLBACKS.items():
        boxed = function is not fallthrough_kernel
        debug = f"registered at {__file__}:{function.__code__.co_firstlineno}"
        registry.register_fallback(key, Kernel(function, None, boxed, boxed, debug))


register_all()
