"""Kernels of lab 6 are compiled for a GPU where there is none, and what no GPU could run earns nothing."""

import os
import subprocess
import sys

import numpy as np
import pytest

import engine
from autograder import overlay
from autograder.examine import error_data, gpu_compiler
from autograder.examine.examiner import Examiner
from autograder.examine.questions import answered
from autograder.labs import CHECKS
from autograder.labs.cuda import compilable
from autograder.made_up.answers import WRONG_ANSWERS
from autograder.sandbox import Sandbox
from autograder.sandbox.grade import grade_cell

engine.cuda.initialize()

from engine.cuda import driver, gemm, libdevice, vectors  # noqa: E402
from engine.cuda.driver import cuda  # noqa: E402

pytestmark = pytest.mark.skipif(not driver.is_simulated(), reason="not run: there is a GPU, and no simulator")

HELPER = "half_of = cuda.jit(device=True)(lambda x: x / 2)"
KERNELS = {
    "out[0] = half_of(x[0])": "",
    "out[0] = max(x[0], min(x[1], n, 3)) + sum((n, n))": "",
    "out[0] = cuda.atomic.add(out, 1, x[0])": "",
    "for i, (a, b) in enumerate(zip(sizes, sizes)): out[i] = a * b + abs(n)": "",
    "out[0] = sizes[1:][0] + divmod(n, 3)[1]": "",
    "out[0] = factorial(n)": "",  # a GPU can call functions from themselves
    "out[0] = cuda.shared.array((4, pitch), np.float32)[n, 0]": "",
    "out[0] = plain(x[0])": "`plain` is a plain Python function: put @cuda.jit(device=True) above it",
    "more = (n,)\nif n > 2: more = more + (n,)\nout[0] = len(more)": "a name has one type",
    "more = ()\nfor d in range(n): more += (d,)\nout[0] = len(more)": "a tuple cannot grow",
    "for d in range(n): out[d] = len(sizes[d:])": "a slice of a tuple must have constant bounds",
    "out[0] = (n, x[0])[n]": "the index into a tuple of several types must be a constant",
    "many = [n, n]\nout[0] = many[n]": "a list, or another thing that needs new memory",
    "out[:n] = x[:n]": "a list, or another thing that needs new memory",
    "try: out[0] = x[n]\nexcept IndexError: out[0] = 0": "`try`",
    "out[0] = product(sizes)": "a function that calls itself, with other types",
    "out[0] = cuda.shared.array(pitch + 1, np.float32)[n]": "worked out outside of the kernel",
    "out[0] = cuda.shared.array(n, np.float32)[n]": "worked out outside of the kernel",
    "out[0] = np.exp(x[0])": "unsupported NumPy function 'numpy.exp'",
    "out[n / 2] = 1": "Unsupported array index type float64",
    "if n > 999: out[0] = nothing": "name 'nothing' is not defined",
    "if n > 999: cuda.syncall()": "no attribute 'syncall'",
    "return n": "a kernel returns nothing",
}


@cuda.jit(device=True)
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@cuda.jit(device=True)
def product(sizes):
    return sizes[0] * product(sizes[1:]) if len(sizes) > 1 else sizes[0]


def kernel(body: str, name: str = "<kernel>"):
    """A function of (out, x, n, sizes)."""
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    scope = {"cuda": cuda, "np": np, "pitch": 5, "plain": lambda x: x, "factorial": factorial, "product": product}
    exec(compile(f"{HELPER}\ndef kernel(out, x, n, sizes):\n{lines}", name, "exec"), scope)
    return scope["kernel"]


def compiled(function) -> None:
    x = np.zeros(9, np.float32)
    gpu_compiler.compile_for_gpu(function, (x, x, 3, (2, 3, 4)), driver)


@pytest.mark.parametrize(("body", "reason"), KERNELS.items())
def test_a_kernel_is_refused_if_no_gpu_could_run_it(body, reason):
    if not reason:
        return compiled(kernel(body))
    with pytest.raises(Exception) as caught:
        compiled(kernel(body))
    assert reason in compilable.reason_of(caught.value)


def test_the_simulator_is_what_it_was_after_a_compilation():
    before = {name: module for name, module in sys.modules.items() if name.startswith("numba.cuda")}
    compiled(kernel("out[0] = half_of(x[0])"))
    with pytest.raises(Exception, match="plain"):
        compiled(kernel("out[0] = plain(x[0])"))
    assert {name: module for name, module in sys.modules.items() if name.startswith("numba.cuda")} == before
    assert sys.modules["numba"].cuda is before["numba.cuda"] is cuda
    x, out = np.arange(9, dtype=np.float32), np.zeros(9, np.float32)
    cuda.jit(kernel("out[cuda.grid(1)] = half_of(x[cuda.grid(1)])"))[3, 3](out, x, 3, ())
    assert out.tolist() == (x / 2).tolist()


def test_device_functions_of_the_simulator_can_be_told_from_plain_ones():
    assert driver.is_device_function(gemm.write) and not driver.is_device_function(gemm.finish)
    assert gemm.device_function(gemm.write) is gemm.write
    assert libdevice.device_function(vectors.load_shared) is vectors.load_shared


@pytest.mark.parametrize("name", ["exp", "log1p", "erf", "rsqrt", "floor", "isnan", "sigmoid"])
def test_what_the_simulator_takes_from_numpy_is_an_intrinsic_on_a_gpu(name):
    function = getattr(libdevice, name)

    def kernel(out, x, n, sizes):
        out[0] = function(x[0])

    compiled(kernel)


def test_a_students_code_is_compiled_once(monkeypatch):
    seen = []
    monkeypatch.setattr(gpu_compiler, "compile_for_gpu", lambda *args: seen.append(args))
    monkeypatch.setattr(error_data, "exercise", "cuda.x")
    one, other = (kernel(f"out[0] = {n}", "<cuda.x>") for n in (1, 2))
    for function in (one, one, other, one):
        compilable.require(driver, function, ())
    assert [args[0] for args in seen] == [one, other]


def test_what_is_not_a_students_and_does_not_compile_is_our_fault(monkeypatch):
    monkeypatch.setattr(error_data, "exercise", "cuda.x")
    x = np.zeros(9, np.float32)
    with pytest.raises(Exception, match="Untyped global name 'plain'") as caught:
        compilable.require(driver, kernel("out[0] = plain(x[0])"), (x, x, 3, ()))
    assert type(caught.value) is not RuntimeError  # which may be the right answer to a case


@pytest.mark.parametrize("name", [name for name in CHECKS if name.startswith("cuda.")])
def test_every_exercise_that_makes_a_kernel_has_wrong_answers_that_only_the_simulator_runs(name):
    is_of_the_host = name.split(".")[1] in ("caching_allocator", "queue")
    assert is_of_the_host != any(wrong.exercise == name for wrong in of_the_simulator())


def of_the_simulator():
    module = sys.modules["autograder.labs.cuda.simulator_only.wrong"]
    return [wrong for wrong in WRONG_ANSWERS if wrong in module.WRONG_ANSWERS]


def test_the_verdict_shows_the_reason_and_the_line():
    wrong = next(wrong for wrong in of_the_simulator() if wrong.about == "a helper is a plain function")
    check = CHECKS[wrong.exercise]
    result = Examiner().examine(check, wrong.source, answered(check, 1))
    assert result.points == 0
    for aspect in result.aspects:
        assert aspect.passed == 0
        assert "no GPU can run this, line 11: `place` is a plain Python function" in aspect.failure.got
        assert "11" in aspect.failure.excerpt and "place(o, i, sizes, so)" in aspect.failure.excerpt


@pytest.mark.slow
@pytest.mark.usefixtures("isolation")
def test_the_sandbox_compiles_as_the_notebook_does():
    names = ("cuda.loops.binary_strided", "cuda.gemm_tile.multiplier_of")
    with Sandbox("06-cuda", exercises=dict.fromkeys(names, ())) as sandbox:
        for name in names:
            right = grade_cell(sandbox, CHECKS[name], overlay.source_of(name), 1)
            assert (right.verdict, right.message) == ("right", "")
            for wrong in of_the_simulator():
                if wrong.exercise == name:
                    result = grade_cell(sandbox, CHECKS[name], wrong.source, 1)
                    assert (result.verdict, result.points) == ("wrong", 0), wrong.about


def test_nvvm_is_not_opened():
    program = """
import engine, ctypes
engine.cuda.initialize()
from autograder.examine import gpu_compiler
from engine.cuda import driver
before = ctypes.CDLL.__init__
def noted(self, name, *more, **named):
    assert "nvvm" not in str(name), name
    before(self, name, *more, **named)
ctypes.CDLL.__init__ = noted
gpu_compiler.warm_up(driver)
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_numba_cuda_that_was_imported_before_the_engine_is_no_hindrance():
    program = """
import numba.cuda
import engine
from autograder.examine import gpu_compiler
from engine.cuda import driver
gpu_compiler.warm_up(driver)
"""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_ENABLE_CUDASIM"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
