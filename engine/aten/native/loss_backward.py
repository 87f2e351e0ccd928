"""The backward of losses: the gradient of the input, given the gradient of the loss.

A gradient of a mean or sum has no dimensions and applies to all elements. Mirrors aten/src/ATen/native/Loss.cpp,
LossNLL.cpp and LossNLL2d.cpp.
"""

from ...dispatch.local import AutoDispatchBelowADInplaceOrView
from ...dtypes import int64
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides, new_tensor
from ..iterator import BINARY_OP, UNARY_OP, IteratorConfig, TensorIterator
from ..structured import MetaBase, resize_output
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .loss import MEAN, NONE
from .loss_nll import check_inputs_nll_loss2d
from .normalization import expect_contiguous

mse_backward_stub = DispatchStub("mse_backward_stub")
"""kernel(iter, factor) of operands (grad_input, self, target, grad_output); the two below have `beta` or `delta`
besides."""
smooth_l1_backward_stub = DispatchStub("smooth_l1_backward_stub")
huber_backward_stub = DispatchStub("huber_backward_stub")
binary_cross_entropy_backward_stub = DispatchStub("binary_cross_entropy_backward_stub")
nll_loss_backward_stub = DispatchStub("nll_loss_backward_stub")
"""kernel(grad_input, grad_output, target, weight, total_weight, reduction, ignore_index, sizes): everything contiguous,
`grad_input` of `sizes` (batch, classes, size). IndexError: a target is none of the classes."""


def _share(reduction: int, self: Tensor) -> float:
    """Return the factor of each element's gradient: 1 / numel for the mean, else 1."""
    return 1.0 / self.numel() if reduction == MEAN and self.numel() else 1.0


def _contiguous_like(self: Tensor) -> Tensor:
    return new_tensor(self._sizes, contiguous_strides(self._sizes), self._dtype, self._storage.device)


def _loss_backward(
    stub: DispatchStub, config: IteratorConfig, grad_input: Tensor, grad_output: Tensor, self: Tensor, target: Tensor,
    *scalars: float,
) -> Tensor:  # fmt: skip
    iter = TensorIterator.make(config, grad_input, self, target, grad_output)
    stub(iter, *scalars)
    if iter.proxy_outputs:
        with AutoDispatchBelowADInplaceOrView():  # a new tensor, of which this is not a later version
            iter.copy_back()
    return grad_input


# ---- of a difference


def mse_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int) -> Tensor:
    """Return 2 * (self - target) * grad_output, divided by the number of elements for the mean.

    Raises:
        NotImplementedError: of integers.
    """
    return mse_loss_backward_out(grad_output, self, target, reduction, _contiguous_like(self))


def mse_loss_backward_out(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, grad_input: Tensor
) -> Tensor:
    """Write the result of `mse_loss_backward` into `grad_input`."""
    factor = 2.0 * _share(reduction, self)
    return _loss_backward(mse_backward_stub, BINARY_OP, grad_input, grad_output, self, target, factor)


def smooth_l1_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, beta: float) -> Tensor:
    """Return grad_output * (d / beta if abs(d) < beta else sign(d)), d = self - target, over numel for the mean."""
    return smooth_l1_loss_backward_out(grad_output, self, target, reduction, beta, _contiguous_like(self))


def smooth_l1_loss_backward_out(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, beta: float, grad_input: Tensor
) -> Tensor:
    """Write the result of `smooth_l1_loss_backward` into `grad_input`."""
    share = _share(reduction, self)
    return _loss_backward(smooth_l1_backward_stub, BINARY_OP, grad_input, grad_output, self, target, share, beta)


def huber_loss_backward(grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, delta: float) -> Tensor:
    """Return grad_output * (self - target clamped to [-delta, delta]), divided by numel for the mean."""
    return huber_loss_backward_out(grad_output, self, target, reduction, delta, _contiguous_like(self))


def huber_loss_backward_out(
    grad_output: Tensor, self: Tensor, target: Tensor, reduction: int, delta: float, grad_input: Tensor
) -> Tensor:
    """Write the result of `huber_loss_backward` into `grad_input`."""
    share = _share(reduction, self)
    return _loss_backward(huber_backward_stub, UNARY_OP, grad_input, grad_output, self, target, share, delta)


# ---- of probabilities


def binary_cross_entropy_backward_cpu(
    grad_output: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, reduction: int
) -> Tensor:
    """Return weight * grad_output * (self - target) / (self * (1 - self)), with the divisor clamped to >= 1e-12."""
    grad_input = at.empty_like(self)
    with AutoDispatchBelowADInplaceOrView():  # a new tensor, of which this is not a later version
        return binary_cross_entropy_backward_out_cpu(grad_output, self, target, weight, reduction, grad_input)


def binary_cross_entropy_backward_out_cpu(
    grad_output: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, grad_input: Tensor
) -> Tensor:
    """Write the result of `binary_cross_entropy_backward_cpu` into `grad_input`."""
    resize_output(grad_input, self._sizes)
    stub, share = binary_cross_entropy_backward_stub, _share(reduction, self)
    _loss_backward(stub, UNARY_OP, grad_input, grad_output, self, target, share)
    return grad_input if weight is None else at.mul_out(grad_input, weight, out=grad_input)


# ---- of classes


def nll_loss_backward_meta(
    op: MetaBase, grad_output: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, reduction: int,
    ignore_index: int, total_weight: Tensor,
) -> None:  # fmt: skip
    """Make a contiguous output with the shape and dtype of `self`.

    Raises:
        RuntimeError: sizes do not fit; targets have several dimensions.
    """
    dims, to = len(self._sizes), len(target._sizes)
    if dims not in (1, 2):
        raise RuntimeError("input tensor should be 1D or 2D")
    if to > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if (dims, to) != (1, 0) and self._sizes[0] != target.size(0):
        raise RuntimeError(f"size mismatch (got input: {list(self._sizes)}, target: {list(target._sizes)})")
    if total_weight.numel() != 1:
        total = f"{list(total_weight._sizes)} ({total_weight.numel()} elements)"
        raise RuntimeError(f"expected total_weight to be a  single element tensor, got: {total}")
    if weight is not None and weight.numel() != self._sizes[-1]:
        raise RuntimeError("weight tensor should be defined either for all or no classes")
    expected = self._sizes[:1] if reduction == NONE and dims == 2 else ()
    if grad_output._sizes != expected and not (expected == () and grad_output.numel() == 1):
        raise RuntimeError(_unexpected(grad_output, expected))
    op.set_output_strided(0, self._sizes, contiguous_strides(self._sizes), self._dtype, self._storage.device)


def _unexpected(grad_output: Tensor, expected: tuple[int, ...]) -> str:
    if not expected:
        return f"Expected a single element grad_output tensor, but got: {list(grad_output._sizes)}"
    return (
        f"Expected a tensor of dimension {len(expected)} and tensor.size[0] == {expected[0]} but got: dimension "
        f"{len(grad_output._sizes)} and tensor.size[0] = {grad_output.size(0) if grad_output._sizes else 1}"
    )


def nll_loss_backward_out_cpu(
    op: MetaBase, grad_output: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, reduction: int,
    ignore_index: int, total_weight: Tensor, grad_input: Tensor,
) -> None:  # fmt: skip
    """Compute grad_input[row, target] = -grad_output * weight[target] (/ total_weight for the mean), 0 elsewhere.

    Raises:
        IndexError: a target is none of the classes.
    """
    sizes = (self._sizes[0] if len(self._sizes) == 2 else 1, self._sizes[-1], 1)
    _nll_loss_backward(grad_input, grad_output, target, weight, total_weight, reduction, ignore_index, sizes)


def _nll_loss_backward(
    grad_input: Tensor, grad_output: Tensor, target: Tensor, weight: Tensor | None, total_weight: Tensor,
    reduction: int, ignore_index: int, sizes: tuple[int, int, int],
) -> None:  # fmt: skip
    if target._dtype is not int64:
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {SCALAR_TYPE_NAMES[target._dtype]}")
    dense = expect_contiguous(grad_output), expect_contiguous(target), expect_contiguous(weight)
    kernel = nll_loss_backward_stub.kernels[grad_input._storage.device.type]
    kernel(grad_input, *dense, total_weight, reduction, ignore_index, sizes)


def nll_loss2d_backward_cpu(
    grad_output: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int,
    total_weight: Tensor,
) -> Tensor:  # fmt: skip
    """Return the gradient of `nll_loss2d` for images (batch, classes, height, width).

    Raises:
        RuntimeError: sizes or dtypes do not fit.
        IndexError: a target is none of the classes.
    """
    check_inputs_nll_loss2d(self, target, weight)
    if total_weight.numel() != 1:
        raise RuntimeError(
            "expected total_weight to be a single element tensor, got: "
            f"{list(total_weight._sizes)} ( {total_weight.numel()}, elements)"
        )
    grad_input = _contiguous_like(self)
    batch, classes, height, width = self._sizes
    sizes = (batch, classes, height * width)
    _nll_loss_backward(grad_input, grad_output, target, weight, total_weight, reduction, ignore_index, sizes)
    return grad_input


def nll_loss2d_backward_out_cpu(
    grad_output: Tensor, self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int,
    total_weight: Tensor, grad_input: Tensor,
) -> Tensor:  # fmt: skip
    """Write the result of `nll_loss2d_backward_cpu` into `grad_input`."""
    made = nll_loss2d_backward_cpu(grad_output, self, target, weight, reduction, ignore_index, total_weight)
    resize_output(grad_input, made._sizes)
    return at.copy_(grad_input, made)
