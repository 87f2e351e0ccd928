"""Arguments, returns, aliases and writes of an operator, as frozen dataclasses that print as PyTorch's schemas.

    add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)

`parse_schema` of `schema.py` makes them from the text, and `str` gives the text back. Mirrors
aten/src/ATen/core/function_schema.h and the names of torchgen/model.py.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class OperatorName:
    """An operator's name: `aten::add_.Tensor` has base `add_`, overload `Tensor`; overload, namespace may be empty."""

    base: str
    overload: str = ""
    namespace: str = ""

    def __str__(self) -> str:
        prefix = f"{self.namespace}::" if self.namespace else ""
        return prefix + self.base + (f".{self.overload}" if self.overload else "")

    @property
    def is_dunder(self) -> bool:
        return len(self.base) > 4 and self.base.startswith("__") and self.base.endswith("__")

    @property
    def is_inplace(self) -> bool:
        """True if the name says that the operator writes its first argument: `add_`, `__iand__`."""
        return self.base.startswith("__i") if self.is_dunder else self.base.endswith("_") and len(self.base) > 1

    @property
    def functional(self) -> str:
        """The name that the functional, in-place and out= forms share: `add` for `add_`, `__and__` for `__iand__`."""
        if not self.is_inplace:
            return self.base
        return f"__{self.base[3:]}" if self.is_dunder else self.base[:-1]

    @property
    def unambiguous(self) -> str:
        """A Python identifier for the overload: `add_Tensor`, or `add__Tensor` for the in-place form."""
        return f"{self.base}_{self.overload}" if self.overload else self.base


@dataclass(frozen=True)
class Annotation:
    """`(a!)`, `(a)`, `(a -> *)`, `(a|b)`: a tensor's alias sets, whether it is written, and the sets that it joins."""

    alias_sets: tuple[str, ...]
    is_write: bool = False
    joins: tuple[str, ...] = ()

    def __str__(self) -> str:
        after = f" -> {'|'.join(self.joins)}" if self.joins else ""
        return "|".join(self.alias_sets) + ("!" if self.is_write else "") + after


@dataclass(frozen=True)
class BaseType:
    """`Tensor`, `int`, `t` (a type variable), or with parameters `Dict(str, Tensor)`; a tuple has no name."""

    base: str
    parameters: tuple["Type", ...] = ()

    is_optional = is_list = False
    element = size = None

    def spelled(self, annotation: Annotation | None = None) -> str:
        parameters = f"({', '.join(map(str, self.parameters))})" if self.parameters or not self.base else ""
        return f"{self.base}{parameters}({annotation})" if annotation else f"{self.base}{parameters}"

    __str__ = spelled


@dataclass(frozen=True)
class OptionalType:
    """`Tensor?`: a tensor or None. It has the list and the base of the type that it makes optional."""

    inner: "BaseType | ListType"

    is_optional = True

    def spelled(self, annotation: Annotation | None = None) -> str:
        return f"{self.inner.spelled(annotation)}?"

    __str__ = spelled

    @property
    def base(self) -> str:
        return self.inner.base

    @property
    def is_list(self) -> bool:
        return self.inner.is_list

    @property
    def element(self) -> "Type | None":
        return self.inner.element

    @property
    def size(self) -> int | None:
        return self.inner.size


@dataclass(frozen=True)
class ListType:
    """`Tensor[]`, or `int[2]`: a list; with a size, a single number is also accepted and repeated `size` times."""

    element: "Type"
    size: int | None = None

    is_optional = False
    is_list = True

    def spelled(self, annotation: Annotation | None = None) -> str:
        return f"{self.element.spelled(annotation)}[{'' if self.size is None else self.size}]"

    __str__ = spelled

    @property
    def base(self) -> str:
        return self.element.base


Type = BaseType | OptionalType | ListType


@dataclass(frozen=True)
class Argument:
    """`Tensor(a!) out`, `int[1] dim=0`: an argument of a schema.

    Args:
        default: the Python value: a number, bool, str, None, a tuple of them, or one of `engine.dtypes`.
        default_text: the text after `=`; None if the argument has to be given.
        kwarg_only: it comes after the `*`.
    """

    name: str
    type: Type
    annotation: Annotation | None = None
    kwarg_only: bool = False
    default: Any = None
    default_text: str | None = None

    def __str__(self) -> str:
        default = "" if self.default_text is None else f"={self.default_text}"
        return f"{self.type.spelled(self.annotation)} {self.name}{default}"

    @property
    def has_default(self) -> bool:
        return self.default_text is not None

    @property
    def is_write(self) -> bool:
        return self.annotation is not None and self.annotation.is_write

    @property
    def is_out(self) -> bool:
        return self.kwarg_only and self.is_write

    @property
    def is_tensor_like(self) -> bool:
        """True for a tensor, an optional tensor, or a list of tensors."""
        return self.type.base == "Tensor"


@dataclass(frozen=True)
class Return:
    """A return value, with a name if the schema gives one: `Tensor(a!)`, `Tensor values`."""

    type: Type
    name: str | None = None
    annotation: Annotation | None = None

    def __str__(self) -> str:
        spelled = self.type.spelled(self.annotation)
        return f"{spelled} {self.name}" if self.name else spelled


@dataclass(frozen=True)
class FunctionSchema:
    """The schema of an operator. `arguments` are in the order of the text, which is the order of every call."""

    name: OperatorName
    arguments: tuple[Argument, ...]
    returns: tuple[Return, ...]

    def __str__(self) -> str:
        return schema_text(self)

    @cached_property
    def positional(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if not argument.kwarg_only)

    @cached_property
    def keyword_only(self) -> tuple[Argument, ...]:
        """The arguments after `*`, without the out= ones."""
        return tuple(argument for argument in self.arguments if argument.kwarg_only and not argument.is_write)

    @cached_property
    def out(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if argument.is_out)

    @cached_property
    def mutated(self) -> tuple[Argument, ...]:
        """The arguments whose tensors the operator writes: `(a!)`."""
        return tuple(argument for argument in self.arguments if argument.is_write)

    @cached_property
    def tensor_arguments(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if argument.is_tensor_like)

    @cached_property
    def tensor_positions(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The positions of the arguments that are tensors, and of those that are lists of tensors."""
        tensors = [(at, one.type.is_list) for at, one in enumerate(self.arguments) if one.is_tensor_like]
        return tuple(at for at, is_list in tensors if not is_list), tuple(at for at, is_list in tensors if is_list)

    @cached_property
    def aliased_positions(self) -> tuple[int | None, ...]:
        """For each return, the position of the argument that it shares memory with, or None; () if none does."""
        given = {one.annotation.alias_sets: at for at, one in enumerate(self.arguments) if one.annotation}
        sets = [one.annotation.alias_sets if one.annotation else None for one in self.returns]
        return tuple(given.get(one) if one else None for one in sets) if given else ()

    @cached_property
    def writes_only_self(self) -> bool:
        """True if the operator writes to its first argument and returns it, and aliases no other (isInplaceOp)."""
        annotated = [at for at, argument in enumerate(self.arguments) if argument.annotation]
        return annotated == [0] and self.arguments[0].is_write and self.aliased_positions == (0,)

    @property
    def mutated_and_returned(self) -> tuple[Argument, ...]:
        """The arguments that are written to and returned, whose versions are counted; PyTorch counts no others."""
        returned = [one.annotation for one in self.returns]
        return tuple(argument for argument in self.mutated if argument.annotation in returned)

    @property
    def is_inplace(self) -> bool:
        return self.name.is_inplace

    @property
    def is_out(self) -> bool:
        return bool(self.out)

    @property
    def is_mutable(self) -> bool:
        return bool(self.mutated)

    @property
    def is_view(self) -> bool:
        """True if a result shares memory with an argument that the operator does not write: `Tensor(a)`."""
        return any(returned.annotation and not returned.annotation.is_write for returned in self.returns)

    @cached_property
    def qualified_name(self) -> str:
        return str(self.name)

    @cached_property
    def unambiguous_name(self) -> str:
        return self.name.unambiguous

    def with_namespace(self, namespace: str) -> "FunctionSchema":
        """Return the schema under `namespace`, or unchanged if it already has a namespace."""
        if self.name.namespace:
            return self
        name = OperatorName(self.name.base, self.name.overload, namespace)
        return FunctionSchema(name, self.arguments, self.returns)


def schema_text(schema: FunctionSchema) -> str:
    """Return a schema as text, which `parse_schema` parses to an equal schema.

    Args:
        schema: `str` gives the text of its name, of each argument and of each return. Arguments that are `kwarg_only`
            come last.
    Returns:
        `name(argument, argument, ...) -> returns`. A `*` comes before the first argument that is `kwarg_only`, as an
        entry of its own. (A star inside an argument's text, as in `Tensor(a -> *) x`, does not count.) A single return
        is written as it is. Any other number of returns is in parentheses, separated by ", ". A single return whose
        text begins with a parenthesis gets another pair, because `parse_schema` would read several returns otherwise.

    >>> from engine.dispatch.schema import parse_schema
    >>> schema_text(parse_schema("f( Tensor x,*,int n = 1 )->( Tensor, int )"))
    'f(Tensor x, *, int n=1) -> (Tensor, int)'

    Source: aten/src/ATen/core/function_schema.h, operator<<(std::ostream&, const FunctionSchema&).
    """
    shown: list[str] = []
    for argument in schema.arguments:
        if argument.kwarg_only and "*" not in shown:
            shown.append("*")
        shown.append(str(argument))
    returned = ", ".join(map(str, schema.returns))
    if len(schema.returns) != 1 or returned.startswith("("):
        returned = f"({returned})"
    return f"{schema.name}({', '.join(shown)}) -> {returned}"
