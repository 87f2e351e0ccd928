"""xoroshiro128+ in registers: functions of a state of two uint64, for kernels.

The algorithm and its constants are taken from numba.cuda.random, which keeps a state in memory for each thread and
seeds them one after the other. Here SplitMix64 makes the state of an index at once.
Source: Blackman and Vigna, Scrambled linear pseudorandom number generators, 2018 (prng.di.unimi.it).
"""

import numpy as np

from .loops import device_function

# In numba a uint64 and an int64 meet in a double, so each constant has its type.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
ONE, TWO = np.uint64(1), np.uint64(2)
R30, R27, R31 = np.uint64(30), np.uint64(27), np.uint64(31)
R55, R9, R14, R36, R28 = np.uint64(55), np.uint64(9), np.uint64(14), np.uint64(36), np.uint64(28)
R11, R40 = np.uint64(11), np.uint64(40)
UNIT_DOUBLE, UNIT_FLOAT = np.float64(2.0**-53), np.float32(2.0**-24)


@device_function
def splitmix64(x):
    """Return a uint64 with its bits mixed."""
    x = (x ^ (x >> R30)) * FIRST
    x = (x ^ (x >> R27)) * SECOND
    return x ^ (x >> R31)


@device_function
def state_of(key, index):
    """Return the state (s0, s1) for one element of a tensor to fill.

    Args:
        key: uint64, of the fill (`CUDAGenerator.next_key`).
        index: of the element.
    """
    at = key + TWO * np.uint64(index) * GOLDEN
    return splitmix64(at + GOLDEN), splitmix64(at + GOLDEN + GOLDEN)


@device_function
def xoroshiro128p_next(s0, s1):
    """Return (number, s0, s1): the next uint64, and the new state."""
    number = s0 + s1
    s1 = s1 ^ s0
    return number, ((s0 << R55) | (s0 >> R9)) ^ s1 ^ (s1 << R14), (s1 << R36) | (s1 >> R28)


@device_function
def unit_float64(number):
    """Return a float64 in [0, 1), made of the upper 53 bits of a uint64."""
    return np.float64(number >> R11) * UNIT_DOUBLE


@device_function
def unit_float32(number):
    """Return a float32 in [0, 1), made of the upper 24 bits of a uint64."""
    return np.float32(number >> R40) * UNIT_FLOAT
