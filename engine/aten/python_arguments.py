"""The values that users pass: which fit a parameter of which type, and what they become for an operator.

A parameter's type is one of a schema's, `int`, `Scalar`, `int[]`. `CHECKS` says whether a value fits it by its type
alone, `CONVERTERS` makes of it what operators take and refuses what is out of range. Mirrors FunctionParameter::check
(torch/csrc/utils/python_arg_parser.cpp), python_arg_parser.h and python_numbers.h.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import dtypes
from ..tensor_impl import Tensor
from .at import at
from .generator import Generator
from .invalid_arguments import type_name
from .scalar_ops import wrapped_scalar_tensor

TYPE_NAMES = {
    "Tensor": "Tensor",
    "Scalar": "Number",
    "int": "int",
    "SymInt": "int",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "Tensor[]": "tuple of Tensors",
    "Tensor?[]": "tuple of Tensors",
    "int[]": "tuple of ints",
    "SymInt[]": "tuple of ints",
    "float[]": "tuple of floats",
    "ScalarType": "torch.dtype",
    "Layout": "torch.layout",
    "Device": "torch.device",
    "MemoryFormat": "torch.memory_format",
    "Generator": "torch.Generator",
    "PyObject": "object",
}
INT_LISTS = ("int[]", "SymInt[]")
Parameter = Any  # the class in python_arg_parser.py
Check = Callable[[Any, Parameter], bool]  # does the value fit the parameter?
Convert = Callable[[Any, Parameter], Any]  # the value for the operator

# ---- does a value fit a parameter?


def is_long(value: Any) -> bool:
    """Return True for an int, including NumPy's, but not for a bool."""
    return isinstance(value, (int, np.integer)) and type(value) is not bool


def is_index(value: Any) -> bool:
    """Return True for an int or what can act as one in `[1, 2][value]`, such as a tensor of one int; not for a bool."""
    if is_int(value):
        return True
    if type(value) is bool:
        return False
    try:
        operator.index(value)
    except Exception:  # a user's __index__ may raise anything
        return False
    return True


def is_scalar(value: Any, parameter: Parameter | None = None) -> bool:
    """Return True for a number, including NumPy's and bool, and for a tensor that `is_tensor_of_one` accepts."""
    return isinstance(value, (int, float, complex, np.number, np.bool_)) or is_tensor_of_one(value)


def is_double(value: Any, parameter: Parameter | None = None) -> bool:
    """Return True for the values that `is_scalar` takes, except complex numbers."""
    return is_scalar(value) and not isinstance(value, complex)


def is_tensor_of_one(value: Any) -> bool:
    """Return True for a tensor without dimensions that doesn't require grad, which is accepted as a number."""
    return isinstance(value, Tensor) and not value._sizes and not value.requires_grad


def is_tensor(value: Any, parameter: Parameter) -> bool:
    """Return True for a tensor, and for a number where the function takes numbers for tensors."""
    if isinstance(value, Tensor):
        return True
    return parameter.numbers and isinstance(value, (int, float, complex, np.number, np.bool_))


def is_int(value: Any, parameter: Parameter | None = None) -> bool:
    """Return True for an int, and for a tensor without dimensions of an integer dtype other than bool."""
    return is_long(value) or (is_tensor_of_one(value) and value.dtype.numpy.kind == "i")


def is_int_list(value: Any, parameter: Parameter) -> bool:
    """Return True for a list or tuple that begins with an int, or for one int if there is a size; see `unpack`."""
    if isinstance(value, (tuple, list)):
        return not value or is_index(value[0])
    return parameter.size > 0 and is_index(value)


def is_float_list(value: Any, parameter: Parameter) -> bool:
    """Return True for a tuple or list that begins with a number; `to_floats` checks the rest."""
    return isinstance(value, (tuple, list)) and (not value or is_double(value[0]))


def is_tensor_list(value: Any, parameter: Parameter) -> bool:
    """Return True for a tuple or list; `to_tensors` checks that its entries are tensors."""
    return isinstance(value, (tuple, list))


def is_dtype(value: Any, parameter: Parameter) -> bool:
    """Return True for a dtype, and for a Python type that names one."""
    return isinstance(value, dtypes.dtype) or (type(value) is type and value in (float, int, bool, complex))


def is_instance_of(*kinds: type) -> Callable[[Any, Parameter], bool]:
    """Return a check that accepts only instances of the given types."""
    return lambda value, parameter: isinstance(value, kinds)


CHECKS: dict[str, Callable[[Any, Parameter], bool]] = {
    "Tensor": is_tensor,
    "Scalar": is_scalar,
    "int": is_int,
    "SymInt": lambda value, parameter: is_index(value),
    "float": is_double,
    "bool": is_instance_of(bool),
    "str": is_instance_of(str),
    "Tensor[]": is_tensor_list,
    "Tensor?[]": is_tensor_list,
    "int[]": is_int_list,
    "SymInt[]": is_int_list,
    "float[]": is_float_list,
    "ScalarType": is_dtype,
    "Layout": is_instance_of(dtypes.layout),
    "Device": lambda value, parameter: isinstance(value, (str, dtypes.device)) or is_long(value),
    "MemoryFormat": is_instance_of(dtypes.memory_format),
    "Generator": is_instance_of(Generator),
    "PyObject": is_instance_of(object),
}


# ---- from what fits to what an operator takes

INT64_MIN, INT64_END, UINT64_END = -(2**63), 2**63, 2**64


def to_int(value: Any, parameter: Parameter | None = None) -> int:
    """Convert a value to a Python int.

    Raises:
        ValueError: it has more than 64 bits.
    """
    number = operator.index(value)
    if not INT64_MIN <= number < INT64_END:
        raise ValueError("Overflow when unpacking long long")
    return number


def to_ints(value: Any, parameter: Parameter) -> tuple[int, ...]:
    """Convert a value to a tuple of Python ints; one number is repeated `parameter.size` times.

    Raises:
        LookupError: with the place and the reason, for an element that is not an int.
    """
    if not isinstance(value, (tuple, list)):
        return (to_int(value),) * parameter.size
    numbers = []
    for position, element in enumerate(value, 1):
        try:
            numbers.append(to_int(element))
        except ValueError as error:
            raise LookupError(position, str(error)) from None
        except Exception:
            if is_int(element):  # a tensor whose element is not known
                raise
            expected = f"type must be {TYPE_NAMES[parameter.type]},but got {type_name(element)}"
            raise LookupError(position, expected) from None
    return tuple(numbers)


def to_number(value: Any, parameter: Parameter | None = None) -> bool | int | float:
    """Return the Python number in a number, tensor or NumPy number; `numpy.bool` counts as a float, as in PyTorch.

    Raises:
        OverflowError: an int outside of those that 64 bits can hold, with a sign or without.
        NotImplementedError: a complex number, which is out of scope.
    """
    if type(value) is float or type(value) is bool:
        return value
    if isinstance(value, Tensor):
        return at.item(value)
    if is_long(value):
        if value < INT64_MIN:
            raise OverflowError("can't convert negative int to unsigned")
        if value >= UINT64_END:
            raise OverflowError("int too big to convert")
        return int(value)
    if isinstance(value, complex):
        raise NotImplementedError(f"complex numbers are out of scope: got {value}")
    return value if isinstance(value, int) else float(value)


def to_float(value: Any, parameter: Parameter | None = None) -> float:
    """Convert a value to a Python float."""
    return float(at.item(value) if isinstance(value, Tensor) else value)


def to_floats(value: Any, parameter: Parameter) -> tuple[float, ...]:
    """Convert a sequence to a tuple of Python floats.

    Raises:
        TypeError: an element is not a number.
    """
    for position, element in enumerate(value, 1):
        if not is_double(element):
            raise TypeError(f"expected float as element {position}, but got {type_name(element)}")
    return tuple([to_float(element) for element in value])


def to_tensor(value: Any, parameter: Parameter | None = None) -> Tensor:
    """Return the tensor, or a number as a tensor that counts as a Python number in type promotion."""
    return value if isinstance(value, Tensor) else wrapped_scalar_tensor(to_number(value))


def to_tensors(value: Sequence[Any], parameter: Parameter) -> tuple[Tensor, ...]:
    """Convert a sequence to a tuple of tensors.

    Raises:
        TypeError: an element is none; not as many as the parameter asks for.
    """
    if parameter.size and len(value) != parameter.size:
        raise TypeError(f"expected tuple of {parameter.size} elements but got {len(value)}")
    for position, element in enumerate(value):
        if not isinstance(element, Tensor):
            got = type_name(element)
            raise TypeError(f"expected Tensor as element {position} in argument 0, but got {got}")
    return tuple(value)


def to_dtype(value: Any, parameter: Parameter | None = None) -> dtypes.dtype:
    """Return the dtype, or the dtype that a Python type names.

    Raises:
        NotImplementedError: `complex`, which is out of scope.
    """
    if value is complex:
        raise NotImplementedError("complex dtypes are out of scope")
    return dtypes.as_dtype(value, None)


def to_device(value: Any, parameter: Parameter | None = None) -> dtypes.device:
    """Return the device, or the device that a string names.

    Raises:
        RuntimeError: a number, which would count the devices of the accelerator; or no such kind of device.
    """
    if is_long(value):
        raise RuntimeError("Cannot access accelerator device when none is available.")
    return value if isinstance(value, dtypes.device) else dtypes.device(value)


CONVERTERS: dict[str, Convert] = {
    "Scalar": to_number,
    "int": to_int,
    "SymInt": to_int,
    "float": to_float,
    "Tensor[]": to_tensors,
    "Tensor?[]": to_tensors,
    "int[]": to_ints,
    "SymInt[]": to_ints,
    "float[]": to_floats,
    "ScalarType": to_dtype,
    "Device": to_device,
}
