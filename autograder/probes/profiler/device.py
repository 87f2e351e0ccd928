"""Probes of the device in a profile: a queue that is not there, with marks whose times are known.

A launch is (name, grid, block, stream, ms before, ms after, whether the device has come past before, past after).
"""

from importlib import import_module


def kernels(engine, launches, launchers, base_time):
    """What `kernels_of` says of launches, and how often it waited.

    Args:
        launchers: for each event of the recording the number of the launch that it made, or None.
    """
    device = import_module(f"{engine.__name__}.profiler.device")
    waited = []
    marks = [(Mark(one[4], one[6], waited), Mark(one[5], one[7], waited)) for one in launches]
    seen = [device.Launch(*one[:4], *pair) for one, pair in zip(launches, marks, strict=True)]
    events = [
        device.Event("cudaLaunchKernel" if kernel is not None else "aten::add", at, at + 9, 1, kernel=kernel)
        for at, kernel in enumerate(launchers)
    ]
    got = device.kernels_of(seen, events, Mark(0.0, True, waited), base_time)
    if type(got) is not list:
        return type(got).__name__
    return {"kernels": [_plain(device, kernel) for kernel in got], "waited": len(waited)}


def _plain(device, kernel):
    if not isinstance(kernel, device.Kernel):
        return type(kernel).__name__
    return [getattr(kernel, field) for field in ("name", "start", "end", "grid", "block", "stream", "event")]


class Mark:
    """An event of CUDA that was recorded at a time, ms; `waited` notes who waits for it."""

    def __init__(self, time, is_passed, waited):
        self.time, self.is_passed, self.waited = time, is_passed, waited

    def query(self):
        return self.is_passed

    def synchronize(self):
        self.waited.append(self.time)
        self.is_passed = True

    def elapsed_time(self, other):
        if not other.is_passed:
            raise ValueError("device not ready: the event has not been passed")
        return other.time - self.time
