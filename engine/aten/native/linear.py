"""linear, bilinear, tensordot, inner, einsum, kron: sums of products, made of matmul, bmm and mul.

Mirrors aten/src/ATen/native/Linear.cpp.
"""

import math
from collections.abc import Sequence

from ...strides import Ints, broadcast_shapes, wrap_dim
from ...tensor_impl import Tensor
from ..at import at
from ..structured import copy_to, resize_output

# ---- layers


def linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return input @ weight.T + bias.

    Args:
        input: (..., in)
        weight: (out, in) or (in,)
        bias: (out,) or None
    Returns:
        (..., out)
    Raises:
        RuntimeError: a tensor has no dimensions; sizes or dtypes do not fit.
    """
    dims = len(input._sizes), len(weight._sizes)
    if 0 in dims:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {dims[0]}D and {dims[1]}D")
    if bias is None:
        return at.matmul(input, at.t(weight))
    if dims[0] == 2:
        return at.addmm(bias, input, at.t(weight))
    if len(bias._sizes) == 1 and input.is_contiguous():
        folded = at.view(input, (math.prod(input._sizes[:-1]), input._sizes[-1]))
        result = at.addmm(bias, folded, at.t(weight))
        return at.view(result, (*input._sizes[:-1], result._sizes[1]))
    return at.add__Tensor(at.matmul(input, at.t(weight)), bias)


def linear_out(input: Tensor, weight: Tensor, bias: Tensor | None, out: Tensor) -> Tensor:
    """Write the result of `linear` into `out`."""
    return copy_to(out, at.linear(input, weight, bias))


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Compute out[..., o] = input1 @ weight[o] @ input2 + bias[o].

    Args:
        input1: (..., in1)
        input2: (..., in2)
        weight: (out, in1, in2)
        bias: (out,) or None
    Returns:
        (..., out)
    Raises:
        RuntimeError: sizes or dtypes do not fit.
    """
    if len(input1._sizes) != len(input2._sizes):
        raise RuntimeError(
            f"bilinear(): input dimensions do not match: got {len(input1._sizes)} and {len(input2._sizes)}"
        )
    for dim, (one, other) in enumerate(zip(input1._sizes[:-1], input2._sizes[:-1], strict=True)):
        if one != other:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {dim}: got {one} and {other}")
    for name, size, expected in (
        ("input1", input1.size(-1), weight.size(1)),
        ("input2", input2.size(-1), weight.size(2)),
        ("bias", weight._sizes[0] if bias is None else bias.size(0), weight._sizes[0]),
    ):
        if size != expected:
            raise RuntimeError(
                f"bilinear(): {name} size does not match weight size: got {size} but expected {expected}"
            )
    batch, out = math.prod(input1._sizes[:-1]), weight._sizes[0]
    one, other = (at.reshape(x, (batch, x._sizes[-1])) for x in (input1, input2))
    result = at.reshape(at.einsum("bi,oij,bj->bo", (one, weight, other)), (*input1._sizes[:-1], out))
    return result if bias is None else at.add_Tensor(result, bias)


# ---- products over several dimensions


def sumproduct_pair(left: Tensor, right: Tensor, dims: Sequence[int]) -> Tensor:
    """Return the broadcast product of two tensors summed over `dims`, which are kept with size 1.

    Dimensions that both have go in front. Dimensions of only one become the rows or columns of its matrix: a bmm.

    Source: sumproduct_pair (aten/src/ATen/native/Linear.cpp).
    """
    if not dims:
        return at.mul_Tensor(left, right)
    both: list[int] = []
    of_left: list[int] = []
    of_right: list[int] = []
    for d in range(len(left._sizes)):
        in_left, in_right = left._sizes[d] != 1, right._sizes[d] != 1
        if d in dims:
            if in_left and not in_right:
                left = at.sum_dim_IntList(left, (d,), True, dtype=left._dtype)
            elif in_right and not in_left:
                right = at.sum_dim_IntList(right, (d,), True, dtype=right._dtype)
        else:
            (both if in_left and in_right else of_left if in_left else of_right).append(d)
    batch, m = (math.prod(left._sizes[d] for d in group) for group in (both, of_left))
    k, n = math.prod(left._sizes[d] for d in dims), math.prod(right._sizes[d] for d in of_right)
    matrices = at.reshape(at.permute(left, (*both, *of_left, *dims, *of_right)), (batch, m, k))
    others = at.reshape(at.permute(right, (*both, *dims, *of_right, *of_left)), (batch, k, n))
    order = (*both, *of_left, *dims, *of_right)
    sizes = tuple(1 if d in dims else right._sizes[d] if left._sizes[d] == 1 else left._sizes[d] for d in order)
    product = at.reshape(at.bmm(matrices, others), sizes)
    return at.permute(product, tuple(order.index(d) for d in range(len(order))))


def tensordot(self: Tensor, other: Tensor, dims_self: Sequence[int], dims_other: Sequence[int]) -> Tensor:
    """Contract `self` with `other` over pairs of dimensions, leaving the other dimensions of both, `self`'s first.

    Raises:
        RuntimeError: there are not as many dims of each; their sizes, or the dtypes, differ.
        IndexError: there is no such dim.
    """
    if len(dims_self) != len(dims_other):
        raise RuntimeError("both dimension lists should have same length")
    if self._dtype is not other._dtype:
        raise RuntimeError("both inputs should have same dtype")
    one, two, summed = self, other, 1
    for d, e in zip(dims_self, dims_other, strict=True):
        size, its = self.size(d), other.size(e)
        if its == 1:
            one = at.sum_dim_IntList(one, (d,), True, dtype=one._dtype)
        elif size == 1:
            two = at.sum_dim_IntList(two, (e,), True, dtype=two._dtype)
        elif size != its:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {size} in dim {d} and second has size {its} "
                f"in dim {e}"
            )
        else:
            summed *= self._sizes[d]
    dims_self = tuple(wrap_dim(d, len(self._sizes)) for d in dims_self)
    dims_other = tuple(wrap_dim(e, len(other._sizes)) for e in dims_other)
    rows = tuple(d for d in range(len(self._sizes)) if d not in dims_self)
    columns = tuple(e for e in range(len(other._sizes)) if e not in dims_other)
    row_sizes, column_sizes = tuple(self._sizes[d] for d in rows), tuple(other._sizes[e] for e in columns)
    one, two = at.permute(one, rows + dims_self), at.permute(two, dims_other + columns)
    if not row_sizes and not column_sizes:
        return at.view(at.dot(at.reshape(one, (summed,)), at.reshape(two, (summed,))), ())
    matrix = at.reshape(one, (math.prod(row_sizes), summed))
    its_matrix = at.reshape(two, (summed, math.prod(column_sizes)))
    return at.reshape(at.mm(matrix, its_matrix), row_sizes + column_sizes)


def tensordot_out(
    self: Tensor, other: Tensor, dims_self: Sequence[int], dims_other: Sequence[int], out: Tensor
) -> Tensor:
    """Write the result of `tensordot` into `out`."""
    return copy_to(out, at.tensordot(self, other, dims_self, dims_other))


def inner(self: Tensor, other: Tensor) -> Tensor:
    """Return the sum of products over the last dimensions of both tensors; a 0-dimensional tensor scales the other one.

    Raises:
        RuntimeError: the last sizes, or the dtypes, differ.
    """
    if not self._sizes or not other._sizes:
        return at.mul_Tensor(self, other)
    if self._sizes[-1] != other._sizes[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(self._sizes)} and {list(other._sizes)}"
        )
    return at.tensordot(self, other, (-1,), (-1,))


def inner_out(self: Tensor, other: Tensor, out: Tensor) -> Tensor:
    """Write the result of `inner` into `out`."""
    if not self._sizes or not other._sizes:
        return at.mul_out(self, other, out=out)
    return copy_to(out, at.inner(self, other))


def kron(self: Tensor, other: Tensor) -> Tensor:
    """Return the Kronecker product: `other` times each element of `self`; sizes multiply, missing dims count as 1."""
    return at._unsafe_view(at.mul_Tensor(*_interleaved(self, other)), _kron_sizes(self, other))


def kron_out(self: Tensor, other: Tensor, out: Tensor) -> Tensor:
    """Write the result of `kron` into `out` through a view with its own version counter."""
    one, two = _interleaved(self, other)
    resize_output(out, _kron_sizes(self, other))
    at.mul_out(one, two, out=at._unsafe_view(out, broadcast_shapes(one._sizes, two._sizes)))
    return out


def _kron_sizes(self: Tensor, other: Tensor) -> Ints:
    ndim = max(len(self._sizes), len(other._sizes))
    one, two = (((1,) * ndim + tensor._sizes)[-ndim:] if ndim else () for tensor in (self, other))
    return tuple(a * b for a, b in zip(one, two, strict=True))


def _interleaved(self: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    ndim = max(len(self._sizes), len(other._sizes))
    one, two = (((1,) * ndim + tensor._sizes)[-ndim:] if ndim else () for tensor in (self, other))
    return (
        at._unsafe_view(self, tuple(size for a in one for size in (a, 1))),
        at._unsafe_view(other, tuple(size for b in two for size in (1, b))),
    )
