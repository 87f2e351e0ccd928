"""Every run ends by saying what it did not run, and for lack of what: no skip hides.

A test that needs something the machine may lack skips with a reason that begins with "not run: " and names it,
`pytest.skip("not run: bubblewrap (...)")`. A skip for any other reason fails the run.

Two tiers: `make test` leaves out what is marked `slow`, `make test-all` runs everything. A file or a test that is slow
says so itself; of a table of parameters `tiers.fast_first` leaves the fast tier a row or two. PyTorch is asked for by
the fixture `pytorch` alone, of which engine/compare.py makes the mark `needs_torch`.
"""

import gc
import importlib.util
import os
import signal
from collections import Counter

import pytest

NOT_RUN = "not run: "
os.environ.setdefault("ENGINE_PROGRESS", "0")  # no line about compiling among what tests compare
os.environ.pop("GRADEBOOK_URL", None)  # of a real class


def pytest_configure():
    """Let Ctrl-C work in what tests start, also where this run was started in the background and ignores it."""
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
    if importlib.util.find_spec("torch") is None:
        pytest.skip("not run: PyTorch is not installed")
    return importlib.import_module("torch")


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items):
    for item in items:
        if "pytorch" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.torch)


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
    for reason, count in sorted(skips(terminalreporter).items()):
        known = reason.startswith(NOT_RUN)
        text = reason if known else f"skipped, and no reason of the form '{NOT_RUN}...': {reason}"
        terminalreporter.write_line(f"{text}: {count} test{'s' if count > 1 else ''}", yellow=known, red=not known)
