"""Probe of the computed table: one entry of it, with kernels that are called after where they are registered."""

import importlib

FALLTHROUGH = " falls through"


def computed_kernel(engine, kernels, fallbacks, key):
    """(name of the kernel or None, origin) that `computed_kernel` gives.

    Args:
        kernels, fallbacks: names of the keys at which the operator has kernels, and at which there are fallbacks;
            "CPU falls through" for a fallthrough.
        key: name of the key that is asked.
    """
    own, others = _kernels(engine, kernels, "kernel"), _kernels(engine, fallbacks, "fallback")
    table = _table(engine)
    kernel, origin = table.computed_kernel(own, others, engine.dispatch.keys.DispatchKey[key])
    return kernel.debug if isinstance(kernel, table.Kernel) else kernel, origin


def _kernels(engine, names, what):
    table = _table(engine)
    made = {}
    for name in names:
        key = name.removesuffix(FALLTHROUGH)
        function = table.fallthrough_kernel if name.endswith(FALLTHROUGH) else print
        made[engine.dispatch.keys.DispatchKey[key]] = table.Kernel(function, debug=f"{what} at {key}")
    return made


def _table(engine):
    """The module: `engine.dispatch.table` is the function of that name."""
    return importlib.import_module(f"{engine.__name__}.dispatch.table")
