"""The arguments of an operator as a profile shows them: sizes, strides, kinds, values of numbers.

Mirrors InputOutputEncoder (torch/csrc/profiler/collection.cpp).
"""

from collections.abc import Sequence
from typing import Any

from .. import dtypes
from ..dtypes import dtype, layout, memory_format
from ..tensor_impl import Tensor
from .events import Input

# dtype -> its name in C++, and its number there (c10/core/ScalarType.h)
SCALAR_TYPES = {
    "uint8": ("unsigned char", 0), "int8": ("signed char", 1), "int16": ("short int", 2), "int32": ("int", 3),
    "int64": ("long int", 4), "float16": ("c10::Half", 5), "float32": ("float", 6), "float64": ("double", 7),
    "complex64": ("c10::complex<float>", 9), "complex128": ("c10::complex<double>", 10), "bool": ("bool", 11),
}  # fmt: skip
MEMORY_FORMATS = {dtypes.contiguous_format: 0, dtypes.preserve_format: 1, dtypes.channels_last: 2}
Raw = tuple[Any, ...]
"""A tensor as (sizes, strides, dtype), a list of tensors as a list of them, any other argument as it is."""


def raw_inputs(arguments: Sequence[Any]) -> Raw:
    """Return the data to record about the arguments before the operator runs, since it may change their sizes."""
    return tuple(_raw(argument) for argument in arguments)


def _raw(argument: Any) -> Any:
    if isinstance(argument, Tensor):
        return _Sizes(argument)
    return [_raw(entry) for entry in argument] if isinstance(argument, (list, tuple)) else argument


class _Sizes:
    __slots__ = ("sizes", "strides", "dtype")

    def __init__(self, tensor: Tensor):
        self.sizes, self.strides, self.dtype = tensor._sizes, tensor._strides, tensor._dtype


def inputs_of(raw: Raw) -> tuple[Input, ...]:
    """Convert the recorded data to Inputs, the form in which a profile shows arguments."""
    return tuple(_input(argument) for argument in raw)


def _input(argument: Any) -> Input:
    if isinstance(argument, _Sizes):
        return Input(cpp_name(argument.dtype), list(argument.sizes), list(argument.strides))
    if isinstance(argument, list):
        if argument and all(isinstance(entry, _Sizes) for entry in argument):
            return Input("TensorList", [list(one.sizes) for one in argument], [list(one.strides) for one in argument])
        is_scalars = all(isinstance(entry, (bool, int, float)) for entry in argument)
        return Input("ScalarList", [], [], argument) if is_scalars else Input("", [], [])
    if isinstance(argument, dtype):
        return Input("Scalar", [], [], SCALAR_TYPES[str(argument).removeprefix("torch.")][1])
    if isinstance(argument, memory_format):
        return Input("Scalar", [], [], MEMORY_FORMATS[argument])
    if isinstance(argument, layout):
        return Input("Scalar", [], [], 0)
    return Input("Scalar", [], [], argument) if isinstance(argument, (bool, int, float, complex)) else Input("", [], [])


def cpp_name(kind: dtype) -> str:
    """Return the C++ name of a dtype: "float" for float32, "long int" for int64."""
    name = str(kind).removeprefix("torch.")
    return SCALAR_TYPES.get(name, (name, 0))[0]
