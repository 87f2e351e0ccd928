"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "utils.training.train_epoch": (
        """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    def step(batch):
        optimizer.zero_grad()
        loss = loss_function(model(inputs[batch]), targets[batch])
        loss.backward()
        optimizer.step()
        return loss.detach().clone()

    losses = [step(batch) for batch in batches]
    if not losses:
        return []
    return at.cat([loss.reshape((1,)) for loss in losses]).tolist()
""",
        """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    kept = None
    for batch in batches:
        x, y = inputs.index_select(0, batch), targets.index_select(0, batch)
        loss = loss_function(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        now = loss.detach().unsqueeze(0)
        kept = now if kept is None else at.cat([kept, now])
        optimizer.step()
    return [] if kept is None else kept.tolist()
""",
    ),
}
