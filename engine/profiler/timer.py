"""Timer: how long a statement takes. Mirrors torch/utils/benchmark/utils/timer.py.

It warms up first, repeats until the clock's own cost does not count, and waits for the device where there is one.
"""

import contextlib
import statistics
import sys
import textwrap
import timeit
from collections.abc import Callable, Iterator
from typing import Any

from ..cpu.parallel import get_num_threads, set_num_threads
from .measurement import Measurement, TaskSpec, summarize

ENGINE = __package__.rpartition(".")[0]
LARGEST_BLOCK = 10**9  # runs: ten times as many would not fit into 32 bits, as PyTorch asks


def timer() -> float:
    """Return the current time in seconds, after synchronizing the device if CUDA is in use."""
    runtime = sys.modules.get(f"{ENGINE}.cuda.runtime")
    if runtime is not None:
        runtime.synchronize()
    return timeit.default_timer()


def estimate_block_size(timed: Callable[[int], float], min_run_time: float) -> int:
    """Return the number of runs to time together, so that the overhead of the clock is negligible.

    First call `timed(0)`, the clock alone, five times: the middle one of these times is the cost of reading it.
    Then time blocks of 1, 10, 100, ... runs, once each; they are a warm-up too. A block is large enough if reading the
    clock takes at most 1/10,000 of its time, and its time is at least `min_run_time` / 1000. Large enough or not, a
    block is the last one if it alone took longer than `min_run_time`, or if it has LARGEST_BLOCK runs.

    Args:
        timed: `timed(number)` runs the statement that number of times and returns the seconds, more than 0.
        min_run_time: of the whole measurement, seconds.
    Returns:
        the number of runs of the last block, an int.

    >>> asked = []
    >>> def timed(number):
    ...     asked.append(number)
    ...     return 1e-6 + 1e-4 * number
    >>> estimate_block_size(timed, 0.2), asked
    (100, [0, 0, 0, 0, 0, 1, 10, 100])

    Source: Timer._estimate_block_size (torch/utils/benchmark/utils/timer.py).
    """
    overhead = statistics.median_low([timed(0) for _ in range(5)])
    number = 1
    while True:
        time = timed(number)
        is_enough = overhead / time <= 1e-4 and time >= min_run_time / 1000
        if is_enough or time > min_run_time or number >= LARGEST_BLOCK:
            return number
        number *= 10


def measured(
    timed: Callable[[int], float],
    number: int,
    min_run_time: float,
    is_enough: Callable[[list[float]], bool],
    max_run_time: float | None,
    callback: Callable[[int, float], Any] | None,
) -> list[float]:
    """Time blocks of runs until their total time reaches `min_run_time` and `is_enough` accepts their times.

    Args:
        timed: as in `estimate_block_size`.
        number: runs of a block.
        min_run_time: the least seconds that all blocks together take.
        is_enough: called with the list of the times so far, but only once their sum has reached `min_run_time`; if
            that is 0, also with no times. When it returns True, nothing more is measured.
        max_run_time: seconds; once all blocks together have taken more, nothing more is measured. None: no limit.
        callback: called with `number` and the block's time after each block, including the last one, before another is
            measured. None: no callback.
    Returns:
        the seconds of each block, in their order, none left out. No block, if `min_run_time` is 0 and `is_enough([])`
        is True.
    """
    times: list[float] = []
    while sum(times) < min_run_time or not is_enough(times):
        times.append(timed(number))
        if callback is not None:
            callback(number, times[-1])
        if max_run_time is not None and sum(times) > max_run_time:
            break
    return times


class Timer:
    """A benchmark timer for one statement.

    Args:
        stmt: Python, as text; or a function without arguments.
        setup: runs before, once for each measurement.
        timer: the clock, in seconds.
        globals: names that the statement and the setup know; `torch` is the engine, if it is not among them.
        label, sub_label, description, env: what a table calls it.
        num_threads: that operators use meanwhile.
    Raises:
        ValueError: `stmt` is neither.
    """

    def __init__(
        self,
        stmt: str | Callable[[], Any] = "pass",
        setup: str = "pass",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
    ):
        if not isinstance(stmt, str) and not callable(stmt):
            raise ValueError(f"expected a statement as text or a function without arguments, got {type(stmt).__name__}")
        names = {"torch": sys.modules[ENGINE], **(globals or {})}
        shown = dedented(stmt) if isinstance(stmt, str) else f"{getattr(stmt, '__name__', 'stmt')}()"
        self._task_spec = TaskSpec(shown, dedented(setup), "", label, sub_label, description, env, num_threads)
        self._timer = timeit.Timer(shown if isinstance(stmt, str) else stmt, dedented(setup), timer, names)

    def _timeit(self, number: int) -> float:
        return max(self._timer.timeit(number), 1e-9)

    @contextlib.contextmanager
    def _threads(self) -> Iterator[None]:
        before = get_num_threads()
        set_num_threads(self._task_spec.num_threads)
        try:
            yield
        finally:
            set_num_threads(before)

    def timeit(self, number: int = 1000000) -> Measurement:
        """Time one block of `number` runs, after a warm-up of a hundredth as many."""
        with self._threads():
            self._timeit(max(int(number // 100), 2))
            return Measurement(number, [self._timeit(number)], self._task_spec)

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Time blocks of runs until their total time reaches `min_run_time` seconds.

        Args:
            callback: called with the size of the block and its time, in seconds, after each.
        """
        with self._threads():
            number = estimate_block_size(self._timeit, min_run_time)
            times = measured(self._timeit, number, min_run_time, lambda times: True, None, callback)
        return Measurement(number, times, self._task_spec)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """Time blocks of runs until their IQR is less than `threshold` times their median, or until time runs out.

        Args:
            max_run_time: seconds after which it ends in any case.
        """

        def is_steady(times: list[float]) -> bool:
            found = summarize(times)
            return len(times) > 3 and found.iqr / found.median < threshold

        with self._threads():
            number = estimate_block_size(self._timeit, 0.05)
            times = measured(self._timeit, number, min_run_time, is_steady, max_run_time, callback)
        return Measurement(number, times, self._task_spec)


def dedented(text: str) -> str:
    """Return a triple-quoted text without its common indentation, its first newline and its trailing whitespace."""
    text = textwrap.dedent(text)
    return text.removeprefix("\n").rstrip()
