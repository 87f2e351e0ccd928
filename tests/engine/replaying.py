"""Replay in tests: a fixture by which it is on in every test of a module that imports it, and a block without it."""

import contextlib
import os

import pytest

from autograder import overlay
from engine import native
from engine.native import switch
from engine.native.leaf import MISSES

WHY_NOT = switch.unavailable() or ("a student's parts are active, beside which it is off" if overlay.active() else "")
"""The reason why nothing is replayed here; "" if something is."""


@pytest.fixture(autouse=True)
def replay():
    """Replay is on in each test, and as it was after it."""
    with as_before():
        assert switch.enable() == ""
        for leaf in switch.leaves().values():  # another test may have filled its table, after which it waits
            leaf.forget()
            leaf.wait, leaf.misses = 0, MISSES
        yield


@contextlib.contextmanager
def as_before():
    """After it replay is on, off or to come as it was before."""
    was_on = switch.is_enabled()
    try:
        yield
    finally:
        if was_on:
            switch.enable()
        else:
            switch.disable()
            if os.environ.get("ENGINE_NATIVE") != "0":
                native.enable_when_warm()


def replays(name):
    leaf = switch.leaves().get(name)
    return leaf.replays if leaf else 0
