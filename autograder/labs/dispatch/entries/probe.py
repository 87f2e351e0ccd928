"""Probes of registration: a program of registrations on one operator, and what is there after each of them."""

from autograder.examine.error_data import type_name


def program(engine, steps):
    """Run registrations and calls on one operator; return its contents after each step and the kernels reached.

    Args:
        steps: ("def", schema, tags, debug), ("def once", ...): the same with tags from an iterator,
            ("impl", key, label): a new kernel of that label,
            ("impl again", key, number): a new kernel with the function of the kernel of that number,
            ("impl same", key, number): the kernel of that number itself,
            ("undo", key, number), ("call", key) and ("redispatch", key).
    Returns:
        {step: the label that a call gave, or what there is afterwards}: schema, tags, debug and the labels of each
        key's kernels, and under "raised" the error's type, if there was one, and under "resolved" whether what calls
        had resolved is still there.
    Raises:
        NotImplementedError: a method is not written yet.
    """
    return _run(engine, steps, _contents)


def program_with_dicts(engine, steps):
    """Run `program`, but report only whether the operator's `calls` and `redispatches` are the same dicts."""
    return _run(engine, steps, None)


def message(engine, steps):
    """Report which step is refused, and whether the message contains the `debug` text of the first step."""
    entry = engine.dispatch.registry.OperatorEntry("probe::op")
    for number, (_, text, tags, debug) in enumerate(steps):
        schema = engine.dispatch.schema.parse_schema(text)
        try:
            entry.register_schema(schema, tags, debug)
        except RuntimeError as error:
            type_name(error)  # shows its text
            names = steps[0][3] in str(error)
            return f"step {number + 1} refused, {'with' if names else 'without'} the first place in the message"
    return "nothing refused"


def _run(engine, steps, contents):
    registry, K = engine.dispatch.registry, engine.dispatch.keys.DispatchKey
    entry, kernels, seen = registry.OperatorEntry("probe::op"), [], {}
    dicts = entry.calls, entry.redispatches
    for number, (kind, *arguments) in enumerate(steps, 1):
        place = f"step {number}, {kind}" + (f" {arguments[0]}" if not kind.startswith("def") else "")
        if kind in ("call", "redispatch"):
            seen[place] = _call(engine, entry, kind, K[arguments[0]])
            continue
        raised, resolved = {}, (len(entry.calls), len(entry.redispatches))
        try:
            if kind.startswith("def"):
                text, tags, debug = arguments
                tags = iter(tags) if kind == "def once" else tags
                entry.register_schema(engine.dispatch.schema.parse_schema(text), tags, debug)
            elif kind == "undo":
                entry.deregister_kernel(K[arguments[0]], kernels[arguments[1]])
            else:
                key, of = arguments
                kernels.append(_kernel(registry, kind, of, kernels))
                entry.register_kernel(K[key], kernels[-1])
        except (NotImplementedError, NameError):
            raise
        except Exception as error:
            raised = {"raised": type_name(error)}
        is_same = entry.calls is dicts[0] and entry.redispatches is dicts[1]
        if raised:
            is_kept = resolved == (len(entry.calls), len(entry.redispatches))
            raised["resolved"] = "as before" if is_kept else "changed"
        seen[place] = {**raised, **contents(entry)} if contents else ("the same dicts" if is_same else "other dicts")
    return seen


def _kernel(registry, kind, of, kernels):
    if kind == "impl same":
        return kernels[of]
    return registry.Kernel(_labelled(of) if kind == "impl" else kernels[of].function, debug=str(of))


def _labelled(label):
    return lambda: label


def _contents(entry):
    kernels = {}
    for key, registered in entry.registered.items():
        is_list = type(registered) is list
        kernels[key.name] = [kernel.debug for kernel in registered] if is_list else type(registered).__name__
    return {
        "schema": "no schema" if entry.schema is None else str(entry.schema),
        "tags": entry.tags if type(entry.tags) in (tuple, list) else type(entry.tags).__name__,
        "debug": entry.debug,
        "kernels": kernels,
    }


def _call(engine, entry, kind, key):
    resolved = entry.calls if kind == "call" else entry.redispatches
    try:
        return resolved[engine.dispatch.keys.bits(key)]()
    except Exception as error:
        return ("raised", type_name(error))
