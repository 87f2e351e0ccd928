"""Probe of registration: a program of registrations on one operator, and what is there after each of them."""

from autograder.examine.raised import type_name


def program(engine, steps):
    """Return what an operator holds after each step, and which kernels its calls reach.

    Args:
        steps: ("def", schema, tags, debug), ("impl", key, label): a new kernel of that label,
            ("impl again", key, number): a new kernel with the function of the kernel of that number,
            ("undo", key, number), ("call", key) and ("redispatch", key).
    Returns:
        list, for each step: the label that a call gave; of the others what there is afterwards, or the error's type
        and what there is: (schema, tags, debug, {key: labels of its kernels}).
    Raises:
        NotImplementedError: a method is not written yet.
    """
    dispatcher, K = engine.dispatch.dispatcher, engine.dispatch.keys.DispatchKey
    entry, kernels, seen = dispatcher.OperatorEntry("probe::op"), [], []
    for kind, *arguments in steps:
        if kind in ("call", "redispatch"):
            seen.append(_call(engine, entry, kind, K[arguments[0]]))
            continue
        raised = ()
        try:
            if kind == "def":
                text, tags, debug = arguments
                entry.register_schema(engine.dispatch.schema.parse_schema(text), tags, debug)
            elif kind == "undo":
                entry.deregister_kernel(K[arguments[0]], kernels[arguments[1]])
            else:
                key, of = arguments
                kernels.append(
                    dispatcher.Kernel(_labelled(of) if kind == "impl" else kernels[of].function, debug=str(of))
                )
                entry.register_kernel(K[key], kernels[-1])
        except (NotImplementedError, NameError):
            raise
        except Exception as error:
            raised = ("raised", type_name(error))
        seen.append((*raised, *_contents(entry)))
    return seen


def _labelled(label):
    return lambda: label


def _contents(entry):
    kernels = {}
    for key, registered in entry.registered.items():
        kernels[key.name] = [kernel.debug for kernel in registered]
    return (
        "no schema" if entry.schema is None else str(entry.schema),
        entry.tags if type(entry.tags) in (tuple, list) else type(entry.tags).__name__,
        entry.debug,
        kernels,
    )


def _call(engine, entry, kind, key):
    resolved = entry.calls if kind == "call" else entry.redispatches
    try:
        return resolved[engine.dispatch.keys.bits(key)]()
    except Exception as error:
        return ("raised", type_name(error))
