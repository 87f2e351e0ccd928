"""Public names: one table says which operator is a function, a method, a property or a Python operator.

Here a name calls the operator's function directly; a dispatcher, once there is one, stands in between.
Mirrors what tools/autograd/gen_python_functions.py generates from `variants:` in native_functions.yaml.
"""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import dtypes, printing
from .aten.registry import OPERATORS
from .tensor_impl import Tensor


@dataclass(frozen=True)
class Binding:
    """Where an operator appears.

    Args:
        operator: its name in `OPERATORS`.
        function, method, property: public names, space-separated; "" for none.
        spread: position of a list of ints that may be spread over the arguments, as in `x.view(2, 3)` and `zeros(2, 3)`
            but not in `reshape(x, 2, 3)`; or None.
    """

    operator: str
    function: str = ""
    method: str = ""
    property: str = ""
    spread: int | None = None


BINDINGS = (
    #       operator                  functions                   methods                     property  spread
    Binding("tensor",                 "tensor"),
    Binding("as_tensor",              "as_tensor"),
    Binding("from_numpy",             "from_numpy"),
    Binding("empty.memory_format",    "empty",                    spread=0),
    Binding("empty_strided",          "empty_strided"),
    Binding("zeros",                  "zeros",                    spread=0),
    Binding("ones",                   "ones",                     spread=0),
    Binding("full",                   "full"),
    Binding("arange.start_step",      "arange"),
    Binding("empty_like",             "empty_like"),
    Binding("zeros_like",             "zeros_like"),
    Binding("ones_like",              "ones_like"),
    Binding("full_like",              "full_like"),
    Binding("new_empty",              "",                         "new_empty",                spread=1),
    Binding("new_zeros",              "",                         "new_zeros",                spread=1),
    Binding("new_ones",               "",                         "new_ones",                 spread=1),
    Binding("new_full",               "",                         "new_full"),
    Binding("clone",                  "clone",                    "clone"),
    Binding("contiguous",             "",                         "contiguous"),
    Binding("detach",                 "detach",                   "detach"),
    Binding("copy_",                  "",                         "copy_"),
    Binding("fill_.Scalar",           "",                         "fill_"),
    Binding("zero_",                  "",                         "zero_"),
    Binding("item",                   "",                         "item"),
    Binding("tolist",                 "",                         "tolist"),
    Binding("numpy",                  "",                         "numpy"),
    Binding("accessor",               "",                         "accessor"),
    Binding("as_strided",             "as_strided",               "as_strided"),
    Binding("view",                   "",                         "view",                     spread=1),
    Binding("view_as",                "",                         "view_as"),
    Binding("reshape",                "reshape",                  "reshape",                  spread=1),
    Binding("reshape_as",             "",                         "reshape_as"),
    Binding("flatten.using_ints",     "flatten",                  "flatten"),
    Binding("unflatten.int",          "unflatten",                "unflatten"),
    Binding("ravel",                  "ravel",                    "ravel"),
    Binding("permute",                "permute",                  "permute",                  spread=1),
    Binding("transpose.int",          "transpose swapdims",       "transpose swapdims"),
    Binding("swapaxes",               "swapaxes",                 "swapaxes"),
    Binding("t",                      "t",                        "t"),
    Binding("numpy_T",                "",                         "",                         "T"),
    Binding("mT",                     "",                         "",                         "mT"),
    Binding("movedim.intlist",        "movedim moveaxis",         "movedim moveaxis"),
    Binding("expand",                 "",                         "expand",                   spread=1),
    Binding("expand_as",              "",                         "expand_as"),
    Binding("broadcast_to",           "broadcast_to",             "broadcast_to"),
    Binding("unsqueeze",              "unsqueeze",                "unsqueeze"),
    Binding("squeeze.dims",           "squeeze",                  "squeeze"),
    Binding("select.int",             "select",                   "select"),
    Binding("narrow",                 "narrow",                   "narrow"),
    Binding("unfold",                 "",                         "unfold"),
    Binding("diagonal",               "diagonal",                 "diagonal"),
    Binding("split.Tensor",           "split",                    "split"),
    Binding("split_with_sizes",       "split_with_sizes",         "split_with_sizes"),
    Binding("chunk",                  "chunk",                    "chunk"),
    Binding("unbind.int",             "unbind",                   "unbind"),
    Binding("__getitem__",            "",                         "__getitem__"),
    Binding("__setitem__",            "",                         "__setitem__"),
)  # fmt: skip

CONVERSIONS = {"float": dtypes.float32, "double": dtypes.float64, "int": dtypes.int32, "long": dtypes.int64,
               "bool": dtypes.bool_}  # fmt: skip
INT_PARAMETER = re.compile(r"(?:int|SymInt)\?? (\w+)")  # of a schema; not a list of them
WRITES_SELF = "Tensor(a!) self"  # in a schema
NOT_YET = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__")


def bind() -> dict[str, Callable]:
    """Attach methods and properties to `Tensor`, and return the public functions by name."""
    functions = {}
    for binding in BINDINGS:
        operator = OPERATORS[binding.operator]
        schema = operator.__dict__["schema"]
        call = _counting_writes(operator) if WRITES_SELF in schema else operator
        call = _taking_ints(call)
        spread = call if binding.spread is None else _spreading(call, binding.spread)
        function = _taking_input(call) if " self" in schema.partition(",")[0] else spread
        functions.update(dict.fromkeys(binding.function.split(), function))
        for name in binding.method.split():
            setattr(Tensor, name, spread)
        if binding.property:
            setattr(Tensor, binding.property, property(call, doc=operator.__doc__))
    for name, member in _python_protocol().items():
        setattr(Tensor, name, member)
    return functions


def _counting_writes(operator: Callable) -> Callable:
    """`operator`, after which the version of its first argument is one higher.

    Counted here and not in the operator, so that a factory that fills what it made leaves version 0 behind.
    Source: ADInplaceOrView kernels (tools/autograd/gen_inplace_or_view_type.py).
    """

    @functools.wraps(operator)
    def call(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        result = operator(self, *args, **kwargs)
        self._bump_version()
        return result

    return call


def _taking_ints(operator: Callable) -> Callable:
    """`operator`, whose arguments that its schema calls `int` are Python ints when they arrive.

    Whatever counts as an index does (a NumPy int, a tensor of one int), a bool or a float raises TypeError.
    Source: the generated argument parser (torch/csrc/utils/python_arg_parser.cpp).
    """
    parameters = operator.__dict__["schema"].partition("(")[2].rpartition(") ->")[0].split(", ")
    ints = [(at, match[1]) for at, text in enumerate(parameters) if (match := INT_PARAMETER.match(text))]
    if not ints:
        return operator

    @functools.wraps(operator)
    def call(*args: Any, **kwargs: Any) -> Any:
        for at, name in ints:
            value = args[at] if at < len(args) else kwargs.get(name)
            if type(value) is int or value is None:
                continue
            if at < len(args):
                args = (*args[:at], _as_int(operator, name, value), *args[at + 1 :])
            else:
                kwargs[name] = _as_int(operator, name, value)
        return operator(*args, **kwargs)

    return call


def _as_int(operator: Callable, name: str, value: Any) -> Any:
    if isinstance(value, (tuple, list)):  # another overload of the operator: `split` takes sizes too
        return value
    if type(value) is bool or not hasattr(value, "__index__"):
        title = operator.__name__.rstrip("_")
        raise TypeError(f"{title}(): argument '{name}' must be int, not {type(value).__name__}")
    return value.__index__()


def _taking_input(operator: Callable) -> Callable:
    """`operator` as a function, which calls its first argument `input` where the method calls it `self`."""

    @functools.wraps(operator)
    def call(*args: Any, **kwargs: Any) -> Any:
        if "input" in kwargs:
            kwargs["self"] = kwargs.pop("input")
        return operator(*args, **kwargs)

    return call


def _spreading(operator: Callable, position: int) -> Callable:
    """`operator`, whose list of ints at `position` may be spread over all positional arguments from there on."""

    @functools.wraps(operator)
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > position and not isinstance(args[position], (tuple, list)):
            args = (*args[:position], args[position:])
        return operator(*args, **kwargs)

    return call


def _to(self: Tensor, *args: Any, device: Any = None, dtype: Any = None, non_blocking: bool = False,
        copy: bool = False, memory_format: Any = None) -> Tensor:  # fmt: skip
    """`self` with another dtype: `x.to(dtype)`, `x.to(device, dtype)` or `x.to(other)`, each with non_blocking, copy.

    Raises:
        RuntimeError: a device other than the one there is.
    """
    flags = [argument for argument in args if isinstance(argument, bool)]
    for argument in args[: len(args) - len(flags)]:
        if isinstance(argument, Tensor):
            dtype = argument.dtype
        elif isinstance(argument, dtypes.dtype) or argument in dtypes.OF_PYTHON:
            dtype = argument
        else:
            device = argument
    non_blocking, copy = (*flags, *(non_blocking, copy)[len(flags) :])
    if device is not None:
        dtypes.device(device)
    return OPERATORS["to.dtype"](self, dtype, copy=copy, memory_format=memory_format)


def _conversion(kind: dtypes.dtype) -> Callable[[Tensor], Tensor]:
    def convert(self: Tensor) -> Tensor:
        return OPERATORS["to.dtype"](self, kind)

    convert.__doc__ = f"`self` as {kind}: itself if it has that dtype, else a copy."
    return convert


def _length(self: Tensor) -> int:
    if not self.dim():
        raise TypeError("len() of a 0-d tensor")
    return self.shape[0]


def _iterate(self: Tensor) -> Any:
    if not self.dim():
        raise TypeError("iteration over a 0-d tensor")
    return iter(OPERATORS["unbind.int"](self))


def _truth(self: Tensor) -> bool:
    if self.numel() != 1:
        values = "no" if not self.numel() else "more than one"
        raise RuntimeError(f"Boolean value of Tensor with {values} value{'s' if not self.numel() else ''} is ambiguous")
    return bool(OPERATORS["item"](self))


def _as_number(self: Tensor) -> bool | int | float:
    if self.numel() != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return OPERATORS["item"](self)


def _as_index(self: Tensor) -> int:
    if self.numel() != 1 or self.dtype.is_floating_point:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(OPERATORS["item"](self))


def _to_array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    array = OPERATORS["numpy"](self)
    if copy is False and dtype not in (None, array.dtype):
        raise ValueError(f"a copy is needed to convert {self.dtype} to {dtype}")
    return array.astype(dtype or array.dtype, copy=bool(copy))


def _format(self: Tensor, spec: str) -> str:
    return object.__format__(self, spec) if self.dim() else format(OPERATORS["item"](self), spec)


def _not_yet(name: str) -> Callable:
    def refuse(self: Tensor, other: Any) -> Any:
        raise NotImplementedError(f"Tensor.{name} is an elementwise operator; those are not there yet")

    return refuse


def _python_protocol() -> dict[str, Any]:
    return {
        "to": _to,
        **{name: _conversion(kind) for name, kind in CONVERSIONS.items()},
        "__len__": _length,
        "__iter__": _iterate,
        "__bool__": _truth,
        "__int__": lambda self: int(_as_number(self)),
        "__float__": lambda self: float(_as_number(self)),
        "__index__": _as_index,
        "__array__": _to_array,
        "__repr__": printing.tensor_repr,
        "__format__": _format,
        **{name: _not_yet(name) for name in NOT_YET},
        "__hash__": object.__hash__,
    }
