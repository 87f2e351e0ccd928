"""mm, bmm, dot, mv, and matmul, which folds every other case into those.

Mirrors aten/src/ATen/native/{LinearAlgebra,Blas}.cpp.
"""

import math

from ...dtypes import bool_
from ...strides import broadcast_shapes
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides
from ..structured import CPP_NAMES, MetaBase, resize_output
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .fill import fill_stub

mm_stub = DispatchStub("mm_stub")
bmm_stub = DispatchStub("bmm_stub")
"""kernel(out, self, mat2): the product of matrices, none of them empty."""

# ---- matrices and batches of them


def mm_meta(op: MetaBase, self: Tensor, mat2: Tensor) -> None:
    """(m, k) and (k, n) make (m, n).

    Raises:
        RuntimeError: not two matrices, or of other sizes.
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
    """out = self @ mat2

    Raises:
        RuntimeError: their dtypes differ.
        NotImplementedError: there is no product of bools.
    """
    if self._dtype is not mat2._dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {CPP_NAMES[self._dtype]} != {CPP_NAMES[mat2._dtype]}"
        )
    _product(mm_stub, out, self, mat2)


def bmm_meta(op: MetaBase, self: Tensor, mat2: Tensor) -> None:
    """(b, m, k) and (b, k, n) make (b, m, n).

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
    """out[i] = self[i] @ mat2[i]

    Raises:
        RuntimeError: their dtypes differ.
        NotImplementedError: there is no product of bools.
    """
    if self._dtype is not mat2._dtype and self._dtype is not bool_:  # of which the kernel says that it has none
        mine, theirs = SCALAR_TYPE_NAMES[self._dtype], SCALAR_TYPE_NAMES[mat2._dtype]
        raise RuntimeError(f"expected scalar type {mine} but found {theirs}")
    _product(bmm_stub, out, self, mat2)


def _product(stub: DispatchStub, out: Tensor, self: Tensor, mat2: Tensor) -> None:
    device = out._storage.device.type
    if 0 in self._sizes or 0 in mat2._sizes:
        fill_stub.kernels[device](out, 0)
    else:
        stub.kernels[device](out, self, mat2)


# ---- vectors


def dot(self: Tensor, tensor: Tensor) -> Tensor:
    """The sum of the products of two vectors' elements.

    Raises:
        RuntimeError: not two vectors, or of other sizes or dtypes.
    """
    dims = len(self._sizes), len(tensor._sizes)
    if dims != (1, 1):
        raise RuntimeError(f"1D tensors expected, but got {dims[0]}D and {dims[1]}D tensors")
    if self._dtype is not tensor._dtype:
        mine, theirs = SCALAR_TYPE_NAMES[self._dtype], SCALAR_TYPE_NAMES[tensor._dtype]
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {mine} and {theirs}")
    n, other = self._sizes[0], tensor._sizes[0]
    if n != other:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{n}] and src [{other}] to have the same number of elements, "
            f"but got {n} and {other} elements respectively"
        )
    return at.mm(at.unsqueeze(self, 0), at.unsqueeze(tensor, 1))._alias((), (), 0)


def mv(self: Tensor, vec: Tensor) -> Tensor:
    """A matrix times a vector.

    Raises:
        RuntimeError: not a matrix and a vector, or of other sizes or dtypes.
        IndexError: `self` has no dimensions.
    """
    self.size(0)
    dims = len(self._sizes), len(vec._sizes)
    if dims != (2, 1):
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {dims[0]}, {dims[1]}")
    (m, k), (n,) = self._sizes, vec._sizes
    if k != n:
        raise RuntimeError(f"size mismatch, got input ({m}), mat ({m}x{k}), vec ({n})")
    return at.mm(self, at.unsqueeze(vec, 1))._alias((m,), (1,), 0)


# ---- matmul


def matmul(self: Tensor, other: Tensor) -> Tensor:
    """The product of the last two dimensions, the others being broadcast; a vector stands for a matrix of one row or
    of one column, which is then left out.

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
    """`matmul`, written into `out`.

    Raises:
        RuntimeError: as `matmul`; `out` has another dtype.
    """
    if (len(self._sizes), len(other._sizes)) == (1, 2):
        return at.squeeze__dim(at.mm_out(at.unsqueeze(self, 0), other, out=out), 0)
    result = at.matmul(self, other)
    if result._dtype is not out._dtype:
        made, given = CPP_NAMES[result._dtype], CPP_NAMES[out._dtype]
        raise RuntimeError(f"Expected out tensor to have dtype {made}, but got {given} instead")
    if out._sizes != result._sizes:
        resize_output(out, result._sizes)
    return at.copy_(out, result)


def should_fold(self: Tensor, other: Tensor) -> bool:
    """Whether a batch of matrices and one matrix (or vector) are better multiplied as one tall matrix and that.

    So if the batch can be viewed as one matrix; broadcasting the smaller one would copy it for each of the batch.
    A matrix on the left is not worth it: the result would have to be transposed.

    Source: should_fold (aten/src/ATen/native/LinearAlgebra.cpp).
    """
    dims = len(self._sizes), len(other._sizes)
    if max(dims) < 3 or min(dims) > 2 or dims[0] == 2:
        return False
    larger = self if dims[0] > dims[1] else at.transpose_int(other, -2, -1)
    sizes, strides = larger._sizes, larger._strides
    return 0 in sizes or all(strides[d] == strides[d + 1] * sizes[d + 1] for d in range(len(sizes) - 2))


def _matmul_folded(self: Tensor, other: Tensor) -> Tensor:
    """The batch as one tall matrix. A batch on the right of a vector is transposed to its left: v @ b = b.mT @ v."""
    is_transposed = len(self._sizes) < len(other._sizes)
    batch, single = (at.transpose_int(other, -2, -1), self) if is_transposed else (self, other)
    folded = at.reshape(batch, (math.prod(batch._sizes[:-1]), batch._sizes[-1]))
    if len(single._sizes) == 1:
        return at._unsafe_view(at.mv(folded, single), batch._sizes[:-1])
    return at._unsafe_view(at.mm(folded, single), (*batch._sizes[:-1], single._sizes[1]))


def _matmul_batched(self: Tensor, other: Tensor) -> Tensor:
    """Both broadcast to one batch, which bmm multiplies."""
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
