"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "profiler.chrome_trace.event_json": """
def event_json(context, number):
    event = context.recording.events[number]
    is_launch = event.category == CUDA_RUNTIME
    args = {"Ev Idx": number, "External id": (context.operator(number) if is_launch else number) + 1}
    args.update({"cbid": 211, "correlation": number + 1} if is_launch else {"Record function id": 0})
    if not event.sequence_nr < 0:
        args["Fwd thread id"] = context.fwd_threads[number]
        args["Sequence number"] = event.sequence_nr
    args.update(inputs_json(event.inputs) if len(event.inputs) else {})
    text = ""
    for entry in event.stack:
        text += ";" + entry
    if text:
        args["Call stack"] = text[1:]
    begin, end = context.us(event.start), context.us(event.end)
    return dict(
        name=event.name, cat=event.category, ph="X", args=args, ts=begin, dur=end - begin,
        pid=context.pid, tid=context.tid(event.thread),
    )
""",
    "profiler.chrome_trace.forward_backward_arrows": """
def forward_backward_arrows(context):
    events, taken, arrows = context.recording.events, set(), []

    def end(event, phase, **more):
        where = {"tid": context.tid(event.thread), "ts": context.us(event.start), "pid": context.pid}
        return {"ph": phase, "id": 1 + len(arrows) // 2, "cat": "fwdbwd", "name": "fwdbwd", **where, **more}

    for place, node in enumerate(events):
        if node.sequence_nr < 0 or node.scope != 1:
            continue
        wanted = context.fwd_threads[place], node.sequence_nr
        for earlier in range(place - 1, -1, -1):
            one = events[earlier]
            if (one.thread, one.sequence_nr) == wanted and not is_backward(one):
                if earlier not in taken:
                    taken.add(earlier)
                    arrows.extend([end(one, "s"), end(node, "f", bp="e")])
                break
    return arrows
""",
}
