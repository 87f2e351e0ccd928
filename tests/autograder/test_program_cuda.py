"""The programs of lab 6 on the whole engine give what NumPy gives."""

import numpy as np
import pytest

import engine
from autograder.labs.cuda.program import probe


def counted(*sizes):
    return np.arange(np.prod(sizes), dtype=np.float64).reshape(sizes)


def plain(array):
    return [round(float(number), 4) for number in np.ravel(array)]


def shares(x, axis):
    powers = np.exp(x)
    return powers / powers.sum(axis, keepdims=True)


def elementwise():
    x, row = counted(3, 4), counted(3)
    layer = (x.T - 5) @ (counted(3, 3) - 4) + row - 2
    return {
        "turned and broadcast": plain(x.T * 2 - row),
        "runs": plain(row[1:] * 2 - row[:-1]),
        "with gaps": plain(counted(4, 6)[:, ::2] + x.T),
        "in place": plain(counted(2, 3).T + 3 * row[:, None]),
        "layer": plain(np.maximum(layer, 0)),
    }


def reductions():
    x = counted(5, 6)
    return {
        "rows": plain(x.sum(1)), "columns": plain(x.sum(0)), "largest": plain((3 - x).max(1)),
        "shares of rows": plain(shares(x / 8, 1)), "shares of columns": plain(shares(x / 8, 0)),
        "turned": plain(x.T), "counts": [1, 3, 0, 2, 0],
    }  # fmt: skip


def products():
    small, wide, large = counted(3, 2), counted(6, 7) - 20, counted(12, 12) - 70
    return {
        "a thread an element": plain(small @ counted(2, 3)), "tiles": plain(wide @ (wide - 1).T),
        "registers": plain(large @ large),
    }  # fmt: skip


def memory():
    return {
        "one": plain(counted(100)[:5] + counted(100)[95:]), "two": plain(counted(300)[295:] + 1),
        "three": plain(counted(7) + 2),
        "four": plain(counted(200)[195:] * 2), "bytes": [512, 1536, 1536, 512, 512, 1024, 1024],
    }  # fmt: skip


@pytest.mark.parametrize("program", [elementwise, reductions, products, memory])
def test_a_program_gives_what_numpy_gives(program):
    found, right = getattr(probe, program.__name__)(engine), program()
    assert found.keys() == right.keys()
    for key, numbers in right.items():
        assert found[key] == pytest.approx(numbers, abs=2e-4), key
