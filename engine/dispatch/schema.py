"""Reads PyTorch's schema language: a list of tokens, and one function for each piece of the grammar.

    parse_schema("add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)")

Mirrors torch/csrc/jit/frontend/function_schema_parser.cpp and schema_type_parser.cpp, messages included. Two forms
that only TorchScript's own operators use are left out: `...` for any arguments, and an alias set of a list itself.
"""

import ast
import keyword
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

from .. import dtypes
from .function_schema import (
    Annotation,
    Argument,
    BaseType,
    FunctionSchema,
    ListType,
    OperatorName,
    OptionalType,
    Return,
    Type,
)

Parsed = TypeVar("Parsed")

# ---- tokens

_ALLOWED_NAMES = {"async", "await", "except", "finally", "from", "lambda", "nonlocal", "try", "yield"}
_KEYWORDS = "|".join(sorted(set(keyword.kwlist) - _ALLOWED_NAMES))
_TOKEN = re.compile(
    rf"""\s*(?:
      (?P<itself>(?:{_KEYWORDS})\b)
    | (?P<ident>[A-Za-z_]\w*)
    | (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)
    | (?P<arrow>->)
    | (?P<string_literal>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<eof>$)
    | (?P<sign>.)
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)


class Tokens:
    """The tokens of a text, read from left to right. `kind` describes the next one: "ident", "number", "(", "eof"..."""

    __slots__ = ("text", "matches", "index", "kind")

    def __init__(self, text: str):
        self.text = text
        self.matches = [*_TOKEN.finditer(text)]
        self._go(0)

    def _go(self, index: int) -> None:
        self.index = index
        group = self.matches[index].lastgroup or ""
        self.kind = self.matches[index][group] if group in ("itself", "sign") else group

    def peek(self) -> str:
        """Return the text of the next token."""
        match = self.matches[self.index]
        return match[match.lastgroup or 0]

    def start(self) -> int:
        """Return the offset of the next token in the text."""
        match = self.matches[self.index]
        return match.start(match.lastgroup or 0)

    def end(self) -> int:
        """Return the offset of the end of the last token read."""
        return self.matches[self.index - 1].end()

    def accept(self, kind: str) -> bool:
        """Consume the next token if it is of this kind, and return True if it was."""
        if self.kind != kind:
            return False
        self._go(self.index + 1)
        return True

    def take(self, kind: str) -> str:
        """Consume the next token, which must be of this kind, and return its text.

        Raises:
            RuntimeError: it is of another kind.
        """
        if self.kind != kind:
            self.fail(f"expected {kind} but found '{self.kind}' here")
        text = self.peek()
        if kind != "eof":
            self._go(self.index + 1)
        return text

    def listed(self, begin: str, end: str, parse: Callable[["Tokens"], Parsed]) -> list[Parsed]:
        """Return the comma-separated items, possibly none, that `parse` reads between the tokens `begin` and `end`."""
        self.take(begin)
        values: list[Parsed] = []
        if not self.accept(end):
            values.append(parse(self))
            while self.accept(","):
                values.append(parse(self))
            self.take(end)
        return values

    def fail(self, message: str) -> NoReturn:
        """Raise a RuntimeError that points at the next token."""
        pointer = f"\n{' ' * self.start()}{'~' * len(self.peek())} <--- HERE\n" if self.kind != "eof" else ""
        raise RuntimeError(f"{message}:\n{self.text}{pointer}")


# ---- the grammar, from the whole to the parts


def parse_schema(text: str) -> FunctionSchema:
    """Parse the text of a schema.

    >>> schema = parse_schema("add_(Tensor(a!) self,int n = 1)->Tensor(a!)")
    >>> print(schema)
    add_(Tensor(a!) self, int n=1) -> Tensor(a!)
    >>> schema.arguments[0].is_write, schema.arguments[1].default
    (True, 1)

    Raises:
        RuntimeError: it spells no schema; the message points at the place.
    """
    tokens = Tokens(text)
    name = parse_name(tokens)
    if tokens.kind != "(":
        tokens.take("eof")
        raise RuntimeError("Tried to parse a function schema but only the operator name was given")
    arguments = parse_arguments(tokens)
    tokens.take("arrow")
    returns = parse_returns(tokens)
    tokens.take("eof")
    return FunctionSchema(name, arguments, returns)


def parse_operator_name(text: str) -> OperatorName:
    """Parse the text of an operator's name: `add.out`, `aten::add_.Tensor`.

    Raises:
        RuntimeError: it spells no name, or something follows the name.
    """
    tokens = Tokens(text)
    name = parse_name(tokens)
    tokens.take("eof")
    return name


def parse_name(tokens: Tokens) -> OperatorName:
    """Parse a name, `aten::add_.Tensor`, of which only the base, `add_`, is required."""
    base, namespace = tokens.take("ident"), ""
    if tokens.accept(":"):
        tokens.take(":")
        base, namespace = tokens.take("ident"), base
    overload = tokens.take("ident") if tokens.accept(".") else ""
    return OperatorName(base, overload, namespace)


def parse_arguments(tokens: Tokens) -> tuple[Argument, ...]:
    """Read the arguments of a schema, from `(` to `)`: `(Tensor self, *, Scalar alpha=1, Tensor(a!) out)`.

    Args:
        tokens: the next token is the `(`. Afterwards the next token is the one after the `)`.
    Returns:
        A tuple with an Argument for each argument, in the order of the text. An argument is a type with its annotation
        (`parse_type`), a name (of kind "ident") and, if a `=` follows, a default. The default's value is
        `parse_default(tokens, type)`; its `default_text` is the piece of `tokens.text` that it was read from, without
        the spaces around it. Without a `=` both are None.
        A star is not an argument, but commas separate it as if it were. All arguments after it are `kwarg_only`. It may
        come last, or alone; a second one changes nothing, and you may refuse it.
    Raises:
        RuntimeError: there is a comma too many or too few, the text ends, or anything else is in the way.

    >>> [str(argument) for argument in parse_arguments(Tokens("(Tensor self, *, int[2]  sizes = 3)"))]
    ['Tensor self', 'int[2] sizes=3']

    Source: torch/csrc/jit/frontend/function_schema_parser.cpp, parseDeclaration and parseArgument.
    """
    arguments: list[Argument] = []
    kwarg_only = False
    tokens.take("(")
    is_more = tokens.kind != ")"
    while is_more:
        if tokens.accept("*"):
            kwarg_only = True
        else:
            type, annotation = parse_type(tokens)
            name, default, default_text = tokens.take("ident"), None, None
            if tokens.accept("="):
                start = tokens.start()
                default = parse_default(tokens, type)
                default_text = tokens.text[start : tokens.end()]
            arguments.append(Argument(name, type, annotation, kwarg_only, default, default_text))
        is_more = tokens.accept(",")
    tokens.take(")")
    return tuple(arguments)


def parse_returns(tokens: Tokens) -> tuple[Return, ...]:
    """Parse the returns: `Tensor`, `()`, `(Tensor values, Tensor indices)`."""
    return tuple(tokens.listed("(", ")", parse_return)) if tokens.kind == "(" else (parse_return(tokens),)


def parse_return(tokens: Tokens) -> Return:
    """Parse one return: `Tensor(a!)`, `Tensor values`."""
    type, annotation = parse_type(tokens)
    return Return(type, tokens.take("ident") if tokens.kind == "ident" else None, annotation)


def parse_type(tokens: Tokens) -> tuple[Type, Annotation | None]:
    """Parse a type and its alias annotation: `Tensor`, `Tensor(a!)`, `int[2]`, `Tensor(a)[]`, `Tensor?[]`, `int[]?`.

    Args:
        tokens: the next token begins the type. Afterwards the next token is the first that is not part of it.
    Returns:
        The tuple (type, annotation). The text has a base type (`parse_base_type`), then an annotation if a `(` follows
        (`parse_annotation`; otherwise None), then any number of `?` and `[...]`. Each of these wraps the type to its
        left: `?` in an OptionalType, `[]` in a ListType, `[2]` in a ListType of size 2 (`parse_size`). A second `?`
        directly after a `?` changes nothing. A `(` after the annotation, a `?` or a `]` is not part of the type.
    Raises:
        RuntimeError: there is no base type, or an annotation or a `[` is incomplete. The functions that read these
            pieces raise it.

    >>> parse_type(Tokens("int[2]?"))[0]
    OptionalType(inner=ListType(element=BaseType(base='int', parameters=()), size=2))

    Source: torch/csrc/jit/frontend/schema_type_parser.cpp, parseType.
    """
    type: Type = parse_base_type(tokens)
    annotation = parse_annotation(tokens) if tokens.kind == "(" else None
    while tokens.kind in ("?", "["):
        if tokens.accept("?"):
            type = type if isinstance(type, OptionalType) else OptionalType(type)
        else:
            type = ListType(type, parse_size(tokens))
    return type, annotation


def parse_size(tokens: Tokens) -> int | None:
    """Parse a size with its brackets: 2 for `[2]`, None for `[]`."""
    tokens.take("[")
    size = int(float(tokens.take("number"))) if tokens.kind == "number" else None
    tokens.take("]")
    return size


_TYPES = """Tensor int SymInt float bool SymBool str complex number Scalar ScalarType Layout MemoryFormat Device
    DeviceIndex Generator Stream Storage QScheme ConstQuantizerPtr Any AnyClassType AnyEnumType Capsule NoneType"""
TYPES = frozenset(_TYPES.split())
GENERIC_TYPES = frozenset(("Dict", "Future", "Await", "RRef", "Union"))
UNKNOWN_TYPE = (
    "\nunknown type specifier. Common valid schema types include Tensor, SymInt, int, float, bool, Scalar; for a full "
    "list, please see https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md#func "
)


def parse_base_type(tokens: Tokens) -> BaseType:
    """Parse a base type: `Tensor`, `int`, `(Tensor, int)`, `Dict(str, Tensor)`."""
    if tokens.kind == "(":
        return BaseType("", parse_parameters(tokens))
    name = tokens.peek()
    is_known = name in TYPES or name in GENERIC_TYPES or name[:1].islower() or name == "__torch__"
    if tokens.kind == "ident" and not is_known:
        tokens.fail(UNKNOWN_TYPE)
    tokens.take("ident")
    if name in GENERIC_TYPES:
        return BaseType(name, parse_parameters(tokens))
    while name.startswith("__torch__") and tokens.accept("."):
        name += f".{tokens.take('ident')}"
    return BaseType(name)


def parse_parameters(tokens: Tokens) -> tuple[Type, ...]:
    """Parse the parameters of a type, `(str, Tensor)` in `Dict(str, Tensor)`."""
    return tuple(tokens.listed("(", ")", lambda tokens: parse_type(tokens)[0]))


def parse_annotation(tokens: Tokens) -> Annotation:
    """Parse an alias annotation: `(a)`, `(a!)`, `(a|b)`, `(a! -> *)`."""
    tokens.take("(")
    alias_sets = parse_alias_sets(tokens)
    is_write = tokens.accept("!")
    joins = parse_alias_sets(tokens) if tokens.accept("arrow") else ()
    tokens.take(")")
    return Annotation(alias_sets, is_write, joins)


def parse_alias_sets(tokens: Tokens) -> tuple[str, ...]:
    """Parse alias sets: `a`, `a|b`, or `*` for any."""
    sets: list[str] = []
    while not sets or tokens.accept("|"):
        sets.append("*" if tokens.accept("*") else tokens.take("ident"))
    return tuple(sets)


# ---- default values


def parse_default(tokens: Tokens, type: Type) -> Any:
    """Parse a default to a Python value: `1`, `None`, `[0, 1]`, `"mean"`, `long`; `1` for `int[2]` becomes (1, 1)."""
    if not isinstance(type, ListType) and tokens.accept("None"):
        return None
    if isinstance(type, OptionalType):
        return parse_default(tokens, type.inner)
    if isinstance(type, BaseType):
        return DEFAULTS.get(type.base, parse_none)(tokens)
    if type.size is not None and tokens.kind != "[":
        return (parse_default(tokens, type.element),) * type.size
    return tuple(tokens.listed("[", "]", lambda tokens: parse_default(tokens, type.element)))


def parse_number(tokens: Tokens) -> int | float:
    """Parse a number: `-1`, `1e-5`."""
    sign = -1 if tokens.accept("-") else 1
    text = tokens.take("number")
    return sign * (int(text) if text.isdigit() else float(text))


def parse_string(tokens: Tokens) -> str:
    """Parse a string, `"mean"`, and return it without its quotes."""
    return ast.literal_eval(tokens.take("string_literal"))


def parse_none(tokens: Tokens) -> NoReturn:
    """Raise an error for a default other than None, for types that allow no other."""
    tokens.fail(f"expected None but found '{tokens.kind}' here")


def parse_word(tokens: Tokens, words: Mapping[str, Any]) -> Any:
    """Consume the next token, which must be one of `words`, and return its value."""
    word = tokens.peek()
    if word not in words:
        tokens.fail(f"\ninvalid numeric default value, expected one of {', '.join(words)}")
    tokens.take(tokens.kind)
    return words[word]


BOOLEANS = {"True": True, "False": False}
REDUCTIONS = {"Mean": 1, "Sum": 2}
LAYOUTS = {"strided": dtypes.strided}
MEMORY_FORMATS = {
    format.name: format for format in (dtypes.contiguous_format, dtypes.channels_last, dtypes.preserve_format)
}


def parse_integer(tokens: Tokens) -> int | float:
    """Parse an integer, `2`, or the name of a reduction, `Mean`."""
    return parse_word(tokens, REDUCTIONS) if tokens.kind == "ident" else parse_number(tokens)


def parse_scalar(tokens: Tokens) -> bool | int | float:
    """Parse a scalar: `2`, `0.5`, `True`."""
    return parse_word(tokens, BOOLEANS) if tokens.kind in BOOLEANS else parse_number(tokens)


DEFAULTS: dict[str, Callable[[Tokens], Any]] = {
    "int": parse_integer,
    "SymInt": parse_integer,
    "float": lambda tokens: float(parse_number(tokens)),
    "Scalar": parse_scalar,
    "number": parse_scalar,
    "complex": parse_number,
    "str": parse_string,
    "Device": parse_string,
    "bool": lambda tokens: parse_word(tokens, BOOLEANS),
    "ScalarType": lambda tokens: parse_word(tokens, dtypes.ALIASES | dtypes.DTYPES),
    "MemoryFormat": lambda tokens: parse_word(tokens, MEMORY_FORMATS),
    "Layout": lambda tokens: parse_word(tokens, LAYOUTS),
}
