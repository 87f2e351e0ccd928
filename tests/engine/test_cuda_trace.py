"""The counts and findings of a trace are the ones that one makes by hand."""

import functools
import math

import numpy as np
import pytest
import recorded_kernels as kernels
from recorded_kernels import TILE

from engine.cuda.driver import cuda
from engine.memory_trace import (
    accesses,
    bank_conflicts,
    bank_passes,
    by_array,
    by_thread,
    divergent_barriers,
    flows,
    follows,
    global_loads,
    global_stores,
    out_of_bounds,
    place_of,
    races,
    record,
    sectors,
    segments,
    total_bank_conflicts,
    total_sectors,
    total_transactions,
    transactions,
    uninitialised_reads,
)

F = np.float32
matmul = functools.cache(kernels.matmul)
transpose = functools.cache(kernels.transpose)


def no_faults(trace, uninitialised=()):
    return not (
        races(trace) or divergent_barriers(trace) or out_of_bounds(trace) or uninitialised_reads(trace, uninitialised)
    )


# ---- loads and stores


@pytest.mark.parametrize(
    ("kernel", "n", "loads"),
    [
        (kernels.naive_matmul, 16, 2 * 16**3),
        (kernels.tiled_matmul, 16, 2 * 16**3 // TILE),
        (kernels.tiled_matmul, 32, 2 * 32**3 // TILE),
    ],
)
def test_tiles_divide_the_loads_of_a_matmul_by_their_size(kernel, n, loads):
    trace = matmul(kernel, n)[0]
    assert (global_loads(trace), global_stores(trace)) == (loads, n**2)
    assert by_array(trace) == {"c": 0, "a": loads // 2, "b": loads // 2}
    assert by_array(trace, kind="store") == {"c": n**2, "a": 0, "b": 0}
    assert set(by_thread(trace).values()) == {loads // n**2}
    assert global_loads(trace, "a") == loads // 2
    assert no_faults(trace, ["c"])


def test_threads_without_an_element_are_counted_with_0():
    x = np.zeros(3, F)
    trace = record(kernels.barrier_in_an_if, 2, 2, np.zeros_like(x), x)
    assert by_thread(trace) == {(0, 0): 1, (0, 1): 1, (1, 0): 1, (1, 1): 0}


# ---- transactions


def test_a_matmul_moves_segments_of_128_bytes():
    """A warp is two rows of 16 threads; a row of a matrix is one segment."""
    trace = matmul(kernels.tiled_matmul, 32)[0]
    warps, tiles = 32, 2
    per_array = [total_transactions(trace, array=name) for name in "abc"]
    assert per_array == [2 * warps * tiles, 2 * warps * tiles, 2 * warps]
    assert {found.lanes for found in transactions(trace)} == {32}


def test_a_naive_matmul_loads_one_segment_of_two_rows_and_of_a_column_tile():
    """With n = 16 a row is half a segment, so two neighboring rows are one."""
    trace = matmul(kernels.naive_matmul, 16)[0]
    warps = 8
    assert [total_transactions(trace, array=name) for name in "abc"] == [warps * 16, warps * 16, warps]


@pytest.mark.parametrize(
    ("kernel", "loads", "stores", "conflicts"),
    [
        (kernels.tiled_transpose, 32, 32, 32 * 31),
        (kernels.padded_transpose, 32, 32, 0),
    ],
)
def test_a_transpose_through_a_tile_moves_rows_only(kernel, loads, stores, conflicts):
    trace = transpose(kernel, (32, 4))
    assert (total_transactions(trace, "load"), total_transactions(trace, "store")) == (loads, stores)
    assert total_bank_conflicts(trace) == conflicts
    assert no_faults(trace, ["out"])


def test_a_naive_transpose_stores_each_element_into_a_segment_of_its_own():
    x, _ = kernels.matrices(32)
    out = np.zeros_like(x)
    trace = record(kernels.naive_transpose, (1, 8), (32, 4), out, x)
    assert (total_transactions(trace, "load"), total_transactions(trace, "store")) == (32, 32 * 32)
    assert (total_sectors(trace, "load"), total_sectors(trace, "store")) == (32 * 4, 32 * 32)
    assert total_bank_conflicts(trace) == 0


@pytest.mark.parametrize(
    ("stride", "offset", "dtype", "lines", "moved"),
    [
        (1, 0, "f4", 2, 8), (2, 0, "f4", 4, 16), (32, 0, "f4", 64, 64), (1, 1, "f4", 4, 10), (1, 32, "f4", 2, 8),
        (1, 0, "f8", 4, 16), (1, 0, "i1", 2, 2), (0, 0, "f4", 2, 2), (3, 0, "f4", 6, 24), (8, 0, "f4", 16, 64),
    ],
)  # fmt: skip
def test_transactions_and_sectors_of_a_strided_copy(stride, offset, dtype, lines, moved):
    """64 threads are two warps; what matters is how many segments or sectors 32 elements span."""
    x = np.zeros(64 * 32 + offset, dtype)
    trace = record(kernels.copy, 2, 32, np.zeros(64, dtype), x[offset:], stride)
    assert (total_transactions(trace, "load", "x"), total_sectors(trace, "load", "x")) == (lines, moved)


def test_the_segments_and_sectors_of_some_addresses_are_those_of_their_bytes():
    random = np.random.default_rng(0)
    for itemsize in (1, 2, 4, 8, 16):
        addresses = [int(a) for a in random.integers(-50, 300, 32) * itemsize]
        touched = [a + byte for a in addresses for byte in range(itemsize)]
        assert segments(addresses, itemsize) == len({byte // 128 for byte in touched})
        assert sectors(addresses, itemsize) == len({byte // 32 for byte in touched})


# ---- banks


@pytest.mark.parametrize("stride", range(1, 40))
def test_a_stride_has_as_many_conflicts_as_it_shares_factors_with_32(stride):
    assert bank_passes([4 * stride * lane for lane in range(32)], 4) == (math.gcd(stride, 32), 1)


@pytest.mark.parametrize(
    ("addresses", "itemsize", "passes"),
    [
        ([64] * 32, 4, (1, 1)),
        (list(range(32)), 1, (1, 1)),
        ([2 * lane for lane in range(32)], 2, (1, 1)),
        ([8 * lane for lane in range(32)], 8, (2, 2)),
        ([16 * lane for lane in range(32)], 8, (4, 2)),
        ([8 * lane for lane in range(16)] + [None] * 16, 8, (1, 1)),
        ([16 * lane for lane in range(32)], 16, (4, 4)),
        ([0, 128, 256] + [None] * 29, 4, (3, 1)),
    ],
)
def test_passes_of_a_warp_at_the_banks(addresses, itemsize, passes):
    assert bank_passes(addresses, itemsize) == passes


def test_a_column_of_an_unpadded_tile_is_a_conflict_of_32_ways():
    trace = transpose(kernels.tiled_transpose, (32, 4))
    assert {(found.kind, found.cost) for found in bank_conflicts(trace)} == {("store", 0), ("load", 31)}


# ---- barriers and races


def test_a_block_reduction_is_free_of_faults():
    x = np.arange(128, dtype=F)
    out = np.zeros(2, F)
    trace = record(kernels.block_sum, 2, 64, out, x)
    assert out.tolist() == [x[:64].sum(), x[64:].sum()] and no_faults(trace, ["out"])
    assert (global_loads(trace), global_stores(trace)) == (128, 2)
    assert flows(trace, "out") == {
        (block,): {"x": {(i,) for i in range(64 * block, 64 * block + 64)}} for block in range(2)
    }


def test_a_missing_barrier_is_a_race_and_a_read_of_what_nobody_stored():
    trace = record(kernels.block_sum_without_barrier, 1, 64, np.zeros(1, F), np.ones(64, F))
    found = races(trace)
    assert [race.first.index for race in found] == list(range(1, 64))
    assert all((race.first.thread, race.first.kind, race.second.kind) == (0, "load", "store") for race in found)
    assert [access.index for access in uninitialised_reads(trace)] == list(range(1, 64))
    assert divergent_barriers(trace) == []


X = np.array([0, 1, 1, 2, 1, 0, 3, 3])


def test_a_histogram_without_atomics_is_a_race_even_if_it_came_out_right():
    counts = np.zeros(4, np.int64)
    trace = record(kernels.racy_histogram, 2, 4, counts, X)
    assert counts.tolist() == np.bincount(X).tolist()
    assert sorted(race.first.index for race in races(trace)) == [0, 1, 3]


def test_a_histogram_with_atomics_is_none():
    counts = np.zeros(4, np.int64)
    trace = record(kernels.atomic_histogram, 2, 4, counts, X)
    assert counts.tolist() == np.bincount(X).tolist() and no_faults(trace)
    assert [access.value for access in accesses(trace, array="counts")][:3] == [(0, 1), (0, 1), (1, 2)]


@cuda.jit
def clear_then_add(counts, x):
    i = cuda.grid(1)
    if i < counts.size:
        counts[i] = 0
    cuda.syncthreads()
    cuda.atomic.add(counts, x[i], 1)


def test_a_barrier_orders_one_block_and_not_two():
    assert races(record(clear_then_add, 1, 8, np.zeros(4, np.int64), X)) == []
    of_two = races(record(clear_then_add, 2, 4, np.zeros(4, np.int64), X))
    assert [race.first.index for race in of_two] == [0, 1, 3]  # where block 1 adds, which clears nothing


def test_a_barrier_that_some_threads_do_not_reach():
    x = np.zeros(6, F)
    trace = record(kernels.barrier_in_an_if, 2, 4, np.zeros_like(x), x)
    (found,) = divergent_barriers(trace)
    assert (found.block, found.number, found.missing, list(found.arrived.values())) == (1, 0, (2, 3), [(0, 1)])


def test_a_barrier_that_threads_reach_at_two_places():
    trace = record(kernels.barriers_of_two_branches, 1, 4, np.zeros(4))
    (found,) = divergent_barriers(trace)
    assert found.missing == () and list(found.arrived.values()) == [(0, 2), (1, 3)]
    first = kernels.barriers_of_two_branches.py_func.__code__.co_firstlineno
    lines = [place_of(trace, instruction) for instruction in found.arrived]
    assert lines == [f"recorded_kernels.py:{first + at} in barriers_of_two_branches" for at in (6, 4)]


# ---- faults


def test_accesses_over_the_edge_are_found_and_touch_nothing():
    memory = np.arange(10, dtype=F)
    out = np.zeros(8, F)
    trace = record(kernels.shift_without_guard, 1, 9, out, memory[1:9])
    assert [(access.thread, access.kind, access.index) for access in out_of_bounds(trace)] == [
        (0, "load", -1), (7, "load", 8), (8, "load", 9), (8, "store", 8),
    ]  # fmt: skip
    assert np.isnan(out[[0, 7]]).all() and out[1:7].tolist() == [4, 6, 8, 10, 12, 14]
    assert memory.tolist() == list(range(10))


@cuda.jit
def left_neighbour(out, x):
    i, j = cuda.grid(2)
    out[i, j] = x[i, j - 1]


def test_the_row_before_is_outside_too():
    x = np.arange(6, dtype=F).reshape(3, 2)
    trace = record(left_neighbour, 1, (3, 2), np.zeros_like(x), x)
    assert [(access.thread, access.index) for access in out_of_bounds(trace)] == [(0, -1), (1, 1), (2, 3)]


@cuda.jit
def add_to(out, x):
    i = cuda.grid(1)
    out[i] += x[i]


def test_an_output_that_is_read_before_it_is_stored():
    trace = record(add_to, 1, 3, np.empty(3, F), np.ones(3, F))
    assert uninitialised_reads(trace) == []
    assert [access.index for access in uninitialised_reads(trace, ["out"])] == [0, 1, 2]


# ---- whether results follow


def product(i, j):
    return {"a": [(i, k) for k in range(16)], "b": [(k, j) for k in range(16)]}


def judged(kernel):
    trace, a, b, c = matmul(kernel, 16)
    return follows(trace, {"a": a, "b": b}, {"c": c}, {"c": product})


@pytest.mark.parametrize("kernel", [kernels.naive_matmul, kernels.tiled_matmul])
def test_a_product_follows_from_its_factors(kernel):
    assert judged(kernel) == []


def test_of_a_naive_matmul_a_row_and_a_column_flow_into_an_element():
    trace = matmul(kernels.naive_matmul, 16)[0]
    assert flows(trace, "c")[3, 5] == {name: set(indices) for name, indices in product(3, 5).items()}


def looked_up():
    a, b = kernels.matrices(16)
    answers = a @ b

    def answer(i, j):
        return answers[i, j]

    @cuda.jit
    def looked_up(c, a, b):
        j, i = cuda.grid(2)
        c[i, j] = answer(i, j)

    return looked_up


@cuda.jit
def constant(c, a, b):
    j, i = cuda.grid(2)
    c[i, j] = 1


@cuda.jit
def without_the_last(c, a, b):
    j, i = cuda.grid(2)
    total = F(0)
    for k in range(15):
        total += a[i, k] * b[k, j]
    c[i, j] = total


def test_a_result_that_was_computed_elsewhere_does_not_follow():
    assert {finding.kind for finding in judged(looked_up())} == {"flow"}
    found = judged(constant)
    assert len(found) == 2 * 256 and "nothing flows into it from a at (0, 0), (0, 1)" in found[0].about


def test_what_was_left_out_is_named():
    found = {(finding.index, finding.about) for finding in judged(without_the_last)}
    assert ((2, 4), "nothing flows into it from a at (2, 15)") in found
    assert ((2, 4), "nothing flows into it from b at (15, 4)") in found
    assert len(found) == 2 * 256


def test_an_output_that_was_changed_past_the_kernel():
    trace, a, b, c = matmul(kernels.tiled_matmul, 16)
    changed = c.copy()
    changed[1, 2] += 1
    (found,) = follows(trace, {"a": a, "b": b}, {"c": changed}, {"c": product})
    assert (found.kind, found.array, found.index) == ("output", "c", (1, 2))


def test_an_element_that_nobody_stored():
    out = np.full(5, 7, F)
    trace = record(kernels.copy, 1, 4, out, np.ones(4, F), 1)
    (found,) = follows(trace, {"x": np.ones(4, F)}, {"out": out}, {})
    assert found.index == (4,) and "nothing that is known" in found.about
    assert follows(trace, {"x": np.ones(4, F), "out": out}, {"out": out}, {}) == []
    assert flows(trace, "out")[4,] == {"out": {(4,)}}


def test_a_load_of_what_was_not_there():
    trace = record(kernels.copy, 1, 2, np.zeros(2, F), np.array([5, 6], F), 1)
    (found,) = follows(trace, {"x": np.array([5, 7], F)}, {}, {})
    assert (found.kind, found.array, found.index) == ("load", "x", (1,))
    assert found.about == "it gave 6.0, the memory held 7.0"


@cuda.jit
def shift_left(x):
    i = cuda.grid(1)
    if i < x.size - 1:
        value = x[i + 1]
        cuda.syncthreads()
        x[i] = value


def test_results_in_place_and_in_views_follow():
    before = np.arange(8.0)
    x = before.copy()[::-2]
    trace = record(shift_left, 1, 4, x)
    assert follows(trace, {"x": before[::-2]}, {"x": x}, {"x": lambda i: {"x": [min(i + 1, 3)]}}) == []


def test_names_and_shapes_are_checked():
    trace, a, b, c = matmul(kernels.tiled_matmul, 16)
    with pytest.raises(ValueError, match="expected names of tiled_matmul's array arguments, c, a, b; got 'd'"):
        follows(trace, {"d": a}, {}, {})
    with pytest.raises(ValueError, match=r"expected c of shape \(16, 16\), got \(256,\)"):
        follows(trace, {"a": a, "b": b}, {"c": c.ravel()}, {})
