"""Probe of the tracing kernel: a program of calls, the graph that was recorded, and which kernels ran."""

from autograder.examine.error_data import type_name

NAMESPACE = "probe"
INSIDE = {"outer": ("one", "two", "deep"), "deep": ("one",), "records": ("one",)}  # what operators call
SCHEMAS = (
    "one(Tensor x, int n=1) -> Tensor", "two(Tensor x) -> (Tensor, Tensor)", "none(Tensor x) -> ()",
    "join(Tensor[] xs, Tensor? y=None) -> Tensor", "split(Tensor x, int n) -> Tensor[]",
    "write_(Tensor(a!) x, float y) -> Tensor(a!)", "outer(Tensor x) -> Tensor", "fails(Tensor x) -> Tensor",
    "deep(Tensor x) -> Tensor", "maybe(Tensor x, bool b) -> Tensor?", "half(Tensor x) -> (Tensor, Tensor)",
    "count(Tensor x, int n) -> int", "stops(Tensor x) -> Tensor", "spreads(Tensor x) -> Tensor[]",
    "records(Tensor x) -> int",
)  # fmt: skip


class Planned(KeyboardInterrupt):
    """A KeyboardInterrupt that an operator raises on purpose."""


def record(engine, is_recording, calls):
    """Run a program of calls; return the recorded graph, the calls' results, and which kernels ran.

    Args:
        is_recording: whether they are inside `tracing()`, or only the key Tracer is included.
        calls: (operator, arguments) or (operator, arguments, keys): with keys, the kernel itself is called with that
            set. "@0" is a tensor; results are @2, @3, ... in the order in which they come.
    Returns:
        {"graph": [(operator, inputs, outputs)], "results": {call: its result, or the error}, "ran": [operator@key],
        "thread": what calls have left changed there}.
    Raises:
        NotImplementedError: the kernel is not written yet.
    """
    tracer, local = engine.dispatch.tracer, engine.dispatch.local
    before, graph_before = local.local.state, tracer.current.graph
    library, ran = engine.library.Library(NAMESPACE, "DEF"), []
    try:
        _define(engine, library, {name for call in calls for name in (call[0], *INSIDE.get(call[0], ()))}, ran)
        tensors, results, changed = [engine.empty(1), engine.empty(1)], {}, []
        graph = tracer.current.graph = tracer.Graph() if is_recording else None
        tracing = local.state_of(before.included | engine.dispatch.keys.bits(tracer.K.Tracer), before.excluded)
        for number, call in enumerate(calls, 1):
            local.local.state = tracing
            place = f"{number}. {call[0]}"
            results[place] = _called(engine, call, tensors)
            changed += [] if local.local.state is tracing else [f"{place} has changed the keys of the thread"]
            changed += [] if tracer.current.graph is graph else [f"{place} has changed `current.graph`"]
        nodes = [(node.op, node.inputs, node.outputs) for node in graph.nodes] if graph else []
        nodes = [tuple(_plain(engine, part, tensors) for part in node) for node in nodes]
        return {"graph": nodes, "results": results, "ran": ran, "thread": changed or "as before"}
    finally:
        local.local.state, tracer.current.graph = before, graph_before
        library._destroy()


def _define(engine, library, names, ran):
    ops = getattr(engine.ops, NAMESPACE)
    below = engine.dispatch.keys.DispatchKeySet.from_raw_repr(engine.dispatch.keys.AFTER_AUTOGRAD)
    new = engine.empty(1)._alias

    def made(*_):
        return new((1,), (1,), 0)

    def fails(x):
        raise ValueError("planned")

    def stops(x):
        raise Planned("planned")

    def records(x):
        with engine.dispatch.tracer.tracing() as graph:
            ops.one(x)
        return len(graph.nodes)

    kernels = {
        "one": made, "two": lambda x: (made(), made()), "none": lambda x: None, "join": made,
        "split": lambda x, n: [made() for _ in range(n)], "write_": lambda x, y: x, "fails": fails, "deep": made,
        "outer": lambda x: ops.one(ops.deep(ops.two(x)[1])), "maybe": lambda x, b: x if b else None,
        "half": lambda x: (made(), None), "count": lambda x, n: n, "stops": stops, "spreads": lambda x: [x, made()],
        "records": records,
    }  # fmt: skip

    def logged(name, kernel):
        def run(*arguments):
            ran.append(f"{name}@CPU")
            return kernel(*arguments)

        return run

    def autograd(key_set, x):
        ran.append("deep@AutogradCPU")
        ops.one(x)
        return ops.deep.default.redispatch(key_set & below, x)

    for schema in SCHEMAS:
        name = schema.partition("(")[0]
        if name in names:
            library.define(schema)
            library.impl(name, logged(name, kernels[name]), "CPU")
    if "deep" in names:
        library.impl("deep", autograd, "AutogradCPU", with_keyset=True)


def _called(engine, call, tensors):
    name, arguments, *keys = call
    entry = engine.dispatch.registry.find(f"{NAMESPACE}::{name}")
    arguments = [_given(argument, tensors) for argument in arguments]
    try:
        if keys:
            K = engine.dispatch.keys
            key_set = K.DispatchKeySet([K.DispatchKey[key] for key in keys[0]]).raw_repr()
            result = engine.dispatch.tracer.general_trace_function(entry, key_set, *arguments)
        else:
            result = entry.call(*arguments)
    except (ValueError, Planned) as error:  # any other ends the program, and its message is shown
        return ("raised", type_name(error) if type(error) is ValueError else "KeyboardInterrupt")
    _remember(engine, result, tensors)
    return _plain(engine, result, tensors)


def _given(value, tensors):
    if isinstance(value, (list, tuple)):
        return tuple(_given(entry, tensors) for entry in value)
    return tensors[int(value[1:])] if isinstance(value, str) and value.startswith("@") else value


def _remember(engine, result, tensors):
    for value in result if isinstance(result, (list, tuple)) else [result]:
        if isinstance(value, engine.Tensor) and not any(value is known for known in tensors):
            tensors.append(value)


def _plain(engine, value, tensors):
    if type(value) in (list, tuple):
        return type(value)(_plain(engine, entry, tensors) for entry in value)
    if isinstance(value, engine.Tensor):
        return next((f"@{number}" for number, tensor in enumerate(tensors) if tensor is value), "another tensor")
    return value if type(value) in (type(None), bool, int, float, str) else type(value).__name__
