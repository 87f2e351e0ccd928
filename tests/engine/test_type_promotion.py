"""Type promotion against PyTorch, over every combination of dtypes and ranks of operands."""

import itertools

import pytest
from compare import needs_torch, torch

from engine import dtypes
from engine.aten import type_promotion
from engine.aten.type_promotion import Promotion

pytestmark = needs_torch
KINDS = tuple(dtypes.DTYPES.values())
PYTHON_NUMBERS = {True: dtypes.bool_, 2: dtypes.int64, 2.5: dtypes.float64}


def theirs(kind):
    return getattr(torch, kind.name)


def operands():
    """(what promotion asks of an operand, PyTorch's operand): dimensioned, zero-dim, Python numbers."""
    for kind in KINDS:
        yield Promotion(kind, 1), torch.ones(1, dtype=theirs(kind))
        yield Promotion(kind, 0), torch.ones((), dtype=theirs(kind))
    for number, kind in PYTHON_NUMBERS.items():
        yield Promotion(kind, 0, True), number


@pytest.fixture(params=(dtypes.float32, dtypes.float64), ids=str)
def default_dtype(request):
    torch.set_default_dtype(theirs(request.param))
    yield request.param
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("a", KINDS, ids=str)
@pytest.mark.parametrize("b", KINDS, ids=str)
def test_two_dtypes_promote_and_cast_as_in_pytorch(a, b):
    assert repr(type_promotion.promote_types(a, b)) == repr(torch.promote_types(theirs(a), theirs(b)))
    assert type_promotion.can_cast(a, b) == torch.can_cast(theirs(a), theirs(b))


def test_the_result_type_of_two_operands_is_pytorchs(default_dtype):
    for (a, their_a), (b, their_b) in itertools.product(operands(), repeat=2):
        got = type_promotion.result_type(a, b, default_dtype=default_dtype)
        assert repr(got) == repr(torch.result_type(their_a, their_b)), (a, b)


def test_the_result_type_of_three_operands_is_that_of_pytorchs_addcmul(default_dtype):
    tensors = [pair for pair in operands() if isinstance(pair[1], torch.Tensor)]
    for (a, their_a), (b, their_b), (c, their_c) in itertools.product(tensors, repeat=3):
        got = type_promotion.result_type(a, b, c, default_dtype=default_dtype)
        if got is not dtypes.bool_:  # where addcmul computes nothing
            result = torch.addcmul(their_a.to("meta"), their_b.to("meta"), their_c.to("meta"))
            assert repr(got) == repr(result.dtype), (a, b, c)


def test_a_python_float_counts_as_the_engines_default_dtype():
    operands = (Promotion(dtypes.int64, 1), Promotion(dtypes.float64, 0, True))
    assert type_promotion.result_type(*operands) is dtypes.float32
    dtypes.set_default_dtype(dtypes.float64)
    try:
        assert type_promotion.result_type(*operands) is dtypes.float64
    finally:
        dtypes.set_default_dtype(dtypes.float32)


def test_the_names_of_dtypes_in_errors_are_pytorchs():
    x = torch.ones(1, dtype=torch.bool)
    for kind, name in type_promotion.SCALAR_TYPE_NAMES.items():
        if kind is not dtypes.bool_:
            with pytest.raises(RuntimeError, match=f"Found dtype Bool but expected {name}$"):
                torch.abs(torch.ones(1, dtype=theirs(kind)), out=x)
