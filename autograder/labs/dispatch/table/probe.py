"""Probe of the computed table: one entry of it, with kernels that are called after where they are registered."""

import importlib

FALLTHROUGH = " falls through"


def computed_kernel(engine, kernels, fallbacks, key):
    """Return the result of `computed_kernel` as {"kernel": its name or None, "origin": ...}.

    Args:
        kernels, fallbacks: names of the keys at which the operator has kernels, and at which there are fallbacks;
            "CPU falls through" for a fallthrough.
        key: name of the key that is asked.
    """
    return _asked(engine, kernels, fallbacks, key)[0]


def afterwards(engine, kernels, fallbacks, key):
    """Return the result of `computed_kernel` and, under "dicts", whether its arguments are unchanged."""
    answer, are_same = _asked(engine, kernels, fallbacks, key)
    return answer | {"dicts": "as before" if are_same else "changed"} if type(answer) is dict else answer


def _asked(engine, kernels, fallbacks, key):
    own, others = _kernels(engine, kernels, "kernel"), _kernels(engine, fallbacks, "fallback")
    before = [*own.items()], [*others.items()]
    made = _table(engine).computed_kernel(own, others, engine.dispatch.keys.DispatchKey[key])
    are_same = before == ([*own.items()], [*others.items()])
    if type(made) is not tuple or len(made) != 2:
        return ("not a tuple of two", type(made).__name__), are_same
    kernel, origin = made
    known = [one for _, one in (*before[0], *before[1]) if one is kernel]
    shown = known[0].debug if known else "another object" if isinstance(kernel, _table(engine).Kernel) else kernel
    return {"kernel": shown, "origin": origin}, are_same


def _kernels(engine, names, what):
    table = _table(engine)
    made = {}
    for name in names:
        key = name.removesuffix(FALLTHROUGH)
        function = table.fallthrough_kernel if name.endswith(FALLTHROUGH) else print
        made[engine.dispatch.keys.DispatchKey[key]] = table.Kernel(function, debug=f"{what} at {key}")
    return made


def _table(engine):
    """Return the module: `engine.dispatch.table` is the function of that name."""
    return importlib.import_module(f"{engine.__name__}.dispatch.table")
