"""Conversion of Python values to a schema's types: the checks of a call through `engine.ops`.

Mirrors toIValue in torch/csrc/jit/python/pybind_utils.cpp.
"""

from collections.abc import Callable, Sequence
from typing import Any

from .. import dtypes, slots
from ..tensor_impl import Tensor
from .function_schema import BaseType, FunctionSchema, ListType, OptionalType, Type

NUMBERS_AS_TENSORS = frozenset(
    name + suffix
    for name in ("add", "div", "divide", "mul", "multiply", "sub", "subtract", "true_divide", "floor_divide")
    for suffix in ("", "_")
) | {"to", "_to_copy", "copy", "copy_", "_conj"}
"""Operators whose tensor arguments may be Python numbers (should_allow_numbers_as_tensors in python_arg_parser.cpp)."""
TENSOR = BaseType("Tensor")
DETAILS = "(#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)"


class _Refused(Exception):
    pass


def converted(schema: FunctionSchema, position: int, value: Any) -> Any:
    """Convert an argument for a kernel: lists to tuples, a number for `int[2]` to a pair, a device's name to a device.

    Raises:
        RuntimeError: the type of the argument does not accept the value.
    """
    argument = schema.arguments[position]
    if isinstance(value, (bool, int, float)) and argument.type == TENSOR and schema.name.base in NUMBERS_AS_TENSORS:
        return slots.wrapped_scalar_tensor(value)
    try:
        return _convert(argument.type, value)
    except _Refused as refusal:
        raise RuntimeError(
            f"{called(schema)} Expected a value of type '{described(argument.type)}' for argument '{argument.name}' "
            f"but instead found type '{_type_name(value)}'.\nPosition: {position}\nValue: {value!r}\n"
            f"Declaration: {schema}\nCast error details: {refusal}"
        ) from None


def results_of(schema: FunctionSchema, result: Any) -> Any:
    """Check the results of a Python kernel against the schema, and convert numbers and lists as for arguments.

    Raises:
        RuntimeError: not the types, or not as many, as the schema says.
        TypeError: one value where there should be several.
    """
    returns = schema.returns
    if not returns:
        if result is not None:
            raise RuntimeError(
                f"Expected PythonKernelHolder for {schema.name} to return None but it returned something else instead."
            )
        return None
    if len(returns) == 1:
        return _converted_result(returns[0].type, result)
    if not isinstance(result, Sequence):
        raise TypeError(f"Object of type '{_type_name(result)}' is not an instance of 'sequence'")
    made = tuple(_converted_result(expected.type, value) for expected, value in zip(returns, result, strict=False))
    if len(result) != len(returns):
        raise RuntimeError(f"A kernel of {schema.name} returned {len(result)} values, not {len(returns)}: {schema}")
    return made


def _converted_result(type: Type, value: Any) -> Any:
    if value is None and isinstance(type, BaseType) and type.base == "Tensor":
        return None  # PyTorch's undefined tensor
    try:
        return _convert(type, value)
    except _Refused as refusal:
        raise RuntimeError(str(refusal)) from None


def called(schema: FunctionSchema) -> str:
    """Return the name of an operator as messages show it, without the overload."""
    return f"{schema.name.namespace}::{schema.name.base}()"


def described(type: Type) -> str:
    """Return a type as PyTorch's messages spell it: `Optional[List[int]]`."""
    if isinstance(type, OptionalType):
        return f"Optional[{described(type.inner)}]"
    if isinstance(type, ListType):
        return f"List[{described(type.element)}]"
    return _DESCRIBED.get(type.base, type.base)


def _convert(type: Type, value: Any) -> Any:
    if isinstance(type, OptionalType):
        return None if value is None else _convert(type.inner, value)
    if isinstance(type, ListType):
        if type.size is not None and not isinstance(value, (list, tuple, Tensor)):
            return (_convert(type.element, value),) * type.size
        if not isinstance(value, (list, tuple)):
            raise _Refused(_unable(value))
        if type.element == TENSOR and not all(isinstance(entry, Tensor) for entry in value):
            raise _Refused(_unable(value))
        return tuple(_convert(type.element, entry) for entry in value)
    convert = _CONVERSIONS.get(type.base)
    return value if convert is None else convert(value)


def _tensor(value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        raise _Refused(f"Unable to cast {value} to Tensor")
    return value


def _int(value: Any) -> int:
    accepted = "__int__" if isinstance(value, Tensor) else "__index__"
    if isinstance(value, float) or not hasattr(value, accepted):
        raise _Refused(_unable(value))
    return int(value)


def _float(value: Any) -> float:
    if not hasattr(value, "__float__"):
        raise _Refused(_unable(value))
    return float(value)


def _bool(value: Any) -> bool:
    if value is not None and not hasattr(value, "__bool__"):
        raise _Refused(_unable(value))
    try:
        return bool(value)
    except Exception:  # of a tensor with several elements, or of a class that answers anew each time
        raise _Refused(_unable(value)) from None


def _number(value: Any) -> bool | int | float:
    if not isinstance(value, (bool, int, float)):
        raise _Refused(f"Cannot cast {value} to number")
    return value


def _instance(kind: type) -> Callable[[Any], Any]:
    def convert(value: Any) -> Any:
        if not isinstance(value, kind):
            raise _Refused(_unable(value))
        return value

    return convert


def _dtype(value: Any) -> Any:
    if not isinstance(value, dtypes.dtype):
        raise _Refused(_unable(value))
    return value


def _device(value: Any) -> dtypes.device:
    if not isinstance(value, (str, dtypes.device)):
        raise _Refused(_unable(value))
    return dtypes.device(value)


def _unable(value: Any) -> str:
    return f"Unable to cast Python instance of type {type(value)} to C++ type '?' {DETAILS}"


def _type_name(value: Any) -> str:
    return type(value).__name__


_DESCRIBED = {
    "Scalar": "number", "SymInt": "int", "ScalarType": "int", "Layout": "int", "MemoryFormat": "int",
}  # fmt: skip
_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "Tensor": _tensor,
    "int": _int,
    "SymInt": _int,
    "float": _float,
    "bool": _bool,
    "Scalar": _number,
    "number": _number,
    "str": _instance(str),
    "ScalarType": _dtype,
    "Device": _device,
    "Layout": _instance(dtypes.layout),
    "MemoryFormat": _instance(dtypes.memory_format),
}
