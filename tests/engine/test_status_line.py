"""The status line: what it says of compiling and of long work, when, and where; Ctrl-C while numba fills its tables."""

import io
import os
import signal
import threading
import time

import numba
import numpy as np
import pytest

from engine.utils import compile_progress, status_line
from engine.utils.status_line import StatusLine, Task


class Shown:
    """A sink that keeps what it is given."""

    def __init__(self):
        self.lines, self.cleared, self.ended, self.is_current = [], 0, [], lambda: True

    def show(self, text):
        self.lines.append(text)

    def clear(self):
        self.cleared += 1

    def end(self, text):
        self.ended.append(text)


@pytest.fixture
def line(monkeypatch):
    """A status line of this process that hurries, and what it shows."""
    shown, fresh = Shown(), StatusLine()
    for name, value in {"LINE": fresh, "AFTER": 0.1, "EVERY": 0.02, "PAUSE": 0.05}.items():
        monkeypatch.setattr(status_line, name, value)
    monkeypatch.setattr(compile_progress, "LINE", fresh)
    monkeypatch.setattr(status_line, "sink", lambda: shown)
    monkeypatch.setattr(status_line, "is_on", lambda: True)
    yield fresh, shown
    wait_for(fresh)


def wait_for(fresh):
    thread = fresh._thread
    if thread is not None:
        thread.join(5)


def test_a_kernel_that_takes_long_is_named(line):
    fresh, shown = line

    def slow_to_compile(x):
        """Stands for a kernel that numba works at for long."""

    @numba.extending.overload(slow_to_compile)
    def compile_slowly(x):
        time.sleep(0.5)
        return lambda x: x / 2

    @numba.njit
    def halved(x):
        return slow_to_compile(x[0])

    halved(np.ones(3))
    wait_for(fresh)
    assert any("compiling 1 kernel ... 0 done" in text and "halved float64" in text for text in shown.lines)
    assert shown.ended[0].startswith("compiled 1 kernel in ")


def test_kernels_are_counted_and_those_inside_another_are_not(line):
    fresh, _ = line
    fresh.compiled = 11
    outer, inner = Task("add.contiguous float32"), Task("add")
    outer.began -= 3
    fresh.begin(fresh.kernels, outer)
    fresh.begin(fresh.kernels, inner)
    fresh.end(fresh.kernels, inner)
    assert fresh.text() == "compiling 12 kernels ... 11 done, add.contiguous float32 (3 s)"
    fresh.end(fresh.kernels, outer)
    assert fresh.compiled == 12


def test_what_is_over_soon_shows_nothing(line):
    fresh, shown = line
    with status_line.busy("a moment"):
        pass
    wait_for(fresh)
    assert shown.lines == [] and shown.ended == []


def test_long_work_is_named_and_its_line_goes_away(line):
    fresh, shown = line
    with status_line.busy("payoff on your parts") as task:
        time.sleep(0.2)
        task.text = "payoff on your parts, second half"
        time.sleep(0.1)
    wait_for(fresh)
    assert shown.lines[0].startswith("payoff on your parts ... ") and "second half" in shown.lines[-1]
    assert shown.cleared == 1 and len(shown.ended) == 1


def test_the_next_cell_of_a_notebook_has_a_line_of_its_own(line, monkeypatch):
    fresh, shown = line
    with status_line.busy("first"):
        time.sleep(0.3)
    shown.is_current = lambda: False
    below = Shown()
    monkeypatch.setattr(status_line, "sink", lambda: below)
    with status_line.busy("second"):
        time.sleep(0.3)
    wait_for(fresh)
    assert shown.lines and not any("second" in text for text in shown.lines)
    assert shown.ended == ["first: took 0 s"]
    assert below.lines and below.ended == ["second: took 0 s"]


def test_an_error_ends_the_task(line):
    fresh, _ = line
    with pytest.raises(KeyboardInterrupt), status_line.busy("work"):
        raise KeyboardInterrupt
    assert fresh.tasks == []


def test_no_thread_is_left(line):
    fresh, _ = line
    with status_line.busy("work"):
        pass
    wait_for(fresh)
    assert not any(thread.name == "status line" for thread in threading.enumerate())


@pytest.mark.parametrize(("value", "is_on"), [("0", False), ("1", True)])
def test_the_environment_switches_it_off(monkeypatch, value, is_on):
    monkeypatch.setenv("ENGINE_PROGRESS", value)
    monkeypatch.setattr(status_line, "_PROCESS", os.getpid())
    monkeypatch.setitem(status_line.sys.modules, "multiprocessing.process", None)
    assert status_line.is_on() is is_on


def test_a_forked_process_shows_nothing(monkeypatch):
    monkeypatch.setenv("ENGINE_PROGRESS", "1")
    monkeypatch.setattr(status_line, "_PROCESS", os.getpid() + 1)
    assert not status_line.is_on()


def test_a_terminal_has_one_line_that_is_cleared():
    stream = io.StringIO()
    terminal = status_line._Terminal(stream)
    terminal.show("x" * 200)
    terminal.clear()
    assert stream.getvalue() == f"\r\x1b[K{'x' * 79}\r\x1b[K"


def test_a_file_has_two_lines():
    stream = io.StringIO()
    log = status_line._Log(stream)
    for text in ("one", "two"):
        log.show(text)
    log.end("compiled 2 kernels in 3 s")
    assert stream.getvalue() == "one\ncompiled 2 kernels in 3 s\n"


def test_ctrl_c_waits_until_numba_s_tables_are_filled(monkeypatch):
    monkeypatch.setattr(signal, "SIGINT", signal.SIGUSR1)  # pytest has a handler of its own for SIGINT
    signal.signal(signal.SIGUSR1, signal.default_int_handler)
    filled = []

    def fill():
        os.kill(os.getpid(), signal.SIGUSR1)
        time.sleep(0.01)
        filled.append(True)

    with pytest.raises(KeyboardInterrupt):
        compile_progress.uninterrupted(fill)()
    assert filled == [True] and signal.getsignal(signal.SIGUSR1) is signal.default_int_handler


def test_numba_s_tables_are_shielded():
    from numba.core import base
    from numba.core.typing import context

    assert all(hasattr(kind.refresh, "__wrapped__") for kind in (base.BaseContext, context.BaseContext))
