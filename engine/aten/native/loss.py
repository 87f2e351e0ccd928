"""Losses of two tensors, element by element, and what is left of them: all, their mean or their sum.

Mirrors aten/src/ATen/native/Loss.cpp.
"""

from ...dispatch.local import AutoDispatchBelowADInplaceOrView, AutoDispatchBelowAutograd
from ...tensor_impl import Tensor
from ..at import at
from ..iterator import UNARY_OP, TensorIterator, TensorIteratorBase
from ..structured import resize_output
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .tensor_compare import promoted

NONE, MEAN, SUM = range(3)
"""Values of `reduction`: at::Reduction."""

mse_stub = DispatchStub("mse_stub")
smooth_l1_stub = DispatchStub("smooth_l1_stub")
huber_stub = DispatchStub("huber_stub")
binary_cross_entropy_stub = DispatchStub("binary_cross_entropy_stub")


def apply_loss_reduction(unreduced: Tensor, reduction: int) -> Tensor:
    """Return the mean, the sum or all elements of a loss, depending on `reduction`."""
    if reduction == MEAN:
        return at.mean(unreduced)
    return at.sum(unreduced) if reduction == SUM else unreduced


def _loss_meta(op: TensorIteratorBase, self: Tensor, target: Tensor, reduction: int) -> None:
    """Make an output of the broadcast sizes for all of the loss, or one without dimensions if it is reduced."""
    if reduction == NONE:
        op.build_borrowing_binary_op(self, target)
    else:
        op.operands = ()  # no plan to be cached: the loss has an iterator of its own
        scalar_type = self._dtype if self._dtype is target._dtype else promoted(self, target)
        op.set_output_raw_strided(0, (), (), scalar_type, self._storage.device)


def _loss_out(
    stub: DispatchStub,
    op: TensorIteratorBase,
    self: Tensor,
    target: Tensor,
    reduction: int,
    out: Tensor,
    *scalars: float,
) -> None:
    if reduction == NONE:
        stub(op, *scalars)
        return
    if reduction not in (MEAN, SUM):
        raise RuntimeError("reduction == Reduction::Mean || reduction == Reduction::Sum INTERNAL ASSERT FAILED")
    iter = TensorIterator.binary_op(None, self, target)
    stub(iter, *scalars)
    with AutoDispatchBelowADInplaceOrView():  # a new tensor, of which this is not a later version
        (at.mean_out if reduction == MEAN else at.sum_IntList_out)(iter.output(), (), False, out=out)


# ---- of a difference


def mse_loss_meta(op: TensorIteratorBase, self: Tensor, target: Tensor, reduction: int) -> None:
    """Make an output of the broadcast shape, or a 0-dimensional one if the loss is reduced."""
    _loss_meta(op, self, target, reduction)


def mse_loss_out(op: TensorIteratorBase, self: Tensor, target: Tensor, reduction: int, out: Tensor) -> None:
    """Compute out = (self - target)**2, or its mean or sum.

    Raises:
        NotImplementedError: of integers.
    """
    _loss_out(mse_stub, op, self, target, reduction, out)


def smooth_l1_loss_meta(op: TensorIteratorBase, self: Tensor, target: Tensor, reduction: int, beta: float) -> None:
    """Declare what `mse_loss_meta` does, and check `beta`.

    Raises:
        RuntimeError: `beta` is negative.
    """
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    _loss_meta(op, self, target, reduction)


def smooth_l1_loss_out(
    op: TensorIteratorBase, self: Tensor, target: Tensor, reduction: int, beta: float, out: Tensor
) -> None:
    """Compute out = d**2 / (2 * beta) if abs(d) < beta, else abs(d) - beta / 2, for d = self - target, and reduce it.

    Raises:
        NotImplementedError: of integers.
    """
    _loss_out(smooth_l1_stub, op, self, target, reduction, out, beta)


def huber_loss(self: Tensor, target: Tensor, reduction: int, delta: float) -> Tensor:
    """Return d**2 / 2 if abs(d) <= delta, else delta * (abs(d) - delta / 2), in the dtype of `self`; d = self - target.

    Raises:
        RuntimeError: `delta` is not positive, or the loss does not fit into that dtype.
        NotImplementedError: of integers.
    """
    return apply_loss_reduction(_huber_loss(at.empty_like(self), self, target, delta), reduction)


def huber_loss_out(self: Tensor, target: Tensor, reduction: int, delta: float, out: Tensor) -> Tensor:
    """Write the result of `huber_loss` into `out`."""
    if reduction == NONE:
        return _huber_loss(out, self, target, delta)
    return _written(out, huber_loss(self, target, reduction, delta))


def _huber_loss(out: Tensor, self: Tensor, target: Tensor, delta: float) -> Tensor:
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    iter = TensorIterator.binary_op(out, self, target)
    huber_stub(iter, delta)
    iter.copy_back()
    return out


def l1_loss(self: Tensor, target: Tensor, reduction: int) -> Tensor:
    """Return abs(self - target), or its mean or sum."""
    return apply_loss_reduction(at.abs(at.sub_Tensor(self, target)), reduction)


# ---- of probabilities


def binary_cross_entropy_cpu(self: Tensor, target: Tensor, weight: Tensor | None, reduction: int) -> Tensor:
    """Return -(target * log(self) + (1 - target) * log(1 - self)) * weight, with each logarithm clamped to >= -100.

    Raises:
        RuntimeError: a number outside 0..1; dtypes differ.
        NotImplementedError: of integers.
    """
    loss = at.empty_like(self)
    iter = TensorIterator.make(UNARY_OP, loss, self, target)
    binary_cross_entropy_stub(iter)
    return apply_loss_reduction(loss if weight is None else at.mul_Tensor(loss, weight), reduction)


def binary_cross_entropy_out_cpu(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, out: Tensor
) -> Tensor:
    """Write the result of `binary_cross_entropy_cpu` into `out`."""
    return _written(out, binary_cross_entropy_cpu(self, target, weight, reduction))


def binary_cross_entropy_with_logits(
    self: Tensor, target: Tensor, weight: Tensor | None, pos_weight: Tensor | None, reduction: int
) -> Tensor:
    """Return the binary cross entropy of sigmoid(self), computed stably even where the sigmoid rounds to 0 or 1.

    (1 - target) * self - (1 + (pos_weight - 1) * target) * log(sigmoid(self))

    Args:
        pos_weight: of the positive examples, those whose target is 1.
    Raises:
        RuntimeError: the target's dtype can't hold the loss.
    """
    logarithm = at.log_sigmoid(self)
    loss = at.mul__Tensor(at.rsub_Scalar(target, 1), self)
    if pos_weight is not None:
        at.mul__Tensor(logarithm, at.add__Scalar(at.mul_Tensor(at.sub_Scalar(pos_weight, 1), target), 1))
    at.sub__Tensor(loss, logarithm)
    if weight is not None:
        at.mul__Tensor(loss, weight)
    return apply_loss_reduction(loss, reduction)


def kl_div(self: Tensor, target: Tensor, reduction: int, log_target: bool) -> Tensor:
    """Return target * (log(target) - self), or its mean or sum; with `log_target`, `target` already holds log(target).

    Raises:
        RuntimeError: of integers.
    """
    if not (self._dtype.is_floating_point and target._dtype.is_floating_point):
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        output = at.mul_Tensor(at.exp(target), at.sub_Tensor(target, self))
    else:
        expected = at.mul_Tensor(target, self)
        output = at.sub_Tensor(at.xlogy_Tensor(target, target), expected)
    return apply_loss_reduction(output, reduction)


def _written(out: Tensor, result: Tensor) -> Tensor:
    resize_output(out, result._sizes)
    return at.copy_(out, result)


# ---- of directions


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int, eps: float) -> Tensor:
    """Return the cosine of the angle between vectors along `dim`, with each norm clamped to at least `eps`.

    Raises:
        RuntimeError: of integers.
    """
    scalar_type = promoted(x1, x2)
    if not scalar_type.is_floating_point:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {SCALAR_TYPE_NAMES[scalar_type]}"
        )
    one, two = (x if x._dtype.is_floating_point else at.to_dtype(x, scalar_type) for x in (x1, x2))
    one, two = at.broadcast_tensors((one, two))
    return at.sum_dim_IntList(at.mul_Tensor(_direction(one, dim, eps), _direction(two, dim, eps)), (dim,))


def _direction(x: Tensor, dim: int, eps: float) -> Tensor:
    """Divide vectors by their norms. That a norm counts as at least `eps` has no derivative."""
    norm = at.clone(at.linalg_vector_norm(x, 2, (dim,), True))
    with AutoDispatchBelowAutograd():
        at.clamp_min_(norm, eps)
    return at.div_Tensor(x, norm)
