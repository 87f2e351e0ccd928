"""Checks of what is recorded: where gradients go, and the autograd kernel of mul."""

import random
from collections.abc import Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check

LEAF, PLAIN, INT, LET_GO = ("leaf",), ("plain",), ("int",), ("let go",)


def _edge(number: int) -> tuple:
    return ("edge", number)


def _edges_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(([PLAIN, _edge(0)],), "nothing")
    yield Case(([INT, _edge(0)],), "nothing")
    yield Case(([PLAIN, ("exp", 0), _edge(1)],), "nothing")
    yield Case(([LEAF, ("exp", 0), _edge(1)],), "made")
    yield Case(([LEAF, ("exp", 0), ("neg", 1), _edge(1), _edge(2)],), "made")
    yield Case(([LEAF, PLAIN, ("add", 1, 0), _edge(2)],), "made")
    yield Case(([LEAF, ("equal", 0), _edge(1)],), "nothing")
    yield Case(([LEAF, ("exp", 0), ("detach", 1), _edge(2), _edge(1)],), "nothing")
    for number in (0, 1, 2):
        yield Case(([LEAF, ("unbind", 0, number), _edge(1)],), "output")
        yield Case(([LEAF, ("exp", 0), ("split", 1, number), _edge(2)],), "output")
    yield Case(([LEAF, ("view", 0), _edge(1)],), "view")
    yield Case(([LEAF, ("exp", 0), ("view", 1), ("add_", 1), _edge(2), _edge(1)],), "view")
    yield Case(([LEAF, ("exp", 0), ("view", 1), ("add_", 2), _edge(2), _edge(1)],), "view")
    for _ in range(36):
        program = _random_program(rng)
        made = [number for number, step in enumerate(program) if step[0] not in ("leaf", "let go")]
        asked = rng.sample(made, min(len(made), 3))
        yield Case(([*program, *map(_edge, asked)],), "made")


def _random_program(rng: random.Random) -> list[tuple]:
    program: list[tuple] = [LEAF, rng.choice((LEAF, PLAIN, LET_GO))]
    rng.shuffle(program)
    threes = [0, 1]  # tensors of three elements, which operators may take
    for _ in range(rng.randint(2, 5)):
        x = rng.choice(threes)
        kind = rng.choice(("exp", "neg", "clone", "add", "unbind", "view", "detach", "exp unrecorded", "equal"))
        if kind == "add":
            program.append((kind, x, rng.choice(threes)))
        else:
            program.append((kind, x, rng.randrange(3)) if kind == "unbind" else (kind, x))
        if kind not in ("unbind", "equal"):
            threes.append(len(program) - 1)
    return program


def _edges_leaves(rng: random.Random) -> Iterator[Case]:
    yield Case(([LEAF, _edge(0)],), "leaf")
    yield Case(([LEAF, _edge(0), _edge(0)],), "leaf")
    yield Case(([LEAF, LEAF, _edge(1), _edge(0), _edge(1)],), "leaf")
    yield Case(([LEAF, ("exp", 0), _edge(0)],), "leaf")
    yield Case(([LET_GO, _edge(0)],), "let go")
    yield Case(([LET_GO, ("exp", 0), _edge(1), _edge(0)],), "let go")
    yield Case(([LEAF, ("detach", 0), _edge(1), _edge(0)],), "let go")
    yield Case(([LEAF, ("view unrecorded", 0), _edge(1)],), "unrecorded view")
    yield Case(([LEAF, ("exp", 0), ("view unrecorded", 1), _edge(2)],), "unrecorded view")
    yield Case(([LEAF, ("exp unrecorded", 0), _edge(1)],), "let go")
    for _ in range(36):
        leaves = [rng.choice((LEAF, LEAF, LET_GO, PLAIN)) for _ in range(rng.randint(2, 4))]
        used = [("exp", rng.randrange(len(leaves))) for _ in range(rng.randint(0, 2))]
        asked = [_edge(rng.randrange(len(leaves))) for _ in range(rng.randint(2, 4))]
        rng.shuffle(asked)
        about = "leaf" if LET_GO not in leaves else "let go"
        yield Case(([*leaves, *used, *asked],), about)
    for _ in range(6):
        x = rng.randrange(2)
        program = [LEAF, ("exp", 0), ("view unrecorded", x), ("add", 0, 1), _edge(2), _edge(rng.choice((0, 3)))]
        yield Case((program,), "unrecorded view")


GRADIENT_EDGE = Check(
    "autograd.variable.gradient_edge",
    ("program",),
    (
        Aspect("ordinary", 2, _edges_ordinary),
        Aspect("leaves", 2, _edges_leaves),
    ),
    {
        "made": "of a tensor that an operator made: the operator's node and the number of the output",
        "output": "an operator may have several outputs: the edge says which of them the tensor is",
        "view": "the node of a view is not always in `meta.grad_fn`: ask `grad_fn(tensor)`",
        "nothing": "this tensor was not made by a recorded operator, and nobody asked for its gradient",
        "leaf": "a leaf that requires grad has one accumulator, and each edge leads to its input 0",
        "let go": "an AutogradMeta alone does not mean that a gradient is asked for",
        "unrecorded view": "`meta.requires_grad` of this view is False, and no node made it: nothing is recorded here",
        "type": "an edge is a tuple: (node, int)",
        "returned None": "here a gradient has somewhere to go; is a `return` missing?",
        "raised": "every tensor has an answer here: an edge or None",
    },
    probe="autograd.recording.edges",
)


def _values(rng: random.Random, shape: tuple[int, ...]) -> Any:
    """Nested lists of the shape; a number for no dimensions."""
    if not shape:
        return rng.choice([-3.0, -1.5, 0.5, 2.0, 4.0])
    return [_values(rng, shape[1:]) for _ in range(shape[0])]


def _factor(rng: random.Random, kind: str, shape: tuple[int, ...] = (2,)) -> tuple:
    return (kind, None if kind == "again" else _values(rng, shape))


def _mul_ordinary(rng: random.Random) -> Iterator[Case]:
    for one, other, about in [
        ("leaf", "plain", "saved"), ("plain", "leaf", "saved"), ("leaf", "leaf", "saved"), ("made", "plain", "edges"),
        ("plain", "made", "edges"), ("leaf", "again", "again"), ("made", "again", "again"), ("leaf", "made", "edges"),
        ("let go", "leaf", "saved"), ("leaf", "let go", "saved"), ("view", "plain", "edges"),
    ]:  # fmt: skip
        yield Case((True, [_factor(rng, one, (1,)), _factor(rng, other, (1,))], "product"), about)
    for _ in range(44):
        kinds = [rng.choice(("leaf", "made", "plain", "view", "let go")), rng.choice(("leaf", "made", "plain"))]
        rng.shuffle(kinds)
        if rng.random() < 0.15:
            kinds[1] = "again"
        if not {"leaf", "made", "view"} & set(kinds):
            kinds[0] = "leaf"
        shapes = rng.choice([((2,), (2,)), ((2, 2), (2, 2)), ((2, 3), (3,)), ((1,), (3,)), ((2, 1), (1, 2))])
        about = "again" if kinds[1] == "again" else "saved"
        yield Case((True, [_factor(rng, kind, shape) for kind, shape in zip(kinds, shapes, strict=True)], "product"),
                   about)  # fmt: skip


def _mul_plain(rng: random.Random) -> Iterator[Case]:
    for one in ("leaf", "made", "plain", "view", "let go"):
        for other in ("leaf", "plain", "again"):
            yield Case((False, [_factor(rng, one, (1,)), _factor(rng, other, (1,))], "product"), "no_grad")
    for one in ("plain", "let go"):
        for other in ("plain", "let go", "again"):
            yield Case((True, [_factor(rng, one, (1,)), _factor(rng, other, (1,))], "product"), "not asked for")
    for _ in range(24):
        grad_mode = rng.random() < 0.5
        kinds = ("plain", "let go") if grad_mode else ("leaf", "made", "view", "plain")
        factors = [_factor(rng, rng.choice(kinds), rng.choice([(2,), (1,), (2, 2)])) for _ in range(2)]
        yield Case((grad_mode, factors, "product"), "not asked for" if grad_mode else "no_grad")


def _mul_below(rng: random.Random) -> Iterator[Case]:
    for below in ("exp", "fails"):
        for one, other in [("leaf", "plain"), ("plain", "leaf"), ("leaf", "leaf"), ("made", "again"), ("view", "leaf")]:
            yield Case((True, [_factor(rng, one, (1,)), _factor(rng, other, (1,))], below), below)
    for _ in range(32):
        below = rng.choice(("exp", "fails"))
        kinds = ["leaf" if rng.random() < 0.6 else "made", rng.choice(("leaf", "made", "plain", "again"))]
        yield Case((True, [_factor(rng, kind, (2,)) for kind in kinds], below), below)


MUL = Check(
    "autograd.variable_type_manual.mul",
    ("grad_mode", "factors", "below"),
    (
        Aspect("ordinary", 4, _mul_ordinary),
        Aspect("plain", 2, _mul_plain, needs="ordinary"),
        Aspect("below", 1, _mul_below, needs="ordinary"),
    ),
    {
        "saved": "the gradient of `self` is grad * other: if `self` has an edge, it is `other` that must be saved",
        "edges": "the node is made with the pair of edges: first that of `self`, then that of `other`",
        "again": "the same tensor may be both factors: then both edges lead to the same place, and both are saved",
        "no_grad": "where `state.grad_mode` is False nothing is recorded, whatever the factors are",
        "not asked for": "neither factor requires grad: return what `below` returns, without a history",
        "exp": "an operator that `below` calls must not be recorded: run `below` in the guard",
        "fails": "an error from `below` passes through, and leaves the thread's dispatch state as it was",
        "returned None": "the kernel returns the product",
    },
    probe="autograd.recording.multiply",
)

CHECKS = (GRADIENT_EDGE, MUL)
