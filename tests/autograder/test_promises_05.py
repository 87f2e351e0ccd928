"""Lab 5's table "Which of your loops runs where": the operators that run them; and the counts that its text states."""

import re
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest
from tiers import fast_first, fast_only

import engine
from autograder import overlay
from autograder.author import lab_text
from engine import memory_trace
from engine.cpu import gemm_vectors, matmul
from engine.cpu.gemm import HEIGHTS

CACHE = memory_trace.Cache(sets=1, ways=16, line_bytes=64)
REACHED = (  # exercise, a change that makes its answer wrong, an operator that the table says runs it
    ("cpu.elementwise_loops.contiguous_binary", ("= f(a[", "= -f(a["),
     lambda: engine.fmod(engine.arange(64.0), engine.full((64,), 4.0))),
    ("cpu.elementwise_loops.contiguous_binary", ("= f(a[", "= -f(a["),
     lambda: engine.maximum(engine.arange(64.0), engine.ones(64))),
    ("cpu.elementwise_loops.contiguous_binary_vec", ("g(loadu", "-g(loadu"), lambda: engine.ones(64) + engine.ones(64)),
    ("cpu.elementwise_loops.strided_unary", ("f(a[", "-f(a["), lambda: engine.ones(64, 2)[:, 0].sqrt()),
    ("cpu.gemv.cascade_dot", ("total += x[i]", "total -= x[i]"), lambda: engine.dot(engine.ones(64), engine.ones(64))),
    ("cpu.soft_max.largest_and_sum", ("factor + 1", "factor + 2"),
     lambda: engine.tensor([[1.0, 2.0], [3.0, 4.0]]).log_softmax(0)),
    ("cpu.soft_max.largest_and_sum", ("factor + 1", "factor + 2"), lambda: engine.arange(70.0).view(2, 35).softmax(1)),
    ("cpu.soft_max.largest_and_sum", ("factor + 1", "factor + 2"), lambda: engine.arange(9.0).log_softmax(0)),
    ("cpu.gemv.cascade_dot", ("x[i] * y[i]", "x[i] + y[i]"), lambda: engine.ones(5000).sum()),
    ("cpu.gemv.cascade_dot", ("x[i] * y[i]", "x[i] + y[i]"), lambda: engine.ones(3, 5).mean(1)),
    ("cpu.scatter_gather.lines", ("of_x + position", "of_x - position + size - 1"),
     lambda: engine.zeros(4, 3).scatter_add(1, engine.zeros(4, 9, dtype=engine.int64), engine.ones(4, 9))),
    *((name, change, run)
      for name, change in (("cpu.gemm_loops.row_products", ("to[j] +=", "to[j] -=")),
                           ("cpu.gemm_loops.blocked_products", ("range(0, k, steps)", "range(steps, k, steps)")))
      for run in (lambda: engine.ones(4, 4) @ engine.ones(4, 4), lambda: engine.ones(10, 10) @ engine.ones(10, 10),
                  lambda: engine.ones(5, 1) @ engine.ones(1, 6), lambda: engine.ones(600, 1) @ engine.ones(1, 600))),
    ("cpu.gemm.pack", ("] = x[", "] = -x["), lambda: engine.ones(192, 64) @ engine.ones(64, 192)),
    ("cpu.gemm.multiply_panels", ("step, k, alpha", "step, k, -alpha"),
     lambda: engine.ones(192, 64) @ engine.ones(64, 192)),
    ("cpu.gemm.multiply_panels", ("step, k, alpha", "step, k, -alpha"),
     lambda: engine.ones(192, 64) @ engine.ones(192, 64).t()),
)  # fmt: skip
ROWS = [pytest.param(*row) for row in REACHED]
LOOPS = ("cpu.elementwise_loops.contiguous_binary", "cpu.elementwise_loops.strided_unary", "cpu.gemv.cascade_dot")
FAST = [next(row for row in ROWS if row.values[0] == name) for name in LOOPS]
OWN = (  # operators that the text says run a loop of the engine's own
    lambda: engine.ones(20, 20) @ engine.ones(20, 20),
    lambda: engine.arange(12.0).view(3, 4).t().contiguous(),
)


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


@pytest.mark.parametrize(("name", "change", "run"), fast_only(FAST, ROWS))
def test_a_wrong_loop_makes_the_operator_wrong(name, change, run):
    right, text = run().tolist(), overlay.source_of(name)
    assert change[0] in text
    with as_part(name, text.replace(*change)):
        assert run().tolist() != right
    assert run().tolist() == right


@pytest.mark.parametrize("run", fast_first(1, OWN[::-1]))
def test_wrong_loops_leave_what_has_a_loop_of_the_engine_s_own_right(run):
    right = run().tolist()
    with ExitStack() as parts:
        for name, change in {name: change for name, change, _ in REACHED}.items():
            parts.enter_context(as_part(name, overlay.source_of(name).replace(*change)))
        assert run().tolist() == right


def test_each_loop_in_the_table_is_proved_and_its_sizes_are_the_engine_s():
    text = "\n".join(cell.source for cell in lab_text.load("05-cpu").cells)
    table = text.partition("## Which of your loops runs where\n")[2].partition("\n## ")[0]
    named = {
        name for row in re.findall(r"^\| 5\.[^|]*\|([^|]*)\|", table, re.M) for name in re.findall(r"`(\w+)`", row)
    }
    assert named == {name.rpartition(".")[2] for name, *_ in REACHED} | {"four_rows"}
    assert f"at most {matmul.TINY:,} multiplications" in table
    assert "more than 128³ multiplications" in table
    assert matmul.SMALL == 128**3
    assert matmul.THIN == 1


@pytest.mark.slow
@pytest.mark.skipif(gemm_vectors.HEIGHT not in HEIGHTS, reason="not run: this processor has no tile of four rows")
def test_with_a_height_of_four_rows_a_wrong_tile_makes_large_products_wrong():
    name = "cpu.gemm_vectors.four_rows"
    whole, ragged = (engine.ones(size, 64) for size in (192, 193))

    def results():
        return [(x @ x.t()).tolist() for x in (whole, ragged)]

    right = results()
    matmul.set_tile_height(gemm_vectors.HEIGHT)
    try:
        with as_part(name, overlay.source_of(name).replace("fmadd(a0, left, s0)", "fmadd(a0, left, left)")):
            assert all(got[:4] != wanted[:4] for got, wanted in zip(results(), right, strict=True))
        assert results() == right
    finally:
        matmul.set_tile_height(HEIGHTS[0])


def test_the_height_of_a_tile_is_one_that_the_processor_has():
    with pytest.raises(ValueError, match="expected a tile height of"):
        matmul.set_tile_height(5)


@pytest.mark.slow
def test_softmax_and_sums_on_a_right_loop_are_those_of_the_reference():
    rows, numbers = (engine.from_numpy(np.random.default_rng(5).normal(0, 9, size).astype(np.float32))
                     for size in ((7, 203), (3, 9001)))  # fmt: skip
    rows[0, 3], rows[1], rows[2, 70], rows[3, 130] = -np.inf, -np.inf, np.inf, np.nan

    def results():
        return [
            x.numpy() for x in (rows.softmax(1), rows.log_softmax(1), numbers.sum(), numbers.sum(1), numbers.mean())
        ]

    wanted = results()
    for name in ("cpu.soft_max.largest_and_sum", "cpu.gemv.cascade_dot"):
        with as_part(name, overlay.source_of(name)):
            for got, right in zip(results(), wanted, strict=True):
                np.testing.assert_allclose(got, right, rtol=1e-5, atol=1e-6)


def misses(steps, columns):
    """The misses of a, b and c of the product that the text of 5.11 traces."""
    m, n, k = 16, 32, 24
    a, b, c = (np.zeros(size, np.float32) for size in (m * k, k * n, m * n))
    function = engine.cpu.gemm_loops.blocked_products
    trace = memory_trace.record_call(function, m, n, k, a, 0, k, 1, b, 0, n, c, 0, n, steps, columns)
    return memory_trace.misses(trace, CACHE)


@pytest.mark.slow
def test_the_best_block_of_the_table_has_240_misses():
    sizes = [(24, 32), (2, 16), (8, 16), (12, 16), (16, 16), (4, 32), (1, 32)]
    totals = {size: sum(misses(*size).values()) for size in sizes}
    assert min(totals, key=totals.get) == (8, 16)
    assert totals[8, 16] == 240


def test_a_block_one_line_too_large_makes_b_miss_340_times():
    assert misses(12, 16)["b"] == 340


def test_the_roof_of_5_15_is_measured_with_the_engine_s_own_sum():
    """A wrong dot product is live, and what the cell times as the bandwidth still gives the right sum."""
    imports, *others = (cell.source for cell in lab_text.load("05-cpu").cells if cell.kind == "code")
    (cell,) = (source for source in others if "BANDWIDTH = " in source)
    timed = []

    def seconds(work, *arguments, repeats=1):
        timed.append(work(*arguments))
        return 1.0

    namespace, threads = {}, engine.get_num_threads()
    exec(imports, namespace)
    name, below_its_clock = "cpu.gemv.cascade_dot", "@numba.njit" + cell.partition("@numba.njit")[2]
    try:
        with as_part(name, overlay.source_of(name).replace("x[i] * y[i]", "x[i] + y[i]")):
            assert engine.ones(5000).sum().item() != 5000
            exec(below_its_clock, namespace | {"seconds": seconds})
    finally:
        engine.set_num_threads(threads)
    assert timed[-1].item() == 9_000_000
