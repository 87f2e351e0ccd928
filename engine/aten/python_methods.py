"""Methods of `Tensor` that PyTorch writes by hand: `to` and its kin, `split`, the protocols of Python.

Mirrors torch/csrc/autograd/python_variable_methods.cpp and torch/_tensor.py.
"""

import functools
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from .. import dtypes, slots
from ..dispatch import local as thread
from ..dispatch.keys import PYTHON, DispatchKey, bits
from ..dispatch.local import AutoDispatchBelowADInplaceOrView
from ..tensor_impl import Tensor, is_contiguous
from . import legacy_constructors, python_norm, python_variable_indexing, tensor_list, tensor_new, tensor_numpy
from .at import at
from .python_arg_parser import PythonArgParser
from .python_arguments import INT64_END, INT64_MIN

CONVERSIONS = {name.lower(): kind for name, kind in dtypes.OF_SCALAR_TYPE.items()}
TYPE_STRINGS = {f"torch.{name}": kind.dtype for name, kind in legacy_constructors.TYPES.items()}

ADINPLACEORVIEW = bits(DispatchKey.ADInplaceOrView)

# ---- the parsers

to_parser = PythonArgParser(
    "to(Device device=None, ScalarType dtype=None, bool non_blocking=False, bool copy=False, "
    "*, MemoryFormat? memory_format=None)",
    "to(ScalarType dtype, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None)",
    "to(Tensor tensor, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None)",
)
as_subclass_parser = PythonArgParser("as_subclass(PyObject cls)")
cpu_parser = PythonArgParser("cpu(*, MemoryFormat? memory_format=None)")
cuda_parser = PythonArgParser("cuda(Device? device=None, bool non_blocking=False, *, MemoryFormat? memory_format=None)")
contiguous_parser = PythonArgParser("contiguous(*, MemoryFormat memory_format=torch.contiguous_format)")
size_parser = PythonArgParser("size(int? dim=None)")
stride_parser = PythonArgParser("stride(int? dim=None)")
is_contiguous_parser = PythonArgParser("is_contiguous(MemoryFormat memory_format=torch.contiguous_format)")
copy_parser = PythonArgParser(
    "copy_(Tensor other, bool non_blocking=False)", "copy_(Tensor other, bool async=False)|deprecated"
)
requires_grad_parser = PythonArgParser("requires_grad_(bool requires_grad=True)")
numpy_parser = PythonArgParser("numpy(*, bool force=False)")
nonzero_parser = PythonArgParser("nonzero()", "nonzero(*, bool as_tuple)")
new_tensor_parser = PythonArgParser(
    "new_tensor(PyObject data, *, ScalarType dtype=None, Device? device=None, bool requires_grad=False)"
)

# ---- methods


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return `self` on another device or with another dtype: `x.to(dtype)`, `x.to(device, dtype)`, `x.to(other)`."""
    if len(args) == 1 and not kwargs and type(args[0]) is dtypes.dtype:
        return at.to_dtype(self, args[0], False, False, None)
    form, values = to_parser.parse(args, kwargs)
    non_blocking, copy, memory_format = values[-3:]
    device, dtype = None, None
    if form == 0:
        device, dtype = values[:2]
    elif form == 1:
        dtype = values[0]
    else:
        device, dtype = values[0].device, values[0].dtype
    if device is None and dtype is None and not copy and memory_format is None:
        return self
    if device is None and dtype is not None:
        return at.to_dtype(self, dtype, non_blocking, copy, memory_format)
    return at.to_dtype_layout(self, dtype, None, device, None, non_blocking, copy, memory_format)


def conversion(name: str, dtype: dtypes.dtype) -> Callable[..., Tensor]:
    """Build the method `float`, `long`, ..., which converts a tensor to `dtype`."""
    parser = PythonArgParser(f"{name}(*, MemoryFormat? memory_format=None)")

    def convert(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        memory_format = parser.parse(args, kwargs)[1][0] if args or kwargs else None
        return at.to_dtype(self, dtype, False, False, memory_format)

    convert.__name__, convert.__qualname__ = name, f"Tensor.{name}"
    convert.__doc__ = f"`self` as {dtype}: itself if it is that, else a copy."
    return convert


def cpu(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return `self` in the CPU's memory: itself if it is there, else a copy."""
    _, (memory_format,) = cpu_parser.parse(args, kwargs)
    return at.to_dtype_layout(self, None, None, dtypes.CPU, None, False, False, memory_format)


def cuda(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return `self` in the GPU's memory: itself if it is there, else a copy."""
    _, (device, non_blocking, memory_format) = cuda_parser.parse(args, kwargs)
    if device is not None and device.type != "cuda":
        raise RuntimeError(f"Invalid device, must be cuda device: {device}")
    return at.to_dtype_layout(self, None, None, device or dtypes.CUDA, None, non_blocking, False, memory_format)


def contiguous(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return `self` if its elements are in the order of `memory_format`, else a copy in that order."""
    if not args and not kwargs and is_contiguous(self._sizes, self._strides):
        return self
    _, (memory_format,) = contiguous_parser.parse(args, kwargs)
    return self if self.is_contiguous(memory_format) else at.contiguous(self, memory_format)


def parsed(method: Callable[..., Any], parser: PythonArgParser) -> Callable[..., Any]:
    """Wrap a handwritten method of `Tensor` so that it checks its argument as generated methods do."""

    @functools.wraps(method)
    def call(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        if not args and not kwargs:
            return method(self)
        if not kwargs and len(args) == 1 and type(args[0]) is int and INT64_MIN <= args[0] < INT64_END:
            return method(self, *args)
        return method(self, *parser.parse(args, kwargs)[1])

    return call


def copy_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Write the elements of `other`, a tensor that broadcasts or a number, into `self`."""
    if len(args) == 1 and not kwargs and isinstance(args[0], Tensor):
        return at.copy_(self, args[0], False)
    _, (other, non_blocking) = copy_parser.parse(args, kwargs)
    return at.copy_(self, other, non_blocking)


def requires_grad_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Set whether autograd should record operations on `self`.

    Raises:
        RuntimeError: it should; there is no autograd yet.
    """
    _, (requires_grad,) = requires_grad_parser.parse(args, kwargs)
    if requires_grad:
        raise RuntimeError("requires_grad=True needs a part of the engine that is not there yet")
    return self


def item(self: Tensor) -> bool | int | float:
    """Return the only element, as a Python number."""
    return at.item(self)


def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> "Tensor | str":
    """Return the name of the tensor's type, `torch.FloatTensor`; or, if a type is given, `self` converted to it."""
    if dtype is None:
        name = next(name for name, kind in TYPE_STRINGS.items() if kind is self.dtype)
        return name.replace("torch.", "torch.cuda.") if self.device.type == "cuda" else name
    device = None
    if isinstance(dtype, str):
        device = dtypes.CUDA if dtype.startswith("torch.cuda.") else dtypes.CPU
        dtype = TYPE_STRINGS.get(dtype.replace("torch.cuda.", "torch."), dtype)
    kind = dtype.dtype if isinstance(dtype, legacy_constructors.tensortype) else dtype
    if isinstance(kind, (str, type)):
        raise ValueError(f"invalid type: '{kind if isinstance(kind, str) else kind.__name__}'")
    if not isinstance(kind, dtypes.dtype):
        raise TypeError("dtype must be a type, str, or dtype object")
    return at.to_dtype_layout(self, kind, None, device, None, non_blocking, False, None)


def new(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return a new tensor from the legacy constructor for the dtype of `self`: `x.new(2, 3)`, `x.new([1, 2])`."""
    return legacy_constructors.construct(self._dtype, args, kwargs)


def split(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor into pieces of equal size, of which the last may be smaller, or into pieces of the given sizes."""
    if isinstance(split_size, Tensor) and split_size.numel() == 1:
        split_size = int(_as_number(split_size))
    function = generated.split if isinstance(split_size, int) else generated.split_with_sizes
    return function(self, split_size, dim)


def numpy(self: Tensor, *args: Any, **kwargs: Any) -> np.ndarray:
    """Return a NumPy array that shares the memory of `self`."""
    force = numpy_parser.parse(args, kwargs)[1][0] if args or kwargs else False
    return tensor_numpy.checked_numpy(at.detach(at.to_device(self, dtypes.CPU, self.dtype)) if force else self)


def nonzero(self: Tensor, *args: Any, **kwargs: Any) -> Tensor | tuple[Tensor, ...]:
    """Return the indices of the nonzero elements: a row for each, or with `as_tuple` a vector for each dimension."""
    as_tuple = nonzero_parser.parse(args, kwargs)[1][0] if args or kwargs else False
    return at.nonzero_numpy(self) if as_tuple else at.nonzero(self)


def new_tensor(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return a tensor that copies `data`, with the dtype and device of `self` by default."""
    _, (data, dtype, device, requires_grad) = new_tensor_parser.parse(args, kwargs)
    with AutoDispatchBelowADInplaceOrView():
        made = tensor_new.tensor(data, dtype=dtype or self.dtype, device=device or self.device)
    return tensor_new.with_requires_grad(made, requires_grad)


def is_inference(self: Tensor) -> bool:
    """Return True if `self` was made in inference mode, so that its key set lacks autograd's keys."""
    return not self._key_set & ADINPLACEORVIEW


def as_subclass(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return the same data as a tensor of class `cls`, with the history of `self`.

    Raises:
        TypeError: `cls` is not a class derived from Tensor.
    """
    return slots.as_subclass(self, *as_subclass_parser.parse(args, kwargs)[1])


def get_device(self: Tensor) -> int:
    """Return the index of the accelerator that `self` is on; -1 for the CPU."""
    index = self._storage.device.index
    return -1 if index is None else index


def is_complex(self: Tensor) -> bool:
    """Return True if the dtype is complex; always False, as the engine has no complex dtypes."""
    return False


def is_signed(self: Tensor) -> bool:
    """Return True if the dtype can represent negative numbers."""
    return self.dtype not in (dtypes.bool_, dtypes.uint8)


# ---- Python's protocols


def _length(self: Tensor) -> int:
    if not self._sizes:
        raise TypeError("len() of a 0-d tensor")
    return self._sizes[0]


def _iterate(self: Tensor) -> Iterator[Tensor]:
    if not self._sizes:
        raise TypeError("iteration over a 0-d tensor")
    return iter(at.unbind_int(self, 0))


def _reversed(self: Tensor) -> Tensor:
    return at.flip(self, (0,)) if self._sizes else self


def _truth(self: Tensor) -> bool:
    return at.is_nonzero(self)


def _as_number(self: Tensor) -> bool | int | float:
    if self.numel() != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return at.item(self)


def _as_index(self: Tensor) -> int:
    if self.numel() != 1 or self.dtype.is_floating_point:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(at.item(self))


def _hash(self: Tensor) -> int:
    return id(self)


def _format(self: Tensor, spec: str) -> str:
    if self._sizes or self.device.type == "meta" or type(self) is not Tensor:
        return object.__format__(self, spec)
    return format(at.item(self), spec)


def _contains(self: Tensor, element: Any) -> bool:
    if not isinstance(element, (Tensor, int, float, complex, np.number, np.bool_)):
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")
    return at.item(at.sum(generated.eq(self, element), None)) > 0


def _array_wrap(self: Tensor, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Tensor:
    return tensor_numpy.from_numpy(array)


def _data(self: Tensor) -> Tensor:
    """Return the same view once more, with a version of its own."""
    if self._key_set & PYTHON or thread.modes:
        made = slots.shallow_copy_and_detach(self)
        made._version_counter = None
        return made
    geometry_ = self._sizes, self._strides, self._storage_offset
    return Tensor(self._storage, *geometry_, self._dtype, self._key_set, self._elements)


def transposed(operator: str) -> property:
    """Build the property `T`, `mT`, ..., which calls an operator."""
    return property(lambda self: getattr(at, operator)(self))


# ---- what is bound

generated = SimpleNamespace()
"""The module's generated functions, for the formulas here that go through the parser; filled by `members`."""


def invert(self: Tensor) -> Tensor:
    """Compute ~self: all bits flipped, or the logical NOT for bools.

    Raises:
        TypeError: a floating-point tensor.
    """
    if self._dtype.is_floating_point:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return generated.bitwise_not(self)


def members(functions: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    """Return the methods and properties of `Tensor`, by name.

    Args:
        functions: the generated functions of the module.
    """
    vars(generated).update(functions)
    for name, method in METHODS.items():
        if isinstance(method, FunctionType):
            method.__name__, method.__qualname__ = name, f"Tensor.{name}"  # for Python's own errors
    return METHODS


TRANSPOSES = {"T": "numpy_T", "H": "matrix_H", "mT": "mT", "mH": "mH"}
METHODS: dict[str, Any] = {
    **python_norm.METHODS,
    "size": parsed(Tensor.size, size_parser),
    "stride": parsed(Tensor.stride, stride_parser),
    "is_contiguous": parsed(Tensor.is_contiguous, is_contiguous_parser),
    "to": to,
    "cpu": cpu,
    "cuda": cuda,
    "contiguous": contiguous,
    "__invert__": invert,
    "copy_": copy_,
    "requires_grad_": requires_grad_,
    "item": item,
    "type": type_,
    "split": split,
    "nonzero": nonzero,
    "new_tensor": new_tensor,
    "tolist": tensor_list.tolist,
    "accessor": tensor_list.accessor,
    "new": new,
    "numpy": numpy,
    "data": property(_data),
    "grad": None,
    "grad_fn": None,
    "output_nr": 0,
    "retains_grad": False,
    "is_sparse": False,
    "is_inference": is_inference,
    "as_subclass": as_subclass,
    "get_device": get_device,
    "is_meta": property(lambda self: self.device.type == "meta"),
    "is_cpu": property(lambda self: self.device.type == "cpu"),
    "is_cuda": property(lambda self: self.device.type == "cuda"),
    "is_complex": is_complex,
    "is_signed": is_signed,
    "__array__": tensor_numpy.to_array,
    "__array_wrap__": _array_wrap,
    "__array_priority__": 1000,  # NumPy's operators leave the work to the operators of Tensor
    "__getitem__": python_variable_indexing.getitem,
    "__setitem__": python_variable_indexing.setitem,
    "__len__": _length,
    "__iter__": _iterate,
    "__reversed__": _reversed,
    "__bool__": _truth,
    "__int__": lambda self: int(_as_number(self)),
    "__float__": lambda self: float(_as_number(self)),
    "__complex__": lambda self: complex(_as_number(self)),
    "__index__": _as_index,
    "__format__": _format,
    "__contains__": _contains,
    "__hash__": _hash,
    "__torch_dispatch__": staticmethod(slots.disabled_torch_dispatch),
    "_make_subclass": staticmethod(slots.make_subclass),
    "_make_wrapper_subclass": staticmethod(slots.make_wrapper_subclass),
    **{name: conversion(name, dtype) for name, dtype in CONVERSIONS.items()},
    **{name: transposed(operator) for name, operator in TRANSPOSES.items()},
}
"""Made once: what a class or a mode has taken over stays the same object when other names are bound anew."""
