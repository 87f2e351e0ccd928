"""The gradient of attention without the matrix of all pairs: what the kernel of `attention` left out is computed again.

The plain loop that it replaces, for each head, `lse` being the logarithm of the sum of powers of each row:

    powers = exp(scale * query @ key.T + mask - lse)       # the probabilities
    dvalue = powers.T @ grad
    grad_scores = powers * (grad @ value.T - sum(grad * out along each row)) * scale
    dquery, dkey = grad_scores @ key, grad_scores.T @ query

Heads of queries that share keys add to the same dkey and dvalue, so one thread works on all of them.
Mirrors aten/src/ATen/native/cpu/FlashAttentionKernel.cpp.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numba.extending import register_jitable

from ..aten.native import attention
from ..dtypes import dtype
from ..tensor_impl import Tensor
from .argument_structs import Matrix, type_of
from .attention import (
    KEYS,
    PITCH,
    QUERIES,
    Attention,
    Heads,
    add_mask,
    attention_fields,
    heads_of,
    rows_from,
    transpose,
)
from .gemm import aligned
from .gemm_small import in_place, room_for_any
from .loops import named
from .ranges import Ranged
from .reduce_functions import plus
from .soft_max import EXP


@register_jitable
def dot(a, b):
    """Return the dot product of a and b."""
    total = a.dtype.type(0)
    for i in range(a.size):
        total = plus(total, a[i] * b[i])
    return total


@register_jitable
def probabilities(exp, scores, columns, seen, largest):
    """Replace scores by exp(scores - lse) in the columns that a row attends to, and by 0 in the others.

    Args:
        seen: the columns that row 0 looks at, if row i looks at seen + i only; else at least `columns`.
        largest: (rows,) lse, -inf where a row looks at nothing.
    """
    for i in range(largest.size):
        count = max(0, min(columns, seen + i)) if largest[i] != -np.inf else 0
        row = scores[i * PITCH : i * PITCH + columns]
        for j in range(count):
            row[j] = exp(row[j] - largest[i])
        row[count:] = 0


@register_jitable
def softmax_backward(grad_scores, powers, rows, columns, means, scale):
    """Compute grad_scores = powers * (grad_scores - means) * scale, the gradient of softmax and scaling, in place."""
    for i in range(rows):
        to, of = grad_scores[i * PITCH : i * PITCH + columns], powers[i * PITCH : i * PITCH + columns]
        for j in range(columns):
            to[j] = of[j] * (to[j] - means[i]) * scale


def backward_of(exp: Callable) -> Callable:
    """Build the backward kernel of flash attention from `exp`, a function of single numbers."""

    def flash_attention_backward(begin, end, attention, grad, grad_query, grad_key, grad_value):
        """Add the gradients of heads begin..end of keys, counted through the batch.

        Args:
            attention: an `Attention`.
            grad: the gradient of out, `Heads` as the three that are made.
        """
        heads, key_heads, features = attention.heads, attention.key_heads, attention.features
        queries, keys, scale, is_causal = attention.queries, attention.keys, attention.scale, attention.is_causal
        like, g = attention.query.elements, grad.elements
        out, lse = attention.out.elements, attention.logsumexp.elements
        powers, grad_scores = aligned(QUERIES * PITCH, like), aligned(QUERIES * PITCH, like)
        powers_matrix, grad_scores_matrix = Matrix(powers, 0, PITCH, 1), Matrix(grad_scores, 0, PITCH, 1)
        means, largest = np.empty(QUERIES, like.dtype), np.empty(QUERIES, like.dtype)
        one, zero = like.dtype.type(1), like.dtype.type(0)
        room = room_for_any(max(features, min(KEYS, keys), min(QUERIES, queries)), like)
        for which in range(begin * heads // key_heads, end * heads // key_heads):
            batch, head = which // heads, which % heads
            key_head = head * key_heads // heads
            for i in range(0, queries, QUERIES):
                rows = min(QUERIES, queries - i)
                of_q, to_q = rows_from(attention.query, batch, head, i), rows_from(grad_query, batch, head, i)
                of_g, of_out = rows_from(grad, batch, head, i), rows_from(attention.out, batch, head, i)
                of_lse = rows_from(attention.logsumexp, batch, head, i)
                for row in range(rows):
                    a, b = of_g.start + row * of_g.row_stride, of_out.start + row * of_out.row_stride
                    means[row] = dot(g[a : a + features], out[b : b + features])
                    largest[row] = lse[of_lse.start + row * of_lse.row_stride]
                last = min(keys, i + rows) if is_causal else keys
                for j in range(0, last, KEYS):
                    columns = min(KEYS, last - j)
                    of_k, of_v = (rows_from(attention.key, batch, key_head, j),
                                  rows_from(attention.value, batch, key_head, j))  # fmt: skip
                    to_k, to_v = rows_from(grad_key, batch, key_head, j), rows_from(grad_value, batch, key_head, j)
                    in_place(rows, columns, features, scale, of_q, transpose(of_k), zero, powers_matrix, room)
                    if attention.mask.is_present:
                        add_mask(powers, rows, columns, attention.mask, batch, head, i, j)
                    probabilities(exp, powers, columns, i - j + 1 if is_causal else keys, largest[:rows])
                    in_place(columns, features, rows, one, transpose(powers_matrix), of_g, one, to_v, room)
                    in_place(rows, columns, features, one, of_g, transpose(of_v), zero, grad_scores_matrix, room)
                    softmax_backward(grad_scores, powers, rows, columns, means, scale)
                    in_place(rows, features, columns, one, grad_scores_matrix, of_k, one, to_q, room)
                    in_place(columns, features, rows, one, transpose(grad_scores_matrix), of_q, one, to_k, room)

    return flash_attention_backward


def arguments(kind: dtype) -> tuple:
    """Return numba's types of the arguments that follow `begin` and `end`."""
    return type_of(Attention, kind), *(type_of(Heads, kind),) * 4


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
    """Accumulate the gradients of query, key and value; the last dimension of all tensors but the mask has stride 1."""
    (batch, key_heads, keys, features), queries = key._sizes, query._sizes[2]
    fields = attention_fields(query, key, value, mask, out, logsumexp, is_causal, scale)
    of_grads = map(heads_of, (grad, *gradients))
    KERNELS(query._dtype, batch * key_heads, queries * keys * features, fields, *of_grads)


attention.flash_attention_backward_stub.register("cpu", flash_attention_backward_kernel)
