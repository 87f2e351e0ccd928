"""Kernels as such: stubs by device, dtypes that are not supported, and the disk cache of loops made by closures."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tiers import fast_first

import engine
from engine.aten.iterator import TensorIterator
from engine.aten.native.binary_ops import add_stub
from engine.aten.stubs import DispatchStub
from engine.cpu.binary_ops import add, mul
from engine.cpu.capability import VECTOR_BYTES
from engine.cpu.elementwise import FLOATS, by_capability, vec

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
    kernel = by_capability("mul_cpu", dict.fromkeys(FLOATS, vec(mul)), (None, None, None), 0)["DEFAULT"]
    x = engine.ones(2, dtype=engine.int64)
    with pytest.raises(NotImplementedError, match="\"mul_cpu\" not implemented for 'Long'"):
        kernel(TensorIterator.binary_op(None, x, x))


@pytest.mark.slow
def test_the_next_process_finds_the_compiled_loops(tmp_path):
    program = "import engine as T; x = T.ones(4); y = x + x; x.sum(); x.view(2, 2) @ x.view(2, 2)"
    # A key pickles what a closure holds, and a module that was read from bytecode pickles in other bytes.
    subprocess.run([sys.executable, "-c", "import engine"], cwd=ROOT, env={"PATH": ""}, check=True)
    environment = {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DEBUG_CACHE": "1", "PATH": ""}

    def cache_log() -> str:
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    assert cache_log().count("data saved to") >= 3
    assert (again := cache_log()).count("data saved to") == 0 and again.count("data loaded from") >= 3


@pytest.mark.parametrize("capability", VECTOR_BYTES)
@pytest.mark.parametrize("count", fast_first(1, [37, 1, 3, 16]))
def test_the_kernels_of_all_capabilities_agree(capability, count):
    kernel = by_capability("add", dict.fromkeys(FLOATS, vec(add)), (None, None, None), 1)[capability]
    x, y = engine.arange(2.0 * count)[::2], engine.arange(float(count))
    for a, b in ((y, y), (x, y), (y, x[0]), (x[0], y)):
        iter = TensorIterator.binary_op(None, a, b)
        kernel(iter, 2.0)
        expected = np.broadcast_arrays(a.numpy(), b.numpy())
        assert np.array_equal(iter.output().numpy(), expected[0] + 2 * expected[1])


GEOMETRIES = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.t(),
    "every second": lambda x: x[:, ::2],
    "one column": lambda x: x[:, 3],
    "one row": lambda x: x[3].expand(300, 400),
    "blocks": lambda x: x.view(300, 20, 20).transpose(0, 2),
}


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("geometry", fast_first(2, GEOMETRIES))
def test_a_loop_on_threads_writes_each_element(geometry, threads):
    before = engine.get_num_threads()
    engine.set_num_threads(threads)
    x = GEOMETRIES[geometry](engine.arange(120_000.0).view(300, 400))
    y = engine.arange(float(x.numel())).view(x.shape)
    assert np.array_equal((x + y).numpy(), x.numpy() + y.numpy())
    assert np.array_equal((x * 3).numpy(), x.numpy() * 3)
    assert np.array_equal((x - y > 0).numpy(), x.numpy() - y.numpy() > 0)
    assert np.array_equal(x.relu().neg().numpy(), -np.maximum(x.numpy(), 0))
    assert np.array_equal(y.where(x > 50.0, x).numpy(), np.where(x.numpy() > 50, y.numpy(), x.numpy()))
    engine.set_num_threads(before)


def test_an_integer_division_by_zero_on_threads_raises():
    x, y = engine.ones(200_000, dtype=engine.int64), engine.ones(200_000, dtype=engine.int64)
    y[150_000] = 0
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        x.div(y, rounding_mode="floor")
