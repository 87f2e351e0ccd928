"""The claims and the figures in lab 7's text hold on the engine of a student who has solved it."""

import contextlib
import io
import math
import re
import statistics
import time
from types import SimpleNamespace

import matplotlib
import pytest
from test_payoffs import payoff_of

import engine
from autograder import overlay
from autograder.author import lab_text
from autograder.made_up import cohort

pytestmark = pytest.mark.slow  # what is profiled compiles for half a minute
LAB = lab_text.load("07-profiler")
STUDENTS = ("clara-other-words", "nora-other-words")  # each writes a part of the lab in words of their own
TWO_LOOPS = "profiler.event_tree.memory_of"  # the student's takes seconds for the 9,000 events of the slow epoch
PROSE = " ".join(" ".join(cell.source.split()) for cell in LAB.cells if cell.kind == "markdown")
IMPORTS, *CELLS = (cell for cell in LAB.cells if cell.kind == "code")


def answer_of(exercise):
    """Return a student's answer: the first one that is not the reference's text."""
    students = cohort.load(LAB.id)
    answers = [cohort.submitted_source(students[name], students, exercise) for name in STUDENTS]
    return next((answer for answer in answers if answer != overlay.source_of(exercise)), answers[0])


@pytest.fixture(scope="module", autouse=True)
def students_engine():
    """Run this file on answers of made-up students."""
    names = [exercise.name for exercise in LAB.exercises if exercise.name != TWO_LOOPS]
    answers = {name: answer_of(name) for name in names}
    assert sum(answer != overlay.source_of(name) for name, answer in answers.items()) > len(names) / 2
    for name, answer in answers.items():
        overlay.graft(name, answer)
    assert not overlay.rebuilt(names)
    yield
    for name in names:
        overlay.restore(name)
    overlay.rebuilt(names)


def run(beginning, folder):
    """Run the import cell, then the code cell that contains a text; returns the names and what it printed."""
    matplotlib.use("agg")
    cell = next(cell for cell in CELLS if beginning in cell.source)
    namespace = {"__name__": "__main__"}
    with contextlib.chdir(folder):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(IMPORTS.source, namespace)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(cell.source, f"{LAB.path}:{cell.line}", "exec"), namespace)
    return namespace, printed.getvalue()


def counts(prof):
    """Calls by name."""
    return {row.key: row.count for row in prof.key_averages()}


# ---- the opening


@pytest.fixture(scope="module")
def step(tmp_path_factory):
    namespace, _ = run("draw.timeline(profile_of_steps(active=1))", tmp_path_factory.mktemp("lab"))
    return namespace["profile_of_steps"](active=1)


def test_it_records_every_operator_and_knows_who_called_whom(step):
    addmm = next(event for event in step.events() if event.name == "aten::addmm")
    above = []
    while addmm.cpu_parent is not None:
        addmm = addmm.cpu_parent
        above.append(addmm.name)
    assert above == ["aten::linear", "forward", "ProfilerStep*"]


def test_the_names_and_columns_are_those_of_torch_profiler(step, pytorch):
    with pytorch.profiler.profile(activities=[pytorch.profiler.ProfilerActivity.CPU]) as theirs:
        pytorch.ones(3) * 2
    headers = [re.split(r"\s{2,}", prof.key_averages().table().splitlines()[1].strip()) for prof in (step, theirs)]
    assert headers[0] == headers[1]


def recursion_shares(T, as_decorator):
    """Total over self time of a function that calls itself, with a block in it or under `record_function`."""
    block = T.profiler.record_function

    def in_block(n):
        with block("fib"):
            return n if n < 2 else in_block(n - 1) + in_block(n - 2)

    @block("fib")
    def decorated(n):
        return n if n < 2 else decorated(n - 1) + decorated(n - 2)

    for _ in range(2):  # in the first profile PyTorch's own first calls take most of the time
        with T.profiler.profile(activities=[T.profiler.ProfilerActivity.CPU]) as prof:
            (decorated if as_decorator else in_block)(6)
    (fib,) = (row for row in prof.key_averages() if row.key == "fib")
    return fib.cpu_time_total / fib.self_cpu_time_total


def test_in_blocks_pytorch_counts_a_recursion_as_often_as_it_is_nested(pytorch):
    assert min(recursion_shares(T, as_decorator=False) for T in (pytorch, engine)) > 1.5


def test_a_decorated_recursion_is_no_recursion_to_pytorch(pytorch):
    assert recursion_shares(engine, as_decorator=True) > 1.5 > 1.01 > recursion_shares(pytorch, as_decorator=True)


def test_the_step_at_the_top_has_as_many_events_and_names_as_the_text_says(step):
    names = {event.name for event in step.events()}
    assert f"The step of training at the top has {len(step.events())} events" in PROSE
    assert f"The profile of the step at the top has {len(names)} names" in PROSE


def test_shapes_memory_and_stacks_are_recorded_only_on_request(step):
    events = step.events()
    assert not any(event.input_shapes or event.stack or event.cpu_memory_usage for event in events)


def test_a_record_has_ten_fields(tmp_path):
    namespace, _ = run("draw.timeline(profile_of_steps(active=1))", tmp_path)
    records = []
    watching = type("Watching", (), {"describes": False, "buffer": staticmethod(lambda: records)})()
    around_call = namespace["engine"].profiler.recorder.around_call
    around_call(watching, lambda x: x, "aten::neg", "", False)(1)
    assert [len(record) for record in records] == [10]


def test_a_profiler_that_is_off_writes_nothing_and_is_not_called(tmp_path, monkeypatch):
    namespace, _ = run("draw.timeline(profile_of_steps(active=1))", tmp_path)
    engine = namespace["engine"]
    x = engine.ones(3)
    with namespace["profile"](activities=namespace["CPU"]):
        x.neg()
    asked = []
    monkeypatch.setattr(namespace["Recorder"], "buffer", lambda self: asked.append(self))
    x.neg()
    assert asked == []


# ---- the three faults


@pytest.fixture(scope="module")
def faults(tmp_path_factory):
    """The names of the cell of slow_epoch, and a profile of each epoch."""
    namespace, _ = run("def slow_epoch", tmp_path_factory.mktemp("lab"))
    fast = namespace["engine"].utils.training.train_epoch
    return namespace, namespace["profiled"](namespace["slow_epoch"]), namespace["profiled"](fast)


def test_the_counts_of_each_fault_are_those_in_the_text(faults):
    _, (slow, _), _ = faults
    found = counts(slow)
    cloned = sum(event.cpu_memory_usage for event in slow.events() if event.name == "aten::clone")
    assert f"{cloned // 1024:,} KB in ten steps" in PROSE
    assert found["aten::item"] == found["aten::_local_scalar_dense"] == 1610
    assert "`aten::item` and `aten::_local_scalar_dense` show it: 1,610" in PROSE
    assert found["aten::cross_entropy_loss"] == 160 and "runs 160 times instead of ten times" in PROSE


def test_the_students_loop_has_none_of_them_and_the_same_losses(faults):
    _, (_, slow_losses), (fast, fast_losses) = faults
    found = counts(fast)
    assert not {"aten::clone", "aten::item", "aten::_local_scalar_dense"} & set(found)
    assert found["aten::cross_entropy_loss"] == found["aten::addmm"] / 2 == 10
    assert fast_losses == pytest.approx(slow_losses, abs=1e-5)


def test_the_profile_shows_each_fault_among_its_first_rows(faults):
    _, (slow, _), _ = faults
    rows = [row for row in slow.key_averages() if row.key != "[memory]"]
    by_memory = sorted(rows, key=lambda row: -row.self_cpu_memory_usage)
    by_count = sorted(rows, key=lambda row: -row.count)
    assert by_memory[0].key == "aten::clone"
    assert "aten::item" in [row.key for row in by_count[:3]]
    assert [row.count for row in by_count[:8] if row.key == "aten::cross_entropy_loss"] == [160]


def test_most_of_the_time_of_unbind_is_for_the_stacks_of_its_views(faults):
    namespace, (slow, _), _ = faults
    unbind = [event for event in slow.events() if event.name == "aten::unbind"]
    assert len(unbind) == 10
    assert [[child.name for child in event.cpu_children] for event in unbind] == [["aten::select"] * 160] * 10
    times = {}
    for with_stack in (True, False, True, False, True, False):  # the least disturbed of three
        with namespace["profile"](activities=namespace["CPU"], with_stack=with_stack) as prof:
            namespace["slow_epoch"](*namespace["problem"]())
        own = [event.self_cpu_time_total for event in prof.events() if event.name == "aten::unbind"]
        times[with_stack] = min(statistics.median(own), times.get(with_stack, math.inf))
    assert times[False] < times[True] / 2


def test_without_the_loop_an_epoch_is_faster_and_without_all_three_much_faster(faults):
    namespace, *_ = faults
    text = next(cell.source for cell in CELLS if "def epoch_without" in cell.source)
    clock = SimpleNamespace(perf_counter=time.process_time)  # other programs of the machine don't count
    namespace = {**namespace, "time": clock}
    exec(text[: text.index("versions = ")], namespace)
    versions = ((), ("loop",), ("copy", "reads", "loop"))  # the others differ by less than a busy machine adds
    epochs = {fixed: namespace["epoch_without"](*fixed) for fixed in versions}
    _, *rounds = [{fixed: namespace["ms_of"](epoch) for fixed, epoch in epochs.items()} for _ in range(3)]
    best = {fixed: min(ms[fixed] for ms in rounds) for fixed in versions}
    assert best["copy", "reads", "loop"] < best["loop",] < best[()]
    assert best["copy", "reads", "loop"] < best[()] / 3


# ---- one profile of everything


@pytest.fixture
def quiet(monkeypatch):
    """Time the simulator by its work: on a busy machine, threads that wait at a barrier take the longest."""
    monkeypatch.setattr("engine.cuda.runtime.time", SimpleNamespace(perf_counter=time.process_time))


def test_the_combined_profile_has_kernels_shapes_and_the_lines_of_the_program(tmp_path, quiet):
    namespace, printed = run("def digits_step", tmp_path)
    operators = [row for row in namespace["operators"] if row.self_device_time_total]
    products = [row for row in operators if row.key == "aten::mm"]
    assert len(products) == 5 and {row.count for row in products} == {10}
    backward = next(row for row in products if row.input_shapes[:2] == [[64, 4], [4, 32]])
    forward = next(row for row in products if row.input_shapes[:2] == [[4, 64], [64, 32]])
    assert backward.stack == forward.stack and "digits_step" in forward.stack[0]
    named = [event for event in namespace["prof"].events() if event.name == "aten::sum"]
    sums = [event for event in named if event.input_shapes[0] == [4, 32]]
    assert {event.cpu_parent.name for event in sums} == {"autograd::engine::evaluate_function: AddBackward0"}
    kernels = kernels_of(namespace)
    if namespace["engine"].cuda.is_simulated():
        assert kernels["gemm_naive"].count == 50
        assert printed.startswith("simulator, ten steps")
        assert max(kernels, key=lambda name: kernels[name].self_device_time_total) == "gemm_naive"


def kernels_of(namespace):
    """The rows of the kernels, by name."""
    return {row.key: row for row in namespace["averages"] if row not in namespace["operators"]}


def test_two_products_are_among_the_first_rows_of_the_combined_profile(tmp_path, quiet):
    if not engine.cuda.is_simulated():
        pytest.skip("not run: numba's simulator (there is a GPU)")
    rows = run("def digits_step", tmp_path)[1].splitlines()[1:6]
    assert sum("aten::mm" in line for line in rows) >= 2


# ---- the payoff


@pytest.fixture(scope="module")
def result():
    return payoff_of(LAB.id)()


def test_the_network_reads_nine_of_ten_digits_after_four_passes(result):
    assert result["nine of ten are read"] is True
    assert result["steps"] == 4 * 45  # 1,437 images, 32 in a batch
    assert result["loss of the last 20"] < result["loss of the first 20"] / 4


def test_the_payoffs_step_has_as_many_events_and_names_as_the_text_says(tmp_path):
    namespace, _ = run("def on_a_device", tmp_path)
    model, (images, labels) = namespace["network"](), namespace["digits"]()
    optimizer = namespace["engine"].optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    events = namespace["profiled_steps"](model, optimizer, images[:32], labels[:32]).events()
    assert f"and the step of the payoff has {len(events)}:" in PROSE
    assert f"and the payoff's has {len({event.name for event in events})}." in PROSE


def test_the_profile_of_a_step_counts_its_layers(result):
    assert result["calls in a step"] == {"aten::conv2d": 2, "aten::relu": 2, "aten::max_pool2d": 2, "aten::linear": 1}
    assert result["an arrow leads to a convolution"] is True


def test_a_kernel_that_nobody_waited_for_has_no_time(result):
    assert result["on a device"] == {"first": [("add", 1000), ("gemm", 2000)], "second": [("reduce", None)]}


def test_the_timer_finds_the_block_and_the_median_of_a_made_up_clock(result):
    assert result["runs of a block"] == 10_000
    assert result["median, us"] == pytest.approx(3.0, abs=0.001)


def test_the_points_are_a_hundred_without_the_optional_exercises():
    core = [exercise for exercise in LAB.exercises if not exercise.optional]
    by_hand = sum(cell.metadata["points"] for cell in LAB.cells if "reflect" in cell.metadata)
    assert len(core) == 10
    assert (sum(exercise.points for exercise in core), by_hand) == (80, 20)


@pytest.mark.parametrize("exercise", [one for one in LAB.exercises if one.optional], ids=lambda one: one.name)
def test_an_optional_section_says_so_where_it_begins(exercise):
    begins = [cell.source for cell in LAB.cells if cell.line < exercise.line and "\n## 7." in f"\n{cell.source}"]
    assert re.search(r"## 7\.\d+ .*\n\n\*Optional\.\*", begins[-1])
