"""Arguments as a list and back: how one function can serve operators of any schema.

A boxed call carries a stack, a list of all the arguments in the order of the schema. `stack_of` makes it from the
arguments of a Python call, `arguments_of` hands it to a Python function.
Mirrors torch/csrc/jit/python/pybind_utils.cpp (createStackForSchema, parseIValuesToPyArgsKwargs).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..tensor_impl import Tensor
from . import registry, resolved
from .convert import called, converted, results_of
from .function_schema import FunctionSchema
from .local import local
from .registry import OperatorEntry


def stack_of(schema: FunctionSchema, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """Return all arguments of a call in schema order, with defaults filled in: the stack of a boxed call.

    Args:
        schema: its `arguments` have a `name`, `has_default` and, if that is so, a `default`. `schema.positional` are
            those that may be given by position; they come first. All may be given by name.
        args: the arguments given by position.
        kwargs: those given by name. It stays as it is, after a refusal too: the caller then tries another schema with
            it.
    Returns:
        A new list with one value for each of `schema.arguments`. A value that is given has gone through
        `converted(schema, position, value)`, with its position among `schema.arguments`. A default is taken as it is.
    Raises:
        RuntimeError: more arguments by position than `schema.positional`; an argument given both ways; one that is
            not given and has no default; a name that the schema does not have. (`converted` raises one for a value
            that the argument's type does not accept.) Where several of these meet, any of them may be the reason.

    Source: createStackForSchema (torch/csrc/jit/python/pybind_utils.h).
    """
    if len(args) > len(schema.positional):
        raise RuntimeError(misfit(schema, args, kwargs))
    rest = dict(kwargs)
    stack: list[Any] = []
    for position, argument in enumerate(schema.arguments):
        if position < len(args):
            stack.append(converted(schema, position, args[position]))
        elif argument.name in rest:
            stack.append(converted(schema, position, rest.pop(argument.name)))
        elif argument.has_default:
            stack.append(argument.default)
        else:
            raise RuntimeError(misfit(schema, args, kwargs, argument.name))
    if rest:
        raise RuntimeError(misfit(schema, args, kwargs, next(iter(rest))))
    return stack


def misfit(schema: FunctionSchema, args: Sequence[Any], kwargs: Mapping[str, Any], name: str = "") -> str:
    """Return the error text for arguments that don't fit the schema; `name` is the argument at fault."""
    given = len(args) + len(kwargs)
    if given > len(schema.arguments):
        return (
            f"{called(schema)} expected at most {len(schema.arguments)} argument(s) but received "
            f"{given} argument(s). Declaration: {schema}"
        )
    if len(args) > len(schema.positional):
        return (
            f"{called(schema)} takes {len(schema.positional)} positional argument(s) but {len(args)} was/were given.  "
            f"Declaration: {schema}"
        )
    if name not in kwargs:
        return f"{called(schema)} is missing value for argument '{name}'. Declaration: {schema}"
    if any(argument.name == name for argument in schema.arguments):
        return f"Argument '{name}' specified both as positional and keyword argument. Schema: {schema}"
    return f"Unknown keyword argument '{name}' for operator '{called(schema)[:-2]}'. Schema: {schema}"


def arguments_of(schema: FunctionSchema, stack: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments on a stack as a Python kernel takes them: positional ones, then keyword-only ones by name.

    An argument that has its default's value is left out, unless a later positional one is not.
    """
    args: list[Any] = []
    pending: list[Any] = []
    kwargs: dict[str, Any] = {}
    for argument, value in zip(schema.arguments, stack, strict=True):
        is_default = argument.has_default and _same(value, argument.default)
        value = list(value) if type(value) is tuple else value
        if argument.kwarg_only:
            if not is_default:
                kwargs[argument.name] = value
        elif is_default:
            pending.append(value)
        else:
            args += [*pending, value]
            pending = []
    return args, kwargs


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and not isinstance(value, Tensor) and value == default)


def key_set_of_stack(stack: Sequence[Any]) -> int:
    """Return the key set of a call whose arguments are on a stack, as the bits of an int.

    Args:
        stack: all arguments. Each is a Tensor, a list or tuple in which there may be Tensors, or something else.
            Objects of subclasses, as a Parameter or a named tuple, count as what they are derived from. Neither the
            stack nor anything in it is changed.
    Returns:
        The union of the `_key_set` of every Tensor, whether it is an argument itself or an entry of a list or tuple
        that is one; everything else (None, numbers, strings, dicts, ...) has no keys and is not looked into, nor are
        lists inside of lists. To these come the bits that the thread includes, `local.state.included`; and of all that
        only the bits of `local.state.allowed` are left, which is everything but the functionalities that the thread
        excludes.

    Source: aten/src/ATen/core/dispatch/DispatchKeyExtractor.h, getDispatchKeySetBoxed and computeDispatchKeySet.
    """
    key_set = local.state.included
    for value in stack:
        for entry in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(entry, Tensor):
                key_set |= entry._key_set
    return key_set & local.state.allowed


def call_boxed(entry: OperatorEntry, stack: list[Any]) -> None:
    """Call an operator with its arguments on a stack, where the results replace them.

    Source: Dispatcher::callBoxed.
    """
    _run_boxed(entry, key_set_of_stack(stack), stack, "callBoxed")


def redispatch_boxed(entry: OperatorEntry, key_set: int, stack: list[Any]) -> None:
    """Redispatch from a boxed kernel to the highest key of a set, with the stack that the kernel was given.

    Source: Dispatcher::redispatchBoxed.
    """
    _run_boxed(entry, key_set, stack, "redispatchBoxed")


def _run_boxed(entry: OperatorEntry, key_set: int, stack: list[Any], label: str) -> None:
    schema = registry.find(entry.name).schema
    assert schema is not None
    function = resolved.resolver(entry, key_set, label)
    result = function(*stack)
    stack.clear()
    returns = len(schema.returns)
    stack.extend(result if returns > 1 else [result] if returns else [])


def unboxed(schema_of: Callable[[], FunctionSchema], function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a Python kernel for the dispatcher, which passes all arguments by position; default values are left out.

    Args:
        schema_of: called at each call, because the kernel may be registered before the operator is defined.
    """

    def kernel(*stack: Any) -> Any:
        return call_python(schema_of(), function, (), stack)

    return kernel


def call_python(
    schema: FunctionSchema, function: Callable[..., Any], first: Sequence[Any], stack: Sequence[Any]
) -> Any:
    """Call a Python function with `first` and the arguments on a stack, and check its results against the schema."""
    args, kwargs = arguments_of(schema, stack)
    return results_of(schema, function(*first, *args, **kwargs))
