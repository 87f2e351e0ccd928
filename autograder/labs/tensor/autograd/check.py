"""Checks of autograd as a key in solutions/00-tensor/tiny_tensor.py: the kernel that remembers, and backward."""

import importlib
import random
from collections.abc import Callable, Iterator

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation

TWO, THREE = ["Autograd", "CPU"], ["Autograd", "Log", "CPU"]
PLAIN, RECORDED = ["CPU"], ["CPU", "Autograd"]
Leaf = tuple[list[float], tuple[int, ...], bool]


def _remembered(rng: random.Random) -> Iterator[Case]:
    yield Case((TWO, [RECORDED], 1), "below")
    yield Case((TWO, [RECORDED, PLAIN], 1), "below")
    yield Case((TWO, [PLAIN, RECORDED], 1), "keys")
    yield Case((TWO, [RECORDED, RECORDED, PLAIN], 1), "node")
    yield Case((THREE, [[*RECORDED, "Log"]], 1), "between")
    yield Case((TWO, [RECORDED], 2), "each time")
    yield Case((TWO, [RECORDED, PLAIN], 3), "each time")
    yield Case((TWO, [RECORDED], 1, "RuntimeError"), "raises")
    yield Case((TWO, [PLAIN, RECORDED], 1, "NotImplementedError"), "raises")
    for _ in range(26):
        others = [rng.choice((PLAIN, RECORDED)) for _ in range(rng.randint(0, 3))]
        arguments = rng.sample([RECORDED, *others], len(others) + 1)
        yield Case((TWO, arguments, rng.randint(1, 3)), "each time")


def only(*names: str) -> Callable:
    """Return the `findings` of an aspect that checks only the observations called `names`."""
    return lambda args, seen: {name: seen[name] for name in names if name in seen} if type(seen) is dict else seen


def _ran(args: tuple, wanted: Observation, got: Observation) -> bool:
    return any(key == "Autograd" for key, _ in got.value["ran"])  # type: ignore[index]


AUTOGRAD_KERNEL = Check(
    "tiny_tensor.autograd_kernel",
    ("KEYS", "arguments", "times", "below"),
    (
        Aspect("passes-on", 6, _remembered, findings=only("ran", "raised", "is the output of the kernel below")),
        Aspect("remembers", 6, _remembered, findings=only("node", "keys", "arguments")),
    ),
    {
        "below": "pass the call on below 'Autograd', once, with the arguments as they came",
        "between": "a key between 'Autograd' and 'CPU' has a kernel too, which comes next: use `call(..., below=...)`",
        "ran": "each call runs the kernel below once, with the arguments as they came",
        "is the output of the kernel below": "return the very tensor that the kernel below has made",
        "keys": "the output gets the key 'Autograd' besides those that it has, so that the next call is remembered too",
        "node": "the output's `node` is the operator and its arguments: (op, args)",
        "arguments": "the arguments stay as they are",
        "raises": "an error of the kernel below goes through",
        "raised": "an error of the kernel below goes through, and where there is none, nothing is raised",
        "each time": "the same kernel is called many times, and remembers each call on its own output",
    },
    probe="tensor.autograd.remember",
    mistakes=(
        Mistake(
            "a key between 'Autograd' and 'CPU' has a kernel too, which comes next: use `call(..., below=...)`",
            lambda args, wanted, got: "Log" in args[0] and "Log" not in dict(got.value["ran"]),
        ),
        Mistake(
            "the call came back to the kernel for Autograd: without `below` that would never end",
            _ran,
        ),
    ),
    words={
        "KEYS": "the operator has a kernel for each",
        "arguments": "the keys of each tensor in the call",
        "times": "how often the kernel is called",
        "below": "the error that the kernels below raise",
    },
)

VECTOR: Leaf = ([1.0, 2.0, 3.0], (3,), True)
OTHER: Leaf = ([4.0, -1.0, 2.0], (3,), True)
GIVEN: Leaf = ([2.0, 2.0, 5.0], (3,), False)


def _matrix(rng: random.Random, *sizes: int, requires: bool = True) -> Leaf:
    return [float(rng.randint(-4, 4)) for _ in range(sizes[0] * sizes[1])], sizes, requires


def _chains(rng: random.Random) -> Iterator[Case]:
    yield Case(([([3.0], (), True)], [], 1), "itself")
    yield Case(([VECTOR], [("total", (0,))], 1), "one")
    yield Case(([VECTOR, OTHER], [("add", (0, 1)), ("total", (2,))], 1), "one")
    yield Case(([VECTOR, OTHER], [("mul", (0, 1)), ("total", (2,))], 1), "one")
    yield Case(([VECTOR, GIVEN], [("mul", (0, 1)), ("total", (2,))], 1), "not required")
    yield Case(([GIVEN, VECTOR], [("mul", (0, 1)), ("total", (2,))], 1), "not required")
    yield Case(([([0.0], (1,), True)], [("tanh", (0,)), ("total", (1,))], 1), "one")
    yield Case(([([0.5], (1,), True)], [("tanh", (0,)), ("total", (1,))], 1), "one")
    yield Case(([VECTOR, OTHER], [("total", (0,))], 1), "not used")
    for n, k, m in [(2, 3, 2), (1, 2, 3), (3, 1, 2)] * 4:
        leaves = [_matrix(rng, n, k), _matrix(rng, k, m)]
        yield Case((leaves, [("matmul", (0, 1)), ("total", (2,))], 1), "one")
        leaves = [_matrix(rng, n, k), _matrix(rng, k, m), _matrix(rng, n, m, requires=False)]
        yield Case((leaves, [("matmul", (0, 1)), ("mul", (3, 2)), ("total", (4,))], 1), "chain")


def _passes(rng: random.Random) -> Iterator[Case]:
    square = [("mul", (0, 0)), ("total", (1,))]
    yield Case(([VECTOR], [("total", (0,))], 2, "once"), "same graph")
    yield Case(([VECTOR], square, 2, "once"), "same graph")
    yield Case(([VECTOR, OTHER], [("add", (0, 1)), ("total", (2,))], 2, "once"), "same graph")
    yield Case(([VECTOR, OTHER], [("add", (0, 1)), ("total", (2,)), ("total", (0,))], 1, "all"), "several losses")
    yield Case(([VECTOR], [*square, ("total", (1,))], 1, "all"), "several losses")
    for _ in range(28):
        leaves = [_matrix(rng, 1, 2), _matrix(rng, 1, 2)]
        ops = rng.choices(("add", "mul"), k=2)
        program = [(ops[0], (0, 1)), (ops[1], (2, 0)), ("total", (3,))]
        how = rng.choice(("once", "all"))
        if how == "all":
            program += [("total", (2,)), ("total", (1,))]
        yield Case((leaves, program, rng.randint(2, 3), how), "same graph" if how == "once" else "several losses")


def _diamonds(rng: random.Random) -> Iterator[Case]:
    yield Case(([VECTOR], [("mul", (0, 0)), ("total", (1,))], 1), "twice")
    yield Case(([VECTOR], [("add", (0, 0)), ("total", (1,))], 1), "twice")
    # 1 = a*a, used by 2 and by 3: its gradient is complete only when both have given theirs.
    yield Case(([VECTOR], [("mul", (0, 0)), ("mul", (1, 0)), ("add", (1, 2)), ("total", (3,))], 1), "complete")
    yield Case(([VECTOR], [("mul", (0, 0)), ("mul", (1, 0)), ("add", (2, 1)), ("total", (3,))], 1), "complete")
    for doublings in (4, 6):
        program = [("add", (n, n)) for n in range(doublings)]
        yield Case(([VECTOR], [*program, ("total", (doublings,))], 1), "paths")
    for _ in range(26):
        program = []
        for position in range(1, rng.randint(3, 6)):
            program.append((rng.choice(("add", "mul")), (rng.randrange(position), rng.randrange(position))))
        yield Case(([([1.0, -2.0], (2,), True)], [*program, ("total", (len(program),))], 1), "complete")


def _again(rng: random.Random) -> Iterator[Case]:
    yield Case(([VECTOR], [("total", (0,))], 2), "adds")
    yield Case(([VECTOR, OTHER], [("mul", (0, 1)), ("total", (2,))], 3), "adds")
    yield Case(([VECTOR, GIVEN], [("mul", (0, 1)), ("mul", (2, 0)), ("total", (3,))], 2), "adds")
    for _ in range(28):
        leaves = [_matrix(rng, 1, 2), _matrix(rng, 1, 2, requires=rng.random() < 0.5)]
        ops = rng.choices(("add", "mul"), k=2)
        yield Case((leaves, [(ops[0], (0, 1)), (ops[1], (2, 0)), ("total", (3,))], rng.randint(2, 3)), "adds")


def _replaces(args: tuple, wanted: Observation, got: Observation) -> bool:
    """Return True if the gradients are what the last share alone gives, in the order of the reference."""
    leaves, program, times, *how = args
    if how:
        return False
    last = _last_shares(leaves, program, times)
    return got.value == {**got.value, **last} and wanted.value != {**wanted.value, **last}  # type: ignore[dict-item]


def _last_shares(leaves: list[Leaf], program: list[tuple], times: int) -> dict[str, list[float] | None]:
    """Compute the gradient of each leaf, as the probe names them, if each share replaced the share before it."""
    tiny = importlib.import_module("engine.tiny_tensor")
    known = [tiny.Tensor(numbers, sizes) for numbers, sizes, _ in leaves]
    asked = [requires for *_, requires in leaves]
    for op, at in program:
        known.append(tiny.call(op, *(known[place] for place in at)))
        asked.append(any(asked[place] for place in at))
    shares = {len(known) - 1: tiny.Tensor([1.0], ())}
    for place in range(len(known) - 1, len(leaves) - 1, -1):
        op, at = program[place - len(leaves)]
        if place in shares:
            given = tiny.DERIVATIVES[op](shares[place], *(known[source] for source in at))
            shares.update((source, share) for source, share in zip(at, given, strict=True) if asked[source])
    return {
        f"leaf {place}": [times * shares[place][index] for index in tiny.indices(sizes)] if place in shares else None
        for place, (_, sizes, _) in enumerate(leaves)
    }


def _what_differs(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    if any(got[name] is not None and right is None for name, right in wanted.items()):
        yield "not required"
    yield from (name for name in ("results without a gradient", "passed on") if got.get(name) != wanted.get(name))
    yield from (name for name in ("the graph", "numbers of the leaves") if got.get(name) != wanted.get(name))
    if len(args) == 3:
        yield "again" if args[2] > 1 else "shares"


BACKWARD = Check(
    "tiny_tensor.backward",
    ("leaves", "program", "times", "built"),
    (
        Aspect("chains", 5, _chains),
        Aspect("diamonds", 4, _diamonds, needs="chains"),
        Aspect("again", 3, _again, needs="chains"),
        Aspect("passes", 2, _passes, needs="chains"),
    ),
    {
        "itself": "the loss is a leaf here: its gradient with respect to itself is 1",
        "one": "the gradient of the loss is 1; DERIVATIVES[op](grad, *args) gives those of the arguments, in order",
        "chain": "the gradient of an operator's output is what is given to the operator's own derivatives",
        "same graph": "the way back may be gone several times: `backward` must leave the tensors' `node` and keys as "
        "they are, and begin with new shares each time",
        "several losses": "two losses may have tensors in common: what one pass found must not be left for the next",
        "the graph": "`backward` only reads `node` and `keys`: the graph must be as it was",
        "numbers of the leaves": "the numbers of the leaves must stay as they are",
        "not used": "a leaf that the loss was not made from gets no gradient",
        "not required": "a tensor without the key 'Autograd' gets no gradient",
        "shares": "a tensor's gradient is the sum of the shares of all its uses, and only then is it given on",
        "again": "each pass adds the gradient of that pass to a leaf's `grad`, and begins with new shares",
        "twice": "a tensor that is used twice gets a gradient from each use: add them up",
        "paths": "a tensor that is used twice doubles the number of paths, but it is to be passed once: when all "
        "of its shares are there",
        "passed on": "each tensor gives its gradient to its arguments once, when all of its shares are there; this one "
        "follows every path from the loss anew",
        "results without a gradient": "only leaves keep a gradient in `grad`; what an operator made does not",
        "complete": "two results use the same tensor: its gradient is complete only when both have given theirs, so go "
        "through the tensors in an order in which each comes after all that were made from it",
        "adds": "backward adds to a leaf's `grad`; it is the training loop that sets it to None",
        "returned None": "the gradients are put into `grad`; nothing has to be returned",
    },
    probe="tensor.autograd.gradients",
    mistakes=(Mistake("a share takes the place of the one that arrived before it: add the two", _replaces),),
    differs=_what_differs,
    words={
        "leaves": "(numbers, sizes, whether a gradient is required) of each tensor that the program begins with",
        "program": "(operator, the positions of its arguments); each result gets the next position, and the last one "
        "is the loss",
        "times": "how often the program is run and gone through backward, without setting `grad` to None",
        "once": "the program is run once, and gone through backward that many times",
        "all": "the program is run once; `backward` is called with each of its results without dimensions, that many "
        "times",
    },
)

CHECKS = (AUTOGRAD_KERNEL, BACKWARD)
