"""The stack of transforms: a call goes to the innermost layer, which passes it to the next one, down to the backends.

    FuncTorchDynamicLayerFrontMode   above all keys: the innermost layer takes the call, and hides all keys but its own
    the layer's own keys             FuncTorchBatched of vmap, the Autograd keys of grad, Functionalize
    FuncTorchDynamicLayerBackMode    below them: the layer steps aside, and the call starts again from the top

A thread includes both modes exactly while its stack has a layer, so a call outside of all transforms costs nothing.
Mirrors aten/src/ATen/functorch/{DynamicLayer,Interpreter,VmapInterpreter,FunctionalizeInterpreter}.cpp.
"""

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import slots
from ..dispatch import registry
from ..dispatch.function_schema import FunctionSchema
from ..dispatch.keys import AUTOCAST, LAYERS, DispatchKey, below, bits
from ..dispatch.local import ThreadState, count_modes, local, state_of
from ..dispatch.registry import OperatorEntry
from ..tensor_impl import Tensor

K = DispatchKey
BATCHED, VMAP_MODE, FUNCTIONALIZE = bits(K.FuncTorchBatched), bits(K.FuncTorchVmapMode), bits(K.Functionalize)
WRAPPER = bits(K.FuncTorchGradWrapper)
ALL_LAYER_KEYS = (
    (below(K.FuncTorchDynamicLayerFrontMode) | bits(K.FuncTorchDynamicLayerFrontMode))
    & ~(below(K.FuncTorchDynamicLayerBackMode) | bits(K.FuncTorchDynamicLayerBackMode))
    & ~(AUTOCAST | VMAP_MODE)
)
"""The keys above the back mode that a layer at work hides unless they are its own (all_dynlayer_keyset)."""


class Layers(threading.local):
    """The thread's layers, the innermost last."""

    def __init__(self) -> None:
        self.stack: tuple[Any, ...] = ()


layers = Layers()


class Interpreter:
    """A transform of the thread's stack, inside the `with` block that it is the context manager of.

    Attributes:
        own: bits of the keys whose kernels do its work.
        included: bits that its calls include besides.
        level: its place in the stack; 1 is the outermost.
        saved: the thread's state in which the next outer layer takes a call over; set while a call is at this layer.
        is_alive: False once the block is left.
    """

    own = included = 0

    def __init__(self) -> None:
        self.level = len(layers.stack) + 1
        self.saved: ThreadState | None = None
        self.is_alive = True

    def __enter__(self) -> Any:
        set_layers((*layers.stack, self))
        return self

    def __exit__(self, *_: Any) -> None:
        self.is_alive = False
        set_layers(layers.stack[:-1])

    def process(self, entry: OperatorEntry, key_set: int, arguments: Sequence[Any]) -> Any:
        """Take a call over from the top: call the operator again with no keys of layers but the layer's own.

        Args:
            key_set: of the call. What outlived a grad layer, and is replaced by its value, has a key in it.
        """
        if key_set & WRAPPER:
            assert entry.schema is not None
            arguments = map_arguments(entry.schema, slots.unwrap_if_dead, arguments)
        local.state = only_own_keys(local.state, self.own, self.included)
        return entry.call(*arguments)

    def lower(self, entry: OperatorEntry, arguments: Sequence[Any]) -> Any:
        """Pass a call to the next outer layer, which the thread is in already."""
        return entry.call(*arguments)

    @contextlib.contextmanager
    def lowered(self) -> Iterator[None]:
        """Leave the layer inside the block, whose calls begin at the next outer one."""
        stack, before = layers.stack, local.state
        set_layers(stack[:-1])
        try:
            yield
        finally:
            layers.stack, local.state = stack, before
            if len(stack) == 1:
                count_modes(1)


def set_layers(stack: tuple[Any, ...]) -> None:
    """Make these the thread's layers. While there is one, all calls of the thread include the front and back modes."""
    before, layers.stack = layers.stack, stack
    if bool(before) != bool(stack):
        count_modes(1 if stack else -1)
        now = local.state
        local.state = state_of(now.included | LAYERS, now.excluded) if stack else without_layers(now)


@functools.cache
def without_layers(state: ThreadState) -> ThreadState:
    """Return a thread's state without the modes of layers."""
    return state_of(state.included & ~LAYERS, state.excluded)


@functools.cache
def only_own_keys(state: ThreadState, own: int, included: int) -> ThreadState:
    """Return the state in which a layer's kernels run: without the keys of all layers but its own.

    Source: keysToExcludeWhenEnteringDynamicLayer and setup_dispatch_key_tls (functorch/Interpreter.cpp).
    """
    return state_of(state.included | included, (state.excluded | ALL_LAYER_KEYS) & ~own)


def front_fallback(entry: OperatorEntry, key_set: int, *arguments: Any) -> Any:
    """Let the innermost layer take a call over. The thread is then as it was, whatever is raised.

    Source: dynamicLayerFrontFallback (aten/src/ATen/functorch/DynamicLayer.cpp).
    """
    layer, before = layers.stack[-1], local.state
    layer.saved = without_layers(before) if layer.level == 1 else before
    try:
        return layer.process(entry, key_set, arguments)
    finally:
        layer.saved, local.state = None, before


def back_fallback(entry: OperatorEntry, key_set: int, *arguments: Any) -> Any:
    """Let the innermost layer step aside, and call the operator from the top of the others.

    Source: dynamicLayerBackFallback (aten/src/ATen/functorch/DynamicLayer.cpp).
    """
    stack, before = layers.stack, local.state
    layer = stack[-1]
    layers.stack, local.state = stack[:-1], layer.saved
    try:
        return layer.lower(entry, arguments)
    finally:
        layers.stack, local.state = stack, before


def layer_names() -> list[str]:
    """Return "level 1: vmap", "level 2: grad" and so on, the names of the thread's layers, the innermost last."""
    names = [type(layer).__name__.removesuffix("Interpreter").lower() for layer in layers.stack]
    return [f"level {number}: {name}" for number, name in enumerate(names, 1)]


def map_arguments(schema: FunctionSchema, function: Callable[[Tensor], Any], arguments: Sequence[Any]) -> list[Any]:
    """Return the arguments of a call with `function` called on each tensor, in lists too."""
    mapped = list(arguments)
    tensors, lists = schema.tensor_positions
    for at in tensors:
        if mapped[at] is not None:
            mapped[at] = function(mapped[at])
    for at in lists:
        if mapped[at] is not None:
            mapped[at] = tuple([one if one is None else function(one) for one in mapped[at]])
    return mapped


def map_results(function: Callable[[Tensor], Any], result: Any) -> Any:
    """Return the result of a call with `function` called on each tensor."""
    if isinstance(result, Tensor):
        return function(result)
    return tuple([map_results(function, one) for one in result]) if isinstance(result, (tuple, list)) else result


slots.layer_names.fill(layer_names)
slots.front_fallback.fill(front_fallback)
slots.back_fallback.fill(back_fallback)
registry.replace_fallback(K.FuncTorchDynamicLayerFrontMode, front_fallback)
registry.replace_fallback(K.FuncTorchDynamicLayerBackMode, back_fallback)
