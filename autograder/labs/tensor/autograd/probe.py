"""Probes of autograd as a key: what the kernel remembers, and the gradients of small programs."""

import contextlib
import functools

from autograder.labs.tensor.dispatch.probe import fresh_table


def remember(engine, keys, arguments, times):
    """Call the autograd kernel of an operator "op" and return what ran below it and what the output remembers.

    Args:
        keys: all keys, highest priority first; the operator has a kernel for each.
        arguments: for each tensor its keys.
        times: how often it is called.
    """
    tiny, ran = engine.tiny_tensor, []
    tensors = [tiny.Tensor([float(number)], (1,), keys=of_one) for number, of_one in enumerate(arguments)]
    made = []

    def run(key, *args):
        ran.append((key, _positions(tensors, args)))
        made.append(tiny.Tensor([0.0], (1,)))
        return made[-1]

    with fresh_table(tiny, keys) as table:
        for key in keys:
            table.register("op", key, functools.partial(run, key))
        kernel = tiny.autograd_kernel("op")
        outputs = [kernel(*tensors) for _ in range(times)]
    return {
        "ran": ran,
        "is the output of the kernel below": [any(out is one for one in made) for out in outputs],
        "keys": [sorted(getattr(out, "keys", ())) for out in outputs],
        "node": [_node(tensors, getattr(out, "node", None)) for out in outputs],
        "keys of the arguments": [sorted(x.keys) for x in tensors],
    }


def _positions(tensors, args):
    return [next((number for number, x in enumerate(tensors) if x is arg), "another") for arg in args]


def _node(tensors, node):
    if node is None or len(node) != 2 or type(node[1]) not in (tuple, list):
        return None if node is None else "not (op, args)"
    return [node[0], _positions(tensors, node[1])]


def gradients(engine, leaves, program, times):
    """Build a loss by a program of calls, go backward, and return the gradient of each leaf.

    Args:
        leaves: (numbers, sizes, whether a gradient is required) of each.
        program: (operator, positions of its arguments); the results get the next positions. The last one is the loss.
        times: how often the program is built and gone through backward.
    """
    tiny = engine.tiny_tensor
    tensors = [
        tiny.Tensor(list(numbers), sizes, keys=("CPU", "Autograd") if requires else ("CPU",))
        for numbers, sizes, requires in leaves
    ]
    calls = []
    with counted(tiny.DERIVATIVES, calls):
        results = _went_back(tiny, tensors, program, times)
    seen = {f"leaf {number}": _elements(tiny, x.grad) for number, x in enumerate(tensors)}
    needed = times * sum(len(positions) for _, positions in program)
    seen["passed on"] = "once each" if len(calls) <= needed else "more than once"
    return seen | {"results without a gradient": sum(x.grad is None for x in results)}


@contextlib.contextmanager
def counted(table, calls):
    """Inside, each call of a function of the table adds its name to the list `calls`."""
    before = dict(table)
    for name, function in before.items():
        table[name] = functools.partial(_noted, calls, name, function)
    try:
        yield
    finally:
        table.update(before)


def _noted(calls, name, function, *args):
    calls.append(name)
    return function(*args)


def _went_back(tiny, tensors, program, times):
    """Build the program and go backward through it `times` times; return the results of the last time."""
    results = []
    for _ in range(times):
        results = []
        for op, positions in program:
            known = [*tensors, *results]
            results.append(tiny.call(op, *(known[position] for position in positions)))
        tiny.backward(results[-1] if results else tensors[-1])
    return results


def _elements(tiny, grad):
    if type(grad) is not tiny.Tensor:
        return None if grad is None else "no tensor"
    return [float(grad[index]) for index in tiny.indices(grad.sizes)]
