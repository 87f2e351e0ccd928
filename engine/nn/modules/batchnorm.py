"""Layers that normalize channels over a batch, or each image by itself.

Mirrors torch/nn/modules/{batchnorm,instancenorm}.py.
"""

import warnings
from typing import Any

from ... import dtypes
from ...api import PUBLIC
from ...tensor_impl import Tensor
from .. import functional as F
from .module import Module
from .normalization import own_weight_and_bias, reset_to_identity

ones, tensor, zeros = PUBLIC["ones"], PUBLIC["tensor"], PUBLIC["zeros"]


class _NormBase(Module):
    """Each channel minus its mean over its standard deviation, times `weight` plus `bias`.

    Args:
        num_features: channels, the size of dimension 1.
        eps: added to the variance.
        momentum: the part of a new batch in the running statistics; None: they are the mean over all batches.
        affine: whether there is a weight (num_features,); and, if `bias`, a bias.
        track_running_stats: whether there are buffers running_mean, running_var and num_batches_tracked.
        device, dtype: of parameters and buffers.
    """

    _version = 2  # since num_batches_tracked is there

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ):  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        own_weight_and_bias(self, num_features, affine, bias, device, dtype)
        tracked = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, device=device, dtype=dtype) if tracked else None)
        self.register_buffer("running_var", ones(num_features, device=device, dtype=dtype) if tracked else None)
        batches = tensor(0, dtype=dtypes.int64, device=device) if tracked else None
        self.register_buffer("num_batches_tracked", batches)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Set the mean to 0, the variance to 1 and the number of batches to 0."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Set weight to 1 and bias to 0, and call `reset_running_stats`."""
        self.reset_running_stats()
        reset_to_identity(self)

    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def extra_repr(self) -> str:
        affine = f"affine={self.affine}, bias={self.bias is not None}"
        tracked = f"track_running_stats={self.track_running_stats}"
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, {affine}, {tracked}"

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, local_metadata: Any, *report: Any) -> None:
        """Load a state dict, also one from before version 2, which has no number of batches."""
        version = local_metadata.get("version")
        if (version is None or version < 2) and self.track_running_stats:
            state_dict.setdefault(f"{prefix}num_batches_tracked", self.num_batches_tracked)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *report)


class _BatchNorm(_NormBase):
    """`_NormBase` over the whole batch while the network learns; with the running statistics afterwards."""

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                momentum = 1.0 / float(self.num_batches_tracked)
        uses_batch = self.training or (self.running_mean is None and self.running_var is None)
        uses_buffers = not self.training or self.track_running_stats
        mean, var = (self.running_mean, self.running_var) if uses_buffers else (None, None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, uses_batch, momentum, self.eps)


class BatchNorm1d(_BatchNorm):
    """Batch normalization of (n, num_features) or (n, num_features, l); same arguments as `_NormBase`."""

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class BatchNorm2d(_BatchNorm):
    """Batch normalization of (n, num_features, h, w); same arguments as `_NormBase`."""

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.dim()}D input)")


class _InstanceNorm(_NormBase):
    """`_NormBase` of each sample by itself.

    Attributes:
        channels_and_space: how many dimensions a sample has.
    """

    channels_and_space: int
    _version = 2

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ):  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _check_input_dim(self, input: Tensor) -> None:
        sample = self.channels_and_space
        if input.dim() not in (sample, sample + 1):
            raise ValueError(f"expected {sample}D or {sample + 1}D input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        dim = input.dim() - self.channels_and_space
        if input.size(dim) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={dim} to match num_features ({self.num_features}), but got: "
                    f"{input.size(dim)}."
                )
            warnings.warn(
                f"input's size at dim={dim} does not match num_features. You can silence this warning by not passing "
                "in num_features, which is not used because affine=False",
                stacklevel=2,
            )
        return self._normalized(input) if dim else self._normalized(input.unsqueeze(0)).squeeze(0)

    def _normalized(self, input: Tensor) -> Tensor:
        uses_input = self.training or not self.track_running_stats
        momentum = self.momentum if self.momentum is not None else 0.0
        mean, var = self.running_mean, self.running_var
        return F.instance_norm(input, mean, var, self.weight, self.bias, uses_input, momentum, self.eps)


class InstanceNorm1d(_InstanceNorm):
    """Instance normalization of (n, num_features, l) or (num_features, l); same arguments as `_NormBase`."""

    channels_and_space = 2


class InstanceNorm2d(_InstanceNorm):
    """Instance normalization of (n, num_features, h, w) or (num_features, h, w); same arguments as `_NormBase`."""

    channels_and_space = 3
