"""Probe of a strided tensor: a short program of steps on one."""

from autograder.examine.error_data import type_name


def walk(engine, storage, sizes, strides, program):
    """Make a tensor, run the steps of `program`, and return the result of each, by number and text.

    Steps: ("offset", index), ("read", index), ("write", cell, number) into the storage, ("t",), after which the
    transpose is asked, ("t aside",), after which the tensor itself is, ("new", keys), after which a tensor of the same
    storage is, ("add key",), which gives the tensor the key "Autograd", ("add node",), which
    gives it a node and a gradient, and the questions of ASK. "shares" gives True
    if `storage` is the list itself.
    """
    storage, given, Tensor = list(storage), set(), engine.tiny_tensor.Tensor
    tensor = Tensor(storage, sizes, *([] if strides is None else [strides]))
    seen = {}
    for number, (kind, *more) in enumerate(program, start=1):
        name = f"{number}. {kind}" + "".join(f" {value}" for value in more)
        try:
            if kind == "t":
                before, tensor = tensor, tensor.t()
                seen[name] = ITSELF if tensor is before else type(tensor).__name__
            elif kind == "t aside":
                tensor.t()
            elif kind == "new":
                given = set(more[0] or ())
                tensor = Tensor(storage, tensor.sizes, tensor.strides, *([] if more[0] is None else [given]))
            elif kind == "keys given":
                seen[name] = sorted(given)
            elif kind == "add key":
                tensor.keys.add("Autograd")
            elif kind == "add node":
                tensor.node, tensor.grad = ("total", ()), tensor
            elif kind == "write":
                storage[more[0]] = more[1]
            else:
                seen[name] = ASK[kind](tensor, storage, *more)
        except IndexError as error:
            seen[name] = ("raised", type_name(error))
    return seen


ITSELF = "the tensor itself"

ASK = {
    "offset": lambda tensor, storage, index: tensor.offset_of(index),
    "read": lambda tensor, storage, index: tensor[index],
    "sizes": lambda tensor, storage: tensor.sizes,
    "strides": lambda tensor, storage: tensor.strides,
    "shares": lambda tensor, storage: tensor.storage is storage,
    "keys": lambda tensor, storage: (type(tensor.keys).__name__, sorted(tensor.keys)),
    "node and grad": lambda tensor, storage: (
        "None" if tensor.node is None else "not None",
        "None" if tensor.grad is None else "not None",
    ),
}
