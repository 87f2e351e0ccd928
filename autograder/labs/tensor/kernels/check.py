"""Checks of the kernels of solutions/00-tensor/tiny_tensor.py: add and matmul."""

import math
import random
from collections.abc import Callable, Iterator

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation

Operand = tuple[list[float], tuple[int, ...], tuple[int, ...] | None]


def _operand(rng: random.Random, sizes: tuple[int, ...], is_view: bool) -> Operand:
    """Make a fresh tensor of quarters, or a view of one, with its dimensions in reverse order and perhaps with gaps."""
    if not is_view:
        return _quarters(rng, math.prod(sizes)), sizes, None
    gap = rng.choice((1, 1, 2))
    strides = tuple(gap * math.prod(sizes[:dim]) for dim in range(len(sizes)))
    return _quarters(rng, gap * math.prod(sizes)), sizes, strides


def _quarters(rng: random.Random, count: int) -> list[float]:
    """Return random numbers whose sums and products are exact in any order."""
    return [rng.randint(-36, 36) / 4 for _ in range(count)]


def _sums(rng: random.Random) -> Iterator[Case]:
    yield Case(("add", ([1.0, 2.0], (2,), None), ([10.0, 20.0], (2,), None)), "element")
    yield Case(("add", ([1.0], (), None), ([2.0], (), None)), "none")
    for sizes in [(2,), (), (2, 3)]:
        yield Case(("add", _operand(rng, sizes, False), _operand(rng, sizes, False)), "fresh", FRESH)
    for sizes in [(3,), (2, 3), (2, 2, 2), ()] * 8:
        yield Case(("add", _operand(rng, sizes, False), _operand(rng, sizes, False)), "element")


def _sums_of_views(rng: random.Random) -> Iterator[Case]:
    for first, second in [(True, False), (False, True), (True, True)] * 4:
        for sizes in ((2, 3), (3,), (2, 3, 2)):
            yield Case(("add", _operand(rng, sizes, first), _operand(rng, sizes, second)), "view")
    yield Case(("add", ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], (2, 3), (0, 1)), _operand(rng, (2, 3), False)), "view")


FRESH = "tensor.kernels.fresh"
UNEQUAL = [
    ((2, 3), (3, 2)), ((2,), (3,)), ((6,), (2, 3)), ((1, 2), (2,)), ((), (1,)), ((1,), (3,)), ((2, 1), (2, 3)),
    ((1, 3), (2, 3)), ((3,), (2, 3)), ((2, 3), (2, 4)), ((2, 3, 2), (2, 3, 4)), ((2, 2, 3), (2, 3, 2)),
]  # fmt: skip


def _unequal(rng: random.Random) -> Iterator[Case]:
    for one, other in UNEQUAL * 2:
        yield Case(("add", _operand(rng, one, False), _operand(rng, other, False)), "unequal")
        yield Case(("add", _operand(rng, other, False), _operand(rng, one, False)), "unequal")


def _products(rng: random.Random) -> Iterator[Case]:
    one_to_six = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    yield Case(("matmul", ([3.0], (1, 1), None), ([5.0], (1, 1), None)), "element")
    yield Case(("matmul", (one_to_six, (2, 3), None), (one_to_six, (3, 2), None)), "element")
    for n, k, m in [(1, 1, 1), (2, 1, 2), (2, 3, 2)]:
        yield Case(("matmul", _operand(rng, (n, k), False), _operand(rng, (k, m), False)), "fresh", FRESH)
    for n, k, m in [(1, 3, 1), (3, 1, 3), (2, 3, 4), (4, 2, 3), (3, 3, 3), (1, 4, 2)] * 5:
        yield Case(("matmul", _operand(rng, (n, k), False), _operand(rng, (k, m), False)), "element")


def _products_of_views(rng: random.Random) -> Iterator[Case]:
    for first, second in [(True, False), (False, True), (True, True)] * 10:
        yield Case(("matmul", _operand(rng, (2, 3), first), _operand(rng, (3, 4), second)), "view")
    yield Case(("matmul", ([7.0, 8.0, 9.0, 1.0, 2.0, 3.0], (2, 3), (0, 1)), _operand(rng, (3, 2), False)), "view")


def _do_not_fit(rng: random.Random) -> Iterator[Case]:
    for n, k, rows, m in [
        (2, 3, 2, 3), (2, 3, 4, 2), (1, 2, 1, 2), (3, 2, 3, 2), (2, 2, 3, 3), (2, 1, 3, 2), (2, 3, 1, 2), (2, 3, 2, 2),
    ] * 4:  # fmt: skip
        yield Case(("matmul", _operand(rng, (n, k), False), _operand(rng, (rows, m), False)), "do not fit")


def _call(args: tuple) -> str:
    """Write the call as one line of Python; the numbers of the result are printed in reading order."""
    name, *operands = args
    made = [f"Tensor({', '.join(map(repr, (o if o[2] else o[:2])))})" for o in operands]
    return f"out = {name}({', '.join(made)}); print(out.sizes, out.storage)"


def _as_if_packed(combine: Callable[[list, list, tuple, tuple], list]) -> Callable:
    def shows(args: tuple, wanted: Observation, got: Observation) -> bool:
        _, (x, sizes, _), (y, others, _) = args
        return got.value["elements"] == combine(x, y, sizes, others) != wanted.value["elements"]  # type: ignore[index]

    return shows


def _added(x: list, y: list, sizes: tuple, others: tuple) -> list:
    return [one + other for one, other in zip(x, y, strict=False)]


def _multiplied(x: list, y: list, sizes: tuple, others: tuple) -> list:
    (n, k), (_, m) = sizes, others
    return [sum(x[i * k + p] * y[p * m + j] for p in range(k)) for i in range(n) for j in range(m)]


HINTS = {
    "element": "an element of the result is wrong",
    "sizes": "the sizes of the result are wrong",
    "numbers in the storage": "the storage has one number for each element of the sizes",
    "elements": "the sizes are right, the numbers are not",
    "shares": "the result needs a storage of its own: a fresh list",
    "arguments": "a kernel must not change the tensors that it is given",
    "fresh": "the result is a fresh tensor, with a list of its own, and the arguments stay as they are",
    "keys": "a fresh tensor has the usual keys, {'CPU'}, and no `node`, whatever keys the arguments have",
    "again": "the same call a second time gives another result: nothing may be kept from one call to the next",
    "view": "read an element through its index, `x[i, j]`: the storage has the numbers in another order here",
    "type": "return a Tensor",
    "raised": "these sizes fit: there is nothing to refuse",
    "returned None": "the function ends without `return`",
}
WORDS = {"x": "(storage, sizes, strides) of each tensor; with strides of None it is a fresh one"}
PACKED = "this adds up the storages; a view has its numbers there in another order: read `x[index]`"

ADD = Check(
    "tiny_tensor.add",
    ("name", "x", "y"),
    (
        Aspect("sums", 3, _sums),
        Aspect("views", 3, _sums_of_views),
        Aspect("refusals", 2, _unequal, needs="sums"),
    ),
    HINTS
    | {
        "none": "a tensor without dimensions has one element, at the index ()",
        "unequal": "the sizes differ: raise RuntimeError",
    },
    probe="tensor.kernels.binary",
    call=_call,
    mistakes=(Mistake(PACKED, _as_if_packed(_added)),),
    words=WORDS,
)

MATMUL = Check(
    "tiny_tensor.matmul",
    ("name", "x", "y"),
    (
        Aspect("products", 5, _products),
        Aspect("views", 4, _products_of_views),
        Aspect("refusals", 3, _do_not_fit, needs="products"),
    ),
    HINTS
    | {
        "sizes": "(n, k) times (k, m) gives (n, m)",
        "do not fit": "the second matrix has as many rows as the first has columns: else raise RuntimeError",
    },
    probe="tensor.kernels.binary",
    call=_call,
    mistakes=(
        Mistake(
            "this reads the storages as if both matrices were fresh; read `x[i, p]` and `y[p, j]`",
            _as_if_packed(_multiplied),
        ),
    ),
    words=WORDS,
)

CHECKS = (ADD, MATMUL)
