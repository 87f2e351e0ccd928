"""bincount against PyTorch, on both devices."""

import pytest
from compare import engine, needs_torch, torch

pytestmark = needs_torch

NUMBERS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize(
    "call",
    [
        lambda T, x: x.bincount(),
        lambda T, x: T.bincount(x, minlength=12),
        lambda T, x: x.bincount(minlength=3),
        lambda T, x: x[1::2].bincount(),
        lambda T, x: x.int().bincount(),
        lambda T, x: x[:0].bincount(minlength=2),
        lambda T, x: (x * 300).bincount(),
        lambda T, x: x.bincount(x / 8),
        lambda T, x: x.bincount(x),
    ],
    ids=["plain", "longer", "shorter", "strided", "int32", "nothing", "many bins", "weights", "weights of integers"],
)
def test_bincount_is_that_of_pytorch(call, device):  # fmt: skip
    ours, theirs = call(engine, engine.tensor(NUMBERS, device=device)), call(torch, torch.tensor(NUMBERS))
    assert ours.tolist() == theirs.tolist()
    assert str(ours.dtype).rpartition(".")[2] == str(theirs.dtype).rpartition(".")[2]
    assert ours.device.type == device


@pytest.mark.parametrize(
    "call",
    [
        lambda T: T.tensor([1.5]).bincount(),
        lambda T: T.tensor([True]).bincount(),
        lambda T: T.tensor([-1]).bincount(),
        lambda T: T.tensor([[1]]).bincount(),
        lambda T: T.tensor([1]).bincount(minlength=-1),
        lambda T: T.tensor([1]).bincount(T.tensor([1.0, 2.0])),
    ],
    ids=["floats", "bools", "negative", "a matrix", "negative length", "more weights"],
)
def test_bincount_refuses_what_pytorch_refuses(call):  # fmt: skip
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        call(torch)
    with pytest.raises(type(theirs.value)) as ours:
        call(engine)
    assert str(ours.value) == str(theirs.value)
