"""`x[...]` read and written, and every view operator called in each of the ways that PyTorch takes."""

import numpy as np
import pytest
from compare import assert_same, needs_torch

pytestmark = needs_torch

INDICES = [
    "0", "-1", "1, 2", "2, 0, 0", "-3", "0, 0, 0, 0", ":", "...", "()", "None", "1:", ":-1", "::2", "5:2", "1:1",
    "-9:9",
    "::-1", "::0", "0:1:-2", "..., 0", "0, ...", "..., None", "None, 0, None", "..., ...", "0, ..., 1:", ":, :, :, :",
    ":, None, 1", "1.0", "'a'", "'a', 0", "1:2.0", "np.int64(1)", "np.int32(1):", "T.tensor(1)", "T.tensor(1):",
    "0, T.tensor(2)",
    "..., None, 1:3, None, 0",
    "m, 2", "m, 1:", "m, None", "m, [0, 3]", "m, T.tensor([1, 0, 2])", "None, m, 2", "m, ..., 1",
    "..., m.t()[:, :1], 0",
    "1, m[1:].expand(3, 3)[:, :1].expand(3, 4)", "0, m[0]", "m[0, :2], m.new_ones(3, 4)", "m.tolist(), 2", "m, m[0]",
    "True, m, 2", "m, False, 0", "m[0, :2], 1, m[0, [0, 1, 2, 0]]", "m, None, T.tensor(2)", "m.t(), 0",
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES)
def test_reading(index):
    def program(T):
        mask = T.tensor([[True, False, True], [False, True, False]])
        return eval(f"x[{index}]", {"x": T.arange(24).view(2, 3, 4), "m": mask, "T": T, "np": np})

    assert_same(program)


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("indices", ["m", "m, None", "None, n", "m, n[:2]", "m, None, None", "None", "", "None, None"])
def test_writing_with_indices_that_take_a_dimension_as_it_is(indices, accumulate):
    def program(T):
        names = {"m": T.tensor([True, False]), "n": T.tensor([True, False, True])}
        put = T.ops.aten.index_put
        return put(T.ones(2, 3), list(eval(f"({indices},)" if indices else "()", names)), T.tensor(5.0), accumulate)

    assert_same(program)


@pytest.mark.parametrize("index", ["()", "...", "None", "0", ":", "0, 0", "..., None", "0:1, None", "::-1", "'a'"])
def test_reading_a_tensor_without_dimensions(index):
    assert_same(lambda T: eval(f"x[{index}]", {"x": T.tensor(5)}))


WRITES = [
    "[0] = 5", "[0, 1] = 2.5", "[...] = -1", "[:, 1] = True", "[1:, None] = 3", "[()] = 7", "[0] = T.ones(3)",
    "[0] = T.ones(1, 1, 3)",
    "[0] = T.ones(2, 3)", "[0] = T.ones(2)", "[:] = T.arange(3)", "[:, ::2] = T.tensor([[1], [2]])",
    "[0, 0] = T.tensor(9)",
    "[0, 0] = T.tensor([9])", "[9] = 1", "[0] = [1, 2, 3]", "[0] = 'a'", "[0] = None", "[0] = np.ones(3)",
    "[0, 0] = np.float64(2)",
    "[0, 0] = np.float32(2)", "[0, 0] = 2**40", "[0, 0] = 2**70", "[0, 0] = float('nan')", "[0:0] = 3",
    "[0] = x[1]", "[:] = x",
    "[:, 1:] = x[:, :2]", "[0] = T.ones(3, dtype=T.float64)",
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["int32", "float32"])
@pytest.mark.parametrize("write", WRITES)
def test_writing(write, dtype):
    def program(T):
        x = T.zeros(2, 3, dtype=getattr(T, dtype))
        exec(f"x{write}", {"x": x, "T": T, "np": np})
        return x

    assert_same(program)


@pytest.mark.parametrize("value", ["5", "T.ones(2, 3)", "T.ones(0, 3)"])
def test_writing_into_a_tensor_that_holds_a_cell_twice(value):
    def program(T):
        x = T.zeros(1, 3)
        exec(f"x.expand(2, 3)[...] = {value}", {"x": x, "T": T})
        return x

    assert_same(program)


CALLS = [
    "x.view(6, 4)", "x.view((6, 4))", "x.view([6, 4])", "x.view(size=(6, 4))", "x.view(-1)", "x.view()",
    "x.view(())", "x.view(2.0)",
    "x.view(24, 1.0)", "x.view(np.int64(24))", "x.view(T.tensor(24))", "x.view(True, 24)", "x.reshape(4, 6)",
    "x.reshape(shape=(24,))",
    "T.reshape(x, (24,))", "T.reshape(x, 24)", "T.reshape(x, 4, 6)", "T.reshape(shape=(24,), input=x)",
    "x.permute(2, 0, 1)",
    "x.permute((2, 0, 1))", "x.permute(dims=(2, 0, 1))", "T.permute(x, (2, 0, 1))", "T.permute(x, 2, 0, 1)",
    "x.permute()",
    "x.permute(2, 0, True)", "x.expand(5, -1, -1, -1)", "x.expand((5, 2, 3, 4))", "x.expand(size=(5, 2, 3, 4))",
    "x.expand()",
    "T.broadcast_to(x, (1, 2, 3, 4))", "T.broadcast_to(x, size=(1, 2, 3, 4))", "x.broadcast_to((1, 2, 3, 4))",
    "T.broadcast_to(x, 4)",
    "x.transpose(0, 1)", "x.transpose(dim0=0, dim1=-1)", "T.transpose(x, 0, 1)", "x.transpose(0)",
    "x.transpose(0, 1.0)",
    "T.transpose(input=x, dim0=0, dim1=1)", "x.swapaxes(0, 1)", "x.swapdims(dim0=0, dim1=1)",
    "T.swapaxes(x, axis0=0, axis1=1)",
    "x.T", "x.mT", "x.t()", "x[0].t()", "T.t(x[0])", "x.movedim(0, 2)", "x.movedim((0, 1), (2, 0))",
    "T.movedim(x, source=0, destination=2)",
    "x.moveaxis([0], [1])", "x.movedim(True, 0)", "x.unsqueeze(-1)", "x.unsqueeze(dim=0)", "T.unsqueeze(x, 1)",
    "x.unsqueeze()",
    "x[:1].squeeze()", "x[:1].squeeze(0)", "x[:1].squeeze(dim=0)", "x[:1].squeeze((0, 1))", "T.squeeze(x[:1], 0)",
    "x.squeeze(True)",
    "x.select(1, 2)", "x.select(dim=1, index=-1)", "T.select(x, 0, 1)", "x.select(0, T.tensor(1))", "x.select(0, 1.0)",
    "x.narrow(1, 1, 2)", "x.narrow(dim=1, start=1, length=2)", "T.narrow(x, 1, 0, 1)",
    "x.narrow(0, T.tensor(1), 1)", "x.narrow(0, 0, 1.0)",
    "x.unfold(2, 2, 1)", "x.unfold(dimension=2, size=2, step=1)", "x.diagonal()", "x.diagonal(1)",
    "x.diagonal(offset=-1, dim1=1, dim2=2)",
    "T.diagonal(x, 0, 1, 2)", "x.as_strided((2, 2), (1, 2))", "x.as_strided((2, 2), (1, 2), 3)",
    "T.as_strided(x, (2,), (3,))",
    "x.as_strided(size=(2,), stride=(1,), storage_offset=4)", "x[1].as_strided((2,), (1,))", "x.as_strided(2, 1)",
    "x.as_strided((2,), (1, 1))",
    "x.as_strided((2,), (1,), 23)", "x.as_strided((0,), (1,), 99)", "x.flatten()", "x.flatten(1)",
    "x.flatten(0, 1)", "x.flatten(end_dim=1)",
    "T.flatten(x, start_dim=1)", "T.flatten(input=x)", "x.unflatten(2, (2, 2))", "x.unflatten(2, [2, -1])",
    "x.unflatten(dim=2, sizes=(2, 2))",
    "T.unflatten(x, 2, (2, 2))", "x.unflatten(2, (3, 2))", "x.ravel()", "T.ravel(x)", "x.view_as(T.zeros(24))",
    "x.view_as(T.zeros(5))",
    "x.reshape_as(T.zeros(4, 6))", "x[:, :1].expand_as(x)", "x.expand_as(x[0])", "x.split(2)", "x.split(2, 1)",
    "x.split((1, 2), dim=1)",
    "x.split(split_size=1)", "T.split(x, 1)", "T.split(x, [1, 2], 1)", "x.split(1.5)", "x.split_with_sizes([1, 2], 1)",
    "T.split_with_sizes(x, (1, 1))", "x.chunk(2)", "x.chunk(chunks=2, dim=2)", "T.chunk(x, 2, 1)", "x.chunk(2.0)",
    "x.unbind()",
    "x.unbind(dim=1)", "T.unbind(x, -1)", "T.unbind(x, 1.0)", "x.detach()", "T.detach(x)", "x.contiguous() is x",
    "x.flatten(1, 1) is x",
    "x.expand_as(x) is x", "x.view(2, 3, 4) is x", "x.detach() is x", "T.clone(x)", "T.clone(input=x)",
    "T.zeros_like(input=x)", "T.clone(x, memory_format=T.contiguous_format)",
    "x[0].H", "x.H", "x[0, 0].H", "x.mH", "x[0, 0].mH", "x[0, 0, 0].H", "x[0, 0, 0].mT", "x.adjoint()",
    "T.adjoint(x[0, 0])",
    "x.narrow(1, T.tensor(1), 2)", "x.narrow(0, T.tensor(1.0), 1)", "x.narrow(0, T.tensor(True), 1)",
    "x.tensor_split(3, 2)", "x.tensor_split(5)", "T.tensor_split(x, (1, 3), 2)", "x.tensor_split([2, 1, 9], -1)",
    "x.tensor_split(0)", "x[0, 0, 0].tensor_split(1)", "x.tensor_split(2, 3)",
    "T.tensor_split(x, T.tensor([1, 3]), 2)", "x.tensor_split(T.tensor(2), dim=1)",
    "x.tensor_split(T.tensor([1, 9])[::2])",
    "x.tensor_split(tensor_indices_or_sections=T.tensor([-1]))", "x.tensor_split(T.tensor(2.0))",
    "x.tensor_split(T.tensor([[1]]))", "x.tensor_split(T.tensor([1]), 3)", "x[0, 0, 0].tensor_split(T.tensor([1]))",
    "x.tensor_split(T.tensor([1], dtype=T.int32))", "x.tensor_split(T.tensor([1], device='meta'))",
    "reversed(x)", "reversed(x.t())", "reversed(x[0, 0, 0])", "reversed(x[:0])",
    "T.broadcast_tensors(x[:, :1], x[0], x[0, 0])", "T.broadcast_tensors(x, x[:, :2])", "T.broadcast_tensors()",
    "x.unsqueeze_(1)", "x[:1].squeeze_()", "x[:1].squeeze_(0)", "x[:1].squeeze_((0, 1))", "x.transpose_(0, 2)",
    "x[0].t_()", "x.t_()", "x.swapdims_(0, 1)", "x.swapaxes_(0, 1)", "x.as_strided_((2, 2), (1, 2), 3)",
    "x.as_strided_((99,), (1,))", "x.transpose_(0, 3)", "T.arange(3).detach_()", "T.moveaxis(x, 0, 1)",
    "x.moveaxis(5, 0)",
    "x.view(T.float64)", "x.view(T.int64)", "x.view(T.int32)", "x.view(T.bool)", "x.t().view(T.int32)",
    "x[0].t().view(T.int32)", "x[0].t().view(T.float64)", "x.to(T.int32).view(T.int64)", "x[0, 0, 0].view(T.int32)",
    "x.to(T.int32)[..., 1:].view(T.int64)", "x.to(T.int32)[..., 1:3].view(T.int64)", "x[:, ::2].view(T.int32)",
    "x[:0].view(T.int32)", "x.view(dtype=T.float64)", "x.to(T.int32).view(24)[1:].view(T.float64)",
    "x.view(T.bool)[0, 0, 8:].view(T.int64)",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_a_view_operator_is_called(call):
    assert_same(lambda T: eval(call, {"x": T.arange(24).view(2, 3, 4), "T": T, "np": np}))
