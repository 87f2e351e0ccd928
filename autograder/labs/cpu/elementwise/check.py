"""Checks of loops over two inputs that lie without gaps: traces of runs at small sizes, replayed and counted here."""

import random
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Aspect, Case, Check
from autograder.labs.cpu.elementwise.probe import two
from autograder.labs.cpu.operands import (
    COUNTED,
    RESULT,
    TRACED,
    Operand,
    arrays_of,
    beside,
    call_of,
    judged,
    operand,
    touched,
    with_factor,
)
from autograder.labs.cpu.runs import COMPILED, LOOPS, STAR, says
from engine import memory_trace
from engine.memory_trace import Trace


def _three(rng: random.Random, end: int, offsets: tuple[int, ...]) -> tuple[Operand, ...]:
    return tuple(operand(rng, end, offset) for offset in offsets)


# ---- contiguous_binary


def _of_two(args: tuple, observed: Any) -> tuple[Trace, dict[str, str]]:
    """Return the trace of a loop over three runs, and the findings on its cells and its result."""
    begin, end, *operands, scalars, c = args
    arrays = arrays_of(*operands)
    trace = counting.read(observed, arrays)
    (_, o), (_, p), (_, q) = operands
    x, y = arrays["a"][p + begin : p + end].copy(), arrays["b"][q + begin : q + end].copy()

    def with_out(*numbers: float) -> dict[str, np.ndarray]:
        whole = arrays["out"].copy()
        whole[o + begin : o + end] = numbers
        return {"out": whole}

    def needed(cell: int) -> dict[str, list[int]]:
        i = cell - o
        return {"a": [p + i], "b": [q + i]} if begin <= i < end else {}

    def run(first: int) -> set[int]:
        return set(range(first + begin, first + end))

    pairs = list(zip(x, y, strict=True))
    right = with_out(*(two(c)(*pair, *scalars) for pair in pairs))
    instead = {
        "this is f without the scalars": lambda: with_out(*(two(c)(*pair) for pair in pairs)),
        "this is f(y, x): the inputs are exchanged": lambda: with_out(*(two(c)(b, a, *scalars) for a, b in pairs)),
    }
    cells = touched(trace, {"out": run(o)}, {"a": run(p), "b": run(q)})
    return trace, {**cells, "result": judged(trace, arrays, right, needed={"out": needed}, instead=instead)}


def _binary_findings(args: tuple, observed: Any) -> dict[str, str]:
    trace, found = _of_two(args[1:], observed)
    count, memory = args[2] - args[1], trace.arguments[0].array
    stores = [access.array for access in memory_trace.accesses(trace, "", "store")]
    return {
        **found,
        "numbers stored": counting.within(stores.count(memory), count, 2 * count),
        "stores to an input": counting.within(len(stores) - stores.count(memory), 0, 0),
        **beside(trace),
    }


def _binary_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(("trace", 0, 3, *_three(rng, 3, (0, 0, 0)), ()), "each index")
    yield Case(("trace", 0, 1, *_three(rng, 1, (0, 0, 0)), ()), "each index")
    yield Case(("trace", 0, 0, *_three(rng, 0, (0, 0, 0)), ()), "empty")
    yield Case(("trace", 3, 3, *_three(rng, 4, (1, 0, 2)), ()), "empty")
    yield Case(("trace", 2, 4, *_three(rng, 5, (0, 0, 0)), ()), "range")
    yield Case(("trace", 1, 4, *(operand(rng, 4, 0, more=0) for _ in "oab"), ()), "range")
    yield Case(("trace", 1, 39, *_three(rng, 39, (0, 2, 1)), ()), "each index")
    yield Case(("trace", 0, 3, *_three(rng, 3, (2, 0, 0)), ()), "offsets")
    yield Case(("trace", 0, 3, *_three(rng, 3, (0, 3, 1)), ()), "offsets")
    yield Case(("trace", 0, 2, *_three(rng, 2, (0, 0, 0)), (5, 100)), "scalars")
    for _ in range(12):
        begin, count = rng.randint(1, 5), rng.randint(1, 9)
        offsets = tuple(rng.sample(range(6), 3))
        scalars = tuple(rng.randint(-5, 5) for _ in range(rng.randint(0, 2)))
        yield Case(("trace", begin, begin + count, *_three(rng, begin + count, offsets), scalars), "offsets")


def _binary_in_place(rng: random.Random) -> Iterator[Case]:
    for number in range(10):
        begin, count, o = rng.randint(0, 2), rng.randint(1, 7), rng.randint(0, 3)
        end = begin + count
        out, other = operand(rng, end, o), operand(rng, end, rng.randint(0, 3))
        operands = [(out, ("out", o), other), (out, other, ("out", o)), (out, ("out", o), ("out", o))][number % 3]
        yield Case(("trace", begin, end, *operands, ()), "in place")
    yield Case(("trace", 0, 3, operand(rng, 3, 1), operand(rng, 5, 0), ("a", 2), ()), "one storage")
    for _ in range(3):  # the two halves of one storage
        count = rng.randint(2, 5)
        out = operand(rng, count, count)
        yield Case(("trace", 0, count, out, ("out", 0), operand(rng, count, 1), ()), "one storage")


def _binary_compiled(rng: random.Random) -> Iterator[Case]:
    """Yield a case of ints that no float64 holds, in parts of one storage: the same array, so that offsets count."""
    large = [2**53 + rng.randint(1, 99) for _ in range(rng.randint(11, 13))]
    yield Case(("pasted", 1, 4, (large, 6), ("out", 0), ("out", 2), (rng.randint(1, 5),)), "compiled")


CONTIGUOUS_BINARY = Check(
    "cpu.elementwise_loops.contiguous_binary",
    ("observed", "begin", "end", "out", "a", "b", "scalars", "c"),
    (
        Aspect("ordinary", 4, with_factor(_binary_ordinary), findings=_binary_findings),
        Aspect("in_place", 2, with_factor(_binary_in_place), needs="ordinary", findings=_binary_findings),
        Aspect("compiled", 1, with_factor(_binary_compiled), needs="ordinary", compiled=True),
    ),
    {
        "each index": "cell o + i of out becomes f of cell p + i of a and cell q + i of b, for each i of begin..end",
        "empty": "begin == end: nothing is read and nothing is written",
        "range": "only begin..end: other threads do what is before and behind",
        "offsets": "each of the three has an offset of its own: element i of a is cell p + i",
        "scalars": "f takes the scalars after the two numbers: f(x, y, *scalars)",
        "in place": "the output may be an input: read both numbers of an index before you write it, and copy nothing",
        "out is written": "for each i of begin..end, without end, cell o + i of out is written, and no other cell: "
        "other threads do the rest",
        "a is read": "for each i of begin..end, without end, cell p + i of a is read, and no other cell",
        "b is read": "for each i of begin..end, without end, cell q + i of b is read, and no other cell",
        "stores to an input": "the inputs are only read",
        "one storage": "input and output may be two parts of one array: the offsets tell which",
        "compiled": COMPILED,
        "returned": "the loop returns nothing",
    },
    mistakes=(
        says("without the scalars", "f takes the scalars after the two numbers: f(x, y, *scalars)"),
        says("the inputs are exchanged", "f takes the number of a first, and then the number of b"),
        STAR,
        *LOOPS,
    ),
    words={
        "c": "f(x, y) is x - c * y, plus the scalars",
        "pasted": "compiled, with the loop's text pasted in by `in_place_or`, as in the engine",
        **TRACED,
    },
    call=lambda args: call_of("contiguous_binary(f)", "x - {c} * y", args),
    probe="cpu.elementwise.binary",
)


# ---- contiguous_binary_vec


def _vec_findings(args: tuple, observed: Any) -> dict[str, str]:
    trace, found = _of_two(args[2:], observed)
    count = args[3] - args[2]
    stored = memory_trace.count(trace, "", "store")
    return {**found, "numbers stored": counting.within(stored, count, count), **beside(trace)}


def _vectors_findings(args: tuple, observed: Any) -> dict[str, str]:
    _, lanes, begin, end, *operands = args
    trace, of_result = _of_two(args[2:], observed)
    whole = (end - begin) // lanes * lanes
    found = {RESULT: of_result["result"]}
    for name, kind, function in (("a", "load", "vector_load"), ("b", "load", "vector_load"),
                                 ("out", "store", "vector_store")):  # fmt: skip
        all_of = list(memory_trace.accesses(trace, "", kind, name))
        by_vector = sum(_is_probes(trace.instructions[access.instruction], function) for access in all_of)
        found[f"{kind}s of {name} by vectors"] = counting.within(by_vector, whole, whole)
        found[f"{kind}s of {name} one by one"] = counting.within(len(all_of) - by_vector, *(end - begin - whole,) * 2)
        cells = [access.index for access in all_of if _is_probes(trace.instructions[access.instruction], function)]
    first = operands[0][1] + begin
    beside = sorted(set(cells) - set(range(first, first + whole)))
    found["where"] = "from begin on" if not beside else f"cell {beside[0]} of out, which is of the tail"
    return found | {"width": _width(trace, lanes)}


def _width(trace: Trace, lanes: int) -> str:
    """Return how many neighbors the vector functions take at once: `lanes`, or a multiple of it."""
    for (_, number), run in groupby(memory_trace.accesses(trace), lambda access: (access.array, access.instruction)):
        count = len(list(run))
        if trace.instructions[number].function in ("vector_load", "vector_store") and count % lanes:
            return f"{count} numbers at once"
    return "`lanes` numbers at once"


def _is_probes(instruction: memory_trace.Instruction, function: str) -> bool:
    """Return whether the call is of a function of the probe, and not of another function with the same name."""
    return instruction.function == function and Path(instruction.file).parts[-2:] == ("elementwise", "probe.py")


def _vec_ordinary(rng: random.Random) -> Iterator[Case]:
    for lanes, begin, end, about in (
        (4, 0, 4, "vectors"), (4, 0, 8, "vectors"), (2, 0, 6, "vectors"), (4, 0, 3, "tail"), (4, 0, 1, "tail"),
        (4, 0, 7, "tail"), (8, 0, 9, "tail"), (4, 0, 0, "empty"), (4, 5, 5, "empty"), (4, 3, 7, "range"),
        (4, 1, 8, "range"), (8, 3, 30, "range"), (1, 0, 3, "vectors"),
    ):  # fmt: skip
        yield Case(("trace", lanes, begin, end, *_three(rng, end, (0, 0, 0)), ()), about)
    yield Case(("trace", 4, 0, 7, *(operand(rng, 7, 0, more=0) for _ in "oab"), ()), "range")
    yield Case(("trace", 4, 0, 6, *_three(rng, 6, (0, 0, 0)), (5, 100)), "scalars")
    for _ in range(10):
        lanes, begin, count = rng.choice((2, 4, 8)), rng.randint(0, 5), rng.randint(1, 20)
        offsets = tuple(rng.sample(range(7), 3))
        yield Case(("trace", lanes, begin, begin + count, *_three(rng, begin + count, offsets), ()), "offsets")
    for _ in range(3):
        count, o = rng.randint(3, 12), rng.randint(0, 2)
        operands = (operand(rng, count, o), ("out", o), operand(rng, count, 1))
        yield Case(("trace", 4, 0, count, *operands, ()), "in place")


def _vec_vectors(rng: random.Random) -> Iterator[Case]:
    for lanes, begin, end in ((4, 0, 4), (4, 0, 3), (4, 0, 7), (8, 2, 10), (8, 0, 15), (16, 0, 33), (2, 1, 8)):
        yield Case(("trace", lanes, begin, end, *_three(rng, end, (0, 0, 0)), ()), "counts")
    for _ in range(8):
        lanes, begin, count = rng.choice((2, 4, 8)), rng.randint(0, 5), rng.randint(5, 24)
        offsets = tuple(rng.sample(range(7), 3))
        yield Case(("trace", lanes, begin, begin + count, *_three(rng, begin + count, offsets), ()), "counts")


def _vec_compiled(rng: random.Random) -> Iterator[Case]:
    yield Case(("compiled", 4, 1, 12, *_three(rng, 12, (1, 0, 2)), (rng.randint(1, 5),)), "compiled")


def _vec_call(args: tuple) -> str:
    """Write the call of a compiled case, or "" for another case: in plain Python a vector is a slice there."""
    observed, lanes, *rest = args
    if observed == "compiled":
        return call_of(f"contiguous_binary_vec(f, f, {lanes})", "x - {c} * y", (observed, *rest))
    return ""


AS_MANY = "as many whole vectors as fit into begin..end go through loadu and storeu, the rest one by one"

CONTIGUOUS_BINARY_VEC = Check(
    "cpu.elementwise_loops.contiguous_binary_vec",
    ("observed", "lanes", "begin", "end", "out", "a", "b", "scalars", "c"),
    (
        Aspect("ordinary", 3, with_factor(_vec_ordinary), findings=_vec_findings),
        Aspect("vectors", 3, with_factor(_vec_vectors), needs="ordinary", findings=_vectors_findings),
        Aspect("compiled", 1, with_factor(_vec_compiled), needs="ordinary", compiled=True),
    ),
    {
        "vectors": "storeu(out, cell, g(loadu(a, cell, lanes), loadu(b, cell, lanes), *scalars)), and on by `lanes`",
        "width": "each vector has `lanes` numbers, as the maker is told",
        "tail": "fewer than `lanes` numbers are left at the end: f does them, one by one",
        "empty": "begin == end: nothing is read and nothing is written",
        "range": "what is before begin and from end on belongs to other threads: a vector must not reach over it",
        "scalars": "f and g take the scalars after the two operands",
        "offsets": "each of the three has an offset of its own: element i of a is cell p + i",
        "in place": "the output may be an input: load both vectors before you store, and copy nothing",
        "out is written": "cells o + begin to o + end - 1 of out are written, and no other: a vector reaches from its "
        "first cell over `lanes` cells, and the rest is done one by one",
        "a is read": "cells p + begin to p + end - 1 of a are read, and no other",
        "b is read": "cells q + begin to q + end - 1 of b are read, and no other",
        "numbers stored": "each number is stored once, by a vector or by itself",
        "loads of a by vectors": AS_MANY,
        "loads of b by vectors": AS_MANY,
        "stores of out by vectors": AS_MANY,
        "where": "vectors from begin on, as many as fit; the tail comes behind them",
        "counts": AS_MANY,
        "compiled": COMPILED,
        "returned": "the loop returns nothing",
        **COUNTED,
    },
    mistakes=(
        says("without the scalars", "f and g take the scalars after the two operands"),
        says("the inputs are exchanged", "f and g take the operand of a first, and then the operand of b"),
        says("g takes two vectors", "g is for vectors, as loadu gives them; f does single numbers"),
        says("f takes single numbers", "f is for single numbers; g does vectors"),
        STAR,
        *LOOPS,
    ),
    words={"c": "f(x, y) and g(x, y) are x - c * y, plus the scalars", **TRACED},
    call=_vec_call,
    probe="cpu.elementwise.by_vectors",
)

CHECKS = (CONTIGUOUS_BINARY, CONTIGUOUS_BINARY_VEC)
