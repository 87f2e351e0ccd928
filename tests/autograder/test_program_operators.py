"""The program of lab 3 on the whole engine: its numbers are those on paper and NumPy's, and PyTorch's."""

import numpy as np
import pytest

import engine
from autograder.labs.operators.program import probe

TABLE, ROW = np.arange(6.0).reshape(2, 3), np.arange(3.0)
TURNED = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)
X, WEIGHT = np.array([[3.0, 4.0, 1.0], [0.0, 2.0, 2.0]]), np.array([1.0, 10.0, 2.0])


def seen(values, strides=None, dtype="float64"):
    """Sizes, strides in elements, dtype and elements, as the probe shows them; the strides are NumPy's if not given."""
    own = tuple(step // values.itemsize for step in values.strides)
    return values.shape, own if strides is None else strides, dtype, probe._rounded(values.tolist())


def normalized(values, axes):
    return values / np.sqrt((values * values).mean(axes, keepdims=True) + 0.5)


ON_PAPER = {
    "promoted": [
        seen(TABLE * 2.5, dtype="float32"),
        seen(np.arange(2, 8).reshape(2, 3), dtype="int64"),
        seen(TABLE + 2, dtype="float32"),
        seen(TABLE + ROW),
        "float32",
        "RuntimeError",
    ],
    "broadcast": (seen(ROW - np.array([[0.0], [10.0]])), seen(np.array([[0.0, 3.0, 6.0], [1.0, 4.0, 7.0]]))),
    "turned": (
        seen(TURNED * 2, (1, 12, 4)),
        seen(np.arange(24.0).reshape(2, 3, 4) * 2),
        seen(TABLE.T - 1, (1, 3)),
    ),
    "with gaps": (
        seen(np.array([[1.0, 5.0, 9.0], [13.0, 17.0, 21.0]])),
        seen(np.array([[0.0, 3.0, 8.0], [0.0, 9.0, 20.0]])),
    ),
    # (0, 1), (2, 3), (4, 5), turned, and twice (0, 1, 2) added to each row
    "in place": (
        True,
        seen(np.array([[0.0, 4.0, 8.0], [1.0, 5.0, 9.0]]), (1, 2)),
        [[0.0, 1.0], [4.0, 5.0], [8.0, 9.0]],
        "RuntimeError",
    ),
    "given outputs": (
        [True, True],
        seen(TABLE + ROW),
        seen(TABLE + ROW, (1, 2)),
        seen(TABLE * ROW),
        seen(np.array([[5.0, 14.0], [14.0, 50.0]])),
        "RuntimeError",
        [0, 1, 2],
    ),
    "reductions": [
        seen(TURNED.sum(-1), (2, 1)),
        seen(np.array([[[66.0], [210.0]]]), (2, 1, 1)),
        seen(TURNED.sum(1), (3, 1)),
        seen(TURNED.sum((0, 1))),
    ],
    "totals": (((), (), "float64", 276.0), ((), (), "float64", 276.0), ((), (), "int64", 15)),
    "refused reductions": ("RuntimeError", "IndexError"),
    "products": (
        seen(np.array([[5.0, 14.0], [14.0, 50.0]])),
        seen(np.array([[9.0, 12.0, 15.0], [12.0, 17.0, 22.0], [15.0, 22.0, 29.0]])),
    ),
    "refused products": ("RuntimeError", "RuntimeError"),
    "normalized": (seen(normalized(X, (1,)) * WEIGHT), seen(normalized(X, (0, 1)))),
    "named": [
        seen(np.array([3.0, 5.0, 7.0])),
        seen(np.array([[3.0], [12.0]]), (1, 1)),
        seen(TABLE.reshape(3, 2)),
        seen(TABLE.T, (1, 3)),
        "TypeError",
        "TypeError",
        "TypeError",
    ],
}
VARIANTS = [getattr(probe, name) for name in dir(probe) if name.startswith("without_")]


def test_the_numbers_of_the_program_are_those_on_paper():
    found = probe.run(engine)
    assert set(found) == set(ON_PAPER)
    assert {name: value for name, value in found.items() if value != ON_PAPER[name]} == {}


def test_the_program_gives_what_pytorch_gives(pytorch):
    torch = pytorch

    assert probe.run(torch) == probe.run(engine)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.__name__)
def test_a_variant_gives_the_same_numbers_and_leaves_some_out(variant):
    whole, found = probe.run(engine), variant(engine)
    assert set(found) < set(whole) and all(whole[name] == value for name, value in found.items())
