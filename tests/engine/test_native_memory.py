"""Replay and memory, threads and failures: references, steady use, calls of several threads, no memory."""

import gc
import sys
import threading
import tracemalloc

import numpy as np
import pytest
from replaying import WHY_NOT, replay, replays  # noqa: F401  a fixture of every test
from tiers import fast_first

import engine
from engine.native import leaf, switch

pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=f"not run: {WHY_NOT}")


def test_references_are_neither_lost_nor_kept():
    x, y = engine.ones(3), engine.ones(3)
    shared = (x, y, x._storage, x._sizes, x._strides, x._dtype, x._key_set, x._dtype.numpy, engine.Tensor, np.ndarray)

    def use():
        return x + y, x.view(1, 3), x.mul_(y), x * 2.5, x * x, x.sum()

    for _ in range(10):
        use()
    gc.collect()
    before = [sys.getrefcount(value) for value in shared]
    for _ in range(2000):
        use()
    gc.collect()
    assert [abs(sys.getrefcount(value) - count) < 50 for value, count in zip(shared, before, strict=True)] == [
        True
    ] * len(shared)


def test_memory_is_steady():
    x, y = engine.ones(9000), engine.ones(9000)
    large = engine.ones(90, 90)

    def use():
        return x + y, x[1:], large @ large, (x * 2).sum()

    for _ in range(20):
        use()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(300):
            use()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 50_000


def test_a_plan_keeps_no_memory_of_the_call_that_made_it():
    x, y = engine.ones(5, 7), engine.ones(5, 7)
    storages = [sys.getrefcount(x._storage), sys.getrefcount(x._storage._cells)]
    x + y
    gc.collect()
    assert [sys.getrefcount(x._storage), sys.getrefcount(x._storage._cells)] == storages


def test_without_memory_the_error_is_the_usual_one():
    x = engine.ones(1).expand(2**46)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="can't allocate memory"):
            x + x


def test_a_kernel_on_threads_is_replayed_on_threads():
    x, before = engine.arange(100_000.0), engine.get_num_threads()
    try:
        engine.set_num_threads(2)
        x + 1
        x + 1
        switch.leaves()["add.Tensor"].wait = 0  # another test may have filled its table
        x + 1  # is recorded and tried by now
        replayed = replays("add.Tensor")
        assert [(x + k).tolist() == [k + i for i in range(100_000)] for k in range(3)] == [True] * 3
        assert replays("add.Tensor") == replayed + 3
    finally:
        engine.set_num_threads(before)


@pytest.mark.parametrize("name", ["exp", "clone", "empty_like"])
def test_large_tensors_are_left_to_python_and_take_no_more_memory(name):
    x = engine.ones(1000, 300)
    work = getattr(engine, name)
    switch.disable()

    def peak():
        tracemalloc.start()
        try:
            for _ in range(3):
                work(x)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    work(x)
    without = peak()
    switch.enable()
    before = replays(name)
    assert peak() < without + 200_000
    assert replays(name) == before


def test_a_view_of_a_large_tensor_is_replayed():
    x = engine.ones(1000, 300)
    before = replays("view")
    for _ in range(3):
        x.view(-1)
    assert replays("view") > before


@pytest.mark.parametrize("tenths", fast_first(1, [5, 20]))  # of a second
def test_eight_threads_share_plans(tenths):
    failures, stop = [], threading.Event()

    def work(seed):
        x, size = engine.full((seed + 1, 40), float(seed)), (seed + 1) * 40
        big = engine.ones(50_000)
        while not stop.is_set():
            total = (x + x).sum().item(), x.view(-1)[1:].sum().item(), (big * 2).sum().item()
            if total != (2.0 * seed * size, seed * (size - 1.0), 100_000.0):
                failures.append((seed, total))
                return

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(tenths):
        stop.wait(0.1)
        leaf.forget_plans()
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []


def test_memory_that_numpy_has_written_is_not_taken_for_a_kernels():
    """NumPy copies a bias of full size: a plan without that copy is right only if bias and new memory are zeros."""
    bias, x, y = engine.zeros(2, 2), engine.full((2, 2), 2.0), engine.eye(2)
    for _ in range(5):
        dirty = engine.full((2, 2), 7.0)
        del dirty
        assert engine.addmm(bias, x, y).tolist() == [[2, 2]] * 2


def test_an_allocation_that_fails_goes_to_python():
    testcapi = pytest.importorskip("_testcapi", reason="not run: this Python has no _testcapi")
    x, y = engine.arange(3.0), engine.ones(3)
    base = engine.ones(400, 3)

    def use():
        return (x + y).tolist(), base.select(0, 300).storage_offset(), x.relu().tolist()

    for _ in range(3):
        expected = use()
    outcomes = []
    for first in range(120):
        testcapi.set_nomemory(first, first + 1)
        try:
            outcomes.append(use())
        except MemoryError:
            outcomes.append(None)
        finally:
            testcapi.remove_mem_hooks()
    assert [seen for seen in outcomes if seen not in (None, expected)] == []
    assert use() == expected


def test_another_number_of_threads_makes_other_plans():
    x, before = engine.ones(300, 300), engine.get_num_threads()
    try:
        for threads in (1, 2, 1):
            engine.set_num_threads(threads)
            assert all(not leaf.plans for leaf in switch.leaves().values())
            assert [(x @ x).sum().item() for _ in range(3)] == [300.0**3] * 3
    finally:
        engine.set_num_threads(before)
