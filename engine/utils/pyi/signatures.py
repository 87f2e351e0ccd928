"""From the argument parser's signatures to Python's: `int[1]? dim=None` is `dim: _int | Sequence[_int] | None = None`.

Mirrors torchgen/api/python.py (argument_type_str_pyi, signature_str_pyi) and tools/pyi/gen_pyi.py.
"""

import itertools
from collections.abc import Iterator, Sequence

from ...aten import python_bindings
from ...aten.python_arg_parser import ABSENT, Parameter, Signature, parse_signature
from ...aten.python_codegen import result_fields, variable
from ...dispatch.function_schema import FunctionSchema, ListType, Return

# The underscores keep methods such as `Tensor.float` from hiding the types.
TYPES = {
    "Tensor": "Tensor",
    "Scalar": "Number",
    "int": "_int",
    "SymInt": "_int",
    "float": "_float",
    "bool": "_bool",
    "str": "_str",
    "ScalarType": "_dtype",
    "Device": "DeviceLike",
    "Layout": "_layout",
    "MemoryFormat": "_memory_format",
    "Generator": "Generator",
    "PyObject": "Any",
}
FORM = "{overload}{indent}def {name}({parameters}) -> {returns}: ...\n"


def stub(names: python_bindings.Names, name: str) -> str:
    """Return the stub of a generated name: one `def`, or an overload for each form."""
    if name in python_bindings.REFLECTED or name in python_bindings.UNARY:
        parameters = ["self", "other: Tensor | Number"] if name in python_bindings.REFLECTED else ["self"]
        return definitions(name, [(parameters, "Tensor")], True)
    forms = names.forms(name)
    signatures = [parse_signature(form.signature) for form in forms]
    if name in python_bindings.BINARY and name not in names.schemas:
        takes_numbers = any(entry.type == "Scalar" or entry.numbers for one in signatures for entry in one.parameters)
        other = "Tensor | Number" if takes_numbers else "Tensor"
        in_place = python_bindings.BINARY[name].endswith("_")
        return definitions(name, [(["self", f"other: {other}"], "Self" if in_place else "Tensor")], True)
    written = [
        ((["self"] if names.is_method else []) + parameters, returns_of(form.base, names.is_method))
        for form, signature in zip(forms, signatures, strict=True)
        if not signature.deprecated
        for parameters in parameter_lists(signature)
    ]
    return definitions(name, written, names.is_method)


def definitions(name: str, forms: Sequence[tuple[list[str], str]], is_method: bool) -> str:
    """Return a `def` line for each distinct pair (parameters, returned type) among the forms."""
    indent = "    " * is_method
    unique = [*dict.fromkeys((", ".join(parameters), returned) for parameters, returned in forms)]
    overload = f"{indent}@overload\n" if len(unique) > 1 else ""
    return "".join(
        FORM.format(overload=overload, indent=indent, name=name, parameters=parameters, returns=returned)
        for parameters, returned in unique
    )


def parameter_lists(signature: Signature) -> Iterator[list[str]]:
    """Yield the parameters of a form, and if ints may be spread, as in `x.view(2, 3)`, also that call's parameters."""
    written = [parameter(entry) for entry in signature.parameters]
    positional, keyword_only = written[: signature.max_pos_args], written[signature.max_pos_args :]
    yield [*positional, *(["*"] if keyword_only else []), *keyword_only]
    if signature.spreads:
        yield [f"*{variable(signature.parameters[0].name)}: _int", *keyword_only]


def parameter(entry: Parameter) -> str:
    """Return a parameter as Python writes it, such as `dim: _int | Sequence[_int] | None = None`."""
    base, _, is_list = entry.type.partition("[")
    base, is_optional_element = base.rstrip("?"), base.endswith("?")
    kind = TYPES[base] + (" | None" if is_optional_element else "")
    alternatives = [f"Sequence[{kind}]" if is_list else kind]
    if is_list and entry.size:
        alternatives.insert(0, TYPES[base])
    if entry.numbers and entry.name == "other":
        alternatives.append("Number")
    if entry.allow_none or entry.default is None:
        alternatives.append("None")
    return f"{variable(entry.name)}: {' | '.join(alternatives)}{default(entry)}"


def default(entry: Parameter) -> str:
    """Return a parameter's default, such as ` = 1`; "" without a default, ` = ...` for a value that has no literal."""
    if entry.default is ABSENT:
        return ""
    is_literal = entry.default is None or isinstance(entry.default, (bool, int, float, str))
    return f" = {entry.default!r}" if is_literal and "inf" not in repr(entry.default) else " = ..."


def returns_of(schema: FunctionSchema, is_method: bool) -> str:
    """Return the annotation of the result, such as `Tensor` or `_return_types.max`; `Self` for an in-place method."""
    if is_method and schema.is_inplace:
        return "Self"
    if result_fields(schema):
        return f"_return_types.{schema.name.base}"
    kinds = [returned(entry) for entry in schema.returns]
    if not kinds:
        return "None"
    return kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"


def returned(entry: Return) -> str:
    """Return the type annotation of one result."""
    kind = TYPES[entry.type.base]
    return f"tuple[{kind}, ...]" if isinstance(entry.type, ListType) else kind


def result_classes(schemas: Sequence[FunctionSchema]) -> str:
    """Return the source of a NamedTuple class for each operator that returns several named tensors."""
    named = {schema.name.base: schema for schema in schemas if result_fields(schema)}
    lines = []
    for name, schema in sorted(named.items()):
        lines += [f"class {name}(NamedTuple):"]
        fields = zip(result_fields(schema), schema.returns, strict=True)
        lines += [f"    {field}: {returned(entry)}" for field, entry in fields] + [""]
    return "\n".join(lines)


def all_schemas() -> list[FunctionSchema]:
    """Return the schemas of the operators behind all bound names."""
    bound = (schemas for names in python_bindings.NAMES for schemas in names.schemas.values())
    return [*itertools.chain.from_iterable(bound)]
