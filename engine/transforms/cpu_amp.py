"""torch.cpu.amp, which PyTorch has deprecated. Mirrors torch/cpu/amp."""

from ..dtypes import bfloat16
from .deprecated_amp import classes_for

autocast, GradScaler = classes_for("cpu", bfloat16)
