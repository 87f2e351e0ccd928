"""`x[...]` with tensors, lists and bools, and the operators that name elements by their places."""

import numpy as np
import pytest
from compare import assert_same, needs_torch

import engine

INDICES = [
    "[0,1]",
    "[1,-1,0]",
    ":,[0,1]",
    "...,[0,1]",
    "[0,1],...,[0,1]",
    "[0,1],[0,1]",
    "T.tensor([[0,1],[1,0]])",
    ":,T.tensor([[0,1],[1,0]])",
    ":,T.tensor([[0,1],[1,0]]).t()",
    "T.tensor([[0],[1]]),T.tensor([0,1])",
    "T.tensor([0,1],dtype=T.int32)",
    "0,[0,1]",
    "None,[0,1],None",
    "x>5",
    "x.sum(-1)>10",
    "True",
    "False",
    "T.tensor(True)",
    "T.tensor(1)",
    "T.tensor(1.)",
    "T.tensor([1.])",
    "np.array([1,0])",
    "np.array([1.5,0])",
    "[1.5]",
    "[]",
    "()",
    "T.tensor([])",
    "'a'",
    "1.0",
    "[50]",
    ":, [-50]",
    "[0,1],[0,1,2]",
    "T.ones(2,7,dtype=T.bool)",
    "0,0,0,0,[0]",
    "range(2)",
    "np.array(1)",
    "np.array(True)",
    "np.int32(1)",
    "[np.int64(1),np.int64(0)]",
    "[T.tensor(1),T.tensor(0)]",
    "[None,1]",
    "(0,1),(1,0)",
    "{1}",
    "[[]]",
    "True,True",
    "True,[0,1]",
    "[0,1],True",
    "T.zeros(0,dtype=T.long)",
    ":,T.zeros(2,0,dtype=T.long)",
    "T.tensor(7)",
    "0,T.tensor(7)",
    "[0]*40",
    "[[0,1]]",
    "['a']",
    "[2**70]",
    "1:,[0,1]",
    "[0,1],1:",
    "::2,[0,1]",
    "[True,False]",
    "[0,1],None,[1,0]",
    "[1],0",
    "0,:,[1]",
    ":,0,[1]",
    "T.tensor([0,1])[:,None], T.tensor([1,0,1])",
    "..., None, [1,0]",
    ":, [1,0], [0,1]",
    ":, [[1,0]], [[0],[1]]",
]
BASES = {
    "contiguous": lambda T: T.arange(24.0).view(2, 3, 4),
    "transposed": lambda T: T.arange(24.0).view(2, 3, 4).transpose(0, 2),
    "gaps": lambda T: T.arange(24.0).view(2, 3, 4)[:, ::2],
    "permuted": lambda T: T.arange(24.0).view(2, 3, 4).permute(1, 2, 0),
}
WRITES = ["x[{}] = 5", "x[{}] = T.tensor(3.0)", "x[{0}] = x[{0}] * 2", "x[{}] += 1", "x[{}] = T.tensor([3])"]


@needs_torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("index", INDICES)
def test_reading(base, index):
    assert_same(lambda T: eval(f"x[{index}]", {"x": BASES[base](T), "T": T, "np": np}))


@needs_torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("index", INDICES)
def test_writing(index):
    def program(T, base, write):
        x = BASES[base](T)
        exec(write.format(index), {"x": x, "T": T, "np": np})
        return x

    for base in BASES:
        for write in WRITES:
            assert_same(lambda T, base=base, write=write: program(T, base, write))


CALLS = [
    lambda T, x, i: T.ops.aten.index.Tensor(x, [None, i]),
    lambda T, x, i: T.ops.aten.index.Tensor(x, []),
    lambda T, x, i: T.ops.aten._unsafe_index.Tensor(x, [i, i]),
    lambda T, x, i: x.index_put((i, i), T.tensor(1.0), accumulate=True),
    lambda T, x, i: x.index_put_((i,), x[:1] + 1, True),
    lambda T, x, i: x.index_put((x > 5,), T.tensor(1)),
    lambda T, x, i: x.index_put((i,), T.ones(7)),
    lambda T, x, i: x.expand(2, 3, 4).index_put_((i,), T.tensor(1.0)),
    lambda T, x, i: T.index_select(x.t(), 0, i),
    lambda T, x, i: x.index_add(0, i, x, alpha=2),
    lambda T, x, i: x.t().index_copy(1, i, x.t()),
    lambda T, x, i: x.index_fill(1, i, -1),
    lambda T, x, i: x.index_fill(1, T.tensor([-5]), -1),
    lambda T, x, i: x.masked_fill((x > 3).t()[:3, :1], 9),
    lambda T, x, i: x.t().masked_fill_(T.tensor([True, False, True]), 0.5),
    lambda T, x, i: x.long().masked_fill(x > 3, 2**70),
    lambda T, x, i: x.t().masked_select(x.t() > 4),
    lambda T, x, i: x.masked_scatter(x > 4, T.arange(20.0)),
    lambda T, x, i: T.nonzero(x.t() > 3),
    lambda T, x, i: x.nonzero(as_tuple=True),
    lambda T, x, i: T.nonzero(x[:0]),
    lambda T, x, i: T.nonzero(T.tensor(1.0)),
    lambda T, x, i: T.where(x > 7),
    lambda T, x, i: T.argwhere(x),
    lambda T, x, i: x.take(T.tensor([[0, -1], [3, 11]])),
    lambda T, x, i: x.take(T.tensor([12])),
    lambda T, x, i: x.t().put_(i, T.tensor([7.0, 8.0, 9.0]), accumulate=True),
]


@needs_torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", range(len(CALLS)))
def test_operators(call):
    assert_same(lambda T: CALLS[call](T, T.arange(12.0).view(3, 4), T.tensor([2, 0, 2])))


def test_an_element_that_is_named_twice_is_counted_twice_only_when_values_accumulate():
    x, i = engine.zeros(3), engine.tensor([1, 1, 2])
    x[i] += 1
    assert x.tolist() == [0, 1, 1]
    assert engine.zeros(3).index_put_((i,), engine.tensor(1.0), accumulate=True).tolist() == [0, 2, 1]
    x[i] = engine.tensor([5.0, 6.0, 7.0])
    assert x.tolist() == [0, 6, 7] and x._version == 2


@pytest.mark.slow
def test_many_rows_and_long_rows_are_copied_whole():
    x = engine.arange(3000 * 7).view(3000, 7)
    i = engine.arange(2999, -1, -1)
    assert x[i].tolist() == x.tolist()[::-1] and x.t()[:, i].t().tolist() == x.tolist()[::-1]
    assert x[x > 5000].tolist() == list(range(5001, 21000))
