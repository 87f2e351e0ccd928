"""Code that never returns is stopped, and nothing else is."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from numba.core.compiler_lock import global_compiler_lock
from tiers import fast_first

from autograder.examine import timelimit
from autograder.examine.questions import Stopped
from autograder.examine.timelimit import within
from autograder.examine.verdict import TIMED_OUT

CLOCKS = ["interval timer", "thread"]


@pytest.fixture(params=CLOCKS)
def clock(request, monkeypatch):
    """Both ways to interrupt: the thread's is the only one that Windows has."""
    if request.param == "thread":
        monkeypatch.delattr(signal, "setitimer")
    # A process started in the background ignores interrupts; a notebook's kernel does not.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def test_an_endless_loop_is_stopped(clock):
    with pytest.raises(Stopped) as stopped:
        within(0.05, lambda: spin(5))
    assert stopped.value.kind == TIMED_OUT


def test_the_loop_can_not_catch_it_as_an_exception(clock):
    def stubborn():
        try:
            spin(5)
        except Exception:
            spin(5)

    with pytest.raises(Stopped):
        within(0.05, stubborn)


def test_code_that_returns_in_time_is_left_alone(clock):
    assert within(0.1, lambda: 7) == 7
    spin(0.2)


def test_an_interrupt_of_the_user_passes(clock):
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        within(5, interrupted)


def test_an_outer_limit_outlives_an_inner_one(clock):
    with pytest.raises(Stopped):
        within(0.1, lambda: (within(5, lambda: None), spin(5)))


def test_the_handler_of_the_process_is_put_back():
    before = signal.getsignal(signal.SIGALRM)
    within(1, lambda: None)
    assert signal.getsignal(signal.SIGALRM) is before


def test_what_numba_compiles_does_not_count(clock):
    """A kernel that is not in the cache of this machine yet must not make a right answer late."""
    compiled = global_compiler_lock  # also a decorator
    within(0.2, compiled(lambda: (spin(0.4), compiled(spin)(0.1))))
    with pytest.raises(Stopped):
        within(0.1, lambda: (compiled(spin)(0), spin(5)))


def test_the_message_names_the_time_that_compiling_took():
    with pytest.raises(Stopped) as stopped:
        within(0.5, lambda: (global_compiler_lock(time.sleep)(1.1), spin(5)))
    assert stopped.value.message == "no answer after 0.5 seconds, besides 1 seconds in which kernels were compiled"


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="not run: a system that tells who waits")
@pytest.mark.parametrize("clock", fast_first(1, CLOCKS), indirect=True)
def test_what_a_busy_machine_takes_does_not_count(clock):
    """Four programs want the processor of this one: a right answer must not be late for that."""

    def compute():
        computed = time.thread_time()
        while time.thread_time() - computed < 0.3:
            pass

    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(processors)})
    others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(4)]
    try:
        time.sleep(0.05)
        began = time.monotonic()
        within(0.4, compute)
        assert time.monotonic() - began > 0.6
        with pytest.raises(Stopped):
            within(0.2, lambda: spin(30))
    finally:
        for other in others:
            other.kill()
            other.wait()
        os.sched_setaffinity(0, processors)


def test_the_clock_stands_still_while_numba_compiles():
    began, counted = time.monotonic(), timelimit.clock()
    with global_compiler_lock:
        spin(0.3)
    assert time.monotonic() - began - (timelimit.clock() - counted) >= 0.29


def test_a_body_in_another_thread_is_stopped_there():
    with ThreadPoolExecutor(1) as pool, pytest.raises(Stopped):
        pool.submit(within, 0.05, lambda: spin(5)).result(timeout=10)


def test_an_interruption_that_comes_too_late_reaches_nothing_else(clock):
    """The body ends at about the time when its limit is over."""
    for _ in range(20):
        with contextlib.suppress(Stopped):
            within(0.005, lambda: spin(0.005))
        spin(0.001)


def test_an_interruption_that_comes_up_as_the_body_returns_is_the_limit_s(clock):
    """After a blocking step of a `for`, CPython looks for a thread's exception only once the body has returned."""
    read, write = os.pipe()
    speaks = threading.Timer(0.3, os.write, (write, b"late\n"))
    speaks.start()

    def first_line():
        for line in lines:
            return line

    with open(read, "rb") as lines:
        with pytest.raises(Stopped):
            within(0.1, first_line)
        speaks.join()
    os.close(write)


def test_an_alarm_that_rings_while_the_body_ends_sets_no_other():
    """On a busy machine it rings before the limit is over and sets itself again: SIGALRM would then end the process."""
    ring = within(5, lambda: signal.getsignal(signal.SIGALRM))
    ring(signal.SIGALRM, None)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)

    def rung():
        nonlocal ring
        ring = signal.getsignal(signal.SIGALRM)
        spin(0.1)

    with contextlib.suppress(Stopped):
        within(0.01, rung)
    ring(signal.SIGALRM, None)  # nor does it interrupt what follows
