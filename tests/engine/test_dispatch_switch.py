"""A function for each dtype, chosen when the kernel runs; and generated source that is made again."""

import pytest

import engine
from engine.aten import native_functions, registration
from engine.aten.iterator import TensorIterator
from engine.aten.native.layer_norm import rms_norm_composite
from engine.aten.stubs import DispatchStub, DispatchSwitch
from engine.dtypes import bool_, float32, float64, int64

FLOATS = (float32, float64)


def minus(a, b):
    return a - b


def test_the_dtype_in_which_an_operation_computes_chooses_the_function():
    switch = DispatchSwitch("less_cpu", [((int64,), lambda a, b: a < b), ((bool_,), lambda a, b: a)])
    iter = TensorIterator.comparison_op(None, engine.tensor([1, 5]), engine.tensor([2, 3]))
    switch(iter)
    assert iter.output().tolist() == [True, False]


def test_operands_are_walked_by_their_own_strides_and_offsets():
    stub = DispatchStub("minus_stub")
    stub.register("cpu", DispatchSwitch("minus_cpu", [(FLOATS, minus)]))
    a, b = engine.arange(12.0).view(3, 4)[:, 1:3].t(), engine.tensor([[10.0], [20.0]])
    iter = TensorIterator.binary_op(None, a, b)
    stub(iter)
    assert iter.output().tolist() == engine.sub(a, b).tolist()


@pytest.mark.parametrize("sizes", [(2,), (0,)])
def test_a_dtype_without_a_function_is_refused_by_name(sizes):
    iter = TensorIterator.unary_op(None, engine.zeros(sizes, dtype=bool_))
    with pytest.raises(NotImplementedError, match="\"minus_cpu\" not implemented for 'Bool'"):
        DispatchSwitch("minus_cpu", [(FLOATS, minus)])(iter)


def test_a_dtype_has_one_function():
    with pytest.raises(ValueError, match="float32"):
        DispatchSwitch("minus_cpu", [(FLOATS, minus), ((float32,), minus)])


def test_generated_source_is_made_again_at_the_next_call():
    x = engine.tensor([1.0, -2.0])
    before = (x + x).tolist(), x.neg().tolist()
    registration.generate_again()
    assert ((x + x).tolist(), x.neg().tolist()) == before
    version = x._version
    x.add_(1)
    assert x._version == version + 1 and engine.zeros(2).tolist() == [0.0, 0.0]


def test_entries_that_are_read_again_have_to_be_the_same(monkeypatch):
    registration.read_again()
    monkeypatch.setitem(native_functions.READERS, "variants", lambda value: ("function",))
    with pytest.raises(ValueError, match=r"native_functions.yaml:\d+: .* is another entry now"):
        registration.read_again()


@pytest.mark.slow
def test_rms_norm_is_differentiable_because_it_is_made_of_operators():
    x = engine.randn(3, 4, dtype=float64).requires_grad_()
    weight = engine.randn(4, dtype=float64).requires_grad_()
    assert engine.autograd.gradcheck(lambda x, weight: rms_norm_composite(x, 1, weight, None), (x, weight))
