"""Derivatives of products of matrices. Mirrors torch/csrc/autograd/FunctionsManual.cpp."""

from ...aten.at import at
from ...dispatch.local import is_subclass_like
from ...strides import Ints
from ...tensor_impl import Tensor
from ..state import state

Number = bool | int | float


def transposed(matrix: Tensor) -> Tensor:
    """Return the transpose of a matrix for use in a product: `matrix.t()` if someone is to see it, else an alias."""
    if state.grad_mode or is_subclass_like(matrix):
        return at.t(matrix)
    (rows, columns), (row, column) = matrix._sizes, matrix._strides
    return matrix._alias((columns, rows), (column, row), matrix._storage_offset)


def mm_mat1_backward(grad: Tensor, mat2: Tensor, sizes: Ints, strides: Ints, alpha: Number) -> Tensor:
    """Compute the gradient of alpha * mat1 @ mat2 for mat1: alpha * grad @ mat2.T, column-major if mat1 is.

    Args:
        sizes, strides: of mat1.
    """
    is_by_columns = strides[0] == 1 and strides[1] == sizes[0]
    product = at.t(at.mm(mat2, transposed(grad))) if is_by_columns else at.mm(grad, transposed(mat2))
    return product if alpha == 1 else product * alpha


def mm_mat2_backward(grad: Tensor, mat1: Tensor, sizes: Ints, strides: Ints, alpha: Number) -> Tensor:
    """Compute the gradient of alpha * mat1 @ mat2 for mat2: alpha * mat1.T @ grad, column-major if mat2 is.

    Args:
        sizes, strides: of mat2.
    """
    is_by_columns = strides[0] == 1 and strides[1] == sizes[0]
    product = at.t(at.mm(transposed(grad), mat1)) if is_by_columns else at.mm(transposed(mat1), grad)
    return product if alpha == 1 else product * alpha
