"""Checks of the matrix product by loops: their order, their blocks (probe.py)."""

import math
import random
from collections.abc import Iterator

import numpy as np

from autograder.examine import counting
from autograder.examine.model import Case, Check
from autograder.labs.cpu.operands import COUNTED, RESULT, judged, text_of
from autograder.labs.cpu.products import probe as probes
from autograder.labs.cpu.runs import COMPILED, LOOPS, RAISED, compiled, says, traced
from engine import memory_trace
from engine.memory_trace import Cache, Trace, misses

UNIT = {"float32": 2.0**-24, "float64": 2.0**-53, "int64": 0.0}
LARGE = "large int64"  # for compiled cases: a trace has its values as float64
ORDERS = ("rows", "columns")
LINE = 32  # bytes of a cache line: eight float32
FULLY = 1  # sets: a line may lie anywhere


def _cells(begin: int, rows: int, columns: int, row: int, column: int) -> np.ndarray:
    """Return the places of a matrix's elements in its flat array."""
    return begin + np.arange(rows)[:, None] * row + np.arange(columns) * column


def _parts(args: tuple) -> tuple[dict, list[np.ndarray]]:
    """Return the arrays of a case, and the cells of A, B and C."""
    arrays, (m, n, k, _, p, a_m, a_k, _, q, b_k, _, o, c_m) = probes.matrices(*args[:8])
    return arrays, [_cells(p, m, k, a_m, a_k), _cells(q, k, n, b_k, 1), _cells(o, m, n, c_m, 1)]


def _right(args: tuple) -> tuple[dict, np.ndarray, np.ndarray]:
    """Compute the arrays, the whole of `c` afterwards, and how far its elements may be off."""
    arrays, (of_a, of_b, of_c) = _parts(args)
    exact = np.int64 if args[6] == LARGE else np.float64
    a, b = arrays["a"].astype(exact)[of_a], arrays["b"].astype(exact)[of_b]
    right, bound = arrays["c"].astype(exact), np.zeros(arrays["c"].size)
    bound[of_c] = (args[2] + 1) * UNIT.get(args[6], 0.0) * (np.abs(a) @ np.abs(b) + np.abs(right[of_c]))
    right[of_c] += a @ b
    return arrays, right, bound


def product(args: tuple, observed: object) -> dict[str, str]:
    """Check that a traced product adds A @ B to C, computes it from A and B, and touches nothing else."""
    arrays, right, bound = _right(args)
    trace = counting.read(observed, arrays)
    _, (of_a, of_b, of_c) = _parts(args)
    places = {int(cell): (i, j) for (i, j), cell in np.ndenumerate(of_c)}

    def needed(cell: int) -> dict:
        if cell not in places:
            return {}
        i, j = places[cell]
        return {"a": of_a[i].tolist(), "b": of_b[:, j].tolist()}

    instead = {means: (lambda means=means: {"c": _changed(args, means)}) for means in MISTAKES}
    said = judged(trace, arrays, {"c": right}, {"c": bound}, {"c": needed}, instead)
    if " is " in said and not said.endswith(MISTAKES) and _are_all_whole(args, trace):
        said = f"{said.partition(': ')[0]}: {WHOLE}"
    return {"result": said, "out of bounds": counting.out_of_bounds(trace)}


def _are_all_whole(args: tuple, trace: Trace) -> bool:
    """Return True if B is read as often as if the last, shorter blocks had `steps` rows or `columns` columns, too."""
    if len(args) != 10:
        return False
    (m, n, k), (steps, columns) = args[:3], args[8]
    wide, deep = -(-n // columns) * columns, -(-k // steps) * steps
    return memory_trace.count(trace, "", "load", "b") in {m * wide * k, m * n * deep, m * wide * deep} - {m * n * k}


LOST, ONLY_LAST = "what C held before is lost", "only the last step t is in it"
A_STAYS, B_STAYS, C_STAYS = (
    f"{matrix} begins at the same cell for every block"
    for matrix in ("the part of A", "the part of B", "the part of C")
)
A_BY_ONE = "the part of A begins at p + t"
ROWS_APART = "the rows of C are n apart"
BY_COLUMNS = "the rows of B are divided by `columns`"
WHOLE = "the last blocks have `steps` rows or `columns` columns, too"
MISTAKES = (LOST, ONLY_LAST, A_STAYS, B_STAYS, C_STAYS, A_BY_ONE, ROWS_APART, BY_COLUMNS)


def _changed(args: tuple, mistake: str) -> np.ndarray:
    """Compute the whole of `c` after a mistake."""
    arrays, (of_a, of_b, of_c) = _parts(args)
    a, b = arrays["a"].astype(np.float64)[of_a], arrays["b"].astype(np.float64)[of_b]
    found, (m, n, k) = arrays["c"].astype(np.float64), args[:3]
    if mistake == ROWS_APART:
        np.add.at(found, _cells(args[5][2], m, n, n, 1), a @ b)
    elif mistake == LOST:
        found[of_c] = a @ b
    elif mistake == ONLY_LAST:
        found[of_c] = np.outer(a[:, -1], b[-1]) if k else a @ b
    elif len(args) == 10:
        steps, columns = args[8]
        for j in range(0, n, columns):
            for t in range(0, k, columns if mistake == BY_COLUMNS else steps):
                width, depth = min(columns, n - j), min(steps, k - t)
                of_t, from_t = (0 if mistake == A_STAYS else t), (0 if mistake == B_STAYS else t)
                from_j, to_j = (0 if mistake == B_STAYS else j), (0 if mistake == C_STAYS else j)
                of = of_a[:, :depth] + t if mistake == A_BY_ONE else of_a[:, of_t : of_t + depth]
                part = arrays["a"].astype(np.float64)[of] @ b[from_t : from_t + depth, from_j : from_j + width]
                found[of_c[:, to_j : to_j + width]] += part
    return found


def result(args: tuple, observed: object) -> object:
    """Judge whether the compiled function left the right C."""
    _, right, bound = _right(args)
    got = np.asarray(observed, right.dtype if args[6] == LARGE else np.float64)
    is_right = got.shape == right.shape and bool(np.all(np.abs(got - right) <= bound + 1e-30))
    return "right" if is_right else "another matrix than A @ B"


def lines(cells: np.ndarray, itemsize: int) -> int:
    """Return the number of cache lines that these elements of one array occupy."""
    return len(set((cells.reshape(-1) * itemsize // LINE).tolist()))


def _sizes(rng: random.Random) -> list[tuple[int, int, int]]:
    ragged = [(rng.randint(2, 7), rng.randint(2, 9), rng.randint(2, 7)) for _ in range(4)]
    return [(1, 1, 1), (2, 3, 1), (3, 1, 2), (1, 4, 3), (3, 2, 5), *ragged]


def _begins(rng: random.Random) -> tuple[int, ...]:
    """Draw the cells at which A, B and C begin: p, q, o."""
    return tuple(rng.sample(range(6), 3))


# ---- row_products


def _rows_ordinary(rng: random.Random) -> Iterator[Case]:
    for sizes in (*_sizes(rng), (0, 3, 2), (2, 0, 3)):
        gap, begin, seed = rng.randint(0, 3), _begins(rng), rng.randrange(999)
        yield Case((*sizes, rng.choice(ORDERS), gap, begin, rng.choice(tuple(UNIT)), seed, ()), "result")
    yield Case((2, 3, 0, "rows", 0, (0, 0, 0), "float32", 1, ()), "result")
    yield Case((3, 4, 2, "rows", 0, (0, 0, 0), "float32", 1, ()), "result")
    yield Case((3, 4, 2, "columns", 2, (1, 3, 0), "float32", 1, ()), "result")


def _rows_misses(rng: random.Random) -> Iterator[Case]:
    for m, n, k in ((3, 16, 12), (2, 24, 11), (2, 20, 14), (3, 17, 11), (2, rng.randint(18, 26), 12), (12, 8, 4)):
        begin, seed = rng.choice(((0, 8, 16), (8, 16, 0), (16, 0, 8))), rng.randrange(999)
        ways = 2 * (n // 8 + 2) + 1  # a row of B, one of C, a line of A
        yield Case((m, n, k, "rows", 8 - n % 8, begin, "float32", seed, (FULLY, ways, LINE)), "misses")


def _rows_missed(args: tuple, observed: object) -> object:
    """Judge the misses of A, and of B and C. With i outside C is fetched once, B for each i; with t outside B once."""
    arrays, (of_a, of_b, of_c) = _parts(args)
    m, _, k = args[:3]
    trace = counting.read(observed, arrays)
    found = misses(trace, Cache(*args[8]))
    of_rows = [sum(lines(row, 4) for row in cells) for cells in (of_b, of_c)]
    most = max(m * of_rows[0] + of_rows[1], of_rows[0] + k * of_rows[1])
    return (
        {RESULT: product(args, observed)["result"]}
        | _loads_of_b(trace, args)
        | {
            "misses of a": counting.within(found["a"], lines(of_a, 4), m * k),
            "misses of b and c": counting.within(found["b"] + found["c"], lines(of_b, 4) + lines(of_c, 4), most),
        }
    )


def _loads_of_b(trace: Trace, args: tuple) -> dict[str, str]:
    """Judge whether B is read for each product, and not kept in a copy."""
    products = math.prod(args[:3])
    return {"loads of b": counting.loads(trace, "b", products, products)}


# ---- blocked_products


def _blocks_ordinary(rng: random.Random) -> Iterator[Case]:
    blocks = ((1, 1), (2, 3), (3, 2), (4, 4), (9, 9), (1, 5), (5, 1), (2, 2), (3, 4))
    for sizes, block in zip(_sizes(rng), blocks, strict=True):
        gap, begin, seed = rng.randint(0, 3), _begins(rng), rng.randrange(999)
        given = (*sizes, rng.choice(ORDERS), gap, begin, rng.choice(tuple(UNIT)), seed)
        yield Case((*given, block, ()), "result")
    for sizes in ((0, 3, 2), (2, 0, 3), (2, 3, 0)):
        yield Case((*sizes, "rows", 1, (0, 0, 0), "float32", rng.randrange(99), (2, 2), ()), "result")
    yield Case((3, 4, 4, "rows", 0, (0, 0, 0), "float32", 1, (2, 2), ()), "result")
    yield Case((3, 5, 3, "columns", 1, (2, 0, 1), "int64", 1, (2, 2), ()), "result")
    yield Case((2, 5, 5, "rows", 1, (0, 1, 2), "float32", 1, (3, 3), ()), "result")


def _blocks_misses(rng: random.Random) -> Iterator[Case]:
    for m, n, k, block in (
        (3, 32, 6, (2, 8)), (3, 33, 5, (4, 8)), (3, 24, 8, (4, 8)), (2, 26, 24, (2, 24)),
        (3, rng.randint(25, 31), 6, (2, 8)), (3, 64, 4, (2, 32)),
        (14, 32, 16, (8, 16)),  # neither A nor C stays in the cache while smaller blocks go by
    ):  # fmt: skip
        steps, columns = ((size + 6) // 8 + 1 for size in block)  # lines, wherever a row begins
        ways = block[0] * columns + 2 * columns + 2 * steps  # the block, two rows of C and two of A
        begin = rng.choice(((0, 8, 16), (8, 16, 0), (16, 0, 8)))
        given = (m, n, k, "rows", -n % 8, begin, "float32", rng.randrange(999))
        yield Case((*given, block, (FULLY, ways, LINE)), "misses")


def _blocks_missed(args: tuple, observed: object) -> object:
    arrays, (of_a, of_b, of_c) = _parts(args)
    (_, n, k), (steps, columns) = args[:3], args[8]
    most = dict.fromkeys("abc", 0)
    for j in range(0, n, columns):
        for t in range(0, k, steps):
            most["a"] += sum(lines(row[t : t + steps], 4) for row in of_a)
            most["b"] += sum(lines(row[j : j + columns], 4) for row in of_b[t : t + steps])
            most["c"] += sum(lines(row[j : j + columns], 4) for row in of_c)
    trace = counting.read(observed, arrays)
    found = misses(trace, Cache(*args[9]))
    return (
        {RESULT: product(args, observed)["result"]}
        | _loads_of_b(trace, args)
        | {"loads of b, of a whole block": counting.within(_apart(trace), 0, args[0] * steps * columns)}
        | {
            f"misses of {name}": counting.within(found[name], lines(of, 4), most[name])
            for name, of in (("a", of_a), ("b", of_b), ("c", of_c))
        }
    )


def _apart(trace: Trace) -> int:
    """Count the most loads of B from the first load of an element to its last one."""
    first: dict[int, int] = {}
    most = 0
    for number, access in enumerate(memory_trace.accesses(trace, "", "load", "b")):
        most = max(most, number - first.setdefault(access.index, number) + 1)
    return most


LOADS_OF_B = "each product reads its element of B where it lies: none is left out, and there is no copy of B"
SIZES = ("observed", "m", "n", "k", "A by", "unused behind a row", "p, q, o", "dtype", "seed")
WORDS = {"rows": "A lies by rows: a_k is 1", "columns": "A lies by columns: a_m is 1"}
NO_ARITHMETIC = tuple(  # words of Python's and NumPy's errors
    says(words, "you may take a slice, but not calculate with it: write a loop over its elements")
    for words in ("and 'RecordedArray'", "'RecordedArray' and", "operand 'RecordedArray'", "unary -: 'RecordedArray'")
)
OF_C = (
    says(ROWS_APART, "C[i, j] is c[o + i * c_m + j]: c_m is the step from a row to the next, and not n"),
    says(LOST, "each product is added to what C holds: += and not ="),
    says(ONLY_LAST, "C[i, j] grows by A[i, t] * B[t, j] for each t: every step is added"),
)


def call(args: tuple) -> str:
    """Write Python code that runs a case."""
    how, *rest = args
    arrays, given = probes.matrices(*rest[:8])
    made = "; ".join(f"{name} = {text_of(array)}" for name, array in arrays.items())
    names = {id(array): name for name, array in arrays.items()}
    function, block = ("blocked_products", rest[8]) if len(rest) == 10 else ("row_products", ())
    shown = ", ".join(names.get(id(one), str(one)) for one in (*given, *block))
    if how == "compiled":
        function = f"numba.njit(fastmath={{'contract'}}, error_model='numpy')({function})"
    return f"{made}; {function}({shown}); print(c)"


CHECKS = (
    Check(
        "cpu.gemm_loops.row_products", (*SIZES, "cache"),
        (
            traced("ordinary", 2, _rows_ordinary, product),
            traced("misses", 4, _rows_misses, _rows_missed, "ordinary"),
            compiled(1, lambda rng: [Case((9, rng.randint(30, 40), 7, "columns", 1, (2, 0, 5), LARGE,
                                           rng.randrange(999), ()), "compiled")],
                     result),
        ),
        {
            "result": "c[o + i * c_m + j] grows by a[p + i * a_m + t * a_k] * b[q + t * b_k + j] for each t, and no "
                      "other cell changes",
            "misses": "the innermost loop should run along a row of B and of C, over j: then a line that was brought "
                      "in is used up before it has to go",
            "misses of b and c": "the innermost loop should run along a row of B and of C, over j: then a line that "
                                 "was brought in is used up before it has to go",
            "loads of b": LOADS_OF_B,
            "compiled": COMPILED,
            "raised": RAISED,
            **COUNTED,
        },
        "cpu.products.rows",
        mistakes=(*OF_C, *NO_ARITHMETIC, *LOOPS),
        words=WORDS,
        call=call,
    ),
    Check(
        "cpu.gemm_loops.blocked_products", (*SIZES, "block", "cache"),
        (
            traced("ordinary", 3, _blocks_ordinary, product),
            traced("misses", 5, _blocks_misses, _blocks_missed, "ordinary"),
            compiled(1, lambda rng: [Case((9, rng.randint(30, 40), 7, "columns", 1, (2, 0, 5), "float32",
                                           rng.randrange(999), (3, 8), ()),
                                          "compiled")], result),
        ),
        {
            "result": "C[i, j] grows by each A[i, t] * B[t, j] once, in the block of B[t, j]; `row_products` takes a "
                      "block's rows, columns and steps, in this order, and the strides of the whole matrices",
            "misses": "finish with a block of B, for all rows of A, before the next one is begun; its sizes are "
                      "`steps` and `columns`, whatever they are",
            "loads of b, of a whole block": "all rows of A meet a block before the next one is begun: from "
                                            "the first load of an element of B to the last are m * steps * columns",
            "misses of a": "A goes by once for each block of columns: blocks of fewer than `columns` make that more",
            "misses of c": "C goes by once for each block of steps: blocks of fewer than `steps` make that more",
            "misses of b": "finish with a block of B, for all rows of A, before the next one is begun; its sizes are "
                           "`steps` and `columns`, whatever they are",
            "loads of b": LOADS_OF_B,
            "compiled": COMPILED,
            "raised": RAISED,
            **COUNTED,
        },
        "cpu.products.blocks",
        mistakes=(
            *(says(means, "a block that begins at row t of B meets the columns of A from t on: A[i, t] is "
                   "a[p + i * a_m + t * a_k]") for means in (A_STAYS, A_BY_ONE)),
            says(BY_COLUMNS, "a block has `steps` rows: the next one below it begins `steps` rows further down"),
            says(WHOLE, "the last block of a row or of a column may be smaller: min(steps, k - t), "
                 "min(columns, n - j)"),
            says(B_STAYS, "the block at row t and column j begins at B[t, j], which is b[q + t * b_k + j]"),
            says(C_STAYS, "a block that begins at column j of B changes the columns of C from j on"),
            *OF_C, *NO_ARITHMETIC, *LOOPS,
        ),
        words=WORDS,
        call=call,
    ),
)  # fmt: skip
