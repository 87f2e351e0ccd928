"""parallel_for: every index once, whatever the number of threads and whoever calls."""

import os
import threading
import time

import numpy as np
import pytest
from numba import njit, types

import engine
from engine.cpu import parallel

GRAIN = 16


@njit(nogil=True)
def count(begin, end, counts, least):
    for i in range(begin, end):
        if counts[i] < least:
            raise ValueError("below")
        counts[i] += 1


@njit(nogil=True)
def count_all(pool, n, counts, least):
    parallel.parallel_for(pool, count, 0, n, GRAIN, (counts, least))


@njit(nogil=True)
def outer(begin, end, pool, counts):
    for i in range(begin, end):
        parallel.parallel_for(pool, count, 100 * i, 100 * (i + 1), GRAIN, (counts, 0))


@njit(nogil=True)
def nested(pool, n, counts):
    parallel.parallel_for(pool, outer, 0, n, 1, (pool, counts))


this_thread = types.ExternalFunction("pthread_self", types.uint64())


@njit(nogil=True)
def work_long(begin, end, whose):
    for i in range(begin, end):
        x = 0.5 * whose[i]
        for _ in range(2_000_000):  # each step needs the one before: some milliseconds
            x = 1.5 - 0.5 * x * x
        whose[i] = this_thread() + np.uint64(x > 2)  # it is not, which only the loop can tell


@njit(nogil=True)
def work_long_on_all(pool, whose):
    parallel.parallel_for(pool, work_long, 0, whose.size, 1, (whose,))


@pytest.fixture(params=[1, 2, 5])
def threads(request):
    before = engine.get_num_threads()
    engine.set_num_threads(request.param)
    yield request.param
    engine.set_num_threads(before)


@pytest.mark.parametrize("n", [0, 1, GRAIN, GRAIN + 1, 1000, 12345])
def test_every_index_is_met_once(threads, n):
    counts = np.zeros(n + 1, np.int64)
    for times in range(1, 20):
        count_all(parallel.pool(n, GRAIN), n, counts, 0)
        assert counts[:n].tolist() == [times] * n and counts[n] == 0


@pytest.mark.parametrize("place", [0, 4321])
def test_an_exception_of_a_piece_is_the_callers(threads, place):
    counts = np.zeros(5000, np.int64)
    counts[place] = -1
    with pytest.raises(ValueError, match="below"):
        count_all(parallel.pool(5000, GRAIN), 5000, counts, 0)
    counts[:] = 0
    count_all(parallel.pool(5000, GRAIN), 5000, counts, 0)
    assert (counts == 1).all()


def test_a_job_within_a_job_and_jobs_of_several_threads(threads):
    counts = np.zeros((4, 10_000), np.int64)

    def work(row):
        for _ in range(20):
            nested(parallel.pool(100, 1), 100, row)

    callers = [threading.Thread(target=work, args=(row,)) for row in counts]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert (counts == 20).all()


def test_sleeping_threads_are_woken():
    engine.set_num_threads(2)
    counts = np.zeros(5000, np.int64)
    count_all(parallel.pool(5000, GRAIN), 5000, counts, 0)
    asleep = parallel._pool.sleepers
    for _ in range(200):
        if asleep:
            break
        threading.Event().wait(0.01)
    assert len(asleep) == 1
    state = parallel.pool(5000, GRAIN)
    assert not asleep and state


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="not run: os.sched_setaffinity (this system has none)")
def test_a_thread_that_is_woken_in_the_callers_place_waits_for_the_job():
    """On one processor the woken thread may run first: it must still be there when the job is."""
    work_long_on_all(parallel.ALONE, np.zeros(1, np.uint64))
    usable, number, took_part = os.sched_getaffinity(0), engine.get_num_threads(), 0
    try:
        os.sched_setaffinity(0, {min(usable)})  # of this thread, and of those that it starts
        engine.set_num_threads(number + 1)
        for _ in range(10):
            time.sleep(0.01)  # the others fall asleep
            whose = np.zeros(4, np.uint64)
            work_long_on_all(parallel.pool(4, 1), whose)
            took_part += len(set(whose.tolist())) > 1
    finally:
        os.sched_setaffinity(0, usable)
        engine.set_num_threads(number)
    assert took_part >= 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="not run: os.fork (this system has none)")
def test_a_forked_process_has_threads_of_its_own():
    engine.set_num_threads(2)
    counts = np.zeros(5000, np.int64)
    count_all(parallel.pool(5000, GRAIN), 5000, counts, 0)
    child = os.fork()
    if not child:
        count_all(parallel.pool(5000, GRAIN), 5000, counts, 0)
        os._exit(0 if (counts == 2).all() else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_the_number_of_threads_is_checked_as_pytorch_does():
    with pytest.raises(RuntimeError, match="expected positive number of threads"):
        engine.set_num_threads(0)
    with pytest.raises(TypeError, match="set_num_threads expects an int"):
        engine.set_num_threads(2.0)
