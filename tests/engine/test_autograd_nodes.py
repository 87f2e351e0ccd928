"""The nodes that operators of views and of indexing leave behind, from the last one to the first, as in PyTorch."""

import pytest
from compare import needs_torch, outcome, torch

import engine

EXPRESSIONS = """
x.reshape(6, 4); x.t().reshape(24); x[:, ::2].reshape(2, 2, 3); x.view(24); x.flatten(); x.t().flatten(); x.ravel()
x.narrow(0, 1, 2); x.expand_as(T.ones(2, 4, 6)); x.broadcast_to(2, 4, 6); x.T; x.mT; x.t(); x.movedim(0, 1)
x.transpose(0, 1); x.permute(1, 0); x.swapaxes(0, 1); x.adjoint(); x.unfold(0, 2, 1); x.diagonal(); x.view_as(x)
x.as_strided((2, 2), (1, 2)); x.chunk(2)[0]; x.split(2)[0]; x.split([1, 3])[0]; x.tensor_split(2)[0]; x.unbind()[0]
x.unsqueeze(0); x.squeeze(); x.squeeze(0); x.squeeze((0, 1)); x.t().contiguous(); x.contiguous(); x.unflatten(1, (2, 3))
x.to(T.float64); x.double(); x.to(T.float32); x.to(T.float32, copy=True); x.long(); x.view(T.int32); x.clone()
T.cat([x, y]); T.stack([x, y]); T.hstack([x, y]); T.vstack([x, y]); T.dstack([x, y]); T.column_stack([x, y])
x[i]; x[0]; x[1:3]; x[None]; x[...]; x[x > 0]; x[True]; x[0, i]; x[:, 1:]; x[0, 1]; x.detach(); T.zeros_like(x)
x.index_select(0, i); x.gather(0, z); x.scatter(0, z, y); x.scatter(0, z, 1.0); x.scatter(0, z, 1.0, reduce="add")
x.scatter_add(0, z, y); x.scatter_reduce(0, z, y, "sum"); x.index_add(0, i, y[:2]); x.index_copy(0, i, y[:2])
x.index_fill(0, i, 1.0); x.index_fill(0, i, one); x.index_put((i,), y[:2]); x.masked_fill(x > 0, 1.0)
x.masked_fill(x > 0, one); x.masked_scatter(x > 0, y); x.masked_select(x > 0); x.take(i); x.put(i, y[0, :2])
x.take_along_dim(z, 0); x.repeat(2, 1); x.tile(2); x.repeat_interleave(2); x.repeat_interleave(2, 0)
x.repeat_interleave(T.tensor([1, 2, 1, 1]), 0); x.flip(0); x.roll(1); x.roll(1, 0); x.rot90(); x.fliplr()
T.nn.functional.embedding(i, x); T.nn.functional.pad(x, (1, 1)); x.diag(); x[0].diag(); x.diag_embed()
x.slice_scatter(y[:2], 0, 0, 2); x.select_scatter(y[0], 0, 0); x.diagonal_scatter(y[0, :4]); T.fill(x, 1.0)
x.clone().fill_(1.0); x.clone().fill_(one); x.clone().zero_(); x.clone().normal_(); x.clone().uniform_()
x.clone().bernoulli_(); x.sigmoid().bernoulli(); T.zeros(4, 6).copy_(x); x.clone().random_(); T.normal(x, 1.0)
T.normal(x, y.abs()); T.meshgrid(x[0], x[1])[0]; T.broadcast_tensors(x, T.ones(2, 4, 6))[0]; x.nonzero()
x.clone().t_(); x.clone().unsqueeze_(0); x.clone().squeeze_(); x.clone().squeeze_(0); x.clone().transpose_(0, 1)
x.clone().as_strided_((2, 2), (1, 2)); x.clone().detach_(); x.clone().swapaxes_(0, 1); T.ops.aten.copy(x, y)
"""
ASSIGNMENTS = """
x[0] = y[0]; x[0] = 1.0; x[i] = 1.0; x[x > 0] = 1.0; x[...] = y; x[...] = 1.0; x[1:3] = y[:2]; x[:] = y[0]; x[0, 0] = 2
x[i, i] = y[0, :2]; x[None] = y
"""


def entries(text):
    return [entry.strip() for line in text.strip().splitlines() for entry in line.split(";")]


def nodes(tensor):
    """Names of the nodes from a tensor along the first edge that exists."""
    names, node = [], tensor.grad_fn
    while node is not None:
        names.append(node.name())
        node = next((before for before, _ in node.next_functions if before is not None), None)
    return tensor.requires_grad, names


def scope(T):
    x = T.arange(24.0).view(4, 6).div(24).detach().requires_grad_()
    y = T.ones(4, 6).requires_grad_()
    return {"T": T, "x": x, "y": y, "i": T.tensor([0, 2]), "z": T.zeros(1, 6, dtype=T.int64), "one": T.tensor(1.0)}


def of_expression(T, text):
    return nodes(eval(text, scope(T)))


def of_assignment(T, text):
    names = scope(T)
    names["x"] = names["x"] * 2
    exec(text, names)
    return nodes(names["x"])


@needs_torch
@pytest.mark.parametrize("text", entries(EXPRESSIONS))
def test_nodes_of(text):
    assert outcome(engine, lambda T: of_expression(T, text)) == outcome(torch, lambda T: of_expression(T, text))


@needs_torch
@pytest.mark.parametrize("text", entries(ASSIGNMENTS))
def test_nodes_after(text):
    assert outcome(engine, lambda T: of_assignment(T, text)) == outcome(torch, lambda T: of_assignment(T, text))
