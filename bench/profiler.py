"""The cost of a profile: `python -m bench.profiler`. An `add` of 8 elements without one, and an event of it with one.

Laps of all kinds follow each other; of each kind the shortest counts. The clock is the thread's own, which other
programs do not lengthen.
"""

import time

import engine
from engine.profiler import ProfilerActivity, profile

LAPS, CALLS = 40, 300
KINDS = {
    "names and times": {},
    "shapes": {"record_shapes": True},
    "memory": {"profile_memory": True},
    "callers": {"with_stack": True},
}


def microseconds(calls: int) -> float:
    """Of one `add`."""
    x = engine.ones(8)
    start = time.thread_time_ns()
    for _ in range(calls):
        x + x
    return (time.thread_time_ns() - start) / calls / 1000


def main() -> None:
    """Measure and print."""
    off = microseconds(CALLS)
    on = dict.fromkeys(KINDS, float("inf"))
    for _ in range(LAPS):
        off = min(off, microseconds(CALLS))
        for name, options in KINDS.items():
            with profile(activities=[ProfilerActivity.CPU], **options):
                microseconds(10)  # calls resolve anew
                on[name] = min(on[name], microseconds(CALLS))
    print(f"add of 8 elements, no profile: {off:.2f} us")
    for name, time_us in on.items():
        print(f"an event with {name}: {time_us - off:.2f} us")


if __name__ == "__main__":
    main()
