"""The gradient of attention without the matrix of all pairs: what the kernel of `attention` left out is computed again.

The plain loop that it replaces, for each head, `lse` being the logarithm of the sum of powers of each row:

    powers = exp(scale * query @ key.T + mask - lse)       # the probabilities
    dvalue = powers.T @ grad
    slopes = powers * (grad @ value.T - sum(grad * out along each row)) * scale
    dquery, dkey = slopes @ key, slopes.T @ query

Heads of queries that share keys add to the same dkey and dvalue, so one thread works on all of them.
Mirrors aten/src/ATen/native/cpu/FlashAttentionKernel.cpp.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numba import types
from numba.extending import register_jitable

from ..aten.native import attention
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .attention import KEYS, QUERIES, add_mask
from .gemm import aligned, blocked
from .loops import INDEX, NUMBA, named
from .ranges import Ranged
from .reduce_functions import plus
from .soft_max import EXP


@register_jitable
def product_of_rows(a, b):
    """The sum of a * b."""
    total = a.dtype.type(0)
    for i in range(a.size):
        total = plus(total, a[i] * b[i])
    return total


@register_jitable
def probabilities(exp, scores, columns, seen, largest):
    """scores = exp(scores - lse) in the columns that a row looks at, and 0 in the others.

    Args:
        seen: the columns that row 0 looks at, if row i looks at seen + i only; else at least `columns`.
        largest: (rows,) lse, -inf where a row looks at nothing.
    """
    for i in range(largest.size):
        count = max(0, min(columns, seen + i)) if largest[i] != -np.inf else 0
        row = scores[i * KEYS : i * KEYS + columns]
        for j in range(count):
            row[j] = exp(row[j] - largest[i])
        row[count:] = 0


@register_jitable
def softmax_backward(slopes, powers, rows, columns, means, scale):
    """slopes = powers * (slopes - means) * scale"""
    for i in range(rows):
        to, of = slopes[i * KEYS : i * KEYS + columns], powers[i * KEYS : i * KEYS + columns]
        for j in range(columns):
            to[j] = of[j] * (to[j] - means[i]) * scale


def backward_of(exp: Callable) -> Callable:
    """The kernel, of a function of single numbers."""

    def flash_attention_backward(
        begin, end, numbers, scale, is_causal, has_mask, q, q0, k, k0, v, v0, mask, m0, out, o0, lse, l0, g, g0,
        dq, dq0, dk, dk0, dv, dv0,
    ):  # fmt: skip
        """Heads of keys begin..end of all of the batch.

        Args:
            numbers: (36,) int64: heads, heads of keys, queries, keys, e; the strides of queries, keys and values in
                (b, head, row), of the mask in (b, head, row, key), of out, lse, g, dq, dk and dv in (b, head, row).
        """
        heads, groups, queries, keys, e = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
        steps = numbers[5:]
        q_row, k_row, v_row, g_row, dq_row, dk_row, dv_row = steps[np.array([2, 5, 8, 21, 24, 27, 30])]
        powers, slopes = aligned(QUERIES * KEYS, q), aligned(QUERIES * KEYS, q)
        means, largest = np.empty(QUERIES, q.dtype), np.empty(QUERIES, q.dtype)
        one, zero = q.dtype.type(1), q.dtype.type(0)
        for which in range(begin * heads // groups, end * heads // groups):
            b, head = which // heads, which % heads
            group = head * groups // heads
            of_k, of_v = k0 + b * steps[3] + group * steps[4], v0 + b * steps[6] + group * steps[7]
            to_k, to_v = dk0 + b * steps[25] + group * steps[26], dv0 + b * steps[28] + group * steps[29]
            for i in range(0, queries, QUERIES):
                rows = min(QUERIES, queries - i)
                of_q = q0 + b * steps[0] + head * steps[1] + i * q_row
                of_g = g0 + b * steps[19] + head * steps[20] + i * g_row
                to_q = dq0 + b * steps[22] + head * steps[23] + i * dq_row
                of_mask = m0 + b * steps[9] + head * steps[10] + i * steps[11]
                for row in range(rows):
                    of_o = o0 + b * steps[13] + head * steps[14] + (i + row) * steps[15]
                    of = of_g + row * g_row
                    means[row] = product_of_rows(g[of : of + e], out[of_o : of_o + e])
                    largest[row] = lse[l0 + b * steps[16] + head * steps[17] + (i + row) * steps[18]]
                last = min(keys, i + rows) if is_causal else keys
                for j in range(0, last, KEYS):
                    columns = min(KEYS, last - j)
                    at_k, at_v = of_k + j * k_row, of_v + j * v_row
                    blocked(False, rows, columns, e, scale, q, of_q, q_row, 1,
                            k, at_k, 1, k_row, zero, powers, 0, KEYS, 1)  # fmt: skip
                    if has_mask:
                        add_mask(powers, rows, columns, mask, of_mask + j * steps[12], steps[11], steps[12])
                    probabilities(exp, powers, columns, i - j + 1 if is_causal else keys, largest[:rows])
                    blocked(False, columns, e, rows, one, powers, 0, 1, KEYS,
                            g, of_g, g_row, 1, one, dv, to_v + j * dv_row, dv_row, 1)  # fmt: skip
                    blocked(False, rows, columns, e, one, g, of_g, g_row, 1,
                            v, at_v, 1, v_row, zero, slopes, 0, KEYS, 1)  # fmt: skip
                    softmax_backward(slopes, powers, rows, columns, means, scale)
                    blocked(False, rows, e, columns, one, slopes, 0, KEYS, 1,
                            k, at_k, k_row, 1, one, dq, to_q, dq_row, 1)  # fmt: skip
                    blocked(False, columns, e, rows, one, slopes, 0, 1, KEYS,
                            q, of_q, q_row, 1, one, dk, to_k + j * dk_row, dk_row, 1)  # fmt: skip

    return flash_attention_backward


def arguments(kind: dtype) -> tuple:
    """numba's types of what follows `begin` and `end`."""
    array = NUMBA[kind][::1], INDEX
    return types.int64[::1], NUMBA[kind], types.boolean, types.boolean, *array * 10


KERNELS = Ranged(
    "flash_attention_backward",
    tuple(EXP),
    lambda kind: named(backward_of(register_jitable(EXP[kind])), EXP[kind]),
    arguments,
)


def flash_attention_backward_kernel(
    gradients: Sequence[Tensor], grad: Tensor, query: Tensor, key: Tensor, value: Tensor, out: Tensor,
    logsumexp: Tensor, mask: Tensor | None, is_causal: bool, scale: float,
) -> None:  # fmt: skip
    """The CPU kernel of `flash_attention_backward_stub`; the last dimension of all but the mask has stride 1."""
    (b, heads, queries, e), keys = query._sizes, key._sizes[2]
    masked = query if mask is None else mask
    steps = [step for x in (query, key, value) for step in x._strides[:3]]
    steps += [*masked._strides, *out._strides[:3], *logsumexp._strides]
    steps += [step for x in (grad, *gradients) for step in x._strides[:3]]
    numbers = np.array([heads, key._sizes[1], queries, keys, e, *steps], np.int64)
    cells = (query, key, value, masked, out, logsumexp, grad, *gradients)
    KERNELS(
        query._dtype, b * key._sizes[1], queries * keys * e, numbers, scale, is_causal, mask is not None,
        *(part for x in cells for part in (x._flat(), x._storage_offset)),
    )  # fmt: skip


attention.flash_attention_backward_stub.register("cpu", flash_attention_backward_kernel)
