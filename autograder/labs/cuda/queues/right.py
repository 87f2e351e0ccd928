"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "cuda.queue.schedule": """
def schedule(calls, overhead):
    clock, ends, marks, answer = 0, {}, {}, []

    def at_least(stream):
        return max(clock, ends.get(stream, clock))

    for name, *rest in calls:
        if name == "host":
            clock += rest[0]
            answer.append(Times(clock, clock, clock))
            continue
        clock += overhead
        if name == "synchronize":
            for stream in list(ends) if rest[0] is None else rest:
                clock = at_least(stream)
            answer.append(Times(clock, clock, clock))
            continue
        stream, last = rest
        begin = at_least(stream)
        if name == "wait":
            begin = max(begin, marks.get(last, begin))
        if name == "record":
            marks[last] = begin
        ends[stream] = begin + (last if name == "launch" else 0)
        answer.append(Times(clock, begin, ends[stream]))
    return answer
""",
}
