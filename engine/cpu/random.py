"""Random numbers on the CPU: the Mersenne Twister, and what makes a distribution out of its words.

An operator draws the words that it needs in one go, holding the generator's lock, and then maps each cell's words to
its value; the plain loop that this replaces draws and maps one element at a time and gives the same numbers.
Mirrors aten/src/ATen/core/{MT19937RNGEngine,TransformationHelper,DistributionsHelper}.h and
aten/src/ATen/native/cpu/DistributionTemplates.h.
"""

import math

import numpy as np
from numba import njit, types

from ..dtypes import float32, float64
from .cephes import log, sin_cos
from .float_bits import fma
from .loops import NUMBA, Compiled

N, M = 624, 397  # words of the twister's state; how far ahead the recurrence looks
CHUNK = 1 << 15  # cells for which words are drawn in one go, so that they stay in a near cache; a multiple of 16
STATE = types.uint32[::1]
PAIRS = 512  # that Box-Muller works on in one go: they stay in the nearest cache


# ---- words


@njit(nogil=True, error_model="numpy")
def _recur(word, following, ahead):
    """Return the word 624 after `word`, from the top bit of `word`, the other bits of `following`, and `ahead`."""
    mixed = (word & np.uint32(0x80000000)) | (following & np.uint32(0x7FFFFFFF))
    return ahead ^ (mixed >> np.uint32(1)) ^ (np.uint32(0x9908B0DF) * (following & np.uint32(1)))


@njit(nogil=True, error_model="numpy")
def _twist(state):
    """Make the next 624 words of the state out of the last ones, in place.

    Word i + 397 is beyond the end, where it is word i - 227 of the new ones, from i = 227 on; that and the last
    word, which wraps around, are apart, so that the loops compile to vectors.
    """
    for first, last, ahead in ((0, N - M, M), (N - M, N - 1, M - N)):
        for i in range(first, last):
            state[i] = _recur(state[i], state[i + 1], state[i + ahead])
    state[N - 1] = _recur(state[N - 1], state[0], state[M - 1])


@njit(cache=True, nogil=True, error_model="numpy")
def random_words(state, words):
    """Fill `words` with the next 32-bit words of the generator, uniform in [0, 2**32).

    Args:
        state: uint32, 624 words and the number of them that are spent; 0 spent means freshly seeded.
        words: uint32, one dimension.

    Source: at::mt19937_engine (aten/src/ATen/core/MT19937RNGEngine.h).
    """
    done = 0
    while done < words.size:
        spent = state[N] % N
        if spent == 0:
            _twist(state)
        count = min(N - spent, words.size - done)
        for i in range(count):
            y = state[spent + i]
            y ^= y >> np.uint32(11)
            y ^= (y << np.uint32(7)) & np.uint32(0x9D2C5680)
            y ^= (y << np.uint32(15)) & np.uint32(0xEFC60000)
            words[done + i] = y ^ (y >> np.uint32(18))
        done += count
        state[N] = spent + count


@njit(nogil=True, error_model="numpy")
def _pair(words, i):
    """Return words 2i and 2i + 1 as one word of 64 bits, as `random64` does."""
    return (np.uint64(words[2 * i]) << np.uint64(32)) | np.uint64(words[2 * i + 1])


# ---- uniform


@njit(nogil=True, error_model="numpy")
def _unit_float32(word):
    """Return a word's low 24 bits as a float32 in [0, 1)."""
    return np.float32(np.int32(word & np.uint32(0xFFFFFF))) * np.float32(2.0**-24)


@njit(nogil=True, error_model="numpy")
def _unit_float64(word):
    """Return the low 53 bits of a 64-bit word as a float64 in [0, 1)."""
    return np.float64(np.int64(word & np.uint64(2**53 - 1))) * 2.0**-53


def uniform_float32(out, state, low, high):
    """Compute out[i] = low + u * (high - low), with u from 24 random bits; `low` and `high` are float32."""
    words = np.empty(min(out.size, CHUNK), np.uint32)
    for first in range(0, out.size, CHUNK):
        part = out[first : first + CHUNK]
        random_words(state, words[: part.size])
        for i in range(part.size):
            value = fma(_unit_float32(words[i]), high - low, low)
            part[i] = low if value == high else value  # the sum may round up to `high`


def uniform_float64(out, state, low, high):
    """Compute out[i] = low + u * (high - low), with u from 53 bits of two words."""
    words = np.empty(2 * min(out.size, CHUNK), np.uint32)
    for first in range(0, out.size, CHUNK):
        part = out[first : first + CHUNK]
        random_words(state, words[: 2 * part.size])
        for i in range(part.size):
            value = fma(_unit_float64(_pair(words, i)), high - low, low)
            part[i] = low if value == high else value


UNIFORM = Compiled(
    "uniform_kernel_cpu",
    (float32, float64),
    {float32: uniform_float32, float64: uniform_float64}.__getitem__,
    lambda kind: (NUMBA[kind][::1], STATE, NUMBA[kind], NUMBA[kind]),
)


# ---- normal


@njit(nogil=True, error_model="numpy")
def _box_muller(u1, u2, mean, std):
    """Transform uniform pairs in [0, 1) to normal pairs, in place, all in float32; the loop compiles to vectors."""
    for j in range(u1.size):
        radius = np.sqrt(np.float32(-2) * log(np.float32(1) - u1[j]))
        sine, cosine = sin_cos(np.float32(2 * math.pi) * u2[j])
        u1[j] = fma(radius * cosine, std, mean)
        u2[j] = fma(radius * sine, std, mean)


@njit(nogil=True, error_model="numpy")
def _normal_sixteens(words, out, mean, std):
    """Make values j and j + 8 of each 16 from words j and j + 8, gathering many pairs for `_box_muller`.

    Args:
        words, out: of equal size, a multiple of 16.
    """
    u1, u2 = np.empty(PAIRS, np.float32), np.empty(PAIRS, np.float32)
    for first in range(0, out.size, 2 * PAIRS):
        count = min(PAIRS, (out.size - first) // 2)
        for pair in range(0, count, 8):
            for j in range(8):
                u1[pair + j] = _unit_float32(words[first + 2 * pair + j])
                u2[pair + j] = _unit_float32(words[first + 2 * pair + j + 8])
        _box_muller(u1[:count], u2[:count], mean, std)
        for pair in range(0, count, 8):
            for j in range(8):
                out[first + 2 * pair + j] = u1[pair + j]
                out[first + 2 * pair + j + 8] = u2[pair + j]


@njit(nogil=True, error_model="numpy")
def _box_muller_float64(words, w, out, o, mean, std):
    """Compute 16 normal values from 32 words, in float64."""
    for j in range(8):
        u1 = 1.0 - _unit_float64(_pair(words, w + j))
        u2 = _unit_float64(_pair(words, w + j + 8))
        radius, theta = math.sqrt(-2.0 * math.log(u1)), 2.0 * math.pi * u2
        out[o + j] = fma(radius * math.cos(theta), std, mean)
        out[o + j + 8] = fma(radius * math.sin(theta), std, mean)


@njit(cache=True, nogil=True, error_model="numpy")
def normal_fill_float32(words, out, mean, std):
    """Fill 16 or more cells with normal values, 16 at a time; if some are left over, redraw the last 16.

    Args:
        words: uint32, one a cell, then 16 more if the number of cells is not a multiple of 16.
        mean, std: float32.

    Source: normal_fill (aten/src/ATen/native/cpu/DistributionTemplates.h).
    """
    n = out.size
    whole = n - n % 16
    _normal_sixteens(words[:whole], out[:whole], mean, std)
    if n > whole:
        _normal_sixteens(words[n:], out[n - 16 :], mean, std)


@njit(cache=True, nogil=True, error_model="numpy")
def normal_fill_float64(words, out, mean, std):
    """Fill 16 or more cells with normal values, as `normal_fill_float32` does, from two words per cell."""
    n = out.size
    for i in range(0, n - 15, 16):
        _box_muller_float64(words, i, out, i, mean, std)
    if n % 16:
        _box_muller_float64(words, n, out, n - 16, mean, std)


def normal_serial(out, state, mean, std, spare):
    """Fill `out` with normal values one by one, in float64: four words make two, the second of which may be left over.

    Args:
        state: as of `random_words`.
        spare: the value left over by the call before, NaN if there is none.
    Returns:
        the value left over, before mean and std; NaN if there is none.

    Source: at::normal_distribution (aten/src/ATen/core/DistributionsHelper.h).
    """
    pair, pairs = 0, (out.size - (not math.isnan(spare)) + 1) // 2
    words = np.empty(4 * pairs, np.uint32)
    random_words(state, words)
    for i in range(out.size):
        if math.isnan(spare):
            theta = 2.0 * math.pi * _unit_float64(_pair(words, pair))
            radius = math.sqrt(-2.0 * math.log1p(-_unit_float64(_pair(words, pair + 1))))
            pair += 2
            out[i] = fma(radius * math.cos(theta), std, mean)
            spare = radius * math.sin(theta)
        else:
            out[i] = fma(spare, std, mean)
            spare = math.nan
    return spare


NORMAL_SERIAL = Compiled(
    "normal_kernel_cpu",
    (float32, float64),
    lambda kind: normal_serial,
    lambda kind: (NUMBA[kind][::1], STATE, types.float64, types.float64, types.float64),
)


# ---- integers


@njit(cache=True, nogil=True, error_model="numpy")
def integers_from_to(words, out, span, base):
    """Compute out[i] = base + word % span, with 64-bit words if `span` is at least 2**28.

    Args:
        span: uint64, not 0; base: int64. Their sum wraps around as int64 and is then converted.

    Source: uniform_int_from_to_distribution (aten/src/ATen/core/DistributionsHelper.h).
    """
    if span >= np.uint64(1 << 28):
        for i in range(out.size):
            out[i] = np.int64(_pair(words, i) % span) + base
    else:
        narrow = np.uint32(span)
        for i in range(out.size):
            out[i] = np.int64(words[i] % narrow) + base


@njit(cache=True, nogil=True, error_model="numpy")
def integers_of_64_bits(words, out):
    """Compute out[i] from two words read as an int64, converted to the dtype of `out`."""
    for i in range(out.size):
        out[i] = np.int64(_pair(words, i))


@njit(cache=True, nogil=True, error_model="numpy")
def integers_of_dtype(words, out, span, wide):
    """Compute out[i] = word % span, from 64-bit words if `wide`. `span`: uint64."""
    for i in range(out.size):
        out[i] = np.int64((_pair(words, i) if wide else np.uint64(words[i])) % span)


@njit(cache=True, nogil=True, error_model="numpy")
def shuffled_integers(words, out, wide):
    """Fill `out` with 0, 1, ..., n - 1 in random order, by a Fisher-Yates shuffle.

    Args:
        words: uint32 (n - 1,), one a swap; two if `wide`, for n so large that 32 bits would be skewed.

    Source: randperm_cpu (aten/src/ATen/native/TensorFactories.cpp).
    """
    n = out.size
    for i in range(n):
        out[i] = i
    for i in range(n - 1):
        word = _pair(words, i) if wide else np.uint64(words[i])
        other = i + np.int64(word % np.uint64(n - i))
        out[i], out[other] = out[other], out[i]


# ---- bernoulli


@njit(cache=True, nogil=True, error_model="numpy")
def bernoulli_scalar(words, out, p):
    """Compute out[i] = u < p, with u from 53 bits of two words."""
    for i in range(out.size):
        out[i] = _unit_float64(_pair(words, i)) < p


@njit(cache=True, nogil=True, error_model="numpy")
def bernoulli_float32(words, out, p):
    """Compute out[i] = u < p[i], with u from 24 bits."""
    for i in range(out.size):
        out[i] = _unit_float32(words[i]) < p[i]


@njit(cache=True, nogil=True, error_model="numpy")
def bernoulli_float64(words, out, p):
    """Compute out[i] = u < p[i], with u from 53 bits of two words."""
    for i in range(out.size):
        out[i] = _unit_float64(_pair(words, i)) < p[i]
