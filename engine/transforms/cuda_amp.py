"""torch.cuda.amp, which PyTorch has deprecated. Mirrors torch/cuda/amp."""

from ..dtypes import float16
from . import autocast_mode
from .autocast_mode import amp_definitely_not_available
from .deprecated_amp import classes_for, decorator_for

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]

autocast, GradScaler = classes_for("cuda", float16)
custom_fwd = decorator_for("cuda", autocast_mode.custom_fwd)
custom_bwd = decorator_for("cuda", autocast_mode.custom_bwd)
