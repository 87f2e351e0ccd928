"""Which dtype an operation on several dtypes computes in.

Operands stand in three ranks: tensors with dimensions, tensors without, Python numbers. An operand of a lower rank
decides only by its category (bool < integral < floating), so `x + 2.5` keeps a float32 `x` float32 but lifts an int64
one. Pure functions of dtypes. Mirrors aten/src/ATen/native/TypeProperties.cpp and c10/core/ScalarType.cpp.
"""

from typing import NamedTuple

from ..dtypes import bool_, dtype, float32, float64, get_default_dtype, int32, int64

PROMOTION_ORDER = (bool_, int32, int64, float32, float64)
RANK = {kind: rank for rank, kind in enumerate(PROMOTION_ORDER)}
CATEGORY = {bool_: 0, int32: 1, int64: 1, float32: 2, float64: 2}

SCALAR_TYPE_NAMES = {bool_: "Bool", int32: "Int", int64: "Long", float32: "Float", float64: "Double"}
"""What PyTorch's errors call a dtype (c10::toString)."""


class Promotion(NamedTuple):
    """What promotion asks of an operand; `is_wrapped_number` says that it was a Python number."""

    dtype: dtype
    ndim: int
    is_wrapped_number: bool = False


def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest dtype that either can become without falling into a lower category.

    >>> promote_types(int64, float32)
    torch.float32

    Source: c10::promoteTypes (c10/core/ScalarType.cpp), whose table is an order for the dtypes that exist here.
    """
    return a if RANK[a] >= RANK[b] else b


def combine_categories(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """The dtype of two ranks of operands: the higher rank's, unless the lower one's category is greater.

    Args:
        higher, lower: the promoted dtype of each rank, None if there are no operands of that rank.

    >>> combine_categories(int32, int64), combine_categories(int32, float32)
    (torch.int32, torch.float32)

    Source: combine_categories (aten/src/ATen/native/TypeProperties.cpp).
    """
    if higher is None or lower is None:
        return higher or lower
    return lower if CATEGORY[lower] > CATEGORY[higher] else higher


def result_type(*operands: Promotion, default_dtype: dtype | None = None) -> dtype:
    """The dtype that an operation on `operands` computes in.

    Args:
        operands: (dtype, ndim, is_wrapped_number) of each, at least one.
        default_dtype: what Python floats count as; `get_default_dtype()` if None.

    >>> result_type(Promotion(int32, 2), Promotion(int64, 0))
    torch.int32
    >>> result_type(Promotion(int32, 2), Promotion(float64, 0, is_wrapped_number=True))
    torch.float32

    Source: result_type, update_result_type_state (aten/src/ATen/native/TypeProperties.cpp).
    """
    dimensioned = zero_dim = wrapped = None
    for kind, ndim, is_wrapped_number in operands:
        if is_wrapped_number and kind.is_floating_point:
            kind = default_dtype or get_default_dtype()
        if ndim > 0:
            dimensioned = promote_types(dimensioned or kind, kind)
        elif is_wrapped_number:
            wrapped = promote_types(wrapped or kind, kind)
        else:
            zero_dim = promote_types(zero_dim or kind, kind)
    combined = combine_categories(dimensioned, combine_categories(zero_dim, wrapped))
    assert combined is not None, "result_type of no operands"
    return combined


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether a result of dtype `from_` may be written to a tensor of dtype `to`: its category may not fall.

    >>> can_cast(float64, float32), can_cast(float32, int64)
    (True, False)

    Source: c10::canCast (c10/core/ScalarType.h).
    """
    return CATEGORY[from_] <= CATEGORY[to]


def require_dtype(name: str, kind: dtype, supported: str) -> None:
    """Refuse a dtype for which an operator has no kernel.

    Args:
        supported: names of dtypes, with commas between them.
    Raises:
        NotImplementedError: `kind` is not among them.
    """
    if kind.name not in supported.split(", "):
        raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
