"""The parts of reductions on the device: functions of two numbers, and the tree in which a block applies them.

What becomes of an element before, and of the result after, are functions of `engine/cpu/reduce_functions.py`, which
know no device. Mirrors aten/src/ATen/native/SharedReduceOps.h.
"""

import math


def sum(total, a):
    """Return `total` + `a`."""
    return total + a


def prod(total, a):
    """Return `total` * `a`."""
    return total * a


def amax(largest, a):
    """Return the larger of the two numbers; NaN if either is NaN."""
    return a if a > largest or a != a else largest


def amin(smallest, a):
    """Return the smaller of the two numbers; NaN if either is NaN."""
    return a if a < smallest or a != a else smallest


def root(total, parameter):
    """Return the square root of `total`; the other argument is unused."""
    return math.sqrt(total)


def offset(number, sizes, strides):
    """Return the offset of element `number`; sizes and strides are in elements, innermost last."""
    far = 0
    for d in range(len(sizes) - 1, 0, -1):
        far += number % sizes[d] * strides[d]
        number //= sizes[d]
    return far + number * strides[0]
