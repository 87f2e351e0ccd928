"""The text of the Python binding: one function for each name, from the forms that the name has.

    def relu(*args, **kwargs):
        if not kwargs:
            _given = len(args)
            if _given == 1:
                (input,) = args
                if isinstance(input, Tensor):
                    return at_relu(input)
        _form, _values = relu_parser.parse(args, kwargs)
        if _form < 0:
            return relu(*args, **kwargs)
        (input,) = _values
        return at_relu(input)

First come the calls that programs make most, recognized by their types; the parser handles all others. Both call the
operator with the same values. The form is negative if an argument's class takes calls over from now on: then the
function has other code, `overridable_source`, and calls itself again. Mirrors the templates of
tools/autograd/gen_python_functions.py.
"""

import keyword
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from ..dispatch.function_schema import FunctionSchema
from .python_arg_parser import ABSENT, Parameter, Signature, parse_signature
from .python_signatures import Overload, out_name

# ---- one name


def function_source(name: str, forms: Sequence[Overload], method: bool) -> str:
    """Return the source of the Python function of a name, with all its forms.

    Args:
        forms: in the order in which they are tried.
        method: of `Tensor`, with `self` before the arguments that are parsed.
    """
    signatures = [parse_signature(form.signature) for form in forms]
    lines = [f"def {name}({'self, ' if method else ''}*args, **kwargs):"]
    if method and len(forms) == 1 and not signatures[0].parameters:
        lines += ["    if args or kwargs:", f'        refuse_arguments("{name}", args, kwargs)']
        lines += [f"    return {call(forms[0], {})}"]
    else:
        lines += fast_calls(forms, signatures)
        parse = f"_form, _values = {name}_parser.parse(args, kwargs)"
        lines += [f"    {parse}"]
        lines += ["    if _form < 0:", f"        return {name}({'self, ' if method else ''}*args, **kwargs)"]
        for index, (form, signature) in enumerate(zip(forms, signatures, strict=True)):
            lines += parsed_call(form, signature, index, last=index == len(forms) - 1)
    if name.startswith("__"):  # an operator of Python, which lets the other operand try
        lines[1:] = trying(lines[1:])
    return "\n".join(lines) + "\n"


def trying(lines: Sequence[str]) -> list[str]:
    """Return the lines of a body that returns NotImplemented for any TypeError, a handler's too."""
    return ["    try:", *(f"    {line}" for line in lines), "    except TypeError:", "        return NotImplemented"]


def operator_source(name: str, method: str, forms: Sequence[Overload]) -> str:
    """Return the source of a Python operator that calls a method, or returns NotImplemented for types that it refuses.

    Source: TypeError_to_NotImplemented_ (torch/csrc/autograd/python_variable_methods.cpp).
    """
    signatures = [parse_signature(form.signature) for form in forms]
    other = next(variable(form.parameters[0].name) for form in signatures if not form.deprecated)
    lines = [f"def {name}(self, {other}):"]
    for case in fast_cases(forms, signatures):
        if case.names == (other,):
            lines += [f"    if {case.condition}:", f"        return {case.result}"]
    lines += [f"    return {method}(self, {other})"]
    return "\n".join([lines[0], *trying(lines[1:])]) + "\n"


def reflected_source(name: str, expression: str) -> str:
    """Return the source of a Python operator whose left operand, `other`, is not a tensor: `2 / x`."""
    refusal = "    except TypeError:\n        return NotImplemented\n"
    return f"def {name}(self, other):\n    try:\n        return {expression}\n{refusal}"


def unary_source(name: str, method: str) -> str:
    """Return the source of a unary Python operator."""
    return f"def {name}(self):\n    return {method}(self)\n"


def overridable_source(text: str, public: str, label: str, style: str) -> str:
    """Return the source of a function which first asks for classes and modes that take its call over.

    Args:
        public: the function that these get, a name in its globals.
        label: its name in errors, `torch.Tensor.add`.
        style: as `handled` (transforms/torch_function.py) explains it.
    """
    head, _, body = text.partition("\n")
    parameters = head[head.index("(") + 1 : -2]
    args, kwargs = parameters.removesuffix(", **kwargs"), "kwargs" if "**kwargs" in parameters else "{}"
    args = {"*args": "args", "self": "(self,)"}.get(args, f"({args})")
    lines = [f"    if _found := overloaded({args}, {kwargs}):"]
    lines += [f'        return handled(_found, {public}, "{label}", "{style}", {args}, {kwargs})']
    if public.startswith("__"):
        lines = trying(lines)
    return "\n".join([head, *lines, body])


# ---- after the parser


def parsed_call(form: Overload, signature: Signature, index: int, last: bool) -> list[str]:
    """Return the lines that call the operator of one form with the values that the parser returns."""
    indent = "    " if last else "        "
    lines = [] if last else [f"    if _form == {index}:"]
    names = [variable(parameter.name) for parameter in signature.parameters]
    if names:
        lines += [f"{indent}{assigned(names)} = _values"]
    made = call(form, {})
    if form.has_options:
        made = f"with_requires_grad({made}, requires_grad)"
    if form.out is None:
        return [*lines, f"{indent}return {made}"]
    lines += [f"{indent}if {out_name(form.out)} is None:", f"{indent}    return {made}"]
    written = call(form, {}, with_out=True)
    if form.has_options:
        lines += [f"{indent}check_out_type_matches(out, dtype, layout, device)"]
        written = f"with_requires_grad({written}, requires_grad)"
    return [*lines, f"{indent}return {written}"]


def call(form: Overload, values: dict[str, str], with_out: bool = False) -> str:
    """Return the expression that calls the operator of a form with all its arguments, in the order of its schema.

    Args:
        values: expressions for parameters; the others are variables of their own names.
    """
    schema = form.out if with_out and form.out else form.base
    there = {parameter.name for parameter in parse_signature(form.signature).parameters} | {"self", "out"}
    if with_out and len(schema.out) > 1:
        values = {**values, **{argument.name: f"out[{number}]" for number, argument in enumerate(schema.out)}}
        there |= set(values)
    arguments = [argument_value(schema, argument.name, values, there) for argument in schema.arguments]
    target = f"at_{schema.name.unambiguous}"
    if form.is_factory and not with_out:
        return f"below_autograd({', '.join([target, *arguments])})"
    result = f"{target}({', '.join(arguments)})"
    return f"{result_name(schema)}({result})" if result_fields(schema) else result


def result_fields(schema: FunctionSchema) -> tuple[str, ...]:
    """Return the names of an operator's results if there are several and they have names; else an empty list.

    Source: structseq_fieldnames (torchgen/api/python.py).
    """
    names = tuple(returned.name or "" for returned in schema.returns)
    return names if len(names) > 1 and all(names) and not schema.is_inplace else ()


def result_name(schema: FunctionSchema) -> str:
    """Return the name of the variable for the class of named results: `return_types_max`, `return_types_max_out`."""
    return f"return_types_{schema.name.base}" + ("_out" if schema.is_out else "")


def argument_value(schema: FunctionSchema, name: str, values: dict[str, str], there: set[str]) -> str:
    """Return the expression for an operator's argument, or its default if the signature has no such parameter."""
    argument = next(argument for argument in schema.arguments if argument.name == name)
    if name == "self" and "input" in there:
        name = "input"
    if name not in there:
        return repr(argument.default)
    value = values.get(name, variable(name))
    if name == "device" and not schema.tensor_arguments:  # a factory gets the default device, and no None
        return "CPU" if value == "None" else f"{value} or CPU"
    if name == "dtype" and argument.default is not None:  # `randint` makes int64, even if dtype=None is passed
        return f"Long if {value} is None else {value}" if value != "None" else "Long"
    return value


def assigned(names: Sequence[str]) -> str:
    """Return the left side of an assignment: `input, other`, `(input,)`."""
    return ", ".join(names) if len(names) > 1 else f"({names[0]},)"


def variable(name: str) -> str:
    """Return the name of a parameter as a variable: `from_` for `from`."""
    return f"{name}_" if keyword.iskeyword(name) else name


# ---- before the parser


class Case(NamedTuple):
    """A call with positional arguments of certain types.

    Args:
        names: the variables of the arguments.
        kinds: of each argument, one of the kinds in `EXACT`.
        condition: expression that tells the call.
        result: expression that makes it.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    condition: str
    result: str


# The check by type for each kind of argument, and the value that an operator is given for it.
EXACT = {
    "Tensor": ("isinstance({0}, Tensor)", "{0}"),
    "Tensor or None": ("({0} is None or isinstance({0}, Tensor))", "{0}"),
    "int": ("type({0}) is int and MIN <= {0} < END", "{0}"),
    "one int": ("type({0}) is int and MIN <= {0} < END", "({0},)"),
    "number": ("type({0}) in Numbers and MIN <= {0} < END", "{0}"),
    "number as tensor": ("type({0}) in Numbers and MIN <= {0} < END", "wrapped_scalar_tensor({0})"),
    "number as float": ("type({0}) in Numbers and MIN <= {0} < END", "Float({0})"),
    "bool": ("type({0}) is bool", "{0}"),
    "dtype": ("type({0}) is Dtype", "{0}"),
    "ints": ("(_{0} := as_ints({0})) is not None", "_{0}"),
    "tensors": ("(_{0} := as_tensors({0})) is not None", "_{0}"),
}
# The kinds that a parameter is tried for.
KINDS = {
    "Tensor": ("Tensor",),
    "Scalar": ("number",),
    "int": ("int",),
    "SymInt": ("int",),
    "float": ("number as float",),
    "bool": ("bool",),
    "ScalarType": ("dtype",),
    "int[]": ("ints",),
    "SymInt[]": ("ints",),
    "Tensor[]": ("tensors",),
}
# The kinds that a parameter would take from a form that is tried after its own.
NUMBERS = {"int", "one int", "number", "number as tensor", "number as float"}
TENSORS = {"Tensor", "Tensor or None"}
TAKES = {
    "Tensor": TENSORS,
    "Scalar": {"bool", *TENSORS, *NUMBERS},
    "int": {*TENSORS, *NUMBERS},
    "SymInt": {*TENSORS, *NUMBERS},
    "float": {"bool", *TENSORS, *NUMBERS},
    "bool": {"bool"},
    "int[]": {"ints", "tensors"},
    "SymInt[]": {"ints", "tensors"},
    "Tensor[]": {"ints", "tensors"},
    "ScalarType": {"dtype"},
    "Device": NUMBERS,
}


def fast_calls(forms: Sequence[Overload], signatures: Sequence[Signature]) -> list[str]:
    """Return the lines that handle the frequent calls without the parser."""
    cases = [*fast_cases(forms, signatures)]
    spread = [*spread_calls(forms, signatures)]
    lines = ["    if not kwargs:", "        _given = len(args)", *case_lines(cases), *spread] if cases or spread else []
    for keyword_only in numbers_by_keyword(signatures) if cases else ():
        lines += [f'    elif len(kwargs) == 1 and "{keyword_only}" in kwargs:']
        lines += [f'        {keyword_only} = kwargs["{keyword_only}"]', "        _given = len(args)"]
        lines += case_lines([*fast_cases(forms, signatures, keyword_only)])
    return lines


def case_lines(cases: Sequence[Case]) -> Iterator[str]:
    """Yield the lines that check positional arguments against each case, and make the call of the case that fits."""
    for given in sorted({len(case.names) for case in cases}):
        yield f"        if _given == {given}:"
        unpacked: tuple[str, ...] = ()
        for case in (case for case in cases if len(case.names) == given):
            if case.names != unpacked:
                yield f"            {assigned(case.names)} = args"
                unpacked = case.names
            if case.condition:
                yield f"            if {case.condition}:"
                yield f"                return {case.result}"
            else:
                yield f"            return {case.result}"


def numbers_by_keyword(signatures: Sequence[Signature]) -> list[str]:
    """Return the number parameters that are keyword-only in all forms that have them: `alpha`, `value`."""
    current = [signature for signature in signatures if not signature.deprecated]
    names = [
        parameter.name
        for signature in current
        for parameter in signature.parameters[signature.max_pos_args :]
        if parameter.type == "Scalar"
    ]
    positional = {entry.name for signature in current for entry in signature.parameters[: signature.max_pos_args]}
    return [name for name in dict.fromkeys(names) if name not in positional]


def fast_cases(forms: Sequence[Overload], signatures: Sequence[Signature], keyword_only: str = "") -> Iterator[Case]:
    """Yield the frequent calls of all forms, except calls that an earlier form would take.

    Args:
        keyword_only: a number that is given by keyword; "" if all are by position.
    """
    for index, (form, signature) in enumerate(zip(forms, signatures, strict=True)):
        if keyword_only and keyword_only not in {parameter.name for parameter in signature.parameters}:
            continue
        positional = signature.parameters[: signature.max_pos_args]
        required = sum(parameter.default is ABSENT for parameter in positional)
        if signature.deprecated or required < signature.min_args:
            continue
        for given in range(required, len(positional) + 1):
            for kinds in product(*(kinds_of(parameter, signature.spreads) for parameter in positional[:given])):
                if not any(may_take(earlier, kinds) for earlier in signatures[:index]):
                    yield fast_case(form, signature, kinds, keyword_only)


def fast_case(form: Overload, signature: Signature, kinds: tuple[str, ...], keyword_only: str = "") -> Case:
    """Return the case of a form with positional arguments of these kinds, maybe a number by keyword, and defaults."""
    names = [variable(parameter.name) for parameter in signature.parameters]
    values = {parameter.name: default_text(parameter) for parameter in signature.parameters[len(kinds) :]}
    conditions = []
    for parameter, name, kind in zip(signature.parameters, names, kinds, strict=False):
        condition, value = EXACT[kind]
        conditions.append(condition.format(name))
        values[parameter.name] = value.format(name)
    if keyword_only:
        condition, values[keyword_only] = EXACT["number"][0].format(keyword_only), keyword_only
        conditions.append(condition)
    return Case(tuple(names[: len(kinds)]), kinds, " and ".join(conditions), call(form, values))


def default_text(parameter: Parameter) -> str:
    """Return the expression for the default of a parameter."""
    if parameter.type == "MemoryFormat" and parameter.default is not None:
        return str(parameter.default).removeprefix("torch.")
    return repr(parameter.default)


def kinds_of(parameter: Parameter, spreads: bool) -> Iterable[str]:
    """Return the kinds of arguments that a parameter is tried for; none if it isn't tried.

    Args:
        spreads: it takes one int, or several, for a list.
    """
    if parameter.type == "Tensor" and parameter.allow_none:
        return ("Tensor or None",)
    kinds = KINDS.get(parameter.type, ())
    if parameter.size == 1 or spreads:
        kinds = ("one int", *kinds)
    if parameter.numbers and parameter.name == "other":
        kinds = (*kinds, "number as tensor")
    return kinds


def may_take(signature: Signature, kinds: tuple[str, ...]) -> bool:
    """Return True if a form might take positional arguments of these kinds."""
    positional = signature.parameters[: signature.max_pos_args]
    required = sum(parameter.default is ABSENT for parameter in positional)
    if signature.deprecated or required > len(kinds) or required < signature.min_args:  # one is wanted by keyword
        return False
    if signature.spreads and kinds and kinds[0] in NUMBERS:
        return True
    return len(kinds) <= len(positional) and all(
        kind in TAKES.get(parameter.type, ())
        or (parameter.numbers and kind in NUMBERS)
        or (parameter.size > 0 and kind in NUMBERS | TENSORS)
        or (parameter.allow_none and kind == "Tensor or None")
        for parameter, kind in zip(positional, kinds, strict=False)
    )


def spread_calls(forms: Sequence[Overload], signatures: Sequence[Signature]) -> Iterator[str]:
    """Yield the lines that call an operator with ints passed as separate arguments, `x.view(2, 3)`."""
    for index, (form, signature) in enumerate(zip(forms, signatures, strict=True)):
        list_of_ints = signature.parameters[0].name if signature.spreads else ""
        if list_of_ints and signature.min_args == 1 and not any(map(may_spread, signatures[:index])):
            values = {parameter.name: default_text(parameter) for parameter in signature.parameters[1:]}
            yield f"        if args and (_{list_of_ints} := as_ints(args)) is not None:"
            yield f"            return {call(form, {**values, list_of_ints: f'_{list_of_ints}'})}"


def may_spread(signature: Signature) -> bool:
    """Return True if a form might take several ints as separate arguments."""
    return may_take(signature, ("int", "int"))
