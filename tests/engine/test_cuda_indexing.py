"""Elements named by positions and masks on device "cuda": as on the CPU, values, gradients and errors."""

import numpy as np
import pytest
from cuda_compare import agree
from tiers import fast_first

import engine

RANDOM = np.random.default_rng(0)
X = np.arange(42, dtype=np.float32).reshape(2, 3, 7)
DTYPES = ["float32", "float64", "int32", "int64", "bool"]


def tensor(values, dtype="float32", requires_grad=False):
    return engine.from_numpy(np.asarray(values)).to(getattr(engine, dtype)).requires_grad_(requires_grad)


def positions(*values, dtype="int64"):
    return tensor(np.array(values, np.int64), dtype)


# ---- x[...]


@pytest.mark.parametrize(
    "read",
    [lambda x, i, j: x[i], lambda x, i, j: x[:, :, i], lambda x, i, j: x[i, j], lambda x, i, j: x[i, :, j],
     lambda x, i, j: x[:, j.view(3, 1), i], lambda x, i, j: x.transpose(0, 2)[3:, j][:, ::2, i],
     lambda x, i, j: x[i[:0]]],
    ids=["first", "last", "two", "apart", "broadcast", "view", "none"],
)  # fmt: skip
def test_reads_by_tensors_and_their_gradients(read):
    agree(read, tensor(X, requires_grad=True), positions(1, 0, -1), positions(-2, 0, 2))


@pytest.mark.parametrize("dtype", fast_first(1, DTYPES))
@pytest.mark.parametrize("accumulate", [False, True])
def test_index_put_writes_or_adds_every_dtype(dtype, accumulate):
    def put(x, i, j, values):
        return x.index_put_((i, j), values, accumulate)

    i, j = (positions(0, 1, 0, 0), positions(2, 0, 2, -1)) if accumulate else (positions(0, 1, 0), positions(2, 0, -2))
    agree(put, tensor(X[:, :, :3] % 4 == 1, dtype), i, j, tensor(RANDOM.integers(0, 3, (len(i), 3)), dtype))


@pytest.mark.slow
def test_a_mask_reads_writes_and_differentiates():
    mask = tensor(X % 3 == 1, "bool")
    agree(lambda x, mask: x[mask], tensor(X, requires_grad=True), mask)
    agree(lambda x, mask: x[:, mask], tensor(X, requires_grad=True), tensor(X[0] % 2 == 1, "bool"))
    x, on_cpu = tensor(X).to("cuda"), tensor(X)
    x[mask.to("cuda")], on_cpu[mask] = -1, -1
    assert x.tolist() == on_cpu.tolist()


def test_indices_may_be_on_the_cpu_but_not_the_other_way_round():
    x, i = tensor(X), positions(1, 0)
    assert x.to("cuda")[i].tolist() == x[i].tolist() == x.to("cuda")[[1, 0]].tolist()
    with pytest.raises(RuntimeError, match="indices should be either on cpu or on the same device as the indexed"):
        x[i.to("cuda")]
    with pytest.raises(RuntimeError, match="same device"):
        x.to("cuda")[i] = x


def test_a_number_is_assigned_without_a_kernel_of_its_own():
    launched = []

    def listen(name, grid, block, stream, run):
        launched.append(name)
        run()

    x = tensor(X).to("cuda")
    engine.cuda.launch.watch(listen)
    try:
        x[positions(1).to("cuda")] = 5
    finally:
        engine.cuda.launch.unwatch(listen)
    assert launched == ["write_index"]
    assert (x.cpu().numpy() == np.where(np.arange(2)[:, None, None] == 1, 5, X)).all()


# ---- along a dimension


@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_rows_along_a_dimension(dtype):
    index = positions(2, 0, 2, 1, dtype=dtype)
    agree(lambda x, i: x.index_select(1, i), tensor(X, requires_grad=True), index)
    agree(lambda x, i, y: x.index_add(1, i, y, alpha=3), tensor(X, requires_grad=True), index,
          tensor(X[:, [0, 2, 1, 0]], requires_grad=True))  # fmt: skip


def test_rows_are_copied_and_filled():
    index = positions(2, 0)
    agree(lambda x, i, y: x.index_copy(1, i, y), tensor(X, requires_grad=True), index, tensor(-X[:, :2]))
    agree(lambda x, i: x.transpose(0, 1).index_fill(0, i, 7), tensor(X, requires_grad=True), index)


@pytest.mark.parametrize("dim", fast_first(1, [0, 1, -1]))
def test_gather_and_scatter_add(dim):
    index, source = tensor(RANDOM.integers(0, X.shape[dim], [2, 2, 5]), "int64"), tensor(-X[:, 1:, 2:])
    agree(lambda x, i: x.gather(dim, i), tensor(X, requires_grad=True), index)
    agree(lambda x, i, y: x.scatter_add(dim, i, y), tensor(X, requires_grad=True), index, source.requires_grad_())
    agree(lambda x, i, y: x.scatter_add(dim, i, y), tensor(X), index, tensor(X))


@pytest.mark.parametrize("dtype", fast_first(1, DTYPES))
@pytest.mark.parametrize("reduce", ["sum", "prod", "amax", "amin"])
def test_scatter_reduces_every_dtype(dtype, reduce):
    index, src = tensor(RANDOM.integers(0, 3, (2, 4)), "int64"), RANDOM.integers(0, 4, (2, 4))
    agree(lambda x, i, y: x.scatter_reduce(1, i, y, reduce), tensor(X[:, 0, :3], dtype), index, tensor(src, dtype))


@pytest.mark.slow
def test_scatter_writes_tensors_and_numbers():
    index = tensor([[2, 0], [1, 2]], "int64")
    agree(lambda x, i, y: x.t().scatter(0, i.t(), y.t()), tensor(X[0]), index, tensor(-X[0, :2, :2]))
    agree(lambda x, i: x.scatter(1, i, 2.5), tensor(X[0], requires_grad=True), index)
    agree(lambda x, i: x.scatter(0, i, 2.5), tensor(3.0), positions(0)[0])


def test_nan_wins_a_scatter_of_extremes():
    values = tensor([1, np.nan, 2, np.nan, 0])
    agree(lambda x, y: x.scatter_reduce(0, positions(0, 0, 0, 1, 2).to(x.device), y, "amax"), tensor([5, 6, 7]), values)


# ---- masks


@pytest.mark.parametrize("dtype", fast_first(1, DTYPES))
def test_nonzero_is_in_order_beyond_a_blocks_run(dtype):
    x = tensor(RANDOM.integers(0, 2, (3, 5, 7)), dtype)
    agree(lambda x: x.nonzero(), x)
    agree(lambda x: (x.transpose(0, 2)[1:, ::2]).nonzero(), x)


@pytest.mark.parametrize("x", [np.zeros((2, 3)), np.ones((0, 3)), np.ones(())], ids=["zeros", "empty", "a number"])
def test_nonzero_of_nothing_and_of_a_number(x):
    agree(lambda x: x.nonzero(), tensor(x))


@pytest.mark.slow
def test_masks_select_and_scatter():
    mask = tensor([[True], [False], [True]], "bool")
    agree(lambda x, mask: x.masked_select(mask), tensor(X, requires_grad=True), mask)
    agree(lambda x, mask, y: x.masked_scatter(mask, y), tensor(X), mask, tensor(-X))
    with pytest.raises(RuntimeError, match="Number of elements of source < number of ones in mask"):
        tensor(X).to("cuda").masked_scatter(mask.to("cuda"), tensor(X[0, 0]).to("cuda"))


# ---- errors


@pytest.mark.parametrize(
    "call",
    [lambda x, i: x[:, i], lambda x, i: x.index_select(1, i), lambda x, i: x.index_add(1, i, x),
     lambda x, i: x.index_copy(1, i, x), lambda x, i: x.gather(1, i.view(1, 3, 1)), lambda x, i: x.take(i * 100),
     lambda x, i: x.scatter_reduce(1, i.view(1, 3, 1), x, "prod"), lambda x, i: x.put_(i * 100, x[0, 0, :3])],
    ids=["index", "index_select", "index_add", "index_copy", "gather", "take", "scatter", "put"],
)  # fmt: skip
def test_a_position_outside_is_the_error_of_the_cpu_and_is_forgotten_after_it(call):
    x, index = tensor(X), positions(1, 5, 9)
    with pytest.raises((IndexError, RuntimeError)) as expected:
        call(x, index)
    with pytest.raises(expected.type) as found:
        call(x.to("cuda"), index.to("cuda"))
    assert str(found.value) == str(expected.value)
    assert x.to("cuda")[index[:1]].tolist() == x[index[:1]].tolist()


# ---- put together, turned round, taken apart


def test_cat_and_stack():
    a, b = tensor(X, requires_grad=True), tensor(X[:, :2].copy(), "float64", requires_grad=True)
    agree(lambda a, b: engine.cat([a, b, a[:, :0]], 1), a, b)
    agree(lambda a, b: engine.stack([a[:, :2].transpose(0, 2), b.transpose(0, 2)], -1), a, b)
    with pytest.raises(RuntimeError, match="same device"):
        engine.cat([a.to("cuda"), a])


def test_flip_and_roll():
    agree(lambda x: x.transpose(0, 2)[1:].flip(0, 2), tensor(X, requires_grad=True))
    agree(lambda x: x.roll((2, -1), (2, 0)), tensor(X, requires_grad=True))


def test_repeats():
    agree(lambda x, n: x.repeat_interleave(n, 1), tensor(X, requires_grad=True), positions(2, 0, 3))
    agree(lambda x: x.repeat(2, 1, 3, 2), tensor(X[0, :1], requires_grad=True))
    agree(lambda i: engine.nn.functional.one_hot(i), positions(2, 0, 1, 2))


@pytest.mark.slow
def test_take_and_take_along_dim():
    agree(lambda x, i: x.take(i), tensor(X, requires_grad=True), positions(3, -1, 40, 3))
    agree(lambda x, i: engine.take_along_dim(x, i, 2), tensor(X), positions(3, -1)[None, None])


@pytest.mark.parametrize(("size", "step"), [(3, 1), (3, 2), (2, 3), (7, 1)])
def test_windows_that_overlap_give_their_gradients_to_one_element(size, step):
    agree(lambda x: x.unfold(2, size, step), tensor(X, requires_grad=True))
    agree(lambda x: x.unfold(0, 2, 1), tensor(X, requires_grad=True))


@pytest.mark.parametrize("options", [{}, {"padding_idx": 2}, {"scale_grad_by_freq": True}], ids=str)
def test_embedding(options):
    def look_up(weight, indices):
        return engine.nn.functional.embedding(indices, weight, **options)

    agree(look_up, tensor(X[0], requires_grad=True), tensor([[2, 0, 2], [2, 1, 0]], "int64"))


def test_rows_of_an_embedding_are_scaled_down_where_they_are_named():
    def look_up(weight, indices):
        rows = engine.nn.functional.embedding(indices, weight, max_norm=30.0)
        return rows, weight

    agree(look_up, tensor(X[0]), tensor([[2, 0], [2, 2]], "int64"))
