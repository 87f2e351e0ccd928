"""The backend of a call that has no tensor to tell it: read off dtype, layout and device.

Mirrors c10/core/TensorOptions.h (computeDispatchKey) and the generated RegisterBackendSelect.cpp.
"""

import functools

from .. import dtypes
from .keys import BACKEND_KEY_OF_DEVICE, DispatchKey, bits


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


@functools.lru_cache(maxsize=256)
def key_set_of_options(dtype: dtypes.dtype | None, layout: dtypes.layout | None, device: dtypes.device | None) -> int:
    """The set of that key alone, as the bits of an int: to which a factory redispatches."""
    return bits(compute_dispatch_key(dtype, layout, device))
