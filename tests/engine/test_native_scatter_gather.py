"""gather, scatter, embedding, triangles, flips and repeats: as PyTorch's."""

import pytest
from compare import assert_same, needs_torch

import engine
import engine.nn.functional

CALLS = """
T.gather(x, 0, i)
T.gather(x.t(), 1, i.t())
T.gather(x, 0, i + 5)
T.gather(x, 0, i.float())
T.gather(x, 0, i[0])
T.gather(x[:, :1], 0, i)
T.gather(x, 5, i)
T.gather(T.tensor(1.0), 0, T.tensor([0, 0]))
T.gather(x, 0, T.tensor([], dtype=T.long))
T.gather(x, 0, i, out=T.empty(0, dtype=T.long))
x.gather(1, i.int())
x.scatter(0, i, x)
x.t().scatter(1, i, x + 1)
x.scatter(1, T.tensor([[1, 1, 1]]), x)
x.scatter(0, i, x.long())
x.scatter(0, i, x[:1])
x.scatter(0, i, x[0])
x.scatter(0, i + 5, x)
x.scatter(0, i, 1.5)
x.long().scatter(0, i, 1.5)
x.scatter(0, i, x, reduce="foo")
x.scatter(0, i, 2, reduce="multiply")
x.scatter(0, i, x, reduce="add")
x.scatter_(0, i, x)
x.clone().scatter_(1, i, 7)
x.expand(2, 3, 4).scatter_(0, i[None], 1)
x.scatter_add(0, i, x.long())
x.scatter_add(0, i, x)
(x > 2).scatter_add(0, i, x > 3)
x.scatter_add_(1, i, T.ones(2, 2))
x.scatter_reduce(0, i, x, "foo")
(x > 2).scatter_reduce(0, i, x > 3, "mean")
T.take_along_dim(x, i, 1)
T.take_along_dim(x, i)
T.take_along_dim(x, T.tensor([[0]]), 1)
T.take_along_dim(x, i[0], 1)
T.nn.functional.embedding(i, x)
T.nn.functional.embedding(T.tensor(1), x)
T.nn.functional.embedding(i + 5, x)
T.nn.functional.embedding(i.float(), x)
T.nn.functional.embedding(i, x[0])
T.nn.functional.embedding(i, x, padding_idx=5)
T.nn.functional.embedding(i, x, padding_idx=-1)
T.nn.functional.one_hot(i)
T.nn.functional.one_hot(i, 2)
T.nn.functional.one_hot(i - 1)
T.nn.functional.one_hot(i[:0], 3)
x.tril()
x.t().triu(1)
x[:, ::2].tril(-1)
x.clone().tril_()
x.t().clone().triu_(-1)
T.tril(T.tensor([1.0]))
T.ones(2, 3, 4, 5).transpose(1, 2).triu(-2)
T.tril_indices(3, 4, 1)
T.triu_indices(4, 3, -1, dtype=T.int32)
T.tril_indices(-1, 3)
T.diag(x)
T.diag(x[0], 1)
T.diag(x[None])
T.diag_embed(x, 1)
T.diag_embed(x, -1, 0, 2)
T.diag_embed(x, 0, 1, 1)
T.slice_scatter(x, T.zeros(3, 2), 1, 0, 4, 2)
T.select_scatter(x.t(), T.zeros(3), 0, 1)
T.diagonal_scatter(x, T.zeros(3))
T.diagonal_scatter(x, T.zeros(4))
x.flip(0, 1)
x.t().flip(1)
x[:, ::2].flip(1)
x.flip(2)
x.flip(0, 0)
x.fliplr()
x[0].flipud()
x[0].fliplr()
x.roll(2)
x.roll((1, -5), (0, 1))
x.roll(2, None)
x.roll(2, dims=None)
x.roll((1, 2), dims=None)
x.t().roll(7, 0)
x.roll((1, 2), 0)
x.rot90()
x.rot90(-1)
x.rot90(2, (1, 0))
x.rot90(1, (0, 2))
x.repeat(2, 1, 3)
x.repeat(2)
x.repeat(0, 1)
x.repeat(-1, 1)
x.tile(2)
x.tile((2, 1, 2))
x.repeat_interleave(2)
x.repeat_interleave(3, 1)
x.repeat_interleave(T.tensor([1, 0, 2]), 0)
x.repeat_interleave(T.tensor([2]), 1)
x.repeat_interleave(T.tensor([1, 0]), 0)
T.repeat_interleave(T.tensor([1, 0, 3]))
T.repeat_interleave(T.tensor([1, -3]))
T.hstack((x, x))
T.hstack((x[0], x[1], x[2]))
T.vstack((x[0], x))
T.dstack((x[0], x[1]))
T.column_stack((x, x[:, 0]))
T.hstack(())
T.meshgrid(x[0], x[:, 0], indexing="ij")
T.meshgrid(x[0], x[:, 0], indexing="xy")
T.meshgrid([x[0], T.tensor(1.0)])
T.meshgrid(x, x)
""".strip().splitlines()


@needs_torch
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
def test_call(call):
    def program(T):
        return eval(call, {"T": T, "x": T.arange(12.0).view(3, 4), "i": T.tensor([[0, 1], [2, 0]])})

    assert_same(program)


@needs_torch
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_scatter_reduce(dtype, reduce, include_self):
    def program(T):
        x = T.arange(12).view(3, 4).to(getattr(T, dtype))
        index = T.tensor([[0, 1, 0, 0], [0, 1, 2, 0]])
        return [x.scatter_reduce(dim, index, x - 5, reduce, include_self=include_self) for dim in (0, 1)]

    assert_same(program)


def test_of_two_writes_to_one_place_the_last_wins_and_sums_are_in_order():
    zeros, index = engine.zeros(2), engine.tensor([1, 1, 1])
    assert zeros.scatter(0, index, engine.tensor([5.0, 6.0, 7.0])).tolist() == [0, 7]
    assert zeros.scatter_add(0, index, engine.tensor([1e8, 1.0, -1e8])).tolist() == [0, 0]


def test_long_rows_are_scaled_down_to_max_norm():
    weight = engine.tensor([[3.0, 4.0], [0.3, 0.4]])
    rows = engine.nn.functional.embedding(engine.tensor([0, 1, 0]), weight, max_norm=1.0)
    assert [[round(value, 4) for value in row] for row in rows.tolist()] == [[0.6, 0.8], [0.3, 0.4], [0.6, 0.8]]
