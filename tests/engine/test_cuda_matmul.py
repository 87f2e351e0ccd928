"""Products on device "cuda": each kernel, each layout of matrices, sizes that are not multiples of a tile."""

import numpy as np
import pytest
from cuda_compare import agree, on_cuda
from test_cuda_transpose import listened
from tiers import fast_first

import engine
from engine.cuda import gemm, gemm_tile, gemv, matmul, record
from engine.cuda.driver import is_simulated
from engine.memory_trace import (
    divergent_barriers,
    global_loads,
    out_of_bounds,
    races,
    total_bank_conflicts,
    uninitialised_reads,
)

random = np.random.default_rng(7)
simulated = pytest.mark.skipif(not is_simulated(), reason="not run: the simulator's tiles are tested, there is a GPU")

LAYOUTS = {
    "rows": lambda x: x,
    "columns": lambda x: x.mT.contiguous().mT,
    "gaps": lambda x: engine.cat([x, x], -1).contiguous()[..., :: 2][..., : x.shape[-1]],
    "an offset": lambda x: engine.cat([x, x], -2)[..., 1 : 1 + x.shape[-2], :],
}  # fmt: skip


def numbers(*sizes, dtype=engine.float32):
    """Whole numbers, so that sums are exact in any order."""
    return engine.from_numpy(random.integers(-8, 9, sizes)).to(dtype)


def expected(a, b, alpha=1, beta=0, c=0):
    """The same by NumPy."""
    return (alpha * (a.numpy() @ b.numpy()) + beta * np.asarray(c)).tolist()


def product(a, b, rows=None, alpha=1, beta=0, out=None):
    """alpha * a @ b + beta * out by one of the kernels, back on the CPU."""
    out = engine.full((*a.shape[:-1], b.shape[-1]), float("nan") if a.dtype.is_floating_point else 9, dtype=a.dtype) \
        if out is None else out  # fmt: skip
    out = on_cuda(out)
    matmul.product(out, on_cuda(a), on_cuda(b), alpha, beta, rows)
    return out.cpu().tolist()


@pytest.mark.parametrize("rows", [matmul.NAIVE, matmul.TILED, 4])
@pytest.mark.parametrize("layout_b", LAYOUTS)
@pytest.mark.parametrize("layout_a", ["rows", "columns"])
def test_each_kernel_reads_matrices_as_they_lie(rows, layout_a, layout_b):
    a, b = LAYOUTS[layout_a](numbers(9, 6)), LAYOUTS[layout_b](numbers(6, 7))
    assert product(a, b, rows) == expected(a, b)


@pytest.mark.parametrize("rows", [matmul.NAIVE, matmul.TILED, 4])
@pytest.mark.parametrize("dtype", fast_first(1, [engine.float64, engine.int64, engine.int32]), ids=str)
def test_each_kernel_takes_each_dtype(rows, dtype):
    a, b, c = numbers(5, 4, dtype=dtype), numbers(4, 6, dtype=dtype), numbers(5, 6, dtype=dtype)
    assert product(a, b, rows, 2, -3, c) == expected(a, b, 2, -3, c)


@pytest.mark.parametrize("rows", [matmul.NAIVE, matmul.TILED, 4])
def test_each_kernel_takes_batches(rows):
    a, b = numbers(2, 5, 3), LAYOUTS["columns"](numbers(2, 3, 4))
    assert product(a, b, rows) == expected(a, b)
    shared = numbers(3, 4).expand(2, 3, 4)
    assert product(a, shared, rows) == expected(a, shared)


@pytest.mark.parametrize("dtype", fast_first(1, [engine.float32, engine.float64]), ids=str)
def test_vectors_of_16_bytes_give_the_same(dtype):
    a, b = numbers(20, 12, dtype=dtype), numbers(12, 24, dtype=dtype)
    for one, other in ((a, b), (LAYOUTS["columns"](a), LAYOUTS["columns"](b))):
        assert product(one, other, 4) == expected(a, b)


@pytest.mark.parametrize(
    ("sizes", "strides", "offset", "operand"),
    [
        ((8, 12), (0, 12, 1), 4, (True, True)),
        ((8, 12), (0, 1, 8), 0, (False, True)),
        ((8, 12), (0, 12, 1), 2, (True, False)),
        ((8, 10), (0, 12, 1), 0, (True, False)),
        ((8, 12), (0, 13, 1), 0, (True, False)),
        ((8, 12), (6, 12, 1), 0, (True, False)),
        ((10, 12), (0, 1, 12), 0, (False, False)),
        ((8, 12), (0, 24, 2), 0, (True, False)),
    ],
)
def test_only_whole_and_aligned_neighbours_are_a_vector(sizes, strides, offset, operand):
    """Each vector of four float32 is at a multiple of four, and all in the matrix or not at all."""
    assert matmul.operand_of(sizes, strides, offset, 4) == operand


def test_a_tile_is_what_the_threads_bring():
    for rows, itemsize in ((4, 4), (4, 8), (8, 4)):
        tile = gemm_tile.tile_of(rows, itemsize)
        assert tile.side * tile.depth == gemm.T**2 * tile.lanes and tile.side == gemm.T * rows
        assert tile.pitch * itemsize % 16 == 0 and tile.pitch > tile.side


@simulated
def test_large_products_take_the_tiles_in_registers():
    for sizes, name in (((13, 7, 16), "gemm_16x16"), ((6, 7, 8), "gemm_tiled"), ((3, 2, 4), "gemm_naive")):
        m, k, n = sizes
        a, b = numbers(m, k), numbers(k, n)
        with listened() as names:
            made = on_cuda(a) @ on_cuda(b)
        assert names[-1] == name and made.cpu().tolist() == expected(a, b)


@simulated
@pytest.mark.parametrize("k", [48, 77])
def test_few_tiles_of_many_steps_are_made_in_parts(k):
    a, b, c = numbers(5, k), numbers(k, 6), numbers(5, 6)
    assert matmul.split_k((1, 5, 6, k), 4) > 1 and matmul.split_k((1, 5, 6, 47), 4) == 1
    with listened() as names:
        made = engine.addmm(on_cuda(c), on_cuda(a), on_cuda(b), beta=-2, alpha=3)
    assert names[-1] == "gemv_by_columns" and made.cpu().tolist() == expected(a, b, 3, -2, c)


# ---- what the kernels do to memory


def recorded(kernel, grid, block, m, n, k):
    """The trace of a product of matrices of float32."""
    a, b, c = (random.standard_normal(count).astype(np.float32) for count in (m * k, k * n, m * n))
    one, zero = np.float32(1), np.float32(0)
    trace = record(kernel, grid, block, (1, m, n, k), one, a, 0, (0, k, 1), b, 0, (0, n, 1), zero, c, 0, (0, n, 1))
    np.testing.assert_allclose(c, (a.reshape(m, k) @ b.reshape(k, n)).ravel(), 1e-4, 1e-5)
    return trace


def test_tiles_load_each_element_once_for_a_whole_tile():
    m, n, k, side = 8, 8, 4, 4
    assert global_loads(recorded(gemm.gemm_naive_kernel(np.float32), 2, 8, m, n, k)) == 2 * m * n * k
    tiled = recorded(gemm.gemm_tiled_kernel(np.float32, True, True, side), 4, (side, side), m, n, k)
    assert global_loads(tiled) == 2 * m * n * k // side


@simulated
@pytest.mark.parametrize("is_vector", [True, False])
def test_no_thread_reads_what_another_one_writes_without_a_barrier(is_vector):
    operand_a, operand_b = gemm_tile.Operand(True, is_vector), gemm_tile.Operand(False, is_vector)
    kernel = gemm_tile.register_kernel(4, np.float32, 4, operand_a, operand_b)
    m, n, k = (12, 8, 12) if is_vector else (11, 9, 10)
    trace = recorded(kernel, 1, gemm.T**2, m, n, k)
    assert global_loads(trace) == m * k + k * n
    for faults in (races, out_of_bounds, uninitialised_reads, divergent_barriers):
        assert not faults(trace)


# ---- operators


@pytest.mark.parametrize(
    ("a", "b"),
    [((3,), (3,)), ((4, 3), (3,)), ((3,), (3, 4)), ((4, 3), (3, 5)), ((2, 4, 3), (3, 5)), ((2, 1, 4, 3), (2, 3, 2)),
     ((2, 4, 3), (3,)), ((3,), (2, 3, 4)), ((1, 3), (3, 5)), ((4, 0), (0, 3)), ((0, 3), (3, 2)), ((2, 3), (2, 3, 0))],
)  # fmt: skip
def test_matmul_and_its_gradients(a, b):
    agree(engine.matmul, numbers(*a).requires_grad_(), numbers(*b).requires_grad_())


@pytest.mark.parametrize("beta", [0, 1, -0.5])
def test_something_added(beta):
    nothing = engine.full((3, 1), float("nan")) if beta == 0 else numbers(3, 1).requires_grad_()
    a, b, v = numbers(3, 4).requires_grad_(), numbers(4, 5).requires_grad_(), numbers(4)
    agree(lambda c, a, b: engine.addmm(c, a, b, beta=beta, alpha=2), nothing, a, b)
    agree(lambda c, a, v: engine.addmv(c[:, 0], a, v, beta=beta, alpha=2), nothing, a, v)
    batch = numbers(2, 3, 4), numbers(2, 4, 5)
    agree(lambda c, a, b: engine.baddbmm(c, a, b, beta=beta, alpha=2), nothing, *batch)


@pytest.mark.parametrize("size", [1, 5, 16, 67])
def test_a_dot_product_is_added_up_in_parts(size):
    """One block a part; what is left over is a part, too."""
    a, b = numbers(2 * size), numbers(size)
    agree(lambda a, b: engine.dot(a[::2], b), a, b)
    assert gemv.THREADS & (gemv.THREADS - 1) == 0  # the sums of a block are added up in a tree


def test_a_matrix_times_a_vector_in_either_order():
    a = numbers(9, 11)
    agree(lambda a, v: a @ v, a, numbers(11))
    agree(lambda a, v: a.t() @ v, a, numbers(9))
    agree(lambda a, v: a[:, ::3] @ v[1:5], a, numbers(11))


def test_sums_of_products():
    agree(engine.outer, numbers(3), numbers(4))
    agree(lambda a, b: engine.einsum("bij,bkj->bik", a, b), numbers(2, 3, 4), numbers(2, 5, 4))
    agree(engine.nn.functional.linear, numbers(2, 3, 4).requires_grad_(), numbers(5, 4).requires_grad_(), numbers(5))
    agree(engine.trace, numbers(3, 4).requires_grad_())


@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"scale": 0.3}])
def test_attention_by_its_definition(options):
    query, key, value = (numbers(2, 3, 4) / 8 for _ in range(3))
    attention = engine.nn.functional.scaled_dot_product_attention
    agree(lambda q, k, v: attention(q, k, v, **options), *(x.requires_grad_() for x in (query, key, value)))


def test_there_is_no_product_of_bools():
    x = engine.ones(2, 2, dtype=engine.bool, device="cuda")
    for multiply in (engine.mm, lambda x, y: engine.dot(x[0], y[0])):
        with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
            multiply(x, x)


@pytest.mark.parametrize("side", [2, 4, 8, 16])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("is_row", [True, False])
def test_no_warp_meets_a_bank_conflict(kind, side, is_row):
    m, n, k = side + 1, side, side + 2
    a, b, c = (np.zeros(count, kind) for count in (m * k, k * n, m * n))
    of_a, of_b = ((0, k, 1), (0, n, 1)) if is_row else ((0, 1, m), (0, 1, k))
    trace = record(gemm.gemm_tiled_kernel(kind, is_row, is_row, side), 1, (side, side), (1, m, n, k), kind(1),
                   a, 0, of_a, b, 0, of_b, kind(0), c, 0, (0, n, 1))  # fmt: skip
    assert total_bank_conflicts(trace) == 0
