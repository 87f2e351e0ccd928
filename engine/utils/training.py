"""A pass over a set of examples that trains: what most programs that train have in their middle.

PyTorch has it in its examples (pytorch/examples, mnist/main.py: train), not in its library.
"""

from collections.abc import Callable, Iterable
from typing import Any

from ..aten.at import at
from ..tensor_impl import Tensor


def train_epoch(
    model: Callable[[Tensor], Tensor],
    loss_function: Callable[[Tensor, Tensor], Tensor],
    optimizer: Any,
    inputs: Tensor,
    targets: Tensor,
    batches: Iterable[Tensor],
) -> list[float]:
    """Train on each batch once, with no unnecessary work.

    For each batch: compute the model's outputs and the loss, then the gradients, which begin at zero, and make one step
    of the optimizer. (You may set the gradients to zero at any time before `backward`, even before calling the model.)
    The weights go on from batch to batch. No value of a tensor is read before the last step is
    done (to use a tensor as a truth value is a read too), so that the host never waits for a device in between. Then
    a single read gets the losses of all steps, as one tensor. A loss that is kept keeps no graph alive: when the model
    is called, at most the graph of the previous step still exists. The model, the loss function, `zero_grad` and `step`
    are called once per batch, and a step calls few operators itself.

    Args:
        model: inputs (n, ...) -> outputs (n, ...).
        loss_function: (outputs, targets) -> the mean loss of a batch, a new tensor without dimensions, which no step
            changes.
        optimizer: has `zero_grad()` and `step()`.
        inputs, targets: (N, ...) and (N,). They are not changed, and not copied as a whole: a step needs memory for the
            rows of its batch. They may be views, with any strides.
        batches: the example numbers of each batch, a tensor (n,) of int64, whose values are not read. A batch is taken
            when the previous step is done, not earlier.
    Returns:
        the loss of each step before that step, in their order, as floats; no batches, no losses: [].
    """
    losses = []
    for batch in batches:
        loss = loss_function(model(inputs[batch]), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return at.stack(losses).tolist() if losses else []
