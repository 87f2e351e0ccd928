"""Wrong answers to cuda.queue.schedule."""

from autograder.made_up.wrong_answer import WrongAnswer

SCHEDULE = "cuda.queue.schedule"
QUEUE_HEAD = """
def schedule(calls, overhead):
    now, free, happens, times = 0, {}, {}, []
    for call, *what in calls:
        now += what[0] if call == "host" else overhead
        begin = end = now
"""

WRONG_ANSWERS = (
    WrongAnswer(SCHEDULE, "an event can be waited for once", ("streams",), (
        "begin = end = free[stream] = max(now, free[stream], happens[event])",
        "begin = end = free[stream] = max(now, free[stream], happens.pop(event, 0))",
    )),
    WrongAnswer(SCHEDULE, "an event waits for all streams", ("streams",), (
        "begin = end = free[stream] = happens[event] = max(now, free[stream])",
        "begin = end = free[stream] = happens[event] = max(now, *free.values(), 0)",
    )),
    WrongAnswer(SCHEDULE, "stream 0 taken for no stream", ("streams",), (
        """
case "synchronize", None:
    begin = end = now = max([now + overhead, *free.values()])
case "synchronize", stream:
    begin = end = now = max(now + overhead, free[stream])
""",
        """
case "synchronize", stream:
    begin = end = now = max(now + overhead, free[stream]) if stream else max([now + overhead, *free.values()])
""",
    )),
    WrongAnswer(SCHEDULE, "the latest record of an event, not the last", ("streams",), (
        "begin = end = free[stream] = happens[event] = max(now, free[stream])",
        """
begin = end = free[stream] = max(now, free[stream])
happens[event] = max(happens[event], end)
""",
    )),
    WrongAnswer(SCHEDULE, "a wait forgets the stream's earlier work", ("streams",), (
        "begin = end = free[stream] = max(now, free[stream], happens[event])",
        "begin = end = free[stream] = max(now, happens[event])",
    )),
    WrongAnswer(SCHEDULE, "a host's work costs the overhead, too", ("ordinary", "streams"),
        ("now += duration", "now += overhead + duration"),
    ),
    WrongAnswer(SCHEDULE, "a call in a call: no program of thousands", ("streams",), """
def schedule(calls, overhead):
    free, happens = defaultdict(int), defaultdict(int)

    def rest(calls, now):
        if not calls:
            return []
        call, *what = calls[0]
        now += what[0] if call == "host" else overhead
        begin = end = now
        if call == "launch":
            begin = max(now, free[what[0]])
            end = free[what[0]] = begin + what[1]
        elif call == "record":
            begin = end = free[what[0]] = happens[what[1]] = max(now, free[what[0]])
        elif call == "wait":
            begin = end = free[what[0]] = max(now, free[what[0]], happens[what[1]])
        elif call == "synchronize":
            begin = end = now = max([now, *(free.values() if what[0] is None else [free[what[0]]])])
        return [Times(now, begin, end), *rest(calls[1:], now)]

    return rest(list(calls), 0)
"""),
    WrongAnswer(SCHEDULE, "a launch waits for its kernel", ("ordinary", "streams"), QUEUE_HEAD + '''
        if call == "launch":
            now = end = begin + what[1]
        elif call == "record":
            happens[what[1]] = now
        elif call == "wait":
            begin = end = max(now, happens.get(what[1], 0))
        times.append(Times(now, begin, end))
    return times
'''),
    WrongAnswer(SCHEDULE, "streams and events in one dict", ("streams",), QUEUE_HEAD + '''
        if call in ("launch", "record", "wait"):
            stream, last = what
            begin = end = max(now, free.get(stream, 0))
            if call == "launch":
                end = begin + last
            elif call == "record":
                free[last] = end
            else:
                begin = end = max(end, free.get(last, 0))
            free[stream] = end
        elif call == "synchronize":
            begin = end = now = max([now, *(free.values() if what[0] is None else [free.get(what[0], 0)])])
        times.append(Times(now, begin, end))
    return times
'''),
    WrongAnswer(SCHEDULE, "one queue for all streams", ("streams",), QUEUE_HEAD + '''
        if call in ("launch", "record", "wait"):
            begin = end = max(now, free.get(0, 0))
            if call == "launch":
                end = begin + what[1]
            elif call == "record":
                happens[what[1]] = end
            else:
                begin = end = max(end, happens.get(what[1], 0))
            free[0] = end
        elif call == "synchronize":
            begin = end = now = max(now, free.get(0, 0))
        times.append(Times(now, begin, end))
    return times
'''),
    WrongAnswer(SCHEDULE, "a wait stops the host", ("streams",), QUEUE_HEAD + '''
        if call in ("launch", "record"):
            begin = end = max(now, free.get(what[0], 0))
            if call == "launch":
                end = begin + what[1]
            else:
                happens[what[1]] = end
            free[what[0]] = end
        elif call == "wait":
            begin = end = now = max(now, free.get(what[0], 0), happens.get(what[1], 0))
        elif call == "synchronize":
            begin = end = now = max([now, *(free.values() if what[0] is None else [free.get(what[0], 0)])])
        times.append(Times(now, begin, end))
    return times
'''),
    WrongAnswer(SCHEDULE, "an event happens when it is recorded by the host", ("ordinary", "streams"), QUEUE_HEAD + '''
        if call in ("launch", "wait"):
            begin = end = max(now, free.get(what[0], 0))
            if call == "launch":
                end = begin + what[1]
            else:
                begin = end = max(end, happens.get(what[1], 0))
            free[what[0]] = end
        elif call == "record":
            happens[what[1]] = now
        elif call == "synchronize":
            begin = end = now = max([now, *(free.values() if what[0] is None else [free.get(what[0], 0)])])
        times.append(Times(now, begin, end))
    return times
'''),
    WrongAnswer(SCHEDULE, "synchronize without a stream waits for the default stream", ("streams",), QUEUE_HEAD + '''
        if call in ("launch", "record", "wait"):
            stream, last = what
            begin = end = max(now, free.get(stream, 0))
            if call == "launch":
                end = begin + last
            elif call == "record":
                happens[last] = end
            else:
                begin = end = max(end, happens.get(last, 0))
            free[stream] = end
        elif call == "synchronize":
            begin = end = now = max(now, free.get(what[0] or 0, 0))
        times.append(Times(now, begin, end))
    return times
'''),
)  # fmt: skip
