"""The check of the pass of training: what it computes, and from its raw events what it did beside.

The events come from the process that runs the student's code; all counts are made here. So is the training: in NumPy,
with numbers that the case gives.
"""

import random
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.examine.hints import SLIPS
from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.plain_text import require_plain
from autograder.labs.profiler.training.probe import OF_A_BATCH, numbers
from engine import Tensor
from engine.aten.at import at

Span = tuple[str, int, int]
GIVEN = ("batch", "model", "loss", "zero_grad", "step")
EVALUATE = "autograd::engine::evaluate_function: "
READS = (
    *(f"aten::{name}" for name in ("item", "_local_scalar_dense", "is_nonzero", "equal", "allclose", "nonzero")),
    "read ",
)
COPIES = ("aten::clone", "aten::_to_copy")
LOSS_BYTES = 8  # a copy of a loss is not a fault
# What a pass is given, beside tensors: and of these also what leads to their memory, which the probe notes.
OF_A_PASS = frozenset((
    *(name for name in dir(Tensor) if name[0] != "_"), *(name for name in vars(at) if name[0] != "_"),
    "at", "Tensor", "zero_grad", "step", "_storage", "_storage_offset", "_dtype", "elements", "numpy",
))  # fmt: skip
CLOSE = 1e-9
OWN_CALLS = 6  # operators that a step may call itself, beside the calls of model, loss, gradients and optimizer
NODES = 6  # of the graph of a step: the nodes of model and loss, and the weight's
AT_THE_END = 8


# ---- what is right


def trained(args: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Compute the losses of a case and its final weights."""
    examples, width, batches, rate, seed = args[:5]
    x, y, w = (np.asarray(values, float) for values in numbers(examples, width, seed))
    losses = []
    for batch in batches:
        difference = x[batch] @ w - y[batch]
        losses.append((difference**2 + x[batch] @ w).mean())
        w = w - rate * x[batch].T @ (2 * difference + 1) / len(batch)
    return np.array(losses), w


def results(args: tuple, observed: Any) -> dict[str, str]:
    """Judge the losses, the weights and the order of a step, and check that the inputs are unchanged."""
    losses, weights = trained(args)
    given = numbers(args[0], args[1], args[4])
    return {
        "order of a step": _order(observed),
        "inputs": "as they were" if [observed["inputs"], observed["targets"]] == [*given[:2]] else "changed",
        "losses": _judged(observed["losses"], losses),
        "weights afterwards": _judged(observed["weights"], weights),
    }


def _judged(got: Any, wanted: np.ndarray) -> str:
    if type(got) is str:
        return f"{got}, where a list of floats is right"
    if len(got) != len(wanted):
        return f"{len(got)} of them, and there are {len(wanted)}"
    return "right" if np.allclose(got, wanted, rtol=CLOSE, atol=CLOSE) else f"{[round(one, 6) for one in got]}"


def _order(observed: Any) -> str:
    calls = [name for name, _, _ in observed["events"] if name in ("zero_grad", "step") or name.startswith(EVALUATE)]
    order = [name for number, name in enumerate(calls) if name in GIVEN or calls[number - 1] in GIVEN or not number]
    order = ["backward" if name.startswith(EVALUATE) else name for name in order]
    letters = "".join(name[0] for name in order)
    if re.fullmatch("(z+bs)*z*", letters):  # after the step of one batch is before the next one, too
        return "gradients begin at zero"
    return f"{order[:4]}, and it should be zero_grad, backward, step"


# ---- what was done beside


def outermost(events: list[Span]) -> list[Span]:
    """Return the events that are not nested in another event, in the order of their starts."""
    found, end = [], -1
    for name, start, stop in events:
        if start >= end:
            end = stop
            found.append((name, start, stop))
    return found


def _plain(observed: Any) -> list[Span]:
    """Return the operators that the pass itself calls, outside given functions, nodes and other operators."""
    own = outermost(observed["events"])
    return [one for one in own if one[0] not in GIVEN and not one[0].startswith((EVALUATE, "read "))]


def memory(args: tuple, observed: Any) -> dict[str, str]:
    """Judge the memory that `train_epoch` itself allocates, early requests of batches, and graphs that stay alive."""
    require_plain(OF_A_PASS)
    width, batches = args[1:3]
    needed = sum(map(len, batches)) * (width + 1) * 8
    own = _plain(observed)
    taken = [
        (name, sum(nbytes for time, nbytes in observed["allocations"] if nbytes > 0 and start <= time <= stop))
        for name, start, stop in own
    ]
    starts = {start for _, start, _ in own}
    copied = [nbytes for name, nbytes in taken if name in COPIES]
    copied += [8 * elements for start, elements in observed["copied"] if start in starts]
    most = max(map(len, batches)) * width * 8
    return {
        "copies of its own": _within(sum(nbytes > LOSS_BYTES for nbytes in copied), 0, 0),
        "bytes of its own": _within(
            sum(nbytes for _, nbytes in taken), needed, needed * 3 // 2 + 16 * len(batches) + 64
        ),
        "bytes of one operator": _within(max((nbytes for _, nbytes in taken), default=0), 0, most),
        "batches taken before their time": _within(_taken_early(observed), 0, 0),
        "steps whose graphs live on": _within(max(observed["alive"], default=0), 0, 1),
    }


def _taken_early(observed: Any) -> int:
    """Count the batches that were requested before the step of the previous one was done."""
    asked = done = early = 0
    for name, _, _ in observed["events"]:
        early += name == "batch" and asked > done
        asked += name == "batch"
        done += name == "step"
    return early


def reads(args: tuple, observed: Any) -> dict[str, str]:
    """Count the reads of tensor values: none is allowed before the last step has ended, one is required afterwards."""
    require_plain(OF_A_PASS)
    last = max((stop for name, _, stop in observed["events"] if name == "step"), default=0)
    shown = outermost([event for event in observed["events"] if event[0].startswith(READS)])
    touched = _touches(observed, shown)
    before = [start for _, start, _ in shown if start < last] + [time for time in touched if time < last]
    after = _without_copies([name for name, start, _ in shown if start >= last])
    of_batches = [start for name, start, _ in shown if name.endswith(OF_A_BATCH)]
    return {
        "reads of batches": _within(len(of_batches), 0, 0),
        "reads in the loop": _within(len(before), 0, 0),
        "reads afterwards": _within(len(after) + len(touched) - sum(time < last for time in touched), 1, 1),
    }


def _without_copies(names: list[str]) -> list[str]:
    """Return the reads except each copy to the host that is read next: `x.cpu().tolist()` waits once."""
    return [
        name
        for name, then in zip(names, [*names, "read cpu"][1:], strict=True)
        if not name.startswith("read cpu") or then.startswith("read cpu")
    ]


def _touches(observed: Any, shown: list[Span]) -> list[int]:
    """Return the times at which memory was touched outside a recorded read, only the first for each storage."""
    found: dict[int, int] = {}
    for time, storage in observed["touched"]:
        if not any(start <= time <= stop for _, start, stop in shown):
            found.setdefault(storage, time)
    return list(found.values())


def calls(args: tuple, observed: Any) -> dict[str, str]:
    """Count the calls of the functions passed to `train_epoch`, and the operators that it calls itself."""
    require_plain(OF_A_PASS)
    steps = len(args[2])
    names = [name for name, _, _ in observed["events"]]
    nodes = sum(name.startswith(EVALUATE) for name in names)
    return {
        **{f"calls of {name}": _within(names.count(name), steps, steps + (name == "zero_grad")) for name in GIVEN},
        "operators of its own": _within(len(_plain(observed)), 2 * steps, OWN_CALLS * steps + AT_THE_END),
        "nodes of the graphs": _within(nodes, NODES * steps, (NODES + 2) * steps),
    }


def _within(count: int, least: int, most: int) -> str:
    """Return a count as text, with the same text for every correct count."""
    if least <= count <= most:
        return f"{least}" if least == most else f"from {least} to {most}"
    return f"{count}, where {least if least == most else f'{least} to {most}'} is right"


# ---- cases


def _case(
    rng: random.Random, examples: int, width: int, batches: list[list[int]], about: str, layout: str = "rows"
) -> Case:
    return Case((examples, width, batches, rng.choice((0.05, 0.1)), rng.randrange(1000), layout), about)


def _batches(rng: random.Random, examples: int, size: int) -> list[list[int]]:
    order = rng.sample(range(examples), examples)
    return [order[first : first + size] for first in range(0, examples, size)]


def _ordinary(rng: random.Random) -> Iterator[Case]:
    yield _case(rng, 3, 2, [[1]], "step")
    yield _case(rng, 3, 2, [[2, 0], [1]], "goes on")
    yield _case(rng, 4, 2, [[0, 1], [0, 1], [0, 1]], "goes on")
    yield _case(rng, 3, 2, [[1, 1], [0], [2, 1, 2]], "goes on", "columns")
    for examples, size in ((5, 2), (7, 3), (9, 4), (8, 8)):
        yield _case(rng, examples, 3, _batches(rng, examples, size), "goes on")


def _no_batches(rng: random.Random) -> Iterator[Case]:
    for examples in (1, 2, 3, 5, 8, 13):
        yield _case(rng, examples, rng.randint(1, 4), [], "none")


def _counted(about: str, *, enough: int = 3) -> Any:
    def cases(rng: random.Random) -> Iterator[Case]:
        for examples, size in ((40, 4), (24, 5), (36, 6), (30, 7), (48, 6), (33, 11)):
            width = rng.randint(5, 7)
            layout = "columns" if about == "memory" and examples in (24, 33) else "rows"
            taken = _batches(rng, examples, size)[: rng.randint(enough, enough + 1)]
            yield _case(rng, examples, width, taken, "a view" if layout == "columns" else about, layout)

    return cases


TRAIN_EPOCH = Check(
    "utils.training.train_epoch",
    ("examples", "width", "batches", "rate", "seed", "layout"),
    (
        Aspect("ordinary", 1, _ordinary, findings=results),
        Aspect("memory", 3, _counted("memory"), needs="ordinary", findings=memory),
        Aspect("reads", 3, _counted("reads"), needs="ordinary", findings=reads),
        Aspect("calls", 3, _counted("calls"), needs="ordinary", findings=calls),
        Aspect("empty", 1, _no_batches, needs="ordinary", findings=results),
    ),
    {
        "none": "no batches, no losses: an empty list",
        "step": "the loss is that before the step, as a float; inputs and targets stay as they are",
        "goes on": "gradients begin at zero in each step, weights go on from where they were",
        "order of a step": "`zero_grad`, `backward`, `step`, in this order: until `zero_grad` the gradients of the "
        "step before are there, and before the first step somebody else's",
        "inputs": "`inputs` and `targets` are read, not written to",
        "memory": "a step copies its own batch, once, and takes it only when the previous step is done; keep the "
        "number of a loss, not its graph",
        "copies of its own": "`inputs[batch]` is the one copy of a batch that the model needs",
        "bytes of its own": "`inputs[batch]` and `targets[batch]` are all the memory that a step needs of its own",
        "bytes of one operator": "no operator needs more memory than the rows of one batch",
        "batches taken before their time": "take a batch, `for batch in batches`, when the previous step is "
        "done: make no list of all of them",
        "steps whose graphs live on": "of a step keep `loss.detach()` and nothing else: a loss or outputs with their "
        "history keep its graph alive",
        "a view": "`inputs` may be a view with other strides: to make it contiguous copies all of it, and "
        "`inputs[batch]` needs no such copy",
        "losses": "the list has the loss of each step, computed before that step, as a float",
        "weights afterwards": "gradients begin at zero in each step, and each step is done once, after `backward`",
        **dict.fromkeys(
            [f"calls of {name}" for name in GIVEN],
            "one call each of model, loss, `zero_grad` and `step` serves a whole batch: no loop over its rows",
        ),
        "operators of its own": "a step calls few operators itself: `inputs[batch]`, `targets[batch]`, and what keeps "
        "the loss; no loop over rows",
        "nodes of the graphs": "the model and the loss function are called once for a whole batch, and no more is "
        "recorded: no loop over its rows",
        "reads of batches": "the numbers of a batch need not be read: `inputs[batch]` and `targets[batch]` take the "
        "tensor as it is; each read makes the host wait",
        "reads in the loop": "each read makes the host wait, and a truth value is one: keep the losses as tensors, and "
        "read nothing before the last step is done",
        "reads afterwards": "make one tensor of the losses, `at.stack(losses)`, and read that once",
        "reads": "each read makes the host wait, and a truth value is one: keep the losses as tensors, and at the "
        "end read one tensor of them all",
        "calls": "one call each of model, loss and optimizer serves the whole batch: no loop over its rows",
        "raised": "nothing is refused here, and there may be no batches: then the answer is []",
        "returned None": "return the list of losses",
    },
    probe="profiler.training.run",
    mistakes=(
        Mistake(
            "`engine` is no name of this file: it has the operators as functions of `at`, as `at.stack(tensors)`",
            lambda args, wanted, got: got.raised == "NameError" and "'engine'" in got.message,
        ),
        Mistake(
            "there may be no batches: then there is nothing to make a tensor of, and the answer is []",
            lambda args, wanted, got: bool(got.raised) and not args[2] and got.raised not in SLIPS,
        ),
        Mistake(
            "the losses are to be floats in a list: at the end make one tensor of them all, and read it by `tolist()`",
            lambda args, wanted, got: "where a list of floats is right" in got.value["losses"],
        ),
    ),
    words={
        "rows": "the inputs are contiguous",
        "columns": "the inputs are a transposed view, whose rows are not contiguous",
    },
)

CHECKS = (TRAIN_EPOCH,)
