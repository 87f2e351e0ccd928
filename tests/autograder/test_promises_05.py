"""Lab 5's opening: the operators that run the student's loops; and the counts that its text states."""

from contextlib import contextmanager

import numpy as np
import pytest

import engine
from engine import memory_trace, overlay
from engine.cpu import gemm_vectors, matmul
from engine.cpu.gemm import HEIGHTS

CACHE = memory_trace.Cache(sets=1, ways=16, line_bytes=64)
REACHED = (  # exercise, a change that makes its answer wrong, an operator that the opening says runs it
    ("cpu.elementwise_loops.contiguous_binary_vec", ("g(loadu", "-g(loadu"), lambda: engine.ones(64) + engine.ones(64)),
    ("cpu.elementwise_loops.strided_unary", ("f(a[", "-f(a["), lambda: engine.ones(64, 2)[:, 0].sqrt()),
    ("cpu.gemv.cascade_dot", ("total += x[i]", "total -= x[i]"), lambda: engine.dot(engine.ones(64), engine.ones(64))),
    ("cpu.soft_max.largest_and_sum", ("factor + 1", "factor + 2"),
     lambda: engine.tensor([[1.0, 2.0], [3.0, 4.0]]).log_softmax(0)),
    ("cpu.gemm_loops.row_products", ("to[j] +=", "to[j] -="), lambda: engine.ones(4, 4) @ engine.ones(4, 4)),
)  # fmt: skip


@contextmanager
def as_part(name, source):
    """Inside, the text is a student's part."""
    overlay.graft(name, source)
    overlay.rebuilt([name])
    try:
        yield
    finally:
        overlay.restore(name)
        overlay.rebuilt([name])


@pytest.mark.parametrize(
    ("name", "change", "run"), REACHED, ids=[f"{name}-{at}" for at, (name, *_) in enumerate(REACHED)]
)
def test_a_wrong_loop_makes_the_operator_wrong(name, change, run):
    right, text = run().tolist(), overlay.source_of(name)
    assert change[0] in text
    with as_part(name, text.replace(*change)):
        assert run().tolist() != right
    assert run().tolist() == right


@pytest.mark.parametrize("size", [96, 97])
def test_with_a_height_of_four_rows_a_wrong_tile_makes_large_products_wrong(size):
    if gemm_vectors.HEIGHT not in HEIGHTS:
        pytest.skip("this processor has no tile of four rows")
    name, run = "cpu.gemm_vectors.four_rows", lambda: engine.ones(size, 64) @ engine.ones(64, size)
    right, text = run().tolist(), overlay.source_of(name)
    matmul.set_tile_height(gemm_vectors.HEIGHT)
    try:
        with as_part(name, text.replace("fmadd(a0, left, s0)", "fmadd(a0, left, left)")):
            assert run().tolist()[:4] != right[:4]
        assert run().tolist() == right
    finally:
        matmul.set_tile_height(HEIGHTS[0])


def test_the_height_of_a_tile_is_one_that_the_processor_has():
    with pytest.raises(ValueError, match="expected a tile height of"):
        matmul.set_tile_height(5)


def misses(steps, columns):
    """The misses of a, b and c of the product that the text of 5.11 traces."""
    m, n, k = 16, 32, 24
    a, b, c = (np.zeros(size, np.float32) for size in (m * k, k * n, m * n))
    function = engine.cpu.gemm_loops.blocked_products
    trace = memory_trace.record_call(function, m, n, k, a, 0, k, 1, b, 0, n, c, 0, n, steps, columns)
    return memory_trace.misses(trace, CACHE)


def test_the_best_block_of_the_table_has_240_misses():
    sizes = [(24, 32), (2, 16), (8, 16), (12, 16), (16, 16), (4, 32), (1, 32)]
    totals = {size: sum(misses(*size).values()) for size in sizes}
    assert min(totals, key=totals.get) == (8, 16)
    assert totals[8, 16] == 240


def test_a_block_one_line_too_large_makes_b_miss_340_times():
    assert misses(12, 16)["b"] == 340
