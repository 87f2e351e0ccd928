"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "aten.type_promotion.result_type": (
        """
def result_type(*operands, default_dtype=None):
    floats = get_default_dtype() if default_dtype is None else default_dtype
    tensors = [o.dtype for o in operands if not o.is_wrapped_number and o.ndim > 0]
    cells = [o.dtype for o in operands if not o.is_wrapped_number and o.ndim == 0]
    numbers = [floats if o.dtype is float64 else o.dtype for o in operands if o.is_wrapped_number]
    decided = None
    for kinds in (tensors, cells, numbers):
        if not kinds:
            continue
        together = kinds[0]
        for kind in kinds[1:]:
            together = promote_types(together, kind)
        if decided is None or CATEGORY[decided] < CATEGORY[together]:
            decided = together
    return decided
""",
        """
def result_type(*operands, default_dtype=None):
    def key(operand):
        kind, ndim, number = operand
        kind = (default_dtype or get_default_dtype()) if number and kind.is_floating_point else kind
        return (CATEGORY[kind], -2 if number else -1 if not ndim else 0), kind

    keyed = [key(operand) for operand in operands]
    category = max(place[0] for place, _ in keyed)
    rank = max(place[1] for place, _ in keyed if place[0] == category)
    result = None
    for place, kind in keyed:
        if place[1] == rank:
            result = kind if result is None else promote_types(result, kind)
    return result
""",
    ),
}
