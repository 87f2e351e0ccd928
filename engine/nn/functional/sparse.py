"""Positions as input: embedding, one_hot. Mirrors torch/nn/functional.py."""

from ...aten.at import at
from ...dispatch.local import AutoDispatchBelowAutograd
from ...tensor_impl import Tensor


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return the rows of `weight` (num_embeddings, embedding_dim) at indices `input`: (*input.shape, embedding_dim).

    Args:
        padding_idx: a row that gets no gradient.
        max_norm: rows that are longer are scaled down to it, in place, first.
        norm_type: p of the norm that says how long they are.
    Raises:
        AssertionError: `padding_idx` is not a row.
        IndexError, RuntimeError: as the operator.
    """
    if padding_idx is None:
        padding_idx = -1
    elif padding_idx:
        rows = weight._sizes[0]
        assert -rows <= padding_idx < rows, "Padding_idx must be within num_embeddings"
        padding_idx %= rows
    if max_norm is not None:
        input = at.contiguous(input)
        with AutoDispatchBelowAutograd():
            at.embedding_renorm_(weight, input, max_norm, norm_type)
    return at.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return an int64 tensor (*tensor.shape, num_classes): 1 at each number's index, else 0; -1 infers `num_classes`.

    Raises:
        RuntimeError: no int64 tensor, or numbers outside of [0, num_classes).
    """
    return at.one_hot(tensor, num_classes)
