"""Wrong answers to tiny_tensor.train."""

from autograder.made_up.wrong_answer import WrongAnswer

TRAIN = "tiny_tensor.train"
ALL = ("descends", "losses", "in-place")

WRONG_ANSWERS = (
    WrongAnswer(TRAIN, "climbs", ALL, (
        "x.storage[x.offset_of(i)] -= rate * x.grad[i]", "x.storage[x.offset_of(i)] += rate * x.grad[i]",
    )),
    WrongAnswer(TRAIN, "gradients add up from step to step", ALL, ("x.grad = None", "pass")),
    WrongAnswer(TRAIN, "the loss after the update", ("losses",), (
        "losses.append(loss[()])", "losses.append(loss_of()[()])",
    )),
    WrongAnswer(TRAIN, "updates the storage in its own order", ("in-place",), (
        "for i in indices(x.sizes):\n    x.storage[x.offset_of(i)] -= rate * x.grad[i]",
        "for cell, i in enumerate(indices(x.sizes)):\n    x.storage[cell] -= rate * x.grad[i]",
    )),
    WrongAnswer(TRAIN, "old gradients count in the first step", ("in-place",), """
def train(parameters, loss_of, steps, rate):
    losses = []
    for _ in range(steps):
        loss = loss_of()
        backward(loss)
        for x in parameters:
            for i in indices(x.sizes):
                x.storage[x.offset_of(i)] -= rate * x.grad[i]
            x.grad = None
        losses.append(loss[()])
    return losses
"""),
    WrongAnswer(TRAIN, "stops where the loss is 0", ("losses",), (
        "losses.append(loss[()])", "losses.append(loss[()])\nif not losses[-1]:\n    break",
    )),
    WrongAnswer(TRAIN, "reads the gradient's storage in its own order", ("in-place",), (
        "for i in indices(x.sizes):\n    x.storage[x.offset_of(i)] -= rate * x.grad[i]",
        "for cell, i in enumerate(indices(x.sizes)):\n"
        "    x.storage[x.offset_of(i)] -= rate * x.grad.storage[cell]",
    )),
    WrongAnswer(TRAIN, "empties the list of parameters", ALL, (
        "for x in parameters:\n    for i in indices(x.sizes):\n        x.storage[x.offset_of(i)] -= rate * x.grad[i]",
        "while parameters:\n    x = parameters.pop()\n    for i in indices(x.sizes):\n"
        "        x.storage[x.offset_of(i)] -= rate * x.grad[i]",
    )),
    WrongAnswer(TRAIN, "new storages", ("descends", "in-place"), """
def train(parameters, loss_of, steps, rate):
    losses = []
    for _ in range(steps):
        for x in parameters:
            x.grad = None
        loss = loss_of()
        backward(loss)
        for x in parameters:
            x.storage = list(x.storage)
            for i in indices(x.sizes):
                x.storage[x.offset_of(i)] -= rate * x.grad[i]
        losses.append(loss[()])
    return losses
"""),
)  # fmt: skip
