"""Programs to profile, with the engine and with PyTorch, and what is seen of the profile."""

import contextlib
import json
import os
import warnings

from compare import engine, torch


@contextlib.contextmanager
def quiet():
    """PyTorch's profiler writes to stderr below Python, and warns."""
    saved, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)


def profiled(T, program, **options):
    """`program(T)` under a profile of the CPU, after a run without; the profile, which has ended."""
    program(T)
    with quiet(), T.profiler.profile(activities=[T.profiler.ProfilerActivity.CPU], **options) as prof:
        program(T)
    return prof


def tops(prof):
    """The events that are in no other event."""
    return [event for event in prof.events() if event.cpu_parent is None]


def tree(event, leave_out=()):
    """An event and the events in it: (name, [...]), without the names in `leave_out` and the events in them."""
    return event.name, [tree(child, leave_out) for child in event.cpu_children if child.name not in leave_out]


def trace_of(prof, tmp_path):
    """The trace that a profile writes."""
    path = tmp_path / "trace.json"
    with quiet():
        prof.export_chrome_trace(str(path))
    return json.loads(path.read_text())


def network(T):
    """A step of training, without the numbers."""
    T.manual_seed(0)
    model = T.nn.Sequential(T.nn.Linear(4, 3), T.nn.ReLU(), T.nn.Linear(3, 2))
    optimizer = T.optim.SGD(model.parameters(), lr=0.1)
    with T.profiler.record_function("forward"):
        loss = (model(T.ones(5, 4)) * 2.0).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


__all__ = ["engine", "network", "profiled", "quiet", "tops", "torch", "trace_of", "tree"]
