"""DispatchStub: the name under which an operator knows its kernel, one kernel a device.

An operator's file declares the stub and calls it; the files of a device, which are further up, register kernels:

    add_stub = DispatchStub("add_stub")             # aten/native/binary_ops.py
    add_stub.register("cpu", add_kernel)            # cpu/binary_ops.py
    add_stub.kernels["cpu"](op, alpha)              # so do the operators of the hot path
    add_stub(op, alpha)                             # the same, if op's output is on a CPU

So operators never import a device. Mirrors aten/src/ATen/native/DispatchStub.h.
"""

from collections.abc import Callable, Mapping
from typing import Any

Kernel = Callable[..., Any]


def nothing(*arguments: Any) -> None:
    """The kernel of device "meta", whatever the stub: where there is no memory there is nothing to compute."""


class Kernels(dict[str, Kernel]):
    """Device type -> kernel. Asking for a device that has none raises RuntimeError and says which ones have."""

    __slots__ = ("stub_name",)

    def __init__(self, stub_name: str):
        self.stub_name = stub_name

    def __missing__(self, device_type: str) -> Kernel:
        if device_type == "meta":
            return nothing
        known = ", ".join(sorted(self)) or "no device"
        raise RuntimeError(f"DispatchStub: missing kernel for {device_type}; {self.stub_name} has kernels for: {known}")


class DispatchStub:
    """A kernel's name, filled in by each device.

    Args:
        name: as messages show it, "add_stub".
    """

    __slots__ = ("name", "kernels", "capabilities")

    def __init__(self, name: str):
        self.name = name
        self.kernels = Kernels(name)
        self.capabilities: dict[str, Mapping[str, Kernel]] = {}

    def register(self, device_type: str, kernel: Kernel, capabilities: Mapping[str, Kernel] | None = None) -> None:
        """Enter the kernel of a device.

        Args:
            kernel: the one that is called.
            capabilities: the kernels for devices that have more or less than this one, by name, "AVX2".
        Raises:
            RuntimeError: the device has one already.
        """
        if device_type in self.kernels:
            raise RuntimeError(f"{self.name} has a kernel for {device_type} already: {self.kernels[device_type]}")
        self.kernels[device_type] = kernel
        self.capabilities[device_type] = capabilities or {}

    def at(self, device_type: str, capability: str | None = None) -> Kernel:
        """The kernel of a device, or the one for a capability.

        Raises:
            RuntimeError: the device has none.
        """
        return self.capabilities[device_type][capability] if capability else self.kernels[device_type]

    def __call__(self, iter: Any, *scalars: Any) -> Any:
        """Run the kernel of the device on which the iterator's output lies.

        Args:
            iter: a TensorIterator; `iter.operands[0]` is the output.
            scalars: what the kernel takes besides.
        Raises:
            RuntimeError: that device has no kernel.
        """
        return self.kernels[iter.device_type](iter, *scalars)

    def __repr__(self) -> str:
        return f"DispatchStub({self.name}: {', '.join(sorted(self.kernels))})"
