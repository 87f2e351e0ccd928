"""The recorder runs a kernel as a launch does, and writes down each access: whose, where, when, what."""

import contextlib
import copy
import functools
import os
import subprocess
import sys
import threading
from typing import Any, NamedTuple

import msgpack
import numpy as np
import pytest
import recorded_kernels as kernels

import engine
from engine.cuda.driver import cuda, is_simulated
from engine.cuda.gemm import named
from engine.memory_trace import Access, Barrier, accesses, from_plain, place_of, record, record_call
from engine.memory_trace.simulator import BlockManager

F = np.float32


def kinds(trace, space=""):
    return [(access.thread, access.kind, access.index, access.value) for access in accesses(trace, space)]


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


def test_an_access_says_who_touched_what_in_which_order():
    trace = record(add_one, 2, 2, np.array([5, 6, 7], F))
    assert [tuple(event) for event in trace.events] == [
        (0, 0, 0, 0, "load", "global", 0, 0, 5.0, True), (0, 0, 1, 0, "store", "global", 0, 0, 6.0, True),
        (0, 1, 0, 0, "load", "global", 0, 1, 6.0, True), (0, 1, 1, 0, "store", "global", 0, 1, 7.0, True),
        (1, 0, 0, 0, "load", "global", 0, 2, 7.0, True), (1, 0, 1, 0, "store", "global", 0, 2, 8.0, True),
    ]  # fmt: skip
    assert (trace.kernel, trace.grid, trace.block) == ("add_one", (2, 1, 1), (2, 1, 1))
    assert [tuple(array) for array in trace.arrays] == [("x", "global", "float32", 4, 3, 0)]
    line = add_one.py_func.__code__.co_firstlineno + 4
    assert {place_of(trace, event.instruction) for event in trace.events} == {
        f"test_cuda_recorder.py:{line} in add_one"
    }


def test_the_results_are_there_afterwards_and_the_trace_is_always_the_same():
    trace, a, b, c = kernels.matmul(kernels.tiled_matmul, 16)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-5)
    assert kernels.matmul(kernels.tiled_matmul, 16)[0] == trace


def test_a_trace_is_plain_data():
    trace = kernels.matmul(kernels.tiled_matmul, 16)[0]
    assert from_plain(msgpack.unpackb(msgpack.packb(trace))) == trace


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "read"}, {"space": "shared"}, {"array": 1}, {"array": 0.0}, {"index": 3}, {"index": -1}, {"block": 2},
        {"thread": "0"}, {"instruction": 9}, {"k": -1}, {"inside": 1},
    ],
)  # fmt: skip
def test_what_is_no_trace_is_refused(change):
    trace = record(add_one, 2, 2, np.array([5, 6, 7], F))
    wrong = trace._replace(events=(trace.events[0]._replace(**change),))
    with pytest.raises(ValueError, match="^expected"):
        from_plain(wrong)
    with pytest.raises(ValueError, match="^expected"):
        from_plain(trace[:-1])


@cuda.jit
def count_to_three(x):
    for _ in range(3):
        x[cuda.threadIdx.x] += 1


def test_k_counts_the_executions_of_an_instruction_by_a_thread():
    trace = record(count_to_three, 1, 2, np.zeros(2, np.int32))
    stores = [(access.thread, access.k, access.value) for access in accesses(trace, kind="store")]
    assert stores == [(0, 0, 1), (0, 1, 2), (0, 2, 3), (1, 0, 1), (1, 1, 2), (1, 2, 3)]


def test_instructions_stay_the_same_however_long_python_runs_them():
    """Python rewrites bytecode that it has run some times; the frame then points elsewhere in an instruction."""
    assert len(record(count_to_three, 100, 4, np.zeros(4, np.int32)).instructions) == 2


@cuda.jit(device=True)
def element(x, i):
    return x[i]


@cuda.jit
def through_a_device_function(out, x):
    i = cuda.grid(1)
    out[i] = element(x, i) + element(x, i + 1)


def test_a_device_function_is_recorded_and_each_call_is_an_instruction_of_its_own():
    out = np.zeros(2, F)
    trace = record(through_a_device_function, 1, 2, out, np.array([1, 2, 4], F))
    assert out.tolist() == [3, 6]
    loads = list(accesses(trace, kind="load"))
    assert [access.index for access in loads] == [0, 1, 1, 2]
    assert len({access.instruction for access in loads}) == 2 and {access.k for access in loads} == {0}
    assert "in element, called from line" in place_of(trace, loads[0].instruction)


@cuda.jit
def subscripts(out, x, which):
    row = x[1]
    if which == 0:
        out[()] = row[2]
    elif which == 1:
        out[()] = x[np.int64(1), np.uint32(2)]
    elif which == 2:
        out[()] = x.T[2, 1]
    elif which == 3:
        out[()] = x[1:, ::2][0, 1]
    elif which == 4:
        out[()] = x.reshape(12)[6]
    elif which == 5:
        out[()] = x[..., 2][1]
    elif which == 6:
        out[()] = x[None, 1][0, 2]


@pytest.mark.parametrize("which", range(7))
def test_however_an_element_is_named_its_index_is_its_place_in_memory(which):
    out = np.array(0, F)
    trace = record(subscripts, 1, 1, out, np.arange(12, dtype=F).reshape(3, 4), which)
    assert out == 6
    assert kinds(trace) == [(0, "load", 6, 6.0), (0, "store", 0, 6.0)]


@cuda.jit
def fill_rows(out, x):
    out[0] = 7
    out[1, :] = x


def test_a_store_to_a_slice_is_one_to_each_of_its_elements():
    out = np.zeros((2, 3), np.int64)
    trace = record(fill_rows, 1, 1, out, np.array([1, 2, 3]))
    assert out.tolist() == [[7, 7, 7], [1, 2, 3]]
    assert [access.index for access in accesses(trace, array="out")] == [0, 1, 2, 3, 4, 5]
    assert [access.index for access in accesses(trace, array="x")] == [0, 1, 2]


def fill_like(out, x):
    out[0] = 7, 8, x[2]
    copy = np.full_like(x, 3)
    copy[1] = x[1]
    out[1] = copy


def test_a_slice_takes_a_tuple_or_an_array_of_the_function_and_an_array_like_another_reads_nothing():
    out = np.zeros((2, 3), np.int64)
    trace = record_call(fill_like, out, np.array([4, 5, 6]))
    assert out.tolist() == [[7, 8, 6], [3, 5, 3]]
    assert [access.index for access in accesses(trace, array="out")] == [0, 1, 2, 3, 4, 5]
    assert [access.index for access in accesses(trace, array="x")] == [2, 1]


def halves(out, x):
    for i, value in enumerate(x[1:]):
        out[i] = value / 2


def sum_of_rows(out, table):
    for row in table:
        for value in row:
            out[0] += value


def test_a_loop_over_an_array_reads_an_element_when_it_comes_to_it():
    out = np.zeros(2)
    trace = record_call(halves, out, np.array([1, 2, 4]))
    assert out.tolist() == [1, 2]
    assert [(access.kind, access.index) for access in accesses(trace)] == [
        ("load", 1), ("store", 0), ("load", 2), ("store", 1),
    ]  # fmt: skip
    assert {trace.instructions[access.instruction].function for access in accesses(trace)} == {"halves"}


def test_a_loop_over_a_table_gives_its_rows():
    out = np.zeros(1, np.int64)
    trace = record_call(sum_of_rows, out, np.arange(6).reshape(3, 2))
    assert out.tolist() == [15]
    assert [access.index for access in accesses(trace, "", "load", "table")] == list(range(6))


@cuda.jit
def set_last(x):
    x[x.shape[0] - 1] = 1


def test_a_view_is_recorded_where_it_lies_in_memory():
    memory = np.zeros((4, 6), F)
    trace = record(set_last, 1, 1, memory[1:, 2])
    assert memory[3, 2] == 1 and memory.sum() == 1
    assert trace.arrays[0].offset == 4 * 8 and trace.arguments[0] == ("x", 0, 0, (3,), (6,))
    assert [access.index for access in accesses(trace)] == [12]


@cuda.jit
def shift(out, x):
    i = cuda.grid(1)
    out[i] = x[i]


def test_arguments_that_overlap_are_one_array():
    memory = np.arange(5.0)
    trace = record(shift, 1, 4, memory[:-1], memory[1:])
    assert memory.tolist() == [1, 2, 3, 4, 4]
    assert [(array.name, array.size) for array in trace.arrays] == [("out, x", 5)]
    assert [access.index for access in accesses(trace, kind="load")] == [1, 2, 3, 4]


@pytest.mark.parametrize("make", [engine.tensor, cuda.to_device, lambda x: (np.array(x, F),)])
def test_tensors_device_arrays_and_tuples_are_recorded_too(make):
    x = make(np.array([5, 6, 7], F))
    kernel = add_one_in_a_tuple if isinstance(x, tuple) else add_one
    assert [value for _, kind, _, value in kinds(record(kernel, 1, 4, x)) if kind == "store"] == [6, 7, 8]


@cuda.jit
def add_one_in_a_tuple(x):
    i = cuda.grid(1)
    if i < len(x[0]):
        x[0][i] += 1


class Row(NamedTuple):
    cells: Any
    shift: int


@cuda.jit
def shift_a_row(row):
    row.cells[cuda.grid(1)] += row.shift


def test_a_named_record_keeps_its_names():
    trace = record(shift_a_row, 1, 2, Row(np.array([5, 6], F), 3))
    assert [array.name for array in trace.arrays] == ["row.cells"]
    assert [value for _, kind, _, value in kinds(trace) if kind == "store"] == [8, 9]


def test_a_tensor_on_the_device_is_changed():
    x = engine.arange(6.0).to("cuda").reshape(2, 3)
    record(double, 1, (2, 3), x.t())
    assert x.tolist() == [[0, 2, 4], [6, 8, 10]]


@cuda.jit
def double(x):
    i, j = cuda.grid(2)
    x[j, i] *= 2


TABLE = np.array([3, 1, 2])


@cuda.jit
def permute(out, x):
    scratch = cuda.local.array(2, F)
    i = cuda.grid(1)
    scratch[0] = x[TABLE[i] - 1]
    out[i] = scratch[0]


def test_local_memory_and_constants_are_recorded_apart():
    out = np.zeros(3, F)
    trace = record(permute, 1, 3, out, np.array([10, 20, 30], F))
    assert out.tolist() == [30, 10, 20]
    assert kinds(trace, "constant") == [(0, "load", 0, 3), (1, "load", 1, 1), (2, "load", 2, 2)]
    assert kinds(trace, "local")[:2] == [(0, "store", 0, 30.0), (0, "load", 0, 30.0)]


@cuda.jit
def votes(out, x):
    i = cuda.threadIdx.x
    out[0, i] = cuda.syncthreads_count(x[i])
    out[1, i] = cuda.syncthreads_and(x[i])
    out[2, i] = cuda.syncthreads_or(x[i])


def test_barriers_that_count_give_every_thread_the_count():
    out = np.zeros((3, 4), np.int64)
    trace = record(votes, 1, 4, out, np.array([1, 0, 1, 1]))
    assert out.tolist() == [[3] * 4, [0] * 4, [1] * 4]
    assert sum(isinstance(event, Barrier) for event in trace.events) == 12


ATOMICS = {
    "add": (5, 3, 8), "sub": (5, 3, 2), "max": (5, 7, 7), "min": (5, 7, 5), "and_": (5, 4, 4), "or_": (5, 2, 7),
    "xor": (5, 1, 4), "exch": (5, 9, 9), "inc": (5, 5, 0), "dec": (0, 5, 5),
}  # fmt: skip


@pytest.mark.parametrize("name", ATOMICS)
def test_an_atomic_is_one_access_that_reads_and_writes(name):
    before, operand, after = ATOMICS[name]
    namespace = {"cuda": cuda}
    source = f"def kernel(x, old, operand):\n    old[0] = cuda.atomic.{name}(x, 0, operand)\n"
    exec(source, namespace)
    x, old = np.array([before], np.int32), np.zeros(1, np.int32)
    trace = record(cuda.jit(namespace["kernel"]), 1, 1, x, old, operand)
    assert (x[0], old[0]) == (after, before)
    assert kinds(trace)[0] == (0, "atomic", 0, (before, after))


@cuda.jit
def places(out):
    x, y, z = cuda.grid(3)
    out[z, y, x] = cuda.threadIdx.x + 10 * cuda.blockIdx.x + 100 * cuda.laneid


def test_threads_and_blocks_are_numbered_with_x_fastest():
    out = np.zeros((2, 2, 4), np.int64)
    trace = record(places, (2, 1, 1), (2, 2, 2), out)
    assert out[0].tolist() == [[0, 101, 10, 111], [200, 301, 210, 311]]
    order = [(event.block, event.thread, event.index) for event in trace.events]
    assert order[:5] == [(0, 0, 0), (0, 1, 1), (0, 2, 4), (0, 3, 5), (0, 4, 8)]


@cuda.jit
def dynamic(out):
    shared = cuda.shared.array(0, np.int32)
    i = cuda.threadIdx.x
    shared[i] = i
    cuda.syncthreads()
    out[i] = shared[cuda.blockDim.x - 1 - i]


def test_dynamic_shared_memory_has_the_bytes_that_the_launch_gives():
    out = np.zeros(4, np.int32)
    trace = record(dynamic, 1, 4, out, shared_bytes=16)
    assert out.tolist() == [3, 2, 1, 0]
    assert [(array.name, array.size) for array in trace.arrays if array.space == "shared"] == [("shared", 4)]


def beside_the_kernel(x):
    x[cuda.grid(1)] += 1
    threading.current_thread().syncthreads()


@cuda.jit
def calls_a_plain_function(x):
    beside_the_kernel(x)


def test_plain_functions_work_as_far_as_in_the_simulator():
    x = np.zeros(3, F)
    trace = record(calls_a_plain_function, 1, 3, x)
    assert x.tolist() == [1, 1, 1]
    assert [type(event) for event in trace.events[-2:]] == [Access, Barrier]
    assert "in beside_the_kernel, called from line" in place_of(trace, trace.events[-1].instruction)


class OnGpu:
    """An array in the memory of a GPU, as numba's: it is copied to the host and back."""

    def __init__(self, values, address):
        self.values, self.shape, self.dtype = values, values.shape, values.dtype
        self.__cuda_array_interface__ = {"data": (address, False), "shape": self.shape, "typestr": "<f4", "version": 3}

    def copy_to_host(self):
        return self.values.copy()

    def copy_to_device(self, values):
        self.values[:] = values


def size(array):
    return np.zeros(array.size)  # no kernel may call this


def test_a_global_function_with_the_name_of_an_attribute_is_none_of_the_kernel_s():
    assert size(np.ones(3)).size == 3
    assert [access.kind for access in accesses(record(add_one, 1, 1, np.zeros(1, F)))] == ["load", "store"]


@pytest.mark.parametrize("jit_first", [False, True])
def test_a_kernel_has_the_name_that_it_was_given(jit_first):
    def kernel(x):
        x[0] = 1

    made = named(cuda.jit(kernel), "one") if jit_first else cuda.jit(named(kernel, "one"))
    assert record(made, 1, 1, np.zeros(1, F)).kernel == "one"


def test_memory_of_a_gpu_is_copied_there_and_back():
    x = OnGpu(np.array([5, 6, 7], F), 256 * 10 + 8)
    trace = record(shift, 1, 2, x, OnGpu(np.array([1, 2], F), 256 * 20))
    assert x.values.tolist() == [1, 2, 7]
    assert [array.offset for array in trace.arrays] == [8, 0]
    with pytest.raises(ValueError, match="overlap in the memory of the device"):
        record(shift, 1, 2, x, OnGpu(np.array([1, 2, 3], F), 256 * 10))


def scaler(factor):
    @cuda.jit
    def scale(x):
        x[cuda.grid(1)] *= factor

    return scale


def test_a_kernel_made_by_a_function_keeps_what_it_closed_over():
    x = np.array([1, 2], F)
    record(scaler(3), 1, 2, x)
    assert x.tolist() == [3, 6]


# ---- what cannot be recorded


@cuda.jit
def divides(x):
    i = cuda.grid(1)
    cuda.syncthreads()
    if i == 5:
        raise ValueError("no such element")
    cuda.syncthreads()


def test_a_kernel_that_raises_is_reported_with_block_thread_and_line():
    line = divides.py_func.__code__.co_firstlineno + 5
    before = threading.active_count()
    with pytest.raises(
        RuntimeError, match=rf"^divides: block \(1, 0, 0\), thread \(1, 0, 0\), .*:{line}: ValueError: no"
    ):
        record(divides, 2, 4, np.zeros(8))
    assert threading.active_count() == before


@cuda.jit
def never_ends(x):
    while x.size:
        pass


@cuda.jit
def stores_for_ever(x):
    while True:
        cuda.syncthreads()


def reads_for_ever(x):
    while x[0] == 0:
        pass


def test_a_kernel_that_does_not_end_is_stopped():
    with pytest.raises(RuntimeError, match=r"never_ends: block \(0, 0, 0\), thread \(0, 0, 0\), .* within 0.2 s"):
        record(never_ends, 1, 2, np.zeros(1), seconds=0.2)
    with pytest.raises(RuntimeError, match="stores_for_ever: .*more than 50 accesses and barriers"):
        record(stores_for_ever, 1, 2, np.zeros(1), most_events=50)
    with pytest.raises(RuntimeError, match="more than 50 accesses: does it ever end"):
        record_call(reads_for_ever, np.zeros(1), most_events=50)


@cuda.jit
def whole_array(out, x):
    out[0] = np.dot(x, x)


@cuda.jit
def deep_copy(out, x):
    out[0] = copy.deepcopy(x)[0]


@cuda.jit
def shuffles(out, x):
    out[0] = cuda.no_such_thing(x[0])


@cuda.jit
def returns_the_sum(out, x):
    out[0] = x.sum()


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (whole_array, "NumPy can't have it as a whole"),
        (deep_copy, "it can't copy the array as a whole"),
        (shuffles, "cuda.no_such_thing cannot be recorded"),
        (returns_the_sum, "no 'sum'"),
    ],
)
def test_what_a_thread_cannot_do_is_refused(kernel, message):
    with pytest.raises(RuntimeError, match=message):
        record(kernel, 1, 1, np.zeros(1), np.ones(3))


X = np.zeros(4)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: record(lambda x: x, 1, 1, X),
            TypeError,
            "expected a kernel, a function under @cuda.jit, got function",
        ),
        (lambda: record(3, 1, 1, X), TypeError, "expected a kernel, a function under @cuda.jit, got 3"),
        (lambda: record(element, 1, 1, X, 0), TypeError, "element is a device function"),
        (lambda: record(add_one, 1.0, 1, X), TypeError, "expected grid as an int or a tuple of up to three ints"),
        (lambda: record(add_one, 1, (1, 1, 1, 1), X), TypeError, "expected block as an int"),
        (lambda: record(add_one, 0, 1, X), ValueError, "sizes of a grid from 1 to"),
        (lambda: record(add_one, 1, (32, 33), X), ValueError, "at most 1024 threads of a block, got 1056"),
        (lambda: record(add_one, 1, (1, 1, 65), X), ValueError, "sizes of a block from 1 to"),
        (lambda: record(add_one, 1, 1), TypeError, r"add_one\(\) missing a required argument: 'x'"),
        (lambda: record(add_one, 1, 1, [1, 2]), TypeError, "argument x cannot be recorded: .*got list"),
        (lambda: record(add_one, 1, 1, np.zeros(2, "f4,i4")), TypeError, "argument x cannot be recorded: its dtype"),
        (lambda: record(shift, 1, 1, X, X.view(np.int64)), ValueError, "the same memory as different dtypes"),
    ],
)
def test_bad_arguments_are_refused_with_what_was_expected(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_the_name_is_engine_cuda_record():
    assert engine.cuda.record is record and engine.memory_trace.Access is Access


def test_kernels_for_a_gpu_are_recorded_in_the_same_process():
    """Without the simulator, as where there is a driver: no GPU is needed for it."""
    program = (
        "import numpy as np, sys\n"
        "import recorded_kernels as kernels\n"
        "from engine.memory_trace import global_loads\n"
        "trace, a, b, c = kernels.matmul(kernels.tiled_matmul, 16)\n"
        "print(type(kernels.tiled_matmul).__name__, global_loads(trace), np.allclose(c, a @ b, atol=1e-5))\n"
    )
    root = os.path.dirname(os.path.dirname(engine.__file__))
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "0", "PYTHONPATH": f"{root}{os.pathsep}{root}/tests/engine"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.stdout.split() == ["CUDADispatcher", "512", "True"], done.stderr


# ---- numba's simulator with blocks run this way


def sum_and_votes():
    out, counts = np.zeros(2, F), np.zeros((3, 4), np.int64)
    kernels.block_sum[2, 64](out, np.arange(128, dtype=F))
    votes[1, 4](counts, np.array([1, 0, 1, 1]))
    with pytest.raises(ValueError) as raised:
        divides[2, 4](np.zeros(8))
    return out.tolist(), counts.tolist(), str(raised.value)


def test_the_simulator_gives_the_same_with_blocks_run_this_way(monkeypatch):
    if not is_simulated():
        pytest.skip("not run: numba's simulator (there is a GPU)")
    from numba.cuda.simulator import kernel  # after the driver has chosen

    results = []
    for manager in (BlockManager.numbas or kernel.BlockManager, BlockManager):
        monkeypatch.setattr(kernel, "BlockManager", manager)
        results.append(sum_and_votes())
    theirs, ours = results
    assert (
        ours == theirs == ([2016, 6112], [[3] * 4, [0] * 4, [1] * 4], "tid=[1, 0, 0] ctaid=[1, 0, 0]: no such element")
    )


@cuda.jit
def two_on_a_line(x, out):
    one, other = cuda.shared.array(4, F), cuda.shared.array(4, F)
    i = cuda.threadIdx.x
    one[i], other[i] = x[i], 10 * x[i]
    cuda.syncthreads()
    out[i] = one[3 - i] + other[i]


def test_two_shared_arrays_on_one_line_are_two_on_the_simulator_as_on_a_gpu():
    x, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    two_on_a_line[2, 4](x, out)
    assert out.tolist() == [3, 12, 21, 30]


# ---- what a kernel can get hold of


def test_the_attributes_of_an_array_are_numbers_and_lead_to_no_memory():
    def look(x):
        values.update({name: getattr(x, name) for name in dir(x) if not name.startswith("__")})
        x[0] = 1

    values = {}
    record_call(look, np.zeros((2, 3)))
    del values["T"]
    plain = {name: value for name, value in values.items() if not callable(value)}
    assert all(type(value) in (int, bool, tuple) or isinstance(value, np.dtype) for value in plain.values())
    assert {type(one) for value in plain.values() if type(value) is tuple for one in value} == {int}


def test_cuda_in_a_kernel_keeps_its_names_and_has_none_of_the_recorder():
    def look(seen):
        for change in (lambda: setattr(seen, "syncthreads", None), lambda: setattr(seen.atomic, "add", None)):
            with contextlib.suppress(AttributeError):
                change()
                said.append("changed")
        said.extend(name for name in dir(type(seen)) if name.startswith("_") and not name.startswith("__"))

    @cuda.jit
    def kernel(x):
        call(cuda)
        x[0] = cuda.atomic.add(x, 0, 1)

    said, call = [], functools.partial(look)
    assert len(record(kernel, 1, 1, np.zeros(3, F)).events) == 2 and not said


def test_an_array_keeps_what_it_is():
    said = []

    def attempt(x):
        for change in (
            lambda: setattr(x, "shape", (9,)), lambda: setattr(x, "_first", 1), lambda: type(x)(0, 0, (9,), (1,)),
            lambda: setattr(type(x), "__getitem__", None), lambda: type("Sub", (type(x),), {}),
            lambda: copy.deepcopy(x),
        ):  # fmt: skip
            try:
                change()
            except (AttributeError, TypeError) as error:
                said.append(type(error).__name__)
        return x[0]

    assert len(record_call(attempt, np.zeros(3)).events) == 1
    assert len(said) == 6


def test_an_array_that_outlives_its_recording_leads_nowhere():
    held = []
    record_call(lambda x: held.append(x), np.zeros(3))
    with pytest.raises(KeyError):
        held[0][0]
