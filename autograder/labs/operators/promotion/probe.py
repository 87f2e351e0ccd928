"""Probe of engine/aten/type_promotion.py: operands by the names of their dtypes, and the name of the result's."""


def result_type(engine, operands, default_dtype, current_default):
    """Return the name of the dtype that `result_type` returns for `operands`.

    Args:
        operands: (name of the dtype, ndim, is_wrapped_number) of each.
        default_dtype: name, or None to leave it out.
        current_default: name of what `get_default_dtype` answers meanwhile.
    Returns:
        str; ("no dtype", name of its type) if the answer is none.
    """
    kinds, promotion = engine.dtypes.DTYPES, engine.aten.type_promotion
    given = [promotion.Promotion(kinds[name], ndim, wrapped) for name, ndim, wrapped in operands]
    options = {} if default_dtype is None else {"default_dtype": kinds[default_dtype]}
    before = engine.dtypes.get_default_dtype()
    engine.dtypes.set_default_dtype(kinds[current_default])
    try:
        got = promotion.result_type(*given, **options)
    finally:
        engine.dtypes.set_default_dtype(before)
    return got.name if type(got) is engine.dtypes.dtype else ("no dtype", type(got).__name__)
