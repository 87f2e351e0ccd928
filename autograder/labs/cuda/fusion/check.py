"""Check of elementwise fusion: the bias and the activation of a layer in one pass over its output."""

import random
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.cuda.fusion import probe as probe
from autograder.labs.cuda.gemm.probe import placed
from autograder.labs.cuda.sharing import RESULT, UNLESS_RIGHT, gives, guessed, most_of_a_thread, reasons
from engine.memory_trace import Trace

Findings = dict[str, str]
# (name, s): no activation will do for all cases
ACTIVATIONS = (("x if x > 0 else s * x", 10), ("x if x > 0 else s * x", 3), ("s - 2 * x", 1), ("s - 2 * x", 7))


def _read(args: tuple, data: Any) -> tuple[dict[str, np.ndarray], Trace]:
    sizes, layout, of_bias, beta, dtype, _, _, grid, block, seed = args
    arrays = probe.operands(sizes, layout, of_bias, beta, dtype, seed)
    return arrays, counting.read(data, arrays, (grid,), (block,))


def _result(args: tuple, data: object) -> Findings:
    sizes, layout, of_bias, beta, _, function, scalar, *_, seed = args
    arrays, trace = _read(args, data)
    m, n = sizes
    _, first, (_, *steps) = placed(layout, 1, m, n)
    rows, columns = np.indices((m, n))
    of_out = first + rows * steps[0] + columns * steps[1]
    by_row, by_column = probe.bias_steps(of_bias, n)[1]
    bias = probe.bias_begin(seed) + rows * by_row + columns * by_column
    right = arrays["out"].copy()
    added = right[of_out] + (beta * arrays["bias"][bias] if beta else 0)
    right[of_out] = np.vectorize(probe.activation(function, scalar), otypes=[right.dtype])(added)
    place = {int(cell): at for at, cell in np.ndenumerate(of_out)}

    def needed(cell: int) -> dict[str, list]:
        if cell not in place:
            return {}
        return {"out": [cell], **({"bias": [int(bias[place[cell]])]} if beta else {})}

    activate = np.vectorize(probe.activation(function, scalar), otypes=[np.float64])
    before = arrays["out"][of_out].astype(np.float64)
    of_bias = arrays["bias"].astype(np.float64)[bias] if beta else np.zeros_like(before)

    def made(values: np.ndarray) -> np.ndarray:
        result = arrays["out"].astype(np.float64)
        result[of_out] = values
        return result

    said = counting.judged_result(trace, arrays, {"out": right}, needed={"out": needed})
    said = guessed(trace, arrays, "out", said, right, {
        EARLY: lambda: made(activate(before) + beta * of_bias),
        NEVER: lambda: made(before + beta * of_bias),
        TWICE: lambda: made(activate(activate(before + beta * of_bias))),
        NO_BETA: lambda: made(activate(before + of_bias)),
        NO_BIAS: lambda: made(activate(before)),
    })  # fmt: skip
    return {
        **reasons(trace, said),
        "races": counting.races(trace),
        "stores": counting.stores(trace, "out", m * n, None),
        "result": said,
    }


EARLY = "with the activation before the bias"
NEVER = "without the activation"
TWICE = "with the activation twice"
NO_BETA = "with the bias as it is, not beta times"
NO_BIAS = "without the bias"


def _counts(args: tuple, data: object) -> Findings:
    (m, n), layout, _, beta, *_, grid, block, _ = args
    _, trace = _read(args, data)
    once, of_bias_once = m * n, m * n if beta else 0
    found = {
        RESULT: _result(args, data)["result"],
        "loads of out": counting.loads(trace, "out", once, once),
        "stores of out": counting.stores(trace, "out", once, once),
        "loads of the bias": counting.loads(trace, "bias", of_bias_once, of_bias_once),
        "loads of one thread": most_of_a_thread(trace, "out", -(-once // (grid * block))),
    }
    if layout == "rows":
        most = 2 * -(-once // min(block, 32))  # a run of at most 32 neighbors is in one or two segments
        found["transactions of out"] = counting.transactions(trace, "out", "load", 0, most)
    return found


def _case(rng: random.Random, sizes: tuple[int, int], about: str, layout: str = "rows", of_bias: str = "a row",
          beta: int = 1, dtype: str = "float32", grid: int = 2, block: int = 8) -> Case:  # fmt: skip
    activation = ACTIVATIONS[(sizes[0] + sizes[1] + grid) % len(ACTIVATIONS)]  # so each of them is drawn
    return Case((sizes, layout, of_bias, beta, dtype, *activation, grid, block, rng.randrange(10_000)), about)


def _ordinary(rng: random.Random) -> Iterator[Case]:
    yield _case(rng, (1, 1), "elements", grid=1, block=1)
    yield _case(rng, (2, 3), "elements", grid=1, block=6)
    yield _case(rng, (3, 2), "elements", grid=1, block=8)
    yield _case(rng, (2, 3), "elements", grid=3, block=4)
    yield _case(rng, (4, 5), "elements", grid=1, block=4)
    yield _case(rng, (5, 3), "elements", grid=2, block=2)
    yield _case(rng, (2, 3), "beta", beta=-2)
    yield _case(rng, (3, 4), "no bias", beta=0)
    for of_bias in ("whole", "one number"):
        yield _case(rng, (3, 4), "strides", of_bias=of_bias, beta=rng.choice((1, 2)))
    betas = cycle((1, -3, 0, 2))
    for layout in ("columns", "gaps"):
        for of_bias in ("whole", "a row", "one number"):
            sizes, beta = (rng.randint(2, 3), rng.randint(4, 5)), next(betas)
            about = "strides" if beta else "no bias"
            yield _case(rng, sizes, about, layout, of_bias, beta, rng.choice(("float32", "float64")))


def _counted(rng: random.Random) -> Iterator[Case]:
    yield _case(rng, (2, 3), "once", grid=1, block=6)
    yield _case(rng, (4, 3), "once", beta=2)
    yield _case(rng, (3, 5), "once", beta=0)
    yield _case(rng, (3, 4), "once", "columns", "whole")
    yield _case(rng, (2, 5), "once", "gaps", "one number", -1)
    yield _case(rng, (3, 48), "once", grid=2, block=32)
    yield _case(rng, (2, rng.randint(60, 70)), "once", grid=2, block=32, beta=rng.choice((0, 1)))
    yield _case(rng, (rng.randint(5, 7), 4), "once", grid=rng.randint(2, 3), beta=rng.choice((1, 3)))


BIAS_ACTIVATION_KERNEL = Check(
    "cuda.bias_activation.bias_activation_kernel",
    ("sizes", "layout", "of_bias", "beta", "dtype", "activation", "s", "grid", "block", "seed"),
    (
        Aspect("ordinary", 2, _ordinary, findings=_result),
        Aspect("once", 3, _counted, needs="ordinary", findings=_counts),
    ),
    mistakes=(
        Mistake(
            "where beta is 0 the bias may hold nan, and 0 * nan is nan: do not load it then",
            lambda args, wanted, got: args[3] == 0 and " is nan, and should be " in got.value["result"],
        ),
        gives(EARLY, "the bias comes first: activate(out + beta * bias)"),
        gives(NEVER, "`activate` is to be called: out becomes activate(out + beta * bias)"),
        gives(TWICE, "`activate` is to be called once for each element"),
        gives(NO_BETA, "the bias is multiplied by beta before it is added"),
        gives(NO_BIAS, "the bias is missing: out becomes activate(out + beta * bias)"),
    ),
    hints={
        RESULT: UNLESS_RIGHT,
        "result": "out[at] becomes activate(out[at] + beta * bias[of_bias]), at row e // n, column e % n of element e",
        "elements": "element e, of row e // n and column e % n: load, add beta times the bias, activate once, store",
        "stores": "every element, however few threads there are: thread t of T takes t, t + T, t + 2T, ...",
        "beta": "the bias is multiplied by beta before it is added",
        "no bias": "where beta is 0 the bias may hold nan, and 0 * nan is nan: do not load it",
        "strides": "rows and columns have steps of their own in `out` and in the bias; 0 means: the same for all",
        "out of bounds": "there may be more threads than elements: those beyond the last have nothing to do",
        "races": "each element belongs to one thread of the whole grid: begin at cuda.grid(1)",
        "once": "one load and one store for each element; the sum is kept in a name, not in `out`",
        "loads of out": "each element is loaded once: keep the sum in a name, not in `out`",
        "stores of out": "each element is stored once: keep the sum in a name, not in `out`",
        "loads of the bias": "one load for each element, and none where beta is 0",
        "loads of one thread": "all threads share the work evenly: thread t of T takes t, t + T, t + 2T, ...",
        "transactions of out": "thread e takes element e: then a warp's loads lie side by side",
        "raised": "no kernel came, or it stops: the message says at which thread and line",
        "returned None": "the maker ends without `return`",
    },
    probe="cuda.fusion.fused",
    program="cuda.program.elementwise",
)
CHECKS = (BIAS_ACTIVATION_KERNEL,)
