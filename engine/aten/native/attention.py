"""scaled_dot_product_attention, by its definition or in one kernel that keeps no matrix of all pairs.

Mirrors aten/src/ATen/native/transformers/{attention,sdp_utils_cpp}.cpp.
"""

import math

from ...dtypes import bool_, float32, float64
from ...strides import contiguous_strides
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import new_tensor
from ..scalar_ops import wrapped_scalar_tensor
from ..structured import CPP_NAMES
from ..stubs import DispatchStub
from .fill import fill_stub

flash_attention_stub = DispatchStub("flash_attention_kernel")
"""kernel(out, logsumexp, query, key, value, mask or None, is_causal, scale): all of 4 dims; a mask expanded to that."""

flash_attention_backward_stub = DispatchStub("flash_attention_backward_kernel")
"""kernel((dquery, dkey, dvalue), grad, query, key, value, out, logsumexp, mask or None, is_causal, scale): as above,
and with what that returned; the first three are full of zeros."""


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
) -> Tensor:
    """Return softmax(query @ key.mT * scale + attn_mask) @ value.

    Args:
        query: (..., heads, l, e)
        key: (..., heads, s, e); with `enable_gqa` the heads of key and value may be fewer, by a whole factor.
        value: (..., heads, s, v)
        attn_mask: broadcasts to (..., l, s): a number to be added, or False where a pair does not count.
        dropout_p: of the probabilities.
        is_causal: position i looks at 0..i only.
        scale: 1 / sqrt(e) if None.
    Returns:
        (..., heads, l, v)
    Raises:
        RuntimeError: dims, sizes or dtypes do not fit.
    """
    _check(query, key, value, attn_mask)
    if attn_mask is not None and attn_mask._dtype is bool_:
        attn_mask = _as_numbers(attn_mask, query)
    if _is_for_flash_attention(query, key, value, attn_mask, dropout_p, enable_gqa):
        return at._scaled_dot_product_flash_attention_for_cpu(
            query, key, value, dropout_p, is_causal, attn_mask=attn_mask, scale=scale
        )[0]
    return at._scaled_dot_product_attention_math(
        query, key, value, attn_mask, dropout_p, is_causal, None, scale=scale, enable_gqa=enable_gqa
    )[0]


def _check(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None) -> None:
    kinds = [CPP_NAMES[x._dtype] for x in (query, key, value)]
    if len(set(kinds)) > 1:
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {kinds[0]} "
            f"key.dtype: {kinds[1]} and value.dtype: {kinds[2]} instead."
        )
    dims = [len(x._sizes) for x in (query, key, value)]
    if min(dims) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {dims[0]} "
            f"key.dim: {dims[1]} and value.dim: {dims[2]} instead."
        )
    if attn_mask is not None and attn_mask._dtype not in (bool_, query._dtype, float32):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{CPP_NAMES[attn_mask._dtype]} and  query.dtype: {kinds[0]} instead."
        )


def _as_numbers(mask: Tensor, query: Tensor) -> Tensor:
    """Return 0 where a bool mask is True, else -inf."""
    numbers = [at.to_dtype(wrapped_scalar_tensor(number), query._dtype) for number in (0.0, -math.inf)]
    return at.where_self(mask, *numbers)


def _is_for_flash_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, enable_gqa: bool
) -> bool:
    """Return True if the flash attention kernel supports the call; else the definition runs, or raises the error."""
    q, k, v = query._sizes, key._sizes, value._sizes
    if query._storage.device.type != "cpu" or query._dtype not in (float32, float64) or dropout_p:
        return False
    if not len(q) == len(k) == len(v) == 4 or 0 in q + k + v or not q[3] == k[3] == v[3] or k[2] != v[2]:
        return False
    if q[0] != k[0] or k[:2] != v[:2] or not (q[1] == k[1] or (enable_gqa and q[1] % k[1] == 0)):
        return False
    if any(x._strides[3] != 1 for x in (query, key, value)):
        return False
    if mask is None:
        return True
    if mask.requires_grad:
        return False
    wanted = (q[0], q[1], q[2], k[2])
    sizes = mask._sizes
    fits = len(sizes) in (2, 4) and all(
        size in (1, want) for size, want in zip(sizes[::-1], wanted[::-1], strict=False)
    )
    return fits and mask._dtype is query._dtype


def _scaled_dot_product_flash_attention_cpu(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    dropout_p: float,
    is_causal: bool,
    attn_mask: Tensor | None,
    scale: float | None,
) -> tuple[Tensor, Tensor]:
    """Compute attention in one pass over the keys, and the logarithm of the sum of exponentials of each row.

    Args:
        query: (b, heads, l, e)
        key, value: (b, heads or a whole part of them, s, e)
        attn_mask: numbers to be added, (l, s) or (b or 1, heads or 1, l or 1, s or 1).
    Returns:
        (b, heads, l, e), (b, heads, l)
    Raises:
        RuntimeError: dropout; other than 4 dims; sizes that differ.
    """
    if dropout_p > 0:
        raise RuntimeError("scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0")
    if not len(query._sizes) == len(key._sizes) == len(value._sizes) == 4:
        raise RuntimeError(
            "scaled_dot_product_attention_flash_attention: Accept only 4 dims inputs shape of {B, H, T, K}"
        )
    if not query._sizes[3] == key._sizes[3] == value._sizes[3]:
        raise RuntimeError("scaled_dot_product_attention_flash_attention: Q/K/V should have the same head size")
    b, heads, rows, e = query._sizes
    device = query._storage.device
    out = new_tensor(query._sizes, contiguous_strides(query._sizes), query._dtype, device)
    logsumexp = new_tensor((b, heads, rows), (rows * heads, 1, heads), query._dtype, device)
    if attn_mask is not None:
        attn_mask = at.expand(attn_mask, (b, heads, rows, key._sizes[2]))
    factor = 1 / math.sqrt(e) if scale is None else scale
    if 0 not in out._sizes:
        kernel = flash_attention_stub.kernels[device.type]
        kernel(out, logsumexp, query, key, value, attn_mask, is_causal, factor)
    return out, logsumexp


def _scaled_dot_product_flash_attention_cpu_backward(
    grad_out: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    out: Tensor,
    logsumexp: Tensor,
    dropout_p: float,
    is_causal: bool,
    attn_mask: Tensor | None,
    scale: float | None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of query, key and value of `_scaled_dot_product_flash_attention_for_cpu`.

    Args:
        grad_out: (b, heads, l, e)
        out, logsumexp: what that returned.
    """
    device = query._storage.device
    gradients = [_zeros_by_rows(x) for x in (query, key, value)]
    if grad_out._strides[3] != 1:
        grad_out = at.contiguous(grad_out)
    if attn_mask is not None:
        attn_mask = at.expand(attn_mask, (*query._sizes[:3], key._sizes[2]))
    factor = 1 / math.sqrt(query._sizes[3]) if scale is None else scale
    if 0 not in out._sizes:
        kernel = flash_attention_backward_stub.kernels[device.type]
        kernel(gradients, grad_out, query, key, value, out, logsumexp, attn_mask, is_causal, factor)
    return gradients[0], gradients[1], gradients[2]


def _zeros_by_rows(x: Tensor) -> Tensor:
    """Return zeros of the sizes of `x`, (b, heads, l, e), which are laid out as (b, l, heads, e)."""
    b, heads, rows, e = x._sizes
    zeros = new_tensor(x._sizes, (rows * heads * e, e, heads * e, 1), x._dtype, x._storage.device)
    fill_stub.kernels[x._storage.device.type](zeros, 0)
    return zeros


def _scaled_dot_product_attention_math(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    dropout_mask: Tensor | None,
    scale: float | None,
    enable_gqa: bool,
) -> tuple[Tensor, Tensor]:
    """Return attention by its definition, and the probabilities. A row in which no pair counts becomes 0.

    Raises:
        RuntimeError: a mask and `is_causal`; sizes do not fit.
    """
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
            )
        pairs = at.ones((query._sizes[-2], key._sizes[-2]), dtype=bool_, device=query._storage.device)
        attn_mask = _as_numbers(at.tril(pairs), query)
    elif attn_mask is not None and attn_mask._dtype is bool_:
        attn_mask = _as_numbers(attn_mask, query)
    if enable_gqa:
        key, value = (_repeat_heads(query, x) for x in (key, value))
    factor = 1 / math.sqrt(query._sizes[-1]) if scale is None and query._sizes[-1] else scale or 0.0
    root = math.sqrt(abs(factor))
    left = at.mul_Scalar(query, math.copysign(root, factor))
    right = at.mul_Scalar(at.transpose_int(key, -2, -1), root)
    scores = at.matmul(left, right)
    if attn_mask is not None:
        scores = at.add__Tensor(scores, attn_mask)
    weights = at._safe_softmax(scores, -1)
    if dropout_p > 0:
        if dropout_mask is None:
            weights = at.dropout(weights, dropout_p, True)
        else:
            kept = at.mul_Tensor(weights, at.to_dtype(dropout_mask, weights._dtype))
            return at.matmul(kept, at.mul_Scalar(value, 1 / (1 - dropout_p))), weights
    return at.matmul(weights, value), weights


def _repeat_heads(query: Tensor, x: Tensor) -> Tensor:
    """Repeat each head of `x`, a key or value, once for each query head that uses it."""
    heads, own = query._sizes[-3], x._sizes[-3]
    if own == heads:
        return x
    if not own or heads % own:
        raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
    sizes = x._sizes
    repeated = at.expand(at.unsqueeze(x, -3), (*sizes[:-2], heads // own, *sizes[-2:]))
    return at.reshape(repeated, (*sizes[:-3], heads, *sizes[-2:]))
