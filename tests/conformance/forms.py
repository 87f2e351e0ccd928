"""The ways to call an operator: function, method, property, Python operator, in place, with out=.

A form is `call(T, input, args, kwargs)`, the same for the engine and for PyTorch. Which forms an operator has is
PyTorch's OpInfo's to say; where an OpInfo wraps the operator in a lambda, `SPECIAL` has the call.
"""

import operator
from collections.abc import Callable
from typing import Any

import torch

Form = Callable[[Any, Any, tuple, dict], Any]

PROPERTIES = ("T", "mT", "H", "mH")
NO_FUNCTION = (
    "item", "normal.in_place", "normal.number_mean", "where", "slice", "resize_", "uniform", "split.list_args",
)  # fmt: skip
IN_PLACE = {"normal.in_place": "normal_", "uniform": "uniform_", "resize_": "resize_", "zero_": "zero_",
                  "resize_as_": "resize_as_"}  # fmt: skip
METHODS = (
    "item", "float", "double", "int", "long", "bool", "to", "view", "view_as", "expand", "expand_as", "reshape_as",
    "contiguous", "unfold", "new_zeros", "new_ones", "new_full", "new_empty", "new_empty_strided", "sum_to_size",
    "bernoulli", "__getitem__", "__radd__", "__rmul__", "__rsub__", "__rdiv__", "__rmatmul__",
)  # fmt: skip
OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div.no_rounding_mode": operator.truediv,
    "div.floor_rounding": operator.floordiv, "neg": operator.neg, "eq": operator.eq, "ne": operator.ne,
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "matmul": operator.matmul,
    "__getitem__": operator.getitem, "positive": operator.pos,
}  # fmt: skip
REFLECTED = {"__radd__": operator.add, "__rmul__": operator.mul, "__rsub__": operator.sub, "__rdiv__": operator.truediv}
IN_PLACE_OPERATORS = {"add": operator.iadd, "sub": operator.isub, "mul": operator.imul,
                      "div.no_rounding_mode": operator.itruediv}  # fmt: skip
SPECIAL: dict[str, Form] = {
    "where": lambda T, x, args, kwargs: T.where(args[0], x, *args[1:], **kwargs),
    "normal.number_mean": lambda T, x, args, kwargs: T.normal(args[0], x, *args[1:], **kwargs),
    "slice": lambda T, x, args, kwargs: T.ops.aten.slice.Tensor(x, *args, **kwargs),
    "split.list_args": lambda T, x, args, kwargs: T.split(x, *args, **kwargs),
    "einsum": lambda T, x, args, kwargs: T.einsum(*args, x, **kwargs),
    "nn.functional.embedding": lambda T, x, args, kwargs: T.nn.functional.embedding(*args, x, **kwargs),
}


def forms(info: Any) -> dict[str, Form]:
    """The forms of an OpInfo's operator by name, the plainest first."""
    key, found = full_name(info), {}
    if key in SPECIAL:
        found["function"] = SPECIAL[key]
    elif key not in NO_FUNCTION and _is_function(info.name):
        found["function"] = lambda T, x, args, kwargs: _chain(T, info.name)(x, *args, **kwargs)
    if info.name in PROPERTIES:
        found["property"] = lambda T, x, args, kwargs: getattr(x, info.name)
    elif (info.method_variant is not None or info.name in METHODS) and hasattr(torch.Tensor, info.name):
        found["method"] = lambda T, x, args, kwargs: getattr(x, info.name)(*args, **kwargs)
    in_place = IN_PLACE.get(key, info.name + "_" if info.inplace_variant is not None else None)
    if in_place and in_place.startswith("nn."):
        found["in-place"] = lambda T, x, args, kwargs: found["function"](T, x, args, {**kwargs, "inplace": True})
    elif in_place:
        found["in-place"] = lambda T, x, args, kwargs: getattr(x, in_place)(*args, **kwargs)
    if key in OPERATORS:
        found["operator"] = lambda T, x, args, kwargs: OPERATORS[key](x, *args)
    if key in REFLECTED:
        found["operator"] = lambda T, x, args, kwargs: REFLECTED[key](*args, x)
    if key in IN_PLACE_OPERATORS:
        found["in-place operator"] = lambda T, x, args, kwargs: IN_PLACE_OPERATORS[key](x, *args)
    if info.supports_out and "function" in found:
        found["out="] = found["function"]
    return found


def applies(form: str, sample: Any) -> bool:
    """Return whether a sample can be written in a form: Python's operators take no keywords."""
    return "operator" not in form or (not sample.kwargs and not (len(sample.args) > 1))


def full_name(info: Any) -> str:
    return f"{info.name}.{info.variant_test_name}" if info.variant_test_name else info.name


def exists(T: Any, info: Any) -> bool:
    """Return whether T has the operator under any of its names."""
    name = info.name
    return _chain(T, name) is not None or hasattr(T.Tensor, name) or hasattr(T.Tensor, name + "_")


def _chain(T: Any, name: str) -> Any:
    for part in name.split("."):
        T = getattr(T, part, None)
    return T


def _is_function(name: str) -> bool:
    found = _chain(torch, name)
    return callable(found) and not isinstance(found, type)
