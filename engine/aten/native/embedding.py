"""Rows of a weight, named by a tensor of integers: embedding. Mirrors aten/src/ATen/native/Embedding.cpp."""

from ...dtypes import int32, int64
from ...tensor_impl import Tensor
from ..at import at
from ..scalar_ops import scalar_to_tensor
from ..type_promotion import SCALAR_TYPE_NAMES
from .index_along_dim import index_add_stub
from .tensor_factories import filled, new_zeros


def _require_indices(indices: Tensor, number: int, caller: str) -> None:
    if indices._dtype not in (int64, int32):
        raise RuntimeError(
            f"Expected tensor for argument #{number} 'indices' to have one of the following scalar types: Long, Int; "
            "but got "
            f"torch.{SCALAR_TYPE_NAMES[indices._dtype]}Tensor instead (while checking arguments for {caller})"
        )


def embedding(weight: Tensor, indices: Tensor, padding_idx: int, scale_grad_by_freq: bool, sparse: bool) -> Tensor:
    """Return the rows of `weight` at `indices`: a tensor of sizes (*indices.shape, columns).

    Args:
        padding_idx, scale_grad_by_freq, sparse: say how gradients are made.
    Raises:
        RuntimeError: `weight` does not have two dimensions, or `indices` are not integers.
        IndexError: a position is out of range.
    """
    if len(weight._sizes) != 2:
        raise RuntimeError("'weight' must be 2-D")
    _require_indices(indices, 1, "embedding")
    if len(indices._sizes) == 1:
        return at.index_select(weight, 0, indices)
    rows = at.index_select(weight, 0, at.reshape(indices, (-1,)))
    return at.view(rows, (*indices._sizes, weight._sizes[1]))


def embedding_renorm_cpu_(self: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Scale down to `max_norm` each row of `self` that `indices` select and whose norm is larger.

    Raises:
        RuntimeError: `self` does not have two dimensions, or `indices` are not integers.
    """
    _check_renorm(self, indices)
    for row in sorted({at.item(index) for index in at.unbind_int(at.reshape(indices, (-1,)), 0)}):
        weights = at.select_int(self, 0, row)
        norm = at.item(at.norm_Scalar(weights, norm_type))
        if norm > max_norm:
            at.mul__Scalar(weights, max_norm / (norm + 1e-7))
    return self


def embedding_renorm_cuda_(self: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Compute what `embedding_renorm_cpu_` does without a device synchronization: rescale all indexed rows at once.

    PyTorch sorts the indices to scale each row once; here a row that is named twice is written twice, the same, because
    all are read before any is written.
    """
    _check_renorm(self, indices)
    named = at.reshape(indices, (-1,))
    named = named if named._dtype is int64 else at._to_copy(named, dtype=int64)
    rows = at.index_select(self, 0, named)
    norms = at.norm_ScalarOpt_dim(rows, norm_type, (1,), True)
    factors = at.mul_Scalar(at.reciprocal(at.add_Scalar(norms, 1e-7)), max_norm)
    scaled = at.where_self(at.gt_Scalar(norms, max_norm), at.mul_Tensor(rows, factors), rows)
    return at.index_copy_(self, 0, named, scaled)


def _check_renorm(self: Tensor, indices: Tensor) -> None:
    if len(self._sizes) != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {len(self._sizes)}-dimensional tensor for argument #1 'self' "
            "(while checking arguments for embedding_renorm_)"
        )
    _require_indices(indices, 2, "embedding_renorm_")


# ---- gradients


def embedding_backward(
    grad: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool, sparse: bool
) -> Tensor:
    """Return the gradient of `embedding` with respect to its weight.

    Raises:
        RuntimeError: a sparse gradient is requested, which is out of scope; and as `embedding_dense_backward`.
    """
    if sparse:
        raise RuntimeError("embedding: sparse gradients are out of scope: expected sparse=False")
    return at.embedding_dense_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq)


def embedding_dense_backward_cpu(
    grad_output: Tensor, indices: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Tensor:
    """Return the weight's gradient, (num_weights, columns): each row of `grad_output` added to the row at its index.

    Args:
        padding_idx: a row that gets nothing; -1 for none.
        scale_grad_by_freq: divide each row by how often it is named.
    Raises:
        RuntimeError: `indices` are not integers, or there are not as many as rows of `grad_output`.
        IndexError: a position is out of range.
    """
    _require_indices(indices, 2, "embedding_backward")
    columns = grad_output._sizes[-1]
    rows, named = at.reshape(grad_output, (indices.numel(), columns)), at.reshape(indices, (-1,))
    grad_weight = new_zeros(grad_output, (num_weights, columns))
    kernel = index_add_stub.kernels[grad_output._storage.device.type]
    if scale_grad_by_freq and indices.numel():
        counts = new_zeros(grad_output, (num_weights,))
        kernel(counts, 0, named, scalar_to_tensor(1, grad_output._dtype)._alias(named._sizes, (0,), 0))
        rows = at.div_Tensor(rows, at.unsqueeze(at.index_select(counts, 0, named), 1))
    if indices.numel() and kernel(grad_weight, 0, named, rows) is not None:
        raise IndexError("index out of range in self")
    if 0 <= padding_idx < num_weights:
        filled(grad_weight._alias((columns,), (1,), padding_idx * columns), 0)
    return grad_weight
