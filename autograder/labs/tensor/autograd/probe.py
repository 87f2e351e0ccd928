"""Probes of autograd as a key: what the kernel remembers, and the gradients of small programs."""

import contextlib
import functools

from autograder.examine.error_data import type_name
from autograder.labs.tensor.dispatch.probe import ERRORS, fresh_table


def remember(engine, keys, arguments, times, error=""):
    """Call the autograd kernel of an operator "op"; return which kernels ran below it and what its output remembers.

    Args:
        keys: all keys, highest priority first; the operator has a kernel for each.
        arguments: for each tensor its keys.
        times: how often it is called.
        error: the name of the error that the kernels below raise, or "".
    """
    tiny, ran, outputs, raised = engine.tiny_tensor, [], [], "nothing"
    tensors = [tiny.Tensor([float(number)], (1,), keys=of_one) for number, of_one in enumerate(arguments)]
    made = []

    def run(key, op, *args):
        ran.append((key if op == "op" else f"{key} of {op}", _positions(tensors, args)))
        if error:
            raise ERRORS[error]("planned")
        made.append(tiny.Tensor([0.0], (1,), keys=("CPU", "Made")))
        made[-1].node = ("of a kernel below", ())
        return made[-1]

    with fresh_table(tiny, keys) as table:
        for key in keys:
            for op in ("op", "another op"):
                table.register(op, key, functools.partial(run, key, op))
        kernel, _ = tiny.autograd_kernel("op"), tiny.autograd_kernel("another op")
        try:
            outputs += [kernel(*tensors) for _ in range(times)]
        except tuple(ERRORS.values()) as caught:
            if not error or str(caught) != "planned":
                raise
            raised = type_name(caught)
    return {
        "ran": ran,
        "raised": raised,
        "is the output of the kernel below": [any(out is one for one in made) for out in outputs],
        "keys": [sorted(getattr(out, "keys", ())) for out in outputs],
        "node": [_node(tensors, getattr(out, "node", None)) for out in outputs],
        "arguments": [(sorted(x.keys), "None" if x.node is None else "a node") for x in tensors],
    }


def _positions(tensors, args):
    return [next((number for number, x in enumerate(tensors) if x is arg), "another") for arg in args]


def _node(tensors, node):
    if node is None or len(node) != 2 or type(node[1]) not in (tuple, list):
        return None if node is None else "not (op, args)"
    return [node[0], _positions(tensors, node[1])]


def gradients(engine, leaves, program, times, built="each time"):
    """Build a loss by a program of calls, run the backward pass, and return the gradient of each leaf.

    Args:
        leaves: (numbers, sizes, whether a gradient is required) of each.
        program: (operator, positions of its arguments); the results get the next positions. The last one is the loss.
        times: how often the program is built and gone through backward.
        built: "each time"; "once": once for all passes; "all": the same, and each result without dimensions is a loss.
    """
    tiny = engine.tiny_tensor
    tensors = [
        tiny.Tensor(list(numbers), sizes, keys=("CPU", "Autograd") if requires else ("CPU",))
        for numbers, sizes, requires in leaves
    ]
    calls = []
    with counted(tiny.DERIVATIVES, calls):
        results = _went_back(tiny, tensors, program, times, built)
    seen = {f"leaf {number}": _elements(tiny, x.grad) for number, x in enumerate(tensors)}
    needed = times * sum(len(positions) for _, positions in program)
    seen["passed on"] = "once each" if len(calls) <= needed else "more than once"
    if built != "each time":
        seen["the graph"] = _graph([*tensors, *results])
        seen["numbers of the leaves"] = [list(map(float, x.storage)) for x in tensors]
        del seen["passed on"]
    return seen | {"results without a gradient": sum(x.grad is None for x in results)}


@contextlib.contextmanager
def counted(table, calls):
    """Append the name of each function of `table` that is called inside the block to the list `calls`."""
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


def _went_back(tiny, tensors, program, times, built):
    """Build the program and go backward through it `times` times; return the results of the last time."""
    results = []
    for number in range(times):
        if built == "each time" or not number:
            results = []
            for op, positions in program:
                known = [*tensors, *results]
                results.append(tiny.call(op, *(known[position] for position in positions)))
        losses = [x for x in results if not x.sizes] if built == "all" else [results[-1] if results else tensors[-1]]
        for loss in losses:
            tiny.backward(loss)
    return results


def _graph(tensors):
    """Return the keys of each tensor and how it was made."""
    return [(sorted(x.keys), _node(tensors, x.node)) for x in tensors]


def _elements(tiny, grad):
    if type(grad) is not tiny.Tensor:
        return None if grad is None else "no tensor"
    return [float(grad[index]) for index in tiny.indices(grad.sizes)]
