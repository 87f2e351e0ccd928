"""Public names: what the table binds, and how arguments arrive at an operator."""

import numpy as np
import pytest
from compare import Raised, assert_same, needs_torch, outcome, torch

import engine
from engine.aten.registry import OPERATORS
from engine.binder import BINDINGS

# Calls whose `int` argument is put in at the place of `at`.
TAKING_INTS = {
    "select, dim": lambda x, at: x.select(at, 1),
    "select, index": lambda x, at: x.select(0, at),
    "narrow, start": lambda x, at: x.narrow(0, at, 1),
    "narrow, length": lambda x, at: x.narrow(0, 0, length=at),
    "unfold": lambda x, at: x.unfold(0, at, 1),
    "diagonal": lambda x, at: x.diagonal(at),
    "transpose": lambda x, at: x.transpose(at, 0),
    "unsqueeze": lambda x, at: x.unsqueeze(at),
    "flatten": lambda x, at: x.flatten(at),
    "unflatten": lambda x, at: x.unflatten(at, (3, 1)),
    "as_strided": lambda x, at: x.as_strided((2,), (1,), at),
    "split": lambda x, at: x.split(at),
    "chunk": lambda x, at: x.chunk(at),
    "unbind": lambda x, at: x.unbind(at),
}
CALLS = pytest.mark.parametrize("call", TAKING_INTS.values(), ids=TAKING_INTS.keys())


def geometry(result):
    """All numbers of the geometry of one tensor, or of several."""
    tensors = result if isinstance(result, tuple) else (result,)
    return [number for x in tensors for number in (*x.shape, *x.stride(), x.storage_offset())]


@CALLS
def test_a_numpy_int_is_taken_for_an_int_and_leaves_python_ints(call):
    assert {type(number) for number in geometry(call(engine.zeros(4, 3), np.int64(1)))} == {int}


@needs_torch
@CALLS
@pytest.mark.parametrize("wrong", [True, 1.0, "1", [1.0]], ids=repr)
def test_what_is_no_int_is_refused_as_pytorch_refuses_it(call, wrong):
    types = [getattr(outcome(T, lambda T: call(T.zeros(4, 3), wrong)), "type", "done") for T in (engine, torch)]
    assert types[0] == types[1] == "TypeError"


@needs_torch
@pytest.mark.parametrize("program", [
    lambda T: int(T.zeros(2)),
    lambda T: float(T.zeros(0)),
    lambda T: bool(T.zeros(2)),
    lambda T: bool(T.zeros(0)),
    lambda T: len(T.tensor(1)),
    lambda T: list(T.tensor(1)),
    lambda T: [1, 2][T.tensor([0, 1])],
    lambda T: [1, 2][T.tensor(1.0)],
], ids=range(8))  # fmt: skip
def test_python_asks_for_one_element_and_is_refused_as_by_pytorch(program):
    assert isinstance(outcome(engine, program), Raised)
    assert_same(program)


@needs_torch
@pytest.mark.parametrize("program", [
    lambda T: [int(T.tensor(2.7)), float(T.tensor(3)), bool(T.tensor([0.0])), [5, 6][T.tensor(1)]],
    lambda T: [len(T.zeros(3, 2)), list(T.arange(3))],
    lambda T: [T.zeros(2, 3).view(3, 2), T.zeros(2, 3).view((3, 2)), T.zeros(2, 3).view(size=(3, 2))],
    lambda T: [T.permute(T.zeros(2, 3), (1, 0)), T.zeros(2, 3).permute(1, 0), T.zeros(2, 3).permute(dims=[1, 0])],
    lambda T: [T.zeros(2, 3).T, T.zeros(2, 3).mT, T.swapaxes(T.zeros(2, 3), 0, 1), T.zeros(2, 3).swapdims(0, 1)],
    lambda T: [T.zeros(2).to("cpu", T.int64), T.zeros(2).to(T.zeros(1, dtype=T.bool)), T.zeros(2).to(dtype=T.int32)],
    lambda T: [T.tensor([1.9, -1.9]).long(), T.tensor([0.5, 0.0]).bool(), T.tensor([2**40 + 1]).int()],
    lambda T: [np.asarray(T.arange(3)), np.asarray(T.arange(6).view(2, 3).t(), dtype=np.float32)],
    lambda T: T.zeros(3).copy_(2.5),
], ids=range(9))  # fmt: skip
def test_a_way_of_calling_gives_what_it_gives_in_pytorch(program):
    assert not isinstance(outcome(engine, program), Raised)
    assert_same(program)


def test_every_operator_of_the_table_is_there():
    assert [binding.operator for binding in BINDINGS if binding.operator not in OPERATORS] == []


@needs_torch
def test_every_bound_name_is_one_of_pytorchs():
    ours = {"accessor"}  # C++ only, in PyTorch
    functions = {name for binding in BINDINGS for name in binding.function.split()}
    methods = {name for binding in BINDINGS for name in f"{binding.method} {binding.property}".split()}
    assert (functions - set(dir(torch)), methods - set(dir(torch.Tensor))) == (set(), ours)


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS.keys())
def test_an_operator_says_what_it_does(operator):
    assert operator.__doc__ and operator.schema.startswith(tuple(OPERATORS))


def test_comparison_is_refused_until_there_are_elementwise_kernels():
    with pytest.raises(NotImplementedError, match="elementwise"):
        engine.zeros(1) == engine.zeros(1)  # noqa: B015
