"""mv, addmv, dot, vdot: products with vectors. Mirrors aten/src/ATen/native/Blas.cpp."""

from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import new_tensor
from ..scalar_ops import checked_convert, wrapped_scalar_tensor
from ..structured import MetaBase, resize_output
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .copy import copy_
from .fill import fill_stub

Number = bool | int | float

addmv_stub = DispatchStub("addmv_stub")
"""kernel(out, mat, vec, alpha=1, beta=0): out = alpha * mat @ vec + beta * out, or of batches; none of them empty."""

dot_stub = DispatchStub("dot_stub")
"""kernel(out, self, tensor) of (), (n,) and (n,), n not 0: out = the sum of self * tensor."""

# ---- a matrix and a vector


def mv(self: Tensor, vec: Tensor) -> Tensor:
    """Return the product of a matrix and a vector.

    Raises:
        RuntimeError: not a matrix and a vector, or of other sizes or dtypes.
        IndexError: `self` has no dimensions.
    """
    made = _column(self, vec)
    return at.addmv_out(made, self, vec, beta=0, alpha=1, out=made)


def mv_out(self: Tensor, vec: Tensor, out: Tensor) -> Tensor:
    """Write the result of `mv` into `out`, which is resized to fit.

    Raises:
        RuntimeError, IndexError: as `mv`.
    """
    added = _column(self, vec) if out._sizes != self._sizes[:1] else out  # never read, but its sizes must fit
    return at.addmv_out(added, self, vec, beta=0, alpha=1, out=out)


def _column(self: Tensor, vec: Tensor) -> Tensor:
    return new_tensor((self._sizes[self._wrap(0)],), (1,), vec._dtype, vec._storage.device)


def addmv_meta(op: MetaBase, self: Tensor, mat: Tensor, vec: Tensor, beta: Number, alpha: Number) -> None:
    """Make an output of size (m,) from `self` (m,) or of one element, `mat` (m, k) and `vec` (k,).

    Raises:
        RuntimeError: not a vector, a matrix and a vector, or of other sizes.
    """
    dims = len(self._sizes), len(mat._sizes), len(vec._sizes)
    if dims[0] > 1 or dims[1:] != (2, 1):
        raise RuntimeError(f"vector + matrix @ vector expected, got {dims[0]}, {dims[1]}, {dims[2]}")
    (m, k), (n,) = mat._sizes, vec._sizes
    if k != n or self.numel() not in (m, 1):
        raise RuntimeError(f"size mismatch, got input ({self.size(0)}), mat ({m}x{k}), vec ({n})")
    kinds = self._dtype, mat._dtype, vec._dtype
    if kinds[0] is not kinds[1] or kinds[1] is not kinds[2]:
        names = [SCALAR_TYPE_NAMES[scalar_type] for scalar_type in kinds]
        raise RuntimeError(
            f"addmv input tensors must have the same dtype, but got {names[0]}, {names[1]}, and {names[2]}"
        )
    op.set_output_raw_strided(0, (m,), (1,), mat._dtype, mat._storage.device)


def addmv_out_cpu(
    op: MetaBase, self: Tensor, mat: Tensor, vec: Tensor, beta: Number, alpha: Number, out: Tensor
) -> None:
    """Compute out = beta * self + alpha * mat @ vec; if beta is 0, the elements of `self` are ignored.

    Raises:
        RuntimeError: a number is outside the range of the dtype.
        NotImplementedError: there is no product of bools.
    """
    m, k = mat._sizes
    if m == 0 or k == 0:
        if beta == 0:
            fill_stub.kernels[op.device_type](out, 0)
        else:
            scaled = at.mul_Tensor(self, wrapped_scalar_tensor(beta))
            resize_output(out, scaled._sizes)
            copy_(out, scaled, False)
        return
    if out is not self and beta != 0:
        copy_(out, self, False)
    factors = checked_convert(alpha, mat._dtype), checked_convert(beta, mat._dtype)
    addmv_stub.kernels[op.device_type](out, mat, vec, *factors)


# ---- two vectors


def dot(self: Tensor, tensor: Tensor) -> Tensor:
    """Return the dot product of two vectors.

    Raises:
        RuntimeError: not two vectors, or of other sizes or dtypes.
        NotImplementedError: there is no product of bools.
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
    device = self._storage.device
    result = new_tensor((), (), self._dtype, device)
    if n == 0:
        fill_stub.kernels[device.type](result, 0)
    else:
        dot_stub.kernels[device.type](result, self, tensor)
    return result


def dot_out(self: Tensor, tensor: Tensor, out: Tensor) -> Tensor:
    """Write the result of `dot` into `out`.

    Raises:
        RuntimeError: as `dot`; `out` has another dtype.
    """
    scalar_type = self._dtype
    if out._dtype is not scalar_type:
        raise RuntimeError(
            f"result dtype {SCALAR_TYPE_NAMES[out._dtype]} does not match input dtype {SCALAR_TYPE_NAMES[scalar_type]}"
        )
    resize_output(out, ())
    return at.fill__Tensor(out, at.dot(self, tensor))


vdot, vdot_out = dot, dot_out  # of real numbers, the first need not be conjugated
