"""Probes of the table of kernels and of the call, with kernels that only say which one ran."""

import contextlib

from autograder.examine.error_data import type_name


@contextlib.contextmanager
def fresh_table(tiny, keys=None):
    """Install an empty table in the module inside the block, and `keys`, highest priority first, if given."""
    table, before = tiny.TABLE, list(tiny.KEYS)
    tiny.TABLE = tiny.Table()
    tiny.KEYS[:] = keys or before
    try:
        yield tiny.TABLE
    finally:
        tiny.TABLE, tiny.KEYS[:] = table, before


def fill(engine, keys, program):
    """Run the steps ("register", op, key, name) and ("find", op, keys) on a new table; return the result of each.

    ("new table",) goes on with another table, ("insert key", key) puts a key before all others.
    """
    tiny, kernels, seen = engine.tiny_tensor, {}, {}
    with fresh_table(tiny, keys):
        table = tiny.Table()
        for number, (kind, *more) in enumerate(program, start=1):
            if kind == "new table":
                table = tiny.Table()
            elif kind == "insert key":
                tiny.KEYS.insert(0, *more)
            else:
                order = list(tiny.KEYS)
                gives = _step(table, kernels, kind, *more)
                seen[f"{number}. {kind} {' '.join(map(str, more))}"] = (
                    gives if order == tiny.KEYS else "KEYS has changed"
                )
    return seen


def _step(table, kernels, kind, op, at, *name):
    """Run one step and return what it gives: the name of the kernel that is found, or an error."""
    asked = set(at)
    try:
        if kind == "register":
            table.register(op, at, kernels.setdefault(name[0], lambda *args: name))
            return "registered"
        found = table.find(op, asked)
        gives = next((name for name, kernel in kernels.items() if kernel is found), "something else")
    except (RuntimeError, KeyError) as error:
        if type(error) is NotImplementedError and str(error) in ("Table", "Table.register", "Table.find"):
            raise  # the stub's
        gives = ("raised", type_name(error))
    return gives if kind == "register" or asked == set(at) else f"the keys are now {sorted(asked)}"


ERRORS = {error.__name__: error for error in (NotImplementedError, RuntimeError, KeyError, TypeError)}


def choose(engine, keys, registered, arguments, below, kernel=""):
    """Call an operator "op" that has kernels for the keys `registered`; return which one ran, and its arguments.

    Args:
        keys: all keys, highest priority first.
        arguments: for each tensor its keys.
        below: of the call; "" to leave it out.
        kernel: the name of the error that each kernel raises; "goes on": all but the last key's pass the call on;
            "register between" and "insert between": a second call is made, after each key got a kernel, or after a new
            key got one; "keys are kept": the keys of the tensors are looked at afterwards; "": each returns something.
    """
    tiny, ran = engine.tiny_tensor, []
    tensors = [tiny.Tensor([float(number)], (1,), keys=of_one) for number, of_one in enumerate(arguments)]
    result, own, options = [], ERRORS.get(kernel, Exception)("planned"), {"below": below} if below else {}

    def kernel_of(key):
        def kernel_of_key(*args):
            ran.append((key, _given(tensors, args)))
            if kernel in ERRORS:
                raise own
            if kernel == "goes on" and key != keys[-1]:
                return tiny.call("op", *args, below=key)
            return result

        return kernel_of_key

    with fresh_table(tiny, keys) as table:
        for key in registered:
            table.register("op", key, kernel_of(key))
        table.register("another op", keys[0], kernel_of("of another operator"))
        try:
            got = tiny.call("op", *tensors, **options)
            if kernel == "insert between":
                tiny.KEYS.insert(0, "New")
                tensors[0].keys.add("New")
                table.register("op", "New", kernel_of("New"))
            for key in keys if kernel == "register between" else ():
                if key not in registered:
                    table.register("op", key, kernel_of(key))
            tiny_keys = list(tiny.KEYS)
            if kernel.endswith("between"):
                got = tiny.call("op", *tensors, **options)
        except tuple(ERRORS.values()) as error:
            if type(error) is NotImplementedError and str(error) == "call":
                raise  # the stub's
            name = type_name(error)
            return {"raised": f"the kernel's own {name}" if error is own else name, "ran": ran}
    seen = {
        "ran": ran,
        "raised": "nothing",
        "returned": "what the kernel returned" if got is result else "something else",
    }
    if kernel != "insert between" and tiny_keys != list(keys):
        seen["KEYS"] = "changed"
    return seen | ({"keys afterwards": [sorted(x.keys) for x in tensors]} if kernel == "keys are kept" else {})


def _given(tensors, args):
    """Return the numbers of the tensors that a kernel was given."""
    if len(args) == 1 and type(args[0]) in (tuple, list):
        return "one list"
    return [next((number for number, x in enumerate(tensors) if x is arg), "another") for arg in args]
