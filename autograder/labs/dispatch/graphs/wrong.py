"""Wrong answers to dispatch.tracer.general_trace_function."""

from autograder.made_up.wrong_answer import WrongAnswer

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

WRONG_ANSWERS: tuple[WrongAnswer, ...] = (
    WrongAnswer(TRACE, "records the calls inside as well", ("nested",),
                RIGHT.replace("with ExcludeDispatchKeyGuard(K.Tracer):", "if True:")),
    WrongAnswer(TRACE, "excludes Tracer without a graph, too", ("ordinary",), RIGHT.replace(
        "        return entry.redispatch(rest, *arguments)\n    inputs",
        "        with ExcludeDispatchKeyGuard(K.Tracer):\n"
        "            return entry.redispatch(rest, *arguments)\n    inputs")),
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
    WrongAnswer(TRACE, "a result keeps the name that it has", ("results",), (
        """
graph, rest = current.graph, key_set & below(K.Tracer)
if graph is None:
""",
        """
rest = key_set & below(K.Tracer)
if current.graph is None:
""",
        "inputs = [graph.name_of(argument) for argument in arguments]",
        "inputs = [current.graph.name_of(argument) for argument in arguments]",
        """
results = result if returns > 1 else [result][:returns]
graph.append(entry.name, inputs, [graph.new_name(value) for value in results])
""",
        """
results = list(result) if returns > 1 else [result] if returns else []
current.graph.append(entry.name, inputs, [current.graph.name_of(value) for value in results])
""",
    )),
    WrongAnswer(TRACE, "a list is several outputs", ("results",), (
        """
graph, rest = current.graph, key_set & below(K.Tracer)
if graph is None:
""",
        """
rest = key_set & below(K.Tracer)
if current.graph is None:
""",
        "inputs = [graph.name_of(argument) for argument in arguments]",
        "inputs = [current.graph.name_of(argument) for argument in arguments]",
        """
results = result if returns > 1 else [result][:returns]
graph.append(entry.name, inputs, [graph.new_name(value) for value in results])
""",
        """
results = list(result) if isinstance(result, (list, tuple)) else [result] if returns else []
current.graph.append(entry.name, inputs, [current.graph.new_name(value) for value in results])
""",
    )),
    WrongAnswer(TRACE, "always one output", ("results",), (
        """
graph, rest = current.graph, key_set & below(K.Tracer)
if graph is None:
""",
        """
rest = key_set & below(K.Tracer)
if current.graph is None:
""",
        "inputs = [graph.name_of(argument) for argument in arguments]",
        "inputs = [current.graph.name_of(argument) for argument in arguments]",
        """
results = result if returns > 1 else [result][:returns]
graph.append(entry.name, inputs, [graph.new_name(value) for value in results])
""",
        """
results = [result]
current.graph.append(entry.name, inputs, [current.graph.new_name(value) for value in results])
""",
    )),
    WrongAnswer(TRACE, "written down before it runs", ("ordinary", "results", "nested"), (
        """
graph, rest = current.graph, key_set & below(K.Tracer)
if graph is None:
""",
        """
rest = key_set & below(K.Tracer)
if current.graph is None:
""",
        "inputs = [graph.name_of(argument) for argument in arguments]",
        """
outputs = []
current.graph.append(entry.name, [current.graph.name_of(argument) for argument in arguments], outputs)
""",
        """
results = result if returns > 1 else [result][:returns]
graph.append(entry.name, inputs, [graph.new_name(value) for value in results])
""",
        "outputs += [current.graph.new_name(value) for value in (result if returns > 1 else [result][:returns])]",
    )),
    WrongAnswer(TRACE, "starts again with the keys of the arguments", ("ordinary",),
                RIGHT.replace("result = entry.redispatch(rest, *arguments)", "result = entry.call(*arguments)")),
    WrongAnswer(TRACE, "needs a graph", ("ordinary", "results", "nested"), RIGHT.replace("""\
    if current.graph is None:
        return entry.redispatch(rest, *arguments)
""", "")),
    WrongAnswer(TRACE, "switches the recording off and never on again", ("ordinary", "results", "nested"), (
        "graph, rest = current.graph, key_set & below(K.Tracer)",
        """
rest = key_set & below(K.Tracer)
graph, current.graph = current.graph, None
""",
        """
with ExcludeDispatchKeyGuard(K.Tracer):
    result = entry.redispatch(rest, *arguments)
""",
        "result = entry.redispatch(rest, *arguments)",
        "results = result if returns > 1 else [result][:returns]",
        "results = list(result) if returns > 1 else [result] if returns else []",
    )),
    WrongAnswer(TRACE, "on again only if nothing was raised", ("nested",), (
        "graph, rest = current.graph, key_set & below(K.Tracer)",
        """
rest = key_set & below(K.Tracer)
graph = current.graph
""",
        """
with ExcludeDispatchKeyGuard(K.Tracer):
    result = entry.redispatch(rest, *arguments)
""",
        """
current.graph = None
result = entry.redispatch(rest, *arguments)
current.graph = graph
""",
        "results = result if returns > 1 else [result][:returns]",
        "results = list(result) if returns > 1 else [result] if returns else []",
    )),
    WrongAnswer(TRACE, "redispatches to its own key", ("ordinary", "results", "nested"), (
        """
graph, rest = current.graph, key_set & below(K.Tracer)
if graph is None:
""",
        """
rest = key_set
if current.graph is None:
""",
        "inputs = [graph.name_of(argument) for argument in arguments]",
        "inputs = [current.graph.name_of(argument) for argument in arguments]",
        """
results = result if returns > 1 else [result][:returns]
graph.append(entry.name, inputs, [graph.new_name(value) for value in results])
""",
        """
results = list(result) if returns > 1 else [result] if returns else []
current.graph.append(entry.name, inputs, [current.graph.new_name(value) for value in results])
""",
    )),
)  # fmt: skip

WRONG_ANSWERS += (
    WrongAnswer(
        TRACE,
        "None is no output",
        ("results",),
        (
            "results = result if returns > 1 else [result][:returns]",
            "results = result if returns > 1 else [] if result is None else [result]",
        ),
    ),
    WrongAnswer(
        TRACE,
        "a zero is no output",
        ("results",),
        (
            "results = result if returns > 1 else [result][:returns]",
            """
results = result if returns > 1 else [result][:returns]
if type(result) is int and not result:
    results = []
""",
        ),
    ),
    WrongAnswer(
        TRACE,
        "only tensors are outputs",
        ("results",),
        (
            "graph.append(entry.name, inputs, [graph.new_name(value) for value in results])",
            """
results = [value for value in results if isinstance(value, (Tensor, list))]
graph.append(entry.name, inputs, [graph.new_name(value) for value in results])
""",
        ),
    ),
    WrongAnswer(
        TRACE,
        "recording is switched on again only after an Exception",
        ("nested",),
        (
            """
with ExcludeDispatchKeyGuard(K.Tracer):
    result = entry.redispatch(rest, *arguments)
""",
            """
current.graph = None
try:
    result = entry.redispatch(rest, *arguments)
except Exception:
    current.graph = graph
    raise
current.graph = graph
""",
        ),
    ),
    WrongAnswer(
        TRACE,
        "a KeyboardInterrupt leaves the key excluded",
        ("nested",),
        (
            """
with ExcludeDispatchKeyGuard(K.Tracer):
    result = entry.redispatch(rest, *arguments)
""",
            """
guard = ExcludeDispatchKeyGuard(K.Tracer)
guard.__enter__()
try:
    result = entry.redispatch(rest, *arguments)
except Exception:
    guard.__exit__(None, None, None)
    raise
guard.__exit__(None, None, None)
""",
        ),
    ),
    WrongAnswer(
        TRACE,
        "autograd is switched off inside",
        ("nested",),
        (
            "with ExcludeDispatchKeyGuard(K.Tracer):",
            "with ExcludeDispatchKeyGuard(K.Tracer), ExcludeDispatchKeyGuard(K.AutogradCPU):",
        ),
    ),
    WrongAnswer(
        TRACE,
        "what raises is written down without outputs",
        ("nested",),
        (
            """
with ExcludeDispatchKeyGuard(K.Tracer):
    result = entry.redispatch(rest, *arguments)
""",
            """
try:
    with ExcludeDispatchKeyGuard(K.Tracer):
        result = entry.redispatch(rest, *arguments)
except BaseException:
    graph.append(entry.name, inputs, [])
    raise
""",
        ),
    ),
    WrongAnswer(
        TRACE,
        "a list comes back where there are several results",
        ("results",),
        ("return result", "return list(result) if returns > 1 else result"),
    ),
    WrongAnswer(
        TRACE,
        "the inputs are named only where the operator does not raise",
        ("nested",),
        (
            """
inputs = [graph.name_of(argument) for argument in arguments]
with ExcludeDispatchKeyGuard(K.Tracer):
    result = entry.redispatch(rest, *arguments)
""",
            """
count, names = graph.count, dict(graph.names)
inputs = [graph.name_of(argument) for argument in arguments]
try:
    with ExcludeDispatchKeyGuard(K.Tracer):
        result = entry.redispatch(rest, *arguments)
except BaseException:
    graph.count, graph.names = count, names
    raise
""",
        ),
    ),
    WrongAnswer(
        TRACE,
        "lists of tensors are not named",
        ("ordinary",),
        (
            "inputs = [graph.name_of(argument) for argument in arguments]",
            "inputs = [graph.name_of(one) if isinstance(one, Tensor) else one for one in arguments]",
        ),
    ),
)
