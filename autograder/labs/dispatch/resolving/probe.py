"""Probes of the way from a key set to a kernel: dispatch_key_set, alone and in calls."""

from autograder.examine.error_data import type_name
from autograder.labs.dispatch.keys.probe import names_of_bits, set_of

NAMESPACE = "probe_resolving"


def kept_keys(engine, kernels, fallbacks, keys, *, of=None):
    """Return the keys of a set that `dispatch_key_set`, or the function `of`, keeps.

    Args:
        kernels, fallbacks: [(key, "kernel" or "fallthrough")]: the operator's registrations, and the backends'.
        keys: names of the keys in the set; "CPU bit" for a backend's bit alone.
    Returns:
        {"functionalities": names, lowest first, "backends": names, "goes to": name of the highest key} of what is left.
    """
    K, dispatcher, functions = engine.dispatch.keys.DispatchKey, engine.dispatch.dispatcher, {"kernel": print}
    functions["fallthrough"] = engine.library.fallthrough_kernel
    made = [{K[key]: dispatcher.Kernel(functions[kind]) for key, kind in given} for given in (kernels, fallbacks)]
    kept = (of or dispatcher.dispatch_key_set)(set_of(engine, keys), dispatcher.computed_table(*made))
    if type(kept) is not int or kept < 0:
        return ("not a key set", type(kept).__name__ if type(kept) is not int else "a negative number")
    mask = engine.dispatch.keys.BACKEND_MASK
    return {
        "functionalities": names_of_bits(engine, kept & ~mask),
        "backends": names_of_bits(engine, kept & mask),
        "goes to": engine.dispatch.keys.highest_key(kept).name,
    }


def call(engine, kernels, keys):
    """Call an operator and return the keys of the kernels that run, in order.

    Args:
        kernels: [(key, kind)] of one operator. A kernel of the kind "goes on" redispatches to the keys below its own,
            one of the kind "stops" returns, "fallthrough" falls through.
        keys: names of the keys that the thread includes besides a CPU tensor's.
    Returns:
        list of the keys visited, then "returned" or ("raised", type name).
    """
    K, visited = engine.dispatch.keys.DispatchKey, []
    library = engine.library.Library(NAMESPACE, "DEF")
    try:
        library.define("op(Tensor x) -> ()")
        op = getattr(engine.ops, NAMESPACE).op.default
        for key, kind in kernels:
            if kind == "fallthrough":
                library.impl("op", engine.library.fallthrough_kernel, key)
            else:
                library.impl("op", _kernel(engine, op, K[key], kind, visited), key, with_keyset=True)
        x = engine.empty(1)
        before = engine.dispatch.local.local.state
        included = engine.dispatch.keys.DispatchKeySet([K[key] for key in keys]).raw_repr()
        engine.dispatch.local.local.state = engine.dispatch.local.state_of(before.included | included, before.excluded)
        try:
            op(x)
            visited.append("returned")
        except Exception as error:
            visited.append(("raised", type_name(error)))
        finally:
            engine.dispatch.local.local.state = before
        return visited
    finally:
        library._destroy()


def _kernel(engine, op, key, kind, visited):
    below = engine.dispatch.keys.DispatchKeySet.from_raw_repr(engine.dispatch.keys.below(key))

    def kernel(key_set, x):
        visited.append(key.name)
        if len(visited) > 20:
            raise RecursionError("the call goes round in circles")
        if kind == "goes on":
            op.redispatch(key_set & below, x)

    return kernel
