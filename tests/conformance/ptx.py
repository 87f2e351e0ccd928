"""Compile for a GPU what a program launches, on a machine without one: `python -m conformance.ptx PROGRAM arguments`.

The program, a module's name or a file, runs with arrays of NumPy for the device's memory. A launch compiles its kernel
to PTX for the types of its arguments, once, and runs nothing: results are whatever the memory holds. So a kernel that
only the simulator takes is seen. Needs numba-cuda and NVVM, the extra `cuda`. `make ptx` does it for all operators.
"""

import os
import runpy
import sys
import traceback
from types import SimpleNamespace
from typing import Any

os.environ["NUMBA_ENABLE_CUDASIM"] = "0"

import numpy as np
from numba import cuda, typeof

COMPUTE_CAPABILITY = (8, 0)


class DeviceArray(np.ndarray):
    """Memory of the host in the place of the device's."""

    def copy_to_host(self, ary: np.ndarray | None = None, stream: object = 0) -> np.ndarray:
        return np.array(self) if ary is None else np.copyto(ary, self) or ary

    def copy_to_device(self, ary: np.ndarray, stream: object = 0) -> None:
        self[...] = ary


def device_array(shape: Any, dtype: Any = np.float64, **options: Any) -> DeviceArray:
    return np.zeros(shape, dtype).view(DeviceArray)


cuda.device_array = device_array
cuda.to_device = lambda ary, **options: np.array(ary).view(DeviceArray)
cuda.default_stream = cuda.stream = lambda: 0
cuda.synchronize = lambda: None
cuda.event = lambda timing=True: None
sys.modules["numba.cuda.dispatcher"].get_current_device = lambda: SimpleNamespace(compute_capability=COMPUTE_CAPABILITY)

compiled: dict[tuple[Any, tuple], str] = {}
"""(kernel, types) -> PTX, or the error."""


def compile_only(kernel: Any, grid: Any, block: Any, stream: Any, arguments: tuple) -> None:
    """In the place of `engine.cuda.launch._start`."""
    signature = tuple(typeof(np.asarray(a) if isinstance(a, np.ndarray) else a) for a in arguments)
    if (kernel.py_func, signature) in compiled:
        return
    try:
        text, _ = cuda.compile_ptx(kernel.py_func, signature, cc=COMPUTE_CAPABILITY, **options_of(kernel))
    except Exception as error:
        text = f"error: {error}"
        print(f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}{signature}", file=sys.stderr)
        traceback.print_exc(limit=-3)
    compiled[kernel.py_func, signature] = text


def options_of(kernel: Any) -> dict[str, Any]:
    """The options of `@cuda.jit` that change what is compiled."""
    return {name: value for name, value in kernel.targetoptions.items() if name in ("fastmath", "opt") and value}


def main() -> int:
    import engine.cuda.launch

    engine.cuda.launch._start = compile_only
    sys.argv = sys.argv[1:]
    run = runpy.run_path if sys.argv[0].endswith(".py") else runpy.run_module
    try:
        run(sys.argv[0], run_name="__main__")  # type: ignore[operator]
    except SystemExit:  # what it thinks of its results does not matter
        pass
    finally:
        wrong = sum(text.startswith("error: ") for text in compiled.values())
        print(f"{len(compiled)} kernels compiled to PTX, {wrong} refused")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
