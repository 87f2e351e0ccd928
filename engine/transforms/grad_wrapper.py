"""The layer of grad, and the tensors that it records: each wraps a tensor of the next outer layer.

A GradWrapper has the Autograd keys, so the ordinary autograd kernels record on it; what they call below is passed to
the next layer by the back mode, on the values inside.
Mirrors aten/src/ATen/functorch/{TensorWrapper,ADInterpreters}.cpp.
"""

import textwrap
from collections.abc import Sequence
from typing import Any

from .. import slots
from ..autograd.state import state as autograd
from ..dispatch.function_schema import FunctionSchema
from ..dispatch.keys import AUTOCAST, AUTOGRAD_FUNCTIONALITIES, BACKEND_MASK, KEY_SETS, LAYERS, DispatchKey, bits
from ..dispatch.local import DispatchKeyGuard, local
from ..dispatch.registry import OperatorEntry
from ..dtypes import device as Device
from ..storage import UntypedStorage
from ..tensor_impl import Tensor, _disabled_torch_function_impl
from .interpreters import Interpreter, map_arguments, map_results, only_own_keys

AD_KEYS = (AUTOGRAD_FUNCTIONALITIES | bits(DispatchKey.ADInplaceOrView)) & ~BACKEND_MASK
OF_WRAPPERS = KEY_SETS["cpu"] & AD_KEYS | bits(DispatchKey.FuncTorchGradWrapper)
PROPAGATED = bits(DispatchKey.CPU) | bits(DispatchKey.QuantizedCPU) | BACKEND_MASK | AUTOCAST
"""The keys of a value that a tensor which wraps it has, too (kKeysToPropagateToWrapper)."""

INVALID_MUTATION = (
    "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
    "({name}) that would mutate a captured Tensor. This is not supported; please rewrite the function being "
    "transformed to explicitly accept the mutated Tensor(s) as inputs."
)
NO_MEMORY = "Cannot access data pointer of Tensor that doesn't have storage"
ALWAYS_THE_LAYERS_OWN = ("lift_fresh", "alias")
_new = object.__new__


class NoStorage(UntypedStorage):
    """The storage of tensors that stand for others: a device, and no memory. One serves all tensors of a device."""

    __slots__ = ()

    def __init__(self, device: Device):
        self._cells, self._nbytes, self.device, self._resizable = None, 0, device, False

    def _memory(self) -> Any:
        raise RuntimeError(NO_MEMORY)


class WrapperTensor(Tensor):
    """A tensor that stands for another one and has no memory.

    Attributes:
        _value: the tensor of the next outer layer.
        _level: level of the layer that it belongs to.
    """

    __slots__ = ("_value", "_level")
    _value: Tensor
    _level: int
    _type_name: str
    __torch_function__ = _disabled_torch_function_impl  # type: ignore[assignment]  # to functions it is a plain tensor

    def data_ptr(self) -> int:
        """Raise the error of a tensor without memory."""
        raise RuntimeError(NO_MEMORY)

    def untyped_storage(self) -> Any:
        """Raise the error of a tensor without memory."""
        raise NotImplementedError(f"Cannot access storage of {self._type_name}")

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if not self._sizes else object.__format__(self, spec)

    def __reduce_ex__(self, protocol: Any) -> Any:
        self.untyped_storage()


def indented(value: Tensor) -> str:
    """Return a value as the text of a tensor that stands for it shows it."""
    return textwrap.indent(repr(value), " " * 4)


_storages: dict[tuple[str, int | None], NoStorage] = {}


def storage_of(value: Tensor) -> UntypedStorage:
    """Return the storage of a tensor that stands for another one."""
    storage = value._storage
    if type(storage) is NoStorage:
        return storage
    device = storage.device
    found = _storages.get((device.type, device.index))
    if found is None:
        found = _storages[device.type, device.index] = NoStorage(device)
    return found


class GradWrapper(WrapperTensor):
    """A tensor as a grad layer sees it. The history that is recorded for it belongs to that layer.

    Args:
        is_captured: True for a tensor that the function took from around it, and for its views: the function must not
            write to them.
    """

    __slots__ = ("_layer", "_is_captured")
    _layer: Interpreter
    _is_captured: bool
    _type_name = "TensorWrapper"

    def __new__(cls, value: Tensor, layer: Interpreter, is_captured: bool = False) -> "GradWrapper":
        made: Any = _new(cls)  # field by field, without the frames of constructors
        made._storage, made._sizes, made._strides = storage_of(value), value._sizes, value._strides
        made._storage_offset, made._dtype = value._storage_offset, value._dtype
        made._key_set = value._key_set & PROPAGATED | OF_WRAPPERS
        made._elements = made._version_counter = made._autograd_meta = None
        made._wrapped_number, made._value, made._level = value._wrapped_number, value, layer.level
        made._layer, made._is_captured = layer, is_captured
        return made

    def _alias(self, sizes: tuple[int, ...], strides: tuple[int, ...], storage_offset: int) -> "GradWrapper":
        """Return another wrapper of the same value, with the same version counter."""
        made = GradWrapper(self._value, self._layer, self._is_captured)
        made._version_counter = self._shared_version()
        return made

    def tolist(self) -> Any:
        """Return the elements of the innermost value as nested lists."""
        with DispatchKeyGuard(excluded=LAYERS):
            return self._value.tolist()  # type: ignore[attr-defined]

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        level = self._level if self._layer.is_alive else -2
        return f"GradTrackingTensor(lvl={level}, value=\n{indented(self._value)}\n)"


def unwrap_if_dead(tensor: Tensor) -> Tensor:
    """Return the value of a tensor whose layer has ended; any other tensor as it is."""
    while type(tensor) is GradWrapper and not tensor._layer.is_alive:
        tensor = tensor._value
    return tensor


def dead_wrapper_fallback(entry: OperatorEntry, *arguments: Any) -> Any:
    """Call an operator with the values of the tensors whose layers have ended.

    Source: dead_tensor_wrapper_fallback (aten/src/ATen/functorch/TensorWrapper.cpp).
    """
    assert entry.schema is not None
    return entry.call(*map_arguments(entry.schema, unwrap_if_dead, arguments))


class GradInterpreter(Interpreter):
    """The layer of grad, vjp and jvp.

    Attributes:
        is_recording_around: whether gradients were recorded where the layer began.
    """

    own = AD_KEYS

    def __init__(self) -> None:
        super().__init__()
        self.is_recording_around = autograd.grad_mode

    def wrap(self, tensor: Tensor) -> GradWrapper:
        """Return a tensor of the next outer layer as this one sees it."""
        return GradWrapper(tensor, self)

    def unwrap(self, tensor: Tensor) -> Tensor:
        """Return the value of a tensor of this layer; any other tensor as it is."""
        return tensor._value if type(tensor) is GradWrapper and tensor._layer is self else tensor

    def wrap_captured(self, tensor: Tensor) -> Tensor:
        """Return an argument of a call as the layer sees it: one that is not its own comes from around the function."""
        if type(tensor) is GradWrapper:
            if tensor._layer is self:
                return tensor
            tensor = unwrap_if_dead(tensor)
            if type(tensor) is GradWrapper and tensor._layer is self:
                return tensor
        return GradWrapper(tensor, self, True)

    def process(self, entry: OperatorEntry, key_set: int, arguments: Sequence[Any]) -> Any:
        """Call the operator's autograd kernel on what the layer sees of the tensors.

        Raises:
            RuntimeError: it writes to a tensor that is not the layer's own, where the write would be lost.
        """
        schema = entry.schema
        assert schema is not None
        if schema.writes_only_self:
            first = unwrap_if_dead(arguments[0])
            if type(first) is not GradWrapper or first._layer is not self or first._is_captured:
                raise RuntimeError(INVALID_MUTATION.format(name=entry.name))
        wrapped = map_arguments(schema, self.wrap_captured, arguments)
        local.state = only_own_keys(local.state, AD_KEYS, 0)
        return entry.call(*wrapped)

    def lower(self, entry: OperatorEntry, arguments: Sequence[Any]) -> Any:
        """Call the operator on the values, unrecorded if it was so around the layer, and wrap the results.

        Source: autogradBasedTransformSendToNext (aten/src/ATen/functorch/ADInterpreters.cpp).
        """
        schema, mode = entry.schema, autograd.grad_mode
        assert schema is not None
        values = map_arguments(schema, self.unwrap, arguments)
        if not self.is_recording_around:
            autograd.grad_mode = False
        try:
            result = entry.call(*values)
        finally:
            autograd.grad_mode = mode
        if schema.mutated:
            map_arguments(schema, self.refresh, arguments)
        if not schema.aliased_positions:
            return map_results(self.wrap, result)
        sources = [None if place is None else arguments[place] for place in schema.aliased_positions]
        if len(sources) == 1:
            return self.wrap_alias(schema, sources[0], result)
        return tuple([self.wrap_alias(schema, *pair) for pair in zip(sources, result, strict=True)])

    def refresh(self, tensor: Tensor) -> None:
        """Give a tensor of this layer the geometry of its value, which an operator may have changed."""
        if type(tensor) is GradWrapper and tensor._layer is self:
            value = tensor._value
            tensor._sizes, tensor._strides, tensor._storage_offset = value._sizes, value._strides, value._storage_offset

    def wrap_alias(self, schema: FunctionSchema, source: Tensor | None, result: Any) -> Any:
        """Return a result of an operator as the layer sees it.

        Args:
            source: the argument that it shares memory with. Where it was written to, it is the result; if it is
                captured, its views are.
        """
        if source is None or schema.name.base in ALWAYS_THE_LAYERS_OWN:
            return map_results(self.wrap, result)
        if schema.mutated and self.unwrap(source) is result:
            return source
        is_captured = type(source) is not GradWrapper or source._is_captured
        return map_results(lambda tensor: GradWrapper(tensor, self, is_captured), result)


class JvpInterpreter(GradInterpreter):
    """The layer of jvp. `no_grad` does not reach it, as it does not reach the forward-mode derivatives of PyTorch.

    Attributes:
        mode: the grad mode of the call that is at this layer.
    """

    mode = is_recording_around = True

    def process(self, entry: OperatorEntry, key_set: int, arguments: Sequence[Any]) -> Any:
        """Record a call in any grad mode."""
        self.mode, autograd.grad_mode = autograd.grad_mode, True
        try:
            return super().process(entry, key_set, arguments)
        finally:
            autograd.grad_mode = self.mode

    def lower(self, entry: OperatorEntry, arguments: Sequence[Any]) -> Any:
        """Pass a call on in the grad mode that it came in."""
        autograd.grad_mode = self.mode
        try:
            return super().lower(entry, arguments)
        finally:
            autograd.grad_mode = True


def unwrap_dead_wrappers(values: Sequence[Any]) -> tuple[Any, ...]:
    """Return arguments of a Function with the values of the tensors whose layers have ended."""
    return tuple([unwrap_if_dead(value) for value in values])


slots.dead_wrapper_fallback.fill(dead_wrapper_fallback)
slots.unwrap_dead_wrappers.fill(unwrap_dead_wrappers)
slots.unwrap_if_dead.fill(unwrap_if_dead)
