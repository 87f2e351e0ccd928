"""Checks of what is recorded: where gradients go, and the autograd kernel of mul."""

import random
from collections.abc import Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check, Mistake

LEAF, PLAIN, INT, LET_GO = ("leaf",), ("plain",), ("int",), ("let go",)


def _edge(number: int, *mode: str) -> tuple:
    return ("edge", number, *mode)


def _edges_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(([PLAIN, _edge(0)],), "nothing")
    yield Case(([INT, _edge(0)],), "nothing")
    yield Case(([PLAIN, ("exp", 0), _edge(1)],), "nothing")
    yield Case(([LEAF, ("exp", 0), _edge(1)],), "made")
    yield Case(([LEAF, ("exp", 0), ("neg", 1), _edge(1), _edge(2)],), "made")
    yield Case(([LEAF, PLAIN, ("add", 1, 0), _edge(2)],), "made")
    yield Case(([LEAF, ("equal", 0), _edge(1)],), "nothing")
    yield Case(([LEAF, ("exp", 0), ("detach", 1), _edge(2), _edge(1)],), "nothing")
    yield Case(([LEAF, ("exp", 0), _edge(1, "no_grad"), _edge(1)],), "mode")
    yield Case(([LEAF, ("exp", 0), ("view", 1), ("add_", 1), _edge(2, "no_grad")],), "mode")
    for number in (0, 1, 2):
        yield Case(([LEAF, ("unbind", 0, number), _edge(1)],), "output")
        yield Case(([LEAF, ("exp", 0), ("split", 1, number), _edge(2)],), "output")
    yield Case(([LEAF, ("view", 0), _edge(1)],), "view")
    yield Case(([LEAF, ("exp", 0), ("view", 1), ("add_", 1), _edge(2), _edge(1)],), "view")
    yield Case(([LEAF, ("exp", 0), ("view", 1), ("add_", 2), _edge(2), _edge(1)],), "view")
    yield Case(([PLAIN, ("view", 0), ("requires_grad_", 1), LEAF, ("mul_", 0, 3), _edge(1), _edge(0)],), "view")
    for number in (1, 2):  # the base was written to: the node of its view is made when somebody asks for it
        yield Case(([LEAF, PLAIN, ("view", 1), ("mul_", number, 0), _edge(2), _edge(1)],), "view")
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
    yield Case(([LEAF, _edge(0, "no_grad"), _edge(0)],), "mode")
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


def _of_edge(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    program = args[0]
    key = next(key for key in wanted if wanted[key] != got[key])
    right, given = wanted[key], got[key]
    made = [step for step in program if step[0] != "edge"]
    kind = made[program[int(key.partition(":")[0])][1]][0]
    if given is not None and given[0] == "not an edge":
        yield "type"
    elif given is None and len(program[int(key.partition(":")[0])]) > 2:
        yield "mode"
    elif right is None:
        yield kind.replace("view unrecorded", "unrecorded view") if kind in ("let go", "view unrecorded") else "nothing"
    elif len(right) > 3 or kind == "leaf":
        yield "leaf"
    elif given is None or right[:2] != given[:2]:
        is_written = any(step[0] in ("add_", "mul_") for step in made)
        yield "view" if is_written and kind in ("view", "add_", "mul_") else "made"
    else:
        yield "output"


GRADIENT_EDGE = Check(
    "autograd.variable.gradient_edge",
    ("program",),
    (
        Aspect("ordinary", 3, _edges_ordinary),
        Aspect("leaves", 3, _edges_leaves),
    ),
    {
        "made": "of a tensor that an operator made: the operator's node and the number of the output",
        "output": "an operator may have several outputs: the edge says which of them the tensor is",
        "view": "the node of a view is not always in `meta.grad_fn`: ask `grad_fn(tensor)`, and before "
        "`meta.requires_grad`",
        "nothing": "this tensor was not made by a recorded operator, and nobody asked for its gradient",
        "leaf": "a leaf that requires grad has one accumulator, and each edge leads to its input 0",
        "let go": "an AutogradMeta alone does not mean that a gradient is asked for",
        "unrecorded view": "`meta.requires_grad` of this view is False, and no node made it: nothing is recorded here",
        "mode": "a tensor's edge is asked for in no_grad as well, as `with no_grad(): loss.backward()` does: what is "
        "recorded already has nothing to do with the grad mode",
        "type": "an edge is a tuple: (node, int)",
        "raised": "every tensor has an answer here: an edge or None",
    },
    probe="autograd.recording.edges",
    differs=_of_edge,
    words={
        "leaf": "('leaf',) makes a tensor that requires grad; tensors are numbered 0, 1, ... as they are made",
        "plain": "('plain',) makes one that does not, ('int',) one of integers",
        "let go": "('let go',) makes one that required grad once",
        "view": "('view', 0) makes a view of tensor 0",
        "view unrecorded": "('view unrecorded', 0) makes it in no_grad; 'exp unrecorded' likewise",
        "unbind": "('unbind', 0, 2) is output 2 of unbind; 'split' likewise",
        "requires_grad_": "('requires_grad_', 1) asks for the gradient of tensor 1; the next tensor is the same one",
        "mul_": "('mul_', 1, 0) writes to tensor 1: tensor 1 times tensor 0, in place",
        "no_grad": "('edge', 1, 'no_grad') asks for the edge in no_grad",
        "edge": "('edge', 1) asks for the edge of tensor 1: (name of the node, its number in order of appearance, "
        "input "
        "number); of an accumulator also the number of its tensor",
    },
)


def _values(rng: random.Random, shape: tuple[int, ...]) -> Any:
    """Draw nested lists with the given shape, or a single number for the shape ()."""
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
        ("unrecorded view", "plain", "no edge"), ("plain", "unrecorded view", "no edge"),
        ("unrecorded view", "leaf", "no edge"), ("leaf", "unrecorded view", "no edge"),
        ("unrecorded view", "again", "no edge"),
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
    for below in ("exp", "fails", "interrupted", "writes"):
        for one, other in [("leaf", "plain"), ("plain", "leaf"), ("leaf", "leaf"), ("made", "again"), ("view", "leaf")]:
            yield Case((True, [_factor(rng, one, (1,)), _factor(rng, other, (1,))], below), below)
    for _ in range(24):
        below = rng.choice(("exp", "fails", "interrupted", "writes"))
        kinds = ["leaf" if rng.random() < 0.6 else "made", rng.choice(("leaf", "made", "plain", "again"))]
        yield Case((True, [_factor(rng, kind, (2,)) for kind in kinds], below), below)


def _of_product(args: tuple, wanted: dict, got: dict) -> Iterator[str]:
    grad_mode, factors, below = args
    keys = [*wanted, *(key for key in got if key not in wanted)]
    key = next(key for key in keys if wanted.get(key) != got.get(key))
    if key == "recorded" and wanted[key] == "no":
        yield "not asked for" if grad_mode else "no_grad"
    elif key == "recorded" and got.get(key, "no") == "no" and factors[0][0] == "unrecorded view":
        yield "no edge"
    elif key.startswith("saved_") and got.get(key, "")[0] == wanted[key][0]:
        yield "before"
    elif key == "returned" and below in ("fails", "interrupted"):
        yield below
    elif key == "returned" and got[key] == "NoneType":
        yield "nothing"
    else:
        yield key


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
        "saved_self": "`self` is saved in `node.saved_self`, as a SavedVariable, if `other` has an edge, and only "
        "then: "
        "the gradient of `other` is grad * self",
        "saved_other": "`other` is saved in `node.saved_other`, as a SavedVariable, if `self` has an edge, and only "
        "then: "
        "the gradient of `self` is grad * other",
        "before": "the factors are saved before `below` runs: it may write to them, and then the version must be "
        "the one "
        "from before",
        "edges": "the node is made with the pair of edges: first that of `self`, then that of `other`",
        "again": "the same tensor may be both factors: then both edges lead to the same place, and both are saved",
        "calls of below": "`below(self, other)` is called once, with the two factors in this order",
        "returned": "return the very tensor that `below` returned",
        "values": "the product is what `below` returned, as it is",
        "recorded": "the call is recorded if the grad mode is on and a factor requires grad: its node is then a "
        "MulBackward0",
        "no edge": "`requires_grad(tensor)` decides whether the call is recorded; what has no edge is a question of "
        "its "
        "own, and decides what is saved",
        "no_grad": "where `state.grad_mode` is False nothing is recorded, whatever the factors are",
        "not asked for": "neither factor requires grad: return what `below` returns, without a history",
        "exp": "an operator that `below` calls must not be recorded: run `below` in the guard",
        "exp inside is recorded": "an operator that `below` calls must not be recorded: run `below` in the guard",
        "below runs in the guard": "while a call is recorded, `below` runs in `with "
        "AutoDispatchBelowADInplaceOrView():`; neither the grad mode nor another guard does the same",
        "fails": "an error from `below` passes through",
        "interrupted": "any error from `below` passes through, also one that is no Exception",
        "state as before": "afterwards the thread's dispatch state and its grad mode are as they were, also if `below` "
        "raises",
        "writes": "the factors are saved before `below` runs",
        "nothing": "None comes back: the kernel returns the product",
    },
    probe="autograd.recording.multiply",
    mistakes=(
        Mistake(
            "each factor is saved for the gradient of the other one: the two conditions are swapped",
            lambda args, wanted, got: (
                wanted.value["saved_self"] != wanted.value["saved_other"]
                and (got.value["saved_self"] == "nothing") == (wanted.value["saved_self"] != "nothing")
                and (got.value["saved_other"] == "nothing") == (wanted.value["saved_other"] != "nothing")
                and "nothing" in (wanted.value["saved_self"], wanted.value["saved_other"])
            ),
        ),
        Mistake(
            "a factor is an input of the node and no output: `SavedVariable(factor)`, without `is_output`",
            lambda args, wanted, got: "kept as an output" in f"{got.value['saved_self']}{got.value['saved_other']}",
        ),
        Mistake(
            "what is saved is a copy of a factor, or another tensor over its memory: save the factor itself, "
            "`SavedVariable(other)`, for its version is compared later",
            lambda args, wanted, got: "Tensor" in (got.value["saved_self"][0], got.value["saved_other"][0]),
        ),
        Mistake(
            "a factor is saved bare: wrap it, `SavedVariable(factor)`, so that its version is checked",
            lambda args, wanted, got: "not a SavedVariable" in f"{got.value['saved_self']}{got.value['saved_other']}",
        ),
    ),
    differs=_of_product,
    words={
        "leaf": "('leaf', values): a factor that requires grad",
        "made": "('made', values): one that an operator made from a leaf",
        "plain": "('plain', values): one that does not require grad",
        "let go": "('let go', values): one that required grad once",
        "view": "('view', values): a view of a leaf",
        "unrecorded view": "('unrecorded view', values): a view of a leaf that was made in no_grad: it requires grad, "
        "through its base, and has no edge",
        "again": "('again', None): `other` is the same tensor as `self`",
        "exp": "below calls an operator on a leaf before it returns the product",
        "fails": "below raises ValueError",
        "interrupted": "below raises an error outside of Exception, as KeyboardInterrupt is",
        "writes": "below writes to both factors",
    },
    program="autograd.program.run",
)

CHECKS = (GRADIENT_EDGE, MUL)
