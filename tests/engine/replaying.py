"""A fixture: replay is on in every test of a module that imports it."""

import pytest

from engine.native import switch


@pytest.fixture(autouse=True)
def replay():
    """Replay is on in each test, and as it was after it."""
    was_on = switch.is_enabled()
    assert switch.enable() == ""
    yield
    if was_on:
        switch.enable()
    else:
        switch.disable()


def replays(name):
    leaf = switch.leaves().get(name)
    return leaf.replays if leaf else 0
