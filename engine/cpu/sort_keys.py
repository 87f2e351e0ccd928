"""Order by keys: unsigned integers that are ordered as the numbers are, with which sorting and selecting is counting.

The plain loops that they replace:

    order = sorted(range(len(x)), key=x.__getitem__)
    kth = order[k]

A float's bits are ordered as the float is, if it is not negative; else the other way round. -0 and 0 have one key, and
NaN, whatever its bits, has the largest. A sort looks at 8 bits of the keys at a time, the last ones first, and keeps
the order of equal ones; where a span of keys needs fewer bits, it ends sooner.
Mirrors fbgemm's radix sort, which aten/src/ATen/native/cpu/SortingKernel.cpp calls.
"""

from collections.abc import Callable

import numpy as np
from numba.extending import register_jitable

from ..dtypes import bool_, dtype, float32, float64, int8, int16, int32, int64, uint8

FEW = 24  # elements that are sorted by insertion
BUCKETS = 256

# ---- keys


def float_key(unsigned: type, top: int, infinity: int) -> Callable:
    """Return the function from a float's bits to its sort key, an unsigned integer.

    Args:
        unsigned: the integers of its size.
        top: the bit of the sign.
        infinity: the bits of infinity.
    """
    sign, ones, zero, largest = unsigned(1 << top), unsigned((1 << top) - 1 + (1 << top)), unsigned(0), infinity

    def key(bits):
        magnitude = unsigned(bits & ~sign)
        ordered = unsigned(bits ^ (unsigned(zero - unsigned(bits >> unsigned(top))) | sign))
        ordered = sign if magnitude == zero else ordered
        return ones if magnitude > unsigned(largest) else ordered

    return key


def integer_key(unsigned: type, top: int) -> Callable:
    """Return the function from an integer's bits to its sort key; arguments as in `float_key`."""
    sign = unsigned(1 << top)

    def key(bits):
        return unsigned(bits ^ sign)

    return key


def bool_key(bits):
    """Return the sort key of a bool, or of an integer without a sign."""
    return np.uint32(bits)


def filling(key: Callable, read: type, unsigned: type) -> Callable:
    """Build fill(keys, x, p, step, flip), which sets keys[i] = key(x[p + i * step]) ^ flip; all ones reverse the order.

    Args:
        key: a function of an element's bits, which are of type `read`; its keys are of type `unsigned`.
    """
    key = register_jitable(key)

    def fill(keys, x, p, step, flip):
        bits, n = x.view(read), keys.size
        if step == 1:
            row = bits[p : p + n]
            for i in range(n):
                keys[i] = key(row[i]) ^ flip
        else:
            for i in range(n):
                keys[i] = key(bits[p + i * step]) ^ flip

    return fill


KEYS: dict[dtype, tuple[Callable, type, type]] = {
    float32: (float_key(np.uint32, 31, 0x7F800000), np.uint32, np.uint32),
    float64: (float_key(np.uint64, 63, 0x7FF0000000000000), np.uint64, np.uint64),
    int32: (integer_key(np.uint32, 31), np.uint32, np.uint32),
    int64: (integer_key(np.uint64, 63), np.uint64, np.uint64),
    int16: (integer_key(np.uint32, 15), np.uint16, np.uint32),
    int8: (integer_key(np.uint32, 7), np.uint8, np.uint32),
    uint8: (bool_key, np.uint8, np.uint32),
    bool_: (bool_key, np.uint8, np.uint32),
}
"""dtype -> (function from an element's bits to its key, their type, the type of keys)."""

# ---- sorting


@register_jitable
def insertion_sort(keys, order):
    """Sort a few keys by insertion, and `order` along with them."""
    for i in range(1, keys.size):
        key, which, j = keys[i], order[i], i
        while j > 0 and keys[j - 1] > key:
            keys[j], order[j] = keys[j - 1], order[j - 1]
            j -= 1
        keys[j], order[j] = key, which


@register_jitable
def sort_keys(keys, order, other_keys, other_order, counts):
    """Return the indices that sort the keys in ascending order, stably.

    Args:
        keys: changed.
        order, other_keys, other_order: memory for as many.
        counts: (BUCKETS,)
    Returns:
        `order` or `other_order`.
    """
    n = keys.size
    for i in range(n):
        order[i] = i
    if n <= FEW:
        insertion_sort(keys, order)
        return order
    least, greatest = keys[0], keys[0]
    for i in range(n):
        least, greatest = min(least, keys[i]), max(greatest, keys[i])
    for shift in range(0, keys.itemsize * 8, 8):
        bits = keys.dtype.type(shift)
        if (greatest - least) >> bits == 0:
            break
        counts[:] = 0
        for i in range(n):
            counts[np.intp((keys[i] - least) >> bits & keys.dtype.type(BUCKETS - 1))] += 1
        place = 0
        for bucket in range(BUCKETS):
            counts[bucket], place = place, place + counts[bucket]
        for i in range(n):
            bucket = np.intp((keys[i] - least) >> bits & keys.dtype.type(BUCKETS - 1))
            place = counts[bucket]
            counts[bucket] = place + 1
            other_keys[place], other_order[place] = keys[i], order[i]
        keys, other_keys = other_keys, keys
        order, other_order = other_order, order
    return order


# ---- selecting: which of equal ones is found is not promised, but these find PyTorch's


@register_jitable
def swap(keys, order, i, j):
    """Swap two keys, and their entries in `order`."""
    keys[i], keys[j] = keys[j], keys[i]
    order[i], order[j] = order[j], order[i]


@register_jitable
def quick_select(keys, order, k):
    """Partition the keys, and `order` with them, until the k-th smallest key, counted from 0, is at index k.

    The pivot is the median of the first, the middle and the last one. Source: quick_select_template (Sorting.cpp).
    """
    left, right = 0, keys.size - 1
    while left + 1 < right:
        swap(keys, order, left + (right - left) // 2, left + 1)
        for i, j in ((left + 1, right), (left, right), (left + 1, left)):
            if keys[i] > keys[j]:
                swap(keys, order, i, j)
        pivot, i, j = keys[left], left + 1, right
        while True:
            i += 1
            while keys[i] < pivot:
                i += 1
            j -= 1
            while keys[j] > pivot:
                j -= 1
            if j < i:
                break
            swap(keys, order, i, j)
        swap(keys, order, left, j)
        left, right = i if j <= k else left, j - 1 if j >= k else right
    if left + 1 == right and keys[left] > keys[right]:
        swap(keys, order, left, right)


@register_jitable
def radix_select(keys, order, k):
    """Set order[k] to the index of the k-th smallest key, counted from 0; equal keys are counted in order.

    Looks at 8 bits at a time, the first ones first, and keeps those keys that agree with the k-th so far.

    Args:
        keys, order: changed; `order` is 0, 1, 2...
    """
    n, counts, place = keys.size, np.empty(BUCKETS, np.int64), k
    for shift in range(keys.itemsize * 8 - 8, -1, -8):
        bits, mask = keys.dtype.type(shift), keys.dtype.type(BUCKETS - 1)
        counts[:] = 0
        for i in range(n):
            counts[np.intp(keys[i] >> bits & mask)] += 1
        chosen = 0
        while k >= counts[chosen]:
            k -= counts[chosen]
            chosen += 1
        if counts[chosen] == n:
            continue
        kept = 0
        for i in range(n):
            key, which = keys[i], order[i]
            if np.intp(key >> bits & mask) == chosen:
                keys[kept], order[kept] = key, which
                kept += 1
        n = kept
    order[place] = order[k]


@register_jitable
def first_keys(keys, best, order):
    """Write the indices of the `best.size` smallest keys to `order`, sorted stably."""
    k, held = best.size, 0
    for i in range(keys.size):
        key = keys[i]
        if held == k and key >= best[k - 1]:
            continue
        j = min(held, k - 1)
        held = min(held + 1, k)
        while j > 0 and best[j - 1] > key:
            best[j], order[j] = best[j - 1], order[j - 1]
            j -= 1
        best[j], order[j] = key, i
