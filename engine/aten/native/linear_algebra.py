"""mm, bmm, with or without something added, and matmul, which folds every other case into those, dot and mv.

Mirrors aten/src/ATen/native/LinearAlgebra.cpp.
"""

import math

from ...dtypes import bool_
from ...strides import broadcast_shapes
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides
from ..memory_overlap import assert_no_internal_overlap
from ..scalar_ops import checked_convert, wrapped_scalar_tensor
from ..structured import CPP_NAMES, MetaBase, resize_output
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .copy import copy_
from .fill import fill_stub
from .tensor_expand import expand

mm_stub = DispatchStub("mm_stub")
bmm_stub = DispatchStub("bmm_stub")
baddbmm_stub = DispatchStub("baddbmm_stub")
"""kernel(out, self, mat2, alpha=1, beta=0): out = alpha * self @ mat2 + beta * out, of matrices or of batches of them,
none of them empty."""

Number = bool | int | float

# ---- matrices and batches of them


def mm_meta(op: MetaBase, self: Tensor, mat2: Tensor) -> None:
    """Declare output 0 of `op` for `mm`: (m, k) and (k, n) make (m, n). This meta function computes nothing.

    The output is of the dtype and on the device of `self` and is given contiguous strides, by one call of
    `op.set_output_raw_strided(index, sizes, strides, dtype, device)`, by position or by these names, sizes and strides
    as tuples. (`op.set_output_strided` would ask for more: exactly these strides.) That the dtypes are equal is
    checked later.

    Args:
        self, mat2: `self._sizes`, `self._dtype` and `self._storage.device` are what meta functions read.
    Raises:
        RuntimeError: one of these messages, checked in this order, before anything is declared. "self must be a
            matrix", "mat2 must be a matrix": it has not two dimensions. "mat1 and mat2 shapes cannot be multiplied
            (2x3 and 4x5)": 3 and 4 differ.

    Source: TORCH_META_FUNC(mm) (aten/src/ATen/native/LinearAlgebra.cpp).
    """
    if len(self._sizes) != 2:
        raise RuntimeError("self must be a matrix")
    if len(mat2._sizes) != 2:
        raise RuntimeError("mat2 must be a matrix")
    (m, k), (rows, n) = self._sizes, mat2._sizes
    if k != rows:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {rows}x{n})")
    op.set_output_raw_strided(0, (m, n), contiguous_strides((m, n)), self._dtype, self._storage.device)


def mm_out_cpu(op: MetaBase, self: Tensor, mat2: Tensor, out: Tensor) -> None:
    """Compute out = self @ mat2.

    Raises:
        RuntimeError: their dtypes differ.
        NotImplementedError: there is no product of bools.
    """
    if self._dtype is not mat2._dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {CPP_NAMES[self._dtype]} != {CPP_NAMES[mat2._dtype]}"
        )
    if 0 in out._sizes or 0 in out._strides or self._sizes[1] == 0:
        add_product(mm_stub, out, out, self, mat2, 0, 1)
    else:
        mm_stub.kernels[out._storage.device.type](out, self, mat2)


def bmm_meta(op: MetaBase, self: Tensor, mat2: Tensor) -> None:
    """Make an output of sizes (b, m, n) from (b, m, k) and (b, k, n).

    Raises:
        RuntimeError: not two batches of matrices, or of other sizes.
    """
    if len(self._sizes) != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if len(mat2._sizes) != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    batch, m, k = self._sizes
    if mat2._sizes[:2] != (batch, k):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {k}] "
            f"but got: [{mat2._sizes[0]}, {mat2._sizes[1]}]."
        )
    sizes = (batch, m, mat2._sizes[2])
    op.set_output_raw_strided(0, sizes, contiguous_strides(sizes), mat2._dtype, self._storage.device)


def bmm_out_cpu(op: MetaBase, self: Tensor, mat2: Tensor, out: Tensor) -> None:
    """Compute out[i] = self[i] @ mat2[i].

    Raises:
        RuntimeError: their dtypes differ.
        NotImplementedError: there is no product of bools.
    """
    if 0 in out._sizes:
        return
    if self._dtype is not mat2._dtype and self._dtype is not bool_:  # of which the kernel says that it has none
        mine, theirs = SCALAR_TYPE_NAMES[self._dtype], SCALAR_TYPE_NAMES[mat2._dtype]
        raise RuntimeError(f"expected scalar type {mine} but found {theirs}")
    add_product(bmm_stub, out, out, self, mat2, 0, 1)


def add_product(
    stub: DispatchStub, out: Tensor, self: Tensor, mat1: Tensor, mat2: Tensor, beta: Number, alpha: Number
) -> None:
    """Compute out = beta * self + alpha * mat1 @ mat2, with `self` of the sizes of `out` and not read if beta is 0.

    Raises:
        RuntimeError: elements of `out`, a matrix, share cells.
    """
    device = out._storage.device.type
    if 0 in out._sizes:
        return
    if stub is mm_stub and 0 in out._strides:
        assert_no_internal_overlap(out._sizes, out._strides)
    if beta == 0 and mat1._sizes[-1] == 0:
        fill_stub.kernels[device](out, 0)
        return
    if beta != 0 and out is not self:
        copy_(out, self, False)
    if mat1._sizes[-1] == 0:
        copy_(out, at.mul_Tensor(out, wrapped_scalar_tensor(beta)), False)
    else:
        scalar_type = out._dtype
        stub.kernels[device](out, mat1, mat2, checked_convert(alpha, scalar_type), checked_convert(beta, scalar_type))


# ---- the same, with something added


def addmm_meta(op: MetaBase, self: Tensor, mat1: Tensor, mat2: Tensor, beta: Number, alpha: Number) -> None:
    """Make an output of sizes (m, n) from (m, k) and (k, n), to which `self` must expand.

    Raises:
        RuntimeError: not two matrices, or of other sizes or dtypes; `self` does not expand.
    """
    for name, one in (("self", self), ("mat1", mat1)):
        if one._dtype is not mat2._dtype:
            mine, theirs = SCALAR_TYPE_NAMES[one._dtype], SCALAR_TYPE_NAMES[mat2._dtype]
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got {mine} and {theirs}")
    for name, one in (("mat1", mat1), ("mat2", mat2)):
        if len(one._sizes) != 2:
            raise RuntimeError(f"{name} must be a matrix, got {len(one._sizes)}-D tensor")
    mm_meta(op, mat1, mat2)
    expand(self, (mat1._sizes[0], mat2._sizes[1]), False)


def addmm_out_cpu(
    op: MetaBase, self: Tensor, mat1: Tensor, mat2: Tensor, beta: Number, alpha: Number, out: Tensor
) -> None:
    """Compute out = beta * self + alpha * mat1 @ mat2; if beta is 0, the elements of `self` are ignored.

    Raises:
        RuntimeError: a number is outside the range of the dtype.
        NotImplementedError: there is no product of bools.
    """
    sizes = mat1._sizes[0], mat2._sizes[1]
    add_product(mm_stub, out, self if self._sizes == sizes else expand(self, sizes, False), mat1, mat2, beta, alpha)


def baddbmm_meta(op: MetaBase, self: Tensor, batch1: Tensor, batch2: Tensor, beta: Number, alpha: Number) -> None:
    """Make an output of sizes (b, m, n) from (b, m, k) and (b, k, n), to which `self` must expand.

    Raises:
        RuntimeError: not two batches of matrices, or of other sizes or dtypes.
    """
    at.expand(self, (batch1.size(0), batch1.size(1), batch2.size(2)))
    if self._dtype is not batch1._dtype:
        mine, one, other = (CPP_NAMES[tensor._dtype] for tensor in (self, batch1, batch2))
        raise RuntimeError(f"Input dtypes must be the same, got: input {mine}, batch1: {one}, batch2: {other}")
    bmm_meta(op, batch1, batch2)


def baddbmm_out_cpu(
    op: MetaBase, self: Tensor, batch1: Tensor, batch2: Tensor, beta: Number, alpha: Number, out: Tensor
) -> None:
    """Compute out[i] = beta * self[i] + alpha * batch1[i] @ batch2[i]; if beta is 0, `self` is ignored.

    Raises:
        RuntimeError: the dtypes differ; a number is outside the range of the dtype.
        NotImplementedError: there is no product of bools.
    """
    if batch1._dtype is not batch2._dtype:
        mine, theirs = SCALAR_TYPE_NAMES[batch1._dtype], SCALAR_TYPE_NAMES[batch2._dtype]
        raise RuntimeError(f"expected scalar type {mine} but found {theirs}")
    sizes = (*batch1._sizes[:2], batch2._sizes[2])
    add_product(
        baddbmm_stub, out, self if self._sizes == sizes else expand(self, sizes, False), batch1, batch2, beta, alpha
    )


# ---- matmul


def matmul(self: Tensor, other: Tensor) -> Tensor:
    """Return the matrix product of the last two dimensions, broadcasting the others; a vector counts as a matrix of one
    row or one column, and that dimension is left out of the result.

    Raises:
        RuntimeError: a tensor has no dimensions; sizes or dtypes do not fit.

    Source: _matmul_impl (aten/src/ATen/native/LinearAlgebra.cpp).
    """
    dims = len(self._sizes), len(other._sizes)
    if 0 in dims:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {dims[0]}D and {dims[1]}D")
    if dims == (1, 1):
        return at.dot(self, other)
    if dims == (2, 1):
        return at.mv(self, other)
    if dims == (1, 2):
        return at.squeeze__dim(at.mm(at.unsqueeze(self, 0), other), 0)
    if dims == (2, 2):
        return at.mm(self, other)
    if should_fold(self, other):
        return _matmul_folded(self, other)
    return _matmul_batched(self, other)


def matmul_out(self: Tensor, other: Tensor, out: Tensor) -> Tensor:
    """Write the result of `matmul` into `out`.

    Raises:
        RuntimeError: as `matmul`; `out` has another dtype; a gradient would have to be recorded.
    """
    if (len(self._sizes), len(other._sizes)) == (1, 2):
        return at.squeeze__dim(at.mm_out(at.unsqueeze(self, 0), other, out=out), 0)
    result = at.matmul(self, other)
    if result.requires_grad:
        raise RuntimeError(
            "matmul(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    if result._dtype is not out._dtype:
        made, given = CPP_NAMES[result._dtype], CPP_NAMES[out._dtype]
        raise RuntimeError(f"Expected out tensor to have dtype {made}, but got {given} instead")
    if out._sizes != result._sizes:
        resize_output(out, result._sizes)
    return at.copy_(out, result)


def should_fold(self: Tensor, other: Tensor) -> bool:
    """Return True if a batch of matrices times one matrix (or vector) is faster as one product with a tall matrix.

    Only if the batch can be viewed as one matrix; broadcasting the smaller one would copy it for each of the batch.
    A matrix on the left is not worth it, because the result would have to be transposed. But it is if the smaller one
    requires grad: its gradient would have to be summed over the batch.

    Source: should_fold (aten/src/ATen/native/LinearAlgebra.cpp).
    """
    dims = len(self._sizes), len(other._sizes)
    if max(dims) < 3 or min(dims) > 2:
        return False
    if (other if dims[0] > dims[1] else self).requires_grad:
        return True
    if dims[0] == 2:
        return False
    larger = self if dims[0] > dims[1] else at.transpose_int(other, -2, -1)
    sizes, strides = larger._sizes, larger._strides
    return 0 in sizes or all(strides[d] == strides[d + 1] * sizes[d + 1] for d in range(len(sizes) - 2))


def _matmul_folded(self: Tensor, other: Tensor) -> Tensor:
    """Multiply the batch as one tall matrix. A batch on the right is transposed to the left: v @ b = b.mT @ v."""
    is_transposed = len(self._sizes) < len(other._sizes)
    batch, single = (at.transpose_int(other, -2, -1), self) if is_transposed else (self, other)
    folded = at.reshape(batch, (math.prod(batch._sizes[:-1]), batch._sizes[-1]))
    if len(single._sizes) == 1:
        return at._unsafe_view(at.mv(folded, single), batch._sizes[:-1])
    if is_transposed:
        single = at.t(single)
    product = at._unsafe_view(at.mm(folded, single), (*batch._sizes[:-1], single._sizes[1]))
    return at.contiguous(at.transpose_int(product, -2, -1)) if is_transposed else product


def _matmul_batched(self: Tensor, other: Tensor) -> Tensor:
    """Broadcast both to one batch of matrices, and multiply them with bmm."""
    m = self._sizes[-2:-1]
    column = at.unsqueeze(other, -1) if len(other._sizes) == 1 else other
    row = at.unsqueeze(self, 0) if len(self._sizes) == 1 else self
    batch = broadcast_shapes(row._sizes[:-2], column._sizes[:-2])
    count = math.prod(batch)

    def as_batch(tensor: Tensor) -> Tensor:
        matrix = tensor._sizes[-2:]
        return at.reshape(at.expand(tensor, (*batch, *matrix)), (count, *matrix))

    n = other._sizes[-1:] if len(other._sizes) > 1 else ()
    return at._unsafe_view(at.bmm(as_batch(row), as_batch(column)), (*batch, *m, *n))
