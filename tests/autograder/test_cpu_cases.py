"""The cases of lab 5: a reader can run them by hand, and they are compiled as the engine compiles its kernels."""

from functools import reduce

import numba
import numpy as np
import pytest

import engine
from autograder.examine.case_call import call_text
from autograder.examine.questions import draw_cases
from autograder.labs import CHECKS
from autograder.labs.cpu.looped import options_of

WITH_CALLS = [name for name, check in CHECKS.items() if name.startswith("cpu.") and check.call]
MOST_COMPILED = 1  # of an exercise's cases: each takes a second


@pytest.mark.parametrize("name", WITH_CALLS)
def test_what_is_shown_behind_try_it_runs(name, capsys):
    function = reduce(getattr, name.split("."), engine)
    scope = {"np": np, "numba": numba, "engine": engine, function.__name__: function}
    texts = [call_text(CHECKS[name], case) for cases in draw_cases(CHECKS[name], 0).values() for case in cases]
    compiled = [text for text in texts if "numba.njit" in text][:MOST_COMPILED]
    plain = [text for text in texts if text and "numba.njit" not in text]
    assert compiled or plain
    for text in (*plain, *compiled):
        exec(text, dict(scope))


@pytest.mark.parametrize(
    ("kernel", "fastmath"),
    [
        ("elementwise", set()),
        ("by_rows", {"contract", "reassoc", "nsz"}),
        ("loop_products", {"contract"}),
        ("products", set()),
        ("columns", set()),
        ("lines", set()),
    ],
)
def test_a_check_compiles_with_the_options_of_the_engine_s_kernel(kernel, fastmath):
    options = options_of(engine, kernel)
    assert options == {"nogil": True, "error_model": "numpy", "fastmath": fastmath}


def test_a_row_of_no_elements_is_walked_through_at_once():
    out = np.zeros(5)
    loop = engine.cpu.elementwise_loops.strided_unary(lambda x: x + 1)
    loop(3, 3, out, 0, np.ones(5), 0, np.array([[5], [1], [1]]), ())
    assert not out.any()
