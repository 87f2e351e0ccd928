"""Attention without the matrix of all pairs: blocks of keys go by, and the softmax is corrected as they come.

The plain loop that it replaces, for each row of queries of each head:

    scores = [scale * dot(query, key) + mask for key in keys]
    powers = [exp(score - max(scores)) for score in scores]
    out = sum(power * value for power, value in zip(powers, values)) / sum(powers)

The largest score, the sum of powers and the sum of values are kept of the keys so far; when a larger score comes, both
sums are multiplied by exp(old largest - new largest). Mirrors aten/src/ATen/native/cpu/FlashAttentionKernel.cpp; the
idea is of FlashAttention (Dao et al. 2022).
"""

import math
from collections.abc import Callable

import numpy as np
from numba import types
from numba.extending import register_jitable

from ..aten.native import attention
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .gemm import aligned, blocked
from .loops import INDEX, NUMBA, named
from .ranges import Ranged
from .reduce_functions import plus
from .soft_max import EXP, larger

QUERIES, KEYS = 96, 512  # of a block: its scores are 192 KiB, and the keys and values of a head 128 KiB each


@register_jitable
def add_mask(scores, rows, columns, mask, cell, row_step, column_step):
    """scores[i, j] += mask"""
    for i in range(rows):
        for j in range(columns):
            scores[i * KEYS + j] += mask[cell + i * row_step + j * column_step]


@register_jitable
def powers_of(exp, scores, largest):
    """scores = exp(scores - largest); returns their sum."""
    total = scores.dtype.type(0)
    for j in range(scores.size):
        power = exp(scores[j] - largest)
        scores[j] = power
        total = plus(total, power)
    return total


@register_jitable
def largest_score(scores, largest):
    """The largest of `largest` and the scores."""
    for j in range(scores.size):
        largest = larger(largest, scores[j])
    return largest


@register_jitable
def add_block(exp, scores, columns, seen, first, largest, totals, sums, width):
    """Turn scores into powers, and correct what is known of the keys before.

    Args:
        seen: the columns that row 0 looks at, if row i looks at seen + i only; else at least `columns`.
        first: whether there are no keys before.
        largest, totals: (rows,) the largest score and the sum of powers so far.
        sums: (rows * width,) the sums of values so far.
    """
    nothing = scores.dtype.type(-np.inf)
    for i in range(largest.size):
        count = max(0, min(columns, seen + i))
        row = scores[i * KEYS : i * KEYS + count]
        scores[i * KEYS + count : i * KEYS + columns] = 0
        before = nothing if first else largest[i]
        now = largest_score(row, before)
        if now == nothing:
            row[:] = 0
            largest[i], totals[i] = now, 0
            continue
        factor = exp(before - now)
        largest[i], totals[i] = now, (0 if first else totals[i] * factor) + powers_of(exp, row, now)
        if not first and factor != 1:
            old = sums[i * width : i * width + width]
            for j in range(old.size):
                old[j] *= factor


def attention_of(exp: Callable) -> Callable:
    """The kernel, of a function of single numbers."""

    def flash_attention(
        begin, end, numbers, scale, is_causal, has_mask, q, q0, k, k0, v, v0, mask, m0, out, o, lse, l0
    ):
        """Blocks of queries begin..end of all heads.

        Args:
            numbers: (23,) int64: heads, heads of keys, queries, keys, e; the strides of queries, keys and values in
                (b, head, row), of the mask in (b, head, row, key), of out and of lse in (b, head, row).
        """
        heads, groups, queries, keys, e = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
        steps = numbers[5:]
        blocks = (queries + QUERIES - 1) // QUERIES
        scores, sums = aligned(QUERIES * KEYS, q), aligned(QUERIES * e, q)
        largest, totals = np.empty(QUERIES, q.dtype), np.empty(QUERIES, q.dtype)
        one, zero = q.dtype.type(1), q.dtype.type(0)
        for block in range(begin, end):
            which, i = block // blocks, block % blocks * QUERIES
            b, head = which // heads, which % heads
            group = head * groups // heads
            rows = min(QUERIES, queries - i)
            of_q = q0 + b * steps[0] + head * steps[1] + i * steps[2]
            of_k, of_v = k0 + b * steps[3] + group * steps[4], v0 + b * steps[6] + group * steps[7]
            of_mask = m0 + b * steps[9] + head * steps[10] + i * steps[11]
            last = min(keys, i + rows) if is_causal else keys
            for j in range(0, last, KEYS):
                columns = min(KEYS, last - j)
                blocked(False, rows, columns, e, scale, q, of_q, steps[2], 1,
                        k, of_k + j * steps[5], 1, steps[5], zero, scores, 0, KEYS, 1)  # fmt: skip
                if has_mask:
                    add_mask(scores, rows, columns, mask, of_mask + j * steps[12], steps[11], steps[12])
                seen = i - j + 1 if is_causal else keys
                add_block(exp, scores, columns, seen, j == 0, largest[:rows], totals[:rows], sums, e)
                blocked(False, rows, e, columns, one, scores, 0, KEYS, 1, v, of_v + j * steps[8], steps[8], 1,
                        zero if j == 0 else one, sums, 0, e, 1)  # fmt: skip
            for row in range(rows):
                to = o + b * steps[13] + head * steps[14] + (i + row) * steps[15]
                total = totals[row]
                factor = one / total if total != zero else zero
                for column in range(e):
                    out[to + column] = sums[row * e + column] * factor
                cell = l0 + b * steps[16] + head * steps[17] + (i + row) * steps[18]
                lse[cell] = largest[row] + math.log(total) if total != zero else -np.inf

    return flash_attention


def arguments(kind: dtype) -> tuple:
    """numba's types of what follows `begin` and `end`."""
    array = NUMBA[kind][::1], INDEX
    return types.int64[::1], NUMBA[kind], types.boolean, types.boolean, *array * 6


KERNELS = Ranged(
    "flash_attention", tuple(EXP), lambda kind: named(attention_of(register_jitable(EXP[kind])), EXP[kind]), arguments
)


def flash_attention_kernel(
    out: Tensor,
    logsumexp: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    is_causal: bool,
    scale: float,
) -> None:
    """The CPU kernel of `flash_attention_stub`; the last dimension of all but the mask has stride 1."""
    (b, heads, queries, e), keys = query._sizes, key._sizes[2]
    masked = query if mask is None else mask
    steps = [step for x in (query, key, value) for step in x._strides[:3]]
    steps += [*masked._strides, *out._strides[:3], *logsumexp._strides]
    numbers = np.array([heads, key._sizes[1], queries, keys, e, *steps], np.int64)
    blocks = -(-queries // QUERIES)
    KERNELS(
        query._dtype, b * heads * blocks, QUERIES * keys * e // 4, numbers, scale, is_causal, mask is not None,
        query._flat(), query._storage_offset, key._flat(), key._storage_offset, value._flat(), value._storage_offset,
        masked._flat(), masked._storage_offset, out._flat(), out._storage_offset,
        logsumexp._flat(), logsumexp._storage_offset,
    )  # fmt: skip


attention.flash_attention_stub.register("cpu", flash_attention_kernel)
