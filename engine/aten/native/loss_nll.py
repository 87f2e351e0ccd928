"""nll_loss of log-probabilities and the right classes, and cross_entropy_loss, which makes log-probabilities of scores.

Mirrors aten/src/ATen/native/LossNLL.cpp and LossNLL2d.cpp.
"""

import math

from ...dtypes import int64
from ...tensor_impl import Tensor
from ..at import at
from ..empty_tensor import contiguous_strides, new_tensor
from ..structured import MetaBase, resize_output
from ..stubs import DispatchStub
from ..type_promotion import SCALAR_TYPE_NAMES
from .loss import NONE, SUM
from .normalization import expect_contiguous

Two = tuple[Tensor, Tensor]

nll_loss_stub = DispatchStub("nll_loss_stub")
"""kernel(output, total_weight, self, target, weight, reduction, ignore_index, sizes): everything contiguous, `self` of
`sizes` (batch, classes, size), `target` and an output that is not reduced of (batch, size). IndexError: a
target is none of the classes."""

# ---- a class for each row


def nll_loss_forward_meta(
    op: MetaBase, self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int
) -> None:
    """Make two outputs: the loss, for each row or reduced to one number, and the total weight of the targets.

    Args:
        self: (classes,) or (batch, classes), log-probabilities.
        target: () or (batch,), classes.
        weight: (classes,)
    Raises:
        ValueError: one row, and not one target.
        RuntimeError: other sizes do not fit.
    """
    dims, to = len(self._sizes), len(target._sizes)
    if dims not in (1, 2):
        raise RuntimeError("input tensor should be 1D or 2D")
    if to > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if dims == to == 1 and target._sizes != (1,):
        _require_classes(target)
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target._sizes[0]}")
    if dims == 2 and self._sizes[0] != target.size(0):
        raise RuntimeError(f"size mismatch (got input: {list(self._sizes)}, target: {list(target._sizes)})")
    classes = self._sizes[-1]
    if weight is not None and weight._sizes != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes "
            f"but got weight tensor of shape: {list(weight._sizes)}"
        )
    sizes = self._sizes[:1] if reduction == NONE and dims == 2 else ()
    op.set_output_strided(0, sizes, contiguous_strides(sizes), self._dtype, self._storage.device)
    op.set_output_strided(1, (), (), self._dtype, self._storage.device)


def nll_loss_forward_out_cpu(
    op: MetaBase, self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int,
    output: Tensor, total_weight: Tensor,
) -> None:  # fmt: skip
    """Compute output = -self[row, target] * weight[target], or its mean or sum; ignore targets equal to `ignore_index`.

    The mean is a mean of weighted rows: it is divided by the sum of the weights.

    Raises:
        IndexError: a target is none of the classes.
        RuntimeError: a dtype does not fit.
        NotImplementedError: of integers.
    """
    sizes = (self._sizes[0] if len(self._sizes) == 2 else 1, self._sizes[-1], 1)
    _nll_loss(output, total_weight, self, target, weight, reduction, ignore_index, sizes)


def _require_classes(target: Tensor) -> None:
    if target._dtype is not int64:
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {SCALAR_TYPE_NAMES[target._dtype]}")


def _nll_loss(
    output: Tensor, total_weight: Tensor, self: Tensor, target: Tensor, weight: Tensor | None,
    reduction: int, ignore_index: int, sizes: tuple[int, int, int],
) -> None:  # fmt: skip
    _require_classes(target)
    if weight is not None and weight._dtype is not self._dtype and self._dtype.is_floating_point:
        mine, theirs = SCALAR_TYPE_NAMES[self._dtype], SCALAR_TYPE_NAMES[weight._dtype]
        raise RuntimeError(f"expected scalar type {mine} but found {theirs}")
    dense = expect_contiguous(self), expect_contiguous(target), expect_contiguous(weight)
    nll_loss_stub.kernels[output._storage.device.type](output, total_weight, *dense, reduction, ignore_index, sizes)


def nll_loss_symint(self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int) -> Tensor:
    """Return the negative log-likelihood loss of log-probabilities `self` for the target classes."""
    return at.nll_loss_forward(self, target, weight, reduction, ignore_index)[0]


def nll_loss_out(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int, out: Tensor
) -> Tensor:
    """Write the result of `nll_loss` into `out`."""
    total_weight = at.empty_memory_format((0,), dtype=self._dtype, device=self.device)
    return at.nll_loss_forward_output(
        self, target, weight, reduction, ignore_index, output=out, total_weight=total_weight
    )[0]


# ---- a class for each pixel


def nll_loss2d_forward_cpu(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int
) -> Two:
    """Return the results of `nll_loss_forward` for images with a target class per pixel.

    Args:
        self: (batch, classes, height, width)
        target: (batch, height, width)
    Raises:
        RuntimeError: sizes or dtypes do not fit.
        IndexError: a target is none of the classes.
        NotImplementedError: of integers.
    """
    check_inputs_nll_loss2d(self, target, weight)
    batch, classes, height, width = self._sizes
    sizes = (batch, height, width) if reduction == NONE else ()
    output = new_tensor(sizes, contiguous_strides(sizes), self._dtype, self._storage.device)
    total_weight = new_tensor((), (), self._dtype, self._storage.device)
    _nll_loss(output, total_weight, self, target, weight, reduction, ignore_index, (batch, classes, height * width))
    return output, total_weight


def nll_loss2d_forward_out_cpu(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int,
    output: Tensor, total_weight: Tensor,
) -> Two:  # fmt: skip
    """Write the results of `nll_loss2d_forward_cpu` into `output` and `total_weight`."""
    made = nll_loss2d_forward_cpu(self, target, weight, reduction, ignore_index)
    for given, result in zip((output, total_weight), made, strict=True):
        resize_output(given, result._sizes)
        at.copy_(given, result)
    return output, total_weight


def check_inputs_nll_loss2d(self: Tensor, target: Tensor, weight: Tensor | None) -> None:
    """Check that input and target are batches of images and that their sizes fit.

    Raises:
        RuntimeError: they do not.
    """
    if len(target._sizes) != 3:
        raise RuntimeError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {len(target._sizes)}"
        )
    if len(self._sizes) != 4:
        raise RuntimeError(
            f"only batches of spatial inputs supported (4D tensors), but got input of dimension: {len(self._sizes)}"
        )
    if weight is not None and weight.numel() != self._sizes[1]:
        raise RuntimeError("weight tensor should be defined either for all or no classes")
    if (self._sizes[0], *self._sizes[2:]) != target._sizes:
        raise RuntimeError(f"size mismatch (got input: {list(self._sizes)} , target: {list(target._sizes)}")


def nll_loss2d_symint(self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int) -> Tensor:
    """Return `nll_loss` for images with a target class per pixel."""
    return at.nll_loss2d_forward(self, target, weight, reduction, ignore_index)[0]


def nll_loss2d_out(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int, out: Tensor
) -> Tensor:
    """Write the result of `nll_loss2d` into `out`."""
    total_weight = at.empty_memory_format((0,), dtype=self._dtype, device=self.device)
    return at.nll_loss2d_forward_output(
        self, target, weight, reduction, ignore_index, output=out, total_weight=total_weight
    )[0]


# ---- a class for each place of any number of dimensions


def nll_loss_nd_symint(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int
) -> Tensor:
    """Return `nll_loss` for input (classes,), (batch, classes) or (batch, classes, *) and target () or (batch, *).

    Raises:
        ValueError: no dimensions; batches differ.
        RuntimeError, IndexError: as `nll_loss`.
    """
    sizes, of_target = self._sizes, target._sizes
    if not sizes:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if len(sizes) > 1 and sizes[:1] != of_target[:1]:
        batch = of_target[0] if of_target else 0
        raise ValueError(f"Expected input batch_size ({sizes[0]}) to match target batch_size ({batch}).")
    if len(sizes) <= 2:
        return at.nll_loss(self, target, weight, reduction, ignore_index)
    if len(sizes) == 4:
        return at.nll_loss2d(self, target, weight, reduction, ignore_index)
    batch, classes, *rest = sizes
    places = (batch, *rest)
    if of_target[1:] != sizes[2:]:
        raise RuntimeError(f"Expected target size {list(places)}, got {list(of_target)}")
    height, width = (1, math.prod(rest)) if self.numel() else (0, 0)
    image = at.view(at.contiguous(self), (batch, classes, height, width))
    loss = at.nll_loss2d(image, at.view(at.contiguous(target), (batch, height, width)), weight, reduction, ignore_index)
    return at.view(loss, places) if reduction == NONE else loss


# ---- of scores


def cross_entropy_loss_symint(
    self: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int, label_smoothing: float
) -> Tensor:
    """Return `nll_loss` of log_softmax(self); a target with the shape of `self` holds class probabilities.

    Args:
        label_smoothing: the part of the target that is spread over all classes.
    Raises:
        RuntimeError: sizes or dtypes do not fit; label_smoothing is above 1.
        IndexError, ValueError: as `nll_loss_nd`.
    """
    is_probability = self._sizes == target._sizes
    if is_probability and not target._dtype.is_floating_point:
        got = SCALAR_TYPE_NAMES[target._dtype]
        raise RuntimeError(f"Expected floating point type for target with class probabilities, got {got}")
    if is_probability and ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    if label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    class_dim = 0 if len(self._sizes) == 1 else 1
    if is_probability and weight is not None and weight._sizes != (self.size(class_dim),):
        classes = self.size(class_dim)
        raise RuntimeError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes "
            f"but got weight tensor of shape: {list(weight._sizes)}"
        )
    logarithms = at.log_softmax_int(self, class_dim, self._dtype)
    if is_probability:
        return _of_probabilities(logarithms, target, weight, reduction, label_smoothing, class_dim)
    loss = at.nll_loss_nd(logarithms, target, weight, reduction, ignore_index)
    if label_smoothing <= 0:
        return loss
    smooth = _smooth(logarithms, target, weight, reduction, ignore_index, class_dim)
    share = label_smoothing / (logarithms._sizes[class_dim] or math.nan)
    return at.add_Tensor(at.mul_Scalar(loss, 1 - label_smoothing), at.mul_Scalar(smooth, share))


def _of_probabilities(
    logarithms: Tensor, target: Tensor, weight: Tensor | None, reduction: int, label_smoothing: float, class_dim: int
) -> Tensor:
    classes = logarithms._sizes[class_dim]
    if label_smoothing > 0:
        target = at.add_Scalar(at.mul_Scalar(target, 1 - label_smoothing), label_smoothing / (classes or math.nan))
    terms = _weighted(at.mul_Tensor(logarithms, target), weight, class_dim)
    if reduction == NONE:
        return at.neg(at.sum_dim_IntList(terms, (class_dim,)))
    total = at.sum(terms)
    if reduction != SUM and not terms.numel():
        return at.neg(at.fill__Scalar(total, math.nan))
    total = at.neg(total)
    return total if reduction == SUM else at.div_Scalar(total, terms.numel() / classes)


def _smooth(
    logarithms: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int, class_dim: int
) -> Tensor:
    """Return the loss for a target that counts all classes alike."""
    loss = at.neg(at.sum_dim_IntList(_weighted(logarithms, weight, class_dim), (class_dim,)))
    ignored = at.eq_Scalar(target, ignore_index)
    at.masked_fill__Scalar(loss, ignored, 0)
    if reduction == NONE:
        return loss
    total = at.sum(loss)
    if reduction == SUM:
        return total
    counted = at.logical_not(ignored)
    if weight is not None:
        counted = at.gather(weight, 0, at.flatten_using_ints(at.masked_select(target, counted)))
    return at.div_Tensor(total, at.sum(counted))


def _weighted(terms: Tensor, weight: Tensor | None, class_dim: int) -> Tensor:
    if weight is None:
        return terms
    sizes = [1] * len(terms._sizes)
    sizes[class_dim] = weight._sizes[0]
    return at.mul_Tensor(terms, at.view(weight, tuple(sizes)))
