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
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from ..aten.native import attention
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .argument_structs import Elements, Matrix, Scalar, type_of
from .gemm import aligned
from .gemm_small import in_place, room_for_any
from .loops import named
from .ranges import Ranged
from .reduce_functions import plus
from .soft_max import EXP, larger

QUERIES, KEYS = 96, 512  # of a block: its scores are 192 KiB, and the keys and values of a head 128 KiB each
PITCH = KEYS + 16  # elements from a row of scores to the next: 2 KiB would put them in the same few sets of the cache


class Heads(NamedTuple):
    """A tensor (batch, heads, rows, features) whose features have stride 1; logsumexp has no features.

    Attributes:
        elements, start: a flat array, and the index of the first element.
    """

    elements: Elements
    start: int
    batch_stride: int
    head_stride: int
    row_stride: int


class Mask(NamedTuple):
    """The mask added to the scores (batch, heads, queries, keys); without a mask, any array, which is not read."""

    is_present: bool
    elements: Elements
    start: int
    batch_stride: int
    head_stride: int
    row_stride: int
    column_stride: int


class Attention(NamedTuple):
    """The arguments of the attention kernels, forward and backward.

    Attributes:
        heads, key_heads: of the queries, of keys and values.
        queries, keys, features: sizes of a head.
    """

    heads: int
    key_heads: int
    queries: int
    keys: int
    features: int
    scale: Scalar
    is_causal: bool
    query: Heads
    key: Heads
    value: Heads
    mask: Mask
    out: Heads
    logsumexp: Heads


@register_jitable
def rows_from(x, batch, head, row):
    """Return the `Matrix` of one head's rows from `row` on."""
    start = x.start + batch * x.batch_stride + head * x.head_stride + row * x.row_stride
    return Matrix(x.elements, start, x.row_stride, 1)


@register_jitable
def from_row(matrix, row):
    """Return the `Matrix` of the rows of `matrix` from `row` on."""
    return Matrix(matrix.elements, matrix.start + row * matrix.row_stride, matrix.row_stride, matrix.column_stride)


@register_jitable
def transpose(matrix):
    """Return the transpose of a `Matrix`."""
    return Matrix(matrix.elements, matrix.start, matrix.column_stride, matrix.row_stride)


@register_jitable
def add_mask(scores, rows, columns, mask, batch, head, row, column):
    """Add the mask's element at (row + i, column + j) to scores[i, j], for all i and j."""
    added = mask.elements
    first = mask.start + batch * mask.batch_stride + head * mask.head_stride
    first += row * mask.row_stride + column * mask.column_stride
    for i in range(rows):
        for j in range(columns):
            scores[i * PITCH + j] += added[first + i * mask.row_stride + j * mask.column_stride]


@register_jitable
def exponentiate(exp, scores, largest):
    """Replace the scores by exp(scores - largest), and return their sum."""
    total = scores.dtype.type(0)
    for j in range(scores.size):
        power = exp(scores[j] - largest)
        scores[j] = power
        total = plus(total, power)
    return total


@register_jitable
def largest_score(scores, largest):
    """Return the maximum of `largest` and the scores."""
    for j in range(scores.size):
        largest = larger(largest, scores[j])
    return largest


@register_jitable
def add_block(exp, scores, columns, seen, first, largest, totals, sums, width):
    """Replace scores by exp(score - maximum), and rescale the totals and sums over earlier keys to the new maximum.

    Args:
        seen: the columns that row 0 looks at, if row i looks at seen + i only; else at least `columns`.
        first: whether there are no keys before.
        largest, totals: (rows,) the largest score and the sum of powers so far.
        sums: (rows * width,) the sums of values so far.
    """
    nothing = scores.dtype.type(-np.inf)
    for i in range(largest.size):
        count = max(0, min(columns, seen + i))
        row = scores[i * PITCH : i * PITCH + count]
        scores[i * PITCH + count : i * PITCH + columns] = 0
        before = nothing if first else largest[i]
        now = largest_score(row, before)
        if now == nothing:
            row[:] = 0
            largest[i], totals[i] = now, 0
            continue
        factor = exp(before - now)
        largest[i], totals[i] = now, (0 if first else totals[i] * factor) + exponentiate(exp, row, now)
        if not first and factor != 1:
            old = sums[i * width : i * width + width]
            for j in range(old.size):
                old[j] *= factor


def attention_of(exp: Callable) -> Callable:
    """Build the forward kernel of flash attention from `exp`, a function of single numbers."""

    def flash_attention(begin, end, attention):
        """Compute blocks begin..end of queries, counted through all heads; `attention` is an `Attention`."""
        heads, queries, keys, features = attention.heads, attention.queries, attention.keys, attention.features
        like, is_causal = attention.query.elements, attention.is_causal
        out, lse = attention.out.elements, attention.logsumexp.elements
        blocks = (queries + QUERIES - 1) // QUERIES
        scores, sums = aligned(QUERIES * PITCH, like), aligned(QUERIES * features, like)
        scores_matrix, sums_matrix = Matrix(scores, 0, PITCH, 1), Matrix(sums, 0, features, 1)
        largest, totals = np.empty(QUERIES, like.dtype), np.empty(QUERIES, like.dtype)
        one, zero = like.dtype.type(1), like.dtype.type(0)
        room = room_for_any(max(features, min(KEYS, keys)), like)
        for block in range(begin, end):
            which, i = block // blocks, block % blocks * QUERIES
            batch, head = which // heads, which % heads
            key_head = head * attention.key_heads // heads
            rows = min(QUERIES, queries - i)
            query = rows_from(attention.query, batch, head, i)
            key, value = rows_from(attention.key, batch, key_head, 0), rows_from(attention.value, batch, key_head, 0)
            last = min(keys, i + rows) if is_causal else keys
            for j in range(0, last, KEYS):
                columns = min(KEYS, last - j)
                in_place(rows, columns, features, attention.scale, query, transpose(from_row(key, j)), zero,
                         scores_matrix, room)  # fmt: skip
                if attention.mask.is_present:
                    add_mask(scores, rows, columns, attention.mask, batch, head, i, j)
                seen = i - j + 1 if is_causal else keys
                add_block(exp, scores, columns, seen, j == 0, largest[:rows], totals[:rows], sums, features)
                in_place(rows, features, columns, one, scores_matrix, from_row(value, j),
                         zero if j == 0 else one, sums_matrix, room)  # fmt: skip
            to = rows_from(attention.out, batch, head, i)
            of_lse = rows_from(attention.logsumexp, batch, head, i)
            for row in range(rows):
                total = totals[row]
                factor = one / total if total != zero else zero
                for column in range(features):
                    out[to.start + row * to.row_stride + column] = sums[row * features + column] * factor
                cell = of_lse.start + row * of_lse.row_stride
                lse[cell] = largest[row] + math.log(total) if total != zero else -np.inf

    return flash_attention


def arguments(kind: dtype) -> tuple:
    """Return numba's types of the arguments that follow `begin` and `end`."""
    return (type_of(Attention, kind),)


KERNELS = Ranged(
    "flash_attention", tuple(EXP), lambda kind: named(attention_of(register_jitable(EXP[kind])), EXP[kind]), arguments
)


def heads_of(x: Tensor) -> tuple:
    """Return the fields of the `Heads` that describes a tensor."""
    return (x._flat(), x._storage_offset, *x._strides[:3])


def attention_fields(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, out: Tensor, logsumexp: Tensor, is_causal: bool,
    scale: float,
) -> tuple:  # fmt: skip
    """Return the fields of the `Attention` that describes a call's tensors."""
    (_, heads, queries, features), masked = query._sizes, query if mask is None else mask
    return (
        heads, key._sizes[1], queries, key._sizes[2], features, scale, is_causal,
        heads_of(query), heads_of(key), heads_of(value),
        (mask is not None, masked._flat(), masked._storage_offset, *masked._strides),
        heads_of(out), heads_of(logsumexp),
    )  # fmt: skip


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
    """Compute `out` and `logsumexp` by flash attention; the last dimension of all tensors but the mask has stride 1."""
    batch, heads, queries, features = query._sizes
    blocks, cost = -(-queries // QUERIES), QUERIES * key._sizes[2] * features // 4
    fields = attention_fields(query, key, value, mask, out, logsumexp, is_causal, scale)
    KERNELS(query._dtype, batch * heads * blocks, cost, fields)


attention.flash_attention_stub.register("cpu", flash_attention_kernel)
