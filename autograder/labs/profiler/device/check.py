"""Checks of the device's kernels in a profile."""

import random
from collections.abc import Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check

FIELDS = ("name", "start", "end", "grid", "block", "stream", "event")
NAMES = ("add_kernel", "gemm", "reduce", "transpose", "fill")


def _queue(rng: random.Random, count: int, passed: int, streams: int = 1, rest: tuple = (0.2,)) -> list[tuple]:
    """Launches one behind the other; `rest`: what the times may have behind whole nanoseconds, never a half."""
    launches, now = [], rng.randrange(1000, 90_000)
    for number in range(count):
        begin = now + rng.randrange(10, 500_000)
        now = begin + rng.randrange(10, 900_000)
        ms = [round((time + rng.choice(rest)) * 1e-6, 9) for time in (begin, now)]
        done = (True, True) if number < passed else (number == passed and rng.random() < 0.7, False)
        grid, block = (rng.randint(1, 9), 1, 1), (rng.choice((32, 64)), rng.randint(1, 4), 1)
        launches.append((rng.choice(NAMES), grid, block, rng.randrange(streams), *ms, *done))
    return launches


def _launchers(rng: random.Random, count: int, is_mixed: bool) -> list[int | None]:
    """Events of which some launch; mixed, they do not start in the order of the launches."""
    order: list[int | None] = list(range(count))
    if is_mixed:
        rng.shuffle(order)
    for _ in range(rng.randint(1, 4)):
        order.insert(rng.randint(0, len(order)), None)
    return order


def _ordinary(rng: random.Random) -> Iterator[Case]:
    for count in (0, 1, 1, 2, 3, 4) * 6:
        about = "clock" if count else "none"
        queue = _queue(rng, count, count, rest=(0.2, 0.7))
        yield Case((queue, _launchers(rng, count, False), rng.randrange(10**11)), about)


def _matched(rng: random.Random) -> Iterator[Case]:
    yield Case((_queue(rng, 2, 2), [1, None, 0], 500_000), "launcher")
    for count in (2, 3, 4, 5) * 8:
        queue = _queue(rng, count, count, 3)
        yield Case((queue, _launchers(rng, count, True), rng.randrange(10**11)), "launcher")


def _unsynchronized(rng: random.Random) -> Iterator[Case]:
    for count in (1, 2, 3, 4) * 8:
        passed = rng.randrange(count)
        yield Case((_queue(rng, count, passed), _launchers(rng, count, False), rng.randrange(10**11)), "not waited")
    for count in (2, 3, 4):  # of two streams the later launch may be done first
        queue = [(*one[:6], True, True) if number % 2 else (*one[:6], True, False)
                 for number, one in enumerate(_queue(rng, count, count, 2))]  # fmt: skip
        yield Case((queue, _launchers(rng, count, False), rng.randrange(10**11)), "streams")


def in_words(args: tuple, observed: Any) -> Any:
    """The kernels, and whether anybody waited for the device."""
    if type(observed) is not dict:
        return observed
    count = observed["waited"]
    kernels = observed["kernels"]
    if any(type(kernel) is not list for kernel in kernels):
        return kernels
    columns = {name: [kernel[place] for kernel in kernels] for place, name in enumerate(FIELDS)}
    return {"waited": "never" if count == 0 else f"{count} times", "number of kernels": len(kernels), **columns}


KERNELS_OF = Check(
    "profiler.device.kernels_of",
    ("launches", "launchers", "base_time"),
    (
        Aspect("ordinary", 2, _ordinary, findings=in_words),
        Aspect("matched", 2, _matched, findings=in_words),
        Aspect("unsynchronized", 2, _unsynchronized, findings=in_words),
    ),
    {
        "number of kernels": "each launch is a kernel, in their order, also one whose times are not known",
        "name": "name, grid, block and stream of a kernel are those of its launch",
        "grid": "name, grid, block and stream of a kernel are those of its launch",
        "stream": "name, grid, block and stream of a kernel are those of its launch",
        "none": "no launches, no kernels: an empty list",
        "clock": "elapsed_time gives milliseconds since `base`; a Kernel has whole nanoseconds on the host's clock",
        "launcher": "the event that launched launches[k] is the one whose `kernel` is k, wherever it stands",
        "not waited": "the device has not come past `after`: both times are None, and nobody waits for it here",
        "waited": "nothing is waited for: a profile that calls `synchronize` changes the program that it looks at",
        "streams": "another stream may be further: each launch answers for itself",
        "type": "return a list of Kernel",
        "raised": "ask a mark for its time only if the device has come past the launch",
    },
    probe="profiler.device.kernels",
)

CHECKS = (KERNELS_OF,)
