"""`device_check: ExactSame`, the default of native_functions.yaml: all tensors of a call lie on one device.

Mirrors aten/src/ATen/core/op_registration/adaption.{h,cpp}.
"""

from typing import Any

from ..tensor_impl import Tensor


def check_common_device(method: str, **arguments: Any) -> None:
    """Refuse tensors on different devices; lists are looked into, what is no tensor is left out.

    Args:
        method: name of the kernel, for the message.
        arguments: by the names that the schema gives them.
    Raises:
        RuntimeError: the first tensor that lies elsewhere, by name.
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
