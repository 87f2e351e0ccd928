"""Probe of a strided tensor: a short program of steps on one."""

from autograder.examine.raised import type_name


def walk(engine, storage, sizes, strides, program):
    """Make a tensor, take the steps, and return what each gives, by its number and text.

    Steps: ("offset", index), ("read", index), ("write", cell, number) into the storage, ("t",), after which the
    transpose is asked, ("add key",), which gives the tensor the key "Autograd", and the questions of ASK. "shares"
    gives True if `storage` is the list itself.
    """
    storage = list(storage)
    tensor = engine.tiny_tensor.Tensor(storage, sizes, *([] if strides is None else [strides]))
    seen = {}
    for number, (kind, *more) in enumerate(program, start=1):
        name = f"{number}. {kind}" + "".join(f" {value}" for value in more)
        try:
            if kind == "t":
                tensor = tensor.t()
                seen[name] = type(tensor) is engine.tiny_tensor.Tensor
            elif kind == "add key":
                tensor.keys.add("Autograd")
            elif kind == "write":
                storage[more[0]] = more[1]
            else:
                seen[name] = ASK[kind](tensor, storage, *more)
        except IndexError as error:
            seen[name] = ("raised", type_name(error))
    return seen


ASK = {
    "offset": lambda tensor, storage, index: tensor.offset_of(index),
    "read": lambda tensor, storage, index: tensor[index],
    "sizes": lambda tensor, storage: tensor.sizes,
    "strides": lambda tensor, storage: tensor.strides,
    "shares": lambda tensor, storage: tensor.storage is storage,
    "keys": lambda tensor, storage: (type(tensor.keys).__name__, sorted(tensor.keys)),
    "fresh": lambda tensor, storage: (tensor.node is None, tensor.grad is None),
}
