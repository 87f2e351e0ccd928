"""Wrong answers to profiler.device.kernels_of."""

from autograder.made_up.wrong_answer import WrongAnswer

KERNELS_OF = "profiler.device.kernels_of"

WRONG_ANSWERS = (
    WrongAnswer(KERNELS_OF, "milliseconds taken for microseconds", ("ordinary", "matched", "unsynchronized"), (
        "launchers = {event.kernel: number for number, event in enumerate(events)}",
        "launchers = {event.kernel: number for number, event in enumerate(events) if event.kernel is not None}",
        """
start, end = (
    base_time + round(base.elapsed_time(mark) * 1_000_000) for mark in (launch.before, launch.after)
)
""",
        """
start = base_time + round(base.elapsed_time(launch.before) * 1000)
end = base_time + round(base.elapsed_time(launch.after) * 1000)
""",
    )),
    WrongAnswer(KERNELS_OF, "the last launch answers for all", ("unsynchronized",),
        ("if launch.after.query():", "if launches[-1].after.query() and launch.after.query():"),
    ),
    WrongAnswer(KERNELS_OF, "a start is known before its kernel has run", ("unsynchronized",), (
        """
if launch.after.query():
    start, end = (
        base_time + round(base.elapsed_time(mark) * 1_000_000) for mark in (launch.before, launch.after)
    )
""",
        """
if launch.before.query():
    start = base_time + round(base.elapsed_time(launch.before) * 1_000_000)
if launch.after.query():
    end = base_time + round(base.elapsed_time(launch.after) * 1_000_000)
""",
    )),
    WrongAnswer(KERNELS_OF, "the time is rounded with the host's", ("ordinary",), (
        "base_time + round(base.elapsed_time(mark) * 1_000_000) for mark in (launch.before, launch.after)",
        "round(base_time + base.elapsed_time(mark) * 1_000_000) for mark in (launch.before, launch.after)",
    )),
    WrongAnswer(KERNELS_OF, "stream 0 waits for the others", ("unsynchronized",),
        ("if launch.after.query():",
         "if launch.after.query() and (launch.stream or all(one.after.query() for one in launches[:number])):"),
    ),
    WrongAnswer(KERNELS_OF, "kernel 0 is taken for none", ("ordinary", "matched", "unsynchronized"),
        ("launchers = {event.kernel: number for number, event in enumerate(events)}",
         "launchers = {event.kernel: number for number, event in enumerate(events) if event.kernel}"),
    ),
    WrongAnswer(KERNELS_OF, "the k-th launching event launched the k-th kernel", ("matched",), """
def kernels_of(launches, events, base, base_time):
    launchers = [number for number, event in enumerate(events) if event.kernel is not None]
    kernels = []
    for launch, launcher in zip(launches, launchers):
        start = end = None
        if launch.after.query():
            start = base_time + round(base.elapsed_time(launch.before) * 1e6)
            end = base_time + round(base.elapsed_time(launch.after) * 1e6)
        kernels.append(Kernel(launch.name, start, end, launch.grid, launch.block, launch.stream, launcher))
    return kernels
"""),
    WrongAnswer(KERNELS_OF, "does not ask whether the device has come so far", ("unsynchronized",), """
def kernels_of(launches, events, base, base_time):
    launchers = {event.kernel: number for number, event in enumerate(events) if event.kernel is not None}
    kernels = []
    for number, launch in enumerate(launches):
        start, end = [base_time + round(base.elapsed_time(mark) * 1e6) for mark in (launch.before, launch.after)]
        kernels.append(Kernel(launch.name, start, end, launch.grid, launch.block, launch.stream, launchers[number]))
    return kernels
"""),
    WrongAnswer(KERNELS_OF, "waits for the device instead of the program", ("unsynchronized",), """
def kernels_of(launches, events, base, base_time):
    launchers = {event.kernel: number for number, event in enumerate(events) if event.kernel is not None}
    kernels = []
    for number, launch in enumerate(launches):
        if not launch.after.query():
            launch.before.synchronize()
            launch.after.synchronize()
        start, end = [base_time + round(base.elapsed_time(mark) * 1e6) for mark in (launch.before, launch.after)]
        kernels.append(Kernel(launch.name, start, end, launch.grid, launch.block, launch.stream, launchers[number]))
    return kernels
"""),
    WrongAnswer(KERNELS_OF, "a kernel that was not waited for takes no time", ("unsynchronized",), (
        "launchers = {event.kernel: number for number, event in enumerate(events)}",
        "launchers = {event.kernel: number for number, event in enumerate(events) if event.kernel is not None}",
        "start = end = None",
        "start = end = base_time",
        """
start, end = (
    base_time + round(base.elapsed_time(mark) * 1_000_000) for mark in (launch.before, launch.after)
)
""",
        """
start = base_time + round(base.elapsed_time(launch.before) * 1e6)
end = base_time + round(base.elapsed_time(launch.after) * 1e6)
""",
    )),
    WrongAnswer(KERNELS_OF, "one that was not waited for ends the list", ("unsynchronized",), """
def kernels_of(launches, events, base, base_time):
    launchers = {event.kernel: number for number, event in enumerate(events) if event.kernel is not None}
    kernels = []
    for number, launch in enumerate(launches):
        if not launch.after.query():
            break
        start, end = [base_time + round(base.elapsed_time(mark) * 1e6) for mark in (launch.before, launch.after)]
        kernels.append(Kernel(launch.name, start, end, launch.grid, launch.block, launch.stream, launchers[number]))
    return kernels
"""),
    WrongAnswer(KERNELS_OF, "times are cut off, not rounded", ("ordinary",), (
        "launchers = {event.kernel: number for number, event in enumerate(events)}",
        "launchers = {event.kernel: number for number, event in enumerate(events) if event.kernel is not None}",
        """
start, end = (
    base_time + round(base.elapsed_time(mark) * 1_000_000) for mark in (launch.before, launch.after)
)
""",
        "start, end = [base_time + int(base.elapsed_time(mark) * 1e6) for mark in (launch.before, launch.after)]",
    )),
)  # fmt: skip
