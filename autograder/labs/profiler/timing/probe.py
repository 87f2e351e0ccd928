"""Probes of how long a statement takes: clocks and times that are made up, so that what is right is exact."""

from importlib import import_module

MOST = 60  # questions to a clock, before somebody asks for ever


def block_size(engine, reading, run, min_run_time):
    """Return the block size that `estimate_block_size` chooses, and the numbers of runs that it timed.

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

    chosen = timer.estimate_block_size(timed, min_run_time)
    return {"asked": asked, "chosen": chosen}


def blocks(engine, times, number, min_run_time, enough, max_run_time, is_told):
    """Return what `measured` timed, passed to the callback, passed wrongly to `is_enough`, and returned.

    Args:
        times: seconds of the blocks, again from the first when all have been used.
        enough: number of blocks from which on they are enough; 0: any.
    """
    timer = import_module(f"{engine.__name__}.profiler.timer")
    log, measured, wrong = [], [], []

    def timed(number):
        asked = sum(entry[0] == "timed" for entry in log)
        if asked == MOST:
            raise ValueError(f"the clock was asked {MOST} times: this does not end")
        log.append(("timed", number))
        measured.append(times[asked % len(times)])
        return measured[-1]

    callback = (lambda number, time: log.append(("told", number, time))) if is_told else None

    def is_enough(seen):
        if sum(seen) < min_run_time:
            wrong.append(f"asked too early, of {len(seen)} blocks")
        if type(seen) is not list or seen != measured:
            wrong.append(f"asked of something else than the list of the times so far: {seen}")
        return len(seen) >= enough

    got = timer.measured(timed, number, min_run_time, is_enough, max_run_time, callback)
    told = {kind: [entry[1:] for entry in log if entry[0] == kind] for kind in ("timed", "told")}
    return {**told, "is_enough": wrong, "order": [entry[0] for entry in log], "times": got}


def quantile(engine, times, q):
    """Return the result of `quantile`, and the list of times after the call."""
    given = list(times)
    got = import_module(f"{engine.__name__}.profiler.measurement").quantile(given, q)
    return {"quantile": got, "times": given}


class Row:
    """A table row that has only a key and metrics."""

    def __init__(self, key, metrics):
        self.key = key
        vars(self).update(metrics)


def above(engine, rows, share, metric):
    """Return the rows that `above` finds, each as (place, name), and whether the list is unchanged.

    Args:
        rows: (name, a dict of metrics).
        metric: None: the default.
    """
    averages = import_module(f"{engine.__name__}.profiler.averages")
    objects = [Row(name, metrics) for name, metrics in rows]
    places = {id(one): place for place, one in enumerate(objects)}
    given = list(objects)
    got = averages.above(given, share) if metric is None else averages.above(given, share, metric)
    if type(got) is not list:
        return type(got).__name__
    is_same = list(map(id, given)) == list(places)
    return {
        "found": [[places[id(one)], one.key] if id(one) in places else type(one).__name__ for one in got],
        "the list that was given": "as it was" if is_same else "no longer as it was",
    }
