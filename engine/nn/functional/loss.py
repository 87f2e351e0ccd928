"""Losses: how far an output is from what it should be, of each element, their mean or their sum."""

import warnings
from typing import TYPE_CHECKING, Any

from ... import _C
from ...api import PUBLIC
from ...tensor_impl import Tensor

if TYPE_CHECKING:
    from ..._variable_functions import cosine_similarity
else:
    cosine_similarity = PUBLIC["cosine_similarity"]

REDUCTIONS = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}


def _nn(name: str) -> Any:
    return getattr(_C._nn, name)  # type: ignore[attr-defined]


def _reduction(reduction: str, size_average: bool | None = None, reduce: bool | None = None) -> int:
    """Return the number of a reduction; old programs give `size_average` and `reduce` in its place.

    Raises:
        ValueError: there is no such reduction.
    """
    if size_average is not None or reduce is not None:
        reduction = reduction_of_old(size_average, reduce, stacklevel=4)
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=3)
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return REDUCTIONS[reduction]


def reduction_of_old(size_average: bool | None, reduce: bool | None, stacklevel: int) -> str:
    """Warn that `size_average` and `reduce` are deprecated, and return the reduction that they request."""
    reduction = "none" if reduce is False else "sum" if size_average is False else "mean"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
        stacklevel=stacklevel,
    )
    return reduction


def _broadcast(name: str, input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Expand both to the sizes that they broadcast to; warn if that changes one."""
    if input.shape == target.shape:
        return input, target
    warnings.warn(
        f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will "
        "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
        stacklevel=3,
    )
    return PUBLIC["broadcast_tensors"](input, target)


def _weighted(losses: Tensor, weight: Tensor, input: Tensor, reduction: int) -> Tensor:
    """Multiply losses by weights and reduce them; their mean is over the sum of the weights.

    Raises:
        ValueError: there is not one weight for each element.
    """
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    product = PUBLIC["mul"](losses, weight)
    if reduction == 0:
        return product
    total = PUBLIC["sum"](product)
    return total if reduction == 2 else PUBLIC["div"](total, PUBLIC["sum"](weight))


# ---- of a difference


def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return (input - target)**2, reduced.

    Raises:
        ValueError: there is no such reduction, or not one weight for each element.
    """
    number = _reduction(reduction, size_average, reduce)
    one, other = _broadcast("mse_loss", input, target)
    if weight is None:
        return _nn("mse_loss")(one, other, number)
    return _weighted(PUBLIC["pow"](one - other, 2), weight, input, number)


def l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return abs(input - target), reduced; raise the same errors as `mse_loss`."""
    number = _reduction(reduction, size_average, reduce)
    one, other = _broadcast("l1_loss", input, target)
    if weight is None:
        return _nn("l1_loss")(one, other, number)
    return _weighted(PUBLIC["abs"](one - other), weight, input, number)


def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", beta: float = 1.0,
) -> Tensor:  # fmt: skip
    """Return d**2 / (2 * beta) for differences d with abs(d) < beta, else abs(d) - beta / 2, reduced.

    Raises:
        ValueError: there is no such reduction.
        RuntimeError: `beta` is negative.
    """
    number = _reduction(reduction, size_average, reduce)
    one, other = _broadcast("smooth_l1_loss", input, target)
    return _nn("l1_loss")(one, other, number) if beta == 0 else _nn("smooth_l1_loss")(one, other, number, beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """Return d**2 / 2 if abs(d) <= delta, else delta * (abs(d) - delta / 2); a weighted mean divides by the count.

    Raises:
        ValueError: there is no such reduction, or not one weight for each element.
        RuntimeError: `delta` is not positive.
    """
    number = _reduction(reduction)
    one, other = _broadcast("huber_loss", input, target)
    if weight is None:
        return _nn("huber_loss")(one, other, number, delta)
    losses = _weighted(_nn("huber_loss")(one, other, 0, delta), weight, input, 2 if number == 2 else 0)
    return PUBLIC["mean"](losses) if number == 1 else losses


# ---- of probabilities


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Return -(target * log(input) + (1 - target) * log(1 - input)), reduced; logarithms are clamped to at least -100.

    Raises:
        ValueError: sizes differ; there is no such reduction.
        RuntimeError: a number outside 0..1.
    """
    number = _reduction(reduction, size_average, reduce)
    if target.shape != input.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            "Please ensure they have the same size."
        )
    if weight is not None:
        weight = PUBLIC["broadcast_to"](weight, PUBLIC["broadcast_shapes"](target.shape, weight.shape))
    return _nn("binary_cross_entropy")(input, target, weight, number)


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return `binary_cross_entropy` of sigmoid(input), accurate even if the sigmoid is close to 0 or 1.

    Args:
        pos_weight: of the positive examples.
    Raises:
        ValueError: sizes differ; there is no such reduction.
    """
    number = _reduction(reduction, size_average, reduce)
    if target.shape != input.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    return PUBLIC["binary_cross_entropy_with_logits"](input, target, weight, pos_weight, number)


def kl_div(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", log_target: bool = False,
) -> Tensor:  # fmt: skip
    """Return target * (log(target) - input), reduced; "batchmean" divides the sum by the size of dimension 0.

    Raises:
        ValueError: there is no such reduction.
    """
    is_batchmean = reduction == "batchmean"
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
            "'mean' will be changed to behave the same as 'batchmean' in the next major release.",
            stacklevel=2,
        )
    number = _reduction("sum" if is_batchmean else reduction, size_average, reduce)
    reduced = PUBLIC["kl_div"](input, target, number, log_target=log_target)
    return PUBLIC["div"](reduced, input.shape[0]) if is_batchmean and input.dim() else reduced


# ---- of classes


def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Return the negative log-probability of the target class, reduced.

    Args:
        input: (batch, classes, *) or (classes,), log-probabilities.
        target: (batch, *) or (), classes; those that are `ignore_index` count nothing.
        weight: (classes,)
    Raises:
        ValueError: batches differ; there is no such reduction.
        RuntimeError: sizes or dtypes do not fit.
        IndexError: a target is none of the classes.
    """
    return _nn("nll_loss_nd")(input, target, weight, _reduction(reduction, size_average, reduce), ignore_index)


def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """Return `nll_loss` of log_softmax(input); a target with the sizes of `input` holds class probabilities.

    Args:
        label_smoothing: the part of the target that is spread over all classes.
    Raises:
        ValueError, RuntimeError, IndexError: as `nll_loss`.
    """
    number = _reduction(reduction, size_average, reduce)
    return _nn("cross_entropy_loss")(input, target, weight, number, ignore_index, label_smoothing)
