"""Tensors of classes of one's own: with the memory of another tensor, or without any and with other tensors inside.

Mirrors THPVariable_make_subclass and THPVariable_make_wrapper_subclass (torch/csrc/autograd/python_variable.cpp) and
return_and_correct_aliasing (torch/utils/_python_dispatch.py).
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import Any

from .. import dtypes, slots
from .. import strides as geometry
from .._ops import OpOverload, Tag
from ..aten.at import at
from ..aten.empty_tensor import as_inference
from ..aten.python_arg_parser import PythonArgParser
from ..dispatch import boxing
from ..dispatch.keys import KEY_SETS, PYTHON
from ..dispatch.local import DispatchKeyGuard
from ..storage import UntypedStorage
from ..tensor_impl import Tensor

NO_TENSOR = (
    "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your class "
    "inherits from Tensor."
)
OF_ANOTHER = (
    "Creating a new Tensor subclass {} but the raw Tensor object is already associated to a python object of type {} "
    "which is not a subclass of the requested type"
)
MAKE_SUBCLASS = "_make_subclass(PyObject cls, Tensor data, bool require_grad=False)"
MAKE_WRAPPER_SUBCLASS = (
    "_make_wrapper_subclass(PyObject cls, SymInt[] size, SymInt[]? strides=None, SymInt? storage_offset=None, "
    "MemoryFormat? memory_format=None, ScalarType dtype=None, Layout layout=None, Device device=None, "
    "bool pin_memory=False, bool requires_grad=False, str? dispatch_sizes_strides_policy=None, "
    "bool dispatch_device=False, bool dispatch_layout=False, PyObject _extra_dispatch_keys=None, "
    "SymInt? storage_size=None)"
)


def with_errors_of(signature: str, function: Callable) -> Callable:
    """Return a function whose calls that fail raise the error of PyTorch's parser, if they do not fit a signature.

    Others are not parsed, which takes longer than to make a wrapper.
    """
    parser = PythonArgParser(signature)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception:
            parser.parse(args, kwargs)
            raise

    return call


# ---- making them


class PlaceholderStorage(UntypedStorage):
    """The storage of a tensor without memory: a size, a device, and an identity, by which views are recognized."""

    __slots__ = ()

    def __init__(self, nbytes: int, device: dtypes.device):
        self._cells, self._nbytes, self.device, self._resizable = None, nbytes, device, False

    def data_ptr(self) -> int:
        """Raise the error of a storage that has no memory."""
        raise RuntimeError("Attempted to access the data pointer on an invalid python storage.")

    def resize_(self, nbytes: int, *_: Any) -> None:
        """Set the number of bytes that it says it has."""
        self._nbytes = nbytes


@functools.lru_cache(maxsize=4096)
def nbytes_of(sizes: tuple[int, ...], strides: tuple[int, ...], itemsize: int, offset: int) -> int:
    """Return the number of bytes of the storage of a wrapper."""
    if min(sizes, default=0) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    return geometry.compute_storage_nbytes(sizes, strides, itemsize, offset)


def make_wrapper_subclass(
    cls: type, size: Sequence[int], strides: Sequence[int] | None = None, storage_offset: int | None = None,
    memory_format: Any = None, dtype: dtypes.dtype | None = None, layout: dtypes.layout = dtypes.strided,
    device: dtypes.device | str | None = None, pin_memory: bool = False, requires_grad: bool = False,
    dispatch_sizes_strides_policy: str | None = None, dispatch_device: bool = False, dispatch_layout: bool = False,
    _extra_dispatch_keys: Any = None, storage_size: int | None = None,
) -> Tensor:  # fmt: skip
    """Return a tensor of class `cls` that has a geometry, a dtype and a device, and no memory.

    Args:
        size, strides: geometry, in elements; by default contiguous, whatever `memory_format` says, as in PyTorch.
        dispatch_sizes_strides_policy, dispatch_device, dispatch_layout: checked, and without effect: a wrapper's sizes,
            strides, device and layout are the given ones.
        storage_size: bytes that its storage says it has.
    Raises:
        TypeError: `cls` is not derived from Tensor, or has no `__torch_dispatch__`; an argument of another type.
        ValueError: an unknown policy.
        RuntimeError: a gradient for a dtype that has none; other strides than sizes, or negative sizes.
    """
    check_class(cls)
    if not answers_calls(cls):
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")
    kind = dtypes.get_default_dtype() if dtype is None else dtype
    if type(kind) is not dtypes.dtype or type(requires_grad) is not bool or type(layout) is not dtypes.layout:
        raise TypeError("expected a dtype, a layout and a bool")  # the parser has PyTorch's words
    sizes, offset = tuple(map(index, size)), index(storage_offset or 0)
    strides = geometry.contiguous_strides(sizes) if strides is None else tuple(map(index, strides))
    if (policy := dispatch_sizes_strides_policy) not in (None, "strides", "sizes"):
        raise ValueError(f"Unknown sizes_strides_policy: {policy}; expected 'strides' or 'sizes'")
    if (count := len(sizes)) != len(strides):
        raise RuntimeError(f"dimensionality of sizes ({count}) must match dimensionality of strides ({len(strides)})")
    place = device if isinstance(device, dtypes.device) else dtypes.device(device or "cpu")
    nbytes = nbytes_of(sizes, strides, kind.itemsize, offset) if storage_size is None else storage_size
    made = instance(cls, PlaceholderStorage(nbytes, place), sizes, strides, offset, kind, KEY_SETS[place.type])
    return with_gradient(as_inference(made), requires_grad)


def make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Tensor:
    """Return a leaf tensor of class `cls` that shares the memory and the version counter of `data`.

    Raises:
        TypeError: `cls` is not derived from Tensor, or `data` is not a tensor.
        RuntimeError: a gradient for a dtype that has none.
    """
    check_class(cls)
    made = as_class(data.detach(), cls)
    made._autograd_meta = None
    return with_gradient(made, require_grad)


def with_gradient(made: Tensor, requires_grad: bool) -> Tensor:
    """Return a new leaf, which records if it is to and its dtype has gradients."""
    if requires_grad and not made.is_floating_point():
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    made.requires_grad = requires_grad  # type: ignore[attr-defined]  # `requires_grad_` refuses inside transforms
    return made


def as_subclass(self: Tensor, cls: type) -> Tensor:
    """Return the same data as a tensor of class `cls`, with the history of `self`."""
    check_class(cls)
    return as_class(at.alias(self), cls)


def as_class(tensor: Tensor, cls: type) -> Tensor:
    """Return an instance of a class derived from Tensor with everything that a tensor has; itself, if it is one.

    Raises:
        RuntimeError: it is of another class of one's own.
    """
    if type(tensor) is not Tensor:
        if not isinstance(tensor, cls):
            raise RuntimeError(OF_ANOTHER.format(cls.__name__, type(tensor).__name__))
        return tensor
    shared = tensor._sizes, tensor._strides, tensor._storage_offset, tensor._dtype, tensor._key_set, tensor._elements
    made: Tensor = instance(cls, tensor._storage, *shared, tensor._shared_version())
    made._autograd_meta = tensor._autograd_meta
    return made


def instance(cls: type, *fields: Any) -> Any:
    """Return an instance of a class derived from Tensor with these fields, and its class's keys."""
    made: Any = object.__new__(cls)
    made._set_fields(*fields)
    add_keys(made)
    return made


def add_keys(made: Tensor) -> None:
    """Give a new tensor the Python keys if its class answers calls. Its views that kernels make are plain tensors."""
    if answers_calls(type(made)):
        made._key_set |= PYTHON
        type(made)._alias = _plain_alias  # type: ignore[assignment, method-assign]


def _plain_alias(self: Tensor, *geometry: Any) -> Tensor:
    made = Tensor._alias(self, *geometry)
    made._key_set &= ~PYTHON
    return made


def answers_calls(kind: type[Tensor]) -> bool:
    """Return True if a class has a `__torch_dispatch__` of its own."""
    return kind.__torch_dispatch__ is not Tensor.__torch_dispatch__  # type: ignore[attr-defined]


def check_class(cls: Any) -> None:
    """Raise a TypeError if `cls` is not a class derived from Tensor."""
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    if not issubclass(cls, Tensor):
        raise TypeError(NO_TENSOR)


# ---- what their handlers call


def disabled_torch_dispatch(func: OpOverload, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Call an operator as if no class and no mode answered: `Tensor.__torch_dispatch__`."""
    with DispatchKeyGuard(excluded=PYTHON):
        return func(*args, **(kwargs or {}))


def return_and_correct_aliasing(func: OpOverload, args: Sequence[Any], kwargs: Mapping[str, Any], out: Any) -> Any:
    """Return what a wrapper's `__torch_dispatch__` returns for an operator whose schema says that it aliases.

    A result that is a view gets the storage of the argument that it is a view of; for an argument that was written to,
    the argument itself is returned. An operator that changes the geometry of its argument, as `t_`, changes the
    wrapper's, too.

    Args:
        func, args, kwargs: of the call.
        out: the result, wrapped.
    Raises:
        AssertionError: `args` is not a tuple; or a view is not a tensor, or is of another class than a wrapper that can
            be taken apart.
    """
    if not isinstance(args, tuple):
        raise AssertionError(f"args must be a tuple, got {type(args)}")
    schema = func._declared
    results = [out] if len(schema.returns) == 1 or not isinstance(out, (tuple, list)) else list(out)
    for argument, value in zip(schema.arguments, boxing.stack_of(schema, args, kwargs or {}), strict=True):
        for number, returned in enumerate(schema.returns):
            mine, its = argument.annotation, returned.annotation
            if mine is None or its is None or mine.alias_sets != its.alias_sets:
                continue
            if argument.is_write:
                results[number] = value
                continue
            for one in results[number] if isinstance(results[number], list) else [results[number]]:
                check_view(func, value, one)
                one._storage = value._storage
    if Tag.inplace_view in func.tags:
        disabled_torch_dispatch(func, (), args, kwargs)  # on the wrapper itself, which has a geometry and no memory
    return results[0] if len(schema.returns) == 1 else type(out)(results)


def check_view(func: OpOverload, base: Any, view: Any) -> None:
    """Raise the error of `return_and_correct_aliasing` for what is not a view of a wrapper."""
    given, made = type(base), type(view)
    if made is not given and (is_traceable_wrapper_subclass_type(given) or is_traceable_wrapper_subclass_type(made)):
        raise AssertionError(
            f"Called {func} with input of type {given}\nand output of type {made}. But expected types to match."
        )
    if not isinstance(view, Tensor):
        raise AssertionError(f"expected torch.Tensor, got {made}")


def is_traceable_wrapper_subclass_type(kind: type) -> bool:
    """Return True for a class of tensors with `__tensor_flatten__` and `__tensor_unflatten__`, which take it apart."""
    flattens = hasattr(kind, "__tensor_flatten__") and hasattr(kind, "__tensor_unflatten__")
    return flattens and issubclass(kind, Tensor) and kind is not Tensor


def is_traceable_wrapper_subclass(value: Any) -> bool:
    """Return True for a tensor of a class that `is_traceable_wrapper_subclass_type` accepts."""
    return is_traceable_wrapper_subclass_type(type(value))


def transform_subclass(
    t: Any,
    callback: Callable[[str, Any], Any],
    outer_size: Sequence[int] | None = None,
    outer_stride: Sequence[int] | None = None,
) -> Any:
    """Return a wrapper made of what `callback` returns for the name and value of each tensor inside `t`.

    Args:
        outer_size, outer_stride: geometry of the result, in elements; by default the geometry of `t`.
    Raises:
        AssertionError: `__tensor_unflatten__` made a tensor of another geometry.
    """
    size = t.size() if outer_size is None else outer_size
    stride = t.stride() if outer_stride is None else outer_stride
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    made = type(t).__tensor_unflatten__(inner, context, size, stride)
    for what, expected, found in (("shape", size, made.shape), ("stride", stride, made.stride())):
        if found != expected:
            raise AssertionError(
                f"Expected return value from {type(t)}__tensor_unflatten__() to have {what} equal to {expected}, but "
                f"got: {found}"
            )
    return made


make_subclass = with_errors_of(MAKE_SUBCLASS, make_subclass)
make_wrapper_subclass = with_errors_of(MAKE_WRAPPER_SUBCLASS, make_wrapper_subclass)
for _function in (add_keys, as_subclass, disabled_torch_dispatch, make_subclass, make_wrapper_subclass):
    getattr(slots, _function.__name__).fill(_function)
