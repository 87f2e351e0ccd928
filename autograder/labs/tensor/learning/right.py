"""Right answers written in another way than the reference's."""

RIGHT_ANSWERS = {
    "tiny_tensor.train": (
        """
def train(parameters, loss_of, steps, rate):
    losses = []
    while len(losses) < steps:
        for parameter in parameters:
            parameter.grad = None
        loss = loss_of()
        losses.append(loss[()])
        backward(loss)
        for parameter in parameters:
            storage = parameter.storage
            for index in product(*map(range, parameter.sizes)):
                cell = parameter.offset_of(index)
                storage[cell] = storage[cell] - parameter.grad[index] * rate
    return losses
""",
    ),
}
