"""DispatchStub: the name under which an operator knows its kernel, one kernel a device.

An operator's file declares the stub and calls it; the files of a device, which are further up, register kernels:

    add_stub = DispatchStub("add_stub")             # aten/native/binary_ops.py
    add_stub.register("cpu", add_kernel)            # cpu/binary_ops.py
    add_stub.kernels["cpu"](op, alpha)              # so do the operators of the hot path
    add_stub(op, alpha)                             # the same, if op's output is on a CPU

So operators never import a device. Mirrors aten/src/ATen/native/DispatchStub.h.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..backend import BACKENDS
from ..dtypes import dtype
from ..strides import strided_offsets
from .type_promotion import SCALAR_TYPE_NAMES

Kernel = Callable[..., Any]


def nothing(*arguments: Any) -> None:
    """Compute nothing, as a meta tensor has no elements: the kernel of device "meta" for every stub."""


class Kernels(dict[str, Kernel]):
    """A dict from device type to kernel. Looking up a device without one raises RuntimeError and lists the others."""

    __slots__ = ("stub_name",)

    def __init__(self, stub_name: str):
        self.stub_name = stub_name

    def __missing__(self, device_type: str) -> Kernel:
        if device_type == "meta":
            return nothing
        if device_type in BACKENDS and (load := BACKENDS[device_type].load_kernels):
            load()
            if device_type in self:
                return self[device_type]
        known = ", ".join(sorted(self)) or "no device"
        raise RuntimeError(f"DispatchStub: missing kernel for {device_type}; {self.stub_name} has kernels for: {known}")


class DispatchStub:
    """A named kernel, for which each device registers its own function.

    Args:
        name: as messages show it, "add_stub".
    """

    __slots__ = ("name", "kernels", "capabilities")

    def __init__(self, name: str):
        self.name = name
        self.kernels = Kernels(name)
        self.capabilities: dict[str, Mapping[str, Kernel]] = {}

    def register(self, device_type: str, kernel: Kernel, capabilities: Mapping[str, Kernel] | None = None) -> None:
        """Register the kernel of a device.

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
        """Return the kernel of a device, or its variant for a capability.

        Raises:
            RuntimeError: the device has none.
        """
        return self.capabilities[device_type][capability] if capability else self.kernels[device_type]

    def __call__(self, iter: Any, *scalars: Any) -> Any:
        """Run the kernel of the device of the iterator's output.

        Args:
            iter: a TensorIterator; `iter.operands[0]` is the output.
            scalars: what the kernel takes besides.
        Raises:
            RuntimeError: that device has no kernel.
        """
        return self.kernels[iter.device_type](iter, *scalars)

    def __repr__(self) -> str:
        return f"DispatchStub({self.name}: {', '.join(sorted(self.kernels))})"


class DispatchSwitch:
    """A kernel with a scalar function for each dtype: AT_DISPATCH_SWITCH around cpu_kernel, in Python.

        kernel = DispatchSwitch("floor_cpu", [((float32, float64), math.floor), ((int32, int64), same)])
        floor_stub.register("cpu", kernel)      # kernel(iter, *scalars) is then called through the stub

    It calls Python for each element. The kernels of `engine/cpu/` are compiled instead.

    Args:
        name: as messages show it, "floor_cpu".
        cases: (dtypes, function) of each case; an iterable that may be gone through only once.

    Source: AT_DISPATCH_SWITCH (aten/src/ATen/Dispatch.h), cpu_kernel (aten/src/ATen/native/cpu/Loops.h).
    """

    __slots__ = ("name", "functions")

    def __init__(self, name: str, cases: Iterable[tuple[tuple[dtype, ...], Kernel]]):
        """Set `name`, and `functions`: a dict from each dtype to its function.

        Raises:
            ValueError: a dtype is named twice, in two cases or in one. The text is your own.
        """
        self.name = name
        self.functions: dict[dtype, Kernel] = {}
        for kinds, function in cases:
            for kind in kinds:
                if kind in self.functions:
                    raise ValueError(f"{name} has two functions for {kind}")
                self.functions[kind] = function

    def function_for(self, kind: dtype) -> Kernel:
        """Return the function for a dtype.

        Raises:
            NotImplementedError: there is none. The text counts: `"floor_cpu" not implemented for 'Bool'`, with the name
                of the kernel and the dtype's name in `SCALAR_TYPE_NAMES`.
        """
        if kind not in self.functions:
            raise NotImplementedError(f"\"{self.name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        return self.functions[kind]

    def __call__(self, iter: Any, *scalars: Any) -> None:
        """Fill the output, element by element: output = function(element of each input, *scalars).

        The function is called once for each element, in any order. It is given the cells' numbers as NumPy or Python
        has them. The output may be an input, but never overlaps one in part.

        Args:
            iter: a TensorIterator. `iter.plan.common_dtype` is the dtype in which the operation computes: it chooses
                the function. `iter.operands` are the output and the inputs. `iter.plan.loop_sizes` and
                `iter.plan.loop_strides` say how to walk them: one tuple of sizes for all, and for each operand one
                of strides, in elements. The cells of an operand are `operand._flat()`, a NumPy array; its first
                element is at `operand._storage_offset`.
        Raises:
            NotImplementedError: as `function_for`, also if there are no elements.
        """
        function = self.function_for(iter.plan.common_dtype)
        cells = [operand._flat() for operand in iter.operands]
        walks = [
            strided_offsets(iter.plan.loop_sizes, strides, operand._storage_offset)
            for operand, strides in zip(iter.operands, iter.plan.loop_strides, strict=True)
        ]
        for to, *places in zip(*walks, strict=True):
            cells[0][to] = function(*(cells[k + 1][place] for k, place in enumerate(places)), *scalars)
