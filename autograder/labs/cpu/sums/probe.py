"""Probes of long sums: cascade_dot, and softmax's largest and sum in one pass."""

import math

import numpy as np

from autograder.labs.cpu.looped import compiled, in_numba, storing, traced

# ---- cascade_dot


def operands(kind, n, dtype, seed):
    """The arrays of a case, by name.

    Args:
        kind: "any" numbers; "tall", a large one and then ones, which are lost if they are added to it one by one;
            "towering", the same with numbers so small that a sum of 256 of them is lost too;
            "mirrored", the same with the other sign; "growing"; "cancelling", ints beyond the digits of a float64 that
            leave small ones when all is added.
    """
    rng = np.random.default_rng(seed)
    y = np.ones(n, dtype)
    huge = 2.0 ** (np.finfo(dtype).nmant + 1) if dtype.startswith("float") else 2.0**40
    if kind == "any":
        x, y = rng.integers(-99, 100, n).astype(dtype), rng.integers(1, 9, n).astype(dtype)
        x = x / np.array(8, dtype) if dtype.startswith("float") else x
    elif kind == "tall":
        x = np.ones(n, dtype)
        x[0] = huge
    elif kind == "towering":
        x = np.full(n, 2.0**-9, dtype)
        x[0] = huge
    elif kind == "mirrored":
        x = np.full(n, -0.75, dtype)
        x[0] = -huge
    elif kind == "cancelling":
        x = rng.integers(1, 9, n)
        x[: n // 2 : 2], x[n - n // 2 :: 2] = 2**54, -(2**54)
    else:
        x = np.linspace(0.1, 1.9, n).astype(dtype)
        y[:] = 0.5
    return {"out": np.zeros(1, dtype), "x": x.astype(dtype), "y": y}


def dot(engine, how, *args):
    """The trace of `cascade_dot`, or what it returns when it is compiled."""
    out, x, y = operands(*args).values()
    if how == "traced":
        return traced(engine, storing(engine.cpu.gemv.cascade_dot), out, x, y)
    function = in_numba(engine.cpu.gemv.cascade_dot)
    found = function(x, y)
    return {"sum": float(found), "dtype": str(function.nopython_signatures[0].return_type)}


# ---- largest_and_sum


def columns(kind, n, width, first, gap, dtype, seed):
    """The arrays of a case: `width` columns of `n` elements, in rows that lie width + gap apart.

    Args:
        kind: "any" numbers; "rising" or "falling" ones; "ties", of which many are equal; "large", beyond what exp can
            take; "low", where all are near the lowest float32; "masked", where some are -inf; "nan", where one is.
    """
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((n, width)) * 3
    if kind in ("rising", "falling"):
        table = np.sort(table, axis=0)[:: 1 if kind == "rising" else -1]
    elif kind == "ties":
        table = np.round(table / 2)
    elif kind == "low":
        table = table * 1e36 - 1e38
    elif kind == "large":
        table = table * 40 + rng.choice((-3000, 3000), width)
    elif kind == "masked" and n:
        table[rng.random((n, width)) < 0.5] = -np.inf
        table[0] = -np.inf
        table[:, -1] = -np.inf
    elif kind == "nan" and n:
        table[n // 2, 0] = np.nan
    x = np.full(first + n * (width + gap), 1e30)
    x[first:].reshape(n, width + gap)[:, :width] = table
    return {"x": x.astype(dtype), "largest": np.full(width, 7, dtype), "sums": np.full(width, 7, dtype)}


def power(x):
    """e**x, as the engine's: of numbers that are not positive."""
    return np.float32(math.exp(x)) if type(x) is np.float32 and x <= 0 else math.exp(x) if x <= 0 else x * np.nan


def with_exp(function):
    """A function call(x, ...) that calls `function(exp, x, ...)`; each call of `exp` leaves a load in the trace."""
    scope = {"__name__": "engine.call", "function": function, "power": power, "called": np.zeros(1)}
    exec(
        "def exp(x):\n    called[0]\n    return power(x)\n"
        "def call(x, n, inner, first, largest, sums):\n    function(exp, x, n, inner, first, largest, sums)\n",
        scope,
    )
    return scope["call"]


def online(engine, how, *args):
    """The trace of `largest_and_sum`, or what it leaves in `largest` and `sums` when it is compiled."""
    import numba

    _, n, width, first, gap, _, _ = args
    x, largest, sums = columns(*args).values()
    given = x, n, width + gap, first, largest, sums
    if how == "traced":
        with np.errstate(all="ignore"):
            return traced(engine, with_exp(engine.cpu.soft_max.largest_and_sum), *given)
    compiled(engine.cpu.soft_max.largest_and_sum, numba.njit(engine.cpu.soft_max.exp_float32), *given)
    return [largest, sums]
