"""After an exception from another thread is taken back, nothing is on its way: also not for a call that is traced.

Each script runs in a process of its own, because in CPython 3.11 a traced call would never return.
"""

import subprocess
import sys

import pytest
from tiers import fast_first

TRACED = """
import ctypes, sys, threading, time
from engine.utils.async_exceptions import raise_in, withdraw

def double(x):
    return 2 * x

def traced():
    sys.setprofile(lambda frame, event, value: None)
    try:
        return double(3)
    finally:
        sys.setprofile(None)
"""
TAKEN_BACK = """
set_async = ctypes.pythonapi.PyThreadState_SetAsyncExc
set_async(ctypes.c_ulong(threading.get_ident()), None)  # this is how it sets the flag, with nothing on its way
withdraw()
"""
NEVER_CAME_UP = """
inside = threading.Event()
thread = threading.Thread(target=lambda: (inside.set(), time.sleep(0.2)))
thread.start()
inside.wait()
raise_in(thread.ident, KeyboardInterrupt)
threading.excepthook = lambda unhandled: None
thread.join()
withdraw()
"""
TOO_LATE = """
from autograder.examine.timelimit import Stopped, within

def forever():
    while True:
        pass

def body():
    try:
        within(0.05, forever)
    except Stopped:
        pass

thread = threading.Thread(target=body)
thread.start()
thread.join()
"""
KERNEL = """
import numpy as np
from engine.memory_trace import record
from engine.cuda.driver import cuda


@cuda.jit
def forever(x):
    while True:
        x[0] += 1

try:
    record(forever, 1, 1, np.zeros(1, np.float32), seconds=0.1)
except Exception as error:
    print(type(error).__name__)
"""


@pytest.mark.parametrize("script", fast_first(1, [TOO_LATE, TAKEN_BACK, NEVER_CAME_UP, KERNEL]))
def test_a_traced_call_returns(script):
    program = [sys.executable, "-W", "ignore", "-c", TRACED + script + "print(traced())"]
    assert subprocess.run(program, timeout=60, capture_output=True, text=True).stdout.split()[-1:] == ["6"]
