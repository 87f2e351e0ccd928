"""Probes of the device in a profile: a queue that is not there, with marks whose times are known.

A launch is (name, grid, block, stream, ms before, ms after, whether the device has come past before, past after).
"""

from importlib import import_module


def kernels(engine, launches, launchers, base_time):
    """Return the kernels that `kernels_of` reports for launches, and how often it waited for the device.

    Args:
        launchers: for each event of the recording the number of the launch that it made, or None.
    """
    device = import_module(f"{engine.__name__}.profiler.device")
    mark, waited = marks()
    pairs = [(mark(one[4], one[6]), mark(one[5], one[7])) for one in launches]
    seen = [device.Launch(*one[:4], *pair) for one, pair in zip(launches, pairs, strict=True)]
    events = [
        device.Event("cudaLaunchKernel" if kernel is not None else "aten::add", at, at + 9, 1, kernel=kernel)
        for at, kernel in enumerate(launchers)
    ]
    got = device.kernels_of(seen, events, mark(0.0, True), base_time)
    if type(got) is not list:
        return type(got).__name__
    return {"kernels": [_plain(device, kernel) for kernel in got], "waited": len(waited)}


def _plain(device, kernel):
    if not isinstance(kernel, device.Kernel):
        return type(kernel).__name__
    return [getattr(kernel, field) for field in ("name", "start", "end", "grid", "block", "stream", "event")]


def marks():
    """Return a function that makes fake CUDA events, and a list that collects the times of those waited for."""
    times, passed, waited = {}, set(), []

    class Mark:
        """An event of CUDA that was recorded at a time, ms."""

        def query(self):
            return self in passed

        def synchronize(self):
            waited.append(times[self])
            passed.add(self)

        def elapsed_time(self, other):
            if other not in passed:
                raise ValueError("device not ready: the event has not been passed")
            return times[other] - times[self]

    def mark(time, is_passed):
        made = Mark()
        times[made] = time
        if is_passed:
            passed.add(made)
        return made

    return mark, waited
