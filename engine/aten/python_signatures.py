"""Which signatures a Python name has: from the entries of native_functions.yaml to what the argument parser reads.

    add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
    add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)

become one form of the function `add`: `add(Tensor input, Tensor other, *, Scalar alpha=1, Tensor out=None)`.
Mirrors torchgen/api/python.py and tools/autograd/gen_python_functions.py.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from ..dispatch.function_schema import Argument, FunctionSchema
from ..dispatch.schema import parse_schema

# Without bindings, or with ones written by hand in python_methods.py.
SKIPPED = re.compile(
    "alias|contiguous|_unsafe_view|_reshape_alias|slice|item|_local_scalar_dense|to|_to_copy|copy_|copy|numpy_T|matrix_H"
    "|mT|mH|nonzero|nonzero_numpy|index|data|requires_grad_|set_|lift.*|normal_functional|(add|sub|mul|div)_?[.]Scalar"
    "|.*_backward(_(out|input|weight|bias))?|.*_forward(_out)?|.*_jvp"
)
# Deprecated signatures, and the call that replaces each.
DEPRECATED = (
    ("add(Tensor self, Scalar alpha, Tensor other) -> Tensor",                              "add.Tensor"),
    ("add_(Tensor(a!) self, Scalar alpha, Tensor other) -> Tensor(a!)",                     "add_.Tensor"),
    ("add(Tensor self, Scalar alpha, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",       "add.out"),
    ("addcdiv(Tensor self, Scalar value, Tensor tensor1, Tensor tensor2) -> Tensor",        "addcdiv"),
    ("addcdiv_(Tensor(a!) self, Scalar value, Tensor tensor1, Tensor tensor2) -> Tensor(a!)", "addcdiv_"),
    ("addcdiv(Tensor self, Scalar value, Tensor tensor1, Tensor tensor2, *, Tensor(a!) out) -> Tensor(a!)",
                                                                                            "addcdiv.out"),
    ("addcmul(Tensor self, Scalar value, Tensor tensor1, Tensor tensor2) -> Tensor",        "addcmul"),
    ("addcmul_(Tensor(a!) self, Scalar value, Tensor tensor1, Tensor tensor2) -> Tensor(a!)", "addcmul_"),
    ("addcmul(Tensor self, Scalar value, Tensor tensor1, Tensor tensor2, *, Tensor(a!) out) -> Tensor(a!)",
                                                                                            "addcmul.out"),
    ("sub(Tensor self, Scalar alpha, Tensor other) -> Tensor",                              "sub.Tensor"),
    ("sub_(Tensor(a!) self, Scalar alpha, Tensor other) -> Tensor(a!)",                     "sub_.Tensor"),
    ("sub(Tensor self, Scalar alpha, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",       "sub.out"),
    *(
        form
        for name, a, b in (("addbmm", "batch1", "batch2"), ("addmm", "mat1", "mat2"), ("addmv", "mat", "vec"),
                           ("addr", "vec1", "vec2"), ("baddbmm", "batch1", "batch2"))
        for alpha in ("Scalar alpha, ", "")
        for form in (
            (f"{name}(Scalar beta, Tensor self, {alpha}Tensor {a}, Tensor {b}) -> Tensor", name),
            (f"{name}_(Scalar beta, Tensor(a!) self, {alpha}Tensor {a}, Tensor {b}) -> Tensor(a!)", f"{name}_"),
            (f"{name}(Scalar beta, Tensor self, {alpha}Tensor {a}, Tensor {b}, *, Tensor(a!) out) -> Tensor(a!)",
             f"{name}.out"),
        )
    ),
)  # fmt: skip
OPTIONS = ("dtype", "layout", "device", "pin_memory")
OPTION_PARAMETERS = (
    "ScalarType? dtype=None",
    "Layout? layout=None",
    "Device? device=None",
    "bool? pin_memory=False",
    "bool? requires_grad=False",
)


@dataclass(frozen=True)
class Overload:
    """One form of a Python name: its signature, and the operators that it calls.

    Args:
        signature: in the parser's language; without `self` if the name is a method.
        base: the operator that is called.
        out: the operator that is called when `out` is given, if there is one.
        is_factory: no tensor comes in.
    """

    signature: str
    base: FunctionSchema
    out: FunctionSchema | None = None
    is_factory: bool = False

    @property
    def has_options(self) -> bool:
        """True if the signature ends in dtype, layout, device, pin_memory, requires_grad."""
        return "requires_grad=False" in self.signature


def bound_schemas(
    native_functions: Iterable[Any], method: bool, module: str | None = None
) -> dict[str, list[FunctionSchema]]:
    """Return the schemas of the operators behind each function, or behind each method, by name.

    Args:
        native_functions: entries with `func`, `variants` and `python_module`.
        method: the forms of `Tensor`, else of the module.
        module: "nn" for the functions of `torch._C._nn`; None for the functions of `torch`.
    """
    variant = "method" if method else "function"
    found: dict[str, list[FunctionSchema]] = {}
    for entry in native_functions:
        if entry.python_module == module and variant in entry.variants and not is_skipped(entry):
            found.setdefault(entry.func.name.base, []).append(entry.func)
    return found


def overloads(schemas: list[FunctionSchema], method: bool) -> list[Overload]:
    """Return the forms of a name, in the order in which they are tried.

    Args:
        schemas: all operators of that name.
        method: the name is a method of `Tensor`.
    """
    forms: dict[str, Overload] = {}
    for schema, shown in [(schema, schema) for schema in schemas] + deprecated_forms(schemas):
        overload = as_overload(schema, shown, method)
        key = python_signature(shown, method, with_outputs=False)
        forms[key] = merged(forms[key], overload) if key in forms else overload
    return sorted_overloads([*forms.values()])


def is_skipped(entry: Any) -> bool:
    """Return True if no binding is generated for an entry; so it is for operators that are generated themselves.

    Source: should_generate_py_binding (tools/autograd/gen_python_functions.py).
    """
    if "generated" in entry.tags and "view_copy" not in entry.tags:
        return True
    return any(SKIPPED.fullmatch(name) for name in (entry.func.name.base, bare_name(entry.func)))


def bare_name(schema: FunctionSchema) -> str:
    """Return the name of an operator without the namespace: `add.Tensor`."""
    return schema.name.base + (f".{schema.name.overload}" if schema.name.overload else "")


def deprecated_forms(schemas: list[FunctionSchema]) -> list[tuple[FunctionSchema, FunctionSchema]]:
    """Return the operators that have a deprecated signature, each with the schema of that signature."""
    there = {bare_name(schema): schema for schema in schemas}
    return [(there[name], parse_schema(text)) for text, name in DEPRECATED if name in there]


def as_overload(schema: FunctionSchema, shown: FunctionSchema, method: bool) -> Overload:
    """Return one operator as a form of its name; `shown` is its schema, or a deprecated signature's."""
    signature = python_signature(shown, method) + ("|deprecated" if shown is not schema else "")
    is_factory = not any(argument.is_tensor_like and not argument.is_out for argument in schema.arguments)
    return Overload(signature, schema, schema if schema.is_out else None, is_factory)


def merged(one: Overload, other: Overload) -> Overload:
    """Merge a functional form and its out= form into one form, with the signature that has `out`."""
    functional, with_out = (other, one) if one.out else (one, other)
    return replace(functional, signature=with_out.signature, out=with_out.out)


def python_signature(schema: FunctionSchema, method: bool, with_outputs: bool = True) -> str:
    """Return a Python signature: `zeros(SymInt[] size, *, Tensor out=None, ..., bool? requires_grad=False)`.

    Args:
        method: leave out `self`; a function calls it `input`.
        with_outputs: with `out` and the options, else only what tells overloads apart.
    """
    positional = [python_parameter(argument) for argument in schema.positional if not (method and is_self(argument))]
    has_options = takes_options(schema)
    keyword_only = [
        python_parameter(argument) for argument in schema.keyword_only if not (has_options and argument.name in OPTIONS)
    ]
    if with_outputs:
        outputs = f"[{len(schema.out)}]" if len(schema.out) > 1 else ""
        keyword_only += [f"Tensor{outputs} {out_name(schema)}=None"] if schema.is_out else []
        keyword_only += OPTION_PARAMETERS if has_options else []
    return f"{schema.name.base}({', '.join([*positional, *['*'][: len(keyword_only)], *keyword_only])})"


def out_name(schema: FunctionSchema) -> str:
    """Return the name of the parameter for the output: `out`, or `grad_input` for a backward operator."""
    return schema.out[0].name if len(schema.out) == 1 else "out"


def python_parameter(argument: Argument) -> str:
    """Return the text of a parameter, `Tensor input`, `int[1] dim=None`: no alias sets, the default in Python."""
    default = {"[]": "None", "contiguous_format": "torch.contiguous_format"}.get(
        argument.default_text or "", argument.default_text
    )
    name = "input" if is_self(argument) else argument.name
    return f"{argument.type} {name}" + ("" if default is None else f"={default}")


def is_self(argument: Argument) -> bool:
    """Return True for the tensor that a method is called on, and that a function calls `input`."""
    return argument.name == "self" and str(argument.type) == "Tensor"


def takes_options(schema: FunctionSchema) -> bool:
    """Return True if the signature has dtype, layout, device, pin_memory and requires_grad, as factories have."""
    names = {argument.name for argument in schema.arguments}
    no_tensors = not any(argument.is_tensor_like and not argument.is_out for argument in schema.arguments)
    gives_tensor = any(returned.type.base == "Tensor" for returned in schema.returns)
    return names.issuperset(OPTIONS) or (no_tensors and gives_tensor)


# ---- which form is tried first

# C++ spellings, by which PyTorch sorts the signatures.
CPP_TYPES = {"int": "int64_t", "float": "double", "int[]": "IntArrayRef", "SymInt[]": "SymIntArrayRef",
             "Tensor[]": "TensorList", "str": "c10::string_view"}  # fmt: skip


def sorted_overloads(forms: list[Overload]) -> list[Overload]:
    """Sort the forms of one name, so that a narrower form precedes a wider one that would also take its arguments.

    By the text of the signature, then so that none comes before one that is smaller than it (a topological sort).

    Source: sort_overloads.
    """
    waiting = sorted(forms, key=lambda form: cpp_spelled(form.signature))
    types = [parameter_types(form) for form in waiting]
    after = {i: {j for j in range(len(types)) if comes_after(types[i], types[j])} for i in range(len(types))}
    order = [i for i in after if not after[i]]
    for i in order:
        for j in after:
            if i in after[j]:
                after[j].discard(i)
                order += [] if after[j] else [j]
    return [waiting[i] for i in order]


def comes_after(one: list[str], other: list[str]) -> bool:
    """Return True if form `one` might accept every call meant for form `other`, which must then be tried first."""
    pairs = [*zip(one, other, strict=False)]
    return len(one) == len(other) and one != other and all(a == b or takes_too_much(a, b) for a, b in pairs)


def takes_too_much(kind: str, other: str) -> bool:
    """Return True if a parameter of type `kind`, tried first, would accept (or finally reject) a value for `other`."""
    return (
        (kind, other) in {("Scalar", "Tensor"), ("Scalar?", "Tensor?"), ("int[]", "int"), ("int[]", "int?")}
        or (kind == "Tensor[]" and "[]" in other)
        or (kind, other) in {("SymInt[]", "int[]"), ("SymInt", "Tensor"), ("int", "Tensor")}
    )


def entries(signature: str) -> list[str]:
    """Return the parameters in the text of a signature."""
    inside = signature.partition("(")[2].rpartition(")")[0]
    return [entry for entry in inside.split(", ") if entry not in ("", "*")]


def parameter_types(form: Overload) -> list[str]:
    """Return the types of a form's parameters, except the type of `out`."""
    output = f" {out_name(form.out)}=None" if form.out else "="
    return [entry.split()[0] for entry in entries(form.signature) if not entry.endswith(output)]


def cpp_spelled(signature: str) -> str:
    """Return the signature with C++ types, such as `SymIntArrayRef` for `SymInt[]`."""

    def spelled(match: re.Match) -> str:
        kind, size, nullable = match.groups()
        base = CPP_TYPES.get(kind + ("[]" if size else ""), kind)
        return base + (size if size and size != "[]" else "") + nullable + " "

    spelled_out = re.sub(r"(\w+)(\[\d*\])?(\??) (?=\w)", spelled, signature)
    spelled_out = re.sub(r"=\[([\d,]+)\]", r"={\1}", spelled_out)
    spelled_out = spelled_out.replace("=Mean", "=at::Reduction::Mean")
    return spelled_out.replace("Tensor?[] ", "c10::List<::std::optional<Tensor>> ")
