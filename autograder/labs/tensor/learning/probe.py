"""Probe of the training loop: parameters that are drawn to a target."""


def descend(engine, starts, targets, steps, rate, is_used_before):
    """Train parameters to reduce the sum of their squared distances from the targets; return losses and final state.

    Args:
        starts: (storage, sizes, strides) of each parameter.
        targets: as many numbers for each, in reading order; None if the loss is the sum of its numbers.
        is_used_before: whether the parameters come with a gradient of an earlier pass.
    """
    tiny, calls = engine.tiny_tensor, []
    leaves = [tiny.Tensor(list(storage), sizes, strides, ("CPU", "Autograd")) for storage, sizes, strides in starts]
    wanted = [
        tiny.Tensor([-number for number in numbers], x.sizes) if numbers else None
        for numbers, x in zip(targets, leaves, strict=True)
    ]
    storages, parameters = [x.storage for x in leaves], [*leaves]
    for x in leaves if is_used_before else ():
        x.grad = tiny.Tensor([100.0] * len(list(tiny.indices(x.sizes))), x.sizes)

    def loss_of():
        calls.append(len(calls))
        losses = []
        for x, target in zip(leaves, wanted, strict=True):
            if target is None:
                losses.append(tiny.call("total", x))
                continue
            difference = tiny.call("add", x, target)
            losses.append(tiny.call("total", tiny.call("mul", difference, difference)))
        loss = losses[0]
        for other in losses[1:]:
            loss = tiny.call("add", loss, other)
        return loss

    losses = tiny.train(parameters, loss_of, steps, rate)
    is_same = len(parameters) == len(leaves) and all(one is x for one, x in zip(parameters, leaves, strict=True))
    return {
        "changed": not is_same or any(x.keys != {"CPU", "Autograd"} or x.node for x in leaves),
        "losses": [loss if isinstance(loss, (int, float)) else "no number" for loss in losses]
        if type(losses) is list
        else type(losses).__name__,
        "parameters": [[float(x[index]) for index in tiny.indices(x.sizes)] for x in leaves],
        "storages": [list(storage) for storage in storages],
        "passes": len(calls),
    }
