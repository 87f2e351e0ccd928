"""Select the backend of a call without tensors from its dtype, layout and device.

Mirrors c10/core/TensorOptions.h (computeDispatchKey) and the generated RegisterBackendSelect.cpp.
"""

import functools

from .. import dtypes
from .keys import BACKEND_KEY_OF_DEVICE, DispatchKey, bits


def compute_dispatch_key(
    dtype: dtypes.dtype | None, layout: dtypes.layout | None, device: dtypes.device | None
) -> DispatchKey:
    """Return the backend key for a new tensor with these options: CPU, Meta, CUDA or PrivateUse1.

    Args:
        dtype: of the elements. It decides nothing here: each backend keeps every dtype of this engine. (PyTorch also
            has quantized ones, with keys of their own.)
        layout: `dtypes.strided`, or None, which means the same.
        device: None means the CPU. Its `type` names the backend; which one of several devices it is, its `index`,
            does not matter.
    Raises:
        RuntimeError: a layout other than strided, whatever the device.

    Source: computeDispatchKey (c10/core/TensorOptions.h).
    """
    if layout not in (None, dtypes.strided):
        raise RuntimeError(f"Unsupported layout for computeDispatchKey: {layout}; only torch.strided is in scope")
    return BACKEND_KEY_OF_DEVICE["cpu" if device is None else device.type]


@functools.lru_cache(maxsize=256)
def key_set_of_options(dtype: dtypes.dtype | None, layout: dtypes.layout | None, device: dtypes.device | None) -> int:
    """Return the key set, as the bits of an int, to which a factory redispatches: the backend key alone."""
    return bits(compute_dispatch_key(dtype, layout, device))
