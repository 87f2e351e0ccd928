"""`check` in a notebook: what it judges, what it says, and what becomes of a right answer."""

import itertools
import linecache
import textwrap
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from written_lab import EXERCISES

import engine
from autograder import overlay
from autograder.examine.lab_file import Exercise, Lab, dump
from autograder.labs import CHECKS
from autograder.student import cell_text, explain, notebook, recorded, recorded_check
from autograder.student.exercise_lookup import NoExercise, exercise_named

RIGHT = '''
def contiguous_strides(sizes):
    """Another way to write it."""
    strides = [1] * len(sizes)
    for d in range(len(sizes) - 2, -1, -1):
        strides[d] = strides[d + 1] * max(sizes[d + 1], 1)
    return tuple(strides)
'''
WRONG = "def contiguous_strides(sizes):\n    return tuple(range(len(sizes), 0, -1))\n"
LOOP = "def contiguous_strides(sizes):\n    while True:\n        pass\n"
NAME = "strides.contiguous_strides"
METHODS = {"accessor.TensorAccessor": ("__getitem__", "__setitem__")}
cell_numbers = itertools.count()


@pytest.fixture(scope="module")
def cases():
    return recorded.record("01-strides", [CHECKS[name] for name in EXERCISES])


@pytest.fixture
def here(tmp_path, monkeypatch, cases):
    """The folder of a notebook, as the notebook's process sees it."""
    folder = tmp_path / "01-strides"
    folder.mkdir()
    (folder / "cases.json").write_text(cases)
    exercises = [Exercise(name, CHECKS[name].points, METHODS.get(name, ())) for name in EXERCISES]
    (folder / "lab.json").write_text(dump(Lab("01-strides", "Strides", tuple(exercises))))
    monkeypatch.setattr(notebook, "HERE", folder)
    monkeypatch.setattr(notebook, "_checked", {})
    yield folder
    overlay.restore()


@pytest.fixture
def cells(here):
    """Runs the text of a cell as IPython does: in one namespace, the text kept for tracebacks."""
    namespace = {"check": notebook.check, "progress": notebook.progress, "engine": engine, "Ints": tuple}

    def run(source):
        filename = f"/tmp/ipykernel/{next(cell_numbers)}.py"
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        exec(compile(source, filename, "exec"), namespace)

    return run


@pytest.fixture
def said(cells, capsys):
    """Runs cells, then a check that has to fail; returns what it printed."""

    def fail(*sources, name=NAME):
        for source in sources:
            cells(source)
        with pytest.raises(notebook.CheckFailed):
            cells(f"check({name!r})")
        return capsys.readouterr().out

    return fail


def test_a_right_answer_written_another_way_passes(cells, capsys):
    cells(RIGHT)
    cells(f"check({NAME!r})")
    assert capsys.readouterr().out.startswith(f"ok {NAME}   5 of 5 points")


def test_what_passes_goes_live(cells):
    cells(RIGHT)
    cells(f"check({NAME!r})")
    assert engine.strides.contiguous_strides.__doc__ is not None and overlay.active() == (NAME,)


def test_what_passes_is_saved_as_the_text_of_its_cell(cells, here):
    cells(RIGHT)
    cells(f"check({NAME!r})")
    assert (here.parent / "my_engine/strides/contiguous_strides.py").read_text() == RIGHT


def test_a_wrong_answer_shows_the_smallest_failing_case(said):
    assert "smallest failing case: sizes=(" in said(WRONG)


@pytest.mark.parametrize("optional", [True, False])
def test_the_points_of_an_optional_exercise_are_called_extra(here, cells, said, capsys, optional):
    lab = Lab("01-strides", "Strides", (Exercise(NAME, CHECKS[NAME].points, optional=optional),))
    (here / "lab.json").write_text(dump(lab))
    of = "extra points" if optional else "points"
    assert f"x  {NAME}   0 of 5 {of}\n" in said(WRONG)
    cells(RIGHT)
    cells(f"check({NAME!r})")
    assert f"ok {NAME}   5 of 5 {of}\n" in capsys.readouterr().out


def test_a_wrong_answer_does_not_go_live(said):
    said(WRONG)
    assert overlay.active() == ()


def test_a_wrong_answer_is_not_saved(said, here):
    said(WRONG)
    assert not (here.parent / "my_engine").exists()


def test_a_right_answer_stays_live_when_a_worse_one_follows(cells, said):
    cells(RIGHT)
    cells(f"check({NAME!r})")
    said(WRONG)
    assert overlay.active() == (NAME,)


def test_a_wrong_answer_costs_no_other_exercise(cells, said, capsys):
    said(WRONG)
    cells(overlay.source_of("strides.view_strides"))
    cells("check('strides.view_strides')")
    assert "9 of 9 points" in capsys.readouterr().out


def test_a_class_is_found_through_its_methods(cells, capsys):
    cells(overlay.source_of("accessor.TensorAccessor"))
    cells("check('accessor.TensorAccessor')")
    assert "6 of 6 points" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def contiguous_strides(sizes):\n    raise NotImplementedError('contiguous_strides')\n", "not written yet"),
        ("", "run the cell above"),
        ("contiguous_strides = 3", "has to be made by `def` or `class`"),
        ("from engine.strides import contiguous_strides", "is the engine's own here"),
        ("def contiguous_strides(sizes):\n    exit()\n", "ends the process"),
        ("import os\n\ndef contiguous_strides(sizes):\n    return ()\n", "imports os"),
        ("if True:\n    def contiguous_strides(sizes):\n        return ()\n", "top level"),
    ],
)
def test_what_can_not_be_right_says_why(said, source, message):
    if "exit()" in source:
        source = source.replace("exit()", "raise SystemExit")
    assert message in said(source)


def test_an_endless_loop_times_out(said, monkeypatch):
    monkeypatch.setattr(recorded_check, "ANSWER_SECONDS", 0.2)
    assert "timed out" in said(LOOP)


def test_cases_that_take_too_long_together_say_so(said, monkeypatch):
    monkeypatch.setattr(recorded_check, "CHECK_SECONDS", 0.1)
    assert "all cases together took more than 0.1 seconds" in said(LOOP)


def test_a_helper_in_another_cell_is_named(said):
    using = "def contiguous_strides(sizes):\n    return suffix_products(sizes)\n"
    text = said("def suffix_products(sizes):\n    return ()\n", using)
    assert "`suffix_products` is defined in another cell: put it into the cell of `contiguous_strides`" in text


def test_a_module_of_another_cell_is_named(said):
    text = said("import numpy as np", "def contiguous_strides(sizes):\n    return tuple(np.cumprod(sizes))\n")
    assert "`np` is not at hand in engine.strides: do it without" in text


def test_a_module_that_may_be_imported_is_said_to_be_missing(said):
    text = said("import itertools", "def contiguous_strides(sizes):\n    return tuple(itertools.accumulate(sizes))\n")
    assert "`itertools` is not at hand in engine.strides: write `import itertools` into the cell" in text


def test_of_a_module_that_is_missing_the_name_that_the_engine_imports_is_told(capsys):
    message, source = "name 'numba' is not defined", "dispatcher = numba.njit(**self.options)(self.function(kind))"
    assert explain.explain_missing("cpu.loops.Compiled", message, {"numba": numba}, source)
    assert "`njit` is, so write `njit` and not `numba.njit`" in capsys.readouterr().out
    assert explain.explain_missing("cpu.loops.Compiled", message, {"numba": numba}, "numba.vectorize(f)")
    assert "do it without" in capsys.readouterr().out


def test_a_function_of_another_module_is_named(said):
    using = "def contiguous_strides(sizes):\n    return requires_grad(sizes)\n"
    text = said("from engine.autograd.variable import requires_grad\n", using)
    assert "`requires_grad` is not at hand in engine.strides: it is a name of engine.autograd.variable" in text


def test_a_misspelt_name_is_corrected(said):
    assert f"did you mean '{NAME}'" in said(name="strides.contiguous_stride")


def test_missing_cases_say_where_they_belong(said, here):
    (here / "cases.json").unlink()
    assert f"expected {here / 'cases.json'}" in said(RIGHT)


def test_cases_of_another_lab_are_named(said, here):
    (here / "cases.json").write_text(recorded.record("02", []))
    assert f"holds no cases of {NAME}" in said(RIGHT)


def test_a_failed_check_is_one_line_in_the_notebook(cells):
    cells(WRONG)
    with pytest.raises(notebook.CheckFailed) as failed:
        cells(f"check({NAME!r})")
    assert failed.value._render_traceback_() == [f"CheckFailed: {NAME}: 0 of 5 points"]


def test_saved_parts_are_not_active_before_resume(cells):
    cells(RIGHT)
    cells(f"check({NAME!r})")
    overlay.restore()
    assert overlay.active() == ()


def test_resume_takes_up_what_was_saved(cells, capsys):
    cells(RIGHT)
    cells(f"check({NAME!r})")
    overlay.restore()
    notebook.resume()
    assert overlay.active() == (NAME,)


def test_resume_without_saved_parts_says_so(here, capsys):
    notebook.resume()
    assert "no parts yet in ../my_engine" in capsys.readouterr().out


PAYOFF = """
def payoff():
    return engine.strides.contiguous_strides((2, 3)), engine.strides.view_strides((2, 3), (3, 1), (6,))
"""


def test_the_payoff_names_the_parts_that_are_missing(cells, said):
    cells(RIGHT)
    cells(f"check({NAME!r})")
    text = said(PAYOFF, name="payoff")
    assert "1 of 3 parts are yours" in text and "accessor.TensorAccessor, strides.view_strides" in text


def test_the_payoff_says_where_it_looks_for_the_cases(here, said):
    (here / "lab.json").unlink()
    (here / "cases.json").unlink()
    assert f"came with this notebook: {here / 'lab.json'}" in said(PAYOFF, name="payoff")


def test_the_payoff_names_the_parts_that_never_ran(cells, said):
    for name in EXERCISES:
        cells(overlay.source_of(name))
        cells(f"check({name!r})")
    assert "yours, but never ran: accessor.TensorAccessor" in said(PAYOFF, name="payoff")


def test_the_payoff_passes_on_all_parts_together(cells, capsys):
    for name in EXERCISES:
        cells(overlay.source_of(name))
        cells(f"check({name!r})")
    cells(PAYOFF.replace("return", "engine.accessor.TensorAccessor([1], (1,), (1,), 0)[0]\n    return"))
    cells("check('payoff')")
    assert "ok payoff   3 of 3 parts are yours" in capsys.readouterr().out


def test_the_payoff_needs_no_optional_part(here, cells, capsys):
    parts = (here / "lab.json").read_text().splitlines(keepends=True)
    optional = [part.replace("false", "true") if "TensorAccessor" in part else part for part in parts]
    (here / "lab.json").write_text("".join(optional))
    for name in set(EXERCISES) - {"accessor.TensorAccessor"}:
        cells(overlay.source_of(name))
        cells(f"check({name!r})")
    cells(PAYOFF)
    cells("check('payoff')")
    assert "ok payoff   2 of 3 parts are yours" in capsys.readouterr().out


def test_the_payoff_compares_with_the_reference(cells, said):
    for name in EXERCISES:
        cells(overlay.source_of(name))
        cells(f"check({name!r})")
    assert "on the reference it returns ()" in said(
        "from autograder import overlay\ndef payoff():\n    return overlay.active()\n", name="payoff"
    )


def test_a_payoff_that_is_not_defined_says_what_to_do(said):
    assert "run the cell with `def payoff`" in said(name="payoff")


def test_a_method_that_the_cell_leaves_out_is_not_written(said):
    reads = overlay.source_of("accessor.TensorAccessor").replace("def __setitem__", "def set")
    assert "2 of 6 points" in said(reads, name="accessor.TensorAccessor")


def test_a_method_that_was_left_out_is_the_references_again_afterwards(said):
    reads = overlay.source_of("accessor.TensorAccessor").replace("def __setitem__", "def set")
    said(reads, name="accessor.TensorAccessor")
    data = [1, 2]
    engine.accessor.TensorAccessor(data, (2,), (1,), 0)[1] = 3
    assert data == [1, 3]


def test_the_text_is_judged_as_it_was_typed(monkeypatch, said):
    indented = "".join(f"    {line}\n" for line in RIGHT.strip().splitlines())
    history = SimpleNamespace(input_hist_raw=["", indented, "check(...)"])
    shell = SimpleNamespace(history_manager=history, transform_cell=lambda raw: textwrap.dedent(raw))
    monkeypatch.setattr(cell_text, "get_ipython", lambda: shell)
    assert "line 1: syntax error: unexpected indent" in said(RIGHT.lstrip())


def test_a_badly_indented_cell_before_it_does_not_stop_a_check(cells, capsys, monkeypatch):
    history = SimpleNamespace(input_hist_raw=[RIGHT, "if x:\n        y\n    z\n", "check(...)"])
    shell = SimpleNamespace(history_manager=history, transform_cell=TransformerManager().transform_cell)
    monkeypatch.setattr(cell_text, "get_ipython", lambda: shell)
    cells(RIGHT)
    cells(f"check({NAME!r})")
    assert capsys.readouterr().out.startswith(f"ok {NAME}")


def test_a_test_run_in_the_cell_of_the_exercise_is_sent_elsewhere(said):
    assert "try it out in a cell of its own" in said(RIGHT + "\nengine.strides.contiguous_strides((2,))\n")


def test_the_engine_inside_an_answer_is_no_test_run(said):
    text = said("def contiguous_strides(sizes):\n    return engine.strides.contiguous_strides(sizes)\n")
    assert "`engine` is not at hand in engine.strides: the names that the text gives are enough" in text


def test_a_cell_that_ends_the_process_does_not_end_the_notebook(said, cells):
    with pytest.raises(SystemExit):
        cells(RIGHT + "\nraise SystemExit\n")
    assert "the cell ends the process" in said()


def test_the_map_shows_every_exercise_of_every_lab(here):
    assert f"of {len(CHECKS)} exercises" in str(notebook.progress("engine"))


def test_progress_shows_this_lab_with_its_points(cells, capsys):
    cells(RIGHT)
    cells(f"check({NAME!r})")
    capsys.readouterr()
    cells("print(progress())")
    said = capsys.readouterr().out
    assert said.startswith("01-strides: 5 of 20 points") and all(name in said for name in EXERCISES)


def test_progress_of_anything_else_names_the_three_choices():
    with pytest.raises(ValueError, match="got 'lab 2'") as refused:
        notebook.progress("lab 2")
    assert all(f'progress("{of}")' in str(refused.value) for of in ("lab", "engine", "hours"))


def test_a_check_takes_the_function_itself(cells, capsys):
    cells(RIGHT)
    cells("check(contiguous_strides)")
    assert capsys.readouterr().out.startswith(f"ok {NAME}   5 of 5 points")


def test_a_check_takes_a_class_itself(cells, capsys):
    cells(overlay.source_of("accessor.TensorAccessor"))
    cells("check(TensorAccessor)")
    assert "6 of 6 points" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("len", "no exercise of this lab is called len; check() lists"),
        ("3", 'expected a name, as in check("strides.permute"), or your function; got 3'),
        ("'view_strides'", "did you mean 'strides.view_strides'?"),
        ("'strides.veiw_stride'", "did you mean 'strides.view_strides'?"),
        ("'nonsense'", "there is no exercise 'nonsense'; check() lists"),
    ],
)
def test_what_is_no_exercise_is_named(cells, capsys, asked, message):
    with pytest.raises(notebook.CheckFailed):
        cells(f"check({asked})")
    assert message in capsys.readouterr().out.splitlines()[0]


def test_a_name_that_two_exercises_have_needs_its_module():
    def permute(sizes):
        return sizes

    with pytest.raises(NoExercise, match=r"permute may be .*strides.permute.*: write the name"):
        exercise_named(permute, Path("no folder"))


def test_a_part_that_can_not_be_saved_is_live_all_the_same(cells, capsys, here):
    (here.parent / "my_engine").write_text("a file is in the way")
    cells(RIGHT)
    cells(f"check({NAME!r})")
    assert "not saved, so other notebooks will not have it" in capsys.readouterr().out and overlay.active() == (NAME,)
