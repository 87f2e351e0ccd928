"""addbmm, outer, addr, trace, chain_matmul: made of other products and sums.

Mirrors aten/src/ATen/native/LinearAlgebra.cpp.
"""

import functools
from collections.abc import Sequence

from ...dispatch.local import AutoDispatchBelowADInplaceOrView
from ...dtypes import bool_, dtype
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import new_tensor
from ..scalar_ops import wrapped_scalar_tensor
from ..structured import copy_to
from ..type_promotion import SCALAR_TYPE_NAMES, Promotion, can_cast, result_type

Number = bool | int | float

# ---- addbmm


def addbmm(self: Tensor, batch1: Tensor, batch2: Tensor, beta: Number, alpha: Number) -> Tensor:
    """Return beta * self + alpha * the sum of batch1[i] @ batch2[i] over the batch.

    Args:
        self: expands to (m, n)
        batch1: (b, m, k)
        batch2: (b, k, n)
    Raises:
        RuntimeError: sizes or dtypes do not fit.
    """
    out = new_tensor((0,), (1,), self._dtype, self._storage.device)
    with AutoDispatchBelowADInplaceOrView():  # that a new tensor is made by writing to it does not count
        return addbmm_out(self, batch1, batch2, beta, alpha, out)


def addbmm_(self: Tensor, batch1: Tensor, batch2: Tensor, beta: Number, alpha: Number) -> Tensor:
    """Write the result of `addbmm` into `self`."""
    return addbmm_out(self, batch1, batch2, beta, alpha, self)


def addbmm_out(self: Tensor, batch1: Tensor, batch2: Tensor, beta: Number, alpha: Number, out: Tensor) -> Tensor:
    """Write the result of `addbmm` into `out`, with one `addmm_` for each pair of matrices."""
    for name, batch in (("batch1", batch1), ("batch2", batch2)):
        if len(batch._sizes) != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    (count, m, k), (others, rows, n) = batch1._sizes, batch2._sizes
    expanded = self if self._sizes == (m, n) else at.expand(self, (m, n))
    if count != others:
        raise RuntimeError(f"batch1 and batch2 must have same number of batches, got {count} and {others}")
    if k != rows:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({m}x{k} and {rows}x{n})")
    at.resize_(out, (m, n))
    if beta != 0 and out is not expanded:
        at.copy_(out, expanded)
    if count == 0:
        return at.mul__Tensor(out, wrapped_scalar_tensor(beta)) if beta != 0 else at.zero_(out)
    for which in range(count):
        at.addmm_(out, at.select_int(batch1, 0, which), at.select_int(batch2, 0, which), beta=beta, alpha=alpha)
        beta = 1
    return out


# ---- outer, addr


def _require_vectors(name: str, **vectors: Tensor) -> None:
    for argument, vector in vectors.items():
        if len(vector._sizes) != 1:
            raise RuntimeError(f"{name}: Expected 1-D argument {argument}, but got {len(vector._sizes)}-D")


def outer(self: Tensor, vec2: Tensor) -> Tensor:
    """Return the outer product of two vectors: result[i, j] = self[i] * vec2[j].

    Raises:
        RuntimeError: not two vectors.
    """
    _require_vectors("outer", self=self, vec2=vec2)
    return at.mul_Tensor(at.reshape(self, (self._sizes[0], 1)), vec2)


def outer_out(self: Tensor, vec2: Tensor, out: Tensor) -> Tensor:
    """Write the result of `outer` into `out`."""
    _require_vectors("outer", self=self, vec2=vec2)
    return at.mul_out(at.reshape(self, (self._sizes[0], 1)), vec2, out=out)


def math_addr(self: Tensor, vec1: Tensor, vec2: Tensor, beta: Number, alpha: Number) -> Tensor:
    """Return beta * self + alpha * outer(vec1, vec2); if beta is 0, the elements of `self` are ignored.

    Raises:
        RuntimeError: not vectors, sizes that do not fit, or numbers that the dtype has not.
    """
    _require_vectors("addr", vec1=vec1, vec2=vec2)
    scalar_type = result_type(
        *(Promotion(x._dtype, 0 if x is self and not x._sizes else 1) for x in (self, vec1, vec2))
    )
    for name, number in (("beta", beta), ("alpha", alpha)):
        _check_number(name, number, scalar_type)
    expanded = at.expand(self, (vec1._sizes[0], vec2._sizes[0]))
    product = at.outer(vec1, vec2)
    if scalar_type is bool_:
        product = product if alpha else at.zeros_like(product)
        return at.add_Tensor(product, expanded) if beta else product
    if alpha != 1:
        product = at.mul_Tensor(product, wrapped_scalar_tensor(alpha))
    if beta == 0:
        return at.to_dtype(product, scalar_type)
    return at.add_Tensor(at.mul_Tensor(expanded, wrapped_scalar_tensor(beta)) if beta != 1 else expanded, product)


def _check_number(name: str, number: Number, scalar_type: dtype) -> None:
    if isinstance(number, bool) and scalar_type is not bool_:
        raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
    if isinstance(number, float) and not scalar_type.is_floating_point:
        raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")


def addr_(self: Tensor, vec1: Tensor, vec2: Tensor, beta: Number, alpha: Number) -> Tensor:
    """Write the result of `addr` into `self`."""
    _require_vectors("addr", vec1=vec1, vec2=vec2)
    sizes = vec1._sizes[0], vec2._sizes[0]
    if len(self._sizes) != 2:
        raise RuntimeError(f"2D tensor expected, got {len(self._sizes)}D tensor for input")
    if self._sizes != sizes:
        raise RuntimeError(
            f"size mismatch, input: {list(self._sizes)}, v1: {list(vec1._sizes)}, v2: {list(vec2._sizes)}"
        )
    return math_addr_out(self, vec1, vec2, beta, alpha, self)


def math_addr_out(self: Tensor, vec1: Tensor, vec2: Tensor, beta: Number, alpha: Number, out: Tensor) -> Tensor:
    """Write the result of `addr` into `out`.

    Raises:
        RuntimeError: as `addr`; `out` has a dtype that the result does not become by itself.
    """
    result = at.addr(self, vec1, vec2, beta=beta, alpha=alpha)
    if not can_cast(result._dtype, out._dtype):
        made, given = SCALAR_TYPE_NAMES[result._dtype], SCALAR_TYPE_NAMES[out._dtype]
        raise RuntimeError(f"result type {made} can't be cast to the desired output type {given}")
    return copy_to(out, at.to_dtype(result, out._dtype))


# ---- trace


def trace_cpu(self: Tensor) -> Tensor:
    """Return the sum of the diagonal of a matrix; integers are summed in int64.

    Raises:
        RuntimeError: not a matrix.
        NotImplementedError: there is no trace of bools.
    """
    if len(self._sizes) != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {len(self._sizes)}")
    if self._dtype is bool_:
        raise NotImplementedError("\"trace\" not implemented for 'Bool'")
    return at.sum(at.diagonal(self))


# ---- products of several matrices


def chain_matmul(matrices: Sequence[Tensor]) -> Tensor:
    """Return the product of the matrices, multiplied in the order that takes the fewest scalar multiplications.

    Raises:
        RuntimeError: there is none, or sizes do not fit.
    """
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for place, matrix in enumerate(matrices):
        if len(matrix._sizes) != 2:
            raise RuntimeError(
                f"Tensor for argument #{place + 1} 'self' is expected to have 2 dimensions, but got "
                f"{len(matrix._sizes)}"
            )
    if len(matrices) == 1:
        return at.clone(matrices[0])
    sizes = [matrices[0]._sizes[0], *(matrix._sizes[1] for matrix in matrices)]

    @functools.cache
    def cheapest(first: int, last: int) -> tuple[int, int]:
        """Return (multiplications, where to cut) for the product of matrices first..last."""
        if first == last:
            return 0, first
        ends = sizes[first] * sizes[last + 1]
        return min(
            (cheapest(first, cut)[0] + cheapest(cut + 1, last)[0] + ends * sizes[cut + 1], cut)
            for cut in range(first, last)
        )

    def product(first: int, last: int) -> Tensor:
        cut = cheapest(first, last)[1]
        return matrices[first] if first == last else at.mm(product(first, cut), product(cut + 1, last))

    return product(0, len(matrices) - 1)


def chain_matmul_out(matrices: Sequence[Tensor], out: Tensor) -> Tensor:
    """Write the result of `chain_matmul` into `out`."""
    return copy_to(out, at.chain_matmul(matrices))
