"""The backward operators of views and of indexing, each with PyTorch's own."""

import pytest
from compare import assert_same, needs_torch

import engine

CALLS = [
    lambda aten, x, i, m: aten.slice_backward(x, (4, 8), 1, 0, 9, 2),
    lambda aten, x, i, m: aten.slice_backward(x, (7, 4), -2, 3, 7, 1),
    lambda aten, x, i, m: aten.slice_backward(x, (7, 4), 0, 3, 6, 1),
    lambda aten, x, i, m: aten.slice_backward(x, (4, 4), 2, 0, 4, 1),
    lambda aten, x, i, m: aten.select_backward(x, (4, 2, 4), 1, -1),
    lambda aten, x, i, m: aten.select_backward(x, (4, 2, 4), 1, 2),
    lambda aten, x, i, m: aten.diagonal_backward(x, (4, 5, 6), -1, 1, 2),
    lambda aten, x, i, m: aten.diagonal_backward(x, (5, 4, 4), 0, 0, 2),
    lambda aten, x, i, m: aten.diagonal_backward(x, (4, 4, 4), 0, 1, 1),
    lambda aten, x, i, m: aten.unfold_backward(x, (7,), 0, 4, 1),
    lambda aten, x, i, m: aten.unfold_backward(x.view(2, 2, 4), (2, 6), 1, 4, 2),
    lambda aten, x, i, m: aten.unfold_backward(x.view(2, 2, 4), (5, 2), 0, 4, 1),
    lambda aten, x, i, m: aten.unfold_backward(x.view(2, 2, 4).transpose(0, 1), (5, 2), 0, 4, 1),
    lambda aten, x, i, m: aten.unfold_backward(x, (19,), 0, 4, 5),
    lambda aten, x, i, m: aten.unfold_backward(x.view(-1)[3], (), 0, 1, 1),
    lambda aten, x, i, m: aten.embedding_dense_backward(x, i, 6, -1, False),
    lambda aten, x, i, m: aten.embedding_dense_backward(x, i, 6, 2, False),
    lambda aten, x, i, m: aten.embedding_dense_backward(x, i, 6, 0, True),
    lambda aten, x, i, m: aten.embedding_dense_backward(x.view(2, 2, 4), i.view(2, 2), 5, -1, True),
    lambda aten, x, i, m: aten.embedding_dense_backward(x, i.float(), 6, -1, False),
    lambda aten, x, i, m: aten.embedding_dense_backward(x[:0], i[:0], 6, -1, True),
    lambda aten, x, i, m: aten.embedding_backward(x, i, 6, -1, False, False),
    lambda aten, x, i, m: aten.index_select_backward(x, (4, 6), 1, i),
    lambda aten, x, i, m: aten.gather_backward(x[:1], x, 0, i.view(1, 4), False),
    lambda aten, x, i, m: aten.masked_select_backward(x.view(-1), x, m),
    lambda aten, x, i, m: aten.masked_scatter_backward(x, m, (3, 4)),
    lambda aten, x, i, m: aten._unsafe_index_put(x, (i,), x.t(), True),
    lambda aten, x, i, m: aten.diagonal_copy(x, 1),
]


@needs_torch
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_as_pytorch(call, kind):
    def program(T):
        x = T.arange(1.0, 17.0).view(4, 4).t().to(getattr(T, kind))
        return call(T.ops.aten, x, T.tensor([1, 3, 1, 2]), x % 3 == 0)

    assert_same(program)


def test_windows_that_share_cells_are_added_up():
    windows = engine.ones(2, 5, 3)
    assert engine.ops.aten.unfold_backward(windows, (2, 7), 1, 3, 1).tolist() == [[1, 2, 3, 3, 3, 2, 1]] * 2
