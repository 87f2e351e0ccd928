"""Tensor: a storage, a geometry over it, a dtype. Data and properties only; operators are attached from above.

Mirrors c10::TensorImpl (c10/core/TensorImpl.h) and c10::VariableVersion.
"""

import functools
import math
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np

from . import slots
from . import strides as geometry
from .dtypes import (
    channels_last,
    contiguous_format,
    device,
    dtype,
    layout,
    memory_format,
    strided,
)
from .storage import UntypedStorage
from .strides import Ints

if TYPE_CHECKING:  # what aten/python_bindings.py and others attach to Tensor; the stub is all that there is of it
    from ._tensor_base import TensorBase
else:
    TensorBase = object


@functools.lru_cache(maxsize=4096)
def is_contiguous(sizes: Ints, strides: Ints) -> bool:
    """Return what `strides.is_contiguous` returns, computed once for each geometry."""
    return geometry.is_contiguous(sizes, strides)


class Size(tuple[int, ...]):
    """The sizes of a tensor: a tuple of ints that prints like PyTorch's (torch/csrc/Size.cpp).

    Args:
        sizes: an iterable of ints, or of what can replace one as an index, as a tensor of one int does.
    Raises:
        TypeError: an entry can't.
    """

    __slots__ = ()

    def __new__(cls, sizes: Iterable[SupportsIndex] = ()) -> "Size":
        made = tuple.__new__(cls, sizes)
        for entry in made:
            if type(entry) is not int:
                return tuple.__new__(cls, [_as_size(entry, place) for place, entry in enumerate(made)])
        return made

    def numel(self) -> int:
        return math.prod(self)

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> "Size": ...
    def __getitem__(self, index: Any) -> Any:
        item = tuple.__getitem__(self, index)
        return tuple.__new__(Size, item) if isinstance(index, slice) else item

    def __add__(self, other: Any) -> "Size":
        return Size(tuple.__add__(self, tuple(other)))

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"


def _as_size(entry: Any, place: int) -> int:
    try:
        return int(operator.index(entry))
    except TypeError:
        wrong = f"(item {place} is '{type(entry).__name__}')"
        raise TypeError(f"torch.Size() takes an iterable of 'int' {wrong}") from None


size_of = functools.lru_cache(maxsize=4096)(Size)
"""`Size` of the sizes of a tensor, which were checked before: tensors of the same sizes share one."""


class VersionCounter:
    """A counter of in-place writes. All views of a base share one, so a write through any of them is seen by all."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


class Untracked(VersionCounter):
    """The version counter of inference tensors, whose writes, allowed only in inference mode, are not counted."""

    __slots__ = ()
    value = property(lambda self: self, lambda self, value: None)  # type: ignore[assignment]

    def __init__(self) -> None:
        pass

    def __add__(self, other: int) -> "Untracked":
        if slots.is_inference_mode():
            return self
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
            "normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
        )


UNTRACKED = Untracked()
_new = object.__new__


def _disabled_torch_function_impl(func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None) -> Any:
    """Call `func`; as the `__torch_function__` of a class, it says that the class takes no calls over."""
    return slots.default_torch_function(Tensor, func, (), args, kwargs)


def is_default(handler: Any) -> bool:
    """Return True for the `__torch_function__` of Tensor, which a class with a `__torch_dispatch__` doesn't take over.

    Source: THPVariableMetaType_init (torch/csrc/autograd/python_variable.cpp).
    """
    return getattr(handler, "__func__", None) is Tensor.__torch_function__.__func__  # type: ignore[attr-defined]


class Tensor(TensorBase):
    """A strided view of a storage: element (i0, ..., in-1) is at index `storage_offset + sum(i_d * strides[d])`.

    Args:
        storage: the bytes.
        sizes, strides: geometry, in elements of `kind`; plain tuples of ints.
        storage_offset: elements before the first one.
        kind: dtype of the elements.
        key_set: dispatch keys of a call with this tensor, as the bits of an int.
        elements: the storage's cells as one flat array of `kind`, if it is at hand.
        version: the counter of the base that this is a view of; if None, one is made when it is needed.

    `Tensor(2, 3)`, `Tensor([1.5, 2])` and the like are PyTorch's legacy constructors.
    """

    __slots__ = ("_storage", "_sizes", "_strides", "_storage_offset", "_dtype", "_key_set", "_elements",
                 "_version_counter", "_wrapped_number", "_autograd_meta", "__weakref__")  # fmt: skip

    requires_grad, is_leaf = False, True  # until autograd is there every tensor is a constant

    def __init_subclass__(cls, **kwargs: Any):
        super().__init_subclass__(**kwargs)
        answers = cls.__torch_dispatch__ is not Tensor.__torch_dispatch__  # type: ignore[attr-defined]
        if answers and is_default(cls.__torch_function__):
            cls.__torch_function__ = _disabled_torch_function_impl  # type: ignore[assignment]
        if cls.__torch_function__ is not _disabled_torch_function_impl:
            slots.overridable_type(cls)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None) -> Any:
        """Call `func`, and convert the tensors that it returns to this class."""
        return slots.default_torch_function.function(cls, func, types, args, kwargs)

    def __new__(cls, *args: Any, **kwargs: Any) -> "Tensor":
        made = _new(cls)
        if len(args) > 1 and isinstance(args[0], UntypedStorage):
            made._set_fields(*args, **kwargs)
        else:  # PyTorch's own ways to call the class
            slots.legacy_constructor(made, args, kwargs)
        return made

    def _set_fields(
        self,
        storage: UntypedStorage,
        sizes: Ints,
        strides: Ints,
        storage_offset: int,
        kind: dtype,
        key_set: int = 0,
        elements: np.ndarray | None = None,
        version: VersionCounter | None = None,
    ) -> None:
        """Set the fields, which `Tensor` explains."""
        self._storage = storage
        self._sizes = sizes
        self._strides = strides
        self._storage_offset = storage_offset
        self._dtype = kind
        self._key_set = key_set
        self._elements = elements
        self._version_counter = version
        self._wrapped_number = False  # True for a Python number made a tensor, which promotes less
        self._autograd_meta: Any = None  # what autograd keeps of it; None for a constant

    def _become(self, other: "Tensor") -> None:
        """Take the fields of another tensor, which is not used any more."""
        self._set_fields(
            other._storage, other._sizes, other._strides, other._storage_offset, other._dtype, other._key_set,
            other._elements, other._version_counter,
        )  # fmt: skip
        self._wrapped_number, self._autograd_meta = other._wrapped_number, other._autograd_meta

    # ---- geometry, in elements

    @property
    def shape(self) -> Size:
        return size_of(self._sizes)

    @overload
    def size(self, dim: None = None) -> Size: ...
    @overload
    def size(self, dim: int) -> int: ...
    def size(self, dim: int | None = None) -> Size | int:
        """Return the sizes of all dimensions, or of one; raises IndexError if there is no such dimension."""
        return size_of(self._sizes) if dim is None else self._sizes[self._wrap(dim)]

    @overload
    def stride(self, dim: None = None) -> Ints: ...
    @overload
    def stride(self, dim: int) -> int: ...
    def stride(self, dim: int | None = None) -> Ints | int:
        """Return the strides of all dimensions, or of one; raises IndexError if there is no such dimension."""
        return self._strides if dim is None else self._strides[self._wrap(dim)]

    def _wrap(self, dim: int) -> int:
        if not self._sizes:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return geometry.wrap_dim(dim, len(self._sizes))

    def storage_offset(self) -> int:
        return self._storage_offset

    def dim(self) -> int:
        return len(self._sizes)

    ndimension = dim

    @property
    def ndim(self) -> int:
        return len(self._sizes)

    def numel(self) -> int:
        return math.prod(self._sizes)

    nelement = numel

    def is_contiguous(self, memory_format: memory_format = contiguous_format) -> bool:
        """Return True if the elements are adjacent in memory in the order that `memory_format` names.

        As in PyTorch, preserve_format, which names no order, is taken for contiguous_format.
        """
        asked = geometry.is_channels_last if memory_format is channels_last else is_contiguous
        return asked(self._sizes, self._strides)

    # ---- what an element is

    @property
    def dtype(self) -> dtype:
        return self._dtype

    @property
    def itemsize(self) -> int:
        """The size of one element in bytes."""
        return self._dtype.itemsize

    def element_size(self) -> int:
        """Return the size of one element in bytes."""
        return self._dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The size of all elements in bytes, counted as if none shared memory."""
        return self.numel() * self._dtype.itemsize

    def is_floating_point(self) -> bool:
        return self._dtype.is_floating_point

    # ---- memory

    @property
    def device(self) -> device:
        return self._storage.device

    @property
    def layout(self) -> layout:
        return strided

    def untyped_storage(self) -> UntypedStorage:
        return self._storage

    def data_ptr(self) -> int:
        """Return the address of the first element; 0 for a tensor without elements."""
        if 0 in self._sizes:
            return 0
        memory = 0 if self._storage._cells is None else self._storage.data_ptr()
        return memory + self._storage_offset * self._dtype.itemsize

    @property
    def _version(self) -> int:
        return self._version_counter.value if self._version_counter else 0

    def _bump_version(self) -> None:
        (self._version_counter or self._shared_version()).value += 1

    def _shared_version(self) -> VersionCounter:
        """Return the counter that this tensor and its views share; made on first use."""
        if self._version_counter is None:
            self._version_counter = VersionCounter()
        return self._version_counter

    def _flat(self) -> np.ndarray:
        """Return all elements of the storage as one flat array, which shares its memory; made once and kept."""
        elements = self._elements
        if elements is None:
            elements = self._elements = self._storage.elements(self._dtype.numpy)
        return elements

    def _alias(self, sizes: Ints, strides: Ints, storage_offset: int) -> "Tensor":
        """Return another view of the same storage, with the same version counter."""
        made = _new(Tensor)  # field by field, without the frame of `__init__`
        made._storage, made._sizes, made._strides = self._storage, sizes, strides
        made._storage_offset, made._dtype, made._key_set = storage_offset, self._dtype, self._key_set
        made._elements, made._version_counter = self._elements, self._version_counter or self._shared_version()
        made._wrapped_number, made._autograd_meta = False, None
        return made


def is_tensor(obj: Any) -> bool:
    """Return True if `obj` is a Tensor."""
    return isinstance(obj, Tensor)
