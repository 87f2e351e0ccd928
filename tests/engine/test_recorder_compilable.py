"""A kernel that Python can run but that no GPU can compile is refused when it is recorded."""

import numpy as np
import pytest

import engine
from engine.cuda.driver import cuda
from engine.memory_trace import count, record

engine.cuda.initialize()


def with_a_list(out, n):
    sums = [0, 0]
    sums[n] += 1
    out[0] = sums[n]


def with_a_comprehension(out, n):
    out[0] = max([n, *[k * k for k in range(3)]])


def with_a_dict(out, n):
    out[0] = {0: n}[0]


def with_an_array_of_numpy(out, n):
    out[0] = np.zeros(3)[n]


def with_try(out, n):
    try:
        out[0] = n
    except IndexError:
        out[0] = 0


def with_a_shape_that_is_an_argument(out, n):
    cuda.shared.array(n + 1, np.float32)[0] = 1


def with_a_shape_of_the_launch(out, n):
    cuda.shared.array((cuda.blockDim.x, 4), np.float32)[0, 0] = n


KERNELS = (
    with_a_list, with_a_comprehension, with_a_dict, with_an_array_of_numpy, with_try,
    with_a_shape_that_is_an_argument, with_a_shape_of_the_launch,
)  # fmt: skip


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_what_no_gpu_compiles_is_refused(kernel):
    with pytest.raises(RuntimeError, match="no GPU can compile|known before the launch"):
        record(cuda.jit(kernel), 1, 1, np.zeros(4, np.float32), 1)


def test_tuples_stars_and_shapes_from_around_are_compiled():
    side = 4

    def pair(x, y):
        return x, y

    def kernel(out, places):
        cells = side * 2
        tile = cuda.shared.array((side, cells), out.dtype)
        tile[pair(*places)] = 1
        out[0] = tile[(*places,)]

    assert count(record(cuda.jit(kernel), 1, 1, np.zeros(1, np.float32), (1, 2)), "shared") == 2
