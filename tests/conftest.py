"""Every run ends by saying what it did not run, and for lack of what: no skip hides.

A test that needs something the machine may lack skips with a reason that begins with "not run: " and names it,
`pytest.skip("not run: bubblewrap (...)")`. A skip for any other reason fails the run.

Two tiers: `make test` leaves out what is marked `slow`, `make test-all` runs it. A file or a test that is slow
says so itself; of a table of parameters `tiers.fast_first` leaves the fast tier a row or two. What is marked
`handed_out`, `site` or `department` has a target of its own. CI has a browser only after `make test`: what asks for one
is slow.

What a test needs of the machine it asks for by a fixture. `pytorch` (engine/compare.py makes the mark `needs_torch` of
it) is PyTorch; functions that ask for it are not even collected without it. `isolation` is the strongest tier that
shuts students' code in here, `bubblewrap` and `landlock` are that tier alone.
"""

import gc
import importlib.util
import inspect
import os
import signal
from collections import Counter

import pytest

NOT_RUN = "not run: "
NO_PYTORCH = f"{NOT_RUN}PyTorch is not installed"
HAS_PYTORCH = importlib.util.find_spec("torch") is not None
os.environ.setdefault("ENGINE_PROGRESS", "0")  # no line about compiling among what tests compare
os.environ.pop("GRADEBOOK_URL", None)  # of a real class


def pytest_configure():
    """Graft the parts that ENGINE_PARTS names; let Ctrl-C work in what tests start.

    A run that was started in the background ignores it.
    """
    if "ENGINE_PARTS" in os.environ:  # a student's engine is tested
        from autograder import overlay

        overlay.boot()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def skips(reporter) -> Counter[str]:
    """Reason -> number of tests skipped for it."""
    return Counter(_reason(report) for report in reporter.stats.get("skipped", []))


def _reason(report) -> str:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return reason.removeprefix("Skipped: ")


def pytest_sessionfinish(session):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    hidden = reporter and any(not reason.startswith(NOT_RUN) for reason in skips(reporter))
    if hidden and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def pytorch():
    """PyTorch; without it, what uses this is not run."""
    if not HAS_PYTORCH:
        pytest.skip(NO_PYTORCH)
    return importlib.import_module("torch")


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector, name, obj):
    """Collect no function that compares with PyTorch where that is missing: thousands of rows would be skipped."""
    if not HAS_PYTORCH and inspect.isfunction(obj) and "pytorch" in _fixtures_asked_for(collector, obj):
        return []
    return None


def _fixtures_asked_for(collector, function):
    """The names in a function's signature, and in the marks of it, its class and its file."""
    own = (mark for mark in getattr(function, "pytestmark", ()) if mark.name == "usefixtures")
    marks = [*own, *collector.iter_markers("usefixtures")]
    return {*inspect.signature(function).parameters, *(name for mark in marks for name in mark.args)}


@pytest.fixture(scope="session")
def isolation():
    """The strongest isolation of students' code that holds here, an `Isolation`."""
    return _isolation("")


@pytest.fixture(scope="session")
def bubblewrap():
    """The isolation of bubblewrap."""
    return _isolation("bwrap")


@pytest.fixture(scope="session")
def landlock():
    """The isolation of Landlock."""
    return _isolation("landlock")


def _isolation(wanted: str):
    from autograder.sandbox import canary

    found = canary(wanted)
    if found.tier == "none":
        pytest.skip(f"{NOT_RUN}isolation of students' code ({found.reason})")
    return found


MARKS = {"pytorch": "torch", "isolation": "isolated", "bubblewrap": "isolated", "landlock": "isolated"}  # by fixture


FAST = pytest.StashKey[frozenset[str]]()


@pytest.fixture(scope="session")
def fast_tests(request):
    """The ids of the tests that are not slow, as this run collected them; None if it did not look at all tests."""
    config = request.config
    every = [config.rootpath / place for place in config.args] == [config.rootpath / "tests"]
    return config.stash[FAST] if every else None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config, items):
    for item in items:
        for mark in {MARKS[name] for name in getattr(item, "fixturenames", ()) if name in MARKS}:
            item.add_marker(mark)
    config.stash[FAST] = frozenset(item.nodeid for item in items if item.get_closest_marker("slow") is None)
    yield  # `-m` chooses
    items[:] = in_shares(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def in_shares(items, workers):
    """Order tests so that each worker, which is given neighbors, begins with the grader's and ends with the engine's.

    The grader's tests fork. The engine's leave gigabytes of compiled kernels in a process, which each fork would copy.
    """
    engine = [item for item in items if "tests/engine/" in item.nodeid]
    others = [item for item in items if "tests/engine/" not in item.nodeid]
    shares = [
        part[len(part) * share // workers : len(part) * (share + 1) // workers]
        for share in range(workers)
        for part in (others, engine)
    ]
    return [item for share in shares for item in share]


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()  # what was imported and collected stays: every look for garbage would go through all of it
        gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter):
    yield
    if not HAS_PYTORCH:
        terminalreporter.write_line(f"{NO_PYTORCH}: what compares with it was not collected", yellow=True)
    for reason, count in sorted(skips(terminalreporter).items()):
        known = reason.startswith(NOT_RUN)
        text = reason if known else f"skipped, and no reason of the form '{NOT_RUN}...': {reason}"
        terminalreporter.write_line(f"{text}: {count} test{'s' if count > 1 else ''}", yellow=known, red=not known)
