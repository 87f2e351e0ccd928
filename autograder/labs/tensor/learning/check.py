"""Check of the training loop in solutions/00-tensor/tiny_tensor.py."""

import itertools
import operator
import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation
from autograder.labs.tensor.autograd.check import only

NUMBER = ([3.0], (), None)
LINE = ([1.0, 2.0], (2,), None)
GAPS = ([1.0, 2.0, 3.0], (2,), (2,))
TURNED = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], (2, 3), (1, 2))


def _descents(rng: random.Random) -> Iterator[Case]:
    yield Case(([NUMBER], [[1.0]], 1, 0.25, False), "step")
    yield Case(([NUMBER], [[1.0]], 3, 0.25, False), "each")
    yield Case(([NUMBER], [[1.0]], 0, 0.25, False), "none")
    yield Case(([NUMBER], [[1.0]], 4, 0.5, False), "arrived")
    yield Case(([LINE], [[4.0, -2.0]], 3, 1.0, False), "arrived")
    yield Case(([LINE], [[4.0, -2.0]], 2, 0.125, False), "each")
    yield Case(([NUMBER, LINE], [[1.0], [0.0, 8.0]], 2, 0.25, False), "all")
    for _ in range(26):
        numbers = [float(rng.randint(-8, 8)) for _ in range(4)]
        yield Case(
            ([(numbers, (2, 2), None)], [[0.0, 1.0, 2.0, 3.0]], 2, rng.choice((0.25, 0.5, 0.125)), False), "each"
        )


def _in_place(rng: random.Random) -> Iterator[Case]:
    yield Case(([TURNED], [[0.0] * 6], 1, 0.25, False), "view")
    yield Case(([TURNED], [[1.0, 0.0, 0.0, 2.0, 0.0, 0.0]], 2, 0.25, False), "view")
    for parameter in (LINE, TURNED, GAPS):
        yield Case(([parameter], [None], 2, 0.25, False), "gradient's view")
        yield Case(([NUMBER, parameter], [[1.0], None], 1, 0.25, True), "gradient's view")
    yield Case(([GAPS], [[1.0, 2.0]], 1, 0.25, False), "view")
    yield Case(([NUMBER], [[1.0]], 1, 0.25, True), "before")
    yield Case(([LINE, NUMBER], [[0.0, 0.0], [1.0]], 2, 0.25, True), "before")
    for _ in range(14):
        numbers = [float(rng.randint(-8, 8)) for _ in range(6)]
        yield Case(([(numbers, (2, 3), (1, 2))], [[float(n) for n in range(6)]], 2, 0.25, False), "view")
        yield Case(([(numbers[:2], (2,), None)], [[1.0, 2.0]], rng.randint(1, 3), 0.25, True), "before")


def _climbs(args: tuple, wanted: Observation, got: Observation) -> bool:
    before, wanted_after, after = (
        apart(numbers, args[1])
        for numbers in ([cells_of(*each) for each in args[0]], wanted.value["parameters"], got.value["parameters"])  # type: ignore[index]
    )
    return wanted_after < before < after


def _accumulates(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if the parameters come from a loop that never sets a gradient to None."""
    parameters, targets, steps, rate, is_used_before = args
    numbers = [cells_of(*parameter) for parameter in parameters]
    grads = [[100.0 * is_used_before] * len(each) for each in numbers]
    for _ in range(steps):
        ways = [[x - y for x, y in zip(*pair, strict=True)] for pair in zip(numbers, targets, strict=True)]
        grads = [[g + 2 * way for g, way in zip(*pair, strict=True)] for pair in zip(grads, ways, strict=True)]
        numbers = [[x - rate * g for x, g in zip(*pair, strict=True)] for pair in zip(numbers, grads, strict=True)]
    return got.value["parameters"] == numbers != wanted.value["parameters"]  # type: ignore[index]


def apart(numbers: list[list[float]], targets: list[list[float]]) -> float:
    """Return the sum of the squared distances between `numbers` and `targets`."""
    return sum((x - y) ** 2 for pair in zip(numbers, targets, strict=True) for x, y in zip(*pair, strict=True))


def cells_of(storage: list[float], sizes: tuple[int, ...], strides: tuple[int, ...] | None) -> list[float]:
    """Return the elements of a strided tensor in row-major order."""
    if strides is None:
        return storage
    return [storage[sum(map(operator.mul, index, strides))] for index in itertools.product(*map(range, sizes))]


TRAIN = Check(
    "tiny_tensor.train",
    ("parameters", "targets", "steps", "rate", "is_used_before"),
    (
        Aspect("descends", 3, _descents, findings=only("parameters", "storages", "changed")),
        Aspect("losses", 2, _descents, findings=only("losses", "passes")),
        Aspect("in-place", 3, _in_place, needs="descends", findings=only("parameters", "storages", "changed")),
    ),
    {
        "step": "a step subtracts rate * gradient from each number of each parameter",
        "each": "in each step the gradients begin at None, then comes the loss, then backward, then the update",
        "all": "all parameters are updated",
        "arrived": "there are as many steps as `steps` says, whatever the loss is",
        "gradient's view": "a gradient may be a view, too: read it as `x.grad[index]`, not in its storage",
        "changed": "the list of parameters stays as it is, each parameter the same tensor with its keys",
        "none": "without steps nothing changes, and there are no losses",
        "view": "a parameter can be a view: the number at an index is in the cell `x.offset_of(index)` of its storage",
        "before": "the parameters come with an old gradient: set `grad` to None before the pass",
        "losses": "the losses are those before each update, as floats: `loss[()]`",
        "parameters": "the parameters are wrong: the number at each index loses rate * x.grad[index], and it is in the "
        "cell `x.offset_of(index)`",
        "storages": "the parameters are changed in place, in the storage that they have",
        "passes": "`loss_of()` is called once in each step",
        "returned None": "return the list of losses",
    },
    probe="tensor.learning.descend",
    mistakes=(
        Mistake("gradients add up from step to step: set `grad` of each parameter to None in each step", _accumulates),
        Mistake("the loss climbs: subtract the gradient, times the rate", _climbs),
    ),
    words={
        "parameters": "(storage, sizes, strides) of each; strides of None are those of a fresh tensor. The loss is the "
        "sum of the squared distances from the targets; of a parameter without targets (None), the sum of its numbers",
        "is_used_before": "whether the parameters come with a gradient of an earlier pass",
    },
)

CHECKS = (TRAIN,)
