"""`functional_call` by its deprecated name. Mirrors torch/nn/utils/stateless.py."""

import warnings
from typing import Any

from . import functional_call as new

__all__ = ["functional_call"]


def functional_call(module: Any, parameters_and_buffers: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
    """Call `func.functional_call`, after a FutureWarning."""
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
        "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return new.functional_call(module, parameters_and_buffers, *args, **kwargs)
