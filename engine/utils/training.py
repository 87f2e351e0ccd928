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
    """Train on each batch once, with no more work than that takes.

    For each batch: the model's answer to its inputs, the loss, then the gradients, which begin at zero, and a step
    of the optimizer. (The gradients may be set to zero at any time before `backward`, also before the model is called.)
    The weights go on from batch to batch; the losses of all steps are read at the end, once, so that the host never
    waits for a device in the middle. A loss that is kept keeps no graph alive: when the model is called, at most the
    graph of the step before is still there.

    Args:
        model: inputs (n, ...) -> outputs (n, ...).
        loss_function: (outputs, targets) -> the mean loss of a batch, a new tensor without dimensions, which no step
            changes.
        optimizer: has `zero_grad()` and `step()`.
        inputs, targets: (N, ...) and (N,); they are not changed and not copied as a whole. They may be views, with any
            strides.
        batches: each the numbers of its examples, a tensor (n,) of int64, which is not read. One is taken when the step
            of the one before is done, not earlier.
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
