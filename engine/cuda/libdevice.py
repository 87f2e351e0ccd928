"""Functions of single numbers on a device: NVIDIA's libdevice; on the simulator NumPy, which raises nothing.

An elementwise formula is written once, in `engine/cpu`. There its `exp`, `like` and `select` are made for vectors;
`device_function` gives a formula the functions of this module under the same names instead.
libdevice: https://docs.nvidia.com/cuda/libdevice-users-guide. Mirrors aten/src/ATen/native/cuda/Math.cuh.
"""

import dis
import math
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from ..cpu import sleef, sleef_inverse
from .driver import cuda, is_device_function, is_simulated, simulated_device_function, simulates

# ---- from a formula of the CPU to a function that kernels call

MODULES = ("np", "math", "sleef", "sleef_inverse")
FUNCTIONS = ("like", "select", "within", "fabs", "copysign_of")
"""Global names of `engine/cpu` that this module replaces, and the names that are entries of it."""


def device_function(function: Any) -> Any:
    """Return a Python function, and the functions that it calls, as a device function; it may not use the name `cuda`.

    An entry of this module, or anything else that is not a Python function, is a device function already.
    """
    if not isinstance(function, FunctionType) or is_device_function(function):
        return function
    if function.__module__ in (sleef.__name__, sleef_inverse.__name__):
        return globals()[function.__name__]
    bound = rebound(function)
    return simulated_device_function(bound) if is_simulated() else cuda.jit(device=True)(bound)


def rebound(function: FunctionType) -> FunctionType:
    """Return the function with the functions that it calls replaced by device functions; itself if it calls none."""
    is_of_the_cpu, names = function.__module__.startswith(sleef.__package__), {}
    for name in {step.argval for step in dis.get_instructions(function) if step.opname == "LOAD_GLOBAL"}:
        value = function.__globals__.get(name)
        if is_of_the_cpu and name in MODULES:
            names[name] = sys.modules[__name__]
        elif is_of_the_cpu and name in FUNCTIONS:
            names[name] = globals()[name]
        elif isinstance(value, FunctionType):
            names[name] = device_function(value)
    if not names:
        return function
    made = FunctionType(
        function.__code__, {**function.__globals__, **names}, function.__name__, function.__defaults__,
        function.__closure__,
    )  # fmt: skip
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    return made


def __getattr__(name: str) -> Any:
    """Return one of the other attributes that a formula takes from `np`: a dtype or a constant."""
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(np, name)


# ---- elementary functions


def elementary(name: str, on_simulator: Callable) -> Any:
    """Return a device function of floats that keeps their dtype: libdevice's `__nv_{name}`, or `__nv_{name}f`."""
    return simulates(on_simulator, lambda: intrinsic_of(name)) if is_simulated() else intrinsic_of(name)


def intrinsic_of(name: str) -> Any:
    """Return a numba intrinsic that calls the libdevice function of that name."""
    from llvmlite import ir
    from numba.cuda.extending import intrinsic

    def codegen(context, builder, signature, args):
        kind = args[0].type
        symbol = f"__nv_{name}f" if isinstance(kind, ir.FloatType) else f"__nv_{name}"
        found = builder.module.globals.get(symbol)
        found = found or ir.Function(builder.module, ir.FunctionType(kind, [kind] * len(args)), symbol)
        return builder.call(found, args)

    def of_one(typingctx, x):
        return x(x), codegen

    def of_two(typingctx, x, y):
        return x(x, x), codegen

    made = of_two if name in OF_TWO else of_one
    made.__name__ = made.__qualname__ = name
    return intrinsic(made)


OF_TWO = ("atan2", "copysign", "fmod", "hypot", "nextafter", "pow")


def of_python(function: Callable) -> Callable:
    """Return a function of Python's math that NumPy lacks, with results of the type of the argument."""

    def of_one(x):
        return type(x)(function(x))

    of_one.__doc__ = function.__doc__
    return of_one


def inverse_root(x):
    """Return 1 / sqrt(x), rounded as NumPy does."""
    return type(x)(1) / np.sqrt(x)


def question(name: str) -> Callable:
    """Return a function that tests a float: math's on a GPU, NumPy's on the simulator, which accepts more types."""
    of_math = getattr(math, name)
    return simulates(getattr(np, name), lambda: of_math) if is_simulated() else of_math


# fmt: off
exp, exp2, expm1 = elementary("exp", np.exp), elementary("exp2", np.exp2), elementary("expm1", np.expm1)
log, log1p = elementary("log", np.log), elementary("log1p", np.log1p)
log2, log10 = elementary("log2", np.log2), elementary("log10", np.log10)
sqrt, rsqrt = elementary("sqrt", np.sqrt), elementary("rsqrt", inverse_root)
sin, cos, tan = elementary("sin", np.sin), elementary("cos", np.cos), elementary("tan", np.tan)
asin, acos, atan = elementary("asin", np.arcsin), elementary("acos", np.arccos), elementary("atan", np.arctan)
sinh, cosh, tanh = elementary("sinh", np.sinh), elementary("cosh", np.cosh), elementary("tanh", np.tanh)
asinh, acosh, atanh = elementary("asinh", np.arcsinh), elementary("acosh", np.arccosh), elementary("atanh", np.arctanh)
erf, erfc = elementary("erf", of_python(math.erf)), elementary("erfc", of_python(math.erfc))
floor, ceil, trunc = elementary("floor", np.floor), elementary("ceil", np.ceil), elementary("trunc", np.trunc)
rint, fabs = elementary("rint", np.rint), elementary("fabs", np.fabs)
pow, fmod, hypot = elementary("pow", np.power), elementary("fmod", np.fmod), elementary("hypot", np.hypot)
atan2, nextafter = elementary("atan2", np.arctan2), elementary("nextafter", np.nextafter)
copysign = copysign_of = elementary("copysign", np.copysign)
erf_float32 = erf_float64 = erf
isnan, isinf, isfinite = question("isnan"), question("isinf"), question("isfinite")
# fmt: on

# ---- constants and choices


def _like(x, value):
    """Return a number in the dtype of x: beside a float32 a literal of Python would make a float64."""
    return type(x)(value)


like = device_function(_like)


def _select(condition, a, b):
    """Return a if condition else b."""
    return a if condition else b


select = device_function(_select)


def _within(x, least, most):
    """Return x, or the nearer of two bounds that it is beyond, given as pairs of equal numbers; nan stays nan."""
    low, high = like(x, least[0]), like(x, most[0])
    return low if x < low else high if x > high else x


within = device_function(_within)


def _sigmoid(x):
    """Return 1 / (1 + e**-x)."""
    one = like(x, 1)
    return one / (one + exp(-x))


sigmoid = device_function(_sigmoid)


def _logit(x):
    """Return log(x / (1 - x))."""
    return log(x / (like(x, 1) - x))


logit = device_function(_logit)
