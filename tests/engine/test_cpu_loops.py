"""Kernels as such: stubs by device, dtypes that are not supported, and the disk cache of loops made by closures."""

import subprocess
import sys
from pathlib import Path

import pytest

import engine
from engine.aten.native.binary_ops import add_stub
from engine.aten.stubs import DispatchStub
from engine.cpu.binary_ops import mul
from engine.cpu.loops import binary, elementwise
from engine.dtypes import float32, int64

ROOT = Path(engine.__file__).parent.parent


def test_a_stub_without_a_kernel_says_which_devices_have_one():
    stub = DispatchStub("new_stub")
    stub.register("cpu", print)
    with pytest.raises(RuntimeError, match="missing kernel for cuda; new_stub has kernels for: cpu"):
        stub.at("cuda")


def test_a_device_registers_one_kernel():
    with pytest.raises(RuntimeError, match="add_stub has a kernel for cpu already"):
        add_stub.register("cpu", print)


def test_on_the_meta_device_every_kernel_does_nothing():
    assert DispatchStub("new_stub").at("meta")(object(), 1) is None


def test_a_dtype_that_is_not_supported_is_named():
    contiguous, _ = elementwise(binary, "mul_cpu", {(float32,): mul}, (None, None, None))
    with pytest.raises(NotImplementedError, match="\"mul_cpu\" not implemented for 'Long'"):
        contiguous[int64]


def test_the_next_process_finds_the_compiled_loops(tmp_path):
    program = "import engine as T; x = T.ones(4); y = x + x; x.sum(); x.view(2, 2) @ x.view(2, 2)"
    environment = {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DEBUG_CACHE": "1", "PATH": ""}

    def cache_log() -> str:
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    assert cache_log().count("data saved to") >= 3
    assert (again := cache_log()).count("data saved to") == 0 and again.count("data loaded from") >= 3
