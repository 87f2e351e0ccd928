"""Wrong answers about the pass of training: faults that stay, and faults that are moved."""

from autograder.mutants.model import WrongAnswer

EPOCH = "utils.training.train_epoch"

WRONG_ANSWERS = (
    WrongAnswer(EPOCH, "all three faults", ("memory", "reads", "calls"), """
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
    WrongAnswer(EPOCH, "the copy is moved before the loop", ("memory",), """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses, inputs = [], inputs.clone()
    for batch in batches:
        loss = loss_function(model(inputs[batch]), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return at.stack(losses).tolist() if losses else []
"""),
    WrongAnswer(EPOCH, "the batch is copied once more, by a sum", ("memory",), """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses = []
    for batch in batches:
        loss = loss_function(model(inputs[batch] + 0.0), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return at.stack(losses).tolist() if losses else []
"""),
    WrongAnswer(EPOCH, "each loss keeps its graph", ("memory",), """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses = []
    for batch in batches:
        loss = loss_function(model(inputs[batch]), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return at.stack(losses).tolist() if losses else []
"""),
    WrongAnswer(EPOCH, "tolist in the place of item", ("reads",), """
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
    WrongAnswer(EPOCH, "read one by one after the loop", ("reads",), """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses = []
    for batch in batches:
        loss = loss_function(model(inputs[batch]), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return [float(loss) for loss in losses]
"""),
    WrongAnswer(EPOCH, "asks each loss whether it is finite", ("reads",), """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses = []
    for batch in batches:
        loss = loss_function(model(inputs[batch]), targets[batch])
        if not loss.isfinite():
            break
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return at.stack(losses).tolist() if losses else []
"""),
    WrongAnswer(EPOCH, "keeps the best loss", ("reads",), """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses, best = [], None
    for batch in batches:
        loss = loss_function(model(inputs[batch]), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
        if best is None or losses[-1] < best:
            best = losses[-1]
    return at.stack(losses).tolist() if losses else []
"""),
    WrongAnswer(EPOCH, "all batches are taken and copied at once", ("memory",), """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    batches, losses, first = list(batches), [], 0
    if not batches:
        return []
    every = inputs[at.cat(batches)]
    for batch in batches:
        loss = loss_function(model(every[first : first + len(batch)]), targets[batch])
        first += len(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return at.stack(losses).tolist()
"""),
    WrongAnswer(EPOCH, "the numbers of the batch are read", ("reads",), """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses = []
    for batch in batches:
        rows = batch.tolist()
        loss = loss_function(model(inputs[rows]), targets[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return at.stack(losses).tolist() if losses else []
"""),
    WrongAnswer(EPOCH, "the loop over rows is moved to the inputs", ("calls", "memory"), """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses = []
    for batch in batches:
        rows = at.cat([inputs[batch[row : row + 1]] for row in range(len(batch))])
        loss = loss_function(model(rows), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return at.stack(losses).tolist() if losses else []
"""),
    WrongAnswer(EPOCH, "the loop over rows only", ("calls",), """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses = []
    for batch in batches:
        outputs, loss = model(inputs[batch]), 0.0
        for row in range(len(batch)):
            loss = loss + loss_function(outputs[row : row + 1], targets[batch[row : row + 1]])
        loss = loss / len(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return at.stack(losses).tolist() if losses else []
"""),
    WrongAnswer(EPOCH, "gradients add up over the steps", ("ordinary", "memory", "reads", "calls"), """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses = []
    optimizer.zero_grad()
    for batch in batches:
        loss = loss_function(model(inputs[batch]), targets[batch])
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return at.stack(losses).tolist() if losses else []
"""),
    WrongAnswer(EPOCH, "each batch is copied into a buffer", ("memory",), """
def train_epoch(model, loss_function, optimizer, inputs, targets, batches):
    losses, buffer = [], at.empty_like(inputs[:11])
    for batch in batches:
        rows = buffer[: len(batch)].copy_(inputs[batch])
        loss = loss_function(model(rows), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return at.stack(losses).tolist() if losses else []
"""),
)  # fmt: skip
