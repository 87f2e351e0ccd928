"""Lab 1's payoff: its blur is NumPy's, and copies nothing."""

import numpy as np
import pytest

from autograder.author import lab_text

LAB = lab_text.load("01-strides")


@pytest.fixture(scope="module")
def payoff():
    namespace = {}
    import engine

    namespace["engine"] = engine
    for cell in LAB.cells:
        if "payoff" in cell.metadata.get("tags", []):
            exec(compile(cell.source, str(LAB.path), "exec"), namespace)
    return namespace["payoff"]


def test_the_payoff_blurs_as_numpy_does(payoff):
    images = np.pad(payoff.__globals__["DIGITS"][:6], ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(images, (3, 3), axis=(1, 2))
    blurred = (windows * np.outer([1, 2, 1], [1, 2, 1])).sum(axis=(3, 4)) / 16
    assert payoff()["strip"] == np.hstack(list(blurred)).tolist()


def test_the_windows_share_one_storage_and_their_copy_does_not(payoff):
    result = payoff()
    assert result["bytes of their storage"] < 8 * result["elements in windows"] == result["bytes of a copy"]
