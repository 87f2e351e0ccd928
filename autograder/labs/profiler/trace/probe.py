"""Probes of the chrome trace: recordings made of plain data, and what is written of them.

An event is a dict of the fields that are not a matter of course: name, start, end, thread, category, scope,
sequence_nr, stack, and inputs, each (kind, sizes, strides, value).
"""

from importlib import import_module


def event_json(engine, events, number, beside):
    """Return what `event_json` writes for an event.

    Args:
        beside: "parents", "fwd_threads", "threads" (number -> (native, name)), "pid" and "zero" of the context.
    """
    module = _module(engine, "chrome_trace")
    return module.event_json(_context(engine, module, events, beside), number)


def arrows(engine, events, beside):
    """Return what `forward_backward_arrows` writes for a recording."""
    module = _module(engine, "chrome_trace")
    return module.forward_backward_arrows(_context(engine, module, events, beside))


def _module(engine, name):
    return import_module(f"{engine.__name__}.profiler.{name}")


def _context(engine, module, events, beside):
    kinds = _module(engine, "events")
    made = []
    for fields in events:
        inputs = tuple(kinds.Input(*one) for one in fields.get("inputs", ()))
        made.append(kinds.Event(**{**fields, "inputs": inputs}))
    threads = {number: (native, f"thread {number}") for number, native in beside["threads"]}
    recording = kinds.Recording(made, threads=threads)
    parents = beside.get("parents", [None] * len(made))
    return module.Context(recording, parents, beside["fwd_threads"], beside["pid"], beside["zero"])
