"""Tables of vectors. Mirrors torch/nn/modules/sparse.py."""

from typing import Any

from ...api import PUBLIC
from ...autograd.grad_mode import no_grad
from ...tensor_impl import Tensor
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .module import Module

empty = PUBLIC["empty"]


class Embedding(Module):
    """The rows of a table (num_embeddings, embedding_dim) at the indices in the input.

    Args:
        padding_idx: a row of zeros that does not learn.
        max_norm: rows that are longer are scaled down to it, in place.
        norm_type: p of the norm that says how long they are.
        scale_grad_by_freq: a row's gradient over how often it is named.
        device, dtype: of the table.
    Raises:
        AssertionError: `padding_idx` is not a row; a table of other sizes.
    """

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
        _weight: Tensor | None = None, _freeze: bool = False, device: Any = None, dtype: Any = None,
    ):  # fmt: skip
        super().__init__()
        if padding_idx is not None:
            assert -num_embeddings <= padding_idx < num_embeddings, "Padding_idx must be within num_embeddings"
            padding_idx %= num_embeddings
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if _weight is None:
            weight = empty((num_embeddings, embedding_dim), device=device, dtype=dtype)
            self.weight = Parameter(weight, requires_grad=not _freeze)
            self.reset_parameters()
        else:
            expected = [num_embeddings, embedding_dim]
            assert list(_weight.shape) == expected, "Shape of weight does not match num_embeddings and embedding_dim"
            self.weight = Parameter(_weight, requires_grad=not _freeze)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, **options: Any) -> "Embedding":
        """Create an embedding from an existing table; the table is trained only if `freeze` is False.

        Raises:
            AssertionError: it has not two dimensions.
        """
        assert embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional"
        rows, columns = embeddings.shape
        return cls(rows, columns, _weight=embeddings, _freeze=freeze, **options)

    def reset_parameters(self) -> None:
        """Fill the table with normally distributed random numbers, and the padding row with zeros."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        norm = self.max_norm, self.norm_type
        return F.embedding(input, self.weight, self.padding_idx, *norm, self.scale_grad_by_freq, self.sparse)

    def extra_repr(self) -> str:
        shown = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            shown += f", padding_idx={self.padding_idx}"
        if self.max_norm is not None:
            shown += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            shown += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq:
            shown += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        if self.sparse:
            shown += ", sparse=True"
        return shown
