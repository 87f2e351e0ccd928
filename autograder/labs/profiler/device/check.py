"""Checks of the device's kernels in a profile."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.profiler.findings import in_another_order

FIELDS = ("name", "start", "end", "grid", "block", "stream", "event")
NAMES = ("add_kernel", "gemm", "reduce", "transpose", "fill")


def _queue(rng: random.Random, count: int, passed: int, streams: int = 1, rest: tuple = (0.2,)) -> list[tuple]:
    """Draw launches one behind the other; `rest`: what the times may have behind whole nanoseconds, never a half."""
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
    """Draw events of which some launch; mixed, they do not start in the order of the launches."""
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
    one = ("gemm", (2, 1, 1), (64, 1, 1), 0)
    for base_time in (0, 10**18 + 1, 2**60 + 7):  # whole nanoseconds, that no float of this size has
        yield Case(
            ([(*one, 0.0, 0.25, True, True), (*one, 0.5, 1.0000007, True, True)], [0, None, 1], base_time), "clock"
        )
    yield Case(([(*one, 0.0, 0.0, True, True)], [0], 500), "clock")


def _matched(rng: random.Random) -> Iterator[Case]:
    yield Case((_queue(rng, 2, 2), [1, None, 0], 500_000), "launcher")
    for count in (2, 3, 4, 5) * 8:
        queue = _queue(rng, count, count, 3)
        yield Case((queue, _launchers(rng, count, True), rng.randrange(10**11)), "launcher")
    for launchers in ([None, 0], [0, None, None], [None, 1, 0, None], [2, 0, 1], [1, 2, 0]):
        count = sum(one is not None for one in launchers)
        yield Case((_queue(rng, count, count, 2), launchers, 1000), "launcher")


def _on(stream: int, begin: float, end: float, *passed: bool) -> tuple:
    return ("gemm", (2, 1, 1), (64, 1, 1), stream, begin, end, *passed)


def _unsynchronized(rng: random.Random) -> Iterator[Case]:
    for count in (1, 2, 3, 4) * 8:
        passed = rng.randrange(count)
        yield Case((_queue(rng, count, passed), _launchers(rng, count, False), rng.randrange(10**11)), "not waited")
    busy, half, done = _on(1, 0.5, 9.0, False, False), _on(1, 0.5, 9.0, True, False), _on(0, 1.0, 2.0, True, True)
    yield Case(([half], [0], 1000), "not waited")
    yield Case(([busy], [0], 1000), "not waited")
    yield Case(([done, _on(0, 3.0, 4.0, True, False), _on(0, 5.0, 6.0, False, False)], [0, 1, 2], 0), "not waited")
    # stream 0 is done while another one is busy longer
    for queue in (
        [busy, done],
        [half, done],
        [done, busy, done],
        [busy, busy, done],
        [done, half],
        [busy, done, half, done],
    ):
        yield Case((queue, list(range(len(queue))), 1000), "streams")
    for count in (2, 3, 4):  # of two streams the later launch may be done first
        queue = [(*one[:6], True, True) if number % 2 else (*one[:6], True, False)
                 for number, one in enumerate(_queue(rng, count, count, 2))]  # fmt: skip
        yield Case((queue, _launchers(rng, count, False), rng.randrange(10**11)), "streams")


def in_words(args: tuple, observed: Any) -> Any:
    """Return the kernels as one list per field, and how often the answer waited for the device."""
    if type(observed) is not dict:
        return observed
    odd = [kernel for kernel in observed["kernels"] if type(kernel) is not list]
    if odd:
        return f"a list in which there is a {odd[0]}"
    count = observed["waited"]
    kernels = observed["kernels"]
    columns = {name: [kernel[place] for kernel in kernels] for place, name in enumerate(FIELDS)}
    return {"waited": "never" if count == 0 else f"{count} times", "number of kernels": len(kernels), **columns}


CLOCK = (
    "`base.elapsed_time(mark)` gives milliseconds since `base`; a Kernel has whole nanoseconds on the host's clock: "
    "`base_time` and a rounded number"
)
LAUNCHER = "the event that launched launches[k] is the one whose `kernel` is k, wherever it is; `event` is its index"


def _apart(wanted: Any, got: Any, is_such: Callable[[Any, Any], bool]) -> bool:
    """Return True if a start or an end is wrong in the way that `is_such` tells."""
    pairs = [
        pair for key in ("start", "end") for pair in zip(wanted.value[key], got.value[key], strict=True)
        if pair[0] != pair[1]
    ]  # fmt: skip
    return any(is_such(*pair) for pair in pairs)


KERNELS_OF = Check(
    "profiler.device.kernels_of",
    ("launches", "launchers", "base_time"),
    (
        Aspect("ordinary", 3, _ordinary, findings=in_words),
        Aspect("matched", 3, _matched, findings=in_words),
        Aspect("unsynchronized", 3, _unsynchronized, findings=in_words),
    ),
    {
        "number of kernels": "each launch is a kernel, in their order, including one whose times are not known",
        "name": "a kernel has its launch's name, grid, block and stream",
        "grid": "a kernel has its launch's name, grid, block and stream",
        "stream": "a kernel has its launch's name, grid, block and stream",
        "block": "a kernel has its launch's name, grid, block and stream",
        "start": CLOCK,
        "end": CLOCK,
        "event": LAUNCHER,
        "none": "no launches, no kernels: an empty list",
        "clock": CLOCK,
        "launcher": LAUNCHER,
        "not waited": "the device has not passed `after`: both times are None, and you don't wait for it",
        "waited": "never wait: a profile that calls `synchronize` changes the program that it observes",
        "streams": "another stream may be ahead: each launch answers for itself",
        "type": "return a list of Kernel, whose times are ints",
        "raised": "read the time of a mark only if the device has passed it",
    },
    probe="profiler.device.kernels",
    mistakes=(
        Mistake(
            "these are the right kernels in another order: they come in the order of `launches`",
            in_another_order(*FIELDS),
        ),
        Mistake(
            "no event was found for a launch: 0 is a number too, so test `event.kernel is not None`",
            lambda args, wanted, got: got.raised == "KeyError",
        ),
        Mistake(
            "this reads the time of a mark that the device has not passed: test `launch.after.query()` first",
            lambda args, wanted, got: "device not ready" in got.message,
        ),
        Mistake(
            "`launch.after.query()` says if the device has passed a kernel, for each launch by itself: here you give "
            "a time that nobody knows",
            lambda args, wanted, got: _apart(wanted, got, lambda right, mine: right is None and mine is not None),
        ),
        Mistake(
            "here None is given for times that are known: each launch answers for itself, whatever others do",
            lambda args, wanted, got: _apart(wanted, got, lambda right, mine: right is not None and mine is None),
        ),
        Mistake(
            "these times are cut off: `round` them, each by itself",
            lambda args, wanted, got: (
                _apart(wanted, got, lambda right, mine: mine == right - 1)
                and not _apart(wanted, got, lambda right, mine: mine not in (right, right - 1))
            ),
        ),
        Mistake(
            "this was a float once: add `base_time` to what was rounded, since no float has all its digits",
            lambda args, wanted, got: (
                args[2] > 2**53
                and _apart(wanted, got, lambda right, mine: mine != right)
                and not _apart(wanted, got, lambda right, mine: abs(mine - right) > 1000)
            ),
        ),
        Mistake(
            "a Kernel's time is `base_time` and the nanoseconds from `base` to the mark: `base.elapsed_time(mark)` is "
            "in milliseconds, of 1,000,000 nanoseconds each",
            lambda args, wanted, got: _apart(wanted, got, lambda right, mine: abs(mine - right) > 10),
        ),
    ),
)

CHECKS = (KERNELS_OF,)
