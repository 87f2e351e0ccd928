"""Wrong answers about the chrome trace: event_json, forward_backward_arrows."""

from autograder.mutants.model import WrongAnswer

EVENT = "profiler.chrome_trace.event_json"
ARROWS = "profiler.chrome_trace.forward_backward_arrows"

WRONG_ANSWERS = (
    WrongAnswer(EVENT, "the length is in nanoseconds", ("ordinary", "details", "launch"), """
def event_json(context, number):
    event = context.recording.events[number]
    args = {"External id": number + 1, "Record function id": 0}
    if event.category == CUDA_RUNTIME:
        args = {"External id": context.operator(number) + 1, "cbid": 211, "correlation": number + 1}
    if event.sequence_nr >= 0:
        args |= {"Sequence number": event.sequence_nr, "Fwd thread id": context.fwd_threads[number]}
    if event.inputs:
        args |= inputs_json(event.inputs)
    if event.stack:
        args["Call stack"] = ";".join(event.stack)
    args["Ev Idx"] = number
    return {"ph": "X", "cat": event.category, "name": event.name, "pid": context.pid, "tid": context.tid(event.thread),
            "ts": context.us(event.start), "dur": event.end - event.start, "args": args}
"""),
    WrongAnswer(EVENT, "the sequence number 0 is none", ("details",), """
def event_json(context, number):
    event = context.recording.events[number]
    args = {"External id": number + 1, "Record function id": 0}
    if event.category == CUDA_RUNTIME:
        args = {"External id": context.operator(number) + 1, "cbid": 211, "correlation": number + 1}
    if event.sequence_nr > 0:
        args |= {"Sequence number": event.sequence_nr, "Fwd thread id": context.fwd_threads[number]}
    if event.inputs:
        args |= inputs_json(event.inputs)
    if event.stack:
        args["Call stack"] = ";".join(event.stack)
    args["Ev Idx"] = number
    return {"ph": "X", "cat": event.category, "name": event.name, "pid": context.pid, "tid": context.tid(event.thread),
            "ts": context.us(event.start), "dur": context.us(event.end) - context.us(event.start), "args": args}
"""),
    WrongAnswer(EVENT, "a launch carries its own id", ("launch",), """
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
    WrongAnswer(EVENT, "the recording's numbers of threads", ("ordinary", "details", "launch"), """
def event_json(context, number):
    event = context.recording.events[number]
    args = {"External id": number + 1, "Record function id": 0}
    if event.category == CUDA_RUNTIME:
        args = {"External id": context.operator(number) + 1, "cbid": 211, "correlation": number + 1}
    if event.sequence_nr >= 0:
        args |= {"Sequence number": event.sequence_nr, "Fwd thread id": context.fwd_threads[number]}
    if event.inputs:
        args |= inputs_json(event.inputs)
    if event.stack:
        args["Call stack"] = ";".join(event.stack)
    args["Ev Idx"] = number
    return {"ph": "X", "cat": event.category, "name": event.name, "pid": context.pid, "tid": event.thread,
            "ts": context.us(event.start), "dur": (event.end - event.start) / 1000, "args": args}
"""),
    WrongAnswer(ARROWS, "from backward to forward", ("ordinary", "threads", "rare"), """
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
    WrongAnswer(ARROWS, "the operator is looked for on the node's own thread", ("threads",), """
def forward_backward_arrows(context):
    forward, arrows = {}, []
    for event in context.recording.events:
        if event.sequence_nr < 0:
            continue
        if not is_backward(event):
            forward[event.thread, event.sequence_nr] = event
        elif event.scope == 1 and (event.thread, event.sequence_nr) in forward:
            operator = forward.pop((event.thread, event.sequence_nr))
            arrow = {"id": len(arrows) // 2 + 1, "pid": context.pid, "cat": "fwdbwd", "name": "fwdbwd"}
            arrows += [
                {"ph": "s", **arrow, "tid": context.tid(operator.thread), "ts": context.us(operator.start)},
                {"ph": "f", **arrow, "tid": context.tid(event.thread), "ts": context.us(event.start), "bp": "e"},
            ]
    return arrows
"""),
    WrongAnswer(ARROWS, "the first operator of a number, not the last", ("ordinary", "threads", "rare"), """
def forward_backward_arrows(context):
    forward, arrows = {}, []
    for event, fwd_thread in zip(context.recording.events, context.fwd_threads):
        if event.sequence_nr < 0:
            continue
        if not is_backward(event):
            forward.setdefault((event.thread, event.sequence_nr), event)
        elif event.scope == 1 and (fwd_thread, event.sequence_nr) in forward:
            operator = forward.pop((fwd_thread, event.sequence_nr))
            arrow = {"id": len(arrows) // 2 + 1, "pid": context.pid, "cat": "fwdbwd", "name": "fwdbwd"}
            arrows += [
                {"ph": "s", **arrow, "tid": context.tid(operator.thread), "ts": context.us(operator.start)},
                {"ph": "f", **arrow, "tid": context.tid(event.thread), "ts": context.us(event.start), "bp": "e"},
            ]
    return arrows
"""),
    WrongAnswer(ARROWS, "an operator has an arrow to each of its nodes", ("rare",), """
def forward_backward_arrows(context):
    forward, arrows = {}, []
    for event, fwd_thread in zip(context.recording.events, context.fwd_threads):
        if event.sequence_nr < 0:
            continue
        if not is_backward(event):
            forward[event.thread, event.sequence_nr] = event
        elif event.scope == 1 and (fwd_thread, event.sequence_nr) in forward:
            operator = forward[fwd_thread, event.sequence_nr]
            arrow = {"id": len(arrows) // 2 + 1, "pid": context.pid, "cat": "fwdbwd", "name": "fwdbwd"}
            arrows += [
                {"ph": "s", **arrow, "tid": context.tid(operator.thread), "ts": context.us(operator.start)},
                {"ph": "f", **arrow, "tid": context.tid(event.thread), "ts": context.us(event.start), "bp": "e"},
            ]
    return arrows
"""),
    WrongAnswer(ARROWS, "to the event around the formula", ("ordinary", "threads", "rare"), """
def forward_backward_arrows(context):
    forward, arrows = {}, []
    for event, fwd_thread in zip(context.recording.events, context.fwd_threads):
        if event.sequence_nr < 0:
            continue
        if not is_backward(event):
            forward[event.thread, event.sequence_nr] = event
        elif (fwd_thread, event.sequence_nr) in forward:
            operator = forward.pop((fwd_thread, event.sequence_nr))
            arrow = {"id": len(arrows) // 2 + 1, "pid": context.pid, "cat": "fwdbwd", "name": "fwdbwd"}
            arrows += [
                {"ph": "s", **arrow, "tid": context.tid(operator.thread), "ts": context.us(operator.start)},
                {"ph": "f", **arrow, "tid": context.tid(event.thread), "ts": context.us(event.start), "bp": "e"},
            ]
    return arrows
"""),
)  # fmt: skip
