"""Probe of the model of queues: a program of calls in, the times of each of them out."""

from autograder.labs.cuda.arrays import loaded


def scheduled(engine, calls, overhead):
    """Return the `Times` of `schedule` for a program as tuples, or type names if it is not a list of `Times`."""
    given = list(calls)
    times = loaded(engine).cuda.queue.schedule(given, overhead)
    if given != list(calls):
        return "the list of calls was changed"
    if not isinstance(times, list):
        return type(times).__name__
    others = {type(time).__name__ for time in times if not isinstance(time, engine.cuda.queue.Times)}
    return f"list of {', '.join(sorted(others))}" if others else [tuple(time) for time in times]


def long(engine, calls, overhead, times_over):
    """Repeat calls `times_over` times; return the times of the last round, or the number of times if it is wrong."""
    times = loaded(engine).cuda.queue.schedule(calls * times_over, overhead)
    if len(times) != len(calls) * times_over:
        return f"{len(times)} times for {len(calls) * times_over} calls"
    return [tuple(time) for time in times[-len(calls) :]]
