"""Probes of the table of kernels and of the call, with kernels that only say which one ran."""

import contextlib

from autograder.examine.raised import type_name


@contextlib.contextmanager
def fresh_table(tiny, keys=None):
    """Inside, the module has an empty table, and the keys given, highest priority first."""
    table, before = tiny.TABLE, list(tiny.KEYS)
    tiny.TABLE = tiny.Table()
    tiny.KEYS[:] = keys or before
    try:
        yield tiny.TABLE
    finally:
        tiny.TABLE, tiny.KEYS[:] = table, before


def fill(engine, keys, program):
    """Take the steps ("register", op, key, name) and ("find", op, keys) on a new table; return what each gives."""
    tiny, kernels, seen = engine.tiny_tensor, {}, {}
    with fresh_table(tiny, keys):
        table = tiny.Table()
        for number, (kind, op, at, *name) in enumerate(program, start=1):
            step = f"{number}. {kind} {op} {at}" + "".join(f" {each}" for each in name)
            try:
                if kind == "register":
                    kernel = kernels.setdefault(name[0], lambda *args, name=name[0]: name)
                    table.register(op, at, kernel)
                    seen[step] = "registered"
                else:
                    found = table.find(op, set(at))
                    seen[step] = next((name for name, kernel in kernels.items() if kernel is found), "something else")
            except (RuntimeError, KeyError) as error:
                if type(error) is NotImplementedError and str(error) in ("Table", "Table.register", "Table.find"):
                    raise  # the stub's
                seen[step] = ("raised", type_name(error))
    return seen


def choose(engine, keys, registered, arguments, below):
    """Call an operator "op" that has kernels for the keys `registered`; return which one ran, and with what.

    Args:
        keys: all keys, highest priority first.
        arguments: for each tensor its keys.
        below: of the call; "" to leave it out.
    """
    tiny, ran = engine.tiny_tensor, []
    tensors = [tiny.Tensor([float(number)], (1,), keys=of_one) for number, of_one in enumerate(arguments)]
    result = object()

    def kernel_of(key):
        def kernel(*args):
            ran.append((key, [next((n for n, x in enumerate(tensors) if x is arg), "another") for arg in args]))
            return result

        return kernel

    with fresh_table(tiny, keys) as table:
        for key in registered:
            table.register("op", key, kernel_of(key))
        table.register("another op", keys[0], kernel_of("of another operator"))
        try:
            got = tiny.call("op", *tensors, **({"below": below} if below else {}))
        except NotImplementedError as error:
            if str(error) == "call":
                raise  # the stub's
            return {"raised": type_name(error), "ran": ran}
    return {
        "ran": ran,
        "returned": "what the kernel returned" if got is result else "something else",
        "keys afterwards": [sorted(x.keys) for x in tensors],
    }
