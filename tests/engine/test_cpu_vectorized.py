"""Vectors in compiled code compute what NumPy computes for each number."""

import operator

import numpy as np
import pytest
from numba import njit
from tiers import fast_first

from engine.cpu.capability import VECTOR_BYTES, ByCapability, get_cpu_capability
from engine.cpu.vectorized import (
    bits,
    blendv,
    broadcast,
    fmadd,
    loadu,
    storeu,
)

LANES = 8
A = np.array([1.5, -2.25, 0.0, -0.0, np.inf, np.nan, 3.0, -7.75, 9.0])
B = np.array([2.0, -2.25, 1.0, 5.0, -np.inf, 1.0, np.nan, 0.5, 9.0])


def run(function, *arrays, out=np.float32):
    """function of vectors of the arrays' elements 1..8."""
    compiled = njit(function)
    if len(arrays) == 1:
        code = njit(lambda to, a: storeu(to, 1, compiled(loadu(a, 1, LANES))))
    else:
        code = njit(lambda to, a, b: storeu(to, 1, compiled(loadu(a, 1, LANES), loadu(b, 1, LANES))))
    to = np.zeros(LANES + 2, out)
    code(to, *arrays)
    assert to[0] == to[-1] == 0
    return to[1:-1]


def check(function, expected, *arrays, out):
    with np.errstate(all="ignore"):
        wanted = np.asarray(expected(*(a[1:] for a in arrays)), out)
    assert run(function, *arrays, out=out).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", fast_first(1, [np.float32, np.float64, np.int32, np.int64]))
@pytest.mark.parametrize("name", ["add", "sub", "mul", "eq", "ne", "lt", "le", "gt", "ge"])
def test_arithmetic_and_comparisons(name, dtype):
    f = getattr(operator, name)
    a, b = (
        np.nan_to_num(x, posinf=4, neginf=-4).astype(dtype) if np.dtype(dtype).kind == "i" else x.astype(dtype)
        for x in (A, B)
    )
    check(lambda x, y: f(x, y), f, a, b, out=bool if name in ("eq", "ne", "lt", "le", "gt", "ge") else dtype)


@pytest.mark.parametrize(
    "f", [np.sqrt, np.floor, np.ceil, np.trunc, np.rint, abs, operator.neg], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("dtype", fast_first(1, [np.float32, np.float64]))
def test_functions_of_one_vector(f, dtype):
    check(lambda x: f(x), f, abs(A).astype(dtype) if f is np.sqrt else A.astype(dtype), out=dtype)


def test_a_number_beside_a_vector_is_a_vector_of_it():
    a = A.astype(np.float32)
    check(lambda x: 2 - x, lambda x: 2 - x, a, out=np.float32)
    check(lambda x: x / 3.0, lambda x: x / np.float32(3), a, out=np.float32)
    check(lambda x: x * broadcast(np.float32(2), LANES), lambda x: x * 2, a, out=np.float32)


def test_a_vector_is_a_value_to_operators_in_place():
    def thrice(x):
        y = x
        y += x
        y *= 2
        return y - x

    check(thrice, lambda x: (x + x) * 2 - x, A.astype(np.float32), out=np.float32)


def test_functions_that_take_single_numbers_too():
    def clamped(x):
        return blendv(x, fmadd(x, 2.0, 1.0), x < 0)

    a = A.astype(np.float32)
    one = njit(clamped)
    assert np.array_equal(run(clamped, a), [one(x) for x in a[1:]], equal_nan=True)


def test_the_bits_of_floats_and_back():
    a = A.astype(np.float32)
    check(lambda x: bits(x), lambda x: x.view(np.int32), a, out=np.int32)
    check(lambda x: bits(bits(x)), lambda x: x, a, out=np.float32)


def test_masks_are_read_from_and_written_to_bools():
    a = np.array([True, False] * 5)
    check(lambda x: ~x, lambda x: ~x, a[:9], out=bool)


def test_a_kernel_is_made_for_the_capability_that_is_asked_for():
    kernels = ByCapability(lambda size: f"{size} bytes")
    assert kernels["AVX2"] == "32 bytes" and list(kernels) == ["AVX2"]
    assert get_cpu_capability() in VECTOR_BYTES
