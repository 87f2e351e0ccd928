"""Wrong answers to profiler.chrome_trace.event_json, profiler.chrome_trace.forward_backward_arrows."""

from autograder.made_up.wrong_answer import WrongAnswer

EVENT_JSON = "profiler.chrome_trace.event_json"
FORWARD_BACKWARD_ARROWS = "profiler.chrome_trace.forward_backward_arrows"

WRONG_ANSWERS = (
    WrongAnswer(EVENT_JSON, "every event carries the id of its parent", ("ordinary",),
        ('args: Json = {"External id": number + 1, "Record function id": 0}',
         'args = {"External id": context.operator(number) + 1, "Record function id": 0}'),
    ),
    WrongAnswer(EVENT_JSON, "the length is in nanoseconds", ("ordinary",), (
        """
return {
    "ph": "X", "cat": event.category, "name": event.name, "pid": context.pid, "tid": context.tid(event.thread),
    "ts": context.us(event.start), "dur": (event.end - event.start) / 1000, "args": args,
}
""",
        """
return {"ph": "X", "cat": event.category, "name": event.name, "pid": context.pid, "tid": context.tid(event.thread),
        "ts": context.us(event.start), "dur": event.end - event.start, "args": args}
""",
    )),
    WrongAnswer(EVENT_JSON, "the sequence number 0 is none", ("details",), (
        "if event.sequence_nr >= 0:",
        "if event.sequence_nr > 0:",
        """
return {
    "ph": "X", "cat": event.category, "name": event.name, "pid": context.pid, "tid": context.tid(event.thread),
    "ts": context.us(event.start), "dur": (event.end - event.start) / 1000, "args": args,
}
""",
        """
return {"ph": "X", "cat": event.category, "name": event.name, "pid": context.pid, "tid": context.tid(event.thread),
        "ts": context.us(event.start), "dur": context.us(event.end) - context.us(event.start), "args": args}
""",
    )),
    WrongAnswer(EVENT_JSON, "a launch carries its own id", ("launch",), """
def event_json(context, number):
    event = context.recording.events[number]
    args = {"External id": number + 1}
    if event.category == CUDA_RUNTIME:
        args |= {"cbid": 211, "correlation": number + 1}
    else:
        args["Record function id"] = 0
    if event.sequence_nr >= 0:
        args |= {"Sequence number": event.sequence_nr, "Fwd thread id": context.fwd_threads[number]}
    if event.inputs:
        args |= inputs_json(event.inputs)
    if event.stack:
        args["Call stack"] = ";".join(event.stack)
    args["Ev Idx"] = number
    return {"ph": "X", "cat": event.category, "name": event.name, "pid": context.pid, "tid": context.tid(event.thread),
            "ts": context.us(event.start), "dur": (event.end - event.start) / 1000, "args": args}
"""),
    WrongAnswer(EVENT_JSON, "the recording's numbers of threads", ("ordinary",), (
        """
return {
    "ph": "X", "cat": event.category, "name": event.name, "pid": context.pid, "tid": context.tid(event.thread),
    "ts": context.us(event.start), "dur": (event.end - event.start) / 1000, "args": args,
}
""",
        """
return {"ph": "X", "cat": event.category, "name": event.name, "pid": context.pid, "tid": event.thread,
        "ts": context.us(event.start), "dur": (event.end - event.start) / 1000, "args": args}
""",
    )),
    WrongAnswer(EVENT_JSON, "the stack is a list", ("details",),
        ('args["Call stack"] = ";".join(event.stack)', 'args["Call stack"] = list(event.stack)'),
    ),
    WrongAnswer(EVENT_JSON, "the forward thread as the system calls it", ("details",),
        ('args |= {"Sequence number": event.sequence_nr, "Fwd thread id": context.fwd_threads[number]}',
         'args |= {"Sequence number": event.sequence_nr, "Fwd thread id": context.tid(context.fwd_threads[number])}'),
    ),
    WrongAnswer(EVENT_JSON, "without the number of the event", ("ordinary", "launch"),
        ('args["Ev Idx"] = number', "pass"),
    ),
    WrongAnswer(EVENT_JSON, "a launch is known by its name", ("launch",),
        ("if event.category == CUDA_RUNTIME:", 'if event.name.startswith("cu"):'),
    ),
    WrongAnswer(EVENT_JSON, "without the name", ("ordinary",),
        ('"ph": "X", "cat": event.category, "name": event.name, "pid": context.pid, "tid": context.tid(event.thread),',
         '"ph": "X", "cat": event.category, "pid": context.pid, "tid": context.tid(event.thread),'),
    ),
    WrongAnswer(FORWARD_BACKWARD_ARROWS, "operators wait in a pile", ("rare",), (
        "forward[event.thread, event.sequence_nr] = event",
        "forward.setdefault((event.thread, event.sequence_nr), []).append(event)",
        "elif event.scope == 1 and (fwd_thread, event.sequence_nr) in forward:",
        "elif event.scope == 1 and forward.get((fwd_thread, event.sequence_nr)):",
        "operator = forward.pop((fwd_thread, event.sequence_nr))",
        "operator = forward[fwd_thread, event.sequence_nr].pop()",
    )),
    WrongAnswer(FORWARD_BACKWARD_ARROWS, "only -1 is no number", ("rare",),
        ("if event.sequence_nr < 0:", "if event.sequence_nr == -1:"),
    ),
    WrongAnswer(FORWARD_BACKWARD_ARROWS, "the number alone", ("threads",), (
        "forward[event.thread, event.sequence_nr] = event",
        "forward[0, event.sequence_nr] = event",
        "elif event.scope == 1 and (fwd_thread, event.sequence_nr) in forward:",
        "elif event.scope == 1 and (0, event.sequence_nr) in forward:",
        "operator = forward.pop((fwd_thread, event.sequence_nr))",
        "operator = forward.pop((0, event.sequence_nr))",
    )),
    WrongAnswer(FORWARD_BACKWARD_ARROWS, "numbered from 0", ("ordinary",),
        ('arrow = {"id": len(arrows) // 2 + 1, "pid": context.pid, "cat": "fwdbwd", "name": "fwdbwd"}',
         'arrow = {"id": len(arrows) // 2, "pid": context.pid, "cat": "fwdbwd", "name": "fwdbwd"}'),
    ),
    WrongAnswer(FORWARD_BACKWARD_ARROWS, "both ends bind to what is around", ("ordinary",),
        ('{"ph": "s", **arrow, "tid": context.tid(operator.thread), "ts": context.us(operator.start)},',
         '{"ph": "s", **arrow, "tid": context.tid(operator.thread), "ts": context.us(operator.start), "bp": "e"},'),
    ),
    WrongAnswer(FORWARD_BACKWARD_ARROWS, "operators that came later are found", ("rare",), """
def forward_backward_arrows(context):
    events, arrows = context.recording.events, []
    forward = {(one.thread, one.sequence_nr): one for one in events if one.sequence_nr >= 0 and not is_backward(one)}
    for event, fwd_thread in zip(events, context.fwd_threads):
        if is_backward(event) and event.scope == 1 and (fwd_thread, event.sequence_nr) in forward:
            operator = forward.pop((fwd_thread, event.sequence_nr))
            arrow = {"id": len(arrows) // 2 + 1, "pid": context.pid, "cat": "fwdbwd", "name": "fwdbwd"}
            arrows += [
                {"ph": "s", **arrow, "tid": context.tid(operator.thread), "ts": context.us(operator.start)},
                {"ph": "f", **arrow, "tid": context.tid(event.thread), "ts": context.us(event.start), "bp": "e"},
            ]
    return arrows
"""),
    WrongAnswer(FORWARD_BACKWARD_ARROWS, "from backward to forward", ("ordinary",), """
def forward_backward_arrows(context):
    forward, arrows = {}, []
    for event, fwd_thread in zip(context.recording.events, context.fwd_threads):
        if event.sequence_nr < 0:
            continue
        if not is_backward(event):
            forward[event.thread, event.sequence_nr] = event
        elif event.scope == 1 and (fwd_thread, event.sequence_nr) in forward:
            operator = forward.pop((fwd_thread, event.sequence_nr))
            arrow = {"id": len(arrows) // 2 + 1, "pid": context.pid, "cat": "fwdbwd", "name": "fwdbwd"}
            arrows += [
                {"ph": "s", **arrow, "tid": context.tid(event.thread), "ts": context.us(event.start)},
                {"ph": "f", **arrow, "tid": context.tid(operator.thread), "ts": context.us(operator.start), "bp": "e"},
            ]
    return arrows
"""),
    WrongAnswer(FORWARD_BACKWARD_ARROWS, "the operator is looked for on the node's own thread", ("threads",), (
        """
forward: dict[tuple[int, int], Event] = {}
arrows: list[Json] = []
for event, fwd_thread in zip(context.recording.events, context.fwd_threads, strict=True):
""",
        """
forward, arrows = {}, []
for event in context.recording.events:
""",
        """
elif event.scope == 1 and (fwd_thread, event.sequence_nr) in forward:
    operator = forward.pop((fwd_thread, event.sequence_nr))
""",
        """
elif event.scope == 1 and (event.thread, event.sequence_nr) in forward:
    operator = forward.pop((event.thread, event.sequence_nr))
""",
    )),
    WrongAnswer(
        FORWARD_BACKWARD_ARROWS, "the first operator of a number, not the last", ("rare",), (
        """
forward: dict[tuple[int, int], Event] = {}
arrows: list[Json] = []
for event, fwd_thread in zip(context.recording.events, context.fwd_threads, strict=True):
""",
        """
forward, arrows = {}, []
for event, fwd_thread in zip(context.recording.events, context.fwd_threads):
""",
        "forward[event.thread, event.sequence_nr] = event",
        "forward.setdefault((event.thread, event.sequence_nr), event)",
    )),
    WrongAnswer(FORWARD_BACKWARD_ARROWS, "an operator has an arrow to each of its nodes", ("rare",), (
        """
forward: dict[tuple[int, int], Event] = {}
arrows: list[Json] = []
for event, fwd_thread in zip(context.recording.events, context.fwd_threads, strict=True):
""",
        """
forward, arrows = {}, []
for event, fwd_thread in zip(context.recording.events, context.fwd_threads):
""",
        "operator = forward.pop((fwd_thread, event.sequence_nr))",
        "operator = forward[fwd_thread, event.sequence_nr]",
    )),
    WrongAnswer(FORWARD_BACKWARD_ARROWS, "to the event around the formula", ("ordinary",), (
        """
forward: dict[tuple[int, int], Event] = {}
arrows: list[Json] = []
for event, fwd_thread in zip(context.recording.events, context.fwd_threads, strict=True):
""",
        """
forward, arrows = {}, []
for event, fwd_thread in zip(context.recording.events, context.fwd_threads):
""",
        "elif event.scope == 1 and (fwd_thread, event.sequence_nr) in forward:",
        "elif (fwd_thread, event.sequence_nr) in forward:",
    )),
)  # fmt: skip
