"""Attention."""

from ... import _C
from ...tensor_impl import Tensor


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
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
    return _C._nn.scaled_dot_product_attention(
        query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
    )
