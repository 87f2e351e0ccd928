"""Which dtype an operation on several dtypes computes in.

Operands have three ranks: tensors with dimensions, tensors without, Python numbers. An operand of a lower rank
decides only by its category (bool < integral < floating), so `x + 2.5` keeps a float32 `x` float32 but lifts an int64
one. Pure functions of dtypes. Mirrors aten/src/ATen/native/TypeProperties.cpp and c10/core/ScalarType.cpp.
"""

from typing import NamedTuple

from ..dtypes import DTYPES, bool_, dtype, float32, float64, get_default_dtype, int32, int64  # noqa: F401 (for answers)

PROMOTION_ORDER = tuple(DTYPES.values())
_PAIRS = (("uint8", "int8", "int16"), ("float16", "bfloat16", "float32"))
NEITHER_HOLDS = {frozenset((DTYPES[one], DTYPES[other])): DTYPES[both] for one, other, both in _PAIRS}
"""Pairs of dtypes of which neither has all numbers of the other -> the dtype that they promote to."""
RANK = {kind: rank for rank, kind in enumerate(PROMOTION_ORDER)}
CATEGORY = {kind: kind.category for kind in PROMOTION_ORDER}

SCALAR_TYPE_NAMES = {kind: kind.scalar_type for kind in PROMOTION_ORDER}
"""Names of dtypes in PyTorch's errors (c10::toString)."""


class Promotion(NamedTuple):
    """An operand as type promotion sees it; `is_wrapped_number` is True if it was a Python number."""

    dtype: dtype
    ndim: int
    is_wrapped_number: bool = False


def promote_types(a: dtype, b: dtype) -> dtype:
    """Return the dtype that two promote to: the later one in `PROMOTION_ORDER`, or what `NEITHER_HOLDS` says.

    >>> promote_types(int64, float32), promote_types(DTYPES["uint8"], DTYPES["int8"])
    (torch.float32, torch.int16)

    Source: c10::promoteTypes (c10/core/ScalarType.cpp), whose table is an order but for two pairs.
    """
    if a is not b and (between := NEITHER_HOLDS.get(frozenset((a, b)))):
        return between
    return a if RANK[a] >= RANK[b] else b


def result_type(*operands: Promotion, default_dtype: dtype | None = None) -> dtype:
    """Return the dtype that an operation on `operands` computes in.

    There are three ranks of operands: tensors with dimensions, tensors without, Python numbers. Operands of one
    rank promote as `promote_types` says. The highest rank that is present decides, unless a lower one is of a greater
    category (bool < integral < floating): then the highest rank of that category decides.

    Args:
        operands: (dtype, ndim, is_wrapped_number) of each, at least one. A Python number has ndim 0; its dtype is
            bool_, int64 or float64.
        default_dtype: what Python floats count as, instead of float64; `get_default_dtype()` if None.

    >>> result_type(Promotion(int32, 2), Promotion(int64, 0))
    torch.int32
    >>> result_type(Promotion(int32, 2), Promotion(float64, 0, is_wrapped_number=True))
    torch.float32

    Source: result_type, update_result_type_state, combine_categories (aten/src/ATen/native/TypeProperties.cpp).
    """
    promoted: dict[tuple[bool, bool], dtype] = {}
    for kind, ndim, is_wrapped_number in operands:
        if is_wrapped_number and kind.is_floating_point:
            kind = default_dtype or get_default_dtype()
        rank = is_wrapped_number, not ndim  # False sorts before True, so the highest rank comes first
        promoted[rank] = promote_types(promoted.get(rank, kind), kind)
    kinds = [promoted[rank] for rank in sorted(promoted)]
    return max(kinds, key=lambda kind: CATEGORY[kind])  # of equals, max takes the first


def can_cast(from_: dtype, to: dtype) -> bool:
    """Return True if a result of dtype `from_` may be written to dtype `to`, that is, `to` is of no lower category.

    >>> can_cast(float64, float32), can_cast(float32, int64)
    (True, False)

    Source: c10::canCast (c10/core/ScalarType.h).
    """
    return CATEGORY[from_] <= CATEGORY[to]


def require_dtype(name: str, kind: dtype, supported: str) -> None:
    """Raise an error for a dtype for which an operator has no kernel.

    Args:
        supported: names of dtypes, with commas between them.
    Raises:
        NotImplementedError: `kind` is not among them.
    """
    if kind.name not in supported.split(", "):
        raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
