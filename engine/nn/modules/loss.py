"""Losses as modules: each calls the function of its name in `nn.functional`. Mirrors torch/nn/modules/loss.py.

`reduction` is "mean", "sum" or "none" for the loss of each element; `size_average` and `reduce` are what programs of
old give in its place.
"""

from ...tensor_impl import Tensor
from .. import functional as F
from ..functional.loss import reduction_of_old
from .module import Module


class _Loss(Module):
    """A loss with a reduction."""

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"):
        super().__init__()
        is_of_old = size_average is not None or reduce is not None
        self.reduction = reduction_of_old(size_average, reduce, stacklevel=4) if is_of_old else reduction


class _WeightedLoss(_Loss):
    """A loss with weights that don't learn."""

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean",
    ):  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


# ---- of a difference


class L1Loss(_Loss):
    """abs(input - target)"""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """(input - target)**2"""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """d**2 / (2 * beta) for a difference d with abs(d) < beta, else abs(d) - beta / 2."""

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0
    ):
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """d**2 / 2 for a difference d with abs(d) <= delta, else delta * (abs(d) - delta / 2)."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0):
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


# ---- of probabilities


class BCELoss(_WeightedLoss):
    """-(target * log(input) + (1 - target) * log(1 - input)), with the logarithms clamped to at least -100."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_WeightedLoss):
    """`BCELoss` of sigmoid(input), accurate even if that is close to 0 or 1; `pos_weight` weights positive examples."""

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean", pos_weight: Tensor | None = None,
    ):  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class KLDivLoss(_Loss):
    """target * (log(target) - input); "batchmean" divides the sum by the size of dimension 0."""

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
        log_target: bool = False,
    ):  # fmt: skip
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


# ---- of classes


class NLLLoss(_WeightedLoss):
    """The negative log-probability of the target class; targets equal to `ignore_index` are ignored."""

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
        reduce: bool | None = None, reduction: str = "mean",
    ):  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class CrossEntropyLoss(_WeightedLoss):
    """`NLLLoss` of log_softmax(input); `label_smoothing` is the share of each target spread over all classes."""

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
        reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0,
    ):  # fmt: skip
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(
            input, target, self.weight,
            ignore_index=self.ignore_index, reduction=self.reduction, label_smoothing=self.label_smoothing,
        )  # fmt: skip
