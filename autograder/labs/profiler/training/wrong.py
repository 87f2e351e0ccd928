"""Wrong answers to utils.training.train_epoch."""

from autograder.made_up.wrong_answer import WrongAnswer

TRAIN_EPOCH = "utils.training.train_epoch"

WRONG_ANSWERS = (
    WrongAnswer(TRAIN_EPOCH, "looks at each loss straight in its storage", ("reads",), (
        "losses.append(loss.detach())",
        """
losses.append(loss.detach())
if loss._storage.elements(loss._dtype.numpy)[loss._storage_offset] > 1e9:
    break
""",
    )),
    WrongAnswer(TRAIN_EPOCH, "reads by a method that was kept beforehand", ("reads",), """
shown = Tensor.tolist


def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses, best = [], 1e9
    for batch in batches:
        loss = loss_function(model(inputs[batch]), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
        best = min(best, shown(losses[-1]))
    return at.stack(losses).tolist() if losses else []
"""),
    WrongAnswer(TRAIN_EPOCH, "keeps the outputs", ("memory",), (
        "losses = []",
        "losses, kept = [], []",
        "loss = loss_function(model(inputs[batch]), targets[batch])",
        """
kept.append(model(inputs[batch]))
loss = loss_function(kept[-1], targets[batch])
""",
    )),
    WrongAnswer(TRAIN_EPOCH, "all three faults", ("memory", "reads", "calls"), """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses = []
    for batch in batches:
        outputs = model(inputs.clone()[batch])
        loss = 0.0
        for row in range(len(batch)):
            loss = loss + loss_function(outputs[row : row + 1], targets[batch[row : row + 1]])
        loss = loss / len(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
"""),
    WrongAnswer(TRAIN_EPOCH, "the copy is moved before the loop", ("memory",),
        ("losses = []", "losses, inputs = [], inputs.clone()"),
    ),
    WrongAnswer(TRAIN_EPOCH, "the inputs are made contiguous before the loop", ("memory",),
        ("losses = []", "losses, inputs = [], inputs.contiguous()"),
    ),
    WrongAnswer(TRAIN_EPOCH, "a list of tensors", ("ordinary", "memory", "reads", "calls", "empty"),
        ("return at.stack(losses).tolist() if losses else []", "return losses"),
    ),
    WrongAnswer(TRAIN_EPOCH, "fails without batches", ("empty",),
        ("return at.stack(losses).tolist() if losses else []", "return at.stack(losses).tolist()"),
    ),
    WrongAnswer(TRAIN_EPOCH, "the loss after the step", ("ordinary", "memory", "reads", "calls", "empty"), (
        "losses.append(loss.detach())",
        "losses.append(loss_function(model(inputs[batch]), targets[batch]).detach())",
    )),
    WrongAnswer(TRAIN_EPOCH, "the batch is copied once more, by a sum", ("memory",),
        ("loss = loss_function(model(inputs[batch]), targets[batch])",
         "loss = loss_function(model(inputs[batch] + 0.0), targets[batch])"),
    ),
    WrongAnswer(TRAIN_EPOCH, "each loss keeps its graph", ("memory",),
        ("losses.append(loss.detach())", "losses.append(loss)"),
    ),
    WrongAnswer(TRAIN_EPOCH, "tolist in the place of item", ("reads",), """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses = []
    for batch in batches:
        loss = loss_function(model(inputs[batch]), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().tolist())
    return losses
"""),
    WrongAnswer(TRAIN_EPOCH, "read one by one after the loop", ("reads",),
        ("return at.stack(losses).tolist() if losses else []", "return [float(loss) for loss in losses]"),
    ),
    WrongAnswer(TRAIN_EPOCH, "asks each loss whether it is finite", ("reads",), (
        "loss = loss_function(model(inputs[batch]), targets[batch])",
        """
loss = loss_function(model(inputs[batch]), targets[batch])
if not loss.isfinite():
    break
""",
    )),
    WrongAnswer(TRAIN_EPOCH, "keeps the best loss", ("reads",), (
        "losses = []",
        "losses, best = [], None",
        "losses.append(loss.detach())",
        """
losses.append(loss.detach())
if best is None or losses[-1] < best:
    best = losses[-1]
""",
    )),
    WrongAnswer(TRAIN_EPOCH, "all batches are taken and copied at once", ("memory",), (
        "losses = []",
        """
batches, losses, first = list(batches), [], 0
if not batches:
    return []
every = inputs[at.cat(batches)]
""",
        "loss = loss_function(model(inputs[batch]), targets[batch])",
        """
loss = loss_function(model(every[first : first + len(batch)]), targets[batch])
first += len(batch)
""",
        "return at.stack(losses).tolist() if losses else []",
        "return at.stack(losses).tolist()",
    )),
    WrongAnswer(TRAIN_EPOCH, "the numbers of the batch are read", ("reads",), (
        "loss = loss_function(model(inputs[batch]), targets[batch])",
        """
rows = batch.tolist()
loss = loss_function(model(inputs[rows]), targets[rows])
""",
    )),
    WrongAnswer(TRAIN_EPOCH, "the loop over rows is moved to the inputs", ("calls", "memory"), (
        "loss = loss_function(model(inputs[batch]), targets[batch])",
        """
rows = at.cat([inputs[batch[row : row + 1]] for row in range(len(batch))])
loss = loss_function(model(rows), targets[batch])
""",
    )),
    WrongAnswer(TRAIN_EPOCH, "the loop over rows only", ("calls",), (
        "loss = loss_function(model(inputs[batch]), targets[batch])",
        """
outputs, loss = model(inputs[batch]), 0.0
for row in range(len(batch)):
    loss = loss + loss_function(outputs[row : row + 1], targets[batch[row : row + 1]])
loss = loss / len(batch)
""",
    )),
    WrongAnswer(TRAIN_EPOCH, "gradients add up over the steps", ("ordinary", "memory", "reads", "calls", "empty"), (
        "losses = []",
        """
losses = []
optimizer.zero_grad()
""",
        """
loss = loss_function(model(inputs[batch]), targets[batch])
optimizer.zero_grad()
""",
        "loss = loss_function(model(inputs[batch]), targets[batch])",
    )),
    WrongAnswer(TRAIN_EPOCH, "each batch is copied into a buffer", ("memory",), (
        "losses = []",
        "losses, buffer = [], at.empty_like(inputs[:11])",
        "loss = loss_function(model(inputs[batch]), targets[batch])",
        """
rows = buffer[: len(batch)].copy_(inputs[batch])
loss = loss_function(model(rows), targets[batch])
""",
    )),
)  # fmt: skip
