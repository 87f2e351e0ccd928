"""The Python binding: functions of the module, methods and operators of `Tensor`.

They come from native_functions.yaml: `python_signatures.py` finds the forms of each name, `python_codegen.py` writes
its text, and here the text becomes a function, when the name is called for the first time. What PyTorch writes by
hand is in `python_methods.py`. Mirrors torch/csrc/autograd/generated/{python_torch_functions,python_variable_methods}.
"""

import ast
import inspect
import linecache
import re
from collections.abc import Callable, Iterable, Mapping
from types import CodeType, FunctionType, MappingProxyType, SimpleNamespace
from typing import Any

from .. import _C, dtypes
from ..dispatch.function_schema import FunctionSchema
from ..strides import Ints
from ..tensor_impl import Size, Tensor
from . import python_docs, python_functions, python_methods, return_types
from .at import at
from .python_arg_parser import ABSENT, PythonArgParser, parse_signature
from .python_arguments import INT64_END, INT64_MIN
from .python_codegen import (
    function_source,
    operator_source,
    overridable_source,
    reflected_source,
    result_fields,
    result_name,
    unary_source,
    variable,
)
from .python_signatures import Overload, bound_schemas, overloads
from .scalar_ops import wrapped_scalar_tensor
from .tensor_new import below_autograd, with_requires_grad
from .type_promotion import SCALAR_TYPE_NAMES

Schemas = Mapping[str, list[FunctionSchema]]  # name -> the operators behind it

# Python operator -> the method that computes it.
BINARY = {
    "__add__": "add",               "__radd__": "add",             "__iadd__": "add_",
    "__sub__": "sub",                                              "__isub__": "sub_",
    "__mul__": "mul",               "__rmul__": "mul",             "__imul__": "mul_",
    "__truediv__": "div",           "__div__": "div",              "__itruediv__": "div_",        "__idiv__": "div_",
    "__floordiv__": "floor_divide", "__mod__": "remainder",        "__ifloordiv__": "floor_divide_",
    "__pow__": "pow",               "__ipow__": "pow_",            "__imod__": "remainder_",
    "__matmul__": "matmul",
    "__rand__": "bitwise_and",      "__ror__": "bitwise_or",       "__rxor__": "bitwise_xor",
    "__eq__": "eq",                 "__lt__": "lt",                "__gt__": "gt",
    "__ne__": "ne",                 "__le__": "le",                "__ge__": "ge",
}  # fmt: skip
UNARY = {"__neg__": "neg", "__pos__": "positive", "__abs__": "abs", "__invert__": "bitwise_not"}
# Python operator -> the expression that computes it when `other` is on the left; the first whose functions exist.
REFLECTED = {
    "__rsub__": ("functions.rsub(self, other)",),
    "__rtruediv__": ("functions.reciprocal(self) * other", "functions.div(1, self) * other"),
    "__rdiv__": ("functions.reciprocal(self) * other", "functions.div(1, self) * other"),
    "__rfloordiv__": ("functions.floor_divide(other, self)",),
    "__rmod__": ("functions.remainder(other, self)",),
    "__rpow__": ("functions.pow(other, self)",),
    "__rlshift__": ("functions.bitwise_left_shift(other, self)",),
    "__rrshift__": ("functions.bitwise_right_shift(other, self)",),
    "__rmatmul__": ("functions.matmul(other, self)",),
}

# Python operator -> its `__name__`, where PyTorch's is another one.
OPERATOR_NAMES = {"__pow__": "pow", "__ipow__": "pow_", "__rtruediv__": "__rdiv__"}
# The operators that take calls over by their own name; the others are calls of their method.
WRITTEN_IN_PYTHON = {"__floordiv__", "__pow__", "__ipow__", *REFLECTED}  # torch/_tensor.py
OVERRIDABLE = {"__eq__", *WRITTEN_IN_PYTHON}

MODULES = ("nn", "linalg", "special")  # `python_module` of an entry: bound in torch._C._nn, ...


def bind(native_functions: Iterable[Any]) -> dict[str, Callable[..., Any]]:
    """Attach methods, properties and operators to `Tensor`, and return the public functions by name.

    Args:
        native_functions: the parsed entries of native_functions.yaml. Their operators are looked up in `at` when a
            name is called for the first time.
    """
    entries = list(native_functions)
    functions = Names("", bound_schemas(entries, method=False))
    methods = Names("Tensor.", bound_schemas(entries, method=True), SimpleNamespace(**functions.bound))
    modules = [Names(f"_C._{module}.", bound_schemas(entries, method=False, module=module)) for module in MODULES]
    NAMES[:] = functions, methods, *modules
    document(python_docs.docstrings(entries))
    for module, names in zip(MODULES, modules, strict=True):
        setattr(_C, f"_{module}", SimpleNamespace(**names.bound))
    by_hand = python_methods.members(functions.bound)
    for name, member in (methods.bound | by_hand).items():
        setattr(Tensor, name, member)
    return exported(functions.bound) | python_functions.FUNCTIONS


def rebind(native_functions: Iterable[Any]) -> dict[str, Callable[..., Any]]:
    """Replace the bound entries with others, and keep the function objects of the names that remain.

    Returns:
        The generated functions of the module. Methods that are no longer there are taken from `Tensor`.
    """
    entries = list(native_functions)
    functions, methods, *modules = NAMES
    before = set(methods.bound)
    functions.set_schemas(bound_schemas(entries, method=False))
    vars(methods.functions).clear()
    vars(methods.functions).update(functions.bound)
    methods.set_schemas(bound_schemas(entries, method=True))
    for module, names in zip(MODULES, modules, strict=True):
        names.set_schemas(bound_schemas(entries, method=False, module=module))
        setattr(_C, f"_{module}", SimpleNamespace(**names.bound))
    document(python_docs.docstrings(entries))
    by_hand = python_methods.members(functions.bound)
    for name in before - set(methods.bound) - set(by_hand):
        delattr(Tensor, name)
    for name, member in (methods.bound | by_hand).items():
        setattr(Tensor, name, member)
    return exported(functions.bound)


def exported(functions: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return the functions that the module exports: all except `__and__` and similar, as in torch/__init__.py."""
    return {name: function for name, function in functions.items() if not name.startswith("__")}


def document(docstrings: Mapping[str, str]) -> None:
    """Set the docstring of each bound function; the one of a Python operator names the method behind the operator."""
    for names in NAMES:
        for name, function in names.bound.items():
            method = BINARY.get(name) or UNARY.get(name) or name.replace("__r", "__")
            function.__doc__ = docstrings.get(name) or f"The Python operator of `{method}`."


def rebuild() -> None:
    """Regenerate all source and parsers at the next calls; for use after a function that makes them was replaced."""
    for names in NAMES:
        names.set_schemas(names.schemas)


NAMES: list["Names"] = []
"""The generated names of the module, of `Tensor`, and of each of `MODULES`; `bind` fills it."""


def generated_source() -> str:
    """Return the source of all names, as their first calls would generate it."""
    return "\n".join(f"# {names.owner}{name}\n{names.source(name)}" for names in NAMES for name in names.bound)


class Names:
    """The generated functions of a module, or the generated methods of `Tensor`.

    Args:
        owner: "", "Tensor." or "_C._nn.".
        schemas: the operators of each name.
        functions: for `Tensor`, the functions of the module by name.

    Attributes:
        bound: name -> function, whose code is a stub until the first call.
        namespace: the globals of these functions.
        overridable: their calls can be taken over; see `set_overridable`.
    """

    overridable = False

    def __init__(
        self, owner: str, schemas: Mapping[str, list[FunctionSchema]], functions: SimpleNamespace | None = None
    ):
        self.owner = owner
        self.functions = functions
        self.is_method = functions is not None
        self.namespace: dict[str, Any] = {**GLOBALS, "functions": functions, "first_call": self.first_call}
        self.stubs: dict[str, CodeType] = {}
        self.bound: dict[str, Any] = {}
        self.set_schemas(schemas)

    def set_schemas(self, schemas: Mapping[str, list[FunctionSchema]]) -> None:
        """Replace the operators behind each name; existing functions remain the same objects."""
        self.schemas = schemas
        operators = {**BINARY, **UNARY} if self.functions else {}
        names = [*schemas, *(name for name in operators if operators[name] in schemas)]
        names += [name for name in REFLECTED if self.functions and self._reflected(name)]
        self.stubs = {name: stub_code(name) for name in names}
        self._codes: dict[str, CodeType] = {}  # of the functions when `overridable` is the other way
        for name in names:
            shown = OPERATOR_NAMES.get(name, name)
            bound = self.bound.setdefault(name, FunctionType(self.stubs[name], self.namespace, shown))
            bound.__code__ = self.stubs[name]
            bound.__qualname__ = f"{self.owner}{name}"
            bound.__signature__ = BoundSignature(self, name)
        self.bound = {name: self.bound[name] for name in names}
        self.namespace.update(self.bound)

    def forms(self, name: str) -> list[Overload]:
        """Return the forms of a name; for a Python operator's name, the forms of its method."""
        schemas = self.schemas.get(name) or self.schemas.get(BINARY.get(name) or UNARY.get(name) or "", [])
        return overloads(schemas, method=self.is_method)

    def source(self, name: str) -> str:
        """Return the source of a name's function."""
        if not self.overridable or name in UNARY:
            return self._source(name)
        if name in BINARY and name not in OVERRIDABLE:
            return reflected_source(name, f"{BINARY[name]}(self, other)")
        parameters = [parse_signature(form.signature).parameters for form in self.forms(name)] if self.is_method else []
        style = "python" if name in WRITTEN_IN_PYTHON else "self" if parameters == [()] else "parsed"
        label = f"torch.{self.owner.removeprefix('_C._')}{name}"
        if name == "__eq__":  # asks `self` alone; `eq` asks both
            text = overridable_source(reflected_source(name, "eq(self, other)"), name, label, style)
            return text.replace("overloaded((self, other)", "overloaded((self,)")
        return overridable_source(self._source(name), name, label, style)

    def set_overridable(self, overridable: bool) -> None:
        """Give all functions the code that first looks for classes and modes to take their calls over, or their own.

        A function's other code is kept; it is made at the first call that needs it.
        """
        if overridable == self.overridable:
            return
        kept, self._codes = self._codes, {name: function.__code__ for name, function in self.bound.items()}
        self.overridable = overridable
        for name, function in self.bound.items():
            function.__code__ = kept.get(name, self.stubs[name])

    def _source(self, name: str) -> str:
        if name in self.schemas:
            return function_source(name, self.forms(name), self.is_method)
        if name in REFLECTED:
            return reflected_source(name, self._reflected(name))
        if name in UNARY:
            return unary_source(name, UNARY[name])
        return operator_source(name, BINARY[name], self.forms(name))

    def _reflected(self, name: str) -> str:
        for expression in REFLECTED[name]:
            if all(hasattr(self.functions, function) for function in re.findall(r"functions\.(\w+)", expression)):
                return expression
        return ""

    def first_call(self, name: str) -> Callable[..., Any]:
        """Compile the function of a name. The stub object becomes that function, so that existing references see it."""
        text = self.source(name)
        filename = f"<python: {self.owner}{name}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        forms = self.forms(name)
        for schema in [schema for form in forms for schema in (form.base, form.out) if schema]:
            self.namespace[f"at_{schema.name.unambiguous}"] = getattr(at, schema.name.unambiguous)
            if fields := result_fields(schema):
                variable = result_name(schema)
                self.namespace[variable] = return_types.result_class(variable.removeprefix("return_types_"), fields)
        if name in self.schemas:
            self.namespace[f"{name}_parser"] = PythonArgParser(*(form.signature for form in forms), overridable=True)
        made: dict[str, FunctionType] = {}
        exec(compile(parsed(text), filename, "exec"), self.namespace, made)
        bound = self.bound[name]
        bound.__code__ = made[name].__code__
        return bound


def parsed(text: str) -> ast.Module:
    """Parse a generated function. Its `try` gets the line of the first statement inside, and so no instruction."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Try):
            node.lineno = node.body[0].lineno
    return tree


class BoundSignature(inspect.Signature):
    """The signature of a bound function, computed on first use by `inspect.signature`.

    A name of several forms takes `*args, **kwargs`: its docstring has the schemas.
    """

    __slots__ = ("_name", "_names")

    def __init__(self, names: Names, name: str):
        super().__init__()
        self._names, self._name = names, name

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:  # type: ignore[override]
        parameters = self._of_the_call()
        if self._names.is_method:
            parameters.insert(0, inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY))
        return MappingProxyType({parameter.name: parameter for parameter in parameters})

    def replace(self, **changes: Any) -> inspect.Signature:  # type: ignore[override]
        return inspect.Signature([*self.parameters.values()]).replace(**changes)

    def _of_the_call(self) -> list[inspect.Parameter]:
        kinds = inspect.Parameter
        if self._name in UNARY:
            return []
        if self._name in BINARY or self._name in REFLECTED:
            return [kinds("other", kinds.POSITIONAL_ONLY)]
        forms = [parse_signature(form.signature) for form in self._names.forms(self._name)]
        current = [form for form in forms if not form.deprecated]
        if len(current) > 1:
            return [kinds("args", kinds.VAR_POSITIONAL), kinds("kwargs", kinds.VAR_KEYWORD)]
        by_position = kinds.VAR_POSITIONAL if current[0].spreads else kinds.POSITIONAL_OR_KEYWORD
        return [
            kinds(
                variable(entry.name),
                kinds.KEYWORD_ONLY if entry.keyword_only else by_position,
                default=kinds.empty if entry.default is ABSENT else entry.default,
            )
            for entry in current[0].parameters
        ]


first_call: Callable[[str], Callable[..., Any]]  # in the globals of generated functions


def _stub(*args: Any, **kwargs: Any) -> Any:
    return first_call("NAME")(*args, **kwargs)  # noqa: F821


def stub_code(name: str) -> CodeType:
    """Return the code of a stub, a function that generates its own source when it is called."""
    code = _stub.__code__
    constants = tuple(name if constant == "NAME" else constant for constant in code.co_consts)
    return code.replace(co_name=name, co_consts=constants)


# ---- what generated functions use


def as_ints(values: Any) -> Ints | None:
    """Return `values` as a tuple if it is a tuple or list of 64-bit Python ints; else None, so that the parser runs."""
    kind = type(values)
    if kind is not tuple and kind is not list and kind is not Size:
        return None
    for value in values:
        if type(value) is not int or not INT64_MIN <= value < INT64_END:
            return None
    return tuple(values)


def as_tensors(values: Any) -> tuple[Tensor, ...] | None:
    """Return `values` as a tuple if it is a tuple or list of tensors, else None."""
    if type(values) is not tuple and type(values) is not list:
        return None
    for value in values:
        if not isinstance(value, Tensor):
            return None
    return tuple(values)


def refuse_arguments(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Raise the TypeError that Python raises for arguments to a C method that takes none."""
    if kwargs:
        raise TypeError(f"TensorBase.{name}() takes no keyword arguments")
    raise TypeError(f"TensorBase.{name}() takes no arguments ({len(args)} given)")


def check_out_type_matches(
    out: Tensor, dtype: dtypes.dtype | None, layout: dtypes.layout | None, device: dtypes.device | None
) -> None:
    """Check that the options of a factory match the given `out`.

    Raises:
        RuntimeError: dtype, layout or device differ.

    Source: check_out_type_matches (torch/csrc/autograd/utils/python_arg_parsing.h).
    """
    if dtype is not None and dtype is not out.dtype:
        asked, there = SCALAR_TYPE_NAMES[dtype], SCALAR_TYPE_NAMES[out.dtype]
        raise RuntimeError(f"dtype {asked} does not match dtype of out parameter ({there})")
    if layout is not None and layout is not out.layout:
        raise RuntimeError(f"layout {layout} does not match layout of out parameter ({out.layout})")
    if device is not None and device.type != out.device.type:
        raise RuntimeError(f"device type {device.type} does not match device type of out parameter ({out.device.type})")


GLOBALS: dict[str, Any] = {
    "Tensor": Tensor,
    "Dtype": dtypes.dtype,
    "Long": dtypes.int64,
    "CPU": dtypes.CPU,
    "Numbers": frozenset((int, float)),
    "Float": float,
    "MIN": INT64_MIN,
    "END": INT64_END,
    "contiguous_format": dtypes.contiguous_format,
    **{
        tool.__name__: tool
        for tool in (as_ints, as_tensors, below_autograd, with_requires_grad, refuse_arguments,
                     check_out_type_matches, wrapped_scalar_tensor)
    },
}  # fmt: skip
