"""The functions `call` and `redispatch` of an operator, made from its schema.

For `add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor` the source is

    def call(self, other, alpha=1):
        return calls[local.state][self._key_set | other._key_set](self, other, alpha)

so a call costs no loop over its arguments, no `*args`, and two lookups in dicts: what the thread's state adds to the
union and takes away is in which dict is asked (`resolved.Resolved.in_state`).
Mirrors the generated at::_ops::add_Tensor::call (torchgen/gen.py), Dispatcher::call and DispatchKeyExtractor.
"""

import keyword
import linecache
import types
from typing import Any

from .function_schema import Argument, BaseType, FunctionSchema, OptionalType
from .local import local
from .registry import OperatorEntry, operators
from .schema import parse_schema

_SOURCE = '''\
def call({parameters}):
    """{schema}"""
    return calls[local.state][{union}]({arguments})

def redispatch({redispatch_parameters}):
    """{schema}, from a kernel, to the highest key of a set."""
    return redispatches[key_set]({arguments})
'''


_CARRIED_SOURCE = '''\
def call({parameters}):
    """{schema}"""
    return carrier.call(entry, [{arguments}])

def redispatch({redispatch_parameters}):
    """{schema}, from a kernel, to the highest key of a set."""
    return carrier.redispatch(entry, key_set, [{arguments}])
'''

carrier: Any = None  # has methods `call` and `redispatch`, through which every call goes; None: as generated


def call_by(methods: Any) -> None:
    """Route the calls of all operators through `methods.call` and `methods.redispatch`; None undoes this."""
    global carrier
    carrier = methods
    for entry in operators.values():
        if entry.schema is not None:
            for function in (entry.call, entry.redispatch):
                function.__defaults__ = None  # type: ignore[attr-defined]
                function.__code__ = _first_call.__code__  # type: ignore[attr-defined]


def parameter(argument: Argument) -> str:
    """Return the name of an argument as a Python identifier: `from_` for `from`."""
    return f"{argument.name}_" if keyword.iskeyword(argument.name) else argument.name


def key_set_of_tensors(tensors: Any) -> int:
    """Return the union of the key sets of a list of tensors, ignoring None entries."""
    key_set = 0
    for tensor in tensors:
        if tensor is not None:
            key_set |= tensor._key_set
    return key_set


def union_expression(schema: FunctionSchema) -> str:
    """Return source that computes the union of the key sets of a call's tensors; 0 if the operator takes none.

    Source: DispatchKeyExtractor::getDispatchKeySetUnboxed.
    """
    return " | ".join(map(_keys_of, schema.tensor_arguments)) or "0"


def _keys_of(argument: Argument) -> str:
    if not isinstance(argument.type, BaseType) and str(argument.type) != "Tensor?":
        return f"key_set_of_tensors({parameter(argument)} or ())"
    if isinstance(argument.type, OptionalType):
        return f"({parameter(argument)}._key_set if {parameter(argument)} is not None else 0)"
    return f"{parameter(argument)}._key_set"


def attach(entry: OperatorEntry) -> None:
    """Give an operator that has a schema its functions `call` and `redispatch`, compiled at the first call."""
    scope: dict[str, Any] = {
        "local": local, "entry": entry, "calls": entry.calls.in_state, "redispatches": entry.redispatches,
        "key_set_of_tensors": key_set_of_tensors,
    }  # fmt: skip
    for role in ("call", "redispatch"):
        function = types.FunctionType(
            _first_call.__code__, scope | {"role": role, "compile_calls": compile_calls}, role
        )
        setattr(entry, role, function)


def _first_call(*arguments: Any, **keywords: Any) -> Any:
    """Return the code of `call` and `redispatch` before there is one."""
    compile_calls(entry)  # type: ignore[name-defined]  # noqa: F821
    return getattr(entry, role)(*arguments, **keywords)  # type: ignore[name-defined]  # noqa: F821


def compile_calls(entry: OperatorEntry) -> None:
    """Compile `call` and `redispatch` from the schema, into the existing function objects."""
    filename = f"<dispatcher: {entry.name}>"
    source, defaults = source_of_calls(entry)
    made: dict[str, Any] = dict(defaults)
    exec(compile(source, filename, "exec"), made)
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    for role in ("call", "redispatch"):
        function, compiled = getattr(entry, role), made[role]
        function.__globals__["carrier"] = carrier
        function.__defaults__, function.__name__ = compiled.__defaults__, compiled.__name__
        function.__code__ = compiled.__code__


def source_of_calls(entry: OperatorEntry) -> tuple[str, dict[str, Any]]:
    """Return the source of `call` and `redispatch`, and the default values by their names in that source."""
    schema = entry.schema
    assert schema is not None
    names = [parameter(argument) for argument in schema.arguments]
    # After an argument with a default all have one: Python requires it, and schemas keep it but for keyword-only ones.
    first_default = next((at for at, argument in enumerate(schema.arguments) if argument.has_default), len(names))
    defaults = {f"default_{at}": schema.arguments[at].default for at in range(first_default, len(names))}
    parameters = [*names[:first_default], *(f"{names[at]}=default_{at}" for at in range(first_default, len(names)))]
    source = (_SOURCE if carrier is None else _CARRIED_SOURCE).format(
        parameters=", ".join(parameters),
        redispatch_parameters=", ".join(["key_set", *parameters]),
        arguments=", ".join(names),
        union=union_expression(schema),
        schema=schema,
    )
    return source, defaults


def read_schemas_again() -> None:
    """Parse each operator's schema again, from its text, with the current parser and printer.

    Raises:
        ValueError: another schema comes out, or none; the operator's own stays as it was.
    """
    for entry in operators.values():
        if entry.schema is not None:
            text = str(entry.schema)
            try:
                parsed = parse_schema(text)
            except RuntimeError as error:
                raise ValueError(f"the schema of {entry.name} can't be read any more: {error}") from error
            if parsed != entry.schema:
                raise ValueError(f"the schema of {entry.name} is read as another one: {text} as {parsed}")
            entry.schema = parsed
