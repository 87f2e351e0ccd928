"""Probe of `DispatchSwitch` (engine/aten/stubs.py): which function it chooses, and how it walks an iterator."""

import warnings

from autograder.examine.error_data import message, type_name


def _raising(error):
    def function(a):
        raise error("raised by the function of an element")

    return function


FUNCTIONS = {
    "raises KeyError": _raising(KeyError),
    "raises NotImplementedError": _raising(NotImplementedError),
    "same": lambda a: a,
    "negated": lambda a: -a,
    "plus": lambda a, number: a + number,
    "times plus": lambda a, factor, number: a * factor + number,
    "times": lambda a, b: a * b,
    "minus": lambda a, b: a - b,
    "minus times": lambda a, b, factor: a - b * factor,
    "or": lambda a, b: a | b,
    "less": lambda a, b: a < b,
    "equal": lambda a, b: a == b,
    "unlike": lambda a, b: a != b,
    "least": lambda a, b, c: a - b * c,
}


def chosen(engine, name, cases, kinds, call):
    """Return the function that a switch chooses for each dtype, and the functions that a call runs.

    Args:
        name: of the kernel.
        cases: (names of dtypes, name of a function in `FUNCTIONS`); the switch gets them as an iterator.
        kinds: names of dtypes that are asked for.
        call: (operation, inputs, scalars, out) or None; see `_run`.
    Returns:
        {"name", "functions": the table, by the names of the dtypes, "function_for": for each of `kinds` the function's
        name, or ("raised", type, text)}, and with a call "called": the names of the functions that it called; or what
        making the switch raised.
    """
    called = []
    switch, names = _made(engine, name, cases, called)
    if type(switch) is tuple:
        return switch

    def function_for(kind):
        function = switch.function_for(engine.dtypes.DTYPES[kind])
        return names.get(id(function), type(function).__name__)

    seen = {
        "name": switch.name,
        "functions": _table(engine, switch.functions, names),
        "function_for": [_tried(function_for, kind) for kind in kinds],
    }
    if call is not None:
        raised, *_ = _run(engine, switch, *call)
        seen["called"] = raised or sorted(set(called))
    return seen


def walked(engine, name, cases, kinds, call):
    """Return the elements that a call of the switch writes; the arguments are as in `chosen`.

    Returns:
        {"output": (dtype, elements) or ("raised", type, text), "calls": number of calls of the function, "cells": of
        the storage of a given output}.
    """
    called = []
    switch, _ = _made(engine, name, cases, called)
    if type(switch) is tuple:
        return switch
    raised, output, cells = _run(engine, switch, *call, is_sorted=cases[0][1] == "numbered")
    seen = {"output": raised or output, "calls": len(called)}
    return seen if cells is None else {**seen, "cells": cells}


def _made(engine, name, cases, called):
    """Make a switch whose functions append their names to `called`, and return it with these names by id."""

    def counted(function):
        def call(*arguments):
            called.append(function)
            return len(called) if function == "numbered" else FUNCTIONS[function](*arguments)

        return call

    functions = {function: counted(function) for function in (*FUNCTIONS, "numbered")}
    rows = ((tuple(engine.dtypes.DTYPES[kind] for kind in of), functions[function]) for of, function in cases)
    switch = _tried(engine.aten.stubs.DispatchSwitch, name, rows)
    return switch, {id(call): function for function, call in functions.items()}


def _table(engine, functions, names):
    if type(functions) is not dict:
        return type(functions).__name__
    kinds = {kind: name for name, kind in engine.dtypes.DTYPES.items()}
    table = {str(kinds.get(kind, "no dtype")): names.get(id(what), "no function") for kind, what in functions.items()}
    return dict(sorted(table.items()))


def _run(engine, switch, operation, inputs, scalars, out, is_sorted=False):
    """Return what the kernel raises, or (), the output and the cells of a given one's storage.

    Args:
        operation: "unary", "binary", "comparison" or "ternary": which iterator is made.
        inputs: (values of the storage, dtype, sizes, strides, offset) of each tensor.
        scalars: what the kernel takes besides.
        out: (sizes, strides, offset, cells) of an output in a storage of that many cells, "first" for the first
            input, in place, or None for a new one.
        is_sorted: whether the elements are shown in order of size: they depend on the order of the calls.
    """
    kinds = engine.dtypes.DTYPES
    tensors = [
        engine.tensor(values, dtype=kinds[dtype]).as_strided(sizes, strides, offset)
        for values, dtype, sizes, strides, offset in inputs
    ]
    storage = output = None
    if out == "first":
        output = tensors[0]
    elif out is not None:
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
        raised = _tried(lambda: switch(iter, *scalars) and None)
    elements = iter.output().tolist()
    if is_sorted:
        elements = sorted(elements)
    output = (str(iter.output().dtype), elements)
    return raised or (), output, None if storage is None else storage.tolist()


def _tried(function, *args):
    """Return what a function returns, or ("raised", type), with the text of a NotImplementedError."""
    try:
        return function(*args)
    except NotImplementedError as error:
        text = message(error)
        if not text or text.startswith(("DispatchSwitch", "aten.stubs.DispatchSwitch")):
            raise  # a stub's
        return ("raised", type_name(error), text)
    except Exception as error:
        return ("raised", type_name(error))
