"""torch.Size: which entries it takes, and what it is made into."""

import pytest
from compare import assert_same, needs_torch

pytestmark = needs_torch

CALLS = [
    "T.Size()", "T.Size([])", "T.Size([2, 3])", "T.Size(range(3))", "T.Size(T.tensor([2, 3]))", "T.Size([True])",
    "T.Size([T.tensor(3), 2])", "T.Size(T.ones(3))", "T.Size([2, 1.0])", "T.Size(['a'])", "T.Size([None])", "T.Size(3)",
    "T.Size([1], 2)", "T.Size([1]) + T.Size([2])", "T.Size([1]) + (2.0,)", "T.Size([1, 2, 3])[1:]",
    "T.zeros(2, 3).shape[1:] + (4,)", "T.zeros(2, 3).size().numel()",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_a_size_is_made(call):
    assert_same(lambda T: eval(call, {"T": T}))


def test_an_entry_becomes_an_int():
    assert_same(lambda T: [type(entry).__name__ for entry in T.Size(T.tensor([2, 3]))])


def test_the_error_names_the_entry(pytorch):
    import engine

    for T in (engine, pytorch):
        with pytest.raises(TypeError, match=r"^torch.Size\(\) takes an iterable of 'int' \(item 0 is 'Tensor'\)$"):
            T.Size(T.ones(3))
