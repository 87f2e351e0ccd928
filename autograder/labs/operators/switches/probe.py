"""Probe of `DispatchSwitch` (engine/aten/stubs.py): which function it chooses, and how it walks an iterator."""

import warnings

from autograder.examine.raised import message, type_name

FUNCTIONS = {
    "same": lambda a: a,
    "negated": lambda a: -a,
    "plus": lambda a, number: a + number,
    "times plus": lambda a, factor, number: a * factor + number,
    "minus": lambda a, b: a - b,
    "minus times": lambda a, b, factor: a - b * factor,
    "or": lambda a, b: a | b,
    "less": lambda a, b: a < b,
    "least": lambda a, b, c: a - b * c,
}


def trace(engine, name, cases, kinds, call):
    """Which function is chosen for each dtype, and what the kernel writes.

    Args:
        name: of the kernel.
        cases: (names of dtypes, name of a function in `FUNCTIONS`).
        kinds: names of dtypes that are asked for.
        call: (operation, inputs, scalars, out) or None; see `_run`.
    Returns:
        [name of the function, or ("raised", ...), for each of `kinds`; then what `_run` gives]; or what making the
        switch raised.
    """
    names = {id(function): name for name, function in FUNCTIONS.items()}
    rows = [(tuple(engine.dtypes.DTYPES[kind] for kind in of), FUNCTIONS[function]) for of, function in cases]
    switch = _tried(name, engine.aten.stubs.DispatchSwitch, name, rows)
    if isinstance(switch, tuple):
        return switch

    def chosen(kind):
        function = switch.function_for(engine.dtypes.DTYPES[kind])
        return names.get(id(function), type(function).__name__)

    seen = [_tried(name, chosen, kind) for kind in kinds]
    return seen if call is None else [*seen, *_run(engine, switch, name, *call)]


def _run(engine, switch, name, operation, inputs, scalars, out):
    """Return what the kernel writes.

    Args:
        operation: "unary", "binary", "comparison" or "ternary": which iterator is made.
        inputs: (values of the storage, dtype, sizes, strides, offset) of each tensor.
        scalars: what the kernel takes besides.
        out: (sizes, strides, offset, cells) of an output in a storage of that many cells, or None for a new one.
    Returns:
        the elements of the output, or ("raised", ...), and the cells of a given output's storage.
    """
    kinds = engine.dtypes.DTYPES
    tensors = [
        engine.tensor(values, dtype=kinds[dtype]).as_strided(sizes, strides, offset)
        for values, dtype, sizes, strides, offset in inputs
    ]
    storage = output = None
    if out is not None:
        sizes, strides, offset, cells = out
        storage = engine.tensor([0] * cells, dtype=kinds["bool" if operation == "comparison" else inputs[0][1]])
        output = storage.as_strided(sizes, strides, offset)
    iterators = engine.aten.iterator
    configs = {
        "unary": iterators.UNARY_OP,
        "binary": iterators.BINARY_OP,
        "comparison": iterators.COMPARISON_OP,
        "ternary": iterators.TERNARY_OP,
    }
    iter = iterators.TensorIterator.make(configs[operation], output, *tensors)
    if output is None:
        iter.output().numpy()[...] = 0  # new memory holds whatever was there
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        raised = _tried(name, lambda: switch(iter, *scalars) and None)
    seen = raised or (str(iter.output().dtype), iter.output().tolist())
    return [seen] if storage is None else [seen, storage.tolist()]


def _tried(name, function, *args):
    """Return what a function returns or raises. A NotImplementedError has to say what is not implemented."""
    try:
        return function(*args)
    except NotImplementedError as error:
        start, _, kind = message(error).partition(" not implemented for ")
        if type_name(error) != "NotImplementedError" or start != f'"{name}"':
            raise  # a stub's
        return ("raised", "NotImplementedError", kind)
    except Exception as error:
        return ("raised", type_name(error))
