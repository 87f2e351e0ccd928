"""Probe of the model of queues: a program of calls in, the times of each of them out."""


def scheduled(engine, calls, overhead):
    """What `schedule` says of a program, each time as a tuple; the type's name if it is no list."""
    times = engine.cuda.queue.schedule(list(calls), overhead)
    return [tuple(time) for time in times] if isinstance(times, list) else type(times).__name__
