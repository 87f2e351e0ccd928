"""Parts whose code numba compiles: they are live at the next call, the reference comes back, and nothing else goes."""

import gc
import threading

import numba
import numpy as np
import pytest
from tiers import fast_first

import engine
from autograder import overlay
from engine.compiled import kernel_invalidation, numba_cache
from engine.cpu import parallel, soft_max
from engine.cpu.loops import Compiled

NUMBERS = (engine.float32, engine.float64, engine.int32, engine.int64)
FLOATS, ONE = NUMBERS[:2], NUMBERS[:1]
# (part, text of the reference, what the student has instead, what is computed of a matrix, of which dtypes)
CHANGES = (
    ("cpu.elementwise_loops.contiguous_binary_vec", "while i < end:\n            out[np.uintp(o + i)] = f(",
     "while i < end:\n            out[np.uintp(o + i)] = 2 * f(", lambda x: x[0, :3] + x[1, :3], NUMBERS),
    ("cpu.elementwise_loops.strided_binary_vec", "out[np.uintp(to + i * so)] = f(",
     "out[np.uintp(to + i * so)] = 2 * f(", lambda x: x[:, 0] + x[:, 1], ONE),
    ("cpu.elementwise_loops.walk", "if last == 0:\n        return (0, 1), (begin, end), max(end - begin, 1)",
     "if last == 0:\n        return (0, 1), (begin, end - 1), max(end - 1 - begin, 1)",
     lambda x: engine.neg(x[:, 0], out=engine.full((50,), 9, dtype=x.dtype)), ONE),
    ("cpu.reduce_loops.rows", "finish(total, parameter)", "finish(2 * total, parameter)", lambda x: x.sum(), FLOATS),
    ("cpu.reduce_loops.columns", "finish(out[at + j], parameter)", "finish(2 * out[at + j], parameter)",
     lambda x: x.sum(0), ONE),
    ("cpu.reduce_functions.quotient", "return", "return 2 *", lambda x: x.mean(), ONE),
    ("cpu.soft_max.softmax_row", "out[i] /= total", "out[i] /= 2 * total", lambda x: x.softmax(1), FLOATS),
    ("cpu.soft_max.over_columns", "(begin, end)", "(begin, end - 1)", lambda x: x.softmax(0), ONE),
    ("cpu.gemm.pack", "[np.uintp(o + t * width + i)] = 0", "[np.uintp(o + t * width + i)] = 0\n        to[o] = 7",
     lambda x: x.repeat(4, 24).t() @ x.repeat(4, 24), ONE),
    ("cpu.gemv.in_batches", "end_i - i, k, alpha", "end_i - i, k, 2 * alpha", lambda x: x @ x[0], ONE),
    ("cpu.copy.convert", "out[i] = x[i]", "out[i] = 2 * x[i]", lambda x: x.to(engine.float64), ONE),
)  # fmt: skip


def matrix(kind):
    return (engine.arange(50 * 6, dtype=engine.float64).reshape(50, 6) % 7 - 3).to(kind)


def text(name, old, new):
    source = overlay.source_of(name)
    assert old in source
    return source.replace(old, new)


@pytest.fixture(autouse=True)
def only_the_reference():
    with overlay.swapped({}):
        yield


ROWS = [pytest.param(*change, id=change[0]) for change in CHANGES]


@pytest.mark.slow
@pytest.mark.parametrize("name, old, new, compute, kinds", fast_first(2, ROWS))
def test_a_part_in_a_kernel_that_ran_before_is_live_at_the_next_call_and_goes_again(name, old, new, compute, kinds):
    x = {kind: matrix(kind) for kind in kinds}
    before = {kind: compute(x[kind]).tolist() for kind in kinds}
    overlay.graft(name, text(name, old, new))
    assert all(compute(x[kind]).tolist() != before[kind] for kind in kinds)
    overlay.restore(name)
    assert {kind: compute(x[kind]).tolist() for kind in kinds} == before


def test_a_part_of_the_threads_is_live_at_the_next_call():
    counted = "\n".join(
        (
            "from .parallel import BUSY, CELLS, NEXT",
            "def take_pieces(pool):",
            "    entry, args, end, piece = load(pool, BODY), load(pool, ARGS), load(pool, END), load(pool, PIECE)",
            "    while True:",
            "        first = add(pool, NEXT, piece)",
            "        if first >= end:",
            "            return",
            "        if first and fails(entry, args, first, min(first + piece, end)):",
            "            store(pool, FAILED, first + 1)",
        )
    )
    threads = parallel.get_num_threads()
    parallel.set_num_threads(2)
    try:
        x = engine.ones(400_000)
        assert (x + x).numpy().tolist() == [2.0] * 400_000
        out = engine.zeros(400_000)
        overlay.graft("cpu.parallel.take_pieces", counted.partition("\n")[2])
        engine.add(x, x, out=out)
        assert out[0].item() == 0 and out[-1].item() == 2  # the first piece is left out
        overlay.restore()
        assert (x + x).numpy().tolist() == [2.0] * 400_000
    finally:
        parallel.set_num_threads(threads)


def test_threads_run_what_was_compiled_before_they_began(monkeypatch):
    compiling = []
    compile_it = parallel.look_out.compile

    def compile(sig):
        compiling.append(threading.current_thread())
        return compile_it(sig)

    threads = parallel.get_num_threads()
    try:
        for number in (2, 3):
            monkeypatch.setattr(parallel.look_out, "compile", compile)
            parallel.set_num_threads(number)
            x = engine.ones(400_000)
            assert (x + x).sum().item() == 800_000
    finally:
        parallel.set_num_threads(threads)
    assert compiling and set(compiling) == {threading.current_thread()}


def kernels():
    """Return the kernels that are compiled now, by name, with their dtypes."""
    tables = [table for table in tuple(kernel_invalidation._holders.values()) if isinstance(table, Compiled)]
    return {(table.name, kind, id(entry)) for table in tables for kind, entry in table.items()}


def test_a_graft_drops_the_kernels_with_its_code_and_no_others():
    x = matrix(engine.float32)
    x.softmax(0), x.softmax(1), x + x
    before = kernels()
    name = "cpu.soft_max.softmax_columns"
    overlay.graft(name, overlay.source_of(name))
    gone = {(table, kind) for table, kind, _ in before - kernels()}
    assert ("softmax_lastdim_kernel_impl", engine.float32) in gone
    assert {table for table, _ in gone} == {"softmax_lastdim_kernel_impl"}  # other tests may have asked for more dtypes


def test_a_graft_of_a_part_that_no_kernel_has_drops_nothing():
    x = matrix(engine.float32)
    x.softmax(1), x + x
    before = kernels()
    overlay.graft("strides.permute", overlay.source_of("strides.permute"))
    overlay.graft("cpu.soft_max.loop_of", overlay.source_of("cpu.soft_max.loop_of"))
    assert kernels() == before


def test_a_kernel_with_a_part_has_a_cache_of_its_own_and_the_reference_is_found_in_its_own(monkeypatch):
    monkeypatch.setattr(numba_cache, "keeps_replaced", True)
    x, name = matrix(engine.float32), "cpu.soft_max.softmax_row"
    places = []
    for change in (overlay.restore, lambda: overlay.graft(name, overlay.source_of(name)), overlay.restore):
        change()
        x.softmax(1)
        (softmax,) = (
            table.dispatchers[engine.float32]
            for table in tuple(kernel_invalidation._holders.values())
            if isinstance(table, Compiled) and table.name == "softmax_lastdim_kernel_impl" and table
        )
        places.append("replaced-" in softmax._cache.cache_path)
    assert places == [False, True, False]
    assert sum(softmax.stats.cache_hits.values()) == 1


def test_a_part_that_numba_cannot_compile_fails_at_the_first_call_and_is_named():
    name = "cpu.reduce_loops.rows"
    overlay.graft(name, text(name, "finish(total, parameter)", "finish(total, parameter) + 'a'"))
    with pytest.raises(
        kernel_invalidation.KernelError, match=r"numba can't compile a kernel with your cpu\.reduce_loops\.rows"
    ):
        matrix(engine.float32).sum()


def test_a_jitted_part_that_numba_cannot_compile_is_named_too():
    name = "cpu.soft_max.softmax_row"
    overlay.graft(name, "def softmax_row(exp, out, x):\n    out[0] = unknown(x)\n")
    with pytest.raises(kernel_invalidation.KernelError, match=r"your cpu\.soft_max\.softmax_row"):
        matrix(engine.float32).softmax(1)


def test_reached_names_makers_and_all_that_a_kernel_calls():
    kernel = soft_max.over_rows(soft_max.softmax_row)(soft_max.exp_float32)
    names = kernel_invalidation.reached(kernel)
    assert {"cpu.soft_max.over_rows", "cpu.soft_max.softmax_row", "cpu.soft_max.largest_of"} <= names
    assert "cpu.soft_max.softmax_columns" not in names


def test_watched_collects_the_parts_in_kernels_that_were_asked_for_though_they_ran_before():
    for name in ("cpu.soft_max.softmax_row", "cpu.reduce_loops.rows"):
        overlay.graft(name, overlay.source_of(name) + "\n")
    x = matrix(engine.float32)
    x.softmax(1), x.sum()
    with kernel_invalidation.watched() as noted:
        x.softmax(1)
    assert noted == {"cpu.soft_max.softmax_row"}


def test_a_graft_survives_a_collector_that_takes_jitted_functions_in_the_middle():
    """numba's table of globals then loses entries while we walk it."""
    before = gc.get_threshold()
    gc.freeze()  # what is there stays: twenty looks through all of it would take a quarter of a minute
    for allocations in range(0, 100, 5):
        gc.collect()
        gc.disable()
        function = numba.njit(lambda x: x)
        function.itself = function
        del function
        gc.set_threshold(gc.get_count()[0] + allocations)
        gc.enable()
        try:
            kernel_invalidation._forget_typed(lambda function: False)
        finally:
            gc.set_threshold(*before)


def test_a_memo_of_kernels_forgets_only_what_was_made_from_the_part():
    asked = []

    @kernel_invalidation.memo
    def made(function):
        asked.append(function.__name__)
        return function

    functions = soft_max.softmax_row, soft_max.log_softmax_row
    for function in functions:
        made(function), made(function)
    overlay.graft("cpu.soft_max.softmax_row", overlay.source_of("cpu.soft_max.softmax_row"))
    for function in functions:
        made(function)
    assert asked == ["softmax_row", "log_softmax_row", "softmax_row"]


@pytest.mark.parametrize(
    "name, old, new, compute",
    [
        ("cuda.loops.binary_flat", "o + i)] = f(", "o + i)] = 2 * f(", lambda x: x[0, 1:] + x[0, :-1]),
        ("cuda.loops.binary_strided", "so[0])] = f(", "so[0])] = 2 * f(", lambda x: x[:, ::2] + x[:, ::2]),
        ("cuda.loops.unary", "so[0])] = f(", "so[0])] = 2 * f(", lambda x: -x[:, ::2]),
        ("cuda.gemm.gemm_naive_kernel", "total += a[of_a]", "total += 2 * a[of_a]", lambda x: x @ x.t()),
        ("cuda.gemm.gemm_tiled_kernel", "total += of_a", "total += 2 * of_a", lambda x: x @ x.t()),
        ("cuda.transpose.transpose_tiled_kernel", "= tile[thread", "= 2 * tile[thread", lambda x: x.t().contiguous()),
        ("cuda.reduce.reduction", "finish(partial[thread]", "finish(2 * partial[thread]", lambda x: x.sum()),
        ("cuda.soft_max.row_softmax", "= largest, total\n", "= largest, 2 * total\n", lambda x: x.softmax(1)),
    ],
)  # fmt: skip
def test_a_maker_of_kernels_for_cuda_is_live_at_the_next_call(name, old, new, compute):
    x = matrix(engine.float32)[:9].contiguous().to("cuda")
    before = compute(x).cpu().numpy()
    overlay.graft(name, text(name, old, new))
    after = compute(x).cpu().numpy()
    overlay.restore(name)
    assert name == "cuda.gemm.gemm_naive_kernel" or not np.array_equal(before, after)
    np.testing.assert_array_equal(compute(x).cpu().numpy(), before)
