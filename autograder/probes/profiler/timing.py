"""Probes of how long a statement takes: clocks and times that are made up, so that what is right is exact."""

from importlib import import_module
from types import SimpleNamespace

MOST = 60  # questions to a clock, before somebody asks for ever


def block_size(engine, reading, run, min_run_time):
    """What `estimate_block_size` chooses, and the numbers of runs that it asked the clock about.

    Args:
        reading: seconds that reading the clock takes, one for each of the first times, the last one for the others.
        run: seconds of a run.
    """
    timer = import_module(f"{engine.__name__}.profiler.timer")
    asked = []

    def timed(number):
        if len(asked) == MOST:
            raise ValueError(f"the clock was asked {MOST} times: this does not end")
        asked.append(number)
        return reading[min(len(asked), len(reading)) - 1] + run * number

    return {"chosen": timer.estimate_block_size(timed, min_run_time), "asked": asked}


def blocks(engine, times, number, min_run_time, enough, max_run_time, is_told):
    """What `measured` returns, how often the clock was asked and what the callback was told.

    Args:
        times: seconds of the blocks, again from the first when all have been used.
        enough: number of blocks from which on they are enough; 0: any.
    """
    timer = import_module(f"{engine.__name__}.profiler.timer")
    log = []

    def timed(number):
        asked = sum(entry[0] == "timed" for entry in log)
        if asked == MOST:
            raise ValueError(f"the clock was asked {MOST} times: this does not end")
        log.append(("timed", number))
        return times[asked % len(times)]

    callback = (lambda number, time: log.append(("told", number, time))) if is_told else None

    def is_enough(seen):
        if sum(seen) < min_run_time:
            log.append(("is_enough is asked too early", len(seen)))
        return len(seen) >= enough

    got = timer.measured(timed, number, min_run_time, is_enough, max_run_time, callback)
    return {"times": got, "log": log}


def quantile(engine, times, q):
    """A quantile, and the times as they are afterwards."""
    given = list(times)
    got = import_module(f"{engine.__name__}.profiler.measurement").quantile(given, q)
    return {"quantile": got, "times": given}


def above(engine, rows, share, metric):
    """The labels of what `above` finds.

    Args:
        rows: (label, a dict of metrics).
        metric: None: that of default.
    """
    averages = import_module(f"{engine.__name__}.profiler.averages")
    objects = [SimpleNamespace(key=label, **metrics) for label, metrics in rows]
    got = averages.above(objects, share) if metric is None else averages.above(objects, share, metric)
    return [getattr(one, "key", type(one).__name__) for one in got] if type(got) is list else type(got).__name__
