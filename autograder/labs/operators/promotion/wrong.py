"""Wrong answers to aten.type_promotion.result_type."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

RESULT = "aten.type_promotion.result_type"

WRONG_ANSWERS = (
    WrongAnswer(RESULT, "one rank for all: the greatest dtype wins", ("ranks", "numbers"), """
def result_type(*operands, default_dtype=None):
    result = operands[0].dtype
    for kind, ndim, is_wrapped_number in operands:
        result = promote_types(result, kind)
    return result
"""),
    WrongAnswer(RESULT, "only the operands of the highest rank are heard", ("ranks", "numbers"), """
def result_type(*operands, default_dtype=None):
    ranks = {}
    for kind, ndim, is_wrapped_number in operands:
        if is_wrapped_number and kind.is_floating_point:
            kind = default_dtype or get_default_dtype()
        rank = 2 if is_wrapped_number else 1 if ndim == 0 else 0
        ranks[rank] = promote_types(ranks.get(rank, kind), kind)
    return ranks[min(ranks)]
"""),
    WrongAnswer(RESULT, "Python floats stay float64", ("numbers",), """
def result_type(*operands, default_dtype=None):
    ranks = {}
    for kind, ndim, is_wrapped_number in operands:
        rank = 2 if is_wrapped_number else 1 if ndim == 0 else 0
        ranks[rank] = promote_types(ranks.get(rank, kind), kind)
    return max((ranks[rank] for rank in sorted(ranks)), key=lambda kind: CATEGORY[kind])
"""),
    WrongAnswer(RESULT, "Python floats are always float32", ("numbers",), """
def result_type(*operands, default_dtype=None):
    ranks = {}
    for kind, ndim, is_wrapped_number in operands:
        if is_wrapped_number and kind.is_floating_point:
            kind = float32
        rank = 2 if is_wrapped_number else 1 if ndim == 0 else 0
        ranks[rank] = promote_types(ranks.get(rank, kind), kind)
    return max((ranks[rank] for rank in sorted(ranks)), key=lambda kind: CATEGORY[kind])
"""),
    WrongAnswer(RESULT, "numbers and tensors without dimensions are one rank", ("numbers",), """
def result_type(*operands, default_dtype=None):
    dimensioned = scalar = None
    for kind, ndim, is_wrapped_number in operands:
        if is_wrapped_number and kind.is_floating_point:
            kind = default_dtype or get_default_dtype()
        if ndim > 0:
            dimensioned = promote_types(dimensioned or kind, kind)
        else:
            scalar = promote_types(scalar or kind, kind)
    if dimensioned is None or scalar is None:
        return dimensioned or scalar
    return scalar if CATEGORY[scalar] > CATEGORY[dimensioned] else dimensioned
"""),
    WrongAnswer(RESULT, "the ranks are looked at from the lowest up", ("ranks", "numbers"), """
def result_type(*operands, default_dtype=None):
    ranks = [None, None, None]
    for kind, ndim, is_wrapped_number in operands:
        if is_wrapped_number and kind.is_floating_point:
            kind = default_dtype or get_default_dtype()
        rank = 2 if is_wrapped_number else 1 if ndim == 0 else 0
        ranks[rank] = promote_types(ranks[rank] or kind, kind)
    result = None
    for kind in reversed(ranks):
        if kind is not None and (result is None or CATEGORY[kind] > CATEGORY[result]):
            result = kind
    return result
"""),
    WrongAnswer(RESULT, "the tensor with the most dimensions decides", ("ordinary", "ranks", "numbers"), """
def result_type(*operands, default_dtype=None):
    result, most = None, -1
    for kind, ndim, is_wrapped_number in operands:
        if is_wrapped_number and kind.is_floating_point:
            kind = default_dtype or get_default_dtype()
        if result is None or ndim > most:
            result, most = kind, ndim
        elif ndim == most:
            result = promote_types(result, kind)
    return result
"""),
    WrongAnswer(RESULT, "of one rank, the last in an order of all dtypes", ("ordinary", "ranks", "numbers"),
        ("promoted[rank] = promote_types(promoted.get(rank, kind), kind)",
         "promoted[rank] = max(promoted.get(rank, kind), kind, key=tuple(CATEGORY).index)"),
    ),
    WrongAnswer(RESULT, "of two ranks with one category the lower decides", ("ranks", "numbers"),
        ("return max(kinds, key=lambda kind: CATEGORY[kind])",
         "return max(reversed(kinds), key=lambda kind: CATEGORY[kind])"),
    ),
    WrongAnswer(RESULT, "get_default_dtype() counts in spite of default_dtype", ("numbers",),
        ("kind = default_dtype or get_default_dtype()", "kind = get_default_dtype()"),
    ),
    WrongAnswer(RESULT, "the default dtype is asked once, when the function is made", ("numbers",), """
DEFAULT = get_default_dtype()


def result_type(*operands, default_dtype=None):
    ranks = {}
    for kind, ndim, is_wrapped_number in operands:
        if is_wrapped_number and kind.is_floating_point:
            kind = default_dtype or DEFAULT
        rank = 2 if is_wrapped_number else 1 if ndim == 0 else 0
        ranks[rank] = promote_types(ranks.get(rank, kind), kind)
    return max((ranks[rank] for rank in sorted(ranks)), key=lambda kind: CATEGORY[kind])
"""),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        RESULT,
        "promoted[rank] = promote_types(promoted.get(rank, kind), kind)",
        "promoted[rank] = promote_types(kind, promoted.get(rank, kind))",
        "promote_types takes the greater of two, in whatever order",
    ),
)  # fmt: skip
