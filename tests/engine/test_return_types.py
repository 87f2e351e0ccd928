"""Operators of several results: named tuples, `out=` of several tensors; functions of `torch._C._nn`."""

import pickle

import pytest

import engine as T
from engine import extend
from engine.aten.at import at

ENTRIES = """
- func: extremes(Tensor self, int dim) -> (Tensor values, Tensor others)
  variants: function, method

- func: extremes.out(Tensor self, int dim, *, Tensor(a!) a, Tensor(b!) b) -> (Tensor(a!) values, Tensor(b!) others)

- func: extremes_scaled(Tensor self, int[2] scale=1) -> Tensor
  python_module: nn
"""


def extremes(self, dim):
    return at.amax(self, (dim,)), at.amin(self, (dim,))


def extremes_out(self, dim, a, b):
    return at.amax_out(self, (dim,), out=a), at.amin_out(self, (dim,), out=b)


def extremes_scaled(self, scale):
    return at.full(scale, 1.0)


@pytest.fixture(autouse=True)
def operators():
    kernels = {"extremes": extremes, "extremes_out": extremes_out, "extremes_scaled": extremes_scaled}
    with_names = extend.register(ENTRIES, kernels)
    yield
    with_names.destroy()


def test_results_have_names():
    result = T.tensor([[1.0, 2.0], [5.0, 3.0]]).extremes(1)
    assert isinstance(result, tuple) and type(result) is T.return_types.extremes
    assert result.values is result[0] and result.others.tolist() == [1.0, 3.0]
    assert repr(result) == "torch.return_types.extremes(\nvalues=tensor([2., 5.]),\nothers=tensor([1., 3.]))"
    most, least = T.extremes(T.ones(2, 2), 0)
    assert most.tolist() == least.tolist() == [1.0, 1.0]


def test_results_are_written_into_a_tuple_of_tensors():
    out = T.empty(2), T.empty(2)
    result = T.extremes(T.tensor([[1.0, 2.0], [5.0, 3.0]]), 0, out=out)
    assert type(result) is T.return_types.extremes_out and result[0] is out[0] and result.others is out[1]
    assert out[0].tolist() == [5.0, 3.0] and out[0]._version == 1
    with pytest.raises(TypeError, match="expected tuple of 2 elements but got 1"):
        T.extremes(T.ones(2, 2), 0, out=(T.empty(2),))
    with pytest.raises(TypeError, match="must be tuple of Tensors, not Tensor"):
        T.extremes(T.ones(2, 2), 0, out=T.empty(2))


def test_a_function_of_a_python_module_is_there_and_nowhere_else():
    assert T._C._nn.extremes_scaled(T.ones(1), 3).shape == (3, 3)
    assert T._C._nn.extremes_scaled(T.ones(1)).shape == (1, 1)
    assert not hasattr(T, "extremes_scaled")


def test_named_results_can_be_pickled():
    named = T.return_types.named_result("extremes", ("values", "others"), (1, 2))
    assert pickle.loads(pickle.dumps(named)) == named
