"""The schema of an operator as programs see it, `func._schema`, and its tags, `torch.Tag`.

Mirrors torch/csrc/jit/python/init.cpp (FunctionSchema, Argument) and aten/src/ATen/native/tags.yaml.
"""

import enum
from dataclasses import dataclass
from typing import Any

from .convert import described
from .function_schema import Annotation, FunctionSchema

Tag = enum.Enum(
    "Tag",
    "core cudagraph_unsafe data_dependent_output dynamic_output_shape flexible_layout generated inplace inplace_view "
    "maybe_aliasing_or_mutating needs_contiguous_strides needs_exact_strides needs_fixed_stride_order "
    "nondeterministic_bitwise nondeterministic_seeded out out_variant pointwise pt2_compliant_tag reduction view_copy",
    start=0,
)
Tag.__doc__ = "An operator's properties, with PyTorch's numbers: `torch.Tag.core in func.tags`."


@dataclass(frozen=True)
class AliasInfo:
    """The sharing of an argument or a return: the names of its alias sets, and whether it is written."""

    is_write: bool
    before_set: set[str]
    after_set: set[str]


@dataclass(frozen=True)
class PublicArgument:
    """An argument, or a return, whose `default_value` is None; `type` is as PyTorch spells it: `Optional[int]`."""

    name: str
    type: str
    alias_info: AliasInfo | None
    N: int | None = None
    default_value: Any = None
    has_default: bool = False
    kwarg_only: bool = False

    def has_default_value(self) -> bool:
        return self.has_default

    @property
    def is_write(self) -> bool:
        return self.alias_info is not None and self.alias_info.is_write

    @property
    def is_out(self) -> bool:
        return self.kwarg_only and self.is_write


def alias_info(annotation: Annotation | None) -> AliasInfo | None:
    """Return an annotation of a schema as a program sees it."""
    if annotation is None:
        return None
    before = set(annotation.alias_sets)
    return AliasInfo(annotation.is_write, before, set(annotation.joins) or before)


class PublicSchema:
    """A schema whose `name` is text without the overload: "aten::add"."""

    def __init__(self, schema: FunctionSchema):
        self.name = f"{schema.name.namespace}::{schema.name.base}"
        self.overload_name, self.is_mutable, self._schema = schema.name.overload, schema.is_mutable, schema
        self.arguments = [
            PublicArgument(
                one.name, described(one.type), alias_info(one.annotation), one.type.size, one.default, one.has_default,
                one.kwarg_only,
            )
            for one in schema.arguments
        ]  # fmt: skip
        self.returns = [
            PublicArgument(one.name or "", described(one.type), alias_info(one.annotation)) for one in schema.returns
        ]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PublicSchema) and self._schema == other._schema

    def __hash__(self) -> int:
        return hash(self._schema)

    def __str__(self) -> str:
        return str(self._schema)

    __repr__ = __str__
