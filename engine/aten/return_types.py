"""Named results: `torch.return_types.max` is a tuple whose items have names too.

A class is made for each operator that returns several tensors with names, on first use.
Mirrors tools/autograd/gen_python_functions.py (structseq) and torch/return_types.py.
"""

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._return_types import *  # noqa: F403


class NamedResult(tuple):
    """The base class of operators' named results; prints one name per line."""

    __slots__ = ()
    fields: tuple[str, ...] = ()

    def __repr__(self) -> str:
        items = ",\n".join(f"{name}={value!r}" for name, value in zip(self.fields, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{items})"

    def __reduce__(self) -> tuple[Any, ...]:
        return named_result, (type(self).__name__, self.fields, tuple(self))


def named_result(name: str, fields: Sequence[str], values: Sequence[Any]) -> NamedResult:
    """Return the values as the named result of the operator `name`.

    >>> named_result("max", ("values", "indices"), (2.0, 1)).indices
    1
    """
    return result_class(name, fields)(values)


def result_class(name: str, fields: Sequence[str]) -> type[NamedResult]:
    """Return the class of an operator's named results, the same class for every call.

    Args:
        name: of the function, "max"; "max_out" where the results are given.
        fields: names of the items.
    """
    made = globals().get(name)
    if made is None or made.fields != tuple(fields):
        items = {field: property(operator.itemgetter(number)) for number, field in enumerate(fields)}
        body = {"__slots__": (), "fields": tuple(fields), "__module__": "torch.return_types", **items}
        made = globals()[name] = type(name, (NamedResult,), body)
    return made
