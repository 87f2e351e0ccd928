"""A short program on the whole engine: the operators of lab 3 in combination, and the numbers that PyTorch gives.

Each check names the function here that asks nothing of what another of its aspects asks.
"""

import warnings

from autograder.examine.error_data import type_name


def run(engine):
    """Run all parts of the program and return each one's numbers, dtype names and sizes, or ("raised", type name)."""
    return _of(engine, *PARTS)


def without_promotion(engine):
    """Run the program as `run` does, without the parts whose dtypes depend on a scalar or 0-dim tensor."""
    return _of(engine, *(part for part in PARTS if part not in (_promoted, _normalized)))


def without_given_outputs(engine):
    """Run the program as `run` does, without the part that passes an output to an operator."""
    return _of(engine, *(part for part in PARTS if part is not _given_outputs))


def without_totals(engine):
    """Run the program as `run` does, without the parts that reduce over all dimensions or an invalid one."""
    return _of(engine, *(part for part in PARTS if part not in (_totals, _refused_reductions)))


def without_single_elements(engine):
    """Run the program as `run` does, without the part that has a loop over a single element."""
    return _of(engine, *(part for part in PARTS if part is not _normalized))


def without_refused_products(engine):
    """Run the program as `run` does, without the part that multiplies matrices of mismatched sizes."""
    return _of(engine, *(part for part in PARTS if part is not _refused_products))


def without_broadcasting(engine):
    """Run the program as `run` does, without the part that broadcasts a row with a column."""
    return _of(engine, *(part for part in PARTS if part is not _broadcast))


def _of(engine, *parts):
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for part in parts:
            try:
                found[part.__name__.strip("_").replace("_", " ")] = part(engine)
            except (NotImplementedError, NameError):
                raise
            except Exception as error:
                found[part.__name__.strip("_").replace("_", " ")] = ("raised", type_name(error))
    return found


def _seen(tensor):
    """Return sizes, strides, dtype and elements, rounded."""
    return tuple(tensor.shape), tuple(tensor.stride()), str(tensor.dtype).rpartition(".")[2], _rounded(tensor.tolist())


def _rounded(value):
    return [_rounded(entry) for entry in value] if isinstance(value, list) else round(value, 6)


def _table(engine, rows, columns, dtype):
    return engine.arange(rows * columns).to(getattr(engine, dtype)).view(rows, columns)


def _refused(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except (RuntimeError, TypeError, IndexError) as error:
        return type_name(error)
    return "not refused"


def _promoted(engine):
    """Return results of type promotion: with Python numbers, with tensors without dimensions, and a refusal."""
    table = _table(engine, 2, 3, "float64")
    number = engine.arange(3).to(engine.float64)[2]
    return [
        _seen(table.float() * 2.5),
        _seen(_table(engine, 2, 3, "int64") + 2),
        _seen(table.float() + number),
        _seen(table + engine.arange(3)),
        str(engine.result_type(_table(engine, 2, 3, "int64"), 2.5)).rpartition(".")[2],
        _refused(engine.arange(3).add_, 0.5),
    ]


def _broadcast(engine):
    row, column = engine.arange(3).to(engine.float64), engine.arange(2).to(engine.float64).view(2, 1)
    return _seen(row - column * 10), _seen(engine.add(column, row, alpha=3))


def _turned(engine):
    """Return results of operands whose dimensions are in another order, which the results keep."""
    x = engine.arange(24).to(engine.float64).view(2, 3, 4).permute(2, 0, 1)
    return _seen(x + x), _seen(x.permute(-2, -1, 0) * 2), _seen(_table(engine, 2, 3, "float64").t() - 1)


def _with_gaps(engine):
    table = _table(engine, 2, 6, "float64")
    return _seen(table[:, ::2] + table[:, 1::2]), _seen(table[:, 2:5] * engine.arange(3))


def _in_place(engine):
    table, row = _table(engine, 3, 2, "float64"), engine.arange(3).to(engine.float64)
    turned = table.t()
    same = turned.add_(row, alpha=2) is turned
    return same, _seen(turned), table.tolist(), _refused(row.mul_, table.t())


def _given_outputs(engine):
    x, row = _table(engine, 2, 3, "float64"), engine.arange(3).to(engine.float64)
    empty, turned = engine.empty(0, dtype=engine.float64), engine.zeros(3, 2, dtype=engine.float64).t()
    same = [engine.add(x, row, out=one) is one for one in (empty, turned)]
    own = x.clone()
    engine.mul(own, row, out=own)
    narrow = engine.arange(3)
    square = engine.empty(0, dtype=engine.float64)
    engine.mm(x, x.t(), out=square)
    return same, *map(_seen, (empty, turned, own, square)), _refused(engine.add, row, 0.5, out=narrow), narrow.tolist()


def _reductions(engine):
    x = engine.arange(24).to(engine.float64).view(2, 3, 4).permute(2, 0, 1)
    return [
        _seen(x.sum(-1)), _seen(x.sum((0, 2), keepdim=True)), _seen(engine.sum(x, 1)), _seen(x.sum((-2, 0))),
    ]  # fmt: skip


def _totals(engine):
    x = engine.arange(24).to(engine.float64).view(2, 3, 4).permute(2, 0, 1)
    return _seen(x.sum()), _seen(x.sum(())), _seen(_table(engine, 2, 3, "int64").sum())


def _refused_reductions(engine):
    x = _table(engine, 2, 3, "float64")
    return _refused(x.sum, (0, -2)), _refused(x.sum, 2)


def _products(engine):
    x = _table(engine, 2, 3, "float64")
    return (
        _seen(engine.mm(x, x.t())),
        _seen(engine.mm(x.t(), x)),
    )


def _refused_products(engine):
    x = _table(engine, 2, 3, "float64")
    return _refused(engine.mm, x, x), _refused(engine.mm, x, engine.arange(3))


def _normalized(engine):
    x = engine.tensor([[3.0, 4.0, 1.0], [0.0, 2.0, 2.0]], dtype=engine.float64)
    weight = engine.tensor([1.0, 10.0, 2.0], dtype=engine.float64)
    return _seen(engine.rms_norm(x, (3,), weight, 0.5)), _seen(engine.rms_norm(x, (2, 3), None, 0.5))


def _named(engine):
    """Return results of arguments by keyword, by NumPy's names and spread over the call, and of a wrong number."""
    x = _table(engine, 2, 3, "float64")
    return [
        _seen(engine.sum(input=x, dim=0)), _seen(engine.sum(x, axis=1, keepdims=True)), _seen(x.view(3, 2)),
        _seen(x.permute(1, 0)), _refused(engine.neg), _refused(engine.neg, x, x), _refused(engine.neg, x, bias=1),
    ]  # fmt: skip


PARTS = (
    _promoted, _broadcast, _turned, _with_gaps, _in_place, _given_outputs, _reductions, _totals, _refused_reductions,
    _products, _refused_products, _normalized, _named,
)  # fmt: skip
