"""`device_check: ExactSame`, the default of native_functions.yaml: all tensors of a call are on one device.

Mirrors aten/src/ATen/core/op_registration/adaption.{h,cpp}.
"""

from collections.abc import Sequence
from typing import Any

from ..dtypes import CPU
from ..tensor_impl import Tensor


def on_cpu(tensors: Sequence[Tensor]) -> bool:
    """Return True if all tensors are on the CPU, which is faster to check than whether they are on one device."""
    for tensor in tensors:  # noqa: SIM110 (a generator would cost as much as the check that is saved)
        if tensor._storage.device is not CPU:
            return False
    return True


def check_common_device(method: str, **arguments: Any) -> None:
    """Raise an error if tensors, including those in lists, are on different devices; other arguments are ignored.

    Args:
        method: name of the kernel, for the message.
        arguments: by the names that the schema gives them.
    Raises:
        RuntimeError: the first tensor that is elsewhere, by name.
    """
    common = None
    for name, value in arguments.items():
        for tensor in value if isinstance(value, (list, tuple)) else (value,):
            device = tensor._storage.device if isinstance(tensor, Tensor) else common
            common = common or device
            if device is not common and device != common:
                raise RuntimeError(
                    f"Expected all tensors to be on the same device, but got {name} is on {device}, different "
                    f"from other tensors on {common} (when checking argument in method {method})"
                )
