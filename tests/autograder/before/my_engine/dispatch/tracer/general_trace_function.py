def general_trace_function(entry: OperatorEntry, key_set: int, *arguments: Any) -> Any:
    """The kernel of every operator at the key Tracer: records the call in the thread's graph, and goes on below.

    `current.graph` is the graph of this thread, or None while nothing is recorded: then it only goes on. It writes
    the call down as `graph.append(name, inputs, outputs)`. The inputs get their names, by `graph.name_of`, before the
    operator runs, and the result its name, by `graph.new_name`, afterwards: an operator may write into an argument
    and return it. There are as many outputs as `entry.schema.returns` is long: none, if the operator returns None; one;
    or several, which come in a tuple. A call that raises is not written down. Calls that the operator makes inside, on
    its way below, do not come here: its own line stands for them.

    Args:
        entry: the operator; `entry.name` is its name.
        key_set: the bits of the call, of which Tracer is the highest key.
        arguments: all arguments, in the order of the schema.
    Returns:
        what the operator returns: `entry.redispatch(rest, *arguments)`, with what `key_set` has below Tracer.

    Source: general_trace_function (torch/csrc/autograd/TraceTypeManual.cpp).
    """
    graph, rest = current.graph, key_set & below(K.Tracer)
    if graph is None:
        return entry.redispatch(rest, *arguments)
    inputs = [graph.name_of(argument) for argument in arguments]
    with ExcludeDispatchKeyGuard(K.Tracer):
        result = entry.redispatch(rest, *arguments)
    returns = len(entry.schema.returns)  # type: ignore[union-attr]
    results = result if returns > 1 else [result][:returns]
    graph.append(entry.name, inputs, [graph.new_name(value) for value in results])
    return result
