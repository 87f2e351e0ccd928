"""The dropout family against PyTorch: from the same seed, the same elements and channels are dropped."""

import itertools

import pytest
from compare import assert_close, assert_same, needs_torch

import engine
import engine.nn.functional as F

pytestmark = needs_torch

NAMES = ("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout")
LAYOUTS = {
    "dense": lambda T, x: x,
    "channels_last": lambda T, x: x.contiguous(memory_format=T.channels_last),
    "transposed": lambda T, x: x.transpose(0, 3),
    "gaps": lambda T, x: x[:, :, ::2],
}


def seeded(T, name, *arguments):
    T.manual_seed(7)
    return getattr(T, name)(*arguments)


@pytest.mark.parametrize("name", [name + ending for name in NAMES for ending in ("", "_")])
def test_the_same_seed_drops_what_pytorch_drops(name):
    for p, train, kind in itertools.product((0, 0.25, 0.5, 1, 1.5, -1), (True, False), ("float32", "float64", "int64")):
        assert_close(
            lambda T, p=p, train=train, kind=kind: seeded(T, name, T.ones(2, 3, 4, 5, dtype=getattr(T, kind)), p, train)
        )
    for sizes in ((), (3,), (2, 3), (0, 3), (17, 5, 3)):
        assert_close(lambda T, sizes=sizes: seeded(T, name, T.ones(sizes), 0.3, True))


@pytest.mark.parametrize("lies", LAYOUTS)
@pytest.mark.parametrize("name", [*NAMES, "dropout_"])
def test_memory_formats_are_pytorchs(name, lies):
    assert_close(lambda T: seeded(T, name, LAYOUTS[lies](T, T.ones(2, 3, 4, 5)), 0.3, True))


def test_native_dropout_gives_output_and_mask():
    for p, train in itertools.product((0.0, 0.25, 1.0), (True, False, None)):
        assert_close(lambda T, p=p, train=train: seeded(T, "native_dropout", T.ones(3, 50), p, train))
    assert_same(lambda T: T.native_dropout(T.ones(0, 3), 0.5, True))


@pytest.mark.parametrize("name", ["dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout"])
def test_the_functions_of_networks_give_pytorchs(name):
    def program(T, sizes, **arguments):
        T.manual_seed(7)
        return getattr(T.nn.functional, name)(T.ones(sizes), **arguments)

    for sizes in ((2, 3), (2, 3, 4), (2, 3, 4, 5), (2, 3, 4, 5, 2)):
        for arguments in ({}, {"p": 0.2}, {"training": False}, {"training": True, "inplace": True}, {"p": 1.5}):
            assert_close(lambda T, sizes=sizes, arguments=arguments: program(T, sizes, **arguments))


def test_a_dropped_element_is_0_and_the_others_keep_the_mean():
    engine.manual_seed(0)
    dropped = F.dropout(engine.ones(10_000), 0.2)
    assert set(dropped.tolist()) == {0.0, 1.25}
    assert abs(dropped.mean().item() - 1) < 0.02
    with pytest.raises(ValueError, match=r"^dropout probability has to be between 0 and 1, but got 2$"):
        F.dropout(engine.ones(3), 2)
