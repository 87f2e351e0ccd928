"""Tensors without memory: factories make them, every operator knows their sizes, nothing can be read."""

import pytest
from compare import assert_same, needs_torch

pytestmark = needs_torch

MADE = [
    "T.empty(2, 3, device='meta')", "T.zeros((2, 3), device='meta')", "T.ones(2, device=T.device('meta'))",
    "T.full((2,), 5, device='meta')", "T.full((2,), 1e300, dtype=T.float32, device='meta')",
    "T.arange(5, device='meta')",
    "T.arange(0, 1, 0.25, device='meta')", "T.arange(3, dtype=T.bool, device='meta')",
    "T.linspace(0, 1, 5, device='meta')",
    "T.eye(3, device='meta')", "T.empty_strided((2, 3), (1, 2), device='meta')", "T.zeros(2, -1, device='meta')",
    "T.tensor([1, 2], device='meta')", "T.as_tensor([1, 2], device='meta')", "T.zeros_like(x, device='meta')",
    "T.empty(1, 2, 3, 4, device='meta', memory_format=T.channels_last)", "x.new_zeros(2, device='meta')",
    "x.to('meta')", "x.to('meta', T.int64)", "x.to(m)", "x.to(device='meta')", "m.new_full((2,), 3)", "T.ones_like(m)",
    "m.clone()", "m.t().clone()", "m.t().contiguous()", "m.to(T.int64)", "m.to('meta') is m", "m.to('cpu')", "m.to(x)",
    "m.view(3, 2)", "m.t().reshape(6)", "m.expand(4, 2, 3)", "m[0]", "m[:, 1:]", "m[0, 1]", "m[None, ..., 0]", "m[5]",
    "m.as_strided((9, 9), (1, 1))", "m.as_strided((2,), (1, 1))", "m.split(1)", "m.unfold(1, 2, 1)", "m.diagonal()",
    "m.view(T.int32)", "m.view(T.bool)", "m.squeeze().unsqueeze(0)", "m.untyped_storage().nbytes()", "m.data_ptr()",
    "m.device", "m.resize_(4, 4)", "x.new_empty(0, device='meta')",
]  # fmt: skip


@pytest.mark.parametrize("made", MADE)
def test_a_tensor_without_memory_is_made(made):
    assert_same(lambda T: eval(made, {"m": T.zeros(2, 3, device="meta"), "x": T.zeros(2, 3), "T": T}))


WRITES = [
    "m.fill_(1)", "m.fill_(1e300)", "m.fill_(T.ones(()))", "m.fill_(T.ones(2))", "m.zero_()", "m.copy_(x)",
    "m.copy_(x[0])",
    "m.copy_(T.zeros(2))", "m.copy_(m[0])", "m[:1].expand(2, 3).copy_(x)", "x.copy_(m)", "m.copy_(5)",
]  # fmt: skip


@pytest.mark.parametrize("write", WRITES)
def test_writing_a_tensor_without_memory_checks_and_counts(write):
    assert_same(lambda T: eval(write, {"m": T.zeros(2, 3, device="meta"), "x": T.zeros(2, 3), "T": T}))


CALLS = [
    "T.repeat_interleave(T.empty(2, dtype=T.int64, device='meta'))",
    "T.repeat_interleave(T.empty(2, dtype=T.int64, device='meta'), output_size=7)",
    "m.masked_fill(m > 0, T.zeros((), device='meta'))", "m.index_fill(0, i, T.zeros((), device='meta'))",
    "x.masked_fill(x > 0, T.zeros((), device='meta'))", "m.index_put((m > 0,), m[0])", "m.index_put((i,), x)",
    "m.__setitem__(m > 0, 1)", "T.tril_indices(3, 4, -1, device='meta')", "T.triu_indices(5, 2, 1, device='meta')",
    "T.linspace(T.zeros((), device='meta'), 1, 5, device='meta')", "T.nonzero(m)", "m[m > 0]", "m.masked_select(m > 0)",
    "T.equal(m, m)", "T.allclose(m, m)", "T.bincount(i)", "T.nn.functional.one_hot(i)", "T.ops.aten.zero(m.t())",
    "T.ops.aten.lift_fresh(m) is m", "T.native_dropout(m, 0.5, True)", "T.bernoulli(m, out=m)",
    "T.nn.functional.embedding(i, m, max_norm=1.0)",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_a_call_knows_its_result_or_says_that_it_depends_on_elements(call):
    def made(T):
        i = T.empty(2, dtype=T.int64, device="meta")
        return eval(call, {"m": T.zeros(2, 3, device="meta"), "x": T.zeros(2, 3), "i": i, "T": T})

    assert_same(made)


READS = ["m.item()", "m[0, 0].item()", "m.tolist()", "m.numpy()", "m[0, 0].tolist()", "bool(m)", "bool(m[0, 0])",
         "int(m[0, 0])", "len(m)", "[len(row) for row in m]"]  # fmt: skip


@pytest.mark.parametrize("read", READS)
def test_there_is_nothing_to_read(read):
    assert_same(lambda T: eval(read, {"m": T.zeros(2, 3, device="meta")}))
