"""Probe of the model of queues: a program of calls in, the times of each of them out."""

from autograder.labs.cuda.arrays import loaded


def scheduled(engine, calls, overhead):
    """Return each time of `schedule` for a program as a tuple; the types' names if it is not a list of `Times`."""
    times = loaded(engine).cuda.queue.schedule(list(calls), overhead)
    if not isinstance(times, list):
        return type(times).__name__
    others = {type(time).__name__ for time in times if not isinstance(time, engine.cuda.queue.Times)}
    return f"list of {', '.join(sorted(others))}" if others else [tuple(time) for time in times]
