"""Kernels in the sandbox: compiled there, with threads that wait for each other, and no exercise found blank."""

from pathlib import Path

import pytest

from autograder import overlay
from autograder.examine.questions import Observation, Stopped, concluded, draw_cases, expected
from autograder.examine.verdict import TIMED_OUT
from autograder.labs import CHECKS
from autograder.sandbox import Limits, Sandbox, kernels

MAKER, GEOMETRY = "cpu.reduce_loops.rows", "cuda.transpose.matrices_of"
REVERSED = """
def matrices_of(sizes, out, x):
    n = sizes[0]

    def kernel(y):
        tile = cuda.shared.array(n, "int64")
        i = cuda.threadIdx.x
        tile[i] = i
        cuda.syncthreads()
        y[i] = tile[n - 1 - i]

    y = cuda.device_array(n, "int64")
    launch(cuda.jit(kernel), 1, n, y)
    return tuple(y.copy_to_host()[:3].tolist())
"""
OTHER = "def matrices_of(sizes, out, x):\n    return transpose_tiled_kernel(float, 4, 2).fn.__name__\n"


pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("isolation")]  # the kernels of all labs


def test_a_sandbox_begins_with_the_kernels_that_no_exercise_is_in_and_a_worker_gets_the_others():
    of_all = {MAKER: (), "cpu.gemm_loops.row_products": ()}
    with Sandbox("05-cpu", accept_no_isolation=True, exercises=of_all, isolation="none") as sandbox:
        cache = Path(sandbox.guest()._outside) / "numba"
        everything = names(kernels.kernels_of(sandbox._image, "none"))
        begun_with = names(cache)
        with sandbox.run(MAKER, overlay.source_of(MAKER)):
            given = names(cache)
    assert len(everything) > 80
    assert set(begun_with) < set(given) < set(everything)
    assert any("dot" in path.name or "products" in path.name for path in set(given) - set(begun_with))


def names(folder):
    return {path.relative_to(folder) for path in folder.rglob("*.nbc")}


@pytest.fixture(scope="module")
def compiled_sum():
    """The check of a kernel's maker, the aspect that has numba compile the answer, and a case of it."""
    check = CHECKS["cpu.gemv.cascade_dot"]
    aspect = next(aspect for aspect in check.aspects if aspect.compiled)
    return check, aspect, draw_cases(check, 0)[aspect.name][0]


def test_a_student_s_kernel_is_compiled_within_the_limits(compiled_sum):
    check, aspect, case = compiled_sum
    name = check.exercise
    with Sandbox("05-cpu", exercises={name: ()}) as sandbox, sandbox.run(name, overlay.source_of(name)) as run:
        seen = concluded(aspect, case, run.answer(check.probe, case.args))
    assert seen == expected(check, aspect, case)


def test_a_kernel_that_numba_cannot_compile_is_an_answer_that_says_why(compiled_sum):
    check, _, case = compiled_sum
    source = "def cascade_dot(x, y):\n    return unknown(x, y)\n"
    with Sandbox("05-cpu", exercises={check.exercise: ()}) as sandbox, sandbox.run(check.exercise, source) as run:
        seen = run.answer(check.probe, case.args)
    assert seen.raised == "numba.core.errors.TypingError" and "'unknown' is not defined" in seen.message


@pytest.fixture(scope="module")
def of_cuda():
    with Sandbox("06-cuda", exercises={GEOMETRY: (), "cuda.transpose.transpose_tiled_kernel": ()}) as sandbox:
        yield sandbox


@pytest.mark.parametrize("threads", [64, 512])
def test_the_threads_of_a_large_block_wait_for_each_other(of_cuda, threads):
    with of_cuda.run(GEOMETRY, REVERSED) as run:
        assert run.answer("", ((threads,), (), ())) == Observation((threads - 1, threads - 2, threads - 3))


def test_the_other_exercises_of_a_lab_that_is_imported_late_are_the_reference_s(of_cuda):
    with of_cuda.run(GEOMETRY, OTHER) as run:
        assert run.answer("", ((), (), ())).value.startswith("transpose_tiled")


def test_what_numpy_imports_when_it_is_first_used_is_there_before_a_student_s_code(of_cuda):
    body = "cells = cuda.device_array(3, 'int64').copy_to_host()\n    cells[:] = 2\n    return int(cells.sum())"
    with of_cuda.run(GEOMETRY, f"def matrices_of(sizes, out, x):\n    {body}\n") as run:
        assert run.answer("", ((), (), ())) == Observation(6)


def test_the_limits_of_a_lab_are_what_is_given_or_more():
    limits = Limits(answer_seconds=1.0, processes=2000)
    assert limits.for_lab("04-autograd") == limits
    assert limits.for_lab("05-cpu").answer_seconds > 5 and limits.for_lab("06-cuda").processes == 2000


def test_a_kernel_that_never_ends_is_stopped(of_cuda):
    source = "def matrices_of(sizes, out, x):\n    while True:\n        pass\n"
    with of_cuda.run(GEOMETRY, source) as run, pytest.raises(Stopped) as stopped:
        run.answer("", ((1,), (), ()))
    assert stopped.value.kind == TIMED_OUT
