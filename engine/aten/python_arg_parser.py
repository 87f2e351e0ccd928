"""The argument parser of the Python binding: from what a user passes to what an operator takes.

A Python name has one signature for each of its overloads, spelled as PyTorch's generated bindings spell them:

    add(Tensor input, Tensor other, *, Scalar alpha=1, Tensor out=None)
    add(Tensor input, Scalar alpha, Tensor other, *, Tensor out=None)|deprecated

`match` says what each parameter of one signature is given, or why the call doesn't fit it; `unpack` converts what
fits. Both are pure. A `PythonArgParser` tries its signatures in turn. Mirrors torch/csrc/utils/python_arg_parser.cpp.
"""

import ast
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import dtypes, slots
from ..dispatch.convert import NUMBERS_AS_TENSORS
from ..tensor_impl import Tensor
from .invalid_arguments import format_invalid_args, type_name
from .python_arguments import CHECKS, CONVERTERS, INT_LISTS, TYPE_NAMES, Check, Convert, to_tensor

# ---- signatures

NUMPY_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}
ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()


@dataclass(frozen=True, slots=True)
class Parameter:
    """`int[1]? dim=None`: one parameter of a signature.

    Args:
        type: one of `TYPE_NAMES`.
        size: 1 of `int[1]`, where one number is accepted as a list; 0 if it isn't.
        allow_none: None may be given.
        default: the Python value, `ABSENT` if the argument has to be given.
        shown_default: the text behind `=`.
        numbers: a Python number is accepted as a tensor.
        accepts: whether a value fits; one of `CHECKS`.
        convert: from what fits to what operators take, one of `CONVERTERS`; None if it stays what it is.
    """

    name: str
    type: str
    accepts: Check
    convert: Convert | None = None
    size: int = 0
    allow_none: bool = False
    default: Any = ABSENT
    shown_default: str = ""
    keyword_only: bool = False
    numbers: bool = False

    def __str__(self) -> str:
        return f"{TYPE_NAMES[self.type]} {self.name}" + (f" = {self.shown_default}" if self.shown_default else "")


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature of a Python function: the parameters that it takes.

    Args:
        deprecated: it is tried last and not shown in errors.
        min_args: how many arguments have to be given.
        max_pos_args: how many may be given without keyword.
        spreads: the one positional parameter is a list of ints, which may be spread: `view(2, 3)` for `view((2, 3))`.
    """

    name: str
    parameters: tuple[Parameter, ...]
    deprecated: bool
    min_args: int
    max_pos_args: int
    spreads: bool

    def __str__(self) -> str:
        """Return the signature as errors show it: `(Tensor input, *, Number alpha = 1)`."""
        shown = [str(parameter) for parameter in self.parameters]
        if self.max_pos_args < len(shown):
            shown.insert(self.max_pos_args, "*")
        return f"({', '.join(shown)})"


def parse_signature(text: str) -> Signature:
    """Parse the text of a signature: `sum(int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None)`."""
    name, _, rest = text.partition("(")
    inside, _, mark = rest.rpartition(")")
    positional, star, keyword_only = inside.partition("*")
    parameters = [
        parse_parameter(entry, bool(group), name in NUMBERS_AS_TENSORS)
        for group, entries in enumerate((positional, keyword_only))
        for entry in entries.strip(", ").split(", ")
        if entry
    ]
    required = sum(parameter.default is ABSENT for parameter in parameters)
    max_pos_args = sum(not parameter.keyword_only for parameter in parameters)
    spreads = max_pos_args == 1 and parameters[0].type in INT_LISTS
    return Signature(name, tuple(parameters), mark == "|deprecated", required, max_pos_args, spreads)


def parse_parameter(text: str, keyword_only: bool = False, numbers: bool = False) -> Parameter:
    """Parse one parameter of a signature: `int[1]? dim=None`.

    Args:
        numbers: the function takes Python numbers for tensors.
    """
    kind, _, rest = text.partition(" ")
    name, has_default, shown = rest.partition("=")
    kind, nullable = kind.rstrip("?"), kind.endswith("?")
    base, bracket, size = kind.partition("[")
    kind, repeat = base + "[]" * bool(bracket), int(size.strip("]") or 0)
    default = parse_default(shown, kind, nullable or name == "out", repeat) if has_default else ABSENT
    allow_none = nullable or shown == "None"
    numbers = numbers and kind == "Tensor"
    convert = to_tensor if numbers else CONVERTERS.get(kind)
    return Parameter(name, kind, CHECKS[kind], convert, repeat, allow_none, default, shown, keyword_only, numbers)


def parse_default(text: str, kind: str, nullable: bool, size: int = 0) -> Any:
    """Parse a default value. None for a list that cannot be None is the empty list; a number fills `size` entries."""
    if text == "None":
        return () if kind.endswith("[]") and not nullable else None
    if kind == "MemoryFormat":
        return getattr(dtypes, text.removeprefix("torch."))
    if kind == "int" and text.isidentifier():  # `reduction=Mean`, which PyTorch's parser reads as C reads a number
        return 0
    value = ast.literal_eval(text)
    if kind.endswith("[]") and isinstance(value, int):
        return (value,) * size
    return float(value) if kind == "float" else value


# ---- a call against one signature


def match(signature: Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any] | str:
    """Match a call against a signature: return a value for each parameter, or a message that says why the call fails.

    Args:
        args, kwargs: the arguments of the call, a tuple and a dict.
    Returns:
        A list with a value for each of `signature.parameters`, in their order: the positional argument in that place,
        or the keyword argument, `keyword_value(parameter, kwargs)`, or `parameter.default`. Arguments are passed on as
        they are, not copied.

        If the call does not fit, a sentence instead. The first fault of this list decides:
        - more than `signature.max_pos_args` positional arguments: `extra_args(signature, args)`;
        - then the parameters in turn. A parameter gets no value and its default is `ABSENT`:
          `missing_args(signature, its index)`. Or its value does not fit:
          `wrong_type(signature, parameter, value, position)`. The position counts from 1; it is None for a keyword
          argument;
        - a keyword argument that no parameter takes: `extra_kwargs(signature, args, kwargs)`. A parameter may go by two
          names, as `dim` and NumPy's `axis` do: if both are given, it takes one, and the other is left over.

        A value fits if `parameter.accepts(value, parameter)`, or if it is None and `parameter.allow_none`.

        If `signature.spreads`, `view(2, 3)` means `view((2, 3))`: when the first parameter accepts the tuple of all
        positional arguments, but not the first of them, that tuple is the only positional argument. The sentences
        still get the original `args`.

    >>> add = parse_signature("scale(Tensor input, Scalar factor=2, *, Tensor out=None)")
    >>> match(add, (), {"factor": 3})
    'scale() missing 1 required positional arguments: "input"'
    >>> match(parse_signature("view(int[] size)"), (2, 3), {})
    [(2, 3)]

    Source: FunctionSignature::parse (torch/csrc/utils/python_arg_parser.cpp).
    """
    values = args
    if signature.spreads and args:
        first = signature.parameters[0]
        if not first.accepts(args[0], first) and first.accepts(args, first):
            values = (args,)
    if len(values) > signature.max_pos_args:
        return extra_args(signature, args)
    found: list[Any] = []
    unused = len(kwargs)
    for index, parameter in enumerate(signature.parameters):
        if index < len(values):
            value, position = values[index], index + 1
        else:
            value, position = keyword_value(parameter, kwargs), None
            if value is ABSENT:
                if parameter.default is ABSENT:
                    return missing_args(signature, index)
                found.append(parameter.default)
                continue
            unused -= 1
        if not (parameter.accepts(value, parameter) or (value is None and parameter.allow_none)):
            return wrong_type(signature, parameter, value, position)
        found.append(value)
    return extra_kwargs(signature, args, kwargs) if unused else found


def keyword_value(parameter: Parameter, kwargs: Mapping[str, Any]) -> Any:
    """Return the keyword argument for a parameter, by its own name or NumPy's; `ABSENT` if there is none."""
    if parameter.name in kwargs:
        return kwargs[parameter.name]
    for name in NUMPY_NAMES.get(parameter.name, ()):
        if name in kwargs:
            return kwargs[name]
    return ABSENT


def extra_args(signature: Signature, args: Sequence[Any]) -> str:
    """Return the error text for a call with more positional arguments than the signature takes."""
    least, most, given = signature.min_args, signature.max_pos_args, len(args)
    if least != most:
        return f"{signature.name}() takes from {least} to {most} positional arguments but {given} were given"
    plural, were = "" if most == 1 else "s", "was" if given == 1 else "were"
    return f"{signature.name}() takes {most} positional argument{plural} but {given} {were} given"


def missing_args(signature: Signature, first: int) -> str:
    """Return the error text for required parameters, from index `first` on, that are not given."""
    names = [f'"{parameter.name}"' for parameter in signature.parameters[first:] if parameter.default is ABSENT]
    plural = "s" if len(names) == 1 else ""  # the wrong way round, as PyTorch has it
    return f"{signature.name}() missing {len(names)} required positional argument{plural}: {', '.join(names)}"


def wrong_type(signature: Signature, parameter: Parameter, value: Any, position: int | None) -> str:
    """Return the error text for a value of the wrong type; `position` counts from 1, None for a keyword argument."""
    where = "" if position is None else f" (position {position})"
    expected = f"{signature.name}(): argument '{parameter.name}'{where} must be {TYPE_NAMES[parameter.type]}"
    if position is not None and parameter.type in INT_LISTS and isinstance(value, (tuple, list)):
        return f"{expected}, but found element of type {type_name(value[0])} at pos 0"
    return f"{expected}, not {type_name(value)}"


def extra_kwargs(signature: Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Return the error text for a keyword argument that no parameter takes, or that is also given by position."""
    names = [parameter.name for parameter in signature.parameters]
    for key in kwargs:
        if key not in names:
            return f"{signature.name}() got an unexpected keyword argument '{key}'"
        if names.index(key) < len(args):
            return f"{signature.name}() got multiple values for argument '{key}'"
    return "invalid keyword arguments"


def unpack(signature: Signature, found: Sequence[Any]) -> list[Any]:
    """Convert the matched values of a call to what operators take; None becomes the parameter's default.

    Raises:
        TypeError, ValueError, OverflowError: a value fits the type of its parameter, but not its range.
    """
    values = list(found)
    for index, parameter in enumerate(signature.parameters):
        value = values[index]
        if value is None and parameter.default is not ABSENT:
            values[index] = parameter.default
        if parameter.convert is None or value is None or value is parameter.default:
            continue
        try:
            values[index] = parameter.convert(value, parameter)
        except LookupError as error:
            position, reason = error.args
            raise TypeError(
                f"{signature.name}(): argument '{parameter.name}' failed to unpack the object at pos {position} with "
                f'error "{reason}"'
            ) from None
    return values


def _begins_to_take_over(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Return True if an argument that isn't a tensor has a `__torch_function__`, which no call has met before."""
    values = [*args, *kwargs.values()]
    values += [entry for value in values if isinstance(value, (tuple, list)) for entry in value]
    kinds = {type(value) for value in values if not isinstance(value, Tensor)}
    begun = [slots.overridable_type(kind) for kind in kinds if hasattr(kind, "__torch_function__")]
    return any(begun)


# ---- a call against all signatures of a name


class PythonArgParser:
    """An argument parser for one Python function, which tries its signatures in order.

    Args:
        signatures: in the order in which they are tried; see `parse_signature` for the form.
        overridable: `parse` returns -1 for a call that an argument's `__torch_function__` takes over from now on.
    """

    __slots__ = ("signatures", "_order", "_warned", "_overridable")

    def __init__(self, *signatures: str, overridable: bool = False):
        self._overridable = overridable
        self.signatures = [parse_signature(text) for text in signatures]
        self._order = sorted(enumerate(self.signatures), key=lambda entry: entry[1].deprecated)
        self._warned = False

    def parse(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[int, list[Any]]:
        """Return the index of the first signature that fits, and the value of each of its parameters.

        Raises:
            TypeError: none fits.
            TypeError, ValueError, OverflowError: as `unpack`.
        """
        for index, signature in self._order:
            found = match(signature, args, kwargs)
            if not isinstance(found, str):
                if signature.deprecated:
                    self._warn(signature)
                try:
                    return index, unpack(signature, found)
                except TypeError:
                    if self._overridable and _begins_to_take_over(args, kwargs):
                        return -1, []
                    raise
        if self._overridable and _begins_to_take_over(args, kwargs):
            return -1, []
        raise TypeError(self._complaint(args, kwargs))

    def _complaint(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Return the reason that no signature fits: of the only one that takes this many arguments, or of all."""
        given = len(args) + len(kwargs)
        shown = [signature for _, signature in self._order if not signature.deprecated]
        plausible = [entry for entry in shown if entry.min_args <= given <= len(entry.parameters)]
        if len(self.signatures) == 1 or len(plausible) == 1:
            reason = match((plausible or self.signatures)[0], args, kwargs)
            if isinstance(reason, str):
                return reason
        return format_invalid_args(shown[0].name, args, kwargs, [str(signature) for signature in shown])

    def _warn(self, signature: Signature) -> None:
        """Warn once for each name, like TORCH_WARN_ONCE."""
        if self._warned:
            return
        self._warned = True
        shown = "".join(f"\n\t{entry.name}{entry}" for _, entry in self._order if not entry.deprecated)
        warnings.warn(
            f"This overload of {signature.name} is deprecated:\n\t{signature.name}{signature}\n"
            f"Consider using one of the following signatures instead:{shown}",
            stacklevel=4,
        )
