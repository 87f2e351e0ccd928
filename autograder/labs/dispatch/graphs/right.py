"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "dispatch.tracer.general_trace_function": (
        """
def general_trace_function(entry, key_set, *arguments):
    graph = current.graph
    below_tracer = key_set & below(K.Tracer)
    if graph is None:
        return entry.redispatch(below_tracer, *arguments)
    inputs = graph.name_of(arguments)
    current.graph = None
    try:
        result = entry.redispatch(below_tracer, *arguments)
    finally:
        current.graph = graph
    match len(entry.schema.returns):
        case 0:
            outputs = []
        case 1:
            outputs = [graph.new_name(result)]
        case _:
            outputs = graph.new_name(result)
    graph.append(entry.name, inputs, outputs)
    return result
""",
        """
from contextlib import nullcontext

def general_trace_function(entry, key_set, *arguments):
    recording, guard = current.graph, nullcontext()
    if recording is not None:
        names = [recording.name_of(one) for one in arguments]
        guard = ExcludeDispatchKeyGuard(K.Tracer)
    with guard:
        result = entry.redispatch(key_set & ~(1 << K.Tracer + 15), *arguments)
    if recording is not None:
        several = result if len(entry.schema.returns) > 1 else (result,) * len(entry.schema.returns)
        recording.append(entry.name, names, list(map(recording.new_name, several)))
    return result
""",
    ),
}
