"""The contents of a profile, as plain data: events, allocations, kernels on a device.

Times are in nanoseconds of one clock that only goes forward (`time.perf_counter_ns`).
Mirrors torch/csrc/profiler/collection.h and aten/src/ATen/record_function.h.
"""

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Any

CPU_OP, USER_ANNOTATION, CUDA_RUNTIME, KERNEL = "cpu_op", "user_annotation", "cuda_runtime", "kernel"
"""Categories of events, as a trace calls them."""

MEMORY = "[memory]"
"""Name of an event for an allocation or a free."""


class ProfilerActivity(Enum):
    """An activity to profile: operators on the CPU or kernels on a device. Only CPU and CUDA exist here."""

    CPU = 0
    XPU = 1
    MTIA = 4
    CUDA = 2
    HPU = 3
    PrivateUse1 = 5

    def __str__(self) -> str:
        return f"ProfilerActivity.{self.name}"


class DeviceType(Enum):
    """The kind of device on which an event ran."""

    CPU = 0
    CUDA = 1

    def __str__(self) -> str:
        return f"DeviceType.{self.name}"


class RecordScope(IntEnum):
    """The kind of code that an event brackets."""

    FUNCTION = 0
    BACKWARD_FUNCTION = 1
    USER_SCOPE = 7


@dataclass(frozen=True, slots=True)
class Input:
    """A recorded argument of an operator.

    Attributes:
        kind: dtype as C++ writes it ("float", "long int"), "TensorList", "Scalar", "ScalarList" or "".
        sizes, strides: of a tensor; of a list of tensors a list of them; [] of anything else.
        value: of a number or a list of numbers; None of anything else.
    """

    kind: str
    sizes: list[Any]
    strides: list[Any]
    value: Any = None


@dataclass(frozen=True, slots=True)
class Event:
    """A recorded event that ran on a thread from `start` to `end`.

    Attributes:
        name: "aten::add", "MulBackward0", the name of a `record_function`.
        thread: number of the thread, from 1.
        category: CPU_OP, USER_ANNOTATION, CUDA_RUNTIME or KERNEL.
        scope: a RecordScope.
        sequence_nr: number of the node of the backward pass that it made, or that it runs; -1: neither.
        overload: "Tensor" of "aten::add.Tensor".
        inputs: arguments, if shapes are recorded.
        stack: callers, the innermost first, if stacks are recorded.
        kernel: number of the kernel that it launched; None: none.
    """

    name: str
    start: int
    end: int
    thread: int = 1
    category: str = CPU_OP
    scope: int = 0
    sequence_nr: int = -1
    overload: str = ""
    inputs: tuple[Input, ...] = ()
    stack: tuple[str, ...] = ()
    kernel: int | None = None


@dataclass(frozen=True, slots=True)
class Allocation:
    """An allocation or a free of memory.

    Attributes:
        nbytes: negative when it was given back.
        total: what is in use afterwards of that which was taken since the profile began, in bytes.
        address: of the first byte.
    """

    time: int
    nbytes: int
    thread: int = 1
    device: DeviceType = DeviceType.CPU
    address: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel that ran on a device.

    Attributes:
        start, end: on the clock of the events; None: when the profile ended, the device had not been waited for.
        grid, block: of the launch.
        stream: number of the stream.
        event: number of the event that launched it.
    """

    name: str
    start: int | None
    end: int | None
    grid: tuple[int, ...]
    block: tuple[int, ...]
    stream: int
    event: int


@dataclass(frozen=True, slots=True)
class Recording:
    """The events, allocations and kernels of a profile, from `start` to `end`.

    Attributes:
        events: in the order of their starts; an event comes before those inside it.
        allocations: in the order of time.
        kernels: in the order of their launches.
        threads: number of a thread -> what the system calls it, and its name.
        epoch: nanoseconds from 1970 to the zero of the clock.
    """

    events: list[Event]
    allocations: list[Allocation] = field(default_factory=list)
    kernels: list[Kernel] = field(default_factory=list)
    start: int = 0
    end: int = 0
    threads: dict[int, tuple[int, str]] = field(default_factory=dict)
    epoch: int = 0
