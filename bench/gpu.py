"""Device "cuda" on a real GPU: `make gpu`. Right first, then races and bounds, then how fast.

    conformance   the operators on the device against the CPU, over PyTorch's test inputs (tests/conformance/devices.py)
    sanitizer     the same, fewer, under compute-sanitizer's memcheck and racecheck, where it is installed
    bandwidth     elementwise and reductions as a share of the bandwidth of a copy on the device
    matmul        float32, as a share of cuBLAS
    launch        microseconds of the host for a launch and for a small operator

The table is printed, and written to bench/results/ with date and device. Without a GPU, `--simulator` goes through all
of it with tiny sizes, which shows that the program works and measures nothing.
"""

import argparse
import ctypes
import datetime
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.files import write_whole
from autograder.progress_bar import begin

if __name__ == "__main__":
    begin("loading the engine and looking for a GPU", interrupted="no table was written")

import numpy as np

import engine as T
from bench.cublas import CuBLAS, CuBLASNotFound

RESULTS = Path(__file__).parent / "results"
ROUNDS, REPEATS = 7, 10
AIMS = {"bandwidth": 0.85, "matmul": 0.70}

Work = Callable[[], Any]


@dataclass(frozen=True)
class Sizes:
    """Sizes of the tensors that are measured: the elements of a long run, rows and columns, the side of a product."""

    cells: int
    rows: int
    columns: int
    matmul: int


ON_DEVICE, ON_SIMULATOR = Sizes(1 << 26, 1 << 14, 1 << 12, 4096), Sizes(64, 3, 8, 8)


def microseconds(work: Work, repeats: int = REPEATS, rounds: int = ROUNDS) -> float:
    """Device time of one call: events around `repeats` calls, the median of the rounds."""
    work()
    T.cuda.synchronize()
    times = []
    for _ in range(rounds):
        begin, end = T.cuda.Event(enable_timing=True), T.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(repeats):
            work()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e3 / repeats)
    return statistics.median(times)


def host_microseconds(work: Work, repeats: int = 1000) -> float:
    """Time that the host spends on one call, without waiting for the device, which has room for all of them."""
    work()
    T.cuda.synchronize()
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(repeats):
            work()
        times.append((time.perf_counter() - begin) * 1e6 / repeats)
        T.cuda.synchronize()
    return statistics.median(times)


def copy_bandwidth(cells: int) -> float:
    """Bytes read and written a microsecond by the driver's own copy on the device, float32."""
    source, target = T.ones(cells, device="cuda")._flat(), T.ones(cells, device="cuda")._flat()
    return 8 * cells / microseconds(lambda: target.copy_to_device(source))


def memory_bound(sizes: Sizes) -> Iterator[tuple[str, float, Work]]:
    """(name, bytes that have to be moved, work)."""
    run = [T.randn(sizes.cells, device="cuda") for _ in range(3)]
    x, y, out = run
    nbytes = 4 * sizes.cells
    rows = T.randn(sizes.rows, sizes.columns, device="cuda")
    weight = T.ones(sizes.columns, device="cuda")
    of_rows = 4 * rows.numel()
    yield "add(x, y, out)", 3 * nbytes, lambda: T.add(x, y, out=out)
    yield "mul(x, 2, out)", 2 * nbytes, lambda: T.mul(x, 2.0, out=out)
    yield "relu", 2 * nbytes, lambda: T.relu(x)
    yield "exp(x, out)", 2 * nbytes, lambda: T.exp(x, out=out)
    yield "gelu", 2 * nbytes, lambda: T.nn.functional.gelu(x)
    yield "x > y", 2 * nbytes + sizes.cells, lambda: x > y
    yield "x.clone()", 2 * nbytes, lambda: x.clone()
    yield "rows + weight", 2 * of_rows, lambda: rows + weight
    yield "rows.t().contiguous()", 2 * of_rows, lambda: rows.t().contiguous()
    yield "x.sum()", nbytes, lambda: x.sum()
    yield "x.max()", nbytes, lambda: x.max()
    yield "rows.sum(1)", of_rows, lambda: rows.sum(1)
    yield "rows.sum(0)", of_rows, lambda: rows.sum(0)
    yield "softmax(rows)", 2 * of_rows, lambda: T.softmax(rows, 1)
    yield "layer_norm(rows)", 2 * of_rows, lambda: T.nn.functional.layer_norm(rows, (sizes.columns,))


def bandwidth_table(sizes: Sizes) -> Iterator[str]:
    """A line a case: microseconds, GB/s, share of a copy's."""
    copy = copy_bandwidth(sizes.cells)
    yield f"copy of {4 * sizes.cells / 2**20:.0f} MiB on the device: {copy / 1e3:.0f} GB/s"
    for name, nbytes, work in memory_bound(sizes):
        took = microseconds(work)
        yield f"{name:<28}{took:>12.1f} us{nbytes / took / 1e3:>10.0f} GB/s{nbytes / took / copy:>8.0%} of a copy"
    yield f"aim: {AIMS['bandwidth']:.0%}"


def matmul_table(size: int) -> Iterator[str]:
    """The engine's float32 product and cuBLAS's, of square matrices; the values are compared first."""
    a, b = T.randn(size, size, device="cuda"), T.randn(size, size, device="cuda")
    out = T.empty(size, size, device="cuda")
    ours = microseconds(lambda: T.mm(a, b, out=out))
    yield f"engine  mm {size}^3 float32{ours:>12.1f} us{2 * size**3 / ours / 1e6:>8.1f} TFLOP/s"
    try:
        library = CuBLAS()
    except CuBLASNotFound as reason:
        yield f"not run: cuBLAS ({reason})"
        return
    theirs_out = T.empty(size, size, device="cuda")

    def sgemm() -> None:
        library.sgemm(a.data_ptr(), b.data_ptr(), theirs_out.data_ptr(), size, size, size)

    theirs = microseconds(sgemm)
    np.testing.assert_allclose(out.cpu().numpy(), theirs_out.cpu().numpy(), rtol=1e-3, atol=1e-2)
    yield f"cuBLAS  sgemm {size}^3    {theirs:>12.1f} us{2 * size**3 / theirs / 1e6:>8.1f} TFLOP/s"
    yield f"engine at {theirs / ours:.0%} of cuBLAS; aim: {AIMS['matmul']:.0%}"


def launch_table(repeats: int) -> Iterator[str]:
    """The host's time for a kernel that does nothing, and for operators on 8 elements."""
    from engine.cuda.driver import cuda
    from engine.cuda.launch import launch

    @cuda.jit
    def nothing() -> None:
        pass

    x = T.ones(8, device="cuda")
    w = T.ones(8, device="cuda", requires_grad=True)
    for name, work in (
        ("an empty kernel", lambda: launch(nothing, 1, 32)),
        ("x + x, 8 elements", lambda: x + x),
        ("w * x, recorded", lambda: w * x),
        ("x.sum()", lambda: x.sum()),
    ):
        yield f"{name:<28}{host_microseconds(work, repeats):>12.1f} us of the host"


# ---- right first


def conformance(simulated: bool) -> Iterator[str]:
    """The last line of tests/conformance/devices.py."""
    few = ["--op", "add", "--op", "sum", "--most", "2"] if simulated else []
    yield from _last_lines([sys.executable, "-W", "ignore", "-m", "conformance.devices", *few], 1)


def sanitizer() -> Iterator[str]:
    """A few samples of each operator under compute-sanitizer: accesses out of bounds, then races in shared memory."""
    found = shutil.which("compute-sanitizer")
    if found is None:
        yield "not run: compute-sanitizer (not on PATH; it is part of the CUDA toolkit)"
        return
    program = [sys.executable, "-W", "ignore", "-m", "conformance.devices", "--most", "2", "--cells", "64"]
    for tool in ("memcheck", "racecheck"):
        yield f"{tool}:"
        yield from _last_lines([found, "--tool", tool, "--error-exitcode", "3", *program], 3)


def _last_lines(command: list[str], count: int) -> Iterator[str]:
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # its progress goes to stderr
    lines = run.stdout.strip().splitlines()
    yield from (f"{line}" for line in lines[-count:])
    if run.returncode:
        yield f"exit status {run.returncode}: {' '.join(command[-8:])}"


def sections(options: argparse.Namespace) -> Iterator[tuple[str, Iterator[str]]]:
    """(title, lines)."""
    simulated = T.cuda.is_simulated()
    sizes = ON_SIMULATOR if simulated else ON_DEVICE
    if not options.speed_only:
        yield "conformance", conformance(simulated)
        yield "compute-sanitizer", sanitizer()
    yield "bandwidth, float32", bandwidth_table(sizes)
    yield "matrix product", matmul_table(sizes.matmul)
    yield "launch overhead", launch_table(2 if simulated else 1000)


def driver_version() -> str:
    """Of CUDA, as the driver has it."""
    version = ctypes.c_int(0)
    ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    return f"{version.value // 1000}.{version.value % 1000 // 10}"


def main() -> int:
    options = _options()
    if not T.cuda.is_available() and not options.simulator:
        print("make gpu expected a GPU with a CUDA driver, and found none: run it where there is one, or with "
              "ARGS=--simulator to see that the program works", file=sys.stderr)  # fmt: skip
        return 2
    date = datetime.date.today().isoformat()
    device = T.cuda.get_device_name()
    title = f"{date}, {device}" + ("" if T.cuda.is_simulated() else f", CUDA {driver_version()}")
    lines = [title]
    print(title, flush=True)
    for name, found in sections(options):
        for line in ("", f"== {name}"):
            print(line, flush=True)
            lines.append(line)
        for line in found:
            print(line, flush=True)
            lines.append(line)
    if not T.cuda.is_simulated():
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{date}-{re.sub(r'[^a-z0-9]+', '-', device.lower())}.txt"
        write_whole(path, "\n".join(lines) + "\n")
        print(f"\nwritten to {path}")
    return 0


def _options() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(prog="make gpu", description=__doc__)
    arguments.add_argument("--simulator", action="store_true", help="go through it without a GPU, with tiny sizes")
    arguments.add_argument("--speed-only", action="store_true", help="without conformance and sanitizer")
    return arguments.parse_args()


if __name__ == "__main__":
    sys.exit(main())
