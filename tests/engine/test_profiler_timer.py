"""A Timer with a clock of its own: how often it runs what, and what it makes of the times. The oracle is PyTorch's."""

import random

import pytest
from compare import needs_torch

import engine
from engine.profiler import Compare, Measurement, Timer
from engine.profiler import timer as timers
from engine.profiler.measurement import TaskSpec, quantile, select_unit, significant_figures, summarize, trim_sigfig

RANDOM = [[random.Random(seed).lognormvariate(-9, 1) for _ in range(1 + 7 * seed)] for seed in range(6)]


class Clock:
    """A clock that goes forward when it is read, and by what a statement takes."""

    def __init__(self, of_reading=0.0):
        self.now, self.of_reading, self.runs = 0.0, of_reading, 0

    def __call__(self):
        self.now += self.of_reading
        return self.now

    def work(self, seconds=1e-3):
        self.now += seconds
        self.runs += 1


def pairs(**task):
    """Measurements of the same times, by the engine and by PyTorch."""
    from torch.utils.benchmark import Measurement as Theirs
    from torch.utils.benchmark.utils.common import TaskSpec as TheirTask

    task = {"stmt": "f(x)", "setup": "pass", **task}
    return [(Measurement(10, times, TaskSpec(**task)), Theirs(10, times, TheirTask(**task))) for times in RANDOM]


# ---- what times say


@needs_torch
def test_statistics_are_those_of_pytorch():
    for mine, theirs in pairs():
        for name in ("median", "mean", "iqr", "significant_figures", "has_warnings", "times"):
            expected = getattr(theirs, name)
            got = getattr(mine, name)
            assert got == (pytest.approx(expected, rel=1e-6) if isinstance(expected, float) else expected), name


@needs_torch
@pytest.mark.parametrize(
    "task",
    [{}, {"label": "a label", "sub_label": "sub", "num_threads": 2}, {"setup": "x = 1\ny = 2", "description": "what"},
     {"stmt": "a\nb", "sub_label": "two lines", "setup": "x = 1"}],
)  # fmt: skip
def test_a_measurement_shows_itself_as_in_pytorch(task):
    for mine, theirs in pairs(**task):
        assert repr(mine).splitlines()[1:] == repr(theirs).splitlines()[1:]
        assert mine.title == theirs.title


@needs_torch
def test_units_and_figures_are_those_of_pytorch():
    from torch.utils.benchmark.utils import common

    for number in (1.234e-9, 5.6789e-7, 1e-5, 4.2e-4, 3.3333e-2, 1.0, 12.345, 7777.0):
        assert select_unit(number) == common.select_unit(number)
        for figures in (1, 2, 3, 4):
            assert trim_sigfig(number, figures) == pytest.approx(common.trim_sigfig(number, figures), rel=1e-5)


def test_a_quantile_lies_on_the_line_between_two_times():
    assert [quantile([4.0, 1.0, 2.0], q) for q in (0.0, 0.25, 0.5, 0.75, 1.0)] == [1.0, 1.5, 2.0, 3.0, 4.0]
    assert quantile([5.0], 0.75) == 5.0
    assert summarize([1.0, 2.0, 3.0, 4.0]).iqr == 1.5


def test_equal_times_have_four_figures_and_short_ones_fewer():
    assert significant_figures([1.0] * 5) == 4
    assert significant_figures([1e-7] * 5) == 1


def test_measurements_of_one_task_are_one():
    task = TaskSpec("f(x)", "pass")
    one, other = Measurement(2, [1.0, 3.0], task), Measurement(4, [4.0], task)
    (merged,) = Measurement.merge([one, other])
    assert (merged.times, merged.number_per_run) == ([0.5, 1.5, 1.0], 1)


# ---- what runs


def test_a_measurement_runs_as_often_as_asked_after_a_hundredth_to_warm_up():
    clock = Clock()
    found = Timer("work()", timer=clock, globals={"work": clock.work}).timeit(1000)
    assert (clock.runs, found.number_per_run, found.median) == (1010, 1000, pytest.approx(1e-3))


def test_a_function_is_measured_like_a_statement():
    clock = Clock()
    found = Timer(clock.work, timer=clock).timeit(10)
    assert (clock.runs, found.median, found.stmt) == (12, pytest.approx(1e-3), "work()")


def test_the_setup_runs_before_and_outside_the_time():
    clock = Clock()
    names = {"work": clock.work, "clock": clock}
    found = Timer("work()", "clock.work(100.0)", timer=clock, globals=names).timeit(4)
    assert found.median == pytest.approx(1e-3)


def test_blocks_are_so_long_that_reading_the_clock_does_not_count():
    clock = Clock(of_reading=1e-6)
    found = Timer("work(1e-5)", timer=clock, globals={"work": clock.work}).blocked_autorange(min_run_time=0.5)
    assert found.number_per_run == 1000  # 10 ms; reading the clock is 1/10,000 of that
    assert sum(found.raw_times) >= 0.5
    assert found.median == pytest.approx(1e-5, rel=1e-3)


@pytest.mark.parametrize("steady", [True, False])
def test_it_repeats_until_the_times_are_steady_or_time_is_up(steady):
    clock, chance = Clock(of_reading=1e-9), random.Random(3)

    def work():
        clock.work(1.0 if steady else chance.choice([0.1, 3.0]))

    found = Timer(work, timer=clock).adaptive_autorange(threshold=0.05, max_run_time=50.0)
    assert found.meets_confidence(0.05) is steady
    assert (len(found.raw_times) == 4) is steady
    assert steady or sum(found.raw_times) > 50


def test_each_block_is_told():
    clock, told = Clock(), []
    timer = Timer("work()", timer=clock, globals={"work": clock.work})
    found = timer.blocked_autorange(callback=lambda number, time: told.append((number, time)), min_run_time=0.1)
    assert told == [(found.number_per_run, time) for time in found.raw_times]


def test_operators_use_as_many_threads_as_asked_and_then_as_before():
    seen, before = [], engine.get_num_threads()
    Timer(lambda: seen.append(engine.get_num_threads()), num_threads=3, timer=Clock()).timeit(1)
    assert set(seen) == {3}
    assert engine.get_num_threads() == before


def test_the_statement_knows_the_engine_as_torch():
    assert Timer("torch.ones(2) + 1", timer=Clock()).timeit(1).stmt == "torch.ones(2) + 1"


def test_a_statement_in_three_quotes_loses_its_indentation():
    found = Timer("""
        x = 1
        x + 1
    """, timer=Clock())  # fmt: skip
    assert found.timeit(1).stmt == "x = 1\nx + 1"


def test_what_is_neither_text_nor_function_is_refused():
    with pytest.raises(ValueError, match="expected a statement as text or a function without arguments, got int"):
        Timer(3)


def test_the_clock_waits_for_the_device_once_a_program_uses_one(monkeypatch):
    waited = []

    class Runtime:
        synchronize = staticmethod(lambda: waited.append(True))

    monkeypatch.setitem(timers.sys.modules, "engine.cuda.runtime", Runtime)
    Timer("pass").timeit(1)
    assert len(waited) == 4  # before and behind the warm-up and the measurement


def test_the_names_of_pytorchs_utils_are_there():
    assert engine.utils.benchmark.Timer is Timer
    assert engine.utils.benchmark.Compare is Compare


# ---- the table


def tasks():
    for threads in (1, 4):
        for sub_label in ("2 x 2", "1000 x 1000"):
            for description in ("numpy", "engine", "torch"):
                yield {"label": "add", "sub_label": sub_label, "description": description, "num_threads": threads}
    yield {"label": "mul", "sub_label": "2 x 2", "description": "engine"}
    yield {"label": "mul", "sub_label": "3 x 3", "description": "torch"}


@needs_torch
@pytest.mark.parametrize("trim", [False, True])
@pytest.mark.parametrize("colour", [None, "columns", "rows"])
@pytest.mark.parametrize("warnings", [False, True])
def test_a_table_of_comparison_is_that_of_pytorch(trim, colour, warnings):
    from torch.utils.benchmark import Compare as TheirCompare
    from torch.utils.benchmark import Measurement as TheirMeasurement
    from torch.utils.benchmark.utils.common import TaskSpec as TheirTask

    chance, mine, theirs = random.Random(1), [], []
    for task in tasks():
        scale = chance.choice([1e-6, 4e-6, 2e-5])
        times = [scale * (1 + chance.random() * chance.choice([0.01, 0.5])) for _ in range(12)]
        mine.append(Measurement(1, times, TaskSpec("f(x)", "pass", **task)))
        theirs.append(TheirMeasurement(1, times, TheirTask("f(x)", "pass", **task)))
    tables = [Compare(mine), TheirCompare(theirs)]
    for table in tables:
        if trim:
            table.trim_significant_figures()
        if colour:
            table.colorize(rowwise=colour == "rows")
        if warnings:
            table.highlight_warnings()
    assert str(tables[0]) == str(tables[1])


def test_rows_of_several_environments_are_named_by_them():
    results = [
        Measurement(1, [1.0], TaskSpec("f(x)", "pass", sub_label="one", description="engine", env=env))
        for env in ("left", "right")
    ]
    assert [line.split()[0] for line in str(Compare(results)).splitlines()[3:5]] == ["(left)", "(right)"]


def test_only_measurements_are_compared():
    with pytest.raises(ValueError, match="Expected an instance of `Measurement`, got <class 'int'> instead"):
        Compare([3])
