"""The claims and the figures in lab 6's text hold on the engine of a student who has solved it."""

from collections import Counter
from textwrap import dedent, indent

import numpy as np
import pytest
from numba import float32
from test_payoffs import payoff_of

from autograder import overlay
from autograder.author import lab_text
from autograder.made_up import cohort
from engine import memory_trace
from engine.cuda import launch
from engine.cuda.caching_allocator import CachingAllocator
from engine.cuda.driver import cuda

LAB = lab_text.load("06-cuda")
STUDENTS = ("heidi-other-words", "quentin-other-words")  # each writes a part of the lab in words of their own
PROSE = " ".join(" ".join(cell.source.split()) for cell in LAB.cells if cell.kind == "markdown")

AROUND = Counter({"sum_reduce": 2, "gemm_16x16": 1, "amin_reduce": 1, "amax_reduce": 1})  # a student's part is inside
GIVEN = ("abs_float_contiguous", "gemv_by_columns", "exceeds_arg_reduce", "value_of_contiguous", "convert_strided")


def given(name):
    """Return a kernel that a cell of the text gives."""
    source = next(cell.source for cell in LAB.cells if cell.kind == "code" and f"def {name}(" in cell.source)
    names = {"np": np, "cuda": cuda, "memory_trace": memory_trace, "print": lambda *_: None}
    exec(source, names)
    return names[name]


def answer_of(exercise):
    """Return a student's answer: the first one that is not the reference's text."""
    students = cohort.load(LAB.id)
    answers = [cohort.submitted_source(students[name], students, exercise) for name in STUDENTS]
    return next((answer for answer in answers if answer != overlay.source_of(exercise)), answers[0])


@pytest.fixture(scope="module")
def payoff():
    """The kernels that the payoff launches on a student's engine, and its result."""
    exercises = [exercise.name for exercise in LAB.exercises]
    for name in exercises:
        overlay.graft(name, answer_of(name))
    assert not overlay.rebuilt(exercises)
    launched = []

    def note(name, grid, block, stream, run):
        launched.append(name)
        run()

    launch.watch(note)
    try:
        result = payoff_of(LAB.id)()
    finally:
        launch.unwatch(note)
        for name in exercises:
            overlay.restore(name)
        overlay.rebuilt(exercises)
    return launched, result


def test_the_payoff_launches_19_kernels_of_which_9_are_the_students(payoff):
    launched = Counter(payoff[0])
    assert launched.total() == 19 and "there are 19 launches" in PROSE
    assert (launched - AROUND - Counter(GIVEN)).total() == 9 and "Nine are kernels that you wrote" in PROSE
    assert launched & AROUND == AROUND and AROUND.total() == 5 and "Five are kernels of the engine around" in PROSE
    assert launched & Counter(GIVEN) == Counter(GIVEN) and len(GIVEN) == 5 and "Five are given" in PROSE


def test_the_network_gives_the_same_numbers_as_on_the_reference(payoff):
    assert payoff[1] == payoff_of(LAB.id)()


def test_the_network_reads_most_of_the_digits(payoff):
    assert payoff[1]["right of 12"] == 10
    assert payoff[1]["transposed rightly"]


def test_the_flat_kernel_runs_where_a_vector_cannot_begin():
    """Run the cell behind 6.0 and compare the names that it prints with the text before it."""
    imports, *others = (cell.source for cell in LAB.cells if cell.kind == "code")
    namespace = {}
    for source in (imports, next(source for source in others if "x[1:] - x[:-1]" in source)):
        exec(compile(source, "<6.0>", "exec"), namespace)
    assert namespace["launched"] == ["add_flat", "add_contiguous"] and "`x[1:]` does not, so your kernel runs" in PROSE


def test_the_sums_of_the_drill_are_wrong_without_barriers_and_right_in_the_other_kernels():
    assert "his sums are wrong there" in PROSE
    is_right = {}
    for name in ("gerd", "hilde", "ivo"):
        out = np.zeros(4, np.float32)
        memory_trace.record(given(name), 4, 32, out, np.ones((4, 32), np.float32))
        is_right[name] = out.tolist() == [32] * 4
    assert is_right == {"gerd": False, "hilde": True, "ivo": True}


GUARD = "        if i < c.shape[0] and j < c.shape[1]:\n            "
LOADS = "of_a[y, x], of_b[y, x] = a[i, t + x], b[t + y, j]\n"
GUARDED = {
    "both": GUARD + LOADS,
    "each": "        if i < c.shape[0]:\n            of_a[y, x] = a[i, t + x]\n"
    "        if j < c.shape[1]:\n            of_b[y, x] = b[t + y, j]\n",
}


@pytest.mark.parametrize(("guards", "is_right"), [("both", False), ("each", True)])
def test_the_kernel_with_barriers_in_an_if_needs_a_guard_for_each_load(guards, is_right):
    assert "`a[i, t + x]` needs `i < c.shape[0]`, and `b[t + y, j]` needs `j < c.shape[1]`" in PROSE
    source = next(cell.source for cell in LAB.cells if cell.kind == "code" and "def ines(" in cell.source)
    before, after = source.split(GUARD + LOADS)
    products, store = after.split("    if i < c.shape[0]", 1)
    source = before + GUARDED[guards] + indent(dedent(products), " " * 8) + "    if i < c.shape[0]" + store
    names = {"np": np, "cuda": cuda, "float32": float32, "memory_trace": memory_trace}
    exec(source, names)
    a, b = np.arange(48, dtype=np.float32).reshape(6, 8), np.arange(48, dtype=np.float32).reshape(8, 6)
    c = np.zeros((6, 6), np.float32)
    trace = memory_trace.record(names["ines"], (2, 2), (4, 4), a, b, c)
    assert not memory_trace.divergent_barriers(trace) and not memory_trace.races(trace)
    assert bool((c == a @ b).all()) == is_right


@pytest.mark.parametrize(
    ("kernel", "counts"), [("a_thread_a_row", [1024, 64, 4, 256]), ("a_thread_a_column", [32, 32, 32, 8])]
)
def test_rows_and_columns_take_the_transactions_of_the_model_answer(kernel, counts):
    sizes = ((32, 32), (32, 8), (32, 2), (8, 32))
    traces = [
        memory_trace.record(given(kernel), 1, 32, np.zeros(32, np.float32), np.ones(size, np.float32)) for size in sizes
    ]
    assert [memory_trace.total_transactions(trace, "load") for trace in traces] == counts
    assert ", ".join(map(str, counts)) in PROSE


def test_a_request_finds_no_block_though_12_mib_are_free():
    mib = 1 << 20
    allocator = CachingAllocator(reserve=lambda nbytes: nbytes, release=lambda memory: None)
    blocks = [allocator.malloc(2 * mib) for _ in range(9)]
    for block in blocks[::2]:
        allocator.free(block)
    free = [block.nbytes // mib for block in allocator.segments[0].blocks if block.is_free]
    assert free == [2, 2, 2, 2, 4] and "four pieces of 2 MiB and one of 4 MiB" in PROSE
    assert allocator.allocated < allocator.reserved / 2
    allocator.malloc(5 * mib)
    assert (allocator.reserved // mib, allocator.allocated // mib) == (40, 13)
    assert "of 40 MiB reserved, 13 MiB are allocated" in PROSE
