"""The backend of a call that has no tensor to tell it: read off dtype, layout and device.

Mirrors c10/core/TensorOptions.h (computeDispatchKey) and the generated RegisterBackendSelect.cpp.
"""

from .. import dtypes
from .keys import BACKEND_KEY_OF_DEVICE, DispatchKey


def compute_dispatch_key(
    dtype: dtypes.dtype | None, layout: dtypes.layout | None, device: dtypes.device | None
) -> DispatchKey:
    """The backend key of a tensor that is to be made: CPU, Meta, CUDA, PrivateUse1.

    Args:
        dtype: of the elements; every dtype of this engine is kept by the same backends (PyTorch has quantized ones).
        layout: strided if None.
        device: cpu if None.
    Raises:
        NotImplementedError: a layout other than strided.
    """
    if layout not in (None, dtypes.strided):
        raise NotImplementedError(f"Unsupported device type for {layout} layout: only torch.strided is in scope")
    return BACKEND_KEY_OF_DEVICE["cpu" if device is None else device.type]
