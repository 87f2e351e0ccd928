"""Wrong answers to the tracing kernel."""

from autograder.mutants.model import WrongAnswer

TRACE = "dispatch.tracer.general_trace_function"
RIGHT = """
def general_trace_function(entry, key_set, *arguments):
    rest = key_set & below(K.Tracer)
    if current.graph is None:
        return entry.redispatch(rest, *arguments)
    inputs = [current.graph.name_of(argument) for argument in arguments]
    with ExcludeDispatchKeyGuard(K.Tracer):
        result = entry.redispatch(rest, *arguments)
    returns = len(entry.schema.returns)
    results = list(result) if returns > 1 else [result] if returns else []
    current.graph.append(entry.name, inputs, [current.graph.new_name(value) for value in results])
    return result
"""

WRONG_ANSWERS = (
    WrongAnswer(TRACE, "records the calls inside as well", ("nested",),
                RIGHT.replace("with ExcludeDispatchKeyGuard(K.Tracer):", "if True:")),
    WrongAnswer(TRACE, "the inputs are named afterwards", ("ordinary", "results", "nested"), """
def general_trace_function(entry, key_set, *arguments):
    rest = key_set & below(K.Tracer)
    if current.graph is None:
        return entry.redispatch(rest, *arguments)
    with ExcludeDispatchKeyGuard(K.Tracer):
        result = entry.redispatch(rest, *arguments)
    returns = len(entry.schema.returns)
    results = list(result) if returns > 1 else [result] if returns else []
    outputs = [current.graph.new_name(value) for value in results]
    current.graph.append(entry.name, [current.graph.name_of(argument) for argument in arguments], outputs)
    return result
"""),
    WrongAnswer(TRACE, "a result keeps the name that it has", ("results",), RIGHT.replace("new_name", "name_of")),
    WrongAnswer(TRACE, "a list is several outputs", ("results",),
                RIGHT.replace("list(result) if returns > 1", "list(result) if isinstance(result, (list, tuple))")),
    WrongAnswer(TRACE, "always one output", ("results",),
                RIGHT.replace("list(result) if returns > 1 else [result] if returns else []", "[result]")),
    WrongAnswer(TRACE, "written down before it runs", ("ordinary", "results", "nested"), """
def general_trace_function(entry, key_set, *arguments):
    rest = key_set & below(K.Tracer)
    if current.graph is None:
        return entry.redispatch(rest, *arguments)
    outputs = []
    current.graph.append(entry.name, [current.graph.name_of(argument) for argument in arguments], outputs)
    with ExcludeDispatchKeyGuard(K.Tracer):
        result = entry.redispatch(rest, *arguments)
    returns = len(entry.schema.returns)
    outputs += [current.graph.new_name(value) for value in (result if returns > 1 else [result][:returns])]
    return result
"""),
    WrongAnswer(TRACE, "starts again with the keys of the arguments", ("ordinary",),
                RIGHT.replace("result = entry.redispatch(rest, *arguments)", "result = entry.call(*arguments)")),
    WrongAnswer(TRACE, "needs a graph", ("ordinary", "results", "nested"), RIGHT.replace("""\
    if current.graph is None:
        return entry.redispatch(rest, *arguments)
""", "")),
    WrongAnswer(TRACE, "switches the recording off and never on again", ("ordinary", "results", "nested"), """
def general_trace_function(entry, key_set, *arguments):
    rest = key_set & below(K.Tracer)
    graph, current.graph = current.graph, None
    if graph is None:
        return entry.redispatch(rest, *arguments)
    inputs = [graph.name_of(argument) for argument in arguments]
    result = entry.redispatch(rest, *arguments)
    returns = len(entry.schema.returns)
    results = list(result) if returns > 1 else [result] if returns else []
    graph.append(entry.name, inputs, [graph.new_name(value) for value in results])
    return result
"""),
    WrongAnswer(TRACE, "on again only if nothing was raised", ("nested",), """
def general_trace_function(entry, key_set, *arguments):
    rest = key_set & below(K.Tracer)
    graph = current.graph
    if graph is None:
        return entry.redispatch(rest, *arguments)
    inputs = [graph.name_of(argument) for argument in arguments]
    current.graph = None
    result = entry.redispatch(rest, *arguments)
    current.graph = graph
    returns = len(entry.schema.returns)
    results = list(result) if returns > 1 else [result] if returns else []
    graph.append(entry.name, inputs, [graph.new_name(value) for value in results])
    return result
"""),
    WrongAnswer(TRACE, "redispatches to its own key", ("ordinary", "results", "nested"),
                RIGHT.replace("    rest = key_set & below(K.Tracer)\n", "    rest = key_set\n")),
)  # fmt: skip
