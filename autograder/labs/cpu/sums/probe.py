"""Probes of long sums: cascade_dot, and softmax's largest and sum in one pass."""

import math
import re

import numpy as np

from autograder.labs.cpu.looped import in_numba, of_reference, optimized, storing, traced

IN_FLOAT64 = re.compile(r"\bf(?:add|sub)\b[^\n]*\bdouble\b|reduce\.fadd[^\n]*f64|\bfma[^\n]*f64")  # of LLVM's code

# ---- cascade_dot


# What x and y are, of n, dtype and seed: Python text, which a failing case shows.
NUMBERS = {
    "any": "rng = np.random.default_rng(seed); x = rng.integers(-99, 100, n).astype(dtype); "
    "y = rng.integers(1, 9, n).astype(dtype)",
    "eighths": "rng = np.random.default_rng(seed); x = (rng.integers(-99, 100, n) / 8).astype(dtype); "
    "y = rng.integers(1, 9, n).astype(dtype)",
    "tall": "x = np.ones(n, dtype); x[0] = 2.0 ** (np.finfo(dtype).nmant + 1); y = np.ones(n, dtype)",
    "towering": "x = np.full(n, 2.0**-9, dtype); x[0] = 2.0 ** (np.finfo(dtype).nmant + 1); y = np.ones(n, dtype)",
    "deep": "x = np.full(n, 127 / 2**15, dtype); x[0] = 2.0 ** (np.finfo(dtype).nmant + 1); y = np.ones(n, dtype)",
    "deeper": "x = np.full(n, 181 / 2**15, dtype); x[: 2**15] = 127 / 2**11; x[0] = 2**12; y = x",
    "mirrored": "x = np.full(n, -0.75, dtype); x[0] = -(2.0 ** (np.finfo(dtype).nmant + 1)); y = np.ones(n, dtype)",
    "growing": "x = np.linspace(0.1, 1.9, n).astype(dtype); y = np.full(n, 0.5, dtype)",
    "cancelling": "rng = np.random.default_rng(seed); x = rng.integers(1, 9, n); "
    "x[: n // 2 : 2], x[n - n // 2 :: 2] = 2**54, -(2**54); y = np.ones(n, dtype)",
    "nan": "x = np.ones(n, dtype); x[n // 2] = np.nan; y = np.ones(n, dtype)",
}


def operands(kind, n, dtype, seed):
    """Make the arrays of a case, by name; `kind` is one of `NUMBERS`."""
    scope = {"np": np, "n": n, "dtype": dtype, "seed": seed}
    exec(NUMBERS[kind], scope)
    return {"out": np.zeros(1, dtype), "x": scope["x"], "y": scope["y"]}


def dot(engine, how, *args):
    """Return the trace of `cascade_dot` if `how` is "traced", else its result, from Python ("plain") or compiled."""
    out, x, y = operands(*args).values()
    if how == "plain":
        with np.errstate(all="ignore"):
            found = engine.cpu.gemv.cascade_dot(x, y)
            return found if found is None else float(found)
    if how == "traced":
        return traced(engine, storing(engine.cpu.gemv.cascade_dot), out, x, y)
    function = in_numba(engine, "by_rows", engine.cpu.gemv.cascade_dot)
    with optimized():  # fastmath changes sums only there
        found = function(x, y)
    if found is not None:
        out[0] = found
    (compiled,) = function.overloads.values()
    code = compiled.library.get_llvm_str()
    returned = str(compiled.signature.return_type)
    return {"sum": float(out[0]), "dtype": returned, "sums in float64": bool(IN_FLOAT64.search(code))}


# ---- largest_and_sum


def columns(kind, n, width, first, gap, dtype, seed):
    """Make the arrays of a case: `width` columns of `n` elements, in rows that are width + gap apart.

    Args:
        kind: "any" numbers; "rising" or "falling" ones; "ties", of which many are equal; "large", beyond what exp can
            take; "low", where all are near the lowest number of the dtype; "masked", where some are -inf; "nan" and
            "inf", where one is.
    """
    rng = np.random.default_rng(seed)
    table = np.round(rng.standard_normal((n, width)) * 192) / 64  # exact in float32, and short in text
    if kind in ("rising", "falling"):
        table = np.sort(table, axis=0)[:: 1 if kind == "rising" else -1]
    elif kind == "ties":
        table = np.round(table / 2)
    elif kind == "low":
        table = table * 1e36 - 1e38 if dtype == "float32" else table * 1e306 - 1e308
    elif kind == "large":
        table = table * 40 + rng.choice((-3000, 3000), width)
    elif kind == "masked" and n:
        table[rng.random((n, width)) < 0.5] = -np.inf
        table[0] = -np.inf
        table[:, -1] = -np.inf
    elif kind == "nan" and n:
        table[n // 2, 0] = np.nan
    elif kind == "inf" and n:
        table[n // 2, 0] = np.inf
    x = np.full(first + n * (width + gap), 9999.0)
    x[first:].reshape(n, width + gap)[:, :width] = table
    return {"x": x.astype(dtype), "largest": np.full(width, 7, dtype), "sums": np.full(width, 7, dtype)}


def power(x):
    """Compute e**x as the engine does if x <= 0; return NaN otherwise."""
    return np.float32(math.exp(x)) if type(x) is np.float32 and x <= 0 else math.exp(x) if x <= 0 else x * np.nan


def with_exp(function):
    """Build a function call(x, ...) that calls `function(exp, x, ...)`; each call of `exp` records a load."""
    scope = {"__name__": "engine.call", "function": function, "power": power, "called": np.zeros(1)}
    exec(
        "def exp(x):\n    called[0]\n    return power(x)\n"
        "def call(x, n, inner, first, largest, sums):\n    function(exp, x, n, inner, first, largest, sums)\n",
        scope,
    )
    return scope["call"]


def online(engine, how, *args):
    """Return the trace of `largest_and_sum` or, if compiled, the contents that it leaves in `largest` and `sums`."""
    import numba

    _, n, width, first, gap, _, _ = args
    x, largest, sums = columns(*args).values()
    given = x, n, width + gap, first, largest, sums
    if how == "traced":
        with np.errstate(all="ignore"):
            return traced(engine, with_exp(engine.cpu.soft_max.largest_and_sum), *given)
    exp = of_reference(lambda: numba.njit(lambda x: math.exp(x)), "exp")  # the engine's takes longer to compile
    in_numba(engine, "columns", engine.cpu.soft_max.largest_and_sum)(exp, *given)
    return [largest, sums]
