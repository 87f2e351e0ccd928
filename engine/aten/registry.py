"""Operators by name. Each is a free function that carries its PyTorch schema string.

The names are those of aten/src/ATen/native/native_functions.yaml, overload included: "squeeze.dim".
"""

from collections.abc import Callable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable)

OPERATORS: dict[str, Callable] = {}


def op(schema: str) -> Callable[[Function], Function]:
    """Enter a function in `OPERATORS` under the name that its schema begins with; the function stays as it is.

    Raises:
        ValueError: there is an operator of that name.
    """
    name = schema.partition("(")[0]

    def enter(function: Function) -> Function:
        if name in OPERATORS:
            raise ValueError(f"operator {name} is defined twice")
        OPERATORS[name] = function
        function.__dict__["schema"] = schema
        return function

    return enter
