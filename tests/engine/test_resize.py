"""resize_: other sizes for a tensor, and more memory for its storage."""

import numpy as np
import pytest
from compare import assert_same, needs_torch

pytestmark = needs_torch

CALLS = [
    "x.resize_(2, 3)", "x.resize_((3, 2))", "x.resize_([6])", "x.resize_(4)", "x.resize_(0)", "x.resize_(())",
    "x.resize_()",
    "x.resize_(2, 2, 2)[:1]", "x.resize_(-1)", "x.resize_(2.0)", "x.view(2, 3).t().resize_(3, 2)",
    "x.view(2, 3).t().resize_(2, 3)", "x[::2].resize_(3)", "x[::2].resize_(2)", "x[2:].resize_(4)",
    "x[2:].resize_(2, 2)",
    "x[:1].expand(6).resize_(6)", "x[:1].expand(6).resize_(3)",
    "x.resize_(1, 2, 1, 3, memory_format=T.channels_last)", "x.resize_(6, memory_format=T.contiguous_format)",
    "x.view(2, 3).t().resize_(3, 2, memory_format=T.contiguous_format)",
    "x.resize_(6, memory_format=T.channels_last)", "x.resize_(6, memory_format=T.preserve_format)",
    "x.resize_as_(T.zeros(3, 2))", "x.resize_as_(T.zeros(1, 2, 1, 3), memory_format=T.channels_last)",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_a_call_of_resize(call):
    assert_same(lambda T: eval(call, {"x": T.arange(6), "T": T}))


@pytest.mark.parametrize(
    "call", ["x.resize_(9)", "x.resize_(2)", "x[2:].resize_(9)", "x.resize_(0)", "x[:0].resize_(7)"]
)
@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_a_storage_grows_when_it_must_and_never_shrinks(call, device):
    assert_same(lambda T: eval(call, {"x": T.zeros(6, device=device)}).untyped_storage().nbytes())


def test_what_fits_keeps_its_bytes():
    def program(T):
        x = T.arange(6)
        return x.resize_(20)[:6], x.resize_(2, 2)

    assert_same(program)


def test_other_views_see_the_storage_that_has_grown():
    def program(T):
        x = T.arange(4)
        row, column = x[1:], x.view(2, 2).t()
        row.fill_(7)
        x.resize_(30)[:4].fill_(9)
        return row, column, x[:4]

    assert_same(program)


def test_numpys_memory_does_not_grow():
    assert_same(lambda T: T.from_numpy(np.zeros(2)).resize_(3))
    assert_same(lambda T: T.from_numpy(np.zeros(4)).resize_(3))
